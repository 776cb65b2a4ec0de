#!/bin/sh
# How many instructions each kernel of penstock-scan takes for a byte: with AVX2 and without on x86-64,
# with NEON and without on 64-bit ARM.
#
#     scripts/instructions.sh                  all kernels
#     scripts/instructions.sh space code_points
#
# It runs on x86-64, and needs valgrind, qemu-aarch64 (Debian: qemu-user) and
# `rustup target add aarch64-unknown-linux-musl`. Both tools count exactly, so two runs print the same
# table on any machine. A count is no time: how long an instruction takes differs among processors.
#
# Each kernel runs twice, with more rounds the second time. The difference has no start of a process in it.
set -eu
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}"
arm=aarch64-unknown-linux-musl

cargo build --quiet --release --locked -p penstock-scan --example instructions
# The program is static, and Rust's own linker is enough for that.
CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
    cargo build --quiet --release --locked -p penstock-scan --example instructions --target "$arm"

counted_x86() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$target/release/examples/instructions" "$@" 2>&1 |
        sed -n 's/.*Collected *: *//p'
}

# From 8.1 on, the switch for one instruction in each piece of translated code has this name.
if qemu-aarch64 -h | grep -q one-insn-per-tb; then single=-one-insn-per-tb; else single=-singlestep; fi

# A line of the log is a piece that was run.
counted_arm() {
    qemu-aarch64 "$single" -d exec,nochain -D /dev/stdout \
        "$target/$arm/release/examples/instructions" "$@" |
        grep -c '^Trace '
}

# COUNTED KERNEL SET
per_round() {
    "$1" "$2" "$3" 3 >"$folder/$1.$3.more" &
    few=$("$1" "$2" "$3" 1)
    wait
    echo $((($(cat "$folder/$1.$3.more") - few) / 2))
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$target/release/examples/instructions" >"$folder/kernels"

printf '%-12s %8s %9s %8s %9s %10s  %s\n' kernel AVX2 portable NEON portable NEON/AVX2 bytes
while IFS="$(printf '\t')" read -r kernel bytes what; do
    case " ${*:-$kernel} " in *" $kernel "*) ;; *) continue ;; esac
    awk -v kernel="$kernel" -v bytes="$bytes" -v what="$what" \
        -v avx2="$(per_round counted_x86 "$kernel" native)" \
        -v x86="$(per_round counted_x86 "$kernel" portable)" \
        -v neon="$(per_round counted_arm "$kernel" native)" \
        -v arm="$(per_round counted_arm "$kernel" portable)" 'BEGIN {
            printf "%-12s %8.3f %9.3f %8.3f %9.3f %10.2f  %s\n",
                kernel, avx2 / bytes, x86 / bytes, neon / bytes, arm / bytes, neon / avx2, what
        }'
done <"$folder/kernels"
