#!/usr/bin/env bash
# Golden tests of the command line: each tests/cli/VERB/CASE.sh runs in an empty folder, and what it
# prints and its exit status must be what stands in CASE.stdout, CASE.stderr and CASE.exit.
#
#   run.sh BUILD_FOLDER [VERB/CASE…]             all cases, or these
#   run.sh --record BUILD_FOLDER [VERB/CASE…]    write the three files instead of comparing
#
# The case's folder is printed as DIR and process ids as PID. Exit status 77: skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

record=
if [ "${1:-}" = --record ]; then
    record=1
    shift
fi
if [ $# -lt 1 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$(realpath "$1")
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

normalise() { sed -E -e "s#$work/dir#DIR#g" -e 's/\bprocess [0-9]+/process PID/g' "$1"; }

# Run a case; its outputs are in $work/{stdout,stderr,exit}.
run_case() {
    local status=0
    rm -rf "$work/dir"
    mkdir "$work/dir"
    (
        cd "$work/dir"
        exec env -i PATH="$build/bin:$PATH" HOME="$work" LC_ALL=C.UTF-8 TMPDIR="$work" \
            COOK_PYTHON="${COOK_PYTHON:-python3}" COOK_BUILD="$build" \
            ASAN_OPTIONS="${ASAN_OPTIONS:-}" \
            bash -c 'source "$1"; source "$2"' case "$here/lib.sh" "$here/$1.sh"
    ) >"$work/raw.stdout" 2>"$work/raw.stderr" </dev/null || status=$?
    normalise "$work/raw.stdout" >"$work/stdout"
    normalise "$work/raw.stderr" >"$work/stderr"
    echo "$status" >"$work/exit"
}

cases=("$@")
if [ ${#cases[@]} -eq 0 ]; then
    mapfile -t cases < <(cd "$here" && find . -mindepth 2 -name '*.sh' -printf '%P\n' |
        sed 's/\.sh$//' | sort)
fi

failed=0 skipped=0
for case in "${cases[@]}"; do
    run_case "$case"
    if [ "$(cat "$work/exit")" = 77 ]; then
        cat "$work/stderr"
        skipped=$((skipped + 1))
        continue
    fi
    for part in stdout stderr exit; do
        if [ -n "$record" ]; then
            cp "$work/$part" "$here/$case.$part"
        elif ! diff -u --label "$case.$part" --label "actual $part" \
            "$here/$case.$part" "$work/$part"; then
            failed=1
        fi
    done
done
[ "$failed" -eq 0 ] || exit 1
[ "$skipped" -lt ${#cases[@]} ] || exit 77
