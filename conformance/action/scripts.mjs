// Writes every script of workflows and actions as a file of its own, for shellcheck. Usage: node scripts.mjs DIRECTORY FILE...
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const [directory, ...files] = process.argv.slice(2);
mkdirSync(directory, { recursive: true });
let count = 0;
for (const file of files) {
  const { jobs, runs } = parse(readFileSync(file, "utf8"));
  const steps = runs ? runs.steps : Object.values(jobs).flatMap((job) => job.steps ?? []);
  for (const { run } of steps) {
    if (!run) continue;
    count += 1;
    writeFileSync(join(directory, `${count}.sh`), `#!/usr/bin/env bash\n# ${file}\nset -e\n${run}\n`);
  }
}
if (count === 0) throw new Error("no script was found");
