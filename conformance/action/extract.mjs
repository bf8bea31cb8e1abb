// Writes every YAML block of a Markdown file as a workflow of its own. Usage: node extract.mjs FILE.md DIRECTORY
// A block that is only a list of steps gets a workflow around it. COMMIT becomes forty digits, as a pin has.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [document, directory] = process.argv.slice(2);
const frame = `name: Steps
on: push
permissions: {}
concurrency:
  group: steps
  cancel-in-progress: false
jobs:
  steps:
    name: Steps
    runs-on: ubuntu-latest
    permissions: {}
    steps:
`;
mkdirSync(directory, { recursive: true });
const blocks = [...readFileSync(document, "utf8").matchAll(/^```yaml\n(.*?)^```$/gms)].map((match) => match[1]);
if (blocks.length === 0) throw new Error(`${document} has no YAML`);
blocks.forEach((block, index) => {
  const whole = block.startsWith("- ") ? frame + block.replace(/^(?=.)/gm, "      ") : block;
  writeFileSync(join(directory, `${index + 1}.yml`), whole.replaceAll("@COMMIT", `@${"0".repeat(40)} # v0.0.0`));
});
