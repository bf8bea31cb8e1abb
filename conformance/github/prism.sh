# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # what run and scene.sh set, and what is set for them
# GitHub's own description of its REST API judges every request; prism holds it against them. Sourced by run.

# accepted FLOW...: passed if the flow is, and prism found nothing wrong with any request of it, nor with any answer of our GitHub
accepted() {
  local before=0 code=0
  before=$(wc -l <"$work/prism.txt")
  "$@" || code=1
  violations "$before" || code=1
  return "$code"
}
violations() { # LINES: after so many
  tail -n "+$(($1 + 1))" "$work/prism.txt" | grep -E '✖|⚠|Violation' >"$work/violations.txt" || return 0
  cat "$work/violations.txt"
  return 1
}
holds() { # EXPRESSION [REPOSITORY]
  timeout 20 node "$here/holds.mjs" "$github" "${2:-octo/evals}" "$1"
}

start_flow() {
  at "$merge" && gives 0 asks octo/evals pull_request pull-7.json "$merge" 100 publish --start &&
    holds 'check(100).status === "in_progress" && check(100).head_sha === env.worse && check_runs.length === 1' &&
    gives 0 asks octo/evals pull_request pull-7.json "$merge" 100 publish --start && holds 'check_runs.length === 1'
}
fetch_flow() {
  at "$merge" && gives 0 asks octo/evals pull_request pull-7.json "$merge" 100 baseline fetch --out "$work/fetched.json" &&
    measured 1 "$work/fetched.json" worse
}
create_flow() {
  at "$merge" && gives 0 asks octo/evals pull_request pull-7.json "$merge" 100 publish --from "$work/worse" &&
    holds 'check_runs.length === 1 && check(100).conclusion === "failure" && check(100).output.annotations_count > 200' &&
    holds 'annotations[check(100).id].length === check(100).output.annotations_count' &&
    holds 'ours(7).length === 1 && ours(7)[0].body.includes("220 worse")'
}
unchanged_flow() {
  local writes
  writes=$(timeout 20 node "$here/holds.mjs" "$github" octo/evals 'console.log(writes.length) ?? true') &&
    at "$merge" && gives 0 asks octo/evals pull_request pull-7.json "$merge" 100 publish --from "$work/worse" &&
    holds "writes.length === $writes"
}
update_flow() {
  at "$merge" && gives 0 asks octo/evals pull_request pull-7.json "$merge" 101 publish --from "$work/worse" &&
    holds 'ours(7).length === 1 && ours(7)[0].body.includes("\"run\":101")' && holds 'check_runs.length === 2'
}
nothing_flow() {
  at "$merge" && gives 2 asks octo/evals pull_request pull-7.json "$merge" 102 publish --from "$work/nothing" &&
    holds 'check(102).conclusion === "failure" && check(102).output.title.startsWith("no results")' &&
    holds 'ours(7).length === 1 && ours(7)[0].body.includes("No results")'
}
nameless_flow() {
  local graphql=$github/nowhere/graphql
  at "$merge" && gives 0 asks octo/evals pull_request pull-7.json "$merge" 103 publish --from "$work/worse" &&
    holds 'ours(7).length === 1 && ours(7)[0].body.includes("\"run\":103")'
}
crowded_flow() {
  holds 'ours(8).length === 2 && comments.length > 130' &&
    at "$merge" && gives 0 asks octo/evals pull_request pull-8.json "$merge" 200 publish --from "$work/worse" &&
    holds 'requests.some((one) => one.path.includes("/issues/8/comments?per_page=100&page=2"))' &&
    holds 'requests.some((one) => one.method === "DELETE" && one.status === 204)' &&
    holds 'ours(8).length === 1 && ours(8)[0].body.includes("220 worse")' &&
    holds 'comments.filter((one) => one.body.startsWith("remark")).length === 130'
}
fork_flow() {
  at "$fork" && measured 0 none fork && at main &&
    gives 0 asks octo/evals workflow_run fork.json "$more" 400 publish --from "$work/fork" &&
    holds 'check(300).head_sha === env.fork && check(300).conclusion === "failure"' &&
    holds 'ours(9).length === 1 && ours(9)[0].body.includes("friend/evals") && ours(9)[0].body.includes("220 worse")'
}
push_flow() {
  at main && gives 0 asks octo/evals push push.json "$more" 500 baseline fetch --out "$work/fetched-push.json" &&
    measured 0 "$work/fetched-push.json" more &&
    gives 0 asks octo/evals push push.json "$more" 500 baseline update --push --from "$work/more" &&
    holds 'commits.length === 7 && commits[6].sha === branches.main && commits[6].parents[0] === env.more' &&
    holds 'JSON.parse(commits[6].files[".evalratchet/baseline.json"]).produced.commit === env.more' &&
    gives 0 asks octo/evals push push.json "$more" 500 baseline update --push --from "$work/more" && holds 'commits.length === 7'
}
guarded_flow() {
  local ours='pulls.length === 1 && pulls[0].base.ref === "main" && branches[pulls[0].head.ref] === commits[6].sha'
  at main && gives 0 asks octo/guarded push push.json "$more" 500 baseline update --push --from "$work/more" &&
    holds "$ours && branches.main === env.more" octo/guarded &&
    gives 0 asks octo/guarded push push.json "$more" 501 baseline update --push --from "$work/more" &&
    holds "$ours && commits.length === 7" octo/guarded
}
# released CODE DIRECTORY WORD...: the report of a release, in a job that a release has started
released() {
  local code=$1 directory=$2
  shift 2
  at main && gives "$code" asks octo/evals release release.json "$more" 600 report release --publish --out "$work/$directory" "$@"
}
# uploads COUNT: so many files went through prism by now, all as bytes
uploads() {
  local count try
  # Its log comes a little later than its answers.
  for try in {1..20}; do
    count=$(grep -cE 'post /repos/octo/evals/releases/[0-9]+/assets' "$work/prism.txt") || true
    if [ "$count" -eq "$1" ]; then break; fi
    [ "$try" -lt 20 ] || {
      echo "prism saw $count files, expected $1"
      return 1
    }
    sleep 0.1
  done
  holds "requests.filter((one) => one.method === 'POST' && one.path.includes('/assets?name=evalratchet-release.') &&
    one.headers['content-type'] === 'application/octet-stream').length === $1"
}
release_flow() {
  holds 'release("v1.1.0").assets.length === 0' &&
    released 0 release && uploads 3 && holds 'attached("v1.1.0", env.work + "/release")' &&
    holds 'release("v1.1.0").body.startsWith("One question more.") && release("v1.1.0").body.split(":begin -->").length === 2'
}
replace_flow() {
  # Compared with nothing, the files and the text are others.
  released 0 release-alone --from none && uploads 6 && holds 'attached("v1.1.0", env.work + "/release-alone")' &&
    holds 'requests.filter((one) => one.method === "DELETE" && one.path.includes("/releases/assets/") && one.status === 204).length === 3' &&
    holds '!attached("v1.1.0", env.work + "/release")' &&
    holds 'release("v1.1.0").body.startsWith("One question more.") && release("v1.1.0").body.split(":begin -->").length === 2'
}
draft_flow() {
  local id
  id=$(timeout 20 node "$here/holds.mjs" "$github" octo/evals 'console.log(release("evals/v2").id) ?? true') &&
    timeout 20 node "$here/send.mjs" "$github" "$token" PATCH "/repos/octo/evals/releases/$id" '{"draft":true}' 'it.draft' &&
    released 0 release-draft --to evals/v2 && uploads 9 && holds 'attached("evals/v2", env.work + "/release-draft")' &&
    holds 'requests.some((one) => one.path.endsWith("/releases/tags/evals%2Fv2") && one.status === 404)' &&
    holds 'release("evals/v2").draft && release("evals/v2").body.includes(":begin -->")'
}
unreleased_flow() {
  released 2 release-none --to v1.0.0 && uploads 9 &&
    holds 'requests.at(-1).path.includes("/releases?") && requests.at(-1).status === 200'
}

# refused WORD...: passed if prism itself reports the request, in its answer and in its log
refused() {
  local before try
  before=$(wc -l <"$work/prism.txt")
  timeout 20 node "$here/send.mjs" "$api" "$token" "$@" >"$work/refused.txt" || return 1
  cat "$work/refused.txt"
  grep -q 'https://stoplight.io/prism/errors#' "$work/refused.txt" || return 1
  for try in {1..20}; do
    violations "$before" >/dev/null || return 0
    sleep 0.1
  done
  return 1
}

# shellcheck disable=SC2016 # JavaScript
annotations() { # COUNT: the body of a check run that has so many
  node -e '
    const one = { path: "a", start_line: 1, end_line: 1, annotation_level: "failure", message: "m" };
    const output = { title: "t", summary: "s", annotations: Array(Number(process.argv[1])).fill(one) };
    console.log(JSON.stringify({ name: "n", head_sha: process.env.worse, output }));' "$1"
}

prism_starts() {
  timeout 60 node "$here/cut.mjs" "$judge/node_modules/@octokit/openapi/generated/api.github.com.json" "$work/description.json" || return 1
  mkfifo "$work/loopback-in" || return 1
  : >"$work/loopback.txt"
  "$loopback" --state "$work/state.json" <"$work/loopback-in" >"$work/loopback.txt" 2>&1 &
  servers+=("$!")
  exec 9>"$work/loopback-in"
  address loopback || return 1
  github=$address
  serve forward "$young" "$here/forward.mjs" "$github" "$work/front.txt"
  address forward || return 1
  serve prism "$young" "$judge/node_modules/@stoplight/prism-cli/dist/index.js" proxy --errors --host 127.0.0.1 --port 0 "$work/description.json" "$address"
  address prism || return 1
  api=$address
  printf '%s\n' "$api" >"$work/front.txt"
  graphql=$github/graphql
  token=ghs_conformance
}

what="every REST request, by GitHub's own description"
if ! young_node; then
  record not-run prism "$what" 'Node 24.18 or later was not found, and is not installable from npm'
elif ! from_npm prism "$here/package.json" @octokit/openapi @stoplight/prism-cli; then
  record not-run prism "$what" 'not installable from npm'
else
  judge=$installed
  export worse more fork work
  if prism_starts; then
    check prism 'publish --start opens a check run, once' accepted start_flow
    check prism 'baseline fetch in a pull request' accepted fetch_flow
    check prism 'publish: a comment, a check run with more than 50 annotations' accepted create_flow
    check prism 'publish again: nothing is written' accepted unchanged_flow
    check prism 'publish of a later run: the comment is updated' accepted update_flow
    check prism 'publish without results' accepted nothing_flow
    check prism 'publish where there is no GraphQL' accepted nameless_flow
    check prism 'publish among more than 100 comments; a duplicate is deleted' accepted crowded_flow
    check prism 'publish for a fork, from workflow_run' accepted fork_flow
    check prism 'baseline fetch and baseline update --push on main' accepted push_flow
    check prism 'baseline update --push on a protected branch' accepted guarded_flow
    check prism 'report release --publish: files and a summary for a release' accepted release_flow
    check prism 'report release --publish again: the files are replaced' accepted replace_flow
    check prism 'report release --publish for a draft with a slash in its tag' accepted draft_flow
    check prism 'report release --publish without a release' accepted unreleased_flow
    check prism 'nothing of all this was reported' violations 0
    check prism 'each operation of the description was used, and no other' holds 'unused.length === 0 && unknown.length === 0'
    check prism '  control: a comment without a body is reported' refused POST /repos/octo/evals/issues/7/comments '{"text":"t"}'
    check prism '  control: a number that is none is reported' refused GET /repos/octo/evals/issues/seven/comments
    check prism '  control: a wrong word in a query is reported' refused GET '/repos/octo/evals/pulls?state=opened'
    check prism '  control: a wrong conclusion is reported' refused PATCH /repos/octo/evals/check-runs/1 '{"status":"completed","conclusion":"failed"}'
    check prism '  control: 51 annotations are reported' refused POST /repos/octo/evals/check-runs "$(annotations 51)"
    check prism '  control: a file sent as JSON is reported' refused POST '/repos/octo/evals/releases/1/assets?name=a' '{}'
    check prism '  control: a text of a release that is none is reported' refused PATCH /repos/octo/evals/releases/1 '{"body":5}'
    check prism '  control: a path that GitHub does not have is reported' refused GET /repos/octo/evals/comments/of/7
  else
    record failed prism "$what: it does not start"
  fi
fi
