"""Checks the sources of `load` and `read`, and finds their names in messages.

A source is a path, a binary file, or an iterable of chunks of bytes. It is never the data itself,
so that a `str` means one thing in each verb. The extension opens paths. Whoever opened a file
closes it.
"""

from __future__ import annotations

import errno
import io
import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, NoReturn

    from penstock._base.limits import Limits
    from penstock._base.types import Addressed, Compression, Found, Path, Source


def is_remote(source: object) -> bool:
    """Whether a source is a file behind an address, of `penstock.remote`."""
    return hasattr(source, "read_range") and hasattr(source, "kept")


def local(remote: Addressed) -> Found:
    """Return the path of what is kept of an address, or the address."""
    return remote.kept() or remote


def stat(path: Found) -> Any:
    """Return the state of a file by its path, as `os.stat`, or behind an address."""
    return os.stat(path) if isinstance(path, str) else path.stat()  # noqa: PTH116 - pathlib is slow to import


def locate(
    verb: str,
    source: Source,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
) -> tuple[object, str | None]:
    """Return the object that the extension shall read for `source`, and its name in messages.

    If the name ends in `.zip`, the standard library opens the source here, unless `compression`
    forbids it. If there is a `member`, it opens any source.

    Raises:
        TypeError: `source` is none of the three kinds. The message says what to pass.
        ValueError: A zip archive does not hold exactly one member, and `member` names none of them.
    """
    given, name = _named(verb, source)
    is_zip = compression == "infer" and name is not None and name.lower().endswith(".zip")
    if member is None and not is_zip:
        return given, name
    from penstock._io.zip import open_member  # noqa: PLC0415 - few need it, and it is slow

    return open_member(verb, given, name, member, limits)


def path(verb: str, source: Path | Addressed) -> tuple[Found, str]:
    """Return the path of a file whose records are read in any order, and its name in messages.

    Instead of the path, it may be an address.

    Raises:
        TypeError: `source` is not a path.
    """
    if is_remote(source):
        return local(source), source.name  # type: ignore[arg-type, union-attr]  # it is one
    if not isinstance(source, (str, os.PathLike)):
        kind = type(source).__name__
        raise TypeError(f"{verb}() takes the path of a file of records, not {kind}")
    path = os.fsdecode(source)
    return path, printable(path)


def _named(verb: str, source: Source) -> tuple[object, str | None]:
    """Check the kind of `source`; return it with a path as a `str`, and its name if it has one."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fsdecode(source)
        if (scheme(path) or is_pattern(path)) and not os.path.lexists(path):
            _refuse(verb, path)
        return path, printable(path)
    if isinstance(source, (bytes, bytearray, memoryview)):
        remedy = (
            "wrap data in memory in io.BytesIO()"
            if verb in {"send", "events", "columns", "schema"}
            else "for data in memory use decode()"
        )
        raise TypeError(f"{verb}() takes a path or a binary file; {remedy}")
    if is_remote(source):
        return local(source), source.name  # type: ignore[arg-type, union-attr]  # it is one
    if isinstance(source, io.TextIOBase):
        raise TypeError(f"{verb}() takes a binary file, not a text file: open it with 'rb'")
    if hasattr(source, "read") or hasattr(source, "readinto"):
        name = getattr(source, "name", None)
        # A file that was opened by its number has the number for a name. That is of no use.
        return source, printable(name) if isinstance(name, str) else None
    first = next(iter(source), None) if isinstance(source, (list, tuple)) else source
    if isinstance(first, (str, os.PathLike)):
        raise TypeError(f"{verb}() takes one source: penstock.read() takes a list of paths")
    if isinstance(first, dict):
        kind = type(source).__name__
        raise TypeError(
            f"{verb}() takes a path, a binary file or chunks of bytes, not {kind}: "
            "values that are parsed already are for penstock.make() and penstock.dump()"
        )
    if hasattr(source, "__iter__"):
        return source, None
    kind = type(source).__name__
    if hasattr(source, "__aiter__"):
        raise TypeError(f"{verb}() cannot wait for an asynchronous {kind}: use penstock.aio.read()")
    raise TypeError(
        f"{verb}() takes a path, a binary file or an iterable of chunks of bytes, not {kind}"
    )


def check(verb: str, source: object) -> None:
    """Check the kind of a source of records, in the name of a verb that is short for `read`.

    Raises:
        TypeError: It is none. The message says what to pass.
        ValueError: It is a URL.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fsdecode(source)
        if scheme(path) and not os.path.lexists(path):
            _refuse(verb, path)
    elif not isinstance(source, (list, tuple)) or not _has_paths(source):
        _named(verb, source)  # type: ignore[arg-type]  # that is what it checks


def _has_paths(source: list[Any] | tuple[Any, ...]) -> bool:
    return bool(source) and isinstance(source[0], (str, os.PathLike))


def is_pattern(path: str) -> bool:
    """Whether a path that is no file is a pattern of several, and not a document by mistake."""
    return ("*" in path or "?" in path) and not path.startswith(("{", "[{", "<"))


def scheme(path: str) -> str:
    """Return the scheme of a URL."""
    name, mark, _ = path.partition("://")
    return name if mark and name.isascii() and name.isalnum() else ""


def _refuse(verb: str, path: str) -> NoReturn:
    """Say what to do with a path that is none."""
    of = scheme(path)
    if not of:
        message = "No such file; penstock.read() takes a pattern"
        raise FileNotFoundError(errno.ENOENT, message, path)
    if of == "file":
        message = f"{verb}() opens files by their paths, not URLs: pass {path_of(path)!r}"
        raise ValueError(message)
    raise ValueError(f"{verb}() opens files, not URLs: pass penstock.remote({path!r})")


def path_of(url: str) -> str:
    """Return the path of a URL of a file."""
    from urllib.parse import unquote, urlsplit  # noqa: PLC0415 - slow to import

    return unquote(urlsplit(url).path)


def shown(path: Found) -> str:
    """Return what messages call a file by its path or address."""
    return printable(path) if isinstance(path, str) else path.name


def printable(name: str) -> str:
    """A name that can be printed anywhere: its bytes that are not UTF-8 become escapes."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()
