// What GitHub has of the repository in git, for our own GitHub, and the payloads of the events. Usage: scene.mjs WORK
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [work] = process.argv.slice(2);
const { first, base, worse, merge, fork, more, scratch } = process.env;
const write = (name, value) => writeFileSync(join(work, name), JSON.stringify(value));
const git = (...words) => execFileSync('git', ['-C', scratch, ...words]);

function commit(sha) {
  const paths = git('ls-tree', '-r', '--name-only', '-z', sha).toString().split('\0').filter(Boolean);
  const files = paths.map((path) => [path, { base64: git('show', `${sha}:${path}`).toString('base64') }]);
  const [parents, message] = git('log', '-1', '--format=%P%x00%s', sha).toString().trim().split('\0');
  return { sha, parents: parents.split(' ').filter(Boolean), files: Object.fromEntries(files), message };
}
const commits = [first, base, worse, merge, fork, more].map(commit);

// Ours among more than fit on a page: the oldest on the first, one that a race made on the second.
const marker = { key: 'evalratchet.toml', run: 1, attempt: 1, head: base };
const ours = { author: 'github-actions[bot]', body: `<!-- evalratchet:comment ${JSON.stringify(marker)} -->\n\nold` };
const others = Array.from({ length: 130 }, (_, n) => ({ author: 'someone', body: `remark ${n}` }));
const crowd = [...others.slice(0, 20), ours, ...others.slice(20), ours].map((one) => ({ issue: 8, ...one }));

const own = (number, branch) => ({ number, head_repo: 'octo/evals', head_branch: branch, head_sha: worse, base_branch: 'main' });
const permissions = { contents: 'write', checks: 'write', 'pull-requests': 'write' };
write('state.json', {
  tokens: { ghs_conformance: { login: 'github-actions[bot]', permissions } },
  repositories: {
    'octo/evals': {
      commits,
      branches: { main: more, worse, 'worse/too': worse },
      pulls: [own(7, 'worse'), own(8, 'worse/too'), { ...own(9, 'better'), head_repo: 'friend/evals', head_sha: fork }],
      comments: [...crowd, { issue: 7, author: 'someone', body: 'A remark' }],
      tags: { 'v1.0.0': base, 'v1.1.0': more, 'evals/v2': more },
      releases: [
        { tag: 'v1.1.0', body: 'One question more.' },
        { tag: 'evals/v2', body: '' },
      ],
    },
    'octo/guarded': { commits, branches: { main: more }, protected: ['main'] },
  },
});

const repository = (full_name) => ({ full_name, name: full_name.split('/')[1], default_branch: 'main' });
const pull = (number, ref) => ({
  action: 'synchronize',
  number,
  repository: repository('octo/evals'),
  pull_request: {
    number,
    head: { ref, sha: worse, repo: repository('octo/evals') },
    base: { ref: 'main', sha: base, repo: repository('octo/evals') },
  },
});
write('pull-7.json', pull(7, 'worse'));
write('pull-8.json', pull(8, 'worse/too'));
write('push.json', { ref: 'refs/heads/main', before: base, after: more });
write('release.json', { action: 'published', repository: repository('octo/evals'), release: { tag_name: 'v1.1.0' } });
write('fork.json', {
  action: 'completed',
  repository: repository('octo/evals'),
  workflow_run: {
    id: 300,
    run_attempt: 1,
    event: 'pull_request',
    head_branch: 'better',
    head_sha: fork,
    head_repository: repository('friend/evals'),
    pull_requests: [],
  },
});
