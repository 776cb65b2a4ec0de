"""`convert`, and what it does before the extension takes over: it finds formats, checks options."""

from __future__ import annotations

import os

import penstock._rust as _rust
from penstock._base import suggest as _suggest
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock._io import targets as _targets
from penstock._verbs import converted as _converted
from penstock._verbs import read as _read
from penstock._verbs import tables as _tables

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager
    from typing import Any, Literal

    from typing_extensions import TypeIs

    from penstock._base.limits import Limits
    from penstock._base.types import (
        ArrowColumns,
        Compression,
        CsvRepair,
        Duplicates,
        Empty,
        Errors,
        ForceList,
        Form,
        Format,
        Formulas,
        Framing,
        Namespaces,
        Null,
        PlistForm,
        Quoting,
        RepairWord,
        Source,
        TableFormat,
        Target,
        Unresolved,
        Where,
    )
    from penstock._io.dialect import Dialect
    from penstock._verbs.converted import Converted

# The options of each format, for writing and for reading.
_WRITES = {
    "json": frozenset({"indent", "sort_keys", "canonical", "ascii"}),
    "ndjson": frozenset({"sort_keys", "canonical", "ascii"}),
    "xml": frozenset({"indent", "root", "record", "null", "declaration", "ascii", "namespaces"}),
    "csv": frozenset({"to_dialect", "quoting", "formulas"}),
    "plist": frozenset({"to_form", "indent", "sort_keys", "ascii"}),
}
_READS = {
    "json": frozenset({"comments", "duplicates"}),
    "ndjson": frozenset({"duplicates", "framing"}),
    "xml": frozenset({"force_list", "namespaces", "unresolved", "repair"}),
    "csv": frozenset({"dialect", "repair"}),
    "plist": frozenset({"duplicates", "repair"}),
}


@_suggest.advised
def convert(
    source: Source | ArrowColumns,
    target: Target,
    /,
    *,
    at: str | None = None,
    into: object = None,
    objects: bool = False,
    format: Format | None = None,
    to: Format | TableFormat | None = None,
    dialect: Dialect | Literal["infer"] | None = None,
    to_dialect: Dialect | None = None,
    to_form: PlistForm | None = None,
    form: Form = "plain",
    errors: Errors = "raise",
    max_errors: int = 100,
    empty: Empty = "warn",
    indent: int | None = None,
    sort_keys: bool = False,
    canonical: bool = False,
    ascii: bool = False,
    root: str | None = None,
    record: str | None = None,
    null: Null = "nil",
    declaration: bool = True,
    quoting: Quoting = "minimal",
    formulas: Formulas | None = None,
    duplicates: Duplicates | None = None,
    force_list: ForceList = False,
    namespaces: Namespaces | None = None,
    unresolved: Unresolved = "error",
    repair: RepairWord | CsvRepair | Iterable[RepairWord | CsvRepair] = (),
    framing: Framing = "lines",
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
    threads: int = 1,
    where: Where | None = None,
    limit: int | None = None,
) -> Converted:
    r"""Convert a file or a stream to another format, without making Python objects.

    A target whose suffix is `.parquet` or `.arrow` gets columns: those of `into`, or those that are
    found by reading the source twice, as for `penstock.columns`. They need pyarrow:
    `pip install penstock-data[parquet]`.

    Without `at`, a document becomes a document, and NDJSON and CSV are lists of records. If the
    target is NDJSON or CSV, its lines are the records that `read` would find. Numbers keep their
    digits. Other threads run meanwhile.

    The memory that this takes does not grow with the source, with one exception: XML in the plain
    form is kept until a record ends, or the document without `at` and NDJSON, up to
    `limits.memory`. So are the other formats with `duplicates="last"`.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`; or Arrow
            columns, which are an object with `__arrow_c_stream__` or `__arrow_c_array__`. Their
            rows are records. See `Writer.columns`.
        target: A path, a binary file, or a function that takes bytes. A file at a path is replaced
            at the end, or not at all; it may be the source. By the suffix of a path, the target is
            compressed.
        at: Where the records are; see `penstock.json.read`. The target gets them as an array, as
            lines, or as the children of a root element.
        into: The type of a record, by which records are read and written: checked, with its keys
            and paths, and without keys that it does not name. The result is that of `read` with
            the type, and `write`. For columns it may also be a schema.
        objects: With `into`, whether to make objects of the records where the type needs them: XML,
            and whatever runs code of Python. Without it, such a type is a `PlanError`.
        format: The format of the source: `"json"`, `"ndjson"`, `"xml"`, `"csv"` or `"plist"`; by
            default as for `load`.
        to: The format of the target, which may also be `"parquet"` or `"arrow"`; by default that of
            the suffix of its path.
        dialect: How a source of CSV is cut into rows and cells, or `"infer"`; see
            `penstock.csv.read`.
        to_dialect: The delimiter, the quote and the header of a target of CSV; see
            `penstock.csv.dump`.
        to_form: The form of a target that is a property list; see `penstock.plist.dump`.
        form: How XML stands in JSON. `"plain"` is the convention of xmltodict: attributes with an
            `@`, text as `#text`, a list for repeated elements. `"element"` loses nothing: each
            element is a list of its name, its attributes and its content.
        errors: What to do with a record that cannot be read or written; see `penstock.json.read`.
            With `"collect"`, the target is complete when the errors are raised.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        empty: `"error"` makes a source an error that has no record, or nothing at `at`.
        indent: The spaces for each level of JSON, XML, or the text of property lists; by default
            JSON is on one line, XML gets no line breaks, and property lists have tabs.
        sort_keys: Whether members of JSON, or of a property list, are in the order of their keys.
        canonical: Whether to write RFC 8785's form of JSON.
        ascii: Whether all other characters are escapes of JSON or of the text of property lists,
            or references of XML.
        root: The name of XML's root element, if the source has none; by default `root`.
        record: The name of an element of XML for a record without a name; by default `item`.
        null: XML for null: an element with `xsi:nil`, an `"empty"` one, or none (`"omit"`).
        declaration: Whether XML begins with a declaration.
        quoting: Which cells of CSV have quotes; see `penstock.csv.encode`.
        formulas: What becomes of text that begins like a formula; see `penstock.csv.encode`.
        duplicates: Which member is written if an object of JSON, or a dictionary of a property
            list, repeats a key: the `"last"` or the `"first"`. `"error"` makes the record an error.
            By default each of them is written, or with `into` the last. For the last one, a record
            is kept until it ends, or the document without `at`, up to `limits.memory`.
        force_list: The elements of XML that are lists although they occur once; see
            `penstock.xml.decode`.
        namespaces: The URIs of the prefixes in `at`; False takes names as they are written.
        unresolved: What to do with a reference to an entity that only another file could declare;
            see `penstock.xml.decode`.
        repair: The faults of XML, of a property list in XML, or of CSV to repair; see
            `penstock.xml.decode` and `penstock.csv.decode`. The `repair_counts` of the result say
            how many there were.
        framing: What separates the records of a source of NDJSON; see `penstock.ndjson.decode`.
        encoding: The encoding of the source; see `penstock.json.decode`.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones, on both sides.
        threads: How many threads convert one source that has several records, unless it is a
            property list that is text. The target is the same for any number, and so are errors.
        where: Which records are written: a condition, or its text; see `penstock.field`. It asks
            for values of the source, so it can be used without `into`.
        limit: How many records are written at most. What follows is not read. Not for a target that
            gets columns.

    Returns:
        How many records were written and left out, and the bytes on both sides.

    Raises:
        OSError: The source cannot be read, or the target cannot be written to.
        ImportError: The target gets columns, and pyarrow is not installed.
        TypeError: As for `load`, or a format has no such option.
        ValueError: As for `load`, or an option is not valid; `threads` is not from 1 to 256.
        DecodeError: The source is not valid, or the target's format has no form for a value
            (`ValidationError`). The old file stays.
        PlanError: Penstock cannot decode into `into`, or not without objects.
        EncodeError: A record cannot be written by `into`, or the target's format has no form for a
            column, or for a value in it.

    Example:
        >>> import pathlib, penstock
        >>> _ = pathlib.Path("shops.xml").write_text("<shops><shop id='1'>Vila</shop></shops>")
        >>> penstock.convert("shops.xml", "shops.ndjson", at="shops/shop").records
        1
        >>> pathlib.Path("shops.ndjson").read_text()
        '{"@id":"1","#text":"Vila"}\n'
    """
    reads: dict[str, object] = {}
    if dialect is not None:
        reads["dialect"] = dialect
    if duplicates is not None:
        reads["duplicates"] = duplicates
    if force_list is not False:
        reads["force_list"] = force_list
    if namespaces is not None:
        reads["namespaces"] = namespaces
    if unresolved != "error":
        reads["unresolved"] = unresolved
    repair = (repair,) if isinstance(repair, str) else tuple(repair)
    if repair:
        reads["repair"] = repair
    if framing != "lines":
        reads["framing"] = framing
    writes: dict[str, object] = {}
    # No comprehension: to make its function, the interpreter may lose references if memory ends.
    for option, value, usual in (
        ("indent", indent, None),
        ("sort_keys", sort_keys, False),
        ("canonical", canonical, False),
        ("ascii", ascii, False),
        ("root", root, None),
        ("record", record, None),
        ("null", null, "nil"),
        ("declaration", declaration, True),
        ("to_dialect", to_dialect, None),
        ("to_form", to_form, None),
        ("quoting", quoting, "minimal"),
        ("formulas", formulas, None),
    ):
        if value != usual:
            writes[option] = value  # noqa: PERF403 - as above
    if _has_columns(source):
        for option, other in (
            ("at", at is not None),
            ("into", into is not None),
            ("objects", objects),
            ("format", format is not None),
            ("form", form != "plain"),
            ("errors", errors != "raise"),
            ("max_errors", max_errors != 100),
            ("empty", empty != "warn"),
            ("encoding", encoding is not None),
            ("compression", compression != "infer"),
            ("member", member is not None),
            ("limits", limits is not None),
            ("threads", threads != 1),
            ("where", where is not None),
            ("limit", limit is not None),
            *((option, True) for option in reads),
        ):
            if other:
                raise TypeError(f"{option}= is no option for Arrow columns")
        return _columns(source, target, to, writes)
    _sources.check("convert", source)
    if isinstance(target, type):
        raise TypeError("convert() writes a file: penstock.make() makes objects of values")
    if objects and (table := _tables.wanted(target, to)) is not None:
        # Columns make them where the type needs them.
        raise TypeError(f"objects= is no option for a target of the format {table!r}")
    return run(
        source,
        target,
        format,
        to,
        at,
        form,
        errors,
        max_errors,
        empty,
        reads,
        writes,
        encoding,
        compression,
        member,
        limits,
        into=into,
        objects=objects,
        threads=threads,
        most=limit,
        where=where,
    )


convert.__module__ = "penstock"


def run(
    source: Source,
    target: Target,
    format: Format | None,
    to: Format | TableFormat | None,
    at: str | None,
    form: Form,
    errors: Errors,
    max_errors: int,
    empty: Empty,
    reads: Mapping[str, object],
    writes: Mapping[str, object],
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
    watch: Callable[[_rust.Conversion], AbstractContextManager[object]] | None = None,
    into: object = None,
    objects: bool = False,
    columns: tuple[str, bool] | None = None,
    threads: int = 1,
    most: int | None = None,
    where: Where | None = None,
) -> Converted:
    """Convert a source, in the context of `watch` if it is given; see `penstock.convert`.

    `columns` are those that are kept of a source of CSV and, if the flag is true, left out. `most`
    is how many records are written at most, unless the target gets columns.
    """
    table = _tables.wanted(target, to)
    if table is not None:
        for option, given_one in {
            **dict.fromkeys(writes, True),
            "form": form != "plain",
            "columns": columns is not None,
            "limit": most is not None,
        }.items():
            if given_one:
                raise TypeError(f"{option}= is no option for a target of the format {table!r}")
        kind, dialect = _read_as(source, format, reads, into, compression, member, limits)
        dialect = _read.wanting(dialect, where)
        return _tables.records(
            source,
            target,
            table,
            kind,
            dialect,
            at,
            into,
            errors,
            max_errors,
            empty,
            encoding,
            compression,
            member,
            limits,
            threads,
            reads.get("duplicates", "last"),
            watch,
        )
    duplicates: Any = reads.get("duplicates")
    counting = "last" if duplicates is None else duplicates
    policy = _rust.Policy(errors, max_errors, counting, "skip", False, empty, most)
    style_of = _written(target) if to is None else _formats.checked(to)
    given, name = _sources.locate("convert", source, compression, member, limits)
    try:
        opened = _rust.Source(given, name, encoding, compression)
        kind = _formats.of_source(given, name) if format is None else _formats.checked(format)
    finally:
        del given  # This closes an archive that was opened here.
    dialect, style = sides(kind, style_of, form, reads, writes, into, (name, target))
    if where is not None:
        if at is None and into is None:
            _check_records(kind, style_of)
        dialect = _read.wanting(dialect, where)
    by = None if into is None else (into, _rust.Encoder(into, style, None), objects)
    with _targets.open_target("convert", target) as writing:
        conversion = _rust.Conversion(
            dialect,
            opened,
            style,
            writing,
            at,
            form,
            policy,
            limits,
            by,
            columns,
            threads,
            most,
            duplicates,
        )
        if watch is None:
            return _converted.of(conversion.run())
        with watch(conversion):
            return _converted.of(conversion.run())


def _check_records(kind: Format, to: Format) -> None:
    """Check that a source has records, of which a condition can choose some.

    Raises:
        ValueError: It is converted as one document.
    """
    if not any(map(_formats.is_stream, (kind, to))):
        raise ValueError(
            "where= chooses records, and without at= this is one document: name the path of the "
            "records, for example at='*'"
        )


def _read_as(
    source: Source,
    format: Format | None,
    reads: Mapping[str, object],
    into: object,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
) -> tuple[Format, _rust.Dialect]:
    """Find the format of a source, and how it is read."""
    given, name = _sources.locate("convert", source, compression, member, limits)
    try:
        kind = _formats.of_source(given, name) if format is None else _formats.checked(format)
    finally:
        del given  # This closes an archive that was opened here.
    dialect, _ = sides(kind, "ndjson", "plain", reads, {}, into, (name, None))
    return kind, dialect


def _has_columns(source: object) -> TypeIs[ArrowColumns]:
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def _columns(
    source: ArrowColumns,
    target: Target,
    to: Format | TableFormat | None,
    writes: Mapping[str, object],
) -> Converted:
    """Write Arrow columns."""
    table = _tables.wanted(target, to)
    if table is not None:
        for option in writes:
            raise TypeError(f"{option}= is no option for a target of the format {table!r}")
        return _tables.columns(source, target, table)
    kind = _written(target) if to is None else _formats.checked(to)
    _, style = sides("json", kind, "plain", {}, writes, names=(None, target))
    encoder = _rust.Encoder(None, style, None)
    with _targets.open_target("convert", target) as opened:
        done = _rust.convert_columns(encoder, source, opened)
        return _converted.of_columns(source, done.records, done.bytes_written)


def sides(
    format: Format,
    to: Format,
    form: Form,
    reads: Mapping[str, object],
    writes: Mapping[str, object],
    into: object = None,
    names: tuple[str | None, object] = (None, None),
) -> tuple[_rust.Dialect, _rust.Style]:
    """Return how the source is read and how the target is written.

    The names of both say the delimiters of CSV.

    Raises:
        TypeError: A format has no such option.
        ValueError: An option is not valid.
    """
    if into is not None:
        reads, writes = _by_class(format, to, form, reads, writes)
    for options, known, kind in (
        (reads, _READS.get(format, frozenset()), format),
        (writes, _WRITES.get(to, frozenset()), to),
    ):
        for option in options:
            if option not in known:
                side = "a source" if options is reads else "a target"
                raise TypeError(f"{option}= is no option for {side} of the format {kind!r}")
    if form == "element" and (format == "xml") == (to == "xml"):
        raise ValueError(
            "form='element' is for XML on one side: "
            + ("XML to XML loses nothing" if to == "xml" else "there is none here")
        )
    if "duplicates" in reads:
        if form == "element":
            raise ValueError(
                "duplicates= has no meaning with form='element': attributes occur once"
            )
        # It is no option of the reader: whoever gets the members compares their keys.
        reads = dict(reads)
        del reads["duplicates"]
    if to == "xml" and reads.get("namespaces") is False:
        writes = {**writes, "namespaces": False}
    name, target = names
    # No comprehension with an argument in it: that makes a cell of the argument, and if there is no
    # memory for the cell, the interpreter loses all arguments (`tests/faults/interpreter.py`).
    if format == "csv":
        reads = _cut(reads, "dialect", name)
    if to == "csv":
        writes = _cut(writes, "to_dialect", target)
    if to == "plist":
        writes = dict(writes)
        writes["form"] = writes.pop("to_form", None) or _formats.form_for(target)
    return _rust.Dialect(format, dict(reads)), _rust.Style(to, dict(writes))


def _cut(given: Mapping[str, object], option: str, name: object) -> Mapping[str, object]:
    """Return options of CSV, with those of the dialect instead of the dialect itself.

    Without a dialect, the suffix of a name says the delimiter.

    Raises:
        TypeError: The dialect is none.
    """
    options = dict(given)
    dialect = options.pop(option, None)
    if option == "dialect" and isinstance(dialect, str) and dialect == "infer":
        return {"infer": True, **options}
    if dialect is not None:
        from penstock._io import dialect as _dialect  # noqa: PLC0415 - few programs pass one

        return {**_dialect.options(dialect, option), **options}
    if isinstance(name, (str, os.PathLike)):
        return {**_formats.delimited(os.fsdecode(name)), **options}
    return options


def _by_class(
    format: Format,
    to: Format,
    form: Form,
    reads: Mapping[str, object],
    writes: Mapping[str, object],
) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return the options of both sides by a class, whose paths may have prefixes."""
    if form != "plain":
        raise ValueError("form= is for conversions without a class")
    if "namespaces" in reads and "xml" in {format, to}:
        if to == "xml":
            writes = {**writes, "namespaces": reads["namespaces"]}
        if format != "xml":
            reads = dict(reads)
            del reads["namespaces"]
    return reads, writes


def _written(target: Target) -> Format:
    """Find the format of a target from its name."""
    if isinstance(target, (str, os.PathLike)):
        name = _sources.printable(os.fsdecode(target))
        found = _formats.of_name(name)
        if found is not None:
            return found
        what = repr(name)
    else:
        what = "a target without a path"
    names = _formats.listed([repr(name) for name in _formats.NAMES], "or")
    raise ValueError(f"cannot tell the format of {what}: pass to={names}")
