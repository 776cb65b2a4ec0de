# scripts/verbs.py writes this file from scripts/verbs/json.py: `make verbs`.
"""JSON (RFC 8259), straight into your own types.

Choose the verb by where the data is: `decode` for data in memory, `load` for a whole file or
stream, `read` for one record at a time in constant memory, `Decoder` for chunks that you push.

The grammar is strict: no comments and trailing commas unless `comments=True`, and no NaN unless
`non_finite=True`. Types are strict too: an integer may stand for a float, and nothing else for
anything else. Penstock skips keys that the type does not name, at scanning speed.
"""

from __future__ import annotations

import penstock._rust as _rust
from penstock._annotations.marks import UNSET
from penstock._base import plan as _plan
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN, T
from penstock._io import sources as _sources
from penstock._verbs import decoder as _decoder
from penstock._verbs import encoder as _encoder
from penstock._verbs import open as _open
from penstock._verbs import read as _read
from penstock._verbs import send as _send
from penstock._verbs import write as _write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, NoReturn, Self, overload

    from typing_extensions import Buffer, TypeForm

    from penstock._annotations.marks import UnsetType
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
        NonFinite,
        Omit,
        Packing,
        Partial,
        Source,
        Sources,
        Target,
        Types,
        U,
        Unknown,
        Where,
    )

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


_DIALECT = _rust.Dialect("json")


def _dialect(non_finite: bool, comments: bool = False) -> _rust.Dialect:
    """Return the format with these options. The extension checks that they are bools."""
    if non_finite is False and comments is False:
        return _DIALECT
    return _rust.Dialect("json", {"non_finite": non_finite, "comments": comments})


@_rust.direct_json
def decode(
    data: Data,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    non_finite: bool = False,
    comments: bool = False,
    types: Types | None = None,
    encoding: str | None = None,
    partial: Partial = False,
    limits: Limits | None = None,
) -> T:
    """Decode one JSON document that is in memory.

    Args:
        data: The document: a `str`, or any object with the buffer protocol, such as `bytes`. Never
            a path; use `load` for that.
        into: The type of the document. By default, or with `Any` or `object`, you get dicts, lists,
            strings, ints, floats, bools and None. You may pass a `penstock.Plan` for any type.
        all_errors: Whether an error reports all problems, in its `problems`, and not only the
            first.
        duplicates: Which value counts if an object repeats a key: the `"last"` or the `"first"`.
            With `"error"`, a repeated key is an error. Skipped keys are not compared.
        unknown: Whether to `"skip"` keys that a class does not name, or to raise an `"error"`.
        non_finite: Whether `NaN`, `Infinity` and `-Infinity` are values: floats, or decimals where
            the type is `Decimal`. Python's `json` writes them, and JSON has no such numbers, so by
            default they are malformed.
        comments: Whether `// ...` up to the end of the line and `/* ... */` may be wherever white
            space may be, and a comma behind the last member or element, as in the settings of
            many editors and compilers. They are passed over.
        types: Functions that make values of types, for this call: `{Money: Money.parse}`. For many
            calls, a `penstock.Plan` that you keep is cheaper.
        encoding: The encoding of bytes, if it is not UTF-8: `"utf-16"`, `"utf-32"`, or a name of
            the WHATWG table, such as `"latin1"`.
        partial: Whether `data`, in UTF-8, may be the beginning of a document, of which the rest
            has not come. What is open is closed, and what may go on is left out: a number or a
            string at the end, or a key without its value. With `"trailing-strings"`, a string
            counts as far as it has come. A number that is the whole document counts. Fields of
            a class that have not come need defaults. If there is nothing but such an end, the
            document is truncated.
        limits: The limits to enforce instead of the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        MalformedInput: `data` is not JSON.
        TruncatedInput: `data` is the beginning of a JSON document.
        ValidationError: `data` is JSON but does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     population: int
        >>> penstock.json.decode('{"name": "Bern", "population": 134591, "zip": 3000}', City)
        City(name='Bern', population=134591)
        >>> penstock.json.decode('[{"name": "Chur", "population": 37424}]', list[City])
        [City(name='Chur', population=37424)]
        >>> penstock.json.decode('{"strict": true, /* or not */}', comments=True)
        {'strict': True}
        >>> penstock.json.decode('{"n": [1, 23, 4', partial=True)
        {'n': [1, 23]}
        >>> penstock.json.decode('{"answer": "The ca', partial="trailing-strings")
        {'answer': 'The ca'}
    """
    if partial is not False:
        if encoding is not None:
            raise ValueError("partial is for text in UTF-8: leave out encoding")
        data = _rust.completed(data, partial, comments)
    if types is not None:
        into = _plan.with_types(into, types)
    dialect = _dialect(non_finite, comments)
    return _rust.decode(dialect, data, into, duplicates, unknown, all_errors, encoding, limits)


@_rust.direct_encode
def encode(
    value: Any,
    into: TypeForm[Any] | None = None,
    /,
    *,
    indent: int | Literal["\t"] | None = None,
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
    """Write a value as one JSON document.

    An object of a class is written as `decode` reads it: under the same keys and paths, with the
    same conversions. A value that does not fit the annotation of its field is refused, because what
    was written could not be read back.

    Args:
        value: Plain values, objects of any class that `decode` makes, or both in one another.
        into: The type of the value. By default each object is written by its own class. Pass it for
            what only an annotation says: a union with a `tag`, `Annotated[bytes, Hex]`, a `Plan`
            with `rename` or `unix`.
        indent: The spaces for each level, 0 to 64, or a tab. By default everything is on one line,
            without white space.
        sort_keys: Whether the members of objects are in the order of their keys. By default they
            are in the order of the fields, or of the dict.
        canonical: Whether to write the canonical form of RFC 8785, which is equal byte by byte
            wherever the value is equal. An int beyond 2^53 and a repeated key have none.
        ascii: Whether characters that are not ASCII are written as escapes.
        omit: The fields to leave out: `"none"` those that are None, `"defaults"` those that are
            equal to their default.
        non_finite: What to write for NaN and infinities: `"error"` refuses them, `"null"` writes
            null, and `"literal"` writes `NaN`, `Infinity` and `-Infinity`, which are not JSON.
        decimals: Whether a `Decimal` is written as a `"number"` with all its digits, or as
            `"text"`.
        large_ints: Whether an int beyond 2^53 is written as a `"number"` or as `"text"`. Many
            readers round such numbers.
        binary: Whether bytes are written as `"base64"` or `"hex"`.
        types: Functions that make values of types; their `via(..., encode=...)` says how to write
            them. See `decode`.
        default: A function that is called with each object that cannot be written by its class, and
            returns what is written in its place. Objects of all classes that `decode` makes need
            none.

    Returns:
        The document, in UTF-8.

    Raises:
        EncodeError: A value cannot be written. Its `path` says which.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     population: int
        >>> penstock.json.encode([City("Bern", 134591)])
        b'[{"name":"Bern","population":134591}]'
        >>> penstock.json.encode([City("Chur", None)])
        Traceback (most recent call last):
        penstock.EncodeError: [0].population: expected int, got NoneType
    """
    return Encoder(
        into,
        indent=indent,
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
    ).encode(value)


@_suggest.advised
def dump(
    value: Any,
    target: Target,
    into: TypeForm[Any] | None = None,
    /,
    *,
    indent: int | Literal["\t"] | None = None,
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
) -> None:
    """Write a value as one JSON document to a file or a stream.

    The text is written while the value is walked, so it need not fit into memory. If `into` is a
    list type, the value may be any iterable.

    A file at a path is replaced at once or not at all: the text is written beside it, and renamed
    when all of it is there. A link is followed to its file, whose mode is kept.

    Args:
        value: The value; see `encode`.
        target: A path, a binary file, or a function that is called with chunks of bytes.
        into: The type of the value; see `encode`.
        indent: The spaces for each level; see `encode`.
        sort_keys: Whether members are in the order of their keys; see `encode`.
        canonical: Whether to write RFC 8785's form; see `encode`.
        ascii: Whether all other characters are escaped; see `encode`.
        omit: The fields to leave out; see `encode`.
        non_finite: What to write for NaN and infinities; see `encode`.
        decimals: How to write a `Decimal`; see `encode`.
        large_ints: How to write ints beyond 2^53; see `encode`.
        binary: How to write bytes; see `encode`.
        types: Functions that make values of types; see `encode`.
        default: What is written in place of an object that cannot be; see `encode`.
        compression: How the target is compressed: `"gzip"`, `"zstd"`, `"bzip2"` or `"xz"`. By
            default as the suffix of a path says, and otherwise not at all.
        level: How well it is compressed, as for the compression's own tool, whose default it is.
        sync: Whether the file is on the disk before it replaces the old one.

    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        EncodeError: The value cannot be written. A file at a path stays as it was. Whatever a pipe
            or another target got is not taken back.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> import pathlib, penstock
        >>> penstock.json.dump({"n": [1, 2]}, "numbers.json")
        >>> pathlib.Path("numbers.json").read_bytes()
        b'{"n":[1,2]}'
    """
    encoder = Encoder(
        into,
        indent=indent,
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
    _write.dump(encoder, value, target, compression, level, sync)


@_suggest.advised
def write(
    target: Target,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    at: str | None = None,
    indent: int | Literal["\t"] | None = None,
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
) -> _rust.Writer[T]:
    """Write records one at a time, in constant memory: the elements of an array.

    `read` of the same path, type and `at` returns the same records.

    Args:
        target: A path, a binary file, or a function that is called with chunks of bytes; see
            `dump`.
        into: The type of a record. By default each is written by its own class; see `encode`.
        at: The path of the records inside of the document, as `read` takes it: `"features/*"` are
            the elements of an array, which is the member `features` of an object. Of the steps,
            only the last one is a `*`.
        indent: The spaces for each level; see `encode`.
        sort_keys: Whether members are in the order of their keys; see `encode`.
        canonical: Whether to write RFC 8785's form; see `encode`.
        ascii: Whether all other characters are escaped; see `encode`.
        omit: The fields to leave out; see `encode`.
        non_finite: What to write for NaN and infinities; see `encode`.
        decimals: How to write a `Decimal`; see `encode`.
        large_ints: How to write ints beyond 2^53; see `encode`.
        binary: How to write bytes; see `encode`.
        types: Functions that make values of types; see `encode`.
        default: What is written in place of an object that cannot be; see `encode`.
        compression: How the target is compressed; see `dump`.
        level: How well it is compressed; see `dump`.
        sync: Whether the file is on the disk before it replaces the old one.

    Returns:
        A `Writer`, which is a context manager. The file gets its name at the end of the `with`
        block, unless an exception leaves it: then the old file stays as it was.

    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid, or `at` is not such a path.

    Example:
        >>> import pathlib, penstock
        >>> with penstock.json.write("numbers.json", int, at="primes/*") as writer:
        ...     writer.write(2)
        ...     writer.write_all([3, 5])
        >>> pathlib.Path("numbers.json").read_bytes()
        b'{"primes":[2,3,5]}'
        >>> list(penstock.json.read("numbers.json", int, at="primes/*"))
        [2, 3, 5]
    """
    encoder = Encoder(
        _write.declared(into),
        indent=indent,
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
    return _write.write("write", encoder, at, target, compression, level, sync)


@_suggest.advised
def load(
    source: Source,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    non_finite: bool = False,
    comments: bool = False,
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> T:
    """Decode one JSON document from a file or a stream.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes. Never the data itself;
            use `decode` for that.
        into: The type of the document, as for `decode`.
        all_errors: Whether an error reports all problems, as for `decode`.
        duplicates: Which value of a repeated key counts, as for `decode`.
        unknown: What to do with keys that a class does not name, as for `decode`.
        non_finite: Whether `NaN`, `Infinity` and `-Infinity` are values, as for `decode`.
        comments: Whether comments and trailing commas are taken, as for `decode`.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding of the bytes, as for `decode`.
        compression: How the source is compressed: `"gzip"`, `"zstd"`, `"bzip2"` or `"xz"`. By
            default Penstock looks at the first bytes. None takes the source as it is.
        member: The member of a zip archive. Not needed if the name ends in `.zip` and the
            archive holds one file.
        limits: The limits to enforce instead of the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of the three.
        ValueError: The archive does not hold exactly one file, or not `member`.
        DecodeError: As for `decode`; or a plain `DecodeError`, if the source raised while it was
            read.
        PlanError: As for `decode`.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.json")
        >>> _ = path.write_text('{"S": 36, "M": 40}')
        >>> penstock.json.load(path, dict[str, int])
        {'S': 36, 'M': 40}
    """
    if types is not None:
        into = _plan.with_types(into, types)
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        return _rust.load(
            _dialect(non_finite, comments),
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
    comments: bool = False,
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> _rust.Reader[T]:
    """Read the records of a JSON document one at a time, in constant memory.

    Without `at`, the elements of a top-level array are the records; a top-level object is one
    record, and so is a scalar.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open. Or several files, which are read in order: a list of paths, a
            pattern such as `"data/*.json"`, or a folder.
        into: The type of a record, as for `decode`.
        at: The path of the records inside the document: steps separated by `/`, where `*` is every
            element of an array or every value of an object. `"*"` selects the values of a
            top-level object, `"features/*"` the elements of its array `features`. To read several
            kinds of records in one pass, in their order, pass a mapping of paths to types and no
            `into`.
        errors: What to do with a record that does not fit `into`. `"raise"` raises its
            `ValidationError`. `"skip"` leaves it out and counts it in `reader.skipped`.
            `"collect"` raises an `ExceptionGroup` of the errors after the last good record. A
            function is called with each error. Malformed JSON always raises and ends the reading.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        empty: What to do at the end of a document without a record. `"error"` makes that a
            `ValidationError`, of several files for each. `"warn"` issues an `EmptyWarning` if there
            is nothing at `at`, which may be misspelt; a list without elements is there. `"allow"`
            does nothing.
        where: Which records are wanted: a condition, such as `field("size") > 3`, or its text,
            `"size > 3"`. The others are not built; see `penstock.field`.
        limit: How many records there are at most: behind the last of them, the source is closed,
            and what follows is neither read nor checked.
        all_errors: Whether the error of a record reports all of its problems, in `problems`, and
            not only the first.
        duplicates: Which value of a repeated key counts, as for `decode`.
        unknown: What to do with keys that a class does not name, as for `decode`; `"collect"` skips
            them and counts each in `reader.unknown`.
        non_finite: Whether `NaN`, `Infinity` and `-Infinity` are values, as for `decode`.
        comments: Whether comments and trailing commas are taken, as for `decode`.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding of the bytes, as for `decode`.
        compression: How the source is compressed, as for `load`.
        member: The member of a zip archive, as for `load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        An iterator over the records. It is also a context manager; without `with`, Penstock closes
        the file after the last record.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`.
        ValueError: As for `load`, or `at` is not a path.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: While iterating, as for `decode`.

    Example:
        >>> import io, penstock
        >>> file = io.BytesIO(b'{"kind": "primes", "found": [2, 3, 5, 7]}')
        >>> sum(penstock.json.read(file, int, at="found/*"))
        17
    """
    if types is not None:
        into, at = _plan.of_records(into, at, types)
    policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
    return _read.read(
        source,
        "json",
        _dialect(non_finite, comments),
        into,
        at,
        policy,
        encoding,
        compression,
        member,
        limits,
        where=where,
    )


if TYPE_CHECKING:

    @overload
    def open(
        source: Source | Buffer,
        into: None = None,
        /,
        *,
        at: None = None,
        duplicates: Duplicates = "last",
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        member: str | None = None,
        limits: Limits | None = None,
    ) -> _rust.Document: ...
    @overload
    def open(
        source: Source | Buffer,
        into: None = None,
        /,
        *,
        at: str,
        duplicates: Duplicates = "last",
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        member: str | None = None,
        limits: Limits | None = None,
    ) -> _rust.Records[Any]: ...
    @overload
    def open(
        source: Source | Buffer,
        into: TypeForm[T],
        /,
        *,
        at: str | None = None,
        duplicates: Duplicates = "last",
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        member: str | None = None,
        limits: Limits | None = None,
    ) -> _rust.Records[T]: ...


@_suggest.advised
def open(
    source: Source | Buffer,
    into: TypeForm[T] | None = None,
    /,
    *,
    at: str | None = None,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    all_errors: bool = False,
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> _rust.Document | _rust.Records[Any]:
    """Open a JSON document and decode the parts that you ask for.

    Args:
        source: A path, a binary file, an iterable of chunks of bytes, or the document itself as
            `bytes`; as for `penstock.open`.
        into: The type of a record; see `penstock.open`.
        at: Where the records are; see `penstock.open`.
        duplicates: Which value of a repeated key counts, as for `decode`. All keys are compared.
        unknown: What to do with keys that a class does not name, as for `decode`.
        all_errors: Whether the error of a record reports all of its problems.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding of the bytes, as for `decode`.
        compression: How the source is compressed, as for `load`.
        member: The member of a zip archive, as for `load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The `Document`, or with `into` or `at` its `Records`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of these.
        ValueError: As for `load`, or `at` is not a path.
        DecodeError: As for `load`. A record that does not fit raises when you ask for it.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> import penstock
        >>> cities = penstock.json.open(b'{"a": {"name": "Bern"}, "b": {"name": "Chur"}}', at="*")
        >>> cities[-1]["name"]
        'Chur'
    """
    given, name = _open.located(source, compression, member, limits)
    try:
        return _open.document(
            given,
            name,
            into,
            at,
            duplicates,
            unknown,
            all_errors,
            types,
            encoding,
            compression,
            limits,
        )
    finally:
        del given  # This closes an archive that was opened here.


@_suggest.advised
def send(
    source: Source,
    handler: object,
    /,
    *,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Any:
    """Send the members of a JSON document to an object's methods; see `penstock.send`.

    The value of a key is an element of that name, and an array repeats its key. Scalars of an
    object are attributes of its element, with their types. If a method claims their key, they are
    elements with a `value` instead. The root has no name: `@on("")` claims it, and the first step
    of a path is a key of the root. If the root is an array, each of its elements is a root, and
    `send` returns the result of the last one.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`.
        handler: The object whose methods are called.
        encoding: The encoding of the bytes, as for `decode`.
        compression: How the source is compressed, as for `load`.
        member: The member of a zip archive, as for `load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The result of the root's method, or the value of `Stop`; otherwise None.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`, or a marked method cannot be called with one argument.
        ValueError: As for `load`, or no element can reach the handler, or two methods claim the
            same elements.
        DecodeError: As for `load`. An exception of a method passes through unchanged.

    Example:
        >>> import io, penstock
        >>> class Cities:
        ...     def city(self, element: penstock.Element) -> None:
        ...         print(element.attributes["name"], element.attributes["zip"])
        >>> cities = b'[{"name": "Bern", "zip": 3000}, {"name": "Chur", "zip": 7000}]'
        >>> file = io.BytesIO(b'{"city": %b}' % cities)
        >>> penstock.json.send(file, Cities())
        Bern 3000
        Chur 7000
    """
    return _send.send(_DIALECT, source, handler, encoding, compression, member, limits)


Encoder = _encoder.Encoder


class Decoder(_decoder.Decoder[T]):
    """Records of a JSON document from chunks that you push; see `penstock.Decoder`.

    The records and the options are those of `read`.

    Example:
        >>> import penstock
        >>> decoder = penstock.json.Decoder(int)
        >>> decoder.feed(b"[1, 2"), decoder.feed(b"3]"), decoder.finish()
        ([1], [23], [])
        >>> decode = penstock.json.Decoder(dict[str, int]).decode
        >>> decode(b'{"S": 36}'), decode(b'{"M": 40}')
        ({'S': 36}, {'M': 40})
        >>> decoder = penstock.json.Decoder(partial="trailing-strings")
        >>> decoder.feed(b'{"tool": "search", "query": "lakes n')
        []
        >>> decoder.peek()
        {'tool': 'search', 'query': 'lakes n'}
    """

    __slots__ = ()

    def peek(self, into: TypeForm[U] = PLAIN, /) -> U | UnsetType:
        """Decode the record that has not ended, as far as it has come.

        It is for what a program shows while somebody still writes, such as the answer of a language
        model. The record is completed as `decode` does it with `partial`, and the decoder needs
        that option. It keeps the text of the record until it ends, and each call decodes that text
        from its beginning: calls after each of n pieces take time in proportion to n^2.

        Args:
            into: The type of the result, by default plain values. Fields of a class that have not
                come need defaults.

        Returns:
            The value, or `penstock.UNSET` if nothing of the record has come: before its first
            byte, and when it has ended and `feed` has returned it.

        Raises:
            ValidationError: What has come does not fit `into`.
            PlanError: Penstock cannot decode into `into`.
            ValueError: The decoder was made without `partial`.

        Example:
            >>> import penstock
            >>> decoder = penstock.json.Decoder(dict[str, int], partial=True)
            >>> decoder.feed(b'[{"a": 1}, {"b": 2, "c": 3')
            [{'a': 1}]
            >>> decoder.peek()
            {'b': 2}
            >>> decoder.feed(b"4}")
            [{'b': 2, 'c': 34}]
            >>> decoder.peek()
            UNSET
        """
        text = self._unfinished()
        return UNSET if text is None else self._decode_as(text, into)

    if TYPE_CHECKING:

        def decode(self, data: Data, /) -> T:
            """Decode one whole document, whatever was fed before; see `penstock.Decoder`."""
            ...

    @_suggest.advised
    def __new__(
        cls,
        into: TypeForm[T] = PLAIN,
        /,
        *,
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
        comments: bool = False,
        types: Types | None = None,
        encoding: str | None = None,
        partial: Partial = False,
        compression: Compression | None = "infer",
        limits: Limits | None = None,
    ) -> Self:
        """Compile the type and the path, before any byte."""
        if types is not None:
            into, at = _plan.of_records(into, at, types)
        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
        # What is looked at is the text as it is fed.
        packing = compression if partial is False else None
        dialect = _read.wanting(_dialect(non_finite, comments), where)
        return cls._make(dialect, into, at, policy, encoding, limits, packing, partial)
