# What the runners of judges share. Sourced after $work and $cache are set.
# shellcheck shell=bash

passed=0
failed=0
missing=0
rows=()
record() { # passed|failed|not-run JUDGE WHAT [WHY]
  local result=${1/-/ }${4:+: $4}
  case $1 in
    passed) passed=$((passed + 1)) ;;
    failed) failed=$((failed + 1)) ;;
    not-run) missing=$((missing + 1)) ;;
  esac
  rows+=("$2"$'\t'"$3"$'\t'"$result")
  printf '%s · %s · %s\n' "$2" "$3" "$result"
}

logs=0
check() { # JUDGE WHAT COMMAND...: passed if the command is content
  local judge=$1 what=$2 log
  shift 2
  logs=$((logs + 1))
  log=$work/log/$logs.txt
  if "$@" >"$log" 2>&1 </dev/null; then
    record passed "$judge" "$what"
  else
    record failed "$judge" "$what"
    tail -n 60 "$log" | cut -c 1-900 | sed 's/^/    /'
  fi
}

# The judges of another runner, which prints a line `judge · what · result` for each.
others() { # WHAT COMMAND...
  local what=$1 line judge rest result said=$work/log/others.txt code=0
  shift
  "$@" >"$said" 2>&1 </dev/null || code=$?
  local before=${#rows[@]}
  while IFS= read -r line; do
    case $line in
      ' '*) printf '%s\n' "$line" ;;
      *' · '*' · '*)
        judge=${line%% · *} rest=${line#* · }
        result=${rest##* · } rest=${rest% · *}
        case $result in
          passed | failed) record "$result" "$judge" "$rest" ;;
          'not run'*) record not-run "$judge" "$rest" "${result#not run: }" ;;
        esac
        ;;
    esac
  done <"$said"
  # One that ended in another way than its lines say was not heard to its end.
  if [ "${#rows[@]}" -eq "$before" ] || [ "$code" -gt 1 ]; then
    record not-run evalratchet "$what" "exit code $code: $(tail -n 1 "$said" | cut -c 1-200)"
  fi
}

have() { command -v "$1" >/dev/null 2>&1; }
quietly() { # COMMAND...: its words are shown only if it fails
  local log=$work/log/install.txt
  timeout 600 "$@" >"$log" 2>&1 </dev/null && return
  tail -n 5 "$log" | cut -c 1-300 | sed 's/^/    /' >&2
  return 1
}

# The versions that package.json pins; the directory carries them in its name.
versions() { # PACKAGE.JSON PACKAGE...
  # shellcheck disable=SC2016 # JavaScript
  node -e '
    const { devDependencies } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    for (const name of process.argv.slice(2)) {
      if (!devDependencies[name]) throw new Error(`${name} has no version`);
      console.log(`${name}@${devDependencies[name]}`);
    }' "$@"
}
from_npm() { # NAME PACKAGE.JSON PACKAGE...: sets $installed
  local name=$1 list=$2 pinned key
  shift 2
  have npm && have node || return 1
  pinned=$(versions "$list" "$@") || return 1
  key=$(printf '%s\n' "$pinned" | cksum | cut -d ' ' -f 1)
  installed=$cache/$name-$key
  [ -e "$installed/complete" ] && return
  rm -rf "$installed"
  mkdir -p "$installed"
  echo '{ "private": true, "type": "module" }' >"$installed/package.json"
  # shellcheck disable=SC2086 # a word for each package
  (cd "$installed" && quietly npm install --ignore-scripts --no-audit --no-fund --no-package-lock --no-save $pinned) || return 1
  : >"$installed/complete"
}
