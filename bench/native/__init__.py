"""Peers in Rust: builds the library on first use and calls it.

It needs `cargo`, which building Penstock needs as well, and the registry of crates.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import shutil
import subprocess
from pathlib import Path

import inputs

FOLDER = Path(__file__).parent


@functools.cache
def load() -> ctypes.CDLL:
    """Build the library if its sources changed, and load it.

    Raises:
        inputs.Missing: there is no cargo, or the build failed.
    """
    sources = [FOLDER / "Cargo.toml", FOLDER / "Cargo.lock", FOLDER / "src" / "lib.rs"]
    state = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    library = inputs.CACHE / f"native-{state}.so"
    if not library.exists():
        build(library)
    loaded = ctypes.CDLL(str(library))
    loaded.quick_xml_check.restype = ctypes.c_int64
    loaded.quick_xml_check.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return loaded


def build(library: Path) -> None:
    """Build the library with the flags that Penstock is built with."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise inputs.Missing("no cargo, so no quick-xml")
    inputs.CACHE.mkdir(parents=True, exist_ok=True)
    target = inputs.CACHE / "native"
    command = [cargo, "build", "--release", "--locked", "--quiet", "--target-dir", str(target)]
    if subprocess.run(command, cwd=FOLDER, check=False).returncode:
        raise inputs.Missing("quick-xml could not be built")
    shutil.copy(target / "release" / "libpenstock_bench_native.so", library)


def quick_xml(data: bytes) -> int:
    """Read a document with quick-xml and return the number of events.

    Raises:
        ValueError: quick-xml refuses it.
    """
    count: int = load().quick_xml_check(data, len(data))
    if count < 0:
        raise ValueError("quick-xml refuses the document")
    return count
