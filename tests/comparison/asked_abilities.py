"""The questions about errors, and about data other than one document in memory."""

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import pydantic
from asking import FORBID, LIBRARIES, Ask, Row, Way

import penstock


@dataclass
class Point:
    x: int
    y: int


@dataclass
class City:
    name: str = ""
    population: int = 0


def all_errors(into: Any, data: bytes) -> Any:
    return penstock.json.decode(data, into, all_errors=True)


ALL = {"Penstock": Way("`all_errors=True`", all_errors)}

BASES: Mapping[str, type[Exception]] = {
    "Penstock": penstock.DecodeError,
    "msgspec": msgspec.DecodeError,
    "pydantic": pydantic.ValidationError,
    "cattrs": ValueError,
    "mashumaro": ValueError,
}
BAD = [
    (list[int], b"[1,"),
    (list[int], b"[1}"),
    (list[str], b'["\xff"]'),
    (list[int], b'["a"]'),
    (list[float], b"[1e400]"),
    (int, b""),
    (Any, b"[" * 100_000),
]


def one_class(library: str) -> Ask:
    """Return a call that fails if one sort of bad input raises another class than the others."""

    def ask(_: Any, bad: Any) -> Any:
        for into, data in bad:
            try:
                LIBRARIES[library](into, data)
            except BASES[library]:
                continue
        return True

    return ask


def pickled(library: str) -> Ask:
    """Return a call for the text of an error after it was sent to another process."""

    def ask(into: Any, data: Any) -> Any:
        try:
            LIBRARIES[library](into, data)
        except Exception as error:  # noqa: BLE001 - each library has its own
            copy = pickle.loads(pickle.dumps(error))
            return type(copy) is type(error) and str(copy) == str(error)

    return ask


NOTHING = ("(?!)",)
"""No text mentions this: the question is not about a text."""

ERRORS = [
    Row(
        "the line of a value that does not fit",
        Point,
        b'{\n "x": 1,\n "y": "abc"\n}',
        True,
        told=(r"line 3\b",),
    ),
    Row("its column", Point, b'{\n "x": 1,\n "y": "abc"\n}', True, told=(r"column 7\b",)),
    Row("the line of malformed JSON", Point, b'{\n "x": 1,\n "y": ?\n}', True, told=(r"line 3\b",)),
    Row(
        "the place in lists: index and field",
        list[Point],
        b'[{"x":1,"y":2},{"x":1,"y":"abc"}]',
        True,
        told=(r"\b1\b", r"\by\b"),
    ),
    Row(
        "the place in dicts: the key",
        dict[str, Point],
        b'{"home":{"x":1,"y":"abc"}}',
        True,
        told=(r"\bhome\b", r"\by\b"),
    ),
    Row("the value, or its kind", Point, b'{"x":1,"y":"abc"}', True, told=(r"abc|string|str\b",)),
    Row(
        "every problem of a record, not only the first",
        Point,
        b'{"x":"abc","y":"def"}',
        True,
        ALL,
        told=(r"\bx\b", r"\by\b"),
    ),
    Row(
        "the field nearest to an unknown key",
        City,
        b'{"nmae":"Bern"}',
        True,
        FORBID,
        told=(r"\bname\b",),
    ),
    Row(
        "one class of exception for all bad input",
        Any,
        BAD,
        True,
        asks={name: one_class(name) for name in LIBRARIES},
        told=NOTHING,
    ),
    Row(
        "an exception that can be pickled",
        Point,
        b'{"x":1,"y":"abc"}',
        True,
        asks={name: pickled(name) for name in LIBRARIES},
        told=NOTHING,
    ),
]


def chunks(*pieces: bytes) -> Any:
    """Return an iterator over the pieces."""
    return lambda: iter(pieces)


def unfinished(*pieces: bytes) -> Any:
    """Return an iterator over the pieces that then fails, because more has not come yet."""

    def produce() -> Iterator[bytes]:
        yield from pieces
        raise TimeoutError

    return produce


def first(read: Any, **options: Any) -> Ask:
    """Return a call for the first record."""
    return lambda into, data: next(read(data, into, **options))


LINES = b'{"x":1,"y":2}\n{"x":3,"y":4}\n'

ABILITIES = [
    Row(
        "chunks of a document",
        Point,
        chunks(b'{"x":1,', b'"y":2}'),
        Point(1, 2),
        asks={"Penstock": lambda into, data: penstock.json.load(data, into)},
    ),
    Row(
        "the first record of an array that is still arriving",
        Point,
        unfinished(b'[{"x":1,"y":2},', b'{"x":3'),
        Point(1, 2),
        asks={"Penstock": first(penstock.json.read)},
    ),
    Row(
        "NDJSON",
        list[Point],
        LINES,
        [Point(1, 2), Point(3, 4)],
        asks={
            "Penstock": lambda into, data: penstock.decode(data, into, format="ndjson"),
            "msgspec": lambda _, data: msgspec.json.Decoder(Point).decode_lines(data),
        },
    ),
    Row(
        "the first line of NDJSON that is still arriving",
        Point,
        unfinished(LINES[:20]),
        Point(1, 2),
        asks={"Penstock": first(penstock.ndjson.read)},
    ),
    Row(
        "the records at a path inside a document",
        Point,
        chunks(b'{"n":1,"data":[{"x":1,"y":2}]}'),
        [Point(1, 2)],
        asks={"Penstock": lambda into, data: list(penstock.json.read(data, into, at="data/*"))},
    ),
    Row(
        "all records except those that do not fit",
        Point,
        chunks(b'[{"x":1,"y":2},{"x":null}]'),
        [Point(1, 2)],
        asks={"Penstock": lambda into, data: list(penstock.json.read(data, into, errors="skip"))},
    ),
    Row(
        "the same class from XML",
        Point,
        b"<p><x>1</x><y>2</y></p>",
        Point(1, 2),
        asks={"Penstock": lambda into, data: penstock.xml.decode(data, into)},
    ),
]
