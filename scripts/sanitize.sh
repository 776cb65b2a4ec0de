#!/bin/sh
# The Python suite over an extension that the address sanitizer watches: reads and writes beyond
# what was allocated, and of what was freed, end it with a report.
#
#     make sanitize                         all of it, in about twenty minutes
#     make sanitize ARGS="tests/objects"    a part
#
# The compiler's switch is not stable yet, the compiler is: RUSTC_BOOTSTRAP lets it be used. What
# Rust links to a library does not bring the sanitizer along, so the one of gcc is loaded first, and
# the library of C++ with it, which it has to know before anybody throws. Python's own allocator
# would hide its objects, so it is asked for malloc's. Leaks are not looked for: an interpreter
# keeps much until it ends, and `tests/objects/test_leaks.py` counts ours.
set -eu
cd "$(dirname "$0")/.."
python="$(pwd)/${VENV:-.venv}/bin/python"
target=x86_64-unknown-linux-gnu
folder="$(pwd)/.cache/sanitize"

RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" PYO3_PYTHON="$python" \
    PYO3_BUILD_EXTENSION_MODULE=1 CARGO_TARGET_DIR="$folder/target" \
    cargo build --locked --package penstock-python --profile quick --target "$target"

suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
rm -rf "$folder/python"
mkdir -p "$folder/python"
cp -R python/penstock "$folder/python/"
cp "$folder/target/$target/quick/libpenstock_python.so" "$folder/python/penstock/_rust$suffix"

export PYTHONPATH="$folder/python" PYTHONMALLOC=malloc
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so.6)"
export LD_PRELOAD
# Left out is what asks for the installed release, what starts a process with an environment of its
# own, what bounds memory (the sanitizer keeps what is freed, to see who still uses it), and what makes the
# interpreter itself fail on purpose, or counts the blocks of its own allocator.
exec "$python" -X faulthandler -m pytest -p no:cacheprovider --timeout 1200 \
    --deselect tests/test_import.py \
    --deselect tests/faults/test_memory.py::test_what_is_left_behind_is_found \
    --deselect tests/faults/test_memory.py::test_faults_of_the_interpreter_that_are_left_out \
    --deselect tests/cli/test_startup.py::test_it_is_installed_as_a_program \
    --deselect tests/regressions/test_regressions.py::test_31_a_union_needs_no_module \
    --deselect tests/memory/test_streaming.py::test_streaming_takes_constant_memory \
    --deselect tests/memory/test_streaming.py::test_a_huge_string_outside_of_the_records_is_checked_in_pieces \
    --deselect tests/columns/test_streams.py::test_memory_is_one_batch \
    --deselect tests/messages/test_memory.py::test_sending_takes_constant_memory \
    --deselect tests/xml/test_attacks.py::test_cost \
    --deselect tests/xml/test_attacks.py::test_cost_by_the_byte "$@"
