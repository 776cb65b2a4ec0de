#!/usr/bin/env bash
# Builds the wheels that one Linux machine can build, checks each, and runs those that it can run.
#
#     scripts/wheels.sh                                     all targets, for each CPython from 3.11 on that is found
#     scripts/wheels.sh python3.11 python3.13               for these
#     TARGETS="aarch64-unknown-linux-gnu" scripts/wheels.sh python3.11
#
# A build takes minutes. It needs x86-64, Rust (stable) with rustup, and qemu-aarch64 to run the wheels for ARM. The
# compiler and linker for C is zig's, from requirements/wheels.txt: it knows the old C libraries that the tags promise.
#
# Linux, glibc   built, tag checked, installed into an empty environment, scripts/smoke.py run; ARM's by qemu
# Linux, musl    built, tag checked
# macOS          only type-checked: linking needs Apple's SDK
#
# The wheels are in .cache/wheels. They have the names of functions, which profilers show, and no debug information.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
# The variable of `make` names one interpreter. Each build here has its own.
unset PYO3_PYTHON
target_dir="${CARGO_TARGET_DIR:-$PWD/target}"
out="$PWD/.cache/wheels"
tools="$PWD/.venv-wheels"
sysroot="$(rustc --print sysroot)"
mkdir -p "$out"
table="$(mktemp)"
trap 'rm -rf "$table"' EXIT

read -ra targets <<<"${TARGETS:-x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl \
    aarch64-unknown-linux-musl aarch64-apple-darwin x86_64-apple-darwin}"

interpreters=("$@")
if ((${#interpreters[@]} == 0)); then
    for minor in 11 12 13 14 15; do
        # Something of this name may be there and not run: pyenv has such programs.
        if "python3.$minor" -c '' 2>/dev/null; then interpreters+=("python3.$minor"); fi
    done
fi
((${#interpreters[@]})) || { echo "no CPython from 3.11 on is found" >&2; exit 1; }

install_tools() {
    [ -x "$tools/bin/python" ] || "${interpreters[0]}" -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements/wheels.txt
    rustup --quiet target add "${targets[@]}"
}

# The version of an interpreter, such as 3.11.
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }

# The tag of the platform that a target's wheels have.
tag_of() {
    case $1 in
    *-linux-gnu) echo "manylinux_2_17_${1%%-*}" ;;
    *-linux-musl) echo "musllinux_1_2_${1%%-*}" ;;
    esac
}

# build TARGET INTERPRETER: prints the wheel.
build() {
    local tag folder name
    tag=$(tag_of "$1")
    folder=$(mktemp -d "$out/new.XXXX")
    # zig's linker would strip the names of functions as well, whatever it is asked to strip. So it strips nothing.
    # maturin looks for zig on the path.
    PATH="$tools/bin:$PATH" CARGO_PROFILE_RELEASE_STRIP=none maturin build --zig --target "$1" \
        --compatibility "${tag%_"${1%%-*}"}" --release --locked --interpreter "$2" --out "$folder" >&2
    "$tools/bin/wheel" unpack --dest "$folder" "$folder"/*.whl >&2
    # The compiler brings this program along, for linkers that cannot strip. It knows all machines, and zig's does not work.
    LD_LIBRARY_PATH="$sysroot/lib" "$sysroot/lib/rustlib/$(rustc --print host-tuple)/bin/rust-objcopy" \
        --strip-debug "$folder"/*/penstock/_rust*.so
    name=$(basename "$folder"/*.whl)
    rm "$folder"/*.whl
    "$tools/bin/wheel" pack --dest-dir "$folder" "$folder"/*/ >&2
    mv "$folder/$name" "$out/"
    rm -rf "$folder"
    echo "$out/$name"
}

# The tag must be what the versions of the libraries' symbols allow, and nothing may be left to be added to the wheel.
check_tag() {
    local wheel=$1 tag=$2 folder
    folder=$(mktemp -d)
    # musl's symbols have no versions, and where musl is not installed, auditwheel takes its library for a foreign one.
    [[ $tag == musllinux* ]] || "$tools/bin/auditwheel" show "$wheel" | tr '\n' ' ' | grep -q "\"$tag\"" ||
        { echo "$wheel is not what its tag says:" >&2; "$tools/bin/auditwheel" show "$wheel" >&2; return 1; }
    "$tools/bin/python" - "$wheel" "$folder" <<'END'
import sys
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    (name,) = (name for name in wheel.namelist() if name.endswith(".so"))
    path = wheel.extract(name, sys.argv[2])
with Path(path).open("rb") as file:
    elf = ELFFile(file)
    sections = {section.name for section in elf.iter_sections()}
    tags = elf.get_section_by_name(".dynamic").iter_tags("DT_NEEDED")
    needed = {tag.needed for tag in tags}
if "musllinux" in sys.argv[1] and needed != {"libc.so"}:
    sys.exit(f"{name} needs {needed}")
if ".symtab" not in sections:
    sys.exit(f"{name} has no names of functions")
if ".debug_info" in sections:
    sys.exit(f"{name} has debug information")
END
    rm -rf "$folder"
}

# Installed where nothing else is. Prints the answer of the smoke test.
run_here() {
    local folder
    folder=$(mktemp -d)
    "$2" -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-index "$1"
    "$folder/bin/python" scripts/smoke.py
    rm -rf "$folder"
}

run_by_qemu() {
    local wheel=$1 version folder python
    version=$(version_of "$2")
    python=$(scripts/arm64-python.sh "$version") || { echo "not run"; return; }
    folder=$(mktemp -d)
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --target "$folder" \
        --platform manylinux_2_17_aarch64 --python-version "$version" --only-binary=:all: "$wheel"
    PYTHONPATH="$folder" "$python" scripts/smoke.py
    rm -rf "$folder"
}

# macOS: PyO3 is told a version, because it has no interpreter to ask.
check_only() {
    local interpreter=$1 target=$2
    PATH="$tools/bin:$PATH" PYO3_CROSS_PYTHON_VERSION=$(version_of "$interpreter") PYO3_BUILD_EXTENSION_MODULE=1 \
        CARGO_TARGET_DIR="$target_dir" \
        cargo-zigbuild check --workspace --locked --target "$target" >&2
}

install_tools
# An extension that was built in place, to edit and try, would become part of each wheel.
rm -f python/penstock/_rust*.so
for target in "${targets[@]}"; do
    for interpreter in "${interpreters[@]}"; do
        printf '\n=== %s, %s\n' "$target" "$interpreter" >&2
        case $target in
        *-apple-darwin)
            check_only "$interpreter" "$target"
            printf '%s\t\t%s\n' "$target, $(version_of "$interpreter")" "compiles" >>"$table"
            continue
            ;;
        esac
        wheel=$(build "$target" "$interpreter")
        check_tag "$wheel" "$(tag_of "$target")"
        case $target in
        x86_64-*-gnu) ran=$(run_here "$wheel" "$interpreter") ;;
        aarch64-*-gnu) ran=$(run_by_qemu "$wheel" "$interpreter") ;;
        *) ran="not run" ;;
        esac
        printf '%s\t%s\t%s\n' "$(basename "$wheel")" "$(du --apparent-size -BK "$wheel" | cut -f 1)" "$ran" >>"$table"
    done
done
printf '\n'
column -t -s "$(printf '\t')" "$table"
