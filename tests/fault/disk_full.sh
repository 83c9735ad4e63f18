#!/usr/bin/env bash
# A full disk ends a cook with exit status 4 and a message that says so; once there is space again,
# the next incremental cook gives what a cook that was never interrupted gives.
#
#   disk_full.sh BIN
#
# The store lies on a small tmpfs where this process may mount one, in a namespace of its own;
# elsewhere a limit on file sizes stands in for the full disk. Sizes are swept, so that space ends in
# the database, in a blob segment, in the commit, in the index, in the history.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "$1")
python=${COOK_PYTHON:-python3}

if [ "${2:-}" != mounted ] && unshare -m true 2>/dev/null &&
    unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs /mnt' 2>/dev/null; then
    exec unshare -m "$0" "$bin" mounted
fi
mounted=${2:-}

work=$(mktemp -d)
# What cannot be unmounted goes with the namespace.
trap 'umount "$work"/*/Saved 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
    echo "disk_full: $1" >&2
    [ ! -e "$work/messages" ] || cat "$work/messages" >&2
    exit 1
}

"$python" - "$here/../lib" "$work/content" <<'PYTHON'
import random
import sys

sys.path.insert(0, sys.argv[1])
import content

dice = random.Random(7)
for i in range(24):
    content.write(f"{sys.argv[2]}/Folder{i % 3}/Table{i:02}.asset", content.table(40, i))
for i in range(12):
    rows = b"".join(b"\0" + dice.randbytes(64 * 3) for _ in range(64))
    picture = content.png_of_rows(64, 64, rows)
    content.write(f"{sys.argv[2]}/Noise{i:02}.png", picture)
PYTHON

make_project() {
    mkdir -p "$work/$1/Saved"
    cp -r "$work/content" "$work/$1/Content"
    printf '%s\n' '[Project]' 'Name=Full' '+ContentRoot=/Game=Content' '[Cook]' \
        '+AlwaysCook=/Game/*' >"$work/$1/cook.ini"
}

cook() { # PROJECT VERB…: output and messages are kept; the exit status is in $status
    local project=$1
    shift
    status=0
    "$bin/cook" "$@" -C "$work/$project" >"$work/output" 2>"$work/messages" || status=$?
}

list() { "$bin/cook" store list -C "$work/$1"; }

make_project reference
cook reference full
[ "$status" = 0 ] || fail "the reference does not cook"
list reference >"$work/expected"
whole_kib=$(du -sk "$work/reference/Saved" | cut -f1)

# SQLite does not tell in every case which error of the system it met.
reason='\(File too large\|disk I/O error\)'
[ -z "$mounted" ] || reason='No space left on device'

# try SIZE_KIB: cook with that much space, then with enough.
full=0
try() {
    local size=$1 project=project$1
    make_project "$project"
    if [ -n "$mounted" ]; then
        mount -t tmpfs -o "size=${size}k" tmpfs "$work/$project/Saved"
        cook "$project" full
    else
        status=0
        (
            ulimit -f "$size"
            exec "$bin/cook" full -C "$work/$project"
        ) >"$work/output" 2>"$work/messages" || status=$?
    fi
    case $status in
    0) [ ! -s "$work/messages" ] || fail "size $size: messages of a clean cook" ;;
    4)
        full=$((full + 1))
        [ -z "${VERBOSE:-}" ] || echo "$size KiB: $(cat "$work/messages")"
        grep -q "^cook: .*$reason" "$work/messages" ||
            fail "size $size: the message does not name the reason"
        [ "$(wc -l <"$work/messages")" = 1 ] || fail "size $size: more than one message"
        ;;
    *) fail "size $size: exit status $status" ;;
    esac
    [ -z "$mounted" ] || mount -o remount,size=256m "$work/$project/Saved"
    cook "$project" incremental
    [ "$status" = 0 ] || fail "size $size: the next cook ends with $status"
    list "$project" | diff "$work/expected" - >/dev/null || fail "size $size: other content"
    cook "$project" store verify
    [ "$status" = 0 ] || fail "size $size: $(cat "$work/output")"
    [ -z "$mounted" ] || umount "$work/$project/Saved"
    rm -rf "${work:?}/$project"
}

count=${COOK_DISK_FULL_STEPS:-16}
for ((i = 1; i <= count; i++)); do
    try $((8 + whole_kib * 5 * i / (4 * count)))
done
[ "$full" -ge 4 ] || fail "only $full of $count cooks met the full disk"
echo "disk_full: $full of $count sizes up to $((whole_kib * 5 / 4)) KiB met the full disk (${mounted:-limited}), all recovered"
