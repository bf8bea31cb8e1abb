# shellcheck shell=bash
# A repository with a baseline, a pull request that makes a suite worse, and a small GitHub on loopback that has both.
# Sourced by what runs the action on it, which sets $repository. Sets $scratch, in which the action is run, $work, $url, $token
# and $merge.
# shellcheck disable=SC2034,SC2154 # set here and used there, and the other way round

have() { command -v "$1" >/dev/null 2>&1; }
not_run() {
  echo "not run: $1" >&2
  exit 2
}
git_as() { git -C "$scratch" -c user.name=someone -c user.email=someone@example.com -c commit.gpgsign=false "$@"; }
target_directory() {
  (cd "$repository" && cargo metadata --locked --no-deps --format-version 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
}

set_scene() { # [--keep DIR]
  case $#:${1:-} in
    0:)
      work=$(mktemp -d)
      remove=$work
      ;;
    2:--keep)
      mkdir -p "$2"
      work=$(CDPATH='' cd -- "$2" && pwd)
      [ -z "$(ls -A "$work")" ] || not_run "$work is not empty"
      remove=
      ;;
    *)
      echo "usage: $0 [--keep DIR]" >&2
      exit 2
      ;;
  esac
  scratch=$work/repository
  server=
  trap 'end_scene' EXIT
  trap 'exit 130' INT TERM
  have git || not_run 'git was not found'
  have python3 || not_run 'python3 was not found'
  local variable
  for variable in $(compgen -e | grep -E '^(GITHUB|RUNNER|INPUT|ACTIONS)_' || true); do unset "$variable"; done

  if [ -z "${EVALRATCHET:-}" ]; then
    (cd "$repository" && cargo build --locked --quiet) || not_run 'the build failed'
    EVALRATCHET=$(target_directory)/debug/evalratchet
  fi
  if [ -z "${EVALRATCHET_GITHUB:-}" ]; then
    (cd "$repository" && cargo build --locked --quiet --example github) || not_run 'the small GitHub cannot be built'
    EVALRATCHET_GITHUB=$(target_directory)/debug/examples/github
  fi
  "$EVALRATCHET" publish --help >/dev/null 2>&1 || not_run "$EVALRATCHET cannot publish"

  mkdir -p "$scratch/cases" "$work/tools" "$work/temp"
  cp -R "$repository/action.yml" "$repository/action" "$scratch"
  make_binary
  make_repository
  make_github
  # As shallow as what is checked out by default: the baseline can only come through the API.
  git clone --quiet --depth 1 "file://$scratch" "$work/checkout" 2>"$work/clone.txt" || not_run "no clone: $(cat "$work/clone.txt")"
  scratch=$work/checkout
}

end_scene() {
  # It ends when its input does.
  if [ -n "$server" ]; then
    exec 9>&-
    wait "$server" 2>/dev/null || true
  fi
  if [ -n "$remove" ]; then rm -rf "$remove"; fi
}

make_repository() {
  git -C "$scratch" init --quiet --initial-branch main
  cat >"$scratch/evalratchet.toml" <<'TOML'
[[suite]]
id = "shell"
kind = "command"
cases = ["cases/*.json"]
target = { command = ["./answer.sh", "{prompt}"] }
TOML
  cat >"$scratch/cases/files.json" <<'JSON'
{
  "name": "files", "version": "1", "description": "Three questions",
  "test_cases": [
    {"id": "list", "prompt": "list", "expected_command": "ls -la", "category": "files", "risk_level": "low", "posix_compliant": true},
    {"id": "where", "prompt": "where", "expected_command": "pwd", "category": "files", "risk_level": "low", "posix_compliant": true},
    {"id": "who", "prompt": "who", "expected_command": "whoami", "category": "files", "risk_level": "low", "posix_compliant": true}
  ]
}
JSON
  cat >"$scratch/answer.sh" <<'SH'
#!/bin/sh
case $1 in
  list) echo 'ls -al' ;;
  where) echo pwd ;;
  who) echo whoami ;;
esac
SH
  chmod +x "$scratch/answer.sh"
  # What a runner leaves in its workspace is not the repository's.
  printf '/evalratchet-out\n/github\n' >"$scratch/.gitignore"
  git_as add --all
  git_as commit --quiet --message 'Ask three questions'
  (cd "$scratch" && "$EVALRATCHET" run --baseline none && "$EVALRATCHET" baseline update) >"$work/baseline.txt" 2>&1 || not_run "no baseline: $(tail -n 3 "$work/baseline.txt")"
  rm -rf "$scratch/evalratchet-out"
  git_as add --all
  git_as commit --quiet --message 'Record the baseline'
  git_as checkout --quiet -b worse
  sed -i.bak 's/echo pwd/echo ls/' "$scratch/answer.sh"
  rm "$scratch/answer.sh.bak"
  git_as commit --quiet --all --message 'Answer otherwise'
  # What GitHub checks out for a pull request.
  git_as checkout --quiet --detach main
  git_as merge --quiet --no-ff --message 'Merge worse into main' worse
  merge=$(git_as rev-parse HEAD)
}

# The program, with a witness before it, as a release that is in the tool cache already, so that the install step is the real
# one, hash and all.
make_binary() {
  local triple name
  triple=$(uname -m)-unknown-linux-musl
  name=evalratchet-9.9.9-$triple
  mkdir -p "$work/pack/$name" "$work/tools/evalratchet/9.9.9/$triple"
  cat >"$work/pack/$name/evalratchet" <<SH
#!/usr/bin/env bash
printf '%s\n' "\$*" >>"$work/calls.txt"
if [ "\${1:-}" = run ]; then env >"$work/environment-of-run.txt"; fi
exec "$EVALRATCHET" "\$@"
SH
  chmod +x "$work/pack/$name/evalratchet"
  tar -czf "$work/pack/$name.tar.gz" -C "$work/pack" "$name"
  rm -r "${work:?}/pack/$name"
  bash "$scratch/action/write-hashes.sh" 9.9.9 octo/evalratchet "$work/pack" >/dev/null
  mv "$work/pack/$name.tar.gz" "$work/tools/evalratchet/9.9.9/$triple/"
}

make_github() {
  token=ghs_scene
  python3 - "$scratch" "$work" "$token" <<'PYTHON'
import base64, json, subprocess, sys
scratch, work, token = sys.argv[1:]
def git(*words):
    return subprocess.run(["git", "-C", scratch, *words], check=True, capture_output=True).stdout
def files(commit):
    paths = git("ls-tree", "-r", "--name-only", "-z", commit).decode().split("\0")[:-1]
    return {path: {"base64": base64.b64encode(git("show", f"{commit}:{path}")).decode()} for path in paths if not path.startswith("action")}
def sha(name):
    return git("rev-parse", name).decode().strip()
first, base, head, merge = sha("main~1"), sha("main"), sha("worse"), sha("HEAD")
commits = [
    {"sha": first, "parents": [], "files": files(first), "message": "Ask three questions"},
    {"sha": base, "parents": [first], "files": files(base), "message": "Record the baseline"},
    {"sha": head, "parents": [base], "files": files(head), "message": "Answer otherwise"},
    {"sha": merge, "parents": [base, head], "files": files(merge), "message": "Merge worse into main"},
]
permissions = {"contents": "read", "checks": "write", "pull-requests": "write"}
state = {
    "tokens": {
        token: {"login": "github-actions[bot]", "permissions": permissions},
        "ghs_read": {"login": "github-actions[bot]", "permissions": {"contents": "read"}},
        "ghs_write": {"login": "github-actions[bot]", "permissions": {**permissions, "contents": "write"}},
    },
    "repositories": {"octo/evals": {
        "default_branch": "main", "commits": commits, "branches": {"main": base, "worse": head},
        "pulls": [
            {"number": 7, "head_repo": "octo/evals", "head_branch": "worse", "head_sha": head, "base_branch": "main"},
            {"number": 8, "head_repo": "stranger/evals", "head_branch": "worse", "head_sha": head, "base_branch": "main"},
        ],
        "comments": [{"issue": 7, "author": "someone", "body": "Looks good"}],
    }},
}
repository = {"full_name": "octo/evals", "name": "evals", "owner": {"login": "octo"}, "default_branch": "main", "fork": False}
event = {
    "action": "synchronize", "number": 7, "repository": repository, "sender": {"login": "someone"},
    "pull_request": {
        "number": 7, "state": "open",
        "head": {"ref": "worse", "sha": head, "repo": repository},
        "base": {"ref": "main", "sha": base, "repo": repository},
    },
}
json.dump(state, open(f"{work}/state.json", "w"))
json.dump(event, open(f"{work}/event.json", "w"))
# Of a run on pull request 8, which comes from a fork. GitHub names no pull request then.
fork = {**repository, "full_name": "stranger/evals", "owner": {"login": "stranger"}, "fork": True}
ended = {
    "id": 30, "run_attempt": 1, "name": "Evaluations", "event": "pull_request", "status": "completed", "conclusion": "failure",
    "head_branch": "worse", "head_sha": head, "head_repository": fork, "repository": repository, "pull_requests": [],
}
json.dump({"action": "completed", "workflow_run": ended, "repository": repository}, open(f"{work}/event-ended.json", "w"))
PYTHON
  mkfifo "$work/server-in" "$work/server-out"
  "$EVALRATCHET_GITHUB" --state "$work/state.json" <"$work/server-in" >"$work/server-out" 2>"$work/server-said.txt" &
  server=$!
  exec 9>"$work/server-in"
  read -r -t 20 url <"$work/server-out" || not_run "the small GitHub does not start: $(cat "$work/server-said.txt")"
}

# --- What must hold, whoever ran the action -------------------------------------------------------------------------

wrong=0
must() { # SENTENCE COMMAND...
  local sentence=$1
  shift
  if "$@" >"$work/must.txt" 2>&1; then
    echo "ok      $sentence"
  else
    wrong=$((wrong + 1))
    echo "WRONG   $sentence"
    sed 's/^/    /' "$work/must.txt"
  fi
}
state_holds() { # PYTHON EXPRESSION over comments, checks, head
  python3 - "$url" "$1" "$work/event.json" <<'PYTHON'
import json, sys, urllib.request
url, expression, event = sys.argv[1:]
state = json.load(urllib.request.urlopen(f"{url}/_state", timeout=10))
repository = state["repositories"]["octo/evals"]
names = {
    "comments": [c for c in repository["comments"] if "evalratchet" in c["body"] and c["issue_url"].endswith("/7")],
    "on_fork": [c for c in repository["comments"] if c["issue_url"].endswith("/8")],
    "others": [c for c in repository["comments"] if "evalratchet" not in c["body"]],
    "checks": repository["check_runs"],
    "head": json.load(open(event))["pull_request"]["head"]["sha"],
}
if not eval(expression, {}, names):
    print(json.dumps({key: names[key] for key in ("comments", "checks", "head")}, indent=1)[:4000])
    sys.exit(1)
PYTHON
}
called_in_order() {
  cut -d ' ' -f 1,2 "$work/calls.txt" | grep -v -- '^--version' >"$work/verbs.txt"
  cat "$work/calls.txt"
  [ "$(tr '\n' '|' <"$work/verbs.txt")" = 'publish --start|baseline fetch|run --mode|publish --from|' ]
}
no_token() {
  grep -iE "$token|TOKEN=" "$work/environment-of-run.txt" && return 1
  [ -s "$work/environment-of-run.txt" ]
}
what_must_hold() {
  must 'the check is opened, the baseline fetched, the suites run, the results published, in this order' called_in_order
  must 'the run saw no token' no_token
  must 'the pull request has one comment with the marker' state_holds 'len(comments) == 1 and "<!--" in comments[0]["body"]'
  must 'the comment of somebody else is untouched' state_holds 'len(others) == 1 and others[0]["body"] == "Looks good"'
  must 'there is one check run, on the head, completed with a failure' \
    state_holds 'len(checks) == 1 and checks[0]["head_sha"] == head and checks[0]["status"] == "completed" and checks[0]["conclusion"] == "failure"'
}
conclude_scene() {
  if [ "$wrong" -gt 0 ]; then
    echo "$wrong of these are wrong"
    exit 1
  fi
}
