#!/usr/bin/env bash
# What README.md tells an outsider works as it stands there: install, build the plugin of the
# example against the installation, start a project with `cook init`, cook.
#
#   outsider.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
source=$(realpath "$1")
build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
mkdir -p "$work/game/Plugins/shop" "$work/game/Content/Shops"
python3 - "$source/README.md" "$work/game" <<'PYTHON'
import os
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()


def block(language, needle):
    for body in re.findall(rf"```{language}\n(.*?)```", text, re.S):
        if needle in body:
            return body
    sys.exit(f"README.md has no {language} block with {needle!r}")


for name, language, needle in (
        ("Plugins/shop/CMakeLists.txt", "cmake", "cook_add_plugin"),
        ("Plugins/shop/shop.c", "c", "cook_plugin_main"),
        ("Content/Shops/Corner.asset", "json", "/Script/Shop.Shop"),
        ("cook.ini.more", "ini", "Plugins/shop")):
    with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
        file.write(block(language, needle))
PYTHON

cd "$work/game"
export PATH=$work/prefix/bin:$PATH
cook init
cat cook.ini.more >>cook.ini
cmake -S Plugins/shop -B Plugins/shop/build -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build Plugins/shop/build >/dev/null
cook full | tee full.txt
grep -q '^cooked 1 (new 1, recooked 0), skipped 0, failed 0' full.txt
cook incremental | tee incremental.txt
grep -q '^cooked 0 (new 0, recooked 0), skipped 1, failed 0' incremental.txt
pkg-config --with-path="$work/prefix/lib/pkgconfig" --libs cookproof
