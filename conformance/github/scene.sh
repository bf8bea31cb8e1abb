# shellcheck shell=bash
# shellcheck disable=SC2154,SC2016 # what run sets; shell and JavaScript that are written, not run
# A repository in git with a baseline, a change that makes it worse, the same from a fork, one more commit on main, and tags.
# Sourced by run. Needs $work, $here and $EVALRATCHET; sets $scratch and $first, $base, $worse, $merge, $fork, $more.

git_as() {
  GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_DATE="$moment +0000" GIT_COMMITTER_DATE="$moment +0000" \
    git -C "$scratch" -c user.name=someone -c user.email=someone@example.com "$@"
}
# commit MESSAGE: sets $made
commit() {
  moment=$((moment + 60))
  git_as add --all
  git_as commit --quiet --message "$1"
  made=$(git_as rev-parse HEAD)
}
answers() { # WORD
  printf '#!/bin/sh\necho "echo %s $1"\n' "$1" >"$scratch/answer.sh"
  chmod +x "$scratch/answer.sh"
}
# So many that annotations take several requests and that the comment has to be cut.
cases() { # COUNT
  node -e '
    const one = (n) => ({ id: `case-${n}`, prompt: `${n}`, expected_command: `echo right ${n}`,
      category: "words", risk_level: "low", posix_compliant: true });
    const test_cases = Array.from({ length: Number(process.argv[1]) }, (_, n) => one(n));
    const name = "words";
    console.log(JSON.stringify({ name, version: "1", description: "Words", test_cases }, null, 1));' "$1" >"$scratch/data/cases.json"
}

make_repository() {
  scratch=$work/repository
  moment=1767603600
  mkdir -p "$scratch/data"
  git_as init --quiet --initial-branch main
  printf '/evalratchet-out\n' >"$scratch/.gitignore"
  cat >"$scratch/evalratchet.toml" <<'TOML'
[[suite]]
id = "shell"
kind = "command"
cases = ["data/*.json"]
target = { command = ["./answer.sh", "{prompt}"] }
TOML
  answers right
  cases 220
  commit 'Ask many questions'
  first=$made
  (cd "$scratch" && timeout 120 "$EVALRATCHET" run --baseline none && timeout 60 "$EVALRATCHET" baseline update) || return 1
  commit 'Record the baseline'
  base=$made
  git_as checkout --quiet -b worse
  answers wrong
  commit 'Answer otherwise'
  worse=$made
  git_as checkout --quiet -b fork "$base"
  answers other
  commit 'Answer otherwise in a fork'
  fork=$made
  # What GitHub checks out for a pull request.
  git_as checkout --quiet --detach main
  git_as merge --quiet --no-ff --message 'Merge worse into main' worse
  merge=$(git_as rev-parse HEAD)
  git_as checkout --quiet main
  cases 221
  commit 'Ask one question more'
  more=$made
  git_as tag v1.0.0 "$base"
  git_as tag v1.1.0
  git_as tag evals/v2
  export first base worse merge fork more scratch
  node "$here/scene.mjs" "$work"
}
