# shellcheck shell=bash
# For scripts/test, scripts/package, scripts/lint and .ci/run: runs stages. Hides the output of a stage, except
# warnings, unless the stage fails. At the end prints the time of each stage, the summary of ctest, and the skipped
# tests with their reasons. Source this file from the root of the tree.

jobs=${JOBS:-$(nproc)}
((jobs >= 2)) || jobs=2
stage_logs=$(mktemp -d)
mkdir "$stage_logs/tmp"  # for temporary files of tests, which must leave nothing there
trap 'rm -rf "$stage_logs"' EXIT
stage_lines=()
ctest_lines=()
: >"$stage_logs/skipped"

# cpu_seconds VARIABLE: the user and system time of all processes that this shell has waited for.
cpu_seconds() {
  times >"$stage_logs/times"
  printf -v "$1" '%s' "$(awk 'NR == 2 {gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4)}' "$stage_logs/times")"
}

# run_stage SHOWN NAME COMMAND...: ends the script if the command fails. SHOWN = yes shows its output while it runs.
run_stage() {
  local shown=$1 name=$2 status=0 log started=$SECONDS cpu_before cpu_after
  shift 2
  log=$stage_logs/log
  printf '== %s\n' "$name"
  cpu_seconds cpu_before
  if [[ $shown == yes ]]; then
    "$@" </dev/null 2>&1 | tee "$log" || status=$?
  else
    "$@" </dev/null >"$log" 2>&1 || status=$?
    if ((status == 0)); then
      grep -E ':[0-9]+: warning: ' "$log" || true
    else
      cat "$log"
    fi
  fi
  if ((status != 0)); then
    printf '== %s failed after %d s: %s\n' "$name" $((SECONDS - started)) "$*" >&2
    exit 1
  fi
  cpu_seconds cpu_after
  stage_lines+=("$(printf '%6d s %6d s of CPU time  %s' $((SECONDS - started)) $((cpu_after - cpu_before)) "$name")")
  local summary
  while IFS= read -r summary; do
    ctest_lines+=("$name: $summary")
  done < <(grep -E '^[0-9]+% tests passed|\*\*\*(Failed|Timeout|Exception)' "$log" | sed -E 's/ \.{3,}/ /' || true)
}
stage() { run_stage no "$@"; }
stage_shown() { run_stage yes "$@"; }

# The labels of tests that start roles or wait for deadlines, so other work on the machine can disturb them.
with_processes='^(net|python|process(-bytes)?)$'

# run_ctest FOLDER ARGUMENT...: runs ctest and notes which tests were skipped. A command that a shell starts in the
# background ignores SIGINT, which tests send, so env resets the signal.
run_ctest() {
  local status=0
  TMPDIR=$stage_logs/tmp env --default-signal=INT ctest --test-dir "$1" --output-on-failure "${@:2}" --no-tests=error || status=$?
  python3 tests/skipped.py "$1/Testing/Temporary/LastTest.log" >>"$stage_logs/skipped" || status=1
  return $status
}

# ctest_of_processes PRESET LABELS [LEFT_OUT]: runs these tests except LEFT_OUT, and repeats failed tests once. The last
# lines name tests that passed only when repeated. At most as many tests run at once as there are cores: the tests'
# roles are more processes than cores, and waiting roles use the processor.
ctest_of_processes() {
  run_ctest "build/$1" --parallel "$jobs" --label-regex "$2" --exclude-regex "${3:-^$}" --repeat until-pass:2
}
process_tests() { stage_shown "$1: tests of processes" ctest_of_processes "$@"; }

# all_tests PRESET LEFT_OUT: runs all tests except those with the labels LEFT_OUT. Tests that only compute run first, so
# that they do not disturb the others.
all_tests() {
  local status=0
  run_ctest "build/$1" --parallel "$jobs" --label-exclude "$2|$with_processes" || status=$?
  ctest_of_processes "$1" "$with_processes" || status=$?
  return $status
}

print_stages() {
  printf '\n'
  printf '%s\n' "${stage_lines[@]}"
  printf '%6d s  in all\n' "$SECONDS"
  ((${#ctest_lines[@]} == 0)) || printf '%s\n' "${ctest_lines[@]}"
  if [[ -s $stage_logs/skipped ]]; then
    printf 'Skipped, whole or in part:\n'
    sort -u "$stage_logs/skipped" | sed 's/^/  /; s/\t/: /'
  fi
  local left
  left=$(find "$stage_logs/tmp" -mindepth 1 -maxdepth 1 -printf '%f ')
  [[ -z $left ]] || { printf 'Tests left in TMPDIR, which is a fault of theirs: %s\n' "$left"; exit 1; }
}
