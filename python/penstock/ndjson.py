# scripts/verbs.py writes this file from scripts/verbs/ndjson.py: `make verbs`.
"""NDJSON: one JSON document per line, straight into your own types.

It is also known as JSON Lines. The verbs are those of `penstock.json`, and you pass the type of one
record: `decode` and `load` return a list, `read` returns one record at a time in constant memory. A
blank line is not a record. A malformed line spoils only itself, because the next record starts
after the next newline.

`framing=` selects related formats: `"sequence"` is JSON text sequences (RFC 7464), where a record
separator (0x1E) starts each document; `"concatenated"` is documents one after the other, with
or without white space between them.
"""

from __future__ import annotations

import penstock._rust as _rust
from penstock._base import plan as _plan
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN, T
from penstock._io import sources as _sources
from penstock._parts import rows as _rows
from penstock._verbs import decoder as _decoder
from penstock._verbs import encoder as _encoder
from penstock._verbs import read as _read
from penstock._verbs import send as _send
from penstock._verbs import write as _write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, NoReturn, Self

    from typing_extensions import TypeForm

    from penstock._base.limits import Limits
    from penstock._base.types import (
        At,
        Binary,
        Compression,
        CountedUnknown,
        Data,
        Digits,
        Duplicates,
        Empty,
        Errors,
        Framing,
        Index,
        NonFinite,
        Omit,
        Packing,
        Path,
        Source,
        Sources,
        Target,
        Torn,
        Types,
        Unknown,
        Where,
    )
    from penstock._parts.rows import Rows

__all__ = [
    "Decoder",
    "Encoder",
    "decode",
    "dump",
    "encode",
    "load",
    "open",
    "read",
    "send",
    "write",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        """Say what to use in place of a name that there is not."""
        _suggest.attribute(__name__, name)


_LINES = _rust.Dialect("ndjson")


def _dialect(framing: Framing, non_finite: bool = False) -> _rust.Dialect:
    """Return the format with these options. The extension checks them."""
    if framing == "lines" and non_finite is False:
        return _LINES
    return _rust.Dialect("ndjson", {"framing": framing, "non_finite": non_finite})


@_rust.direct_other
def decode(
    data: Data,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    framing: Framing = "lines",
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    non_finite: bool = False,
    types: Types | None = None,
    encoding: str | None = None,
    limits: Limits | None = None,
) -> list[T]:
    r"""Decode all records that are in memory.

    Args:
        data: The records: a `str`, or any object with the buffer protocol, such as `bytes`. Never a
            path; use `load` for that.
        into: The type of one record; see `penstock.json.decode`.
        framing: What separates records: `"lines"`, `"sequence"` or `"concatenated"`.
        all_errors: Whether an error reports all problems; see `penstock.json.decode`.
        duplicates: Which value of a repeated key counts; see `penstock.json.decode`.
        unknown: What to do with keys that a class does not name; see `penstock.json.decode`.
        non_finite: Whether `NaN` and `Infinity` are values; see `penstock.json.decode`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of bytes; see `penstock.json.decode`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The records, in their order.

    Raises:
        MalformedInput: A record is not JSON.
        TruncatedInput: The last record is the beginning of a JSON document.
        ValidationError: A record does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> import penstock
        >>> penstock.ndjson.decode('{"a": 1}\n{"a": 2}\n', dict[str, int])
        [{'a': 1}, {'a': 2}]
        >>> penstock.ndjson.decode("1 2[3]", framing="concatenated")
        [1, 2, [3]]
    """
    if types is not None:
        into = _plan.with_types(into, types)
    dialect = _dialect(framing, non_finite)
    return _rust.decode(dialect, data, into, duplicates, unknown, all_errors, encoding, limits)


@_suggest.advised
def encode(
    values: Iterable[Any],
    into: TypeForm[Any] | None = None,
    /,
    *,
    framing: Literal["lines", "sequence"] = "lines",
    sort_keys: bool = False,
    canonical: bool = False,
    ascii: bool = False,
    omit: Omit | None = None,
    non_finite: NonFinite = "error",
    decimals: Digits = "number",
    large_ints: Digits = "number",
    binary: Binary = "base64",
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
) -> bytes:
    r"""Write each value as a line.

    Args:
        values: The records, from anything that can be iterated over. Each is written as by
            `penstock.json.encode`.
        into: The type of one record; see `penstock.json.encode`.
        framing: What separates records: `"lines"`, or `"sequence"` for RFC 7464.
        sort_keys: Whether members are in the order of their keys; see `penstock.json.encode`.
        canonical: Whether to write RFC 8785's form; see `penstock.json.encode`.
        ascii: Whether all other characters are escaped; see `penstock.json.encode`.
        omit: The fields to leave out; see `penstock.json.encode`.
        non_finite: What to write for NaN and infinities; see `penstock.json.encode`.
        decimals: How to write a `Decimal`; see `penstock.json.encode`.
        large_ints: How to write ints beyond 2^53; see `penstock.json.encode`.
        binary: How to write bytes; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `penstock.json.encode`.

    Returns:
        The records, in UTF-8.

    Raises:
        EncodeError: A value cannot be written. Its `record` says which.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> import penstock
        >>> penstock.ndjson.encode({"n": n} for n in range(2))
        b'{"n":0}\n{"n":1}\n'
    """
    return Encoder(
        into,
        framing=framing,
        sort_keys=sort_keys,
        canonical=canonical,
        ascii=ascii,
        omit=omit,
        non_finite=non_finite,
        decimals=decimals,
        large_ints=large_ints,
        binary=binary,
        types=types,
        default=default,
    ).encode(values)


@_suggest.advised
def dump(
    values: Iterable[Any],
    target: Target,
    into: TypeForm[Any] | None = None,
    /,
    *,
    framing: Literal["lines", "sequence"] = "lines",
    sort_keys: bool = False,
    canonical: bool = False,
    ascii: bool = False,
    omit: Omit | None = None,
    non_finite: NonFinite = "error",
    decimals: Digits = "number",
    large_ints: Digits = "number",
    binary: Binary = "base64",
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
    compression: Packing | None = "infer",
    level: int | None = None,
    sync: bool = False,
    append: bool = False,
    torn: Torn = "error",
) -> None:
    r"""Write each value of an iterable as a line of a file or a stream.

    Args:
        values: The records, from anything that can be iterated over.
        target: A path, a binary file, or a function that is called with chunks of bytes; see
            `penstock.json.dump`.
        into: The type of one record; see `penstock.json.encode`.
        framing: What separates records; see `encode`.
        sort_keys: Whether members are in the order of their keys; see `penstock.json.encode`.
        canonical: Whether to write RFC 8785's form; see `penstock.json.encode`.
        ascii: Whether all other characters are escaped; see `penstock.json.encode`.
        omit: The fields to leave out; see `penstock.json.encode`.
        non_finite: What to write for NaN and infinities; see `penstock.json.encode`.
        decimals: How to write a `Decimal`; see `penstock.json.encode`.
        large_ints: How to write ints beyond 2^53; see `penstock.json.encode`.
        binary: How to write bytes; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `penstock.json.encode`.
        compression: How the target is compressed; see `penstock.json.dump`. What is appended is
            compressed by itself, as the tools of all four compressions allow.
        level: How well it is compressed; see `penstock.json.dump`.
        sync: Whether the lines are on the disk at the end.
        append: Whether the lines are written behind those of the file, instead of replacing it.
            After an exception, the whole records before it stay.
        torn: What to do if the last line of the file has no line feed, because a program was
            killed: `"error"` refuses it, `"cut"` removes the line.

    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three, or `values` is no iterable of records.
        EncodeError: A record cannot be written; its `record` says which.
        DecodeError: The file that is appended to ends inside a line, or is another kind of file.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> import pathlib, penstock
        >>> penstock.ndjson.dump([{"n": 1}], "log.ndjson")
        >>> penstock.ndjson.dump([{"n": 2}], "log.ndjson", append=True)
        >>> pathlib.Path("log.ndjson").read_bytes()
        b'{"n":1}\n{"n":2}\n'
    """
    encoder = Encoder(
        into,
        framing=framing,
        sort_keys=sort_keys,
        canonical=canonical,
        ascii=ascii,
        omit=omit,
        non_finite=non_finite,
        decimals=decimals,
        large_ints=large_ints,
        binary=binary,
        types=types,
        default=default,
    )
    with _write.write(
        "dump", encoder, None, target, compression, level, sync, append, torn
    ) as writer:
        writer.write_all(values)


@_suggest.advised
def write(
    target: Target,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    framing: Literal["lines", "sequence"] = "lines",
    sort_keys: bool = False,
    canonical: bool = False,
    ascii: bool = False,
    omit: Omit | None = None,
    non_finite: NonFinite = "error",
    decimals: Digits = "number",
    large_ints: Digits = "number",
    binary: Binary = "base64",
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
    compression: Packing | None = "infer",
    level: int | None = None,
    sync: bool = False,
    append: bool = False,
    torn: Torn = "error",
) -> _rust.Writer[T]:
    r"""Write records one at a time, in constant memory: each is a line.

    Args:
        target: A path, a binary file, or a function that is called with chunks of bytes; see
            `penstock.json.dump`.
        into: The type of a record; see `penstock.json.encode`.
        framing: What separates records; see `encode`.
        sort_keys: Whether members are in the order of their keys; see `penstock.json.encode`.
        canonical: Whether to write RFC 8785's form; see `penstock.json.encode`.
        ascii: Whether all other characters are escaped; see `penstock.json.encode`.
        omit: The fields to leave out; see `penstock.json.encode`.
        non_finite: What to write for NaN and infinities; see `penstock.json.encode`.
        decimals: How to write a `Decimal`; see `penstock.json.encode`.
        large_ints: How to write ints beyond 2^53; see `penstock.json.encode`.
        binary: How to write bytes; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `penstock.json.encode`.
        compression: How the target is compressed; see `penstock.json.dump`. What is appended is
            compressed by itself, as the tools of all four compressions allow.
        level: How well it is compressed; see `penstock.json.dump`.
        sync: Whether the lines are on the disk at the end.
        append: Whether the lines are written behind those of the file, instead of replacing it.
            After an exception, the whole records before it stay.
        torn: What to do if the last line of the file has no line feed, because a program was
            killed: `"error"` refuses it, `"cut"` removes the line.

    Returns:
        A `Writer`; see `penstock.json.write`.

    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        DecodeError: The file that is appended to ends inside a line, or is another kind of file.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> import pathlib, penstock
        >>> with penstock.ndjson.write("new.ndjson", append=True) as writer:
        ...     writer.write({"n": 1})
        >>> pathlib.Path("new.ndjson").read_bytes()
        b'{"n":1}\n'
    """
    encoder = Encoder(
        _write.declared(into),
        framing=framing,
        sort_keys=sort_keys,
        canonical=canonical,
        ascii=ascii,
        omit=omit,
        non_finite=non_finite,
        decimals=decimals,
        large_ints=large_ints,
        binary=binary,
        types=types,
        default=default,
    )
    return _write.write("write", encoder, None, target, compression, level, sync, append, torn)


@_suggest.advised
def load(
    source: Source,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    framing: Framing = "lines",
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    non_finite: bool = False,
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> list[T]:
    r"""Decode all records of a file or a stream.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes. Never the data itself;
            use `decode` for that.
        into: The type of one record; see `penstock.json.decode`.
        framing: What separates records, as for `decode`.
        all_errors: Whether an error reports all problems; see `penstock.json.decode`.
        duplicates: Which value of a repeated key counts; see `penstock.json.decode`.
        unknown: What to do with keys that a class does not name; see `penstock.json.decode`.
        non_finite: Whether `NaN` and `Infinity` are values; see `penstock.json.decode`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `penstock.json.decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The records, in their order.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of the three.
        ValueError: The archive does not hold exactly one file, or not `member`.
        DecodeError: As for `decode`; or a plain `DecodeError`, if the source raised while it was
            read.
        PlanError: As for `decode`.

    Example:
        >>> import gzip, pathlib, penstock
        >>> path = pathlib.Path("log.ndjson.gz")
        >>> _ = path.write_bytes(gzip.compress(b'{"ms": 12}\n{"ms": 7}\n'))
        >>> penstock.ndjson.load(path, dict[str, int])
        [{'ms': 12}, {'ms': 7}]
    """
    if types is not None:
        into = _plan.with_types(into, types)
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        return _rust.load(
            _dialect(framing, non_finite),
            _rust.Source(given, name, encoding, compression),
            into,
            duplicates,
            unknown,
            all_errors,
            limits,
        )
    finally:
        del given  # This closes an archive that was opened here.


@_suggest.advised
def read(
    source: Sources,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    framing: Framing = "lines",
    at: At[T] | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
    empty: Empty = "warn",
    where: Where | None = None,
    limit: int | None = None,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: CountedUnknown = "skip",
    non_finite: bool = False,
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> _rust.Reader[T]:
    r"""Read the records one at a time, in constant memory.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open. Or several files, which are read in order: a list of paths, a
            pattern such as `"data/*.json"`, or a folder.
        into: The type of one record; see `penstock.json.decode`.
        framing: What separates records, as for `decode`.
        at: The path of the records inside each line; see `penstock.json.read`. Without it, a line
            is a record.
        errors: What to do with a line that is malformed or does not fit `into`. `"raise"` raises
            its error. `"skip"` leaves it out and counts it in `reader.skipped`.
            `"collect"` raises an `ExceptionGroup` of the errors after the last good record. A
            function is called with each error. Malformed input that is `"concatenated"` always
            raises and ends the reading, because nothing says where the next record starts.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        empty: `"error"` makes a document an error that has no record, or nothing at `at`; see
            `penstock.json.read`.
        where: Which records are wanted: a condition, or its text; see `penstock.field`.
        limit: How many records there are at most: behind the last of them, the source is closed.
        all_errors: Whether an error reports all problems; see `penstock.json.read`.
        duplicates: Which value of a repeated key counts; see `penstock.json.decode`.
        unknown: What to do with keys that a class does not name; see `penstock.json.read`.
        non_finite: Whether `NaN` and `Infinity` are values; see `penstock.json.decode`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of the bytes; see `penstock.json.decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        An iterator over the records; see `penstock.json.read`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`.
        ValueError: As for `load`, or `at` is not a path.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: While iterating, as for `decode`.

    Example:
        >>> import io, penstock
        >>> reader = penstock.ndjson.read(io.BytesIO(b"1\n2.5\n3\n"), int, errors="skip")
        >>> list(reader), reader.skipped
        ([1, 3], 1)
    """
    if types is not None:
        into, at = _plan.of_records(into, at, types)
    policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
    return _read.read(
        source,
        "ndjson",
        _dialect(framing, non_finite),
        into,
        at,
        policy,
        encoding,
        compression,
        member,
        limits,
        where=where,
    )


@_suggest.advised
def open(
    source: Path,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    index: Index = None,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    types: Types | None = None,
    limits: Limits | None = None,
) -> Rows[T]:
    r"""Open a file to read its records in any order.

    Penstock finds the records in one pass, at the speed of finding newlines, and decodes nothing.
    For a large file it keeps the position of every n-th record, in 6 MiB at most. `rows[i]` then
    reads a few kilobytes at the position of the record.

    Args:
        source: The path of a file in UTF-8 that is not compressed.
        into: The type of one record; see `penstock.json.decode`.
        index: True to keep the index beside the file, in one whose name ends in
            `.penstock-index`; a path to keep it there. Penstock reuses it if the file still has
            the same size, modification time and samples of its content; otherwise it makes a new
            one. It replaces an index only: any other file there is an error.
        all_errors: Whether an error reports all problems; see `penstock.json.decode`.
        duplicates: Which value of a repeated key counts; see `penstock.json.decode`.
        unknown: What to do with keys that a class does not name; see `penstock.json.decode`.
        types: Functions that make values of types; see `penstock.json.decode`.
        limits: The limits to enforce instead of the default ones. `token` is the longest record.

    Returns:
        The records as a sequence. Also a context manager, which closes the file.

    Raises:
        OSError: The file cannot be opened, or the index cannot be written. `FileExistsError` if
            `index` names something else than an index, such as a data file or a symbolic link.
        TypeError: `source` is not a path.
        ValueError: The file is compressed, or is a pipe.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: The file is not in UTF-8, or cannot be read.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.ndjson")
        >>> _ = path.write_text('{"size": 36}\n{"size": 38}\n{"size": 40}\n')
        >>> with penstock.ndjson.open(path, dict[str, int]) as rows:
        ...     rows[2], len(rows), rows
        ({'size': 40}, 3, <Rows of 'sizes.ndjson': 3 records>)
    """
    if types is not None:
        into = _plan.with_types(into, types)
    return _rows.open_rows(source, index, _LINES, into, duplicates, unknown, all_errors, limits)


@_suggest.advised
def send(
    source: Source,
    handler: object,
    /,
    *,
    framing: Framing = "lines",
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Any:
    r"""Send the members of each record to an object's methods; see `penstock.json.send`.

    `@on("")` claims the records themselves. A malformed record raises.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`.
        handler: The object whose methods are called.
        framing: What separates records, as for `decode`.
        encoding: The encoding of the bytes, as for `decode`.
        compression: How the source is compressed, as for `load`.
        member: The member of a zip archive, as for `load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The result of the last record's method, or the value of `Stop`; otherwise None.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `penstock.json.send`.
        ValueError: As for `penstock.json.send`.
        DecodeError: As for `penstock.json.send`.

    Example:
        >>> import io, penstock
        >>> class Total:
        ...     total = 0
        ...     def population(self, element: penstock.Element) -> None:
        ...         self.total += element.value
        >>> handler = Total()
        >>> lines = io.BytesIO(b'{"population": 134591}\n{"population": 37424}')
        >>> penstock.ndjson.send(lines, handler)
        >>> handler.total
        172015
    """
    dialect = _dialect(framing)
    return _send.send(dialect, source, handler, encoding, compression, member, limits)


Encoder = _encoder.LinesEncoder


class Decoder(_decoder.Decoder[T]):
    r"""Records of NDJSON from chunks that you push; see `penstock.Decoder`.

    The records and the options are those of `read`.

    Example:
        >>> import penstock
        >>> decoder = penstock.ndjson.Decoder(int)
        >>> decoder.feed(b"1\n2"), decoder.feed(b"3\n"), decoder.finish()
        ([1], [23], [])
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def decode(self, data: Data, /) -> list[T]:
            """Decode a whole document, whatever was fed before; see `penstock.Decoder`."""
            ...

    @_suggest.advised
    def __new__(
        cls,
        into: TypeForm[T] = PLAIN,
        /,
        *,
        framing: Framing = "lines",
        at: At[T] | None = None,
        errors: Errors = "raise",
        max_errors: int = 100,
        empty: Empty = "warn",
        where: Where | None = None,
        limit: int | None = None,
        all_errors: bool = False,
        duplicates: Duplicates = "last",
        unknown: CountedUnknown = "skip",
        non_finite: bool = False,
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        limits: Limits | None = None,
    ) -> Self:
        """Compile the type and the path, before any byte."""
        if types is not None:
            into, at = _plan.of_records(into, at, types)
        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
        dialect = _read.wanting(_dialect(framing, non_finite), where)
        return cls._make(dialect, into, at, policy, encoding, limits, compression)
