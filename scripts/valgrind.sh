#!/bin/sh
# Python tests over an extension that valgrind watches: values that nobody has written, which the
# address sanitizer does not see, besides reads and writes beyond what was allocated.
#
#     make valgrind                                  the columns
#     make valgrind ARGS="tests/plist/test_values.py"   other tests
#
# Everything runs some fifty times slower, so name few files. Python's own allocator would hide its
# objects, so it is asked for malloc's. Valgrind knows no AVX-512, of which the extension has none. What
# it reports is counted only if a frame of the extension is in it: the libraries beside it are not ours.
set -eu
cd "$(dirname "$0")/.."
python="$(pwd)/${VENV:-.venv}/bin/python"
folder="$(pwd)/.cache/valgrind"

PYO3_PYTHON="$python" PYO3_BUILD_EXTENSION_MODULE=1 \
    cargo build --locked --package penstock-python --profile quick

suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
rm -rf "$folder"
mkdir -p "$folder/python"
cp -R python/penstock "$folder/python/"
cp "${CARGO_TARGET_DIR:-target}/quick/libpenstock_python.so" "$folder/python/penstock/_rust$suffix"

[ $# -gt 0 ] || set -- tests/columns/test_values.py tests/columns/test_json_columns.py
export PYTHONPATH="$folder/python" PYTHONMALLOC=malloc
status=0
valgrind --log-file="$folder/report.%p" --error-limit=no --num-callers=40 \
    "$python" -m pytest -p no:cacheprovider -W "ignore:this build" "$@" || status=$?
# A report is a block of lines, and an empty one stands between two.
for report in "$folder"/report.*; do
    sed 's/^==[0-9]*== *//' "$report" | awk -v RS= '/(Invalid|Conditional|Use of|Syscall|overlap)/ && /penstock/ { print; found = 1; print "" } END { exit found }' || status=1
done
exit "$status"
