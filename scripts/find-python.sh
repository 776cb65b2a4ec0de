#!/bin/sh
# Prints the path of the interpreter to build and test with:
#
#     scripts/find-python.sh                the newest supported one that works
#     scripts/find-python.sh python3.12     this one, if it is supported and works
#     scripts/find-python.sh --version 3.12 the first one of this version that works
#
# It looks at the PATH, at the versions of pyenv and uv, and at what scripts/fetch-python.sh has fetched.
set -eu
cd "$(dirname "$0")/.."
versions="3.15 3.14 3.13 3.12 3.11"

# Prints where an interpreter is, if Penstock can be built for it. A shim of pyenv may stand for a version
# that is not installed, and Debian's interpreter may lack what makes environments.
path_of() {
    "$1" - "$versions" 2>/dev/null <<'PROGRAM'
import sys, sysconfig
import ensurepip, venv
version = "%d.%d" % sys.version_info[:2]
if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
    sys.exit(1)
if version not in sys.argv[1].split():
    sys.exit(1)
print(sys.executable)
PROGRAM
}

if [ "${1:-}" = --version ]; then
    versions=$2
elif [ $# -gt 0 ]; then
    if ! path_of "$1"; then
        echo "$1 is not CPython 3.11 to 3.15 with the interpreter lock, venv and ensurepip" >&2
        exit 1
    fi
    exit 0
fi

pyenv="${PYENV_ROOT:-$HOME/.pyenv}/versions"
uv="${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/uv/python}"
for version in $versions; do
    for candidate in "python$version" "$pyenv/$version".*/bin/"python$version" \
        "$uv/cpython-$version".*/bin/"python$version" ".cache/pythons/$version/bin/python$version"; do
        if path_of "$candidate"; then
            exit 0
        fi
    done
done
if path_of python3; then
    exit 0
fi
echo "no CPython of $versions with venv and ensurepip was found; on Debian: apt install python3-venv" >&2
exit 1
