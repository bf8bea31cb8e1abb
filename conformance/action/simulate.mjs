// Runs a composite action step by step, with GitHub's own evaluator of expressions: conditions, `always()`, outputs and
// `continue-on-error` are theirs. Scripts are run; actions are only noted, see `others`.
//
// Usage: node simulate.mjs ACTION.yml SCENE.json, where the scene is
//   {"inputs": {…}, "env": {…}, "workspace": "…", "temp": "…", "token": "…", "fails": ["Upload the results"], "cancelled_at": "Run the evaluations"}
// Prints {"failed", "outputs", "steps": [{"name", "outcome", "with"}]} as JSON; what scripts say goes to standard error.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";
import { parse } from "yaml";

const [actionPath, scenePath] = process.argv.slice(2);
const action = parse(readFileSync(actionPath, "utf8"));
const scene = JSON.parse(readFileSync(scenePath, "utf8"));
const temporary = mkdtempSync(join(scene.temp, "simulate-"));

// What actions of others would answer. None of them is run.
const others = {
  "actions/cache/restore": () => ({ "cache-hit": "" }),
  "actions/cache/save": () => ({}),
  "actions/upload-artifact": () => ({ "artifact-url": "https://github.com/octo/evals/actions/runs/1/artifacts/2" }),
  "github/codeql-action/upload-sarif": () => ({}),
};

let failed = false;
let cancelled = false;
const steps = {};
const truth = (value) => () => new data.BooleanData(value());
const states = {
  success: truth(() => !failed && !cancelled),
  failure: truth(() => failed),
  cancelled: truth(() => cancelled),
  always: truth(() => true),
};
const functions = Object.entries(states).map(([name, call]) => ({ name, minArgs: 0, maxArgs: 0, call }));

function expressionData(value) {
  if (typeof value === "string") return new data.StringData(value);
  if (typeof value === "boolean") return new data.BooleanData(value);
  if (value === null) return new data.Null();
  return new data.Dictionary(...Object.entries(value).map(([key, inner]) => ({ key, value: expressionData(inner) })));
}
function evaluate(expression, inputs) {
  const contexts = expressionData({ inputs, steps, github: { token: scene.token, event_name: scene.env.GITHUB_EVENT_NAME }, env: {}, matrix: scene.matrix ?? null, job: { status: cancelled ? "cancelled" : failed ? "failure" : "success" } });
  const { tokens } = new Lexer(expression).lex();
  const tree = new Parser(tokens, ["inputs", "steps", "github", "env", "matrix", "job"], functions).parse();
  return new Evaluator(tree, contexts, new Map(functions.map((each) => [each.name, each]))).evaluate();
}
function text(value, inputs) {
  return String(value).replace(/\$\{\{(.*?)\}\}/g, (_, expression) => evaluate(expression, inputs).coerceString());
}
function condition(value, inputs) {
  const expression = String(value ?? "success()").replace(/^\s*\$\{\{(.*)\}\}\s*$/s, "$1");
  const status = /\b(success|failure|cancelled|always)\s*\(/.test(expression);
  const whole = evaluate(status ? expression : `success() && (${expression})`, inputs);
  return { "": false, false: false, 0: false }[whole.coerceString()] ?? true;
}
function outputsOf(path) {
  const found = {};
  const lines = readFileSync(path, "utf8").split("\n");
  while (lines.length) {
    const line = lines.shift();
    const [, name, kind, rest] = /^([^=<]+)(=|<<)(.*)$/.exec(line) ?? [];
    if (!name) continue;
    if (kind === "=") found[name] = rest;
    else {
      const end = lines.indexOf(rest);
      if (end < 0) throw new Error(`output ${name} has no end`);
      found[name] = lines.splice(0, end + 1).slice(0, -1).join("\n");
    }
  }
  return found;
}

const inputs = {};
for (const [name, { default: value }] of Object.entries(action.inputs)) {
  inputs[name] = String(scene.inputs[name] ?? text(value, {}));
}
for (const name of Object.keys(scene.inputs)) if (!action.inputs[name]) throw new Error(`there is no input ${name}`);

function script(step, index) {
  const output = join(temporary, `output-${index}`);
  const file = join(temporary, `step-${index}.sh`);
  writeFileSync(output, "");
  writeFileSync(file, step.run);
  const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, text(value, inputs)]));
  const env = {
    ...scene.env,
    GITHUB_ACTION_PATH: resolve(dirname(actionPath)),
    GITHUB_OUTPUT: output,
    GITHUB_PATH: join(temporary, "path"),
    GITHUB_STEP_SUMMARY: join(temporary, `summary-${index}`),
    ...own,
  };
  const { status } = spawnSync("bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", file], {
    cwd: scene.workspace,
    env,
    stdio: ["ignore", process.stderr, process.stderr],
    timeout: 120_000,
  });
  return { good: status === 0, outputs: outputsOf(output) };
}

const told = [];
action.runs.steps.forEach((step, index) => {
  if (!condition(step.if, inputs)) {
    told.push({ name: step.name, outcome: "skipped" });
    return;
  }
  const given = Object.fromEntries(Object.entries(step.with ?? {}).map(([name, value]) => [name, text(value, inputs)]));
  const fails = scene.fails?.includes(step.name);
  const other = step.uses && others[step.uses.split("@")[0]];
  if (step.uses && !other) throw new Error(`nobody knows ${step.uses}`);
  const { good, outputs } = fails ? { good: false, outputs: {} } : other ? { good: true, outputs: other() } : script(step, index);
  const goesOn = text(step["continue-on-error"] ?? false, inputs) === "true";
  if (!good && !goesOn) failed = true;
  if (scene.cancelled_at === step.name) cancelled = true;
  if (step.id) steps[step.id] = { outputs, outcome: good ? "success" : "failure", conclusion: good || goesOn ? "success" : "failure" };
  told.push({ name: step.name, outcome: good ? "success" : "failure", with: given });
});
const outputs = Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, text(value, inputs)]));
console.log(JSON.stringify({ failed, outputs, steps: told }, null, 1));
