"""The one member of a zip archive, as chunks of bytes.

A zip archive is a directory of files rather than a compressed stream, so the standard
library opens it. Only the requested member is unpacked, and never to disk.
"""

from __future__ import annotations

import errno
import lzma
import struct
import zipfile
import zlib

from penstock._base.errors import DecodeError, LimitExceeded, MalformedInput, TruncatedInput
from penstock._base.limits import Limits
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

# Bytes unpacked at a time, and bytes unpacked before the ratio is checked: a small file may well
# be a thousand times smaller when packed.
_CHUNK = 256 << 10
_JUDGED_FROM = 16 << 20

# The exceptions of `zipfile` and its decompressors for archives that they cannot read.
# `RuntimeError` is for a password, and `NotImplementedError`, which is one, for an unknown method.
# The others come of numbers and names in a damaged directory: `zipfile` looks for the member before
# the beginning of the file, for example, which is a `ValueError` or an `OSError`.
_REFUSED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError),
    *(ValueError, IndexError, OverflowError, struct.error, OSError),
)

# These do not know the members of an archive.
_OF_ONE_FILE = {"split"}

# A member's own header; the lengths of its name and of its extra field are the last two numbers.
_HEADER = struct.Struct("<26xHH")
# What LZMA data begins with: the version, the length of the properties, one of them, the window.
_LZMA = struct.Struct("<2xHxI")


def open_member(
    verb: str, source: object, name: str | None, member: str | None, limits: Limits | None
) -> tuple[Iterator[bytes], str]:
    """Return the chunks of one member of the archive, and the member's name in messages.

    Raises:
        TypeError: `source` is not a path or a file that can seek.
        ValueError: The archive does not hold `member`, or without it, not exactly one.
        MalformedInput: It is not a zip archive.
    """
    if isinstance(source, str):
        file: BinaryIO = open(source, "rb")  # noqa: PTH123, SIM115 - closed with the chunks
    elif _sources.is_remote(source):
        file = source.as_file()  # type: ignore[attr-defined]  # it is one
    elif hasattr(source, "seek") and hasattr(source, "tell") and hasattr(source, "read"):
        file = source  # type: ignore[assignment]  # as much of a file as is needed
    else:
        raise TypeError(f"{verb}() needs a path or a file that can seek to look into a zip archive")
    try:
        try:
            archive = zipfile.ZipFile(file)
            files = _files(archive)
        except _REFUSED as error:
            if _is_of_the_file(error, file):
                raise
            raise MalformedInput(f"not a zip archive: {error}", source=name) from error
        info = _choose(verb, files, name, member)
    except BaseException:
        _close(file, source)
        raise
    # Joined with a directory separator, as if the archive were unpacked in its folder.
    label = info.filename if name is None else f"{name}/{info.filename}"
    chunks = _chunks(file, source, archive, info, label, limits or Limits())
    # Run to the empty chunk: from there the file is closed in any case, even if nothing is read.
    next(chunks)
    return chunks, label


def _is_of_the_file(error: Exception, file: BinaryIO) -> bool:
    """Whether an exception is about the file itself, and not about what it holds."""
    if isinstance(error, OSError):
        return error.errno != errno.EINVAL
    return isinstance(error, ValueError) and getattr(file, "closed", False) is True


def _files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """List the members that are files with data."""
    # macOS adds an entry for each file that holds no data.
    return [
        i for i in archive.infolist() if not i.is_dir() and not i.filename.startswith("__MACOSX/")
    ]


def _choose(
    verb: str, files: list[zipfile.ZipInfo], name: str | None, member: str | None
) -> zipfile.ZipInfo:
    """Find the member to read."""
    chosen = files if member is None else [i for i in files if i.filename == member]
    if len(chosen) == 1:
        return chosen[0]
    shown = ", ".join(repr(i.filename) for i in files[:5]) + (", ..." if len(files) > 5 else "")
    holder = "the archive" if name is None else name
    if not files:
        raise ValueError(f"{holder} holds no file")
    if member is None and verb in _OF_ONE_FILE:
        advice = (
            f"{verb}() takes an archive of one: unpack it, or go through one with read(member=)"
        )
        raise ValueError(f"{holder} holds {len(files)} files, and {advice}: {shown}")
    if member is None:
        raise ValueError(f"{holder} holds {len(files)} files; choose one with member=: {shown}")
    raise ValueError(f"{holder} does not hold {member!r} exactly once; it holds {shown}")


def _chunks(
    file: BinaryIO,
    source: object,
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    label: str,
    limits: Limits,
) -> Iterator[bytes]:
    """Open the member, and after one empty chunk, unpack it piece by piece.

    The file that was opened here is closed when the generator ends or is dropped.
    """
    try:
        _check_window(file, info, label, limits)
        with archive, archive.open(info) as packed:
            yield b""
            start = file.tell()
            unpacked = 0
            while chunk := packed.read(_CHUNK):
                unpacked += len(chunk)
                # Count the bytes that were really read, since the archive's own directory may lie.
                read = max(file.tell() - start, 1)
                if unpacked > _JUDGED_FROM and limits.ratio and unpacked > limits.ratio * read:
                    times = f"more than {limits.ratio} times its size"
                    reason = f"the zip data expands to {times} (limits.ratio)"
                    raise LimitExceeded(reason, source=label, offset=unpacked)
                yield chunk
    except DecodeError:
        raise
    except EOFError as error:
        raise TruncatedInput("the zip archive ends too early", source=label) from error
    except _REFUSED as error:
        if _is_of_the_file(error, file):
            raise
        raise MalformedInput(f"the zip archive cannot be read: {error}", source=label) from error
    finally:
        _close(file, source)


def _check_window(file: BinaryIO, info: zipfile.ZipInfo, label: str, limits: Limits) -> None:
    """Refuse LZMA data that asks for a larger window than `limits.window`.

    `zipfile` allocates whatever the data asks for.
    """
    if info.compress_type != zipfile.ZIP_LZMA:
        return
    file.seek(info.header_offset)
    header = file.read(_HEADER.size)
    if len(header) == _HEADER.size:
        file.seek(sum(_HEADER.unpack(header)), 1)
        begins = file.read(_LZMA.size)
        if len(begins) == _LZMA.size and _LZMA.unpack(begins)[1] > limits.window:
            asked = f"a window of more than {limits.window} bytes (limits.window)"
            raise LimitExceeded(f"the zip data asks for {asked}", source=label, offset=0)


def _close(file: BinaryIO, source: object) -> None:
    """Close the file if it was opened here; a caller's own file stays open."""
    if file is not source:
        file.close()
