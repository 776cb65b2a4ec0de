#!/usr/bin/env bash
# Runs every fuzz target from fixed seeds with a fixed number of executions:
#   fuzz/run.sh [RUNS] [SEED]
# RUNS is for the cheapest target; each one takes its share of it, so that all take about as long.
# What is found new is not kept; a finding is, in fuzz/target/findings, and the exit status says so.
set -euo pipefail
cd "$(dirname "$0")"

RUNS=${1:-200000}
SEED=${2:-1}
PYTHON=${PYTHON:-../.venv/bin/python}
HOST=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
FINDINGS=$CARGO_TARGET_DIR/findings
BIN=$CARGO_TARGET_DIR/$HOST/release

# Coverage feedback on the stable compiler. `--target` keeps it out of build scripts and macros,
# which are not linked with libFuzzer.
RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares" \
    cargo build --release --locked --quiet --target "$HOST"

# What leads a fuzzer beside its seed is the same in each run: the seeds of hash tables, the order of
# the first inputs, and addresses, which it takes for numbers that are compared. Where the system
# does not let them be fixed, it does not look at comparisons.
cc -O1 -shared -fPIC -o "$CARGO_TARGET_DIR/fixed_random.so" fixed_random.c
same=(env LD_PRELOAD="$CARGO_TARGET_DIR/fixed_random.so")
options=(-reload=0)
if setarch -R true 2>/dev/null; then
    same+=(setarch -R)
else
    options+=(-use_cmp=0)
fi

mkdir -p "$FINDINGS"
failed=()

# $1 target, $2 one execution in how many, $3 the longest input
fuzz() {
    local target=$1 runs=$((RUNS / $2)) start=$SECONDS new log seeds
    new=$(mktemp -d)
    log=$FINDINGS/$target.log
    seeds=$(printf '%s\n' "corpus/$target/"* | LC_ALL=C sort | paste -sd, -)
    if "${same[@]}" "$BIN/$target" "$new" -seed_inputs="$seeds" -runs="$runs" -seed="$SEED" \
        -max_len="$3" "${options[@]}" -rss_limit_mb=2048 -timeout=10 \
        -artifact_prefix="$FINDINGS/$target-" >"$log" 2>&1; then
        printf '%-16s %8d executions, %5d edges, %3d s\n' "$target" "$runs" \
            "$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -c6-)" $((SECONDS - start))
    else
        printf '%-16s FAILED: see %s\n' "$target" "$log"
        grep -m 5 -A 3 'panicked at\|SUMMARY\|Test unit written' "$log" || tail -5 "$log"
        failed+=("$target")
    fi
    rm -rf "$new"
}

fuzz json_reader 4 512
fuzz document 16 256
fuzz any_chunking 4 512
fuzz ndjson 8 512
fuzz xml_reader 4 512
fuzz xml_any_chunking 4 512
fuzz csv_reader 4 256
fuzz csv_any_chunking 16 256
fuzz plist_text 4 256
fuzz plist_markup 4 256
fuzz select 2 256
fuzz kernels 4 256
fuzz source 8 1024
fuzz frames 8 1024
fuzz splits 40 256
fuzz convert 16 256
fuzz plist_binary 4 512

if ! "$PYTHON" typed.py --runs $((RUNS / 80)) --seed "$SEED"; then
    failed+=(typed)
fi

if ! "$PYTHON" typed_xml.py --runs $((RUNS / 80)) --seed "$SEED"; then
    failed+=(typed_xml)
fi

if ! "$PYTHON" encode.py --runs $((RUNS / 600)) --seed "$SEED"; then
    failed+=(encode)
fi

if ! "$PYTHON" options.py --runs $((RUNS / 200)) --seed "$SEED"; then
    failed+=(options)
fi

if ! "$PYTHON" conditions.py --runs $((RUNS / 200)) --seed "$SEED"; then
    failed+=(conditions)
fi

if ! "$PYTHON" archives.py --runs $((RUNS / 1000)) --seed "$SEED"; then
    failed+=(archives)
fi

if ((${#failed[@]})); then
    printf 'Findings: %s\n' "${failed[*]}"
    exit 1
fi
