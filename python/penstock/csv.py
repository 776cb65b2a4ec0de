"""CSV and its kin: rows of cells, straight into your own types.

The verbs are those of `penstock.json`, and you pass the type of one row: `decode` and `load` return
a list, `read` returns one row at a time in constant memory. The first row is the header, whose
names find the fields of a class. Without a class, a row is a dict of text.

The text is that of RFC 4180: cells between commas, and quotes around cells that contain commas,
quotes or line ends. Pass a `Dialect` for other text. By default, the suffix of a file's name
says the delimiter: a tab for `.tsv` and `.tab`, a bar for `.psv`, else a comma.
"""

from __future__ import annotations

from penstock import _dialect, _missing, _plan, _read, _rust, _sources
from penstock._dialect import Dialect
from penstock._types import PLAIN, T

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

    from typing_extensions import TypeForm

    from penstock._limits import Limits
    from penstock._types import (
        Compression,
        CountedUnknown,
        Data,
        Empty,
        Errors,
        Source,
        Sources,
        Types,
        Unknown,
    )

__all__ = [
    "Dialect",
    "decode",
    "load",
    "read",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        """Say what to use in place of a name that there is not."""
        _missing.attribute(__name__, name)


@_rust.direct_other
def decode(
    data: Data,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    dialect: Dialect | None = None,
    all_errors: bool = False,
    unknown: Unknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    limits: Limits | None = None,
) -> list[T]:
    r"""Decode all rows that are in memory.

    Args:
        data: The text: a `str`, or any object with the buffer protocol, such as `bytes`. Never a
            path; use `load` for that.
        into: The type of one row. By default, or with `Any` or `object`, a row is a dict of the
            columns' names and the text of its cells. You may pass a `penstock.Plan` for any type.
        dialect: How the text is cut into rows and cells; by default with commas.
        all_errors: Whether an error reports all problems of its row, in its `problems`, and not
            only the first.
        unknown: Whether to `"skip"` columns that a class does not name, or to raise an `"error"`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of bytes if there is no byte order mark and it is not UTF-8: a name
            of the WHATWG table, or `"utf-16-le"` and similar.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The rows, in their order.

    Raises:
        MalformedInput: A row is not CSV, or has another number of cells than there are columns.
        TruncatedInput: A quote is never closed.
        ValidationError: A row does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     population: int
        >>> penstock.csv.decode("name,country,population\nBern,CH,134591\n", City)
        [City(name='Bern', population=134591)]
        >>> penstock.csv.decode('name,note\nBern,"the ""City of Bears"", on the Aare"\n')
        [{'name': 'Bern', 'note': 'the "City of Bears", on the Aare'}]
    """
    if types is not None:
        into = _plan.with_types(into, types)
    form = _dialect.chosen(dialect, None)
    return _rust.decode(form, data, into, "last", unknown, all_errors, encoding, limits)


@_missing.advised
def load(
    source: Source,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    dialect: Dialect | None = None,
    all_errors: bool = False,
    unknown: Unknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> list[T]:
    r"""Decode all rows of a file or a stream.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes. Never the data itself;
            use `decode` for that.
        into: The type of one row; see `decode`.
        dialect: How the text is cut into rows and cells; by default as the suffix says.
        all_errors: Whether an error reports all problems; see `decode`.
        unknown: What to do with columns that a class does not name; see `decode`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The rows, in their order.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of the three.
        ValueError: The archive does not hold exactly one file, or not `member`.
        DecodeError: As for `decode`; or a plain `DecodeError`, if the source raised while it was
            read.
        PlanError: As for `decode`.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.tsv")
        >>> _ = path.write_text("size\tcolour\n36\tblue\n")
        >>> penstock.csv.load(path)
        [{'size': '36', 'colour': 'blue'}]
    """
    if types is not None:
        into = _plan.with_types(into, types)
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        return _rust.load(
            _dialect.chosen(dialect, name),
            _rust.Source(given, name, encoding, compression),
            into,
            "last",
            unknown,
            all_errors,
            limits,
        )
    finally:
        del given  # This closes an archive that was opened here.


@_missing.advised
def read(
    source: Sources,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    dialect: Dialect | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
    empty: Empty = "allow",
    all_errors: bool = False,
    unknown: CountedUnknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> _rust.Reader[T]:
    r"""Read the rows one at a time, in constant memory.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open. Or several files, which are read in order: a list of paths, a
            pattern such as `"data/*.csv"`, or a folder. Each has a header of its own.
        into: The type of one row; see `decode`.
        dialect: How the text is cut into rows and cells; by default as the suffix says.
        errors: What to do with a row that is malformed or does not fit `into`. `"raise"` raises its
            error. `"skip"` leaves it out and counts it in `reader.skipped`. `"collect"` raises an
            `ExceptionGroup` of the errors after the last good row. A function is called with
            each error.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        empty: `"error"` makes a file an error that has no row behind its header.
        all_errors: Whether an error reports all problems; see `decode`.
        unknown: What to do with columns that a class does not name; see `penstock.json.read`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        An iterator over the rows; see `penstock.json.read`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`.
        ValueError: As for `load`.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: While iterating, as for `decode`.

    Example:
        >>> import io, penstock
        >>> rows = io.BytesIO(b"n,m\n1,2\n3\n5,6\n")
        >>> reader = penstock.csv.read(rows, dict[str, int], errors="skip")
        >>> list(reader), reader.skipped
        ([{'n': 1, 'm': 2}, {'n': 5, 'm': 6}], 1)
    """
    if types is not None:
        into = _plan.with_types(into, types)
    policy = _rust.Policy(errors, max_errors, "last", unknown, all_errors, empty)
    form = None if dialect is None else _dialect.checked(dialect)
    return _read.read(
        source, "csv", form, into, None, policy, encoding, compression, member, limits
    )
