#!/bin/sh
# A CPython for 64-bit ARM that runs on this machine, by qemu-aarch64. Prints the path of a program that starts it.
#
#     scripts/arm64-python.sh 3.11
#
# It unpacks the packages of the Debian release that has this version below .cache/arm64, and installs nothing. Beside
# the interpreter that is the library of C++, which wheels of others expect. It needs apt-get and dpkg, and qemu-aarch64
# (package qemu-user).
set -eu
cd "$(dirname "$0")/.."
version=$1
case $version in
3.11) suite=bookworm ;;
3.13) suite=trixie ;;
3.14 | 3.15) suite=sid ;;
*)
    echo "no release of Debian has Python $version" >&2
    exit 1
    ;;
esac
command -v qemu-aarch64 >/dev/null || { echo "qemu-aarch64 is missing: it is in the package qemu-user" >&2; exit 1; }

folder="$PWD/.cache/arm64/$version"
program="$folder/usr/bin/python-by-qemu"
if ! [ -x "$program" ]; then
    rm -rf "$folder"
    apt="$folder.apt"
    mkdir -p "$folder" "$apt/lists/partial" "$apt/archives/partial"
    : >"$apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main" \
        >"$apt/sources.list"
    # A world of its own: nothing of the machine's packages counts as installed.
    cat >"$apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Acquire::Languages "none";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
END
    {
        APT_CONFIG="$apt/apt.conf" apt-get -q update
        APT_CONFIG="$apt/apt.conf" apt-get -q -y --no-install-recommends --download-only install \
            "python$version" libstdc++6
        for package in "$apt"/archives/*.deb; do
            dpkg -x "$package" "$folder"
        done
    } >&2
    # From Debian 13 on, no package but the base system itself has this link.
    [ -e "$folder/lib" ] || ln -s usr/lib "$folder/lib"
    # The interpreter is told this program's name, so what it starts itself is started by qemu too.
    cat >"$program.new" <<END
#!/bin/sh
exec qemu-aarch64 -L "$folder" -0 "$program" "$folder/usr/bin/python$version" "\$@"
END
    chmod +x "$program.new"
    mv "$program.new" "$program"
    rm -rf "$apt"
fi
echo "$program"
