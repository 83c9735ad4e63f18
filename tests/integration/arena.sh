#!/usr/bin/env bash
# The sample cooks in full without a message, and again with nothing to do but the opted-out class.
#
#   arena.sh BIN_FOLDER PROJECT      BIN_FOLDER holds cook; PROJECT is copied
set -euo pipefail
bin=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$2" "$work/arena"
rm -rf "$work/arena/Saved"

fail() {
    echo "arena: $1" >&2
    cat "$work/out" "$work/messages" >&2
    exit 1
}

# Run a cook; its last line must match a pattern, and nothing may be said on standard error.
cook() {
    local pattern=$1
    shift
    "$bin/cook" "$@" -C "$work/arena" >"$work/out" 2>"$work/messages" || fail "cook $* failed"
    grep -Eq "^$pattern" "$work/out" || fail "cook $*: expected '$pattern'"
    [ ! -s "$work/messages" ] || fail "cook $*: messages"
}

for target in Desktop Handheld; do
    cook 'cooked 59 \(new 59, recooked 0\), skipped 0, failed 0' full --target "$target"
    cook 'cooked 2 \(new 0, recooked 2\), skipped 57, failed 0' incremental --target "$target"
done

# A file that is read through the context: its three loot tables, and the opted-out class.
echo 2.75 >"$work/arena/Content/Data/difficulty.txt"
cook 'would cook /Game/Loot/Boss' incremental --dry-run
cook 'cooked 5 \(new 0, recooked 5\), skipped 54, failed 0' incremental

# Times without a change of bytes recook nothing.
find "$work/arena/Content" -type f -exec touch {} +
cook 'cooked 2 \(new 0, recooked 2\), skipped 57, failed 0' incremental
