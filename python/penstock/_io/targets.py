"""Checks the targets of what writes, and opens them.

A target is a path, a binary file, or a function that is called with chunks of bytes. The extension
opens paths. Whoever opened a file closes it.
"""

from __future__ import annotations

import atexit
import errno
import io
import os
from _weakref import ref  # Importing `weakref` takes as long as all of this.

import penstock._rust as _rust
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

    from penstock._base.types import Packing, Target, Torn

# The compressions by the suffixes of their files. BGZF is gzip in pieces.
_SUFFIXES = {suffix: name for name, suffix in _rust.COMPRESSIONS}
_IN_PIECES = ".bgz"
_SUFFIXES[_IN_PIECES] = "gzip"

# The files that are being written.
_unfinished: set[ref[_rust.Target]] = set()


def open_target(
    verb: str,
    target: Target,
    *,
    compression: Packing | None = "infer",
    level: int | None = None,
    append: bool = False,
    torn: Torn = "error",
    sync: bool = False,
    pieces: bool = False,
) -> _rust.Target:
    """Open what the caller passed as `target`.

    Args:
        verb: The function that the caller called, for messages.
        target: A path, a binary file, or a function that takes bytes.
        compression: By default, that of the suffix of a path, and none for anything else.
        level: How well it compresses; by default as the compression's own tool does it.
        append: Write behind the lines of a file instead of replacing it.
        torn: What to do if its last line has no line feed: raise an error, or cut it off.
        sync: Have the file on the disk before it replaces the old one, and the new name at the end.
        pieces: Compress in pieces that can be decompressed on their own.

    Raises:
        TypeError: `target` is none of the three kinds. The message says what to pass.
        ValueError: There is no such compression or level, or the options do not fit the target.
        OSError: The path cannot be written to.
        DecodeError: The file that is appended to ends inside a line, or is another kind of file.
    """
    if isinstance(target, (str, os.PathLike)):
        given, name = _path(verb, os.fsdecode(target))
        if compression == "infer":
            compression = _by_suffix(name)
            pieces = pieces or name.lower().endswith(_IN_PIECES)
        if not append and os.path.exists(given) and not os.access(given, os.W_OK):  # noqa: PTH110 - pathlib is slow to import
            # The folder alone would allow it.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), given)
        opened = _rust.Target(given, name, compression, level, append, torn, sync, True, pieces)
        _unfinished.add(ref(opened, _unfinished.discard))
        return opened
    check(verb, target)
    for option, value in {"append": append, "sync": sync}.items():
        if value:
            raise ValueError(f"{option}= needs a path: {verb}() does not open this target itself")
    if compression == "infer":
        compression = None
    return _rust.Target(target, None, compression, level, append, torn, sync, True, pieces)


def _path(verb: str, path: str) -> tuple[str, str]:
    """Check a path; return it, and its name in messages."""
    name = _sources.printable(path)
    if "\0" in path:
        raise ValueError("embedded null byte")
    if (scheme := _sources.scheme(path)) and not os.path.lexists(path):
        if scheme == "file":
            local = _sources.path_of(path)
            raise ValueError(f"{verb}() opens files by their paths, not URLs: pass {local!r}")
        pass_on = (
            "a function that takes bytes"
            if scheme in {"http", "https", "ftp"}
            else f"the binary file that a client for {scheme} opens"
        )
        raise ValueError(f"{verb}() opens files, not URLs: pass {pass_on}")
    return path, name


def _by_suffix(name: str) -> Packing | None:
    """Return the compression of a file's name."""
    lower = name.lower()
    if lower.endswith(".zip"):
        raise ValueError("zip archives cannot be written: the suffix may be .gz, .zst, .bz2 or .xz")
    for suffix, compression in _SUFFIXES.items():
        if lower.endswith(suffix):
            return compression
    return None


def check(verb: str, target: object) -> None:
    """Refuse what takes no bytes.

    Raises:
        TypeError: The message says what to pass.
    """
    # A temporary file has the real one inside.
    if any(isinstance(file, io.TextIOBase) for file in (target, getattr(target, "file", None))):
        _refuse(verb, "a binary file, not a text file: open it with 'wb', or pass its .buffer")
    if isinstance(target, (bytes, bytearray, memoryview)):
        _refuse(verb, "a path, a binary file or a function; for data in memory pass io.BytesIO()")
    kind = type(target).__name__
    if isinstance(target, type) or not (hasattr(target, "write") or callable(target)):
        what = f"the class {target.__name__}" if isinstance(target, type) else kind
        _refuse(verb, f"a path, a binary file or a function that takes bytes, not {what}")


def _refuse(verb: str, takes: str) -> NoReturn:
    raise TypeError(f"{verb}() takes {takes}")


@atexit.register
def _abort_all() -> None:
    """Leave no file half written beside its place if the interpreter ends before its target."""
    for reference in tuple(_unfinished):
        opened = reference()
        try:
            if opened is not None:
                opened.abort()
        except (OSError, RuntimeError):
            # There is nobody to tell. A thread may still be writing.
            continue
