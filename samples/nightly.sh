#!/usr/bin/env bash
# A week of nightly validation in a few minutes: cooks the Arena sample in full, lives through four
# days of edits, and validates the incremental cook after each. Three faults are planted: the two kinds
# that make a cache lie, and a result that is another each time. Exit status 0 when validation found
# these and nothing else, and named the cause of each.
#
#   samples/nightly.sh nothing needs to be installed or built before
#
# The project is copied to build/nightly/arena; the tree itself is not touched.
set -euo pipefail
cd "$(dirname "$0")/.."

cook=$PWD/build/release/bin/cook
work=$PWD/build/nightly
project=$work/arena
plugin=$project/Plugins/arena
edits=$PWD/samples/nightly
weapons=(/Game/Weapons/Sword /Game/Weapons/Dagger /Game/Weapons/Bow /Game/Weapons/Staff)
loot=(/Game/Loot/Common /Game/Loot/Rare /Game/Loot/Boss)
spawners=(/Game/Spawners/Waves_North /Game/Spawners/Waves_South /Game/Spawners/Waves_Boss)
wrong=0

heading() { printf '\n==== %s\n\n' "$*"; }
ask() { printf '  %s ' "$*"; }
say() { printf '  %s\n' "$*"; }
edit() { python3 "$edits/edit.py" "$project" "$@"; }

# Run a cook verb; 0 (clean) and 1 (findings) are results, anything else ends the night.
run_cook() {
    local status=0
    printf '  $ cook %s\n' "${*//$PWD\//}"
    "$cook" "$@" -C "${project#"$PWD"/}" --target Desktop --progress never 2>&1 | sed 's/^/    /' ||
        status=${PIPESTATUS[0]}
    if [ "$status" -gt 1 ]; then
        say "cook $1 ended with exit status $status: cannot go on"
        exit "$status"
    fi
}

# What was found, for people.
report() {
    say "$ cook report $*"
    "$cook" report "$@" -C "${project#"$PWD"/}" --target Desktop 2>&1 | sed 's/^/    /'
}

check() { python3 "$edits/check.py" "$@" || wrong=$((wrong + 1)); }

# Exactly these: expect NIGHT VERDICT:CAUSE PACKAGE… [VERDICT:CAUSE PACKAGE…]
expect() {
    local night=$1 kind='' entries=()
    shift
    for word in "$@"; do
        case $word in
        /*) entries+=("$kind:$word") ;;
        *) kind=$word ;;
        esac
    done
    ask "found what was planted, with its cause, and no more?"
    check findings "$work/validate-$night.json" "${entries[@]}"
}

# A copy of the class code with a patch, as a programmer would have committed it.
change_code() {
    patch -s -d "$project" -p1 <"$edits/$1.patch"
    build_plugin
}

build_plugin() {
    cmake -S "$plugin" -B "$plugin/build" -G Ninja -DCookproof_DIR="$PWD/build/release" \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo >"$work/plugin.log" 2>&1 &&
        cmake --build "$plugin/build" >>"$work/plugin.log" 2>&1 || {
        cat "$work/plugin.log"
        exit 4
    }
}

# Incremental cook, then validation: run_night N, packages to be (+) or not to be (-) cooked.
run_night() {
    local night=$1
    shift
    run_cook incremental --json "$work/incremental-$night.json"
    ask "cooked what was edited, and no more?"
    check cook "$work/incremental-$night.json" "$@"
    run_cook incremental-validate --json "$work/validate-$night.json"
}

heading "Set-up: build the tools, copy the project"
tests/deps.sh
cmake --preset release >"${TMPDIR:-/tmp}/cookproof-nightly.$$.log" 2>&1 &&
    cmake --build --preset release >>"${TMPDIR:-/tmp}/cookproof-nightly.$$.log" 2>&1 || {
    cat "${TMPDIR:-/tmp}/cookproof-nightly.$$.log"
    exit 4
}
rm -rf "${TMPDIR:-/tmp}/cookproof-nightly.$$.log" "$work"
mkdir -p "$plugin"
cp -r samples/arena/cook.ini samples/arena/Config samples/arena/generate.py "$project/"
cp samples/arena/Plugins/arena/* "$plugin/" 2>/dev/null || true
python3 "$project/generate.py"
say "project: ${project#"$PWD"/}"

heading "The first fault is in the code already (nobody has noticed it)"
say "LootTable reads difficulty.txt with fopen() instead of cook_read_file():"
sed -n '/^[-+] /p' "$edits/hidden-read.patch" | grep fopen | sed 's/^/    /'
change_code hidden-read
run_cook full --json "$work/full.json"

heading "Night 1: a harmless day"
say "a texture painted anew, a speed changed, a character added, a file saved without a change"
edit texture Textures/Crate.png 77
edit value Characters/Mage Speed 3.25
edit copy Characters/Guard Characters/Veteran
edit place Maps/Arena Characters/Veteran
edit touch Weapons/Bow.asset
run_night 1 +/Game/Textures/Crate.png +/Game/Characters/Mage +/Game/Characters/Veteran \
    +/Game/Maps/Arena -/Game/Weapons/Bow -/Game/Textures/Wall.png -/Game/Core/Defaults
expect 1

heading "Night 2: a serializer is changed, its version is not"
say "Weapon saves its damage a second; critical hits count from today on:"
sed -n '/^+ /p' "$edits/silent-serializer.patch" | sed 's/^/    /'
say "and a harmless edit: the champion is faster"
change_code silent-serializer
edit value Characters/Champion Speed 4.5
run_night 2 +/Game/Characters/Champion -/Game/Characters/Guard -/Game/Textures/Crate.png
expect 2 false_skip:code_changed "${weapons[@]}"

heading "Night 3: the file that no dependency knows of is edited"
say "difficulty.txt: 1.5 becomes 3; and a harmless edit: more gold to start with"
edit text Data/difficulty.txt 3
edit value Core/Defaults StartGold 40
run_night 3 +/Game/Core/Defaults -/Game/Characters/Champion -/Game/Textures/Crate.png
expect 3 false_skip:code_changed "${weapons[@]}" false_skip:undeclared_input "${loot[@]}"

heading "Night 4: a result that is another each time"
say "WaveSpawner gets a seed, and its version is bumped as it should be; but the seed is the clock:"
sed -n '/^+ .*\(seed = \|clock_gettime\|tv_nsec\)/p' "$edits/random-seed.patch" | sed 's/^/    /'
change_code random-seed
run_night 4 +/Game/Spawners/Waves_North +/Game/Spawners/Waves_Boss -/Game/Characters/Champion
expect 4 false_skip:code_changed "${weapons[@]}" false_skip:undeclared_input "${loot[@]}" \
    indeterminate:time "${spawners[@]}"

heading "The findings of the last night"
python3 - "$work/validate-4.json" <<'PYTHON'
import json
import sys

document = json.load(open(sys.argv[1], encoding="utf-8"))
for finding in document["findings"]:
    print(f"  {finding['verdict']:<12} {finding.get('state', ''):<6} {finding['package']}"
          f"  ({', '.join(finding.get('classes', []))})")
    for difference in finding.get("differences", [])[:1]:
        print(f"      {difference.get('property')}: {difference.get('old_value')}"
              f" -> {difference.get('new_value')}")
    for cause in finding.get("causes", [])[:1]:
        print(f"      cause: {cause.get('kind')}: {cause.get('what')}")
    if finding.get("fix"):
        print(f"      fix: {finding['fix']}")
    print(f"      reproduce: {finding.get('reproduce')}")
PYTHON

heading "The report"
say "in a terminal, or for a pull request:"
report markdown
report html --output build/nightly/report.html
printf '\n  JSON: %s\n' "$work/validate-4.json"
echo
if [ "$wrong" -gt 0 ]; then
    say "NOT AS PLANNED in $wrong checks, see above"
    exit 1
fi
say "Each planted fault was found on its night, with its cause, and nothing else was."
say "HTML report: $work/report.html"
