"""What the `read` functions share: they read one source, or several files."""

from __future__ import annotations

import stat

import penstock._rust as _rust
from penstock._base.errors import DecodeError
from penstock._io import files as _files
from penstock._io import formats as _formats
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from penstock._base.limits import Limits
    from penstock._base.types import Compression, Format, Found, Where


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
    where: Where | None = None,
) -> _rust.Reader[Any]:
    """Read a source, or several files one after the other.

    With `where`, the reader passes over all records that a condition does not want.

    Without a dialect, it is that of the format; without a format, that of each file. It may be a
    function of the name of each file. `said` has the arguments of a dialect that can be made again.

    Raises:
        OSError: A file cannot be opened.
        TypeError: `source` is none.
        ValueError: The format is not known; or as for `penstock.json.load`.
    """
    paths = _files.files(source, format)
    if paths is not None and len(paths) > 1:
        return _several(
            paths, format, dialect, into, at, policy, encoding, compression, member, limits, where
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
        if where is not None:
            dialect = wanting(dialect, where)
        return _rust.Reader(dialect, opened, into, at, policy, limits, True, None, kept)  # type: ignore[arg-type]  # a path or a mapping
    finally:
        del given  # This closes an archive that was opened here.


# Apart from `read`, which is called more often than any other function: to make functions that
# capture variables takes time, and the interpreter loses the variables if memory ends meanwhile.
def _several(
    paths: list[Found],
    format: Format | None,
    dialect: _rust.Dialect | Callable[[str | None], _rust.Dialect] | None,
    into: object,
    at: object,
    policy: _rust.Policy,
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
    where: Where | None,
) -> _rust.Reader[Any]:
    total: int | None = 0
    for path in paths:
        about = _sources.stat(path)
        is_file = not isinstance(path, str) or stat.S_ISREG(about.st_mode)
        has_size = is_file and about.st_size is not None
        total = total + about.st_size if has_size and total is not None else None

    def opened(path: Found, dialect: _rust.Dialect) -> tuple[_rust.Dialect, _rust.Source]:
        try:
            given, name = _sources.locate("read", path, compression, member, limits)
        except DecodeError as error:
            # As with any file that is broken, the error comes when its records are read.
            given, name = _broken(error), _sources.shown(path)
        return dialect, _rust.Source(given, name, encoding, compression)

    # A file that cannot be opened does not end a `map`, as it would end a generator.
    if dialect is None:
        dialects = [_dialect(path, _sources.shown(path), format) for path in paths]
    elif callable(dialect):
        dialects = [dialect(_sources.shown(path)) for path in paths]
    else:
        dialects = [dialect for _ in paths]
    alike = all(each is dialects[0] for each in dialects)
    if where is not None:
        dialects = [wanting(each, where) for each in dialects]
    sources = map(opened, paths, dialects)
    first, given = next(sources)
    several = (f"{len(paths):,} files", alike, total, sources)
    return _rust.Reader(first, given, into, at, policy, limits, True, several)  # type: ignore[arg-type]


def wanting(dialect: _rust.Dialect, where: Where | None) -> _rust.Dialect:
    """Return a dialect for those records that a condition wants.

    Raises:
        TypeError: `where` is neither a condition nor text.
        ValueError: The text is no condition.
    """
    if where is None:
        return dialect
    from penstock._base import conditions as _conditions  # noqa: PLC0415 - few programs have one

    return dialect.wanting(_conditions.given(where))


def _broken(error: DecodeError) -> Iterator[bytes]:
    """Return the chunks of a source that has an error at its beginning."""
    raise error
    yield b""


def _dialect(given: object, name: str | None, format: Format | None) -> _rust.Dialect:
    return _formats.dialect(_formats.of_source(given, name) if format is None else format, name)
