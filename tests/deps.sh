#!/usr/bin/env bash
# Installs the Debian 12 packages that building and testing Cookproof needs.
# Shared by the README, tests/run.sh, samples/nightly.sh and .ci/run; does nothing where all are present.
set -euo pipefail

packages=(
    build-essential gcc g++ clang clang-format clang-tidy libclang-rt-14-dev cmake ninja-build pkg-config
    libxxhash-dev libdwarf-dev libelf-dev libunwind-dev libcjson-dev libjsmn-dev libsqlite3-dev libpopt-dev
    libinih-dev libzstd-dev zlib1g-dev libarchive-dev libcmocka-dev
    libstb-dev libspng-dev libmeshoptimizer-dev libshaderc-dev glslang-dev spirv-tools
    node-d3 libmicrohttpd-dev
    git gdb python3 ca-certificates
    chromium libxml2-utils python3-jsonschema
)
# Where Node.js came from elsewhere, Debian's cannot be installed beside it.
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
