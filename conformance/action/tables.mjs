// Do action.yml and its documentation say the same? Usage: node tables.mjs ACTION.yml DOCUMENT.md STEPS.sh
// Inputs and outputs, their order, the defaults, and that every input reaches a script.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parse } from "yaml";

const [actionPath, documentPath, stepsPath] = process.argv.slice(2);
const action = parse(readFileSync(actionPath, "utf8"));
const document = readFileSync(documentPath, "utf8");
const steps = readFileSync(stepsPath, "utf8");

// The rows of the first table after a heading, without its head.
function table(heading) {
  const section = document.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0];
  assert.ok(section, `there is no section ${heading}`);
  const rows = section.split("\n\n").map((paragraph) => paragraph.trim()).find((paragraph) => paragraph.startsWith("|")).split("\n").slice(2);
  return rows.map((row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
}
const bare = (text) => text.replace(/^`(.*)`$/, "$1");
// Documentation may set words as code and add where to read on.
const plain = (text) => text.replaceAll("`", "").replace(/ See \[.*$/, "");

const inputs = table("Inputs").map(([name, value, meaning]) => ({ name: bare(name), value: bare(value), meaning: plain(meaning) }));
assert.deepEqual(inputs.map(({ name }) => name), Object.keys(action.inputs), "the inputs differ");
for (const { name, value, meaning } of inputs) {
  assert.equal(value, action.inputs[name].default, `the default of ${name} differs`);
  assert.ok(meaning.length > 0, `${name} is not explained`);
  assert.notEqual(action.inputs[name].required, true, `${name} has a default and is required`);
}
const outputs = table("Outputs").map(([name, meaning]) => ({ name: bare(name), meaning: plain(meaning) }));
assert.deepEqual(outputs.map(({ name }) => name), Object.keys(action.outputs), "the outputs differ");
for (const { name, meaning } of outputs) assert.equal(meaning, plain(action.outputs[name].description), `${name} is explained otherwise`);

// Each step names the inputs that its script asks for; an expression stands nowhere else in a script.
const asked = new Set([...steps.matchAll(/INPUT_[A-Z_]+/g)].map(([name]) => name).filter((name) => name !== "INPUT_TOKEN"));
const given = new Set(action.runs.steps.flatMap(({ env }) => Object.keys(env ?? {})).filter((name) => name.startsWith("INPUT_")));
given.delete("INPUT_VERSION");
asked.delete("INPUT_");
assert.deepEqual([...asked].sort(), [...given].sort(), "what scripts ask for and what steps give differ");
for (const name of Object.keys(action.inputs)) {
  assert.ok(JSON.stringify(action.runs.steps).includes(`inputs.${name} }}`), `no step uses ${name}`);
}
for (const { name, run } of action.runs.steps) assert.ok(!run?.includes("${{"), `${name}: an expression in a script`);

const measuring = action.runs.steps.find(({ id }) => id === "run");
assert.ok(!JSON.stringify(measuring).toLowerCase().includes("token"), "the run is given a token");
