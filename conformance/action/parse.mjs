// GitHub's own parser. Usage: node parse.mjs FILE...   exits 1 if it finds a mistake. A file called action.yml is an action.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { parseAction } from "@actions/workflow-parser/actions/action-parser";
import { convertActionTemplate } from "@actions/workflow-parser/actions/action-template";

async function mistakesOf(path) {
  const file = { name: path, content: readFileSync(path, "utf8") };
  const trace = new NoOperationTraceWriter();
  const isAction = basename(path).startsWith("action.");
  const { context, value } = isAction ? parseAction(file, trace) : parseWorkflow(file, trace);
  if (!value) return [...context.errors.getErrors(), { message: "nothing was parsed" }];
  if (isAction) convertActionTemplate(context, value);
  else await convertWorkflowTemplate(context, value);
  return context.errors.getErrors();
}

async function main(paths) {
  if (paths.length === 0) throw new Error("no file");
  for (const path of paths) {
    for (const { message } of await mistakesOf(path)) {
      console.log(`${path}: ${message}`);
      process.exitCode = 1;
    }
  }
}

main(process.argv.slice(2)).catch((problem) => {
  console.error(problem);
  process.exitCode = 2;
});
