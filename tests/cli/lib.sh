# Sourced before each case of tests/cli: small projects, and nothing of the user's in them. A case
# runs in an empty folder of its own; what it prints and its exit status are compared.
set -euo pipefail

tests=$(dirname "$(dirname "${BASH_SOURCE[0]}")")

# What this machine cannot show; ctest reports the case as skipped.
skip() {
    echo "skipped: $1" >&2
    exit 77
}

# project [LINE…]: a project in the current folder that cooks all of /Game.
project() {
    mkdir -p Content
    printf '%s\n' '[Project]' 'Name=Test' '+ContentRoot=/Game=Content' \
        '[Cook]' '+AlwaysCook=/Game/*' "$@" >cook.ini
}

# asset NAME: a .asset file below Content, from standard input.
asset() {
    mkdir -p "$(dirname "Content/$1")"
    cat >"Content/$1.asset"
}

# table NAME [TEXT]: a DataTable of one row.
table() {
    asset "$1" <<JSON
{ "objects": [ { "name": "Table", "class": "/Script/Cook.DataTable", "properties": {
    "Columns": [ { "Name": "Label" } ],
    "Rows": { "First": { "Cells": [ "${2:-text}" ] } } } } ] }
JSON
}

# level NAME PACKAGE…: a world that places objects of other packages, by hard references.
level() {
    local name=$1 actors='' package
    shift
    for package in "$@"; do
        actors+="${actors:+, }{ \"Name\": \"Actor\", \"Object\": { \"\$ref\": \"$package\" } }"
    done
    asset "$name" <<JSON
{ "objects": [ { "name": "World", "class": "/Script/Cook.World", "properties": {
    "Actors": [ $actors ] } } ] }
JSON
}

png() { "$COOK_PYTHON" "$tests/lib/content.py" png "$@"; }
glb() { "$COOK_PYTHON" "$tests/lib/content.py" glb "$@"; }
gltf() { "$COOK_PYTHON" "$tests/lib/content.py" gltf "$@"; }

# Cook as a preparation: it must succeed, and says nothing.
quietly() { "$@" >/dev/null; }

# Hashes follow the version of a library or of the format, and places which worker was first: what
# they are is no matter here.
hide_hashes() { sed -E -e 's/[0-9a-f]{32}/HASH/g' -e 's/(seg-[0-9]+\.blob at )[0-9]+/\1N/'; }

# held_by_a_cook COMMAND…: run it while a cook, whose worker waits, holds the lock of the store.
held_by_a_cook() {
    local status=0
    cat >wait.sh <<'WAIT'
touch "$1/started"
while [ ! -e "$1/go" ]; do sleep 0.02; done
shift
exec "$@"
WAIT
    cook full -q --worker-prefix "bash $PWD/wait.sh $PWD" &
    while [ ! -e started ]; do sleep 0.02; done
    "$@" || status=$?
    touch go
    wait $!
    return $status
}
