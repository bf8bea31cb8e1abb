// What evalratchet asks of GitHub's REST API, and how many names a parameter at the end of the path may have: a branch can be
// `a/b` and a file can be in directories. OpenAPI 3.0 has no word for that, so the description marks such parameters with
// `x-multi-segment`. GraphQL is not in the description.
export const operations = [
  ['get', '/user'],
  ['get', '/repos/{owner}/{repo}'],
  ['get', '/repos/{owner}/{repo}/commits/{ref}/check-runs'],
  ['post', '/repos/{owner}/{repo}/check-runs'],
  ['patch', '/repos/{owner}/{repo}/check-runs/{check_run_id}'],
  ['get', '/repos/{owner}/{repo}/issues/{issue_number}/comments'],
  ['post', '/repos/{owner}/{repo}/issues/{issue_number}/comments'],
  ['patch', '/repos/{owner}/{repo}/issues/comments/{comment_id}'],
  ['delete', '/repos/{owner}/{repo}/issues/comments/{comment_id}'],
  ['get', '/repos/{owner}/{repo}/commits'],
  ['get', '/repos/{owner}/{repo}/commits/{ref}'],
  ['get', '/repos/{owner}/{repo}/compare/{basehead}'],
  ['get', '/repos/{owner}/{repo}/contents/{path}', 3],
  ['get', '/repos/{owner}/{repo}/tarball/{ref}'],
  ['get', '/repos/{owner}/{repo}/git/ref/{ref}', 4],
  ['post', '/repos/{owner}/{repo}/git/refs'],
  ['get', '/repos/{owner}/{repo}/pulls'],
  ['post', '/repos/{owner}/{repo}/pulls'],
  ['get', '/repos/{owner}/{repo}/releases'],
  ['get', '/repos/{owner}/{repo}/releases/tags/{tag}'],
  ['patch', '/repos/{owner}/{repo}/releases/{release_id}'],
  ['get', '/repos/{owner}/{repo}/releases/{release_id}/assets'],
  ['post', '/repos/{owner}/{repo}/releases/{release_id}/assets'],
  ['delete', '/repos/{owner}/{repo}/releases/assets/{asset_id}'],
];

// Which of them a request is, if any.
export function operationOf(method, path) {
  const [bare] = path.split('?');
  return operations.find(([verb, template, segments = 1]) => {
    const last = `[^/]+(?:/[^/]+){0,${segments - 1}}`;
    const pattern = template.replace(/\{\w+\}$/, last).replace(/\{\w+\}/g, '[^/]+');
    return verb === method.toLowerCase() && new RegExp(`^${pattern}$`).test(bare);
  });
}
