#!/bin/sh
# Builds the release with the lines of its machine code, and puts them into a file of their own:
#
#     make symbols     .cache/symbols/_rust.debug
#
# The wheel has the names of functions, which is enough for most profiles, and no lines: they are four
# times as large as all the rest. This builds the same sources with lines, installs the extension without
# them, and has it name the file, in which gdb and perf then look. It takes as long as `make build`.
set -eu
cd "$(dirname "$0")/.."
python="$1/python"
folder="$PWD/.cache/symbols"
mkdir -p "$folder"

PYO3_BUILD_EXTENSION_MODULE=1 CARGO_PROFILE_RELEASE_DEBUG=line-tables-only \
    CARGO_PROFILE_RELEASE_STRIP=none CARGO_TARGET_DIR="$folder/target" \
    cargo build --locked --release --package penstock-python
built="$folder/target/release/libpenstock_python.so"
installed=$("$python" -c 'import penstock._rust as it; print(it.__file__)')
objcopy --only-keep-debug "$built" "$folder/_rust.debug"
objcopy --strip-debug "$built" "$installed.new"
objcopy --add-gnu-debuglink="$folder/_rust.debug" "$installed.new"
mv "$installed.new" "$installed"
# A debug link has no folder. The debuggers look beside the library.
ln -sf "$folder/_rust.debug" "$(dirname "$installed")/_rust.debug"
ls -l "$installed" "$folder/_rust.debug"
