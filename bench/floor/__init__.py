"""The creation floor: builds `floor.c` on first use and calls it.

A decoder cannot be faster than making the objects it returns. This package makes the same objects
from values that already exist in memory, so that every row of the benchmark can say how far a
decoder is from that floor. It needs a C compiler; without one the floor is left out of the table.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import importlib.machinery
import importlib.util
import os
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import inputs

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

T = TypeVar("T")
Made = TypeVar("Made")

SOURCE = Path(__file__).with_name("floor.c")


def prepare(
    cls: type[T], prototypes: list[tuple[object, ...]], *, shared: tuple[int, ...] = ()
) -> Callable[[int], list[T]]:
    """Return a function that creates so many instances of a slots class.

    They hold new copies of the prototypes' values, the prototypes taken in turn; `shared` lists the
    slots whose value is the same object in every instance. The collector is paused meanwhile, and
    the objects are promoted unvisited afterwards, as the best decoder would do.

    Raises:
        inputs.Missing: there is no C compiler to build the floor with.
        TypeError: the class has no slots, or a prototype has not one value for each.
    """
    native = load()
    plan = native.prepare(cls, prototypes, shared)

    return promoting(lambda count: native.make(plan, count))


def prepare_keyed(
    cls: type[T], prototypes: list[tuple[object, ...]], keys: list[str]
) -> Callable[[int], dict[str, T]]:
    """Return a function that creates so many instances, in a dict under new copies of the keys.

    Otherwise as `prepare`.
    """
    native = load()
    plan = native.prepare(cls, prototypes, ())
    return promoting(lambda count: native.keyed(keys, native.make(plan, count)))


def prepare_plain(prototypes: list[T]) -> Callable[[int], list[T]]:
    """Return a function that creates so many copies of plain values, taken in turn.

    Otherwise as `prepare`.
    """
    native = load()
    return promoting(lambda count: native.copies(prototypes, count))


def promoting(create: Callable[[int], Made]) -> Callable[[int], Made]:
    """Pause the collector while objects are created, and promote them unvisited afterwards."""

    def make(count: int) -> Made:
        collecting = gc.isenabled()
        gc.disable()
        try:
            made = create(count)
        finally:
            if collecting:
                if not gc.get_freeze_count():
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()
        return made

    return make


@functools.cache
def load() -> ModuleType:
    """Build the native module if its source or the interpreter changed, and import it."""
    source = SOURCE.read_bytes()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    library = inputs.CACHE / f"floor-{hashlib.sha256(source).hexdigest()[:12]}{suffix}"
    if not library.exists():
        build(library)
    loader = importlib.machinery.ExtensionFileLoader("floor", str(library))
    spec = importlib.util.spec_from_file_location("floor", library, loader=loader)
    if spec is None:
        raise inputs.Missing(f"{library.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def build(library: Path) -> None:
    """Compile `floor.c` into `library`, which appears whole or not at all."""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        raise inputs.Missing("no C compiler (set CC), so no floor")
    library.parent.mkdir(parents=True, exist_ok=True)
    partial = library.with_suffix(f".{os.getpid()}")
    include = sysconfig.get_path("include")
    flags = ["-O3", "-shared", "-fPIC", "-Wall", "-Wextra", f"-I{include}"]
    subprocess.run([*compiler, *flags, str(SOURCE), "-o", str(partial)], check=True)
    partial.replace(library)
