"""The files that a caller means: those of a list, a folder or a pattern."""

from __future__ import annotations

import errno
import os
import stat

from penstock._io import formats as _formats
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock._base.types import Format, Found


def files(source: object, format: Format | None) -> list[Found] | None:
    """Return the paths of the files that `source` means, in order; None if it is one source.

    A list or a tuple of paths means the files of each. A folder means the files in it whose names
    say `format`, or any format that Penstock reads; in the order of their names, and without those
    that begin with a dot. A text with `*`, `?` or `[` that is no file is a pattern: `**` stands for
    any folders, and the order is that of the paths.

    Raises:
        FileNotFoundError: There is no such file.
        TypeError: An element of the list is not a path.
        ValueError: A path is a URL.
    """
    if isinstance(source, (list, tuple)):
        is_some = bool(source) and (
            isinstance(source[0], (str, os.PathLike)) or _sources.is_remote(source[0])
        )
        if not is_some:
            return None
        found: list[Found] = []
        for each in source:
            if _sources.is_remote(each):
                found.append(each)
                continue
            if not isinstance(each, (str, os.PathLike)):
                kind = type(each).__name__
                raise TypeError(f"a list of paths holds paths only, not {kind}")
            found += files(each, format) or [os.fsdecode(each)]
        return found
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = os.fsdecode(source)
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - pathlib is slow to import
    except (OSError, ValueError):
        return _of_pattern(path)
    if not is_folder:
        return None
    found = [*within(path, format)]
    if not found:
        formats = _formats.listed([repr(name) for name in _formats.NAMES], "or")
        what = formats if format is None else repr(format)
        message = f"The folder has no file whose name says the format {what}"
        with os.scandir(path) as entries:
            has_folders = any(entry.is_dir() for entry in entries)
        if has_folders:
            pattern = os.path.join(path, "**", f"*.{format or 'ndjson'}")  # noqa: PTH118 - as above
            message += f"; a pattern means files in its folders, such as {pattern!r}"
        raise FileNotFoundError(errno.ENOENT, message, path)
    return found


def within(folder: str, format: Format | None) -> list[str]:
    """Return the files in a folder whose names say `format`, or any format that Penstock reads."""
    names = sorted(os.listdir(folder))  # noqa: PTH208 - as above
    paths = [os.path.join(folder, name) for name in names if not name.startswith(".")]  # noqa: PTH118 - as above
    return [path for path in paths if os.path.isfile(path) and _is_wanted(path, format)]  # noqa: PTH113 - as above


def _is_wanted(path: str, format: Format | None) -> bool:
    try:
        found = _formats.of_name(path)
    except ValueError:
        return False
    return found is not None and format in {None, found}


def matching(pattern: str) -> list[str]:
    """Return the files that match a pattern, in the order of their paths."""
    from glob import glob  # noqa: PLC0415 - few need it

    return sorted(path for path in glob(pattern, recursive=True) if os.path.isfile(path))  # noqa: PTH113, PTH207 - as above


def _of_pattern(pattern: str) -> list[Found] | None:
    """Return the files that match a pattern; None if it is none."""
    is_pattern = _sources.is_pattern(pattern) and "://" not in pattern
    if not is_pattern and "[" not in pattern:
        return None
    found: list[Found] = [*matching(pattern)]
    if not found and is_pattern:
        raise FileNotFoundError(errno.ENOENT, "No file matches", pattern)
    # A name with a bracket may as well be that of a file: opening it says what is wrong.
    return found or None
