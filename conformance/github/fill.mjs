// Gives emulate the history in git, object by object, so that its commits have the names they have in git; then a pull request
// with more remarks than fit on a page. Usage: fill.mjs URL
import { execFileSync } from 'node:child_process';

const [url] = process.argv.slice(2);
const { first, base, worse, merge, more, scratch } = process.env;
const git = (...words) => execFileSync('git', ['-C', scratch, ...words]);

async function post(token, path, body) {
  const answer = await fetch(`${url}/repos/octo/evals${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
const make = (path, body) => post('ghp_octo', path, body);

for (const sha of [first, base, worse, merge, more]) {
  const tree = [];
  for (const line of git('ls-tree', '-r', '-z', sha).toString().split('\0').filter(Boolean)) {
    const [, mode, blob, path] = line.match(/^(\d+) blob (\w+)\t(.*)$/);
    const content = git('cat-file', 'blob', blob).toString('base64');
    const made = await make('/git/blobs', { content, encoding: 'base64' });
    tree.push({ path, mode, type: 'blob', sha: made.sha });
  }
  const [parents, name, email, date, message] = git('log', '-1', '--format=%P%x00%an%x00%ae%x00%aI%x00%s', sha).toString().trim().split('\0');
  const person = { name, email, date };
  const made = await make('/git/commits', {
    message,
    tree: (await make('/git/trees', { tree })).sha,
    parents: parents.split(' ').filter(Boolean),
    author: person,
    committer: person,
  });
  if (made.sha !== sha) throw new Error(`git calls it ${sha}, emulate ${made.sha}`);
}
await make('/git/refs', { ref: 'refs/heads/main', sha: more });
await make('/git/refs', { ref: 'refs/heads/worse', sha: worse });
const pull = await make('/pulls', { title: 'Answer otherwise', head: 'worse', base: 'main' });
for (let n = 0; n < 120; n += 1) await post('ghp_someone', `/issues/${pull.number}/comments`, { body: `remark ${n}` });
console.log(pull.number);
