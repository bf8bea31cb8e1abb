# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # what run and scene.sh set, and what is set for them
# A GitHub that others wrote must understand evalratchet, and be understood. Sourced by run, after prism.sh.

emulate_starts() {
  cat >"$work/seed.json" <<'JSON'
{
  "tokens": {"ghp_octo": {"login": "octo", "scopes": ["repo"]}, "ghp_someone": {"login": "someone", "scopes": ["repo"]}},
  "github": {
    "users": [{"login": "octo"}, {"login": "someone"}],
    "repos": [{"owner": "octo", "name": "evals", "auto_init": false}]
  }
}
JSON
  local port try
  # It takes no 0 for a port.
  port=$(node -e 'const one = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(one.address().port); one.close(); })')
  api=http://127.0.0.1:$port
  serve emulate "$young" "$judge/node_modules/emulate/dist/index.js" start --service github --host 127.0.0.1 --port "$port" --seed "$work/seed.json"
  for try in {1..300}; do
    if grep -q 'Ready' "$work/emulate.txt"; then break; fi
    kill -0 "${servers[-1]}" 2>/dev/null || return 1
    sleep 0.1
  done
  graphql=$api/graphql
  token=ghp_octo
  number=$(timeout 60 node "$here/fill.mjs" "$api") || return 1
  sed "s/\"number\":7/\"number\":$number/g" "$work/pull-7.json" >"$work/pull.json"
}
# shows PATH EXPRESSION: what emulate answers is `it`
shows() { timeout 20 node "$here/send.mjs" "$api" "$token" GET "$1" '' "$2"; }
comments() { shows "/repos/octo/evals/issues/$number/comments?per_page=100&page=2" "$1"; }
checks() { shows "/repos/octo/evals/commits/$worse/check-runs?filter=all" "$1"; }

same() { [ ! -e "$1" ] || cmp "$1" "$2"; }

emulated_start() {
  at "$merge" && gives 0 asks octo/evals pull_request pull.json "$merge" 100 publish --start &&
    checks 'it.total_count === 1 && it.check_runs[0].status === "in_progress" && it.check_runs[0].external_id.startsWith("100-")'
}
emulated_fetch() {
  at "$merge" && gives 0 asks octo/evals pull_request pull.json "$merge" 100 baseline fetch --out "$work/emulated.json" &&
    same "$work/fetched.json" "$work/emulated.json" && measured 1 "$work/emulated.json" emulated &&
    at main && gives 0 asks octo/evals push push.json "$more" 100 baseline fetch --out "$work/emulated-push.json" &&
    same "$work/fetched-push.json" "$work/emulated-push.json"
}
emulated_create() {
  at "$merge" && gives 0 asks octo/evals pull_request pull.json "$merge" 100 publish --annotations false --from "$work/emulated" &&
    checks 'it.total_count === 1 && it.check_runs[0].status === "completed" && it.check_runs[0].conclusion === "failure"' &&
    comments 'it.length === 21 && it[20].user.login === "octo" && it[20].body.includes("\"run\":100")'
}
emulated_unchanged() {
  comments true >"$work/before.json" &&
    at "$merge" && gives 0 asks octo/evals pull_request pull.json "$merge" 100 publish --annotations false --from "$work/emulated" &&
    comments true >"$work/after.json" && cmp "$work/before.json" "$work/after.json" && checks 'it.total_count === 1'
}
emulated_update() {
  at "$merge" && gives 0 asks octo/evals pull_request pull.json "$merge" 101 publish --from "$work/emulated" &&
    checks 'it.total_count === 2 && it.check_runs.every((one) => one.status === "completed")' &&
    comments 'it.length === 21 && it[20].body.includes("\"run\":101")'
}
emulated_other() {
  local token=ghp_someone
  at "$merge" && gives 0 asks octo/evals pull_request pull.json "$merge" 102 publish --check false --from "$work/emulated" &&
    comments 'it.length === 22 && it[20].body.includes("\"run\":101") && it[21].user.login === "someone"'
}
emulated_wrong() {
  timeout 20 node "$here/send.mjs" "$api" "$token" PATCH /repos/octo/evals/check-runs/1 '{"conclusion":"failed"}' 'status === 422'
}

what='comments, check runs and the baseline in a GitHub that others wrote'
if [ -z "${young:-}" ]; then
  record not-run emulate "$what" 'Node 24.18 or later was not found, and is not installable from npm'
elif ! from_npm emulate "$here/package.json" emulate; then
  record not-run emulate "$what" 'not installable from npm'
else
  judge=$installed
  if emulate_starts; then
    check emulate 'publish --start opens a check run' emulated_start
    check emulate 'baseline fetch, in a pull request and on main, as from our own GitHub' emulated_fetch
    check emulate 'publish completes the check run and writes a comment after 120 others' emulated_create
    check emulate 'publish again: nothing changes' emulated_unchanged
    check emulate 'publish of a later run: the comment is updated' emulated_update
    check emulate "publish by somebody else leaves the first one's comment alone" emulated_other
    check emulate '  control: a wrong conclusion is refused' emulated_wrong
  else
    record failed emulate "$what: it does not start"
    tail -n 5 "$work/emulate.txt" | sed 's/^/    /'
  fi
fi
