#!/usr/bin/env bash
# The steps of action.yml. Every value comes from the environment: INPUT_* are the inputs, the rest is named at each step.
#
# Usage: steps.sh plan | start | baseline | run | publish | update | release | conclude
# `plan`, `run` and `conclude` fail; the others leave their exit code in the output `code`, so that all that was measured is
# published before `conclude` fails the action. A failing `run` does not end the action: that it failed is known to the runner,
# whatever is written into its outputs. Needs bash 3.2, as on macOS.
set -euo pipefail

# What a text may be in a workflow command.
escaped() {
  local text=$1
  text=${text//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '%s' "${text//$'\n'/%0A}"
}
notice() { printf '::notice title=evalratchet::%s\n' "$(escaped "$1")"; }
warn() { printf '::warning title=evalratchet::%s\n' "$(escaped "$1")"; }
error() { printf '::error title=evalratchet::%s\n' "$(escaped "$1")"; }
tell() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

# Sets $lines to the lines of a text that are not blank.
split() {
  lines=()
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    case $line in
      *[![:space:]]*) lines+=("$line") ;;
    esac
  done <<<"$1"
}

# The SHA-256 of a file.
hash_of() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -c 1-64
}

# --- plan: are the inputs right, and what is to be done? --------------------------------------------------------------

mistakes=0
mistake() {
  error "$1"
  mistakes=$((mistakes + 1))
}
one_of() { # NAME VALUE ALLOWED...
  local name=$1 value=$2 allowed
  shift 2
  for allowed; do
    if [ "$value" = "$allowed" ]; then return; fi
  done
  mistake "input \"$name\" is \"$value\", but may be one of: $*"
}
one_line() { # NAME VALUE
  case $2 in
    *$'\n'* | *$'\r'*) mistake "input \"$1\" has more than one line" ;;
    -*) mistake "input \"$1\" begins with a dash: \"$2\"" ;;
  esac
}

check_inputs() {
  local name
  one_of mode "$INPUT_MODE" auto live replay record
  one_of fail-on "$INPUT_FAIL_ON" gate broken never
  one_of comment "$INPUT_COMMENT" always changes regressions never
  one_of strict "$INPUT_STRICT" true false
  one_of check "$INPUT_CHECK" true false
  one_of annotations "$INPUT_ANNOTATIONS" true false
  one_of summary "$INPUT_SUMMARY" true false
  one_of sarif "$INPUT_SARIF" true false
  one_of artifact "$INPUT_ARTIFACT" true false
  one_of changed-only "$INPUT_CHANGED_ONLY" true false
  one_of update-baseline "$INPUT_UPDATE_BASELINE" true false
  one_of release-report "$INPUT_RELEASE_REPORT" true false
  one_line config "$INPUT_CONFIG"
  one_line baseline-ref "$INPUT_BASELINE_REF"
  one_line working-directory "$INPUT_WORKING_DIRECTORY"
  # It becomes part of the name of an artifact.
  case $INPUT_COMMENT_KEY in
    *[!A-Za-z0-9._-]*) mistake "input \"comment-key\" is \"$INPUT_COMMENT_KEY\", but may have letters, digits, dots, dashes and underscores only" ;;
  esac
  one_line comment-key "$INPUT_COMMENT_KEY"
  split "$INPUT_SUITES"
  for name in ${lines[@]+"${lines[@]}"}; do one_line suites "$name"; done
  case $INPUT_PULL_REQUEST in
    *[!0-9]* | ???????????*) mistake "input \"pull-request\" is \"$INPUT_PULL_REQUEST\", but is the number of one" ;;
  esac
  split "$INPUT_IMPORT"
  for name in ${lines[@]+"${lines[@]}"}; do one_line import "$name"; done
  check_shard
  if [ ! -d "$INPUT_WORKING_DIRECTORY" ]; then
    mistake "input \"working-directory\" is \"$INPUT_WORKING_DIRECTORY\", which is no directory. Was the repository checked out?"
  fi
}

check_shard() {
  local part=${INPUT_SHARD%%/*} parts=${INPUT_SHARD#*/}
  if [ -z "$INPUT_SHARD" ]; then return; fi
  case $INPUT_SHARD in
    *[!0-9/]* | */*/* | /* | */ | 0* | */0*) mistake "input \"shard\" is \"$INPUT_SHARD\", but is written as 1/4, from 1" ;;
    ???????????*) mistake "input \"shard\" is \"$INPUT_SHARD\", which is too long" ;;
    */*)
      if [ "$part" -gt "$parts" ]; then mistake "input \"shard\" is \"$INPUT_SHARD\", a part beyond the last"; fi
      ;;
    *) mistake "input \"shard\" is \"$INPUT_SHARD\", but is written as 1/4, from 1" ;;
  esac
  if [ "$INPUT_UPDATE_BASELINE" = true ]; then
    mistake 'inputs "shard" and "update-baseline" exclude each other: one shard is no baseline. The job that merges updates it'
  fi
}

# Whether the user's own arguments say what to compare with.
compares_with_own() {
  local argument
  split "$INPUT_ARGS"
  for argument in ${lines[@]+"${lines[@]}"}; do
    case $argument in
      --baseline | --baseline=*) return 0 ;;
    esac
  done
  return 1
}

plan() {
  check_inputs
  if [ "$mistakes" -gt 0 ]; then exit 2; fi

  local run=true whole=true fetch=true start=$INPUT_CHECK artifact=$INPUT_ARTIFACT sarif=$INPUT_SARIF update=false release=false
  local name=evalratchet${INPUT_COMMENT_KEY:+-$INPUT_COMMENT_KEY}
  # The jobs of a matrix have an artifact each. Keys have no plus.
  case ${EVALRATCHET_MATRIX:-null} in
    null | '{}') ;;
    *) name=$name+${GITHUB_JOB:-job}-$(printf '%s' "$EVALRATCHET_MATRIX" | hash_of /dev/stdin | cut -c 1-8) ;;
  esac
  if [ -n "$INPUT_SHARD" ]; then
    name=evalratchet${INPUT_COMMENT_KEY:+-$INPUT_COMMENT_KEY}
    # A shard is not judged: the job that merges compares and publishes. Main's files are needed here all the same: a case whose
    # key was edited is held against main's while it is asked.
    whole=false start=false artifact=true sarif=false
    name=$name-shard-${INPUT_SHARD%%/*}-of-${INPUT_SHARD#*/}
  fi
  if compares_with_own; then fetch=false; fi
  if [ "$INPUT_UPDATE_BASELINE" = true ]; then
    case ${GITHUB_EVENT_NAME:-}:$INPUT_PULL_REQUEST in
      push: | schedule: | workflow_dispatch:) update=true ;;
      *) notice "the baseline is updated on a push, a schedule or a dispatch only, not on ${GITHUB_EVENT_NAME:-this event}" ;;
    esac
  fi
  if [ "$INPUT_RELEASE_REPORT" = true ]; then
    if [ "${GITHUB_EVENT_NAME:-}" = release ]; then
      # The report compares what two tags have recorded, so nothing is measured again.
      release=true run=false whole=false fetch=false start=false artifact=false sarif=false
    else
      notice "the report of a release is made on a release only, not on ${GITHUB_EVENT_NAME:-this event}"
    fi
  fi

  # Results that were here before this run must not pass for its own.
  if [ "$run" = true ]; then rm -rf -- "$INPUT_WORKING_DIRECTORY/evalratchet-out"; fi
  tell run "$run"
  tell start "$start"
  tell fetch "$fetch"
  tell artifact "$artifact"
  tell artifact-name "$name"
  tell sarif "$sarif"
  tell publish "$whole"
  tell update "$update"
  tell release "$release"
}

# --- The steps between ------------------------------------------------------------------------------------------------

# Calls the program, which has the token, in the working directory; sets $code.
# EVALRATCHET_SHA256: what it was when it was installed. What was evaluated since could have replaced it.
call() {
  code=0
  if [ -n "${EVALRATCHET_SHA256:-}" ] && [ "$(hash_of "$EVALRATCHET")" != "$EVALRATCHET_SHA256" ]; then
    error "$EVALRATCHET is not the program that was installed, so it gets no token. Something replaced it during this job"
    code=4
    return
  fi
  (cd -- "$INPUT_WORKING_DIRECTORY" && "$EVALRATCHET" "$@") || code=$?
}
# Sets $options to what start and publish have in common.
publishing() {
  options=()
  if [ -n "$INPUT_CONFIG" ]; then options+=(--config "$INPUT_CONFIG"); fi
  if [ -n "$INPUT_COMMENT_KEY" ]; then options+=(--comment-key "$INPUT_COMMENT_KEY"); fi
  if [ -n "$INPUT_PULL_REQUEST" ]; then options+=(--pull-request "$INPUT_PULL_REQUEST"); fi
}

start() {
  publishing
  call publish --start ${options[@]+"${options[@]}"}
  # Publishing opens the check if it is not open yet.
  if [ "$code" -ne 0 ]; then warn "the check could not be opened before the run (exit code $code)"; fi
}

baseline() {
  local options=()
  if [ -n "$INPUT_CONFIG" ]; then options+=(--config "$INPUT_CONFIG"); fi
  if [ -n "$INPUT_BASELINE_REF" ]; then options+=(--ref "$INPUT_BASELINE_REF"); fi
  call baseline fetch ${options[@]+"${options[@]}"} --out evalratchet-out/baseline.json
  tell code "$code"
  if [ "$code" -ne 0 ]; then warn "the baseline could not be fetched (exit code $code)"; fi
}

# Sets $options to those of the run.
running() {
  local line
  options=()
  if [ -n "$INPUT_CONFIG" ]; then options+=(--config "$INPUT_CONFIG"); fi
  split "$INPUT_SUITES"
  for line in ${lines[@]+"${lines[@]}"}; do options+=(--suite "$line"); done
  split "$INPUT_IMPORT"
  for line in ${lines[@]+"${lines[@]}"}; do options+=(--import "$line"); done
  options+=(--mode "$INPUT_MODE")
  if [ "$INPUT_STRICT" = true ]; then options+=(--strict); fi
  if [ -n "$INPUT_SHARD" ]; then options+=(--shard "$INPUT_SHARD"); fi
  if [ "$BASELINE_CODE" = 0 ]; then
    options+=(--baseline evalratchet-out/baseline.json)
  elif [ -n "$INPUT_BASELINE_REF" ] && [ -z "$INPUT_SHARD" ] && ! compares_with_own; then
    options+=(--baseline "$INPUT_BASELINE_REF")
  fi
  if [ "$INPUT_CHANGED_ONLY" = true ]; then
    if [ -n "${GITHUB_BASE_REF:-}" ]; then
      options+=(--changed-since "origin/$GITHUB_BASE_REF")
    else
      notice 'everything is run: "changed-only" is about pull requests'
    fi
  fi
  options+=(--out evalratchet-out)
  split "$INPUT_ARGS"
  for line in ${lines[@]+"${lines[@]}"}; do options+=("$line"); done
}

# BASELINE_CODE: what fetching the baseline ended with, empty if it was not fetched.
run() {
  local outputs=$GITHUB_OUTPUT variable file name
  running
  # What is evaluated gets no token, and not the files by which a step speaks to later ones.
  for variable in $(compgen -e | grep -E '^ACTIONS_|^(GITHUB|GH|INPUT)_TOKEN$|^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$' || true); do
    unset "$variable"
  done
  cd -- "$INPUT_WORKING_DIRECTORY"
  # In the background, since a runner that cancels tells this shell only, which must pass it on.
  "$EVALRATCHET" run "${options[@]}" &
  local child=$!
  trap 'kill -TERM "$child" 2>/dev/null || true' INT TERM
  code=0
  wait "$child" || code=$?
  while kill -0 "$child" 2>/dev/null; do
    code=0
    wait "$child" || code=$?
  done
  trap - INT TERM

  GITHUB_OUTPUT=$outputs
  tell code "$code"
  name=evalratchet-out
  if [ "$INPUT_WORKING_DIRECTORY" != . ]; then name=${INPUT_WORKING_DIRECTORY%/}/evalratchet-out; fi
  if [ -d evalratchet-out ]; then tell results-dir "$name"; fi
  for file in junit:junit.xml sarif:results.sarif report:report.html; do
    if [ -e "evalratchet-out/${file#*:}" ]; then tell "${file%%:*}" "$name/${file#*:}"; fi
  done
  # What is published is what the run left, and nothing that was written over it since.
  for file in mistakes.json results.json; do
    if [ -f "evalratchet-out/$file" ]; then
      tell digest "$(hash_of "evalratchet-out/$file")"
      break
    fi
  done
  echo "evalratchet run: exit code $code"
  exit "$code"
}

# ARTIFACT_URL: where the results were uploaded; RUN_DIGEST: what the run left; JOB_STATUS: of the job. All may be empty.
publish() {
  publishing
  if [ -n "${RUN_DIGEST:-}" ]; then options+=(--digest "$RUN_DIGEST"); fi
  if [ "${JOB_STATUS:-}" = cancelled ]; then options+=(--cancelled); fi
  if [ -n "${ARTIFACT_URL:-}" ]; then options+=(--artifact-url "$ARTIFACT_URL"); fi
  call publish --from evalratchet-out ${options[@]+"${options[@]}"} --comment "$INPUT_COMMENT" --check "$INPUT_CHECK" \
    --annotations "$INPUT_ANNOTATIONS" --summary "$INPUT_SUMMARY"
  tell code "$code"
  if [ "$code" -ne 0 ]; then warn "the results could not be published (exit code $code)"; fi
}

# RUN_CODE: what the run ended with; RUN_DIGEST: what it left.
update() {
  case $RUN_CODE in
    0 | 1) ;;
    *)
      notice "the baseline is left as it is, since the run ended with $RUN_CODE"
      return
      ;;
  esac
  local options=()
  if [ -n "${RUN_DIGEST:-}" ] && [ "$(hash_of "$INPUT_WORKING_DIRECTORY/evalratchet-out/results.json")" != "$RUN_DIGEST" ]; then
    error 'evalratchet-out/results.json is not what the run wrote, so it does not become the baseline'
    tell code 4
    return
  fi
  if [ -n "$INPUT_CONFIG" ]; then options+=(--config "$INPUT_CONFIG"); fi
  call baseline update --push --from evalratchet-out ${options[@]+"${options[@]}"}
  tell code "$code"
  if [ "$code" -ne 0 ]; then warn "the baseline was not updated (exit code $code)"; fi
}

release() {
  local options=()
  if [ -n "$INPUT_CONFIG" ]; then options+=(--config "$INPUT_CONFIG"); fi
  call report release --publish ${options[@]+"${options[@]}"}
  tell code "$code"
  if [ "$code" -ne 0 ]; then warn "the report of the release was not published (exit code $code)"; fi
}

# --- conclude: the exit code, after everything was published ------------------------------------------------------------

meaning() {
  case $1 in
    0) echo 'passed' ;;
    1) echo 'the gate failed' ;;
    2) echo 'something is invalid' ;;
    3) echo 'nothing was measured, or nothing is comparable' ;;
    4) echo 'broken: too many errors' ;;
    5) echo 'GitHub could not be reached' ;;
    130 | 143) echo 'interrupted' ;;
    *) echo 'ended unexpectedly' ;;
  esac
}

# RUN_CODE, BASELINE_CODE, UPDATE_CODE, RELEASE_CODE: what the steps ended with, empty if they were left out.
# RUN_OUTCOME: what the runner itself says of the run. What was evaluated may write outputs, but not this.
conclude() {
  local code=0 candidate
  case ${RUN_OUTCOME:-}:$RUN_CODE in
    failure: | failure:0)
      tell exit-code 4
      error 'the run failed, and its outputs say otherwise. Something that was evaluated changed them'
      exit 4
      ;;
  esac
  # The run decides. If it passed, it is no plain pass when what it was compared with is missing. What could not be published
  # was warned of, and says nothing about quality: no channel turns a green red.
  for candidate in "$RUN_CODE" "$BASELINE_CODE" "$UPDATE_CODE" "$RELEASE_CODE"; do
    case $candidate in
      '' | 0) ;;
      *)
        code=$candidate
        break
        ;;
    esac
  done
  tell exit-code "$code"
  if [ "$code" = 0 ]; then return; fi
  case $INPUT_FAIL_ON:$code in
    never:* | broken:1) notice "$(meaning "$code") (exit code $code); fail-on is \"$INPUT_FAIL_ON\", so this does not fail" ;;
    *)
      error "$(meaning "$code") (exit code $code)"
      exit "$code"
      ;;
  esac
}

case $#:${1:-} in
  1:plan | 1:start | 1:baseline | 1:run | 1:publish | 1:update | 1:release | 1:conclude) "$1" ;;
  *)
    echo 'usage: steps.sh plan|start|baseline|run|publish|update|release|conclude' >&2
    exit 2
    ;;
esac
