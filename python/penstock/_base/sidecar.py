"""The file in which the index of another one is kept: of its lines, its rows, or its parts.

Whoever names it may be mistaken, and others may write into its folder. So a file is replaced only
if it is an index, and an index is written whole or not at all, under a name that nobody foresees.
"""

from __future__ import annotations

import errno
import os
import stat

import penstock._rust as _rust

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

    from penstock._base.types import Found, Index

# The first bytes of an index in any version, and the size that one can have.
_MAGIC = b"PENSTIX"
_LARGEST = 64 << 20

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def place(file: Found, index: Index, suffix: str) -> str:
    """Return the path at which the index of a file is kept: beside it, or as the caller says.

    Raises:
        ValueError: There is nothing beside an address.
    """
    if index is not True:
        return os.fsdecode(index)  # type: ignore[arg-type]  # a path
    if not isinstance(file, str):
        raise ValueError(  # noqa: TRY004 - it is a file that verbs take
            f"nothing can be kept beside {file.name}: pass a path as index="
        )
    return file + suffix


def kept(path: str, magic: bytes = _MAGIC) -> bytes | None:
    """Return the index at `path`, or None if there is no file. Its kind begins with `magic`.

    Raises:
        FileExistsError: There is something else than an index.
        OSError: It cannot be read.
    """
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            _refuse(path)
        descriptor = os.open(path, _READ)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - pathlib is slow to import
        if file.read(len(magic)) != magic:
            _refuse(path)
        return magic + file.read(_LARGEST)


def keep(path: str, index: bytes, magic: bytes = _MAGIC) -> None:
    """Write an index: all of it or nothing. It begins with `magic`.

    If others write it at the same time, each of them succeeds and the last one counts.

    Raises:
        FileExistsError: There is something else than an index.
        OSError: It cannot be written.
    """
    if kept(path, magic) is None:
        try:
            _write(path, index, new=True)
        except OSError:
            # Somebody was faster, or the file system has no links.
            kept(path, magic)
        else:
            return
    _write(path, index, new=False)


def _write(path: str, index: bytes, *, new: bool) -> None:
    """Write an index that is new or replaces one.

    Replacing could lose a file that was made meanwhile. A new file is linked to its name instead,
    which cannot.
    """
    # Without syncing, a power failure could leave an empty file, which is no index.
    with _rust.Target(path, None, None, None, False, "error", True, False) as target:
        target.write(index)
        target.finish(new)


def _refuse(path: str) -> NoReturn:
    message = "index= names something else than an index, which Penstock does not replace"
    raise FileExistsError(errno.EEXIST, message, path)
