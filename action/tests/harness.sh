# shellcheck shell=bash
# Runs every function of a test file whose name is a sentence. Sourced; sets $work, a directory with a space in its name.

work=$(mktemp -d)/'a place'
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

fail() {
  echo "    $1"
  return 1
}

# Sentences have at least four words; helpers have fewer.
run_tests() {
  local name code failed=0 passed=0 log=$work/log
  for name in $(declare -F | cut -d ' ' -f 3); do
    case $name in
      *_*_*_*) ;;
      *) continue ;;
    esac
    # Not in an `if`, which would turn `set -e` off in all that it looks at.
    set +e
    (
      set -e
      "$name"
    ) >"$log" 2>&1
    code=$?
    set -e
    if [ "$code" -eq 0 ]; then
      passed=$((passed + 1))
      echo "ok      ${name//_/ }"
    else
      failed=$((failed + 1))
      echo "FAILED  ${name//_/ }"
      cat "$log"
      if [ -n "${said:-}" ] && [ -e "$said" ]; then sed 's/^/    | /' "$said"; fi
    fi
  done
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
