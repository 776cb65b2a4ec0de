#!/bin/sh
# The Python tests on 64-bit ARM: a wheel for it, an interpreter for it, and qemu-aarch64.
#
#     make test-aarch64                              all of them, which takes hours
#     make test-aarch64 ARGS="tests/json tests/ndjson"   a part
#     VERSION=3.13 scripts/test-aarch64.sh           another version of CPython
#
# The wheel is built if .cache/wheels has none for the version: remove it to have it built again. Libraries beside which
# Penstock is tested are left out if they have no wheel for ARM, and tests that need one are skipped, or fail to be
# collected.
set -eu
cd "$(dirname "$0")/.."
version="${VERSION:-3.11}"
wheels="$PWD/.cache/wheels"
site="$PWD/.cache/arm64/site-$version"
python=$(scripts/arm64-python.sh "$version")

wheel() { find "$wheels" -name "penstock_data-*-cp$(echo "$version" | tr -d .)-manylinux*_aarch64.whl" 2>/dev/null | head -n 1; }
[ -n "$(wheel)" ] || TARGETS=aarch64-unknown-linux-gnu scripts/wheels.sh "python$version"

install() {
    python3 -m pip install --quiet --disable-pip-version-check --target "$site" --upgrade \
        --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 \
        --python-version "$version" --only-binary=:all: "$@"
}

if ! [ -e "$site/.installed" ]; then
    # Tools that look at sources say the same on every machine.
    sed -n '/^[a-z]/p' requirements/dev.txt requirements/bench.txt | grep -Ev '^(maturin|mypy|pyright|ruff)\b' |
        while read -r requirement; do
            install "$requirement" 2>/dev/null || echo "without $requirement" >&2
        done
    touch "$site/.installed"
fi
install --no-deps --no-index "$(wheel)"

[ $# -gt 0 ] || set -- tests
PYTHONPATH="$site" exec "$python" -m pytest -p no:cacheprovider --timeout 1200 "$@"
