#!/usr/bin/env bash
# Builds and tests Cookproof from a clean clone; what it prints last is ctest's own summary.
#
#   tests/run.sh              the release preset (gcc, warnings are errors) and its tests
#   tests/run.sh --all        before that: the clang preset, the tests of threads under TSan, and all
#                             tests under ASan and UBSan; the same with CI=1 in the environment
#   tests/run.sh --nightly    before the last tests: samples/nightly.sh
#
# A stage that fails is named at once and does not stop the others. Exit status 0 when all passed.
set -uo pipefail
cd "$(dirname "$0")/.."

all=${CI:+1}
nightly=
for argument in "$@"; do
    case $argument in
    --all) all=1 ;;
    --nightly) nightly=1 ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
done

failed=0
jobs=$(nproc)

heading() { printf '\n== %s\n' "$*"; }

# Run a stage: its name, then a command. A silent command's output is shown when it fails.
stage() {
    local name=$1 start=$SECONDS
    shift
    heading "$name"
    if "$@"; then
        echo "$name: passed, $((SECONDS - start)) s"
    else
        echo "$name: FAILED, $((SECONDS - start)) s"
        failed=1
        return 1
    fi
}

build() {
    local log=build/$1.log
    mkdir -p build
    if ! { cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs"; } >"$log" 2>&1; then
        tail -n 200 "$log"
        return 1
    fi
    tail -n 1 "$log"
}

tests_of() { ctest --test-dir "build/$1" --output-on-failure -j "$jobs" "${@:2}"; }
# What starts threads, or has workers that do.
threaded='unit_registry|unit_worker|unit_diffcook_compare|cli_diff|cli_full|mechanisms|arena|fault_race'

stage "set-up" tests/deps.sh || exit 1
stage "build with gcc" build release || exit 1
if [ -n "$all" ]; then
    stage "build with clang" build clang
    export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
    export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
    export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}
    stage "build with the thread sanitizer" build tsan &&
        stage "tests of threads under TSan" tests_of tsan -R "$threaded"
    stage "build with sanitizers" build asan && stage "tests under ASan and UBSan" tests_of asan
fi
if [ -n "$nightly" ]; then
    stage "nightly of the sample" samples/nightly.sh
fi
[ "$failed" -eq 0 ] || echo "a stage before this one FAILED, see above"

heading "tests"
tests_of release || failed=1
exit "$failed"
