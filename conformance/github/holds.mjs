// Whether something is so in our own GitHub. Usage: holds.mjs URL REPOSITORY EXPRESSION
// The expression is JavaScript over what `GET /_state` says of the repository, `requests` (all of them), `ours` (the comments of
// evalratchet, by pull request), `release` (of a tag), `attached` (whether the files of a release are just those of a directory,
// byte for byte, each once), `check` (the check run of a run's id), `writes` (the requests that change something) and
// `unused`, `unknown` (operations nobody asked for, and requests that are none).
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { operationOf, operations } from './operations.mjs';

const [url, name, expression] = process.argv.slice(2);
const answer = await fetch(`${url}/_state`, { signal: AbortSignal.timeout(10_000) });
const { repositories, requests } = await answer.json();
const repository = repositories[name];

const rest = requests.filter(({ path }) => !path.endsWith('/graphql'));
const asked = rest.map(({ method, path }) => operationOf(method, path));
const release = (tag) => repository.releases.find((one) => one.tag_name === tag);
const attached = (tag, directory) => {
  const have = release(tag).assets.map((one) => [one.name, repository.assets[one.id]]);
  const expected = readdirSync(directory).map((name) => [`evalratchet-${name}`, readFileSync(join(directory, name), 'utf8')]);
  return expected.length > 0 && JSON.stringify(have.sort()) === JSON.stringify(expected.sort());
};
const names = {
  ...repository,
  requests,
  ours: (issue) => repository.comments.filter((one) => one.issue_url.endsWith(`/issues/${issue}`) && one.body.startsWith('<!-- evalratchet')),
  release,
  attached,
  check: (run) => repository.check_runs.find((one) => one.external_id.startsWith(`${run}-`)),
  writes: requests.filter(({ method, body }) => method !== 'GET' && !body?.query?.startsWith('query')),
  unused: operations.filter((one) => !asked.includes(one)).map((one) => one.slice(0, 2).join(' ')),
  unknown: rest.filter((_, index) => !asked[index]).map(({ method, path }) => `${method} ${path}`),
  env: process.env,
};
if (!new Function(...Object.keys(names), `return ${expression};`)(...Object.values(names))) {
  console.log(`does not hold: ${expression}`);
  const { comments, check_runs, pulls, branches, releases } = repository;
  const short = (key, value) => (typeof value === 'string' ? value.slice(0, 120) : value);
  const last = requests.slice(-12).map(({ method, path, status }) => `${method} ${path} ${status}`);
  const { unused, unknown } = names;
  console.log(JSON.stringify({ last, unused, unknown, branches, check_runs, comments: comments.slice(-3), pulls: pulls.length, releases }, short, 1));
  process.exit(1);
}
