"""What the `read` functions share: they read one source, or several files."""

from __future__ import annotations

import errno
import os
import stat

import penstock._rust as _rust
from penstock._io import formats as _formats
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from penstock._base.limits import Limits
    from penstock._base.types import Compression, Format


def read(
    source: object,
    format: Format | None,
    dialect: _rust.Dialect | Callable[[str | None], _rust.Dialect] | None,
    into: object,
    at: object,
    policy: _rust.Policy,
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
    said: dict[str, Any] | None = None,
) -> _rust.Reader[Any]:
    """Read a source, or several files one after the other.

    Without a dialect, it is that of the format; without a format, that of each file. It may be a
    function of the name of each file. `said` has the arguments of a dialect that can be made again.

    Raises:
        OSError: A file cannot be opened.
        TypeError: `source` is none.
        ValueError: The format is not known; or as for `penstock.json.load`.
    """
    paths = files(source, format)
    if paths is not None and len(paths) > 1:
        return _several(
            paths, format, dialect, into, at, policy, encoding, compression, member, limits
        )
    one = source if paths is None else paths[0]
    given, name = _sources.locate("read", one, compression, member, limits)  # type: ignore[arg-type]  # it is checked there
    try:
        opened = _rust.Source(given, name, encoding, compression)
        kept = None if dialect is not None and said is None else (said,)
        if dialect is None:
            dialect = _dialect(given, name, format)
        elif callable(dialect):
            dialect = dialect(name)
        return _rust.Reader(dialect, opened, into, at, policy, limits, True, None, kept)  # type: ignore[arg-type]  # a path or a mapping
    finally:
        del given  # This closes an archive that was opened here.


# Apart from `read`, which is called more often than any other function: to make functions that
# capture variables takes time, and the interpreter loses the variables if memory ends meanwhile.
def _several(
    paths: list[str],
    format: Format | None,
    dialect: _rust.Dialect | Callable[[str | None], _rust.Dialect] | None,
    into: object,
    at: object,
    policy: _rust.Policy,
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
) -> _rust.Reader[Any]:
    total: int | None = 0
    for path in paths:
        about = os.stat(path)  # noqa: PTH116 - pathlib is slow to import
        is_file = stat.S_ISREG(about.st_mode)
        total = total + about.st_size if is_file and total is not None else None

    def opened(path: str, dialect: _rust.Dialect) -> tuple[_rust.Dialect, _rust.Source]:
        given, name = _sources.locate("read", path, compression, member, limits)
        return dialect, _rust.Source(given, name, encoding, compression)

    # A file that cannot be opened does not end a `map`, as it would end a generator.
    if dialect is None:
        dialects = [_dialect(path, path, format) for path in paths]
    elif callable(dialect):
        dialects = [dialect(path) for path in paths]
    else:
        dialects = [dialect for _ in paths]
    alike = all(each is dialects[0] for each in dialects)
    sources = map(opened, paths, dialects)
    first, given = next(sources)
    several = (f"{len(paths):,} files", alike, total, sources)
    return _rust.Reader(first, given, into, at, policy, limits, True, several)  # type: ignore[arg-type]


def _dialect(given: object, name: str | None, format: Format | None) -> _rust.Dialect:
    return _formats.dialect(_formats.of_source(given, name) if format is None else format, name)


def files(source: object, format: Format | None) -> list[str] | None:
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
        if not source or not isinstance(source[0], (str, os.PathLike)):
            return None
        found: list[str] = []
        for each in source:
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
    found = within(path, format)
    if not found:
        formats = _formats.listed([repr(name) for name in _formats.NAMES], "or")
        what = formats if format is None else repr(format)
        message = f"The folder has no file whose name says the format {what}"
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


def _of_pattern(pattern: str) -> list[str] | None:
    """Return the files that match a pattern; None if it is none."""
    is_pattern = _sources.is_pattern(pattern) and "://" not in pattern
    if not is_pattern and "[" not in pattern:
        return None
    found = matching(pattern)
    if not found and is_pattern:
        raise FileNotFoundError(errno.ENOENT, "No file matches", pattern)
    # A name with a bracket may as well be that of a file: opening it says what is wrong.
    return found or None
