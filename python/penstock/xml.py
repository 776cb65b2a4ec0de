# scripts/verbs.py writes this file from scripts/verbs/xml.py: `make verbs`.
"""XML 1.0, straight into your own types.

Choose the verb by where the data is: `decode` for data in memory, `load` for a whole file or
stream, `read` for one record at a time in constant memory, `Decoder` for chunks that you push.
`send` calls the methods of your object, and `events` returns the events below that, for tools.

A field is filled from the child element of its name or, if there is none and the field is a scalar,
from the attribute of its name. `Annotated[..., penstock.at("path")]` gives another path. Numbers,
bools and dates have the forms of XML Schema. A `str` is all the text below its element, without
markup. Penstock skips elements that the class does not name, at scanning speed, and validates them.

Penstock enforces the whole grammar: XML 1.0, fifth edition, with namespaces. It reads the part of a
document type that is in the document itself. It never opens a file or an address because a
document says so.
"""

from __future__ import annotations

import penstock._rust as _rust
from penstock._base import plan as _plan
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN, T
from penstock._io import sources as _sources
from penstock._rust import Events
from penstock._verbs import decoder as _decoder
from penstock._verbs import encoder as _encoder
from penstock._verbs import read as _read
from penstock._verbs import send as _send
from penstock._verbs import write as _write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, NoReturn, Self

    from typing_extensions import TypeForm

    from penstock._base.limits import Limits
    from penstock._base.types import (
        At,
        Compression,
        CountedUnknown,
        Data,
        Empty,
        Errors,
        ForceList,
        Namespaces,
        Null,
        Omit,
        Packing,
        RepairWord,
        Repeated,
        Source,
        Sources,
        Target,
        Types,
        Unknown,
        Unresolved,
        Where,
    )

__all__ = [
    "Decoder",
    "Encoder",
    "Events",
    "decode",
    "dump",
    "edit",
    "encode",
    "events",
    "load",
    "read",
    "send",
    "write",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        """Say what to use in place of a name that there is not."""
        _suggest.attribute(__name__, name)


def _dialect(
    namespaces: Namespaces | None,
    unresolved: Unresolved,
    repair: RepairWord | Iterable[RepairWord],
    repeated: Repeated = "error",
    force_list: ForceList = False,
    root: str | None = None,
) -> _rust.Dialect:
    """Return XML with these options. The extension checks their values."""
    return _rust.Dialect(
        "xml",
        {
            "namespaces": namespaces
            if namespaces is None or namespaces is False
            else dict(namespaces),
            "unresolved": unresolved,
            "repair": (repair,) if isinstance(repair, str) else tuple(repair),
            "repeated": repeated,
            "force_list": force_list if isinstance(force_list, bool) else frozenset(force_list),
            "root": root,
        },
    )


@_rust.direct_other
def decode(
    data: Data,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    all_errors: bool = False,
    unknown: Unknown = "skip",
    repeated: Repeated = "error",
    namespaces: Namespaces | None = None,
    unresolved: Unresolved = "error",
    repair: RepairWord | Iterable[RepairWord] = (),
    force_list: ForceList = False,
    types: Types | None = None,
    encoding: str | None = None,
    root: str | None = None,
    limits: Limits | None = None,
) -> T:
    """Decode one XML document that is in memory.

    Args:
        data: The document: a `str`, or any object with the buffer protocol, such as `bytes`. Never
            a path; use `load` for that. If it is a `str`, Penstock ignores the declared encoding.
        into: The type of the root element. By default, or with `Any` or `object`, you get the
            values of xmltodict: a dict of the root's name, with `"@name"` for attributes,
            `"#text"` for text beside them, lists for repeated elements, and None for empty ones.
            You may pass a `penstock.Plan` for any type.
        all_errors: Whether an error reports all problems, in its `problems`, and not only the
            first.
        unknown: Whether to `"skip"` elements and attributes that a class does not name, or to raise
            an `"error"`. `xsi:` attributes are always skipped.
        repeated: What to do with repeated elements if the field holds one: raise an `"error"`, or
            take the `"first"` or the `"last"`. `"join"` joins their text with spaces, if the field
            is a `str`.
        namespaces: The URIs of the prefixes in the paths of `at`. False leaves the names of the
            document as they are written, colon and all, and declares no namespaces.
        unresolved: What to do with a reference to an entity that only another file could declare:
            raise an `"error"`, or keep the `"text"` of the reference.
        repair: The faults to repair instead of refusing them, one name or several.
            `"bare_ampersand"` keeps a `&` that begins no reference as text. `"control_character"`
            removes characters that XML does not allow. `"html_entity"` takes a reference to an
            entity of HTML, such as `&nbsp;`, that the document does not declare, as its character.
            `"surrogate_pair"` joins two character references that are a surrogate pair.
            `"broken_subset"` ignores everything after an error in the internal subset of the
            document type, up to the `]>` that ends it.
            `"trailing_junk"` ignores anything after the root element. `"all"` is all of them. A
            `RepairWarning` says what was repaired.
        force_list: Without a class: the elements that are lists even if there is only one. Pass
            True for all of them, or their names.
        types: Functions that make values of types, for this call: `{Money: Money.parse}`. For many
            calls, a `penstock.Plan` that you keep is cheaper.
        encoding: The encoding of bytes, whatever the XML declaration says: a name of the WHATWG
            table, or `"utf-16-le"` and similar. Only a byte order mark overrules it, or the zero
            bytes of UTF-16 and UTF-32. Without it, the declaration says it, or else it is UTF-8.
        root: The name of the root element, as in paths: `"Envelope"`, `"{uri}Envelope"` or
            `"*:Envelope"`. Any other root is a `ValidationError`: for a class whose fields all have
            defaults, a page of HTML is as good as its own document.
        limits: The limits to enforce instead of the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        MalformedInput: `data` is not well-formed XML.
        TruncatedInput: `data` is the beginning of an XML document.
        ValidationError: `data` is XML but does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     population: int
        >>> penstock.xml.decode('<city population="134591"><name>Bern</name></city>', City)
        City(name='Bern', population=134591)
        >>> penstock.xml.decode('<city population="134591"><name>Bern</name></city>')
        {'city': {'@population': '134591', 'name': 'Bern'}}
    """
    if types is not None:
        into = _plan.with_types(into, types)
    dialect = _dialect(namespaces, unresolved, repair, repeated, force_list, root)
    return _rust.decode(dialect, data, into, "last", unknown, all_errors, encoding, limits)


@_suggest.advised
def encode(
    value: Any,
    into: TypeForm[Any] | None = None,
    /,
    *,
    root: str | None = None,
    record: str | None = None,
    declaration: bool = True,
    ascii: bool = False,
    indent: int | Literal["\t"] | None = None,
    null: Null = "nil",
    namespaces: Namespaces | None = None,
    omit: Omit | None = None,
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
) -> bytes:
    """Write a value as one XML document.

    An object of a class is written as `decode` reads it: its fields stand at the same paths, and
    those without a path are child elements. A value that would not be read back is refused. Plain
    dicts and lists are written by the convention in which `decode` reads a document without a
    class: `@x` is an attribute, `#text` the element's text, and a list its element, repeated.

    Args:
        value: Objects of any class that `decode` makes, plain values, or both in one another.
        into: The type of the value. By default each object is written by its own class. Pass it for
            what only an annotation says: `list[list[int]]`, a union with a `tag`, a `Plan` with
            `rename` or `unix`.
        root: The name of the root element. By default, the name of the object's class, the only
            key of a plain dict, or `root`.
        record: The name of the elements of a list at the root. By default, the name of each
            object's class, or `item`.
        declaration: Whether the document begins with `<?xml version="1.0" encoding="UTF-8"?>`.
        ascii: Whether the document is US-ASCII, as which it is declared: all other characters are
            references, and a name that has one is an `EncodeError`.
        indent: The spaces for each level, 0 to 64, or a tab. By default there are no line breaks.
            Penstock indents only elements that contain nothing but elements, so no text changes.
        null: How to write None where an absent element would be read as another value: `"nil"` as
            an empty element with `xsi:nil="true"`, `"empty"` as an empty element, and `"omit"` not
            at all. Only `"nil"` is read back as None everywhere. Plain values have no `xsi:nil`,
            so there `"nil"` writes an empty element.
        namespaces: The URIs of prefixes, as for `decode`. The root element declares them. The
            prefix `""` is the default namespace. With False, names are written as they are.
        omit: The fields to leave out: `"none"` those that are None, `"defaults"` those that are
            equal to their default.
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
        >>> from typing import Annotated
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     code: Annotated[int, penstock.at("@code")]
        >>> penstock.xml.encode(City("Bern", 351), declaration=False)
        b'<City code="351"><name>Bern</name></City>'
        >>> penstock.xml.encode([City("Chur", None)])
        Traceback (most recent call last):
        penstock.EncodeError: [0].code: expected int, got NoneType
    """
    return Encoder(
        into,
        root=root,
        record=record,
        declaration=declaration,
        ascii=ascii,
        indent=indent,
        null=null,
        namespaces=namespaces,
        omit=omit,
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
    root: str | None = None,
    record: str | None = None,
    declaration: bool = True,
    ascii: bool = False,
    indent: int | Literal["\t"] | None = None,
    null: Null = "nil",
    namespaces: Namespaces | None = None,
    omit: Omit | None = None,
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
    compression: Packing | None = "infer",
    level: int | None = None,
    sync: bool = False,
) -> None:
    """Write a value as one XML document to a file or a stream.

    A file at a path is replaced at once or not at all; see `penstock.json.dump`.

    Args:
        value: The value; see `encode`.
        target: A path, a binary file, or a function that is called with chunks of bytes.
        into: The type of the value; see `encode`.
        root: The name of the root element; see `encode`.
        record: The name of the elements of a list at the root; see `encode`.
        declaration: Whether the document begins with an XML declaration; see `encode`.
        ascii: Whether other characters are references; see `encode`.
        indent: The spaces for each level; see `encode`.
        null: How to write None; see `encode`.
        namespaces: The URIs of prefixes; see `encode`.
        omit: The fields to leave out; see `encode`.
        types: Functions that make values of types; see `encode`.
        default: What is written in place of an object that cannot be; see `encode`.
        compression: How the target is compressed; see `penstock.json.dump`.
        level: How well it is compressed; see `penstock.json.dump`.
        sync: Whether the file is on the disk before it replaces the old one.

    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        EncodeError: The value cannot be written. A file at a path stays as it was.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> import pathlib, penstock
        >>> penstock.xml.dump({"cities": {"city": ["Bern", "Chur"]}}, "new.xml", declaration=False)
        >>> pathlib.Path("new.xml").read_bytes()
        b'<cities><city>Bern</city><city>Chur</city></cities>'
    """
    encoder = Encoder(
        into,
        root=root,
        record=record,
        declaration=declaration,
        ascii=ascii,
        indent=indent,
        null=null,
        namespaces=namespaces,
        omit=omit,
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
    root: str | None = None,
    record: str | None = None,
    declaration: bool = True,
    ascii: bool = False,
    indent: int | Literal["\t"] | None = None,
    null: Null = "nil",
    namespaces: Namespaces | None = None,
    omit: Omit | None = None,
    types: Types | None = None,
    default: Callable[[Any], Any] | None = None,
    compression: Packing | None = "infer",
    level: int | None = None,
    sync: bool = False,
) -> _rust.Writer[T]:
    """Write records one at a time, in constant memory: the elements inside of the root.

    `read` of the same path, type and `at` returns the same records.

    Args:
        target: A path, a binary file, or a function that is called with chunks of bytes.
        into: The type of a record. By default each is written by its own class; see `encode`.
        at: The path of the records, as `read` takes it: `"cities/list/city"` are elements `city` in
            an element `list` in the root element `cities`.
        root: The name of the root element, if `at` does not say it; by default `root`.
        record: The name of a record's element, if `at` does not say it. By default, the name of the
            record's class, or `item`.
        declaration: Whether the document begins with an XML declaration; see `encode`.
        ascii: Whether other characters are references; see `encode`.
        indent: The spaces for each level; see `encode`.
        null: How to write None; see `encode`.
        namespaces: The URIs of prefixes; see `encode`.
        omit: The fields to leave out; see `encode`.
        types: Functions that make values of types; see `encode`.
        default: What is written in place of an object that cannot be; see `encode`.
        compression: How the target is compressed; see `penstock.json.dump`.
        level: How well it is compressed; see `penstock.json.dump`.
        sync: Whether the file is on the disk before it replaces the old one.

    Returns:
        A `Writer`; see `penstock.json.write`.

    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid, or `at` is not such a path.

    Example:
        >>> import pathlib, penstock
        >>> with penstock.xml.write("codes.xml", int, at="codes/code", declaration=False) as writer:
        ...     writer.write_all([351, 3901])
        >>> pathlib.Path("codes.xml").read_bytes()
        b'<codes><code>351</code><code>3901</code></codes>'
        >>> list(penstock.xml.read("codes.xml", int, at="codes/code"))
        [351, 3901]
    """
    encoder = Encoder(
        _write.declared(into),
        root=root,
        record=record,
        declaration=declaration,
        ascii=ascii,
        indent=indent,
        null=null,
        namespaces=namespaces,
        omit=omit,
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
    unknown: Unknown = "skip",
    repeated: Repeated = "error",
    namespaces: Namespaces | None = None,
    unresolved: Unresolved = "error",
    repair: RepairWord | Iterable[RepairWord] = (),
    force_list: ForceList = False,
    types: Types | None = None,
    encoding: str | None = None,
    root: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> T:
    """Decode one XML document from a file or a stream.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes. Never the data itself;
            use `decode` for that.
        into: The type of the root element, as for `decode`.
        all_errors: Whether an error reports all problems, as for `decode`.
        unknown: What to do with names that a class does not have, as for `decode`.
        repeated: What to do with repeated elements if the field holds one, as for `decode`.
        namespaces: The URIs of prefixes in paths, as for `decode`.
        unresolved: What to do with unresolved references, as for `decode`.
        repair: The faults to repair, as for `decode`.
        force_list: Without a class: which elements are always lists, as for `decode`.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding, whatever the document declares, as for `decode`.
        root: The name of the root element; any other is an error, as for `decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
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
        >>> path = pathlib.Path("sizes.xml")
        >>> _ = path.write_text("<sizes><S>36</S><M>40</M></sizes>")
        >>> penstock.xml.load(path, dict[str, int])
        {'S': 36, 'M': 40}
    """
    if types is not None:
        into = _plan.with_types(into, types)
    dialect = _dialect(namespaces, unresolved, repair, repeated, force_list, root)
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        return _rust.load(
            dialect,
            _rust.Source(given, name, encoding, compression),
            into,
            "last",
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
    unknown: CountedUnknown = "skip",
    repeated: Repeated = "error",
    namespaces: Namespaces | None = None,
    unresolved: Unresolved = "error",
    repair: RepairWord | Iterable[RepairWord] = (),
    force_list: ForceList = False,
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> _rust.Reader[T]:
    """Read the records of an XML document one at a time, in constant memory.

    Without `at`, the child elements of the root are the records, whatever their names.
    `reader.repairs` is a list of the first thousand repairs, each a `Repair`.
    `reader.repair_counts` counts all of them by kind.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open. Or several files, which are read in order: a list of paths, a
            pattern such as `"data/*.json"`, or a folder.
        into: The type of a record, as for `decode`. By default, a record is a dict of its element's
            content.
        at: The path of the records: the names of elements, the root's first, separated by `/`.
            `*` is any element, and a leading `//` finds the first step at any depth. `{uri}name` is
            exact, `p:name` takes the prefix from `namespaces`, `*:name` is in any namespace, and a
            name alone matches elements written without a prefix. If a record contains another,
            you get the outer one. To read several kinds of records in one pass, in their order,
            pass a mapping of paths to types and no `into`.
        errors: What to do with a record that does not fit `into`. `"raise"` raises its
            `ValidationError`. `"skip"` leaves it out and counts it in `reader.skipped`.
            `"collect"` raises an `ExceptionGroup` of the errors after the last good record. A
            function is called with each error. Malformed XML always raises and ends the reading.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        empty: `"error"` makes a document an error that has no record, or nothing at `at`; see
            `penstock.json.read`.
        where: Which records are wanted: a condition, or its text; see `penstock.field`.
        limit: How many records there are at most: behind the last of them, the source is closed.
        all_errors: Whether the error of a record reports all of its problems, in `problems`, and
            not only the first.
        unknown: What to do with elements and attributes that a class does not name, as for
            `decode`; `"collect"` skips them and counts each name in `reader.unknown`.
        repeated: What to do with repeated elements if the field holds one, as for `decode`.
        namespaces: The URIs of prefixes in paths, as for `decode`.
        unresolved: What to do with unresolved references, as for `decode`.
        repair: The faults to repair, as for `decode`.
        force_list: Without a class: which elements are always lists, as for `decode`.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding, whatever the document declares, as for `decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
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
        >>> file = io.BytesIO(b"<feed><title>Primes</title><n>2</n><n>3</n><n>5</n></feed>")
        >>> sum(penstock.xml.read(file, int, at="feed/n"))
        10
    """
    if types is not None:
        into, at = _plan.of_records(into, at, types)
    dialect = _dialect(namespaces, unresolved, repair, repeated, force_list)
    policy = _rust.Policy(errors, max_errors, "last", unknown, all_errors, empty, limit)
    return _read.read(
        source, "xml", dialect, into, at, policy, encoding, compression, member, limits, where=where
    )


@_suggest.advised
def send(
    source: Source,
    handler: object,
    /,
    *,
    namespaces: Namespaces | None = None,
    unresolved: Unresolved = "error",
    repair: RepairWord | Iterable[RepairWord] = (),
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Any:
    """Send the elements of an XML document to an object's methods; see `penstock.send`.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`.
        handler: The object whose methods are called.
        namespaces: The URIs of prefixes in paths, as for `decode`.
        unresolved: What to do with unresolved references, as for `decode`.
        repair: The faults to repair, as for `decode`.
        encoding: The encoding of the bytes, as for `decode`.
        compression: How the source is compressed, as for `load`.
        member: The member of a zip archive, as for `load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The result of the root element's method, or the value of `Stop`; otherwise None.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`, or a marked method cannot be called with one argument.
        ValueError: As for `load`, or no element can reach the handler, or two methods claim the
            same elements.
        DecodeError: As for `load`. An exception of a method passes through unchanged.

    Warns:
        RepairWarning: As for `load`.

    Example:
        >>> import io, penstock
        >>> class Headlines:
        ...     def title(self, element: penstock.Element) -> str:
        ...         return element.text
        ...     def feed(self, element: penstock.Element) -> list[str]:
        ...         return element.children.all("title")
        >>> feed = b"<feed><title>News</title><entry><title>Rain &amp; more</title></entry></feed>"
        >>> penstock.xml.send(io.BytesIO(feed), Headlines())
        ['News', 'Rain & more']
    """
    dialect = _dialect(namespaces, unresolved, repair)
    return _send.send(dialect, source, handler, encoding, compression, member, limits)


@_suggest.advised
def edit(
    source: Source,
    target: Target,
    changes: Mapping[str, Any],
    /,
    *,
    add: Mapping[str, Any] | None = None,
    namespaces: Mapping[str, str] | None = None,
    compression: Packing | None = "infer",
    limits: Limits | None = None,
) -> dict[str, int]:
    r"""Change single values of an XML document, and copy everything else byte for byte.

    Comments, the DOCTYPE, the order of attributes and the layout stay as they are, and so does the
    encoding. The document is held in memory. A file at a path is replaced at once or not at all;
    `source` and `target` may be the same path.

    Paths begin with the root element: `"project/version"`, `"project/*/@id"`,
    `"//dependency/scope"`. Names are as in all paths: `x` is written without a prefix, `p:x` in a
    namespace of `namespaces`, `{uri}x` in that namespace, `*:x` in any.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes. It is not decompressed.
        target: A path, a binary file, or a function that is called with chunks of bytes.
        changes: New values by their paths: a scalar, as `encode` writes it; None, which drops the
            element with all that is in it, or the attribute; or a function that is called with the
            text and returns one of these. An attribute that is not there is added. The text of an
            element that has elements inside cannot be set.
        add: New elements by their paths, as the last in the element around them: a scalar, an
            object as `encode` writes it, or a list of these. If the last element stands in a line
            of its own, so does a new one.
        namespaces: The namespaces of the prefixes in paths.
        compression: How the target is compressed, by default as its suffix says.
        limits: The limits to enforce instead of the default ones.

    Returns:
        How many elements or attributes there were at each path.

    Raises:
        ValueError: There is nothing at a path, two paths lead to the same value, or a path names
            nothing that can be changed. Then nothing is written.
        EncodeError: A value cannot be written.
        DecodeError: The document, or what would become of it, is not well-formed.
        OSError: The source cannot be read, or the target not be written to.

    Example:
        >>> import io, penstock
        >>> pom = b'<!-- ours -->\n<project>\n  <version>1.0</version>\n</project>\n'
        >>> changed = io.BytesIO()
        >>> penstock.xml.edit(
        ...     io.BytesIO(pom), changed, {"project/version": "1.1"}, add={"project/name": "R & D"}
        ... )
        {'project/version': 1, 'project/name': 1}
        >>> print(changed.getvalue().decode(), end="")
        <!-- ours -->
        <project>
          <version>1.1</version>
          <name>R &amp; D</name>
        </project>
    """
    from penstock._verbs.edit import edit as run  # noqa: PLC0415 - few programs edit

    return run(source, target, changes, add or {}, namespaces, compression, limits, encode, events)


@_suggest.advised
def events(
    source: Source,
    /,
    *,
    namespaces: Literal[False] | None = None,
    unresolved: Unresolved = "error",
    repair: RepairWord | Iterable[RepairWord] = (),
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Events:
    """Read the events of an XML document, in constant memory: the level below the verbs.

    Each event is a tuple of its kind, its value and its offset: the bytes of the decompressed
    source before it, in UTF-8.

    - `"start"`: the name of an element, and where its start tag begins.
    - `"attribute"`: the name and the value of an attribute of the last element that started, and
      where its name begins.
    - `"text"`: text, and where it begins.
    - `"end"`: the name of the element that ends, and where its end tag begins.
    - `"comment"`: the text of a comment, and where that begins.
    - `"instruction"`: the target and the data of a processing instruction, and where that begins.

    A name in a namespace is `"{uri}name"`. In text, references, line ends and CDATA sections
    are resolved. The text between two tags, comments or instructions is one event. If it is longer
    than 64 KiB, it is several events, all with the offset of its beginning. An attribute from the
    document type has the offset of its tag, and content of an entity has the offset of the
    reference.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open.
        namespaces: False for names as they are written, and declarations of namespaces as
            attributes.
        unresolved: What to do with unresolved references, as for `decode`.
        repair: The faults to repair, as for `decode`. The iterator has `repairs` and
            `repair_counts`, as for `read`.
        encoding: The encoding, whatever the document declares, as for `decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        An iterator over the events. It is also a context manager; without `with`, Penstock closes
        the file after the last event.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`.
        ValueError: As for `load`.
        DecodeError: While iterating, as for `decode`.

    Example:
        >>> import io, penstock
        >>> for event in penstock.xml.events(io.BytesIO(b'<a n="1">x &amp; y<b/></a>')):
        ...     print(event)
        ('start', 'a', 0)
        ('attribute', ('n', '1'), 3)
        ('text', 'x & y', 9)
        ('start', 'b', 18)
        ('end', 'b', 20)
        ('end', 'a', 22)
    """
    dialect = _dialect(namespaces, unresolved, repair)
    given, name = _sources.locate("events", source, compression, member, limits)
    try:
        return Events(dialect, _rust.Source(given, name, encoding, compression), limits)
    finally:
        del given  # This closes an archive that was opened here.


class Decoder(_decoder.Decoder[T]):
    """Records of an XML document from chunks that you push; see `penstock.Decoder`.

    The records and the options are those of `read`.

    Example:
        >>> import penstock
        >>> decoder = penstock.xml.Decoder(int, at="feed/n")
        >>> decoder.feed(b"<feed><n>2</n><n>"), decoder.feed(b"3</n></feed>"), decoder.finish()
        ([2], [3], [])
    """

    __slots__ = ()

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
        unknown: CountedUnknown = "skip",
        repeated: Repeated = "error",
        namespaces: Namespaces | None = None,
        unresolved: Unresolved = "error",
        repair: RepairWord | Iterable[RepairWord] = (),
        force_list: ForceList = False,
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        limits: Limits | None = None,
    ) -> Self:
        """Compile the type and the path, before any byte."""
        if types is not None:
            into, at = _plan.of_records(into, at, types)
        dialect = _dialect(namespaces, unresolved, repair, repeated, force_list)
        policy = _rust.Policy(errors, max_errors, "last", unknown, all_errors, empty, limit)
        dialect = _read.wanting(dialect, where)
        return cls._make(dialect, into, at, policy, encoding, limits, compression)


Encoder = _encoder.ElementsEncoder
