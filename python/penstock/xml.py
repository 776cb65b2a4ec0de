"""XML 1.0, straight into your own types.

The verbs are named by where the data is: `decode` what is in memory, `load` a file or a stream as
a whole, `read` it a record at a time in constant memory, and `Decoder` for chunks that you push.
`send` calls the methods of an object of yours, and `events` is the level below them, for tools.

A field of a class is the child element of its name or, if there is none and the field is a scalar,
the attribute of its name; `Annotated[..., penstock.at("path")]` says otherwise. Numbers, bools and
dates are read as XML Schema writes them. A `str` is all the text below its element, with markup
dropped. Elements that the class does not name are skipped at scanning speed, and are checked.

The whole grammar is enforced: XML 1.0 in its fifth edition, with namespaces. Document types are
read as far as they stand in the document itself. Nothing else is ever opened because a document
says so, neither a file nor an address.
"""

from __future__ import annotations

from penstock import _decoder, _plan, _rust, _send, _sources
from penstock._rust import Events
from penstock._types import PLAIN, T

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, Self

    from typing_extensions import TypeForm

    from penstock._limits import Limits
    from penstock._types import (
        At,
        Compression,
        CountedUnknown,
        Data,
        Errors,
        ForceList,
        Markup,
        Namespaces,
        RepairWord,
        Repeated,
        Source,
        Types,
        Unknown,
        Unresolved,
    )

__all__ = ["Decoder", "Events", "decode", "events", "load", "read", "send"]


def _grammar(
    namespaces: Namespaces | None,
    unresolved: Unresolved,
    repair: RepairWord | Iterable[RepairWord],
    repeated: Repeated = "error",
    force_list: ForceList = False,
) -> Markup:
    """Return the options of XML as the extension takes them, which looks at their values."""
    return (
        namespaces if namespaces is None or namespaces is False else dict(namespaces),
        unresolved,
        (repair,) if isinstance(repair, str) else tuple(repair),
        repeated,
        force_list if isinstance(force_list, bool) else frozenset(force_list),
    )


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
    limits: Limits | None = None,
) -> T:
    """Decode one XML document that is in memory.

    Args:
        data: The document: a `str`, or anything with the buffer protocol, such as `bytes`. Never a
            path: that is `load`. Of a `str`, the encoding that it declares is not looked at.
        into: The type of the root element. Left out, `Any` or `object` gives what xmltodict gives:
            a dict of the root's name, with `"@name"` for attributes, `"#text"` for text beside
            them, lists of elements that are repeated, and None for those that are empty. A
            `penstock.Plan` is accepted wherever a type is.
        all_errors: Whether an error tells of all that does not fit, in its `problems`, and
            not of the first place only.
        unknown: Whether to `"skip"` elements and attributes that a class does not name, or to take
            them for an `"error"`. `xsi:` attributes are always skipped.
        repeated: What a repeated element means for a field that holds one: an `"error"`, the
            `"first"` or the `"last"` of them; or `"join"` for their text with a space in between,
            if the field is a `str`.
        namespaces: The URIs of the prefixes in the paths of `at`. False leaves the names of the
            document as they are written, colon and all, and declares no namespaces.
        unresolved: What becomes of a reference to an entity that only another file could declare:
            an `"error"`, or the `"text"` of the reference itself.
        repair: What to repair instead of refusing it, one word or several. `"bare_ampersand"`
            takes a `&` that begins no reference for itself. `"control_character"` leaves out
            characters that XML does not allow. `"surrogate_pair"` joins two character references
            that are a surrogate pair. `"broken_subset"` leaves out what is behind an error in the
            internal subset of the document type, up to the `]>` that ends it. `"trailing_junk"`
            leaves out what stands behind the root element. `"all"` is all of them. A
            `RepairWarning` says what was repaired.
        force_list: Without a class: which elements are lists even where they are alone, True for
            all of them, or their names.
        types: Functions that make values of types, for this call: `{Money: Money.parse}`; see
            `penstock.Plan`, which made once is cheaper for many calls.
        encoding: The encoding of bytes where neither a byte order mark nor the XML declaration
            says it, if it is not UTF-8: a name of the WHATWG table, or `"utf-16-le"` and its like.
        limits: The bounds to enforce, if not the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        MalformedInput: `data` is not well-formed XML.
        TruncatedInput: `data` is the beginning of an XML document.
        ValidationError: `data` is XML and does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
        PlanError: `into` cannot be decoded into.

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
    grammar = _grammar(namespaces, unresolved, repair, repeated, force_list)
    return _rust.decode("xml", data, into, "last", unknown, all_errors, encoding, grammar, limits)


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
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> T:
    """Decode one XML document from a file or a stream.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes. Never the data itself:
            that is `decode`.
        into: The type of the root element, as for `decode`.
        all_errors: Whether an error tells of all that does not fit, as for `decode`.
        unknown: What becomes of what a class does not name, as for `decode`.
        repeated: What a repeated element means for a field that holds one, as for `decode`.
        namespaces: The URIs of prefixes in paths, as for `decode`.
        unresolved: What becomes of references to what is not there, as for `decode`.
        repair: What to repair instead of refusing it, as for `decode`.
        force_list: Without a class: which elements are always lists, as for `decode`.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding where the document does not say it, as for `decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The bounds to enforce, if not the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of these three.
        ValueError: The archive does not hold exactly one file, or not `member`.
        DecodeError: As for `decode`; or itself, if the source raised while it was read.
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
    grammar = _grammar(namespaces, unresolved, repair, repeated, force_list)
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        return _rust.load(
            "xml",
            given,
            into,
            "last",
            unknown,
            all_errors,
            encoding,
            grammar,
            compression,
            limits,
            name,
        )
    finally:
        del given  # An archive that was opened here is closed by dropping it.


def read(
    source: Source,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    at: At[T] | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
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

    Without `at`, the child elements of the root are the records, whatever their names. What the
    reader has repaired is in `reader.repairs`, a list of `Repair` that ends after the first
    thousand, and `reader.repair_counts` counts all of them by kind.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            the caller opened stays open.
        into: The type of a record, as for `decode`. Left out, a record is a dict of what its
            element holds.
        at: The path of the records: the names of elements, the root's first, separated by `/`.
            `*` is any element, and a leading `//` finds the first step anywhere. `{uri}name` is
            exact, `p:name` takes the prefix from `namespaces`, `*:name` is in any namespace, and a
            name alone is that of an element written without a prefix. Of a record within a record,
            the outer one is read. A mapping of such paths to types reads several kinds of records
            in one pass, in their order; then `into` is left out.
        errors: What becomes of a record that does not fit `into`. `"raise"` raises its
            `ValidationError`. `"skip"` counts it in `reader.skipped`.
            `"collect"` raises an `ExceptionGroup` of the errors after the last good record. A
            function is called with each error. Malformed XML always raises and ends the reading.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        all_errors: Whether the error of a record tells of all that does not fit in it, in its
            `problems`, and not of the first place only.
        unknown: What becomes of what a class does not name, as for `decode`; `"collect"` skips it
            and counts each name in `reader.unknown`.
        repeated: What a repeated element means for a field that holds one, as for `decode`.
        namespaces: The URIs of prefixes in paths, as for `decode`.
        unresolved: What becomes of references to what is not there, as for `decode`.
        repair: What to repair instead of refusing it, as for `decode`.
        force_list: Without a class: which elements are always lists, as for `decode`.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding where the document does not say it, as for `decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The bounds to enforce, if not the default ones.

    Returns:
        An iterator over the records. It is a context manager too; without `with`, the file is
        closed after the last record.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`.
        ValueError: As for `load`, or `at` is not a path.
        PlanError: `into` cannot be decoded into.
        DecodeError: While iterating, as for `decode`.

    Example:
        >>> import io, penstock
        >>> file = io.BytesIO(b"<feed><title>Primes</title><n>2</n><n>3</n><n>5</n></feed>")
        >>> sum(penstock.xml.read(file, int, at="feed/n"))
        10
    """
    if types is not None:
        into, at = _plan.of_records(into, at, types)
    grammar = _grammar(namespaces, unresolved, repair, repeated, force_list)
    given, name = _sources.locate("read", source, compression, member, limits)
    try:
        return _rust.Reader(
            "xml",
            given,
            into,
            at,
            errors,
            max_errors,
            "last",
            unknown,
            all_errors,
            encoding,
            grammar,
            compression,
            limits,
            name,
        )
    finally:
        del given  # An archive that was opened here is closed by dropping it.


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
        namespaces: What the prefixes in paths stand for, as for `decode`.
        unresolved: What becomes of references that cannot be resolved, as for `decode`.
        repair: What may be repaired, as for `decode`.
        encoding: The encoding of the bytes, as for `decode`.
        compression: How the source is compressed, as for `load`.
        member: The member of a zip archive, as for `load`.
        limits: The bounds to enforce, if not the default ones.

    Returns:
        What the method of the root element returned, or the value of `Stop`; else None.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`, or a marked method cannot be called with one argument.
        ValueError: As for `load`, or no element can reach the handler, or two methods claim the
            same elements.
        DecodeError: As for `load`. What a method raises comes out as it is.

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
    grammar = _grammar(namespaces, unresolved, repair)
    return _send.send("xml", grammar, source, handler, encoding, compression, member, limits)


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
    """Read an XML document as what it is made of, in constant memory: the level below the verbs.

    Each event is a tuple of its kind, its value and its offset: the bytes of the decompressed
    source before it, in UTF-8.

    - `"start"`: the name of an element, and where its start tag begins.
    - `"attribute"`: the name and the value of an attribute of the last element that started, and
      where its name begins.
    - `"text"`: text, and where it begins.
    - `"end"`: the name of the element that ends, and where its end tag begins.
    - `"comment"`: the text of a comment, and where that begins.
    - `"instruction"`: the target and the data of a processing instruction, and where that begins.

    A name in a namespace is `"{uri}name"`. References, line ends and CDATA sections are resolved in
    text, and what stands between two tags, comments or instructions is one event, unless it is
    longer than 64 KiB: then it is several, all with the offset where it begins. An attribute that
    comes from the document type has the offset of its tag, and what comes from an entity that of
    the reference.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            the caller opened stays open.
        namespaces: False for names as they are written, and declarations of namespaces as
            attributes.
        unresolved: What becomes of references to what is not there, as for `decode`.
        repair: What to repair instead of refusing it, as for `decode`. What was repaired is in
            `repairs` and `repair_counts` of the iterator, as for `read`.
        encoding: The encoding where the document does not say it, as for `decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The bounds to enforce, if not the default ones.

    Returns:
        An iterator over the events. It is a context manager too; without `with`, the file is closed
        after the last event.

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
    grammar = _grammar(namespaces, unresolved, repair)
    given, name = _sources.locate("events", source, compression, member, limits)
    try:
        return Events(given, encoding, grammar, compression, limits, name)
    finally:
        del given  # An archive that was opened here is closed by dropping it.


class Decoder(_decoder.Decoder[T]):
    """Records of an XML document from chunks that the caller pushes; see `penstock.Decoder`.

    The records are those of `read`, and so are the options.

    Example:
        >>> import penstock
        >>> decoder = penstock.xml.Decoder(int, at="feed/n")
        >>> decoder.feed(b"<feed><n>2</n><n>"), decoder.feed(b"3</n></feed>"), decoder.finish()
        ([2], [3], [])
    """

    __slots__ = ()

    def __new__(
        cls,
        into: TypeForm[T] = PLAIN,
        /,
        *,
        at: At[T] | None = None,
        errors: Errors = "raise",
        max_errors: int = 100,
        all_errors: bool = False,
        unknown: CountedUnknown = "skip",
        repeated: Repeated = "error",
        namespaces: Namespaces | None = None,
        unresolved: Unresolved = "error",
        repair: RepairWord | Iterable[RepairWord] = (),
        force_list: ForceList = False,
        types: Types | None = None,
        encoding: str | None = None,
        limits: Limits | None = None,
    ) -> Self:
        """Compile the type and the path; no byte is read yet."""
        if types is not None:
            into, at = _plan.of_records(into, at, types)
        grammar = _grammar(namespaces, unresolved, repair, repeated, force_list)
        return cls._make(
            "xml",
            into,
            at,
            errors,
            max_errors,
            "last",
            unknown,
            all_errors,
            encoding,
            grammar,
            limits,
        )
