"""Decodes while one large request of Penstock's own after the other fails.

A program: what is wrong here aborts the process, so `test_memory.py` runs it. `starve.py` does the
same for the interpreter's allocations. Each attempt is a child process, in which the n-th request
of 4 KiB or more fails. It must end with the usual result or with a MemoryError, and a second one
must work as if nothing had happened. Violations are printed on standard output.

    python large.py [case ...]
"""

import atexit
import bz2
import gzip
import io
import lzma
import shutil
import sys
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pyarrow
from fresh import in_child

import penstock
from penstock import _rust
from penstock._base import sidecar as _sidecar
from penstock._base import views as _views
from penstock._io import formats as _formats
from penstock._io import targets as _targets
from penstock._io import zip as _zip
from penstock._parts import lookup as _lookup
from penstock._parts import rows as _rows
from penstock._verbs import convert as _convert
from penstock._verbs import recompress as _recompress

# More attempts than any case has large requests mean an endless loop.
MOST = 5_000
# The smallest request that fails. What is smaller is served from a reserve if memory runs out.
LEAST = 4 << 10
# The decoder of xz has tables of a fixed size, which are served from the reserve as well: here only
# what is larger than the reserve serves fails.
LEAST_OF_XZ = (64 << 10) + 1
csv, json, ndjson, xml = penstock.csv, penstock.json, penstock.ndjson, penstock.xml
plist = penstock.plist


@dataclass
class Row:
    number: int = 0
    text: str = ""


@dataclass
class Ordered:
    """Its tag comes last, so that everything before it is held back."""

    data: list[int] = field(default_factory=list)
    kind: str = ""


@dataclass
class Typed:
    """A column of each type."""

    number: Annotated[int, penstock.int32]
    text: Annotated[str | None, penstock.dictionary]
    flag: bool
    ratio: float
    small: Annotated[float, penstock.float32]
    day: date | None
    at: datetime
    price: Annotated[Decimal, penstock.decimal(20, 2)]
    large: Annotated[Decimal, penstock.decimal(60, 2)]
    key: UUID
    kind: Literal["a", "b"]
    data: bytes
    row: Row
    rows: list[Row]
    pair: tuple[int, int]
    table: dict[str, int]


@dataclass
class Nothing:
    a: None
    b: None


class Handler:
    def row(self, element: Any) -> Any:
        return element.value

    def rows(self, element: Any) -> Any:
        return len(element.children)


class Keep:
    def rows(self, element: Any) -> Any:
        return element


HANDLER, KEEP = Handler(), Keep()

# The documents.

COUNT = 900
TEXT = "some text \u00e9 of one row"
OBJECTS = [f'{{"number": {n}, "text": "{TEXT} {n}"}}'.encode() for n in range(COUNT)]
ARRAY = b"[" + b",".join(OBJECTS) + b"]"
ROWS = b'{"rows": ' + ARRAY + b"}"
NAMES_OF_COLUMNS = ",".join(f"column {n}" for n in range(400)).encode()
TYPED = (
    b'{"number": 1, "text": "t%d", "flag": true, "ratio": 0.5, "small": 0.5, "day": %s, '
    b'"at": "2026-01-02T03:04:05Z", "price": 1.25, "large": 1.25, '
    b'"key": "12345678-9abc-def0-1234-56789abcdef0", "kind": "b", "data": "cGVu", '
    b'"row": {"number": 7}, "rows": [{}, {"text": "x"}], "pair": [1, 2], "table": {"a": 1}}\n'
)
TYPED = b"".join(TYPED % (n, b"null" if n % 2 else b'"2026-01-02"') for n in range(2_000))
LINES = b"\n".join(OBJECTS)
NUMBERS = b"[" + b"1," * 4_000 + b"1]"
FLOATS = b"[" + b"1.25," * 4_000 + b"1]"
NAMES = b"{" + b",".join(b'"name%d": %d' % (n, n) for n in range(2_500)) + b"}"
SHAPES = b"[" + b",".join(b'{"a%d": 1, "b%d": 2}' % (n, n) for n in range(1_500)) + b"]"
ESCAPED = b'["' + b"a\\n\\u00e9\\\\" * 4_000 + b'"]'
LONG_KEY = b'{"' + b"k" * 30_000 + b'": 1, "' + b"\\u00e9" * 10_000 + b'": 2}'
LONG_NUMBER = b"[" + b"7" * 4_300 + b", 1." + b"7" * 4_200 + b"]"
DEEP = b"[" * 900 + b"]" * 900
DEEP_OBJECTS = b'{"some name": ' * 900 + b"1" + b"}" * 900
WRONG = b"[" + b'{"number": "x"},' * 2_000 + b'{"number": 1}]'
WRONG_LINES = b"\n".join([b'{"number": "x"}', b'{"number": 1', b'{"number": 1}'] * 700)
LAST = b'{"data": [' + b"1," * 4_000 + b'1], "kind": "b"}'
BASE = b'["' + b"QUJD" * 20_000 + b'"]'
MARKUP = (
    b"<rows>"
    + b"".join(
        b"<row><number>%d</number><text>%s &amp; more</text></row>" % (n, TEXT.encode())
        for n in range(COUNT)
    )
    + b"</rows>"
)
PROSE = b"<a>" + b"a&lt;<b/>" * 3_000 + b"</a>"
LONG_TEXT = b"<a>" + b"a&lt;" * 9_000 + b"</a>"
CDATA = b"<a><![CDATA[" + b"a]" * 20_000 + b"]]></a>"
ATTRIBUTES = b"<a " + b" ".join(b'name%d="value &lt; %d"' % (n, n) for n in range(900)) + b"/>"
LONG_ATTRIBUTE = b'<a b="' + b"value &lt; " * 9_000 + b'"/>'
SPACES = b"<a " + b" ".join(b'xmlns:p%d="urn:%d"' % (n, n) for n in range(900)) + b"><p7:b/></a>"
ELEMENTS = b"<a>" + b"".join(b"<name%d>%d</name%d>" % (n, n, n) for n in range(900)) + b"</a>"
DEEP_MARKUP = b"<some-name>" * 900 + b"</some-name>" * 900
WIDE = b"".join(
    b",".join(b"%s%d" % (cell, n) for n in range(900)) + b"\n" for cell in (b"name", b"", b"1")
)
LONG_NAMES = b"%s,b\n1,2\n3,4\n" % (b"k" * 20_000)
LONG_CELLS = b'a,b\n"%s",2\n%s,4\n' % (b'te""xt' * 5_000, b"text" * 9_000)
WRONG_ROWS = b"a,b\n" + b'1\n1,2,3\n1,2,\n"x"y,2\n' * 700
TABLE = b"number,text\n" + b"".join(f"{n},{TEXT} {n}\n".encode() for n in range(2_000))
ENTITIES = (
    b"<!DOCTYPE a ["
    + b"".join(b"<!ENTITY name%d 'value %d'>" % (n, n) for n in range(900))
    + b"]><a>&name7;</a>"
)
LONG_ENTITY = (
    b"<!DOCTYPE a [<!ENTITY b '" + b"text &#38;lt; " * 3_000 + b"'>]><a c='&b;'>&b;&b;</a>"
)
DEFAULTS = (
    b"<!DOCTYPE a ["
    + b"".join(b"<!ATTLIST a name%d CDATA 'value %d'>" % (n, n) for n in range(900))
    + b"".join(b"<!ATTLIST b%d c CDATA 'd'>" % n for n in range(900))
    + b"]><a/>"
)
PARAMETERS = (
    b"<!DOCTYPE a [<!ENTITY % p '"
    + b"<!ENTITY q &#34;r&#34;>" * 2_000
    + b"'>%p;<!ELEMENT a "
    + b"(" * 900
    + b"b"
    + b")" * 900
    + b"><!NOTATION n SYSTEM '"
    + b"u" * 9_000
    + b"'>]><a>&q;</a>"
)
COMMENTS = b"<a><!--" + b"words " * 9_000 + b"--><?target " + b"words " * 9_000 + b"?></a>"
LONG_NAME = b"<" + b"n" * 30_000 + b"/>"
WRONG_MARKUP = b"<rows>" + b"<row><number>x</number></row>" * 2_000 + b"</rows>"
BROKEN_MARKUP = (
    b"<rows>" + b"<row><number>1</number><text>this & that</text></row>" * 900 + b"</rows>"
)
CONTROLS = b"<a>" + b"a\x01&#1;" * 900 + b"</a>"


def cut(data: bytes) -> Iterator[bytes]:
    return (data[at : at + 9_000] for at in range(0, len(data), 9_000))


def fed(data: bytes, **options: Any) -> Any:
    decoder = penstock.Decoder(Row, **options)
    rows = []
    for piece in cut(data):
        rows += decoder.feed(piece)
    return rows + decoder.finish()


def packed(data: bytes, how: str) -> bytes:
    chunks: list[bytes] = []
    with _targets.open_target("write", chunks.append, compression=how) as target:
        target.write(data)
    return b"".join(chunks)


class Told:
    """An error with everything that it holds."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __repr__(self) -> str:
        return f"{type(self.error).__name__} {str(self.error)[:300]}"


def refused(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return work(*arguments, **options)
    except ExceptionGroup as group:
        return [Told(each) for each in group.exceptions]
    except penstock.PenstockError as error:
        return Told(error)


def converted(data: bytes, format: Any, to: Any, **options: Any) -> int:
    """Convert data; return how much is written."""
    sizes: list[int] = []
    penstock.convert(
        cut(data), lambda text: sizes.append(len(text)), format=format, to=to, **options
    )
    return sum(sizes)


def some_columns(data: bytes, columns: str, inverted: bool) -> int:
    """Write some columns of a table; return how much is written."""
    sizes: list[int] = []
    given = (None, "plain", "raise", 100, "allow", {}, {}, None, "infer", None, None)
    _convert.run(
        cut(data),
        lambda text: sizes.append(len(text)),
        "csv",
        "csv",
        *given,
        columns=(columns, inverted),
    )
    return sum(sizes)


def filled(data: bytes, form: Any, into: Any, **options: Any) -> list[int]:
    """Fill columns; return the lengths of the batches."""
    columns = penstock.columns(cut(data), into, format=form, **options)
    return [len(batch) for batch in columns]


def requested(data: bytes, into: Any, /, **types: Any) -> list[int]:
    """Fill columns of other types; return the lengths of the batches."""
    columns = penstock.columns(cut(data), into, format="ndjson", rows=1_000)
    own = pyarrow.schema(columns)
    fields = [(field.name, types.get(field.name, field.type)) for field in own]
    schema = pyarrow.schema(fields).__arrow_c_schema__()
    return [len(batch) for batch in columns if batch.__arrow_c_array__(schema)]


def counted(reader: Any) -> Any:
    return len(list(reader)), reader.unknown, reader.skipped


def asked(document: Any) -> Any:
    rows = document["rows"]
    return [
        len(rows),
        rows[7]["text"],
        list(rows.at("*/number"))[-1],
        rows[8].to(Row),
        len(document.raw()) if hasattr(document, "raw") else 0,
        len(document.to(dict[str, list[Row]])["rows"]),
        document == 1,
        len(document.to()["rows"]),
        len(rows[:]),
        rows[5:9],
    ]


def named(document: Any) -> Any:
    return [
        document["name77"],
        len(document),
        "name2499" in document,
        list(document)[-1],
        document.to() == 1,
        document == document.to(),
    ]


def compared(data: bytes) -> Any:
    one, other = json.open(data), json.open(b" " + data)
    return [one == other, one == json.decode(data)]


def outlined(name: str, data: bytes) -> Any:
    opened = _rust.Source(io.BytesIO(data), None, None, "infer")
    policy = _rust.Policy("raise", 1, "last", "skip", False, "allow")
    return len(_rust.outline(_formats.dialect(name), opened, policy)[0])


def taken(work: Callable[..., Any], *arguments: Any, **options: Any) -> bytes:
    """What a function writes to a target."""
    chunks: list[bytes] = []
    work(*arguments, chunks.append, **options)
    return b"".join(chunks)


def put(write: Callable[..., Any], target: Any, **options: Any) -> None:
    with write(target, Row, **options) as writer:
        writer.write_all(VALUES)
        writer.write(Row(0, TEXT * 1_000))


BARE, TWO = csv.Dialect(header=None), csv.Dialect(header=2)
NUMBERED = {f"name{n}": n for n in range(900)}
TURNED = dict(reversed(NUMBERED.items()))

CASES: dict[str, Callable[[], Any]] = {}
for _name, _data in {
    "objects": ARRAY,
    "numbers": NUMBERS,
    "floats": FLOATS,
    "names": NAMES,
    "shapes": SHAPES,
    "escaped": ESCAPED,
    "long key": LONG_KEY,
    "long number": LONG_NUMBER,
    "deep": DEEP,
    "deep objects": DEEP_OBJECTS,
}.items():
    CASES |= {
        f"json.decode, {_name}": lambda data=_data: json.decode(data),
        f"json.decode of a buffer, {_name}": lambda data=_data: json.decode(bytearray(data)),
        f"json.load, {_name}": lambda data=_data: json.load(cut(data)),
        f"json.read, {_name}": lambda data=_data: list(json.read(cut(data))),
        f"json.open, {_name}": lambda data=_data: json.open(data).to(),
        f"json.open of pieces, {_name}": lambda data=_data: json.open(cut(data)).to(),
        f"json.open, compared, {_name}": lambda data=_data: compared(data),
        f"json.send, {_name}": lambda data=_data: json.send(cut(data), HANDLER),
    }
for _name, _data in {
    "rows": MARKUP,
    "prose": PROSE,
    "long text": LONG_TEXT,
    "cdata": CDATA,
    "attributes": ATTRIBUTES,
    "long attribute": LONG_ATTRIBUTE,
    "namespaces": SPACES,
    "elements": ELEMENTS,
    "deep": DEEP_MARKUP,
    "entities": ENTITIES,
    "long entity": LONG_ENTITY,
    "defaults": DEFAULTS,
    "parameters": PARAMETERS,
    "comments": COMMENTS,
    "long name": LONG_NAME,
}.items():
    CASES |= {
        f"xml.decode, {_name}": lambda data=_data: xml.decode(data),
        f"xml.load, {_name}": lambda data=_data: xml.load(cut(data)),
        f"xml.load of a class, {_name}": lambda data=_data: xml.load(cut(data), Row),
        f"xml.read, {_name}": lambda data=_data: len(list(xml.read(cut(data), at="*/*"))),
        f"xml.events, {_name}": lambda data=_data: list(xml.events(cut(data))),
        f"xml.send, {_name}": lambda data=_data: repr(xml.send(cut(data), KEEP))[:1_000],
    }
for _name, _data in {
    "rows": TABLE,
    "wide": WIDE,
    "long names": LONG_NAMES,
    "long cells": LONG_CELLS,
}.items():
    _dicts, _lists = csv.decode(_data), csv.decode(_data, list[str])
    _json = json.encode(_dicts)
    CASES |= {
        f"csv.decode, {_name}": lambda data=_data: csv.decode(data),
        f"csv.load, {_name}": lambda data=_data: csv.load(cut(data)),
        f"csv.read, {_name}": lambda data=_data: list(csv.read(cut(data))),
        f"csv.read of lists, {_name}": lambda data=_data: list(csv.read(cut(data), list[str])),
        f"csv.decode of a class, {_name}": lambda data=_data: csv.decode(data, Row),
        f"csv.decode without a header, {_name}": lambda data=_data: csv.decode(data, dialect=BARE),
        f"csv.decode with two headers, {_name}": lambda data=_data: csv.decode(data, dialect=TWO),
        f"csv.decode with any dialect, {_name}": lambda data=_data: csv.decode(
            data, dialect="infer"
        ),
        f"csv.encode, {_name}": lambda rows=_dicts: csv.encode(rows),
        f"csv.encode, in quotes, {_name}": lambda rows=_dicts: csv.encode(rows, quoting="all"),
        f"csv.encode of lists, {_name}": lambda rows=_lists: csv.encode(rows, dialect=BARE),
        f"convert from CSV, {_name}": lambda data=_data: converted(data, "csv", "json"),
        f"convert from CSV to CSV, {_name}": lambda data=_data: converted(data, "csv", "csv"),
        f"convert to CSV, {_name}": lambda data=_json: converted(data, "json", "csv"),
    }
CASES |= {
    "csv.encode of rows in another order": lambda: csv.encode([NUMBERED, TURNED]),
    "csv.encode of a class": lambda: csv.encode([Row(n, TEXT) for n in range(COUNT)], Row),
    "convert some columns": lambda: some_columns(WIDE, "899:0", False),
    "convert other columns": lambda: some_columns(WIDE, "0", True),
    "csv.write": lambda: taken(put, csv.write),
    "csv, fed": lambda: fed(TABLE, format="csv"),
    "repairs of rows": lambda: csv.decode(WRONG_ROWS, repair="all"),
    "wrong rows": lambda: refused(
        list, csv.read(cut(WRONG_ROWS), errors="collect", max_errors=5_000)
    ),
}
CASES |= {
    "json.decode of str": lambda: json.decode(ROWS.decode()),
    "xml.decode of str": lambda: xml.decode(MARKUP.decode()),
    "columns of lines": lambda: filled(LINES, "ndjson", Row),
    "columns of rows": lambda: filled(TABLE, "csv", Row),
    "columns of elements": lambda: filled(MARKUP, "xml", Row, at="rows/row"),
    "columns of all types": lambda: filled(TYPED, "ndjson", Typed, rows=1_000),
    "columns of all types, from objects": lambda: filled(
        TYPED, "ndjson", Typed, rows=1_000, unknown="collect"
    ),
    "columns as a consumer wants them": lambda: requested(
        TYPED,
        Typed,
        number=pyarrow.int64(),
        text=pyarrow.string(),
        at=pyarrow.timestamp("s", "UTC"),
        price=pyarrow.decimal256(30, 3),
        kind=pyarrow.string_view(),
        data=pyarrow.binary_view(),
        pair=pyarrow.list_(pyarrow.uint8(), 2),
        table=pyarrow.map_(pyarrow.large_string(), pyarrow.int32()),
    ),
    "columns of nulls": lambda: requested(
        b'{"a": null, "b": null}\n' * 3_000, Nothing, a=pyarrow.int64(), b=pyarrow.string_view()
    ),
    "columns as dictionaries and views": lambda: requested(
        LINES, Row, text=pyarrow.dictionary(pyarrow.int32(), pyarrow.string_view())
    ),
    "columns without a class": lambda: [len(it) for it in penstock.columns(LINES_FILE)],
    "schema of lines": lambda: str(penstock.schema(cut(TYPED), format="ndjson")),
    "schema of many columns": lambda: str(penstock.schema(cut(NAMES_OF_COLUMNS), format="csv")),
    "schema of elements": lambda: str(penstock.schema(cut(MARKUP), format="xml", at="rows/row")),
    "schema of one record": lambda: str(penstock.schema(cut(ROWS), format="ndjson")),
    "evidence of lines": lambda: penstock.infer(cut(TYPED), format="ndjson"),
    "evidence of many columns": lambda: penstock.infer(cut(NAMES_OF_COLUMNS), format="csv"),
    "evidence of elements": lambda: penstock.infer(cut(MARKUP), format="xml", at="rows/row"),
    "outline": lambda: outlined("json", NAMES),
    "outline of deep objects": lambda: outlined(
        "json", b'{"some name": ' * 200 + b"1" + b"}" * 200
    ),
    "outline of markup": lambda: outlined("xml", ELEMENTS),
    "json.decode of a class": lambda: json.decode(ROWS, dict[str, list[Row]]),
    "json.load of a class": lambda: json.load(cut(ARRAY), list[Row]),
    "json.read of a class": lambda: list(json.read(cut(ROWS), Row, at="rows/*")),
    "json.read in batches": lambda: list(json.read(cut(ARRAY), Row).batches(2_000)),
    "json.decode of a set": lambda: len(json.decode(NUMBERS, frozenset[int])),
    "json.decode of a tuple": lambda: len(json.decode(NUMBERS, tuple[int, ...])),
    "json.decode of bytes": lambda: len(json.decode(BASE, list[bytes])[0]),
    "json.decode of what is held back": lambda: json.decode(
        LAST,
        Annotated[Row | Ordered, penstock.tag("kind", {"a": Row, "b": Ordered})],
    ),
    "unknown": lambda: counted(ndjson.read([NAMES + b"\n"] * 3, Row, unknown="collect")),
    "misfits": lambda: refused(json.decode, WRONG, list[Row]),
    "all misfits": lambda: refused(json.decode, WRONG, list[Row], all_errors=True),
    "misfits that are collected": lambda: refused(
        list, ndjson.read(cut(WRONG_LINES), Row, errors="collect", max_errors=5_000)
    ),
    "misfits that are skipped": lambda: counted(ndjson.read(cut(WRONG_LINES), Row, errors="skip")),
    "misfits in pieces": lambda: refused(json.load, cut(WRONG), list[Row], all_errors=True),
    "misfits of markup": lambda: refused(
        list, xml.read(cut(WRONG_MARKUP), Row, at="rows/row", errors="collect", max_errors=5_000)
    ),
    "cut": lambda: refused(json.load, cut(ARRAY[:-1]), list[Row]),
    "cut markup": lambda: refused(xml.load, cut(MARKUP[:-1])),
    "ndjson.decode": lambda: ndjson.decode(LINES, Row),
    "ndjson.load": lambda: ndjson.load(cut(LINES), Row),
    "ndjson.read": lambda: list(ndjson.read(cut(LINES), Row)),
    "ndjson.read in batches": lambda: list(ndjson.read(cut(LINES), Row).batches(2_000)),
    "ndjson.send": lambda: ndjson.send(cut(LINES), HANDLER),
    "json, fed": lambda: fed(ROWS, at="rows/*", format="json"),
    "ndjson, fed": lambda: fed(LINES, format="ndjson"),
    "xml, fed": lambda: fed(MARKUP, at="rows/row", format="xml"),
    "gzip, fed": lambda: fed(gzip.compress(LINES, mtime=0), format="ndjson"),
    "Decoder.decode": lambda: penstock.Decoder(list[Row], format="json").decode(ARRAY),
    "json.open, asked": lambda: asked(json.open(ROWS)),
    "json.open of pieces, asked": lambda: asked(json.open(cut(ROWS))),
    "json.open, names": lambda: named(json.open(NAMES)),
    "json.open of records": lambda: json.open(ROWS, Row, at="rows/*")[:],
    "json.send of rows": lambda: json.send(cut(ROWS), HANDLER),
    "xml.read of a class": lambda: list(xml.read(cut(MARKUP), Row, at="rows/row")),
    "xml.send of rows": lambda: xml.send(cut(MARKUP), HANDLER),
    "repairs": lambda: len(xml.load(cut(BROKEN_MARKUP), repair="all")),
    "repairs of characters": lambda: xml.load(cut(CONTROLS), repair="all"),
}
VALUES = [Row(n, f"{TEXT} {n}") for n in range(COUNT)]
CASES |= {
    "json.encode": lambda: json.encode(VALUES),
    "json.encode, sorted": lambda: json.encode(VALUES, sort_keys=True, ascii=True),
    "ndjson.encode": lambda: ndjson.encode(VALUES, Row),
    "json.dump": lambda: taken(json.dump, VALUES),
    "convert lines": lambda: converted(LINES, "ndjson", "json"),
    "convert an array to XML": lambda: converted(ARRAY, "json", "xml", errors="skip"),
    "convert lines by a type": lambda: converted(LINES, "ndjson", "json", into=dict[str, Any]),
    "convert an array by a type": lambda: converted(ARRAY, "json", "ndjson", into=Any),
    "convert one object by a type": lambda: converted(NAMES, "json", "json", into=dict[str, int]),
    "convert deep lists by a type": lambda: converted(DEEP, "json", "json", into=Any),
    "convert XML by a type": lambda: converted(
        MARKUP, "xml", "json", into=dict[str, Any], objects=True
    ),
    "convert XML": lambda: converted(MARKUP, "xml", "json"),
    "convert records of XML": lambda: converted(MARKUP, "xml", "xml", at="rows/row"),
    "convert elements": lambda: converted(MARKUP, "xml", "json", form="element"),
    "convert long text": lambda: converted(LONG_TEXT, "xml", "json"),
    "json.write": lambda: taken(put, json.write),
    "ndjson.write": lambda: taken(put, ndjson.write),
    # The other compressors are made only if there is memory for all of it.
    "zstd, ndjson.write": lambda: len(taken(put, ndjson.write, compression="zstd")),
    "chunks": lambda: list(json.Encoder(Row).chunks(VALUES, size=9_000)),
}
for _name, _pack in {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: packed(data, "zstd"),
}.items():
    _whole, _lines = _pack(ARRAY), _pack(LINES)
    CASES |= {
        f"{_name}, json.load": lambda data=_whole: json.load(cut(data), list[Row]),
        f"{_name}, ndjson.read": lambda data=_lines: list(ndjson.read(cut(data), Row)),
    }
for _code in ("utf-16", "utf-32", "latin-1", "shift_jis"):
    _text, _markup = (
        data.decode().replace("\u00e9", "e").encode(_code) for data in (ARRAY, MARKUP)
    )
    CASES |= {
        f"{_code}, json.load": lambda data=_text, code=_code: json.load(
            cut(data), list[Row], encoding=code
        ),
        f"{_code}, json.decode": lambda data=_text, code=_code: json.decode(
            data, list[Row], encoding=code
        ),
        f"{_code}, xml.load": lambda data=_markup, code=_code: xml.load(cut(data), encoding=code),
    }


# Other kinds of sources, the random access to a file, and all that writes.

# Imported now instead of at first use: an import that fails is not ours.
assert _zip
assert _sidecar
assert _lookup
assert _recompress
assert _rows
assert _views
FOLDER = tempfile.mkdtemp()
atexit.register(shutil.rmtree, FOLDER)  # A child leaves without it.


def named_file(name: str, data: bytes) -> str:
    path = Path(FOLDER, name)
    path.write_bytes(data)
    return str(path)


def archived(data: bytes, method: int) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as archive:
        archive.writestr("rows.ndjson", data)
    return whole.getvalue()


async def cut_later(data: bytes) -> AsyncIterator[bytes]:
    for piece in cut(data):
        yield piece


async def gathered(data: bytes, format: str, **options: Any) -> list[Row]:
    records = penstock.aio.read(cut_later(data), Row, format=format, **options)
    return [row async for row in records]


async def handed_on(rows: list[Row]) -> bytes:
    chunks: list[bytes] = []
    async with penstock.aio.write(chunks.append, format="ndjson") as writer:
        await writer.write_all(rows)
    return b"".join(chunks)


def awaited(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    return "it waits"


def at_random(path: str, index: bool | None = None) -> Any:
    with ndjson.open(path, Row, index=index) as rows:
        return [len(rows), rows[7], rows[-1], list(rows[5:9]), len(rows.raw(3))]


def indexed(path: str) -> Any:
    """Make an index, and use it."""
    kept = Path(f"{path}.penstock-index")
    kept.unlink(missing_ok=True)
    return [at_random(path, index=True), kept.stat().st_size > 0, at_random(path, index=True)]


def rows_at_random(path: str, index: bool | None = None) -> Any:
    with csv.open(path, Row, index=index) as rows:
        return [len(rows), rows[7], rows[-1], list(rows[5:9]), len(rows.raw(3))]


def rows_by_text(path: str) -> Any:
    with csv.open(path, Row) as rows:
        lookup = rows.index(by="text")
        found = lookup[f"{TEXT} 7"]
        return [len(lookup), found[0], "none" in lookup, len(rows[::2].index(by="number")["8"])]


def rows_indexed(path: str) -> Any:
    """Make an index, and use it."""
    kept = Path(f"{path}.penstock-index")
    kept.unlink(missing_ok=True)
    return [rows_at_random(path, True), kept.stat().st_size > 0, rows_at_random(path, True)]


def to_file(path: str, rows: list[Row], how: str) -> Any:
    """Replace a file, and append to it."""
    with ndjson.write(path, Row, compression=how) as writer:
        writer.write_all(rows)
    with ndjson.write(path, Row, compression=how, append=True) as writer:
        writer.write_all(rows)
    return ndjson.load(path, Row, compression=how)[-1], Path(path).stat().st_size


def recompressed(data: bytes, to: Any) -> Any:
    """Write data in pieces, with an index, and read it back."""
    path = f"{FOLDER}/recompressed.{to}"
    done = penstock.recompress(cut(data), path, to=to, index=to == "gzip")
    return repr(done), len(ndjson.load(path, Row))


def chunks_of(encoder: Any, value: Any) -> Any:
    return [len(chunk) for chunk in encoder.chunks(value)]


VALUES = [Row(n, f"{TEXT} {n}") for n in range(COUNT)]
PLAIN = json.decode(ARRAY)
TEXTS = ["a\n\u00e9" * 9_000, "b" * 40_000]
NESTED: Any = 1
for _ in range(900):
    NESTED = [NESTED]
KEYS = {f"name {n:05}": n for n in range(2_500, 0, -1)}
LINES_FILE = named_file("rows.ndjson", LINES)
MANY_LINES_DATA = b'{"number": 1}\n' * 40_000
MANY_LINES = named_file("many.ndjson", MANY_LINES_DATA)
TABLE_FILE = named_file("rows.csv", TABLE)
for _name, _value in {
    "objects": VALUES,
    "dicts": PLAIN,
    "texts": TEXTS,
    "bytes": [b"bytes" * 20_000],
    "nested": NESTED,
    "keys": KEYS,
    "a long integer": [7**4_000],
    "keys that are numbers": dict.fromkeys(range(2_500)),
}.items():
    CASES |= {
        f"json.encode, {_name}": lambda value=_value: json.encode(value),
        f"json.encode, sorted, {_name}": lambda value=_value: json.encode(value, sort_keys=True),
        f"json.encode, indented, {_name}": lambda value=_value: len(json.encode(value, indent=2)),
        f"json.dump, {_name}": lambda value=_value: json.dump(value, f"{FOLDER}/dumped.json"),
    }
for _form in ("binary", "xml", "openstep"):
    for _name, _value in {"objects": VALUES, "dicts": PLAIN, "texts": TEXTS, "keys": KEYS}.items():
        CASES |= {
            f"plist.encode, {_form}, {_name}": lambda value=_value, form=_form: plist.encode(
                value, form=form
            ),
            f"plist.dump, {_form}, {_name}": lambda value=_value, form=_form: plist.dump(
                value, f"{FOLDER}/dumped.plist", form=form
            ),
        }
    CASES[f"plist.write, {_form}"] = lambda form=_form: taken(put, plist.write, form=form)
CASES["plist.encode, binary, bytes"] = lambda: plist.encode([b"bytes" * 20_000] * 3)
CASES |= {
    "json.encode, ascii": lambda: json.encode(TEXTS, ascii=True),
    "json.encode, canonical": lambda: json.encode(PLAIN, canonical=True),
    "json.encode, refused": lambda: refused(json.encode, [*VALUES, {1j}]),
    "json.encode, chunks": lambda: chunks_of(json.Encoder(), VALUES),
    "json.write": lambda: to_file(f"{FOLDER}/written.ndjson", VALUES, "infer"),
    "ndjson.encode": lambda: ndjson.encode(VALUES),
    "aio.read": lambda: awaited(gathered(ARRAY, "json")),
    "aio.read of lines": lambda: awaited(gathered(LINES, "ndjson")),
    "aio.read of markup": lambda: awaited(gathered(MARKUP, "xml", at="rows/row")),
    "aio.read of gzip": lambda: awaited(gathered(gzip.compress(LINES, mtime=0), "ndjson")),
    "aio.write": lambda: awaited(handed_on(VALUES)),
    "ndjson.open": lambda: at_random(LINES_FILE),
    "ndjson.open, many": lambda: at_random(MANY_LINES),
    "ndjson.open, indexed": lambda: indexed(MANY_LINES),
    "csv.open": lambda: rows_at_random(TABLE_FILE),
    "csv.open, indexed": lambda: rows_indexed(TABLE_FILE),
    "csv.open, by a column": lambda: rows_by_text(TABLE_FILE),
    "ndjson.read of a path": lambda: list(ndjson.read(LINES_FILE, Row)),
}
for _name in ("gzip", "zstd"):
    CASES[f"recompress to {_name}"] = lambda name=_name: recompressed(MANY_LINES_DATA, name)
# Not xz: before its encoder asks for memory, Penstock makes sure that there is as much.
for _name in ("gzip", "zstd", "bzip2"):
    CASES[f"{_name}, written"] = lambda name=_name: to_file(
        f"{FOLDER}/written.{name}", VALUES, name
    )
for _name, _method in {
    "stored": zipfile.ZIP_STORED,
    "deflated": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
}.items():
    _archive_file = named_file(f"{_name}.ndjson.zip", archived(LINES, _method))
    CASES[f"zip, {_name}"] = lambda path=_archive_file: list(ndjson.read(path, Row))


def attempt(name: str, n: int, expected: str) -> str:
    """Return what is wrong, `failed` if only the request failed, or nothing."""
    work = CASES[name]
    least = LEAST_OF_XZ if name.startswith("xz") else LEAST
    _rust.fail_request(n, least)
    try:
        given = work()
    except MemoryError:
        wrong = "failed"
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is looked at
        wrong = f"gave {type(error).__name__} {str(error)[:200]}"
    else:
        wrong = ""
    finally:
        seen = _rust.fail_request(0, least)
    if not wrong:
        wrong = "" if shown(given) == expected else f"gave {shown(given)[:200]}"
    if wrong == "" and seen >= n:
        wrong = "survived"
    again = shown(work())
    if again != expected:
        wrong += f" and then {again[:200]}"
    return wrong


def shown(outcome: object) -> str:
    return repr(outcome)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(names: list[str], every: int = 1) -> None:
    tried = 0
    for place, name in enumerate(names):
        work = CASES[name]
        expected = shown(work())
        for n in range(1 + place % every, MOST, every):
            said, status = in_child(lambda name=name, n=n, e=expected: attempt(name, n, e))
            if status != 0:
                said = f"ended with status {status}"
            if said == "":
                break
            tried += 1
            if said not in {"failed", "survived"}:
                say(f"{name}: request {n} {said}")
    say(f"tried {tried} requests in {len(names)} cases")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--every"]:
        main(list(CASES), int(sys.argv[2]))
    else:
        main(sys.argv[1:] or list(CASES))
