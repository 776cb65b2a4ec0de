"""Decode random documents into random classes with random options, in every way that there is.

A run is a class, options, and documents that fit it or are damaged. Whatever is asked: only the
documented exceptions are raised; the same bytes give the same records, problems and counts in any
chunks, from a file, from a path and fed; and `decode`, `load`, `open` and `Decoder.decode` agree
where they are comparable. The same seed and number of runs is the same test.

    python fuzz/options.py [--runs N] [--seed S] [--seconds T | --only RUN]
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, make_dataclass
from random import Random
from typing import Annotated, Any

import tables
import typed
import typed_xml
from campaign import campaign
from shapes import SCALARS, Shape, any_text, record, shape

import penstock

# Paths and classes are drawn at random: most paths lead nowhere, and few classes name all elements.
warnings.simplefilter("ignore", penstock.EmptyWarning)
warnings.simplefilter("ignore", penstock.MixedContentWarning)

FORMATS: dict[str, Any] = {
    "json": penstock.json,
    "ndjson": penstock.ndjson,
    "xml": penstock.xml,
    "csv": penstock.csv,
}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
ENCODINGS = ["utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "shift_jis"]
PATHS = ["*", "a", "a/*", "0", "a/0/b", "f0", "*/f0", "f0/*", "*/*", "r", "r/*", "*/f1"]
SETTINGS: list[dict[str, Any]] = [
    {"strict": False},
    {"rename": "camel"},
    {"unix": "s"},
    {"times": penstock.times("iso")},
]


@dataclass
class Case:
    """A class, its documents, and what is asked of the readers."""

    format: str
    into: Any
    text: Callable[[Random], str]
    # For `decode` and `load`: how a value is made, whatever asks for it.
    values: dict[str, Any]
    # The same, and what is asked of records.
    records: dict[str, Any]
    encoding: str | None
    compression: str | None


def at_field(rng: Random) -> Shape:
    """Return a class whose fields have paths."""
    specs: list[Any] = []
    for index in range(rng.randrange(1, 4)):
        inner = rng.choice(SCALARS)
        path = rng.choice(["a/b", "a/c", "b", "d/0", "d/1", "a/*", "*/e", "d/*", "g/h/i"])
        annotation = list[inner.annotation] if "*" in path else inner.annotation  # type: ignore[name-defined]
        paths = [path] if rng.random() < 0.8 else [path, "z"]
        specs.append((f"f{index}", Annotated[annotation, penstock.at(*paths)]))
        if rng.random() < 0.5:
            specs[-1] += (None,)

    def text(rng: Random) -> str:
        def some() -> str:
            return any_text(rng, 1) if rng.random() < 0.4 else rng.choice(SCALARS).text(rng)

        members = [
            f'"a":{{"b":{some()},"c":{some()}}}',
            f'"b":{some()}',
            f'"d":[{some()},{some()}]',
            f'"g":{{"h":{{"i":{some()},"e":{some()}}}}}',
            f'"z":{some()}',
        ]
        chosen = rng.sample(members, rng.randrange(len(members) + 1))
        return "{" + ",".join(chosen) + "}"

    ordered = sorted(specs, key=len)
    return Shape(make_dataclass("AtFields", ordered), text, lambda value: value)


def limits(rng: Random) -> penstock.Limits | None:
    """Return limits that some documents exceed."""
    if rng.random() < 0.7:
        return None
    options: dict[str, Any] = {}
    for name, bounds in (
        ("depth", [1, 2, 3, 5]),
        ("token", [4, 16, 64]),
        ("number", [3, 18, 30]),
        ("attributes", [1, 2]),
        ("row", [3, 20]),
        ("name", [2, 8]),
    ):
        if rng.random() < 0.3:
            options[name] = rng.choice(bounds)
    return penstock.Limits(**options)


def case(rng: Random) -> Case:
    """Draw a class and options."""
    written = rng.choice(["json", "json", "ndjson", "xml", "xml", "csv", "csv"])
    values: dict[str, Any] = {"limits": limits(rng)}
    if written == "xml":
        kind = typed_xml.record(rng, 2)
        into: Any = kind.annotation if rng.random() < 0.8 else Any
        values["repeated"] = rng.choice(["error", "error", "first", "last", "join"])
        values["namespaces"] = rng.choice([None, None, False, {"p": "urn:p"}])
        values["unresolved"] = rng.choice(["error", "text"])
        values["repair"] = rng.choice(
            [(), (), "bare_ampersand", ("control_character", "trailing_junk")]
        )
        values["force_list"] = rng.choice([False, False, True, {"f0"}])

        def text(rng: Random) -> str:
            attributes = rng.choice(["", "", ' f0="7"', ' xml:lang="de"', ' xmlns="urn:p"'])
            attributes += kind.attributes(rng) if kind.attributes else ""
            return f"<r{attributes}>{kind.inside(rng)}</r>"

    elif written == "csv":
        table = tables.table(rng)
        into = table.annotation
        values["dialect"] = rng.choice(tables.DIALECTS)
        values["repair"] = rng.choice(tables.REPAIRS)

        def text(rng: Random) -> str:
            return tables.written(rng, table, values["dialect"])

    else:
        of = rng.choice([at_field, lambda rng: record(rng, 2), lambda rng: shape(rng, 2)])(rng)
        into, text = of.annotation, of.text
        values["duplicates"] = rng.choice(["last", "last", "first", "error"])
        if written == "ndjson":
            values["framing"] = rng.choice(["lines", "lines", "sequence", "concatenated"])
    if rng.random() < 0.3:
        into = settings(rng, into)
    values["all_errors"] = rng.random() < 0.3
    values["unknown"] = rng.choice(["skip", "skip", "error"])
    asked = dict(values)
    asked["errors"] = rng.choice(["raise", "raise", "skip", "collect"])
    asked["max_errors"] = rng.choice([1, 2, 100])
    asked["unknown"] = rng.choice([asked["unknown"], "collect"])
    if written != "csv":
        asked["at"] = rng.choice([None, None, *PATHS])
    encoding = rng.choice(ENCODINGS) if rng.random() < 0.2 else None
    compression = rng.choice(list(COMPRESSIONS)) if rng.random() < 0.15 else None
    return Case(written, into, text, values, asked, encoding, compression)


def settings(rng: Random, into: Any) -> Any:
    """Return a plan with options of its own, if the class may have one."""
    try:
        return penstock.Plan(into, **rng.choice(SETTINGS))
    except penstock.PlanError:
        return into


def document(rng: Random, made: Case) -> tuple[bytes, bool]:
    """Write a document; and say whether its compression is damaged.

    A decompressor finds damage sooner or later, and so more or less of the text comes before.
    """
    if made.format == "xml":
        text, damage = made.text(rng), typed_xml.damage
        if rng.random() < 0.5:
            inner = "".join(made.text(rng) for _ in range(rng.randrange(4)))
            text = f"<d>{inner}</d>"
    elif made.format == "csv":
        text, damage = made.text(rng), tables.damage
    elif made.format == "ndjson":
        between = {"lines": "{}\n", "sequence": "\x1e{}\n", "concatenated": "{} "}
        parts = [made.text(rng) for _ in range(rng.randrange(5))]
        text = "".join(between[made.values["framing"]].format(part) for part in parts)
        damage = typed.damage
    else:
        text, damage = made.text(rng), typed.damage
        if rng.random() < 0.5:
            text = f"[{','.join(made.text(rng) for _ in range(rng.randrange(4)))}]"
        elif rng.random() < 0.2:
            text = f'{{"a": [{text}], "f0": {text}}}'
    for _ in range(rng.choice([0, 0, 1, 3])):
        text = damage(rng, text)
    data = text.encode(made.encoding or "utf-8", "replace")
    if rng.random() < 0.05:
        at = rng.randrange(len(data) + 1)
        data = (
            data[:at] + rng.choice([b"\xff", b"\x80", b"\xc3", b"\0", b"\xed\xa0\x80"]) + data[at:]
        )
    if made.compression:
        data = COMPRESSIONS[made.compression](data)
        if rng.random() < 0.1:
            at = rng.randrange(len(data) + 1)
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :], True
    return data, False


# What is observed.


def said(error: BaseException) -> Any:
    """Return everything that an error says."""
    if isinstance(error, BaseExceptionGroup):
        return type(error).__name__, [said(each) for each in error.exceptions]
    if not isinstance(error, penstock.DecodeError):
        return type(error).__name__, str(error)
    problems = []
    for each in error.problems:
        # Where the reader looks ahead for a tag, the path of a fault does not always have the last
        # key that was read.
        is_fit = each.code not in {"malformed", "truncated", "limit"}
        path = (each.path, each.steps) if is_fit else None
        problems.append((each.code, each.offset, each.line, each.column, path, each.reason))
    # A document that cannot be read as text has no records yet, or is the first one.
    record = error.record if problems[0][1] else None
    return type(error).__name__, record, problems


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """Return the value, or what the error says; anything but our exceptions is a finding."""
    try:
        return "fits", call()
    except penstock.DecodeError as error:
        return "error", said(error)
    except ExceptionGroup as group:
        # `errors="collect"` raises all of them at the end.
        if group.split(penstock.DecodeError)[1] is not None:
            raise
        return "error", said(group)


def told(reader: Any) -> Any:
    """Return the counts of a reader or a decoder."""
    counts = [reader.skipped, reader.unknown]
    if hasattr(reader, "repair_counts"):
        places = [(each.kind, each.offset, each.line, each.column) for each in reader.repairs]
        counts += [reader.repair_counts, places]
    return counts


def read(module: Any, made: Case, source: Any, batch: int) -> tuple[Any, Any, Any]:
    """Return the records, the error and the counts of a reader."""
    records: list[Any] = []

    def all_records() -> None:
        if batch:
            for rows in reader.batches(batch):
                records.extend(rows)
        else:
            records.extend(reader)

    with module.read(source, made.into, encoding=made.encoding, **made.records) as reader:
        found = outcome(all_records)
    return records, found, told(reader)


def fed(module: Any, made: Case, chunks: Iterator[bytes]) -> tuple[Any, Any, Any]:
    """Return the records, the error and the counts of a decoder."""
    decoder = module.Decoder(made.into, **made.records)
    records: list[Any] = []

    def all_records() -> None:
        for chunk in chunks:
            records.extend(decoder.feed(chunk))
        records.extend(decoder.finish())

    found = outcome(all_records)
    return records, found, told(decoder)


def pieces(rng: Random, data: bytes) -> Iterator[bytes]:
    """Cut the bytes."""
    sizes = rng.choice([[1], [1, 2, 7], [1, 64], [3, 1000], [1 << 20]])
    at = 0
    while at < len(data):
        size = rng.choice(sizes)
        yield data[at : at + size]
        at += size


def alike(one: Any, other: Any, what: str, made: Case, data: bytes) -> None:
    """Raise unless two ways say the same."""
    if not typed.same(one, other):
        options = {"encoding": made.encoding, **made.records}
        message = f"{what}\n {one!r}\n {other!r}\n {made.format} {data!r}\n {made.into!r} {options}"
        raise AssertionError(message)


def of_records(rng: Random, made: Case, data: bytes) -> tuple[Any, Any, Any] | None:
    """Read the records in all ways."""
    module = FORMATS[made.format]
    try:
        first = read(module, made, [data], 0)
    except (ValueError, penstock.PlanError) as error:
        # What is asked is not possible; the next call says the same.
        if isinstance(error, penstock.DecodeError):
            raise
        again = outcome_of_refusal(lambda: read(module, made, io.BytesIO(data), 0))
        if (type(error), str(error)) != again:
            raise AssertionError(f"{error!r} and not {again!r}") from error
        return None
    for name in ("chunks", "file", "batches"):
        source: Any = pieces(rng, data) if name == "chunks" else io.BytesIO(data)
        batch = rng.choice([1, 2, 200]) if name == "batches" else 0
        alike(first, read(module, made, source, batch), name, made, data)
    if made.encoding is None:
        records, found, counts = fed(module, made, pieces(rng, data))
        alike(first[1], found, "fed", made, data)
        # A call that raises has no records, so those of a decoder are the first ones.
        if found[0] == "fits":
            alike(first, (records, found, counts), "fed", made, data)
        else:
            alike(first[0][: len(records)], records, "fed, before the error", made, data)
    if made.format != "json" or rng.random() < 0.2:
        descriptor, path = tempfile.mkstemp()
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        try:
            alike(first, read(module, made, path, 0), "path", made, data)
        finally:
            os.unlink(path)  # noqa: PTH108 - pathlib is slow
    return first


def outcome_of_refusal(call: Callable[[], Any]) -> Any:
    """Return the exception that refuses what is asked."""
    try:
        call()
    except (ValueError, penstock.PlanError) as error:
        return type(error), str(error)
    return "nothing"


def of_document(rng: Random, made: Case, data: bytes) -> None:
    """Decode the document as a whole in all ways."""
    module = FORMATS[made.format]
    options = {"encoding": made.encoding, **made.values}
    try:
        penstock.Plan(made.into)
        loaded = outcome(lambda: module.load([data], made.into, **options))
    except (ValueError, penstock.PlanError) as error:
        if isinstance(error, penstock.DecodeError):
            raise
        return
    again = outcome(lambda: module.load(pieces(rng, data), made.into, **options))
    alike(loaded, again, "load, chunks", made, data)
    if made.compression:
        return
    once = outcome(lambda: module.decode(data, made.into, **options))
    alike(once, loaded, "decode and load", made, data)
    if made.encoding is not None:
        return
    decoder = module.Decoder(made.into, **made.values)
    alike(once, outcome(lambda: decoder.decode(data)), "Decoder.decode", made, data)
    alike(once, outcome(lambda: decoder.decode(data)), "Decoder.decode again", made, data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    # Bytes may be in an encoding that their first ones show; text is not.
    if "\0" in text[:4] or "encoding" in text[:60]:
        return
    alike(once, outcome(lambda: module.decode(text, made.into, **made.values)), "str", made, data)


def of_open(made: Case, data: bytes, records: list[Any]) -> None:
    """Open the document, whose records were read."""
    strict = {"encoding": made.encoding, "duplicates": "error"}
    if made.records["at"] and outcome(lambda: penstock.json.load([data], **strict))[0] != "fits":
        # `read` delivers the records of each value of a repeated key; `open` has one value.
        return
    options = {"encoding": made.encoding, "at": made.records["at"], **made.values}
    # Only records have a place to collect unknown keys in.
    options["unknown"] = "error" if made.records["unknown"] == "error" else "skip"
    opened = outcome(lambda: list(penstock.json.open(data, made.into, **options)))
    if opened[0] != "fits" or not typed.same(opened[1], records):
        alike(("fits", records), opened, "open", made, data)


def of_rows(made: Case, data: bytes, records: list[Any]) -> None:
    """Open the table and read its rows at random; write them, and read them again."""
    asked = ("dialect", "repair", "all_errors", "unknown", "limits")
    options = {name: made.values[name] for name in asked}
    plain = made.encoding is None and made.compression is None
    if plain and made.records["errors"] == "raise" and made.records["unknown"] != "collect":
        options["unknown"] = made.records["unknown"]
        descriptor, path = tempfile.mkstemp()
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        try:
            with penstock.csv.open(path, made.into, **options) as rows:
                places = range(len(rows) - 1, -1, -1)
                opened = outcome(lambda: [rows[place] for place in places][::-1])
        finally:
            os.unlink(path)  # noqa: PTH108 - pathlib is slow
        alike(("fits", records), opened, "csv.open", made, data)
    tables.back_again(records, made.into)


def damaged(rng: Random, made: Case, data: bytes) -> None:
    """Read what cannot be decompressed."""
    outcome_of_refusal(lambda: read(FORMATS[made.format], made, pieces(rng, data), 0))


def run(seed: str) -> None:
    """Draw a class and options, and some documents."""
    rng = Random(seed)
    made = case(rng)
    warnings.simplefilter("ignore", penstock.RepairWarning)
    for _ in range(4):
        data, is_damaged = document(rng, made)
        if is_damaged:
            damaged(rng, made, data)
            continue
        of_document(rng, made, data)
        first = of_records(rng, made, data)
        if first is not None and first[1][0] == "fits" and made.format == "csv":
            of_rows(made, data, first[0])
        # All keys of the document are compared, also where nothing is decoded.
        if (
            first is not None
            and first[1][0] == "fits"
            and made.format == "json"
            and made.records["errors"] == "raise"
            and made.values["limits"] is None
            and made.values["duplicates"] != "error"
        ):
            of_open(made, data, first[0])


if __name__ == "__main__":
    sys.exit(campaign("options", __doc__.partition("\n")[0], run))
