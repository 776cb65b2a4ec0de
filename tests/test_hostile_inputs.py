"""All verbs that read, beside each other, with inputs that are cut, damaged or made to harm.

Each returns a value or raises an error that says what is wrong. All agree on whether the input is right.
"""

import contextlib
import functools
import gzip
import io
import plistlib
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import InternalError, PenstockError, PlanError, ValidationError
from penstock.cli.__main__ import main

MODULES: dict[str, Any] = {
    name: getattr(penstock, name) for name in ("json", "ndjson", "xml", "csv", "plist")
}
DEEP = 10_000
BOM = b"\xef\xbb\xbf"

# Small documents, each with all that its format has.
GOOD: dict[str, list[bytes]] = {
    "json": [b'{"a": [1, 2.5e3, true, null], "b": {"c": "x\\u00e9\xc3\xa9"}}'],
    "ndjson": [b'{"a": 1, "b": "x"}\n{"a": 2, "b": null}\n'],
    "xml": [b'<?xml version="1.0"?><!-- c --><r a="1"><e>x&amp;y</e><e k="2"/><![CDATA[z]]></r>'],
    "csv": [b'a,b\n1,"x ""y"""\n2,\n'],
    "plist": [
        plistlib.dumps({"a": [1, "x", True, b"\0"]}, fmt=plistlib.FMT_BINARY),
        b"<plist><dict><key>a</key><array><integer>1</integer><true/></array></dict></plist>",
        b'{ a = (1, "x", <00ff>); }',
    ],
}

LAUGHS = b"".join(
    b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 10)
)


def binary(objects: bytes, count: int, table: bytes) -> bytes:
    """A binary property list of such objects."""
    trailer = bytes(6) + b"\x01\x01" + count.to_bytes(8) + bytes(8) + (8 + len(objects)).to_bytes(8)
    return b"bplist00" + objects + table + trailer


HOSTILE: dict[str, dict[str, bytes]] = {
    "json": {
        "deep lists": b"[" * DEEP + b"]" * DEEP,
        "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        "open lists": b"[" * DEEP,
        "a long integer": b"[%s]" % (b"1" * 10_000),
        "a small number": b"[1e-99999]",
        "a key twice": b'{"a": 1, "a": 2}',
        "a surrogate": b'["\\ud800"]',
        "a surrogate in UTF-8": b'["\xed\xa0\x80"]',
        "NaN": b"[NaN]",
        "a control character": b'["\x01"]',
    },
    "ndjson": {
        "deep lists": b"[" * DEEP + b"]" * DEEP,
        "a long integer": b'{"a": %s}' % (b"1" * 10_000),
        "a key twice": b'{"a": 1, "a": 2}\n',
        "a surrogate": b'{"a": "\\ud800"}\n',
        "two on a line": b"{} {}\n",
        "empty lines": b"\n\n{}\n\n",
    },
    "xml": {
        "deep elements": b"<a>" * DEEP + b"</a>" * DEEP,
        "open elements": b"<a>" * DEEP,
        "many laughs": b'<!DOCTYPE a [<!ENTITY e0 "x">%s]><a>&e9;</a>' % LAUGHS,
        "a loop": b'<!DOCTYPE a [<!ENTITY b "&c;"><!ENTITY c "&b;">]><a>&b;</a>',
        "another file": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        "an attribute twice": b'<a b="1" b="2"/>',
        "a surrogate": b"<a>&#xD800;</a>",
        "NUL": b"<a>&#0;</a>",
        "an unknown encoding": b'<?xml version="1.0" encoding="nope"?><a/>',
        "another encoding": b'<?xml version="1.0" encoding="utf-16"?><a/>',
        "an unbound prefix": b"<x:a/>",
    },
    "csv": {
        "an open quote": b'a\n"x\n',
        "uneven rows": b"a,b\n1\n1,2,3\n",
        "a column twice": b"a,a\n1,2\n",
        "only carriage returns": b"a\r1\r",
        "an empty first line": b"\n1,2\n",
        "a quote in a cell": b'a\nx"y\n',
        "text behind a quote": b'a\n"x"y\n',
    },
    "plist": {
        "a huge count": binary(b"\xaf\x13" + b"\xff" * 8, 1, b"\x08"),
        "a list in itself": binary(b"\xa1\x00", 1, b"\x08"),
        "no such object": binary(b"\xa1\x05", 1, b"\x08"),
        "deep lists": b"(" * DEEP + b")" * DEEP,
        "deep arrays": b"<plist>%s%s</plist>" % (b"<array>" * DEEP, b"</array>" * DEEP),
        "a key twice": b"{ a = 1; a = 2; }",
        "a value without a key": b"<plist><dict><true/></dict></plist>",
        "nothing inside": b"<plist/>",
        "a long integer": b"<plist><integer>%s</integer></plist>" % (b"9" * 5_000),
    },
}


def inputs(name: str) -> Iterator[tuple[str, bytes]]:
    """What is read, and what it is."""
    for good in GOOD[name]:
        yield "right", good
        yield from ((f"the first {count} bytes", good[:count]) for count in range(len(good)))
        for at in range(0, len(good), 4):
            for byte in b"\x00\xff":
                yield f"{byte} at {at}", good[:at] + bytes([byte]) + good[at + 1 :]
        yield "behind a BOM", BOM + good
        yield "behind two", 2 * BOM + good
        yield "twice", good + good
        yield "before NUL", good + b"\0"
        yield "before text", good + b" x"
        if not good.startswith(b"bplist"):
            for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
                yield encoding, good.decode().encode(encoding)
    for nothing in (b"", BOM, b"\xff\xfe", b"\xfe\xff", b"\0", bytes(100), b" ", b"\n\n", b"\x80"):
        yield f"only {nothing!r}", nothing
    yield from HOSTILE[name].items()


def compressed(name: str) -> Iterator[tuple[str, bytes]]:
    packed = gzip.compress(GOOD[name][0], mtime=0)
    yield "right", packed
    for count in range(2, len(packed), 3):
        yield f"the first {count} bytes", packed[:count]
    yield "a wrong sum", packed[:-8] + b"sums" + packed[-4:]
    yield "of nothing", gzip.compress(b"")
    yield "a bomb", gzip.compress(GOOD[name][0] + b" " * 3_000_000)


# --- The verbs: each takes the format, the input, and a file of it -----------------------------

Verb = Callable[[str, bytes, Path], object]


class Handler:
    """Is sent the elements that its methods name."""

    def a(self, element: object) -> None:
        """Take an element."""


def feed(name: str, data: bytes, _: Path) -> object:
    decoder = MODULES[name].Decoder()
    size = 1 if len(data) < 200 else 1000
    rows = [decoder.feed(data[at : at + size]) for at in range(0, len(data), size)]
    return [*rows, decoder.finish()]


def touch(name: str, _: bytes, path: Path) -> None:
    """Touch parts of an open document, which may contain itself."""
    left = [penstock.open(path, format=name)]
    for _ in range(1_000):
        if not left:
            return
        part = left.pop()
        if isinstance(part, Mapping):
            left.extend(part.values())
        elif isinstance(part, Sequence) and not isinstance(part, str | bytes):
            left.extend(part)
        elif isinstance(part, penstock.Document):
            part.to(object)


def check(name: str, _: bytes, path: Path) -> None:
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["check", str(path), "--format", name])
    if code:
        raise PenstockError(err.getvalue() or out.buffer.getvalue().decode())


def split(name: str, _: bytes, path: Path) -> list[object]:
    parts = penstock.split(path, parts=2, format=name)
    return [row for part in parts for row in penstock.read(path, split=part)]


def convert(to: str, name: str, data: bytes, _: Path) -> object:
    return penstock.convert(io.BytesIO(data), io.BytesIO(), format=name, to=to)


# They read the same of the input, and agree on it.
ALIKE: dict[str, Verb] = {
    "decode": lambda name, data, _: MODULES[name].decode(data),
    "decode, all errors": lambda name, data, _: MODULES[name].decode(data, all_errors=True),
    "load": lambda name, data, _: MODULES[name].load(io.BytesIO(data)),
    "load a path": lambda name, _, path: penstock.load(path, format=name),
    "read": lambda name, data, _: list(MODULES[name].read([data])),
    "read a path": lambda name, _, path: list(penstock.read(path, format=name)),
    "Decoder": feed,
    "send": lambda name, data, _: MODULES[name].send(io.BytesIO(data), Handler()),
    "split": split,
    "check": check,
    "open": touch,
    "events": lambda _, data, __: list(penstock.xml.events(io.BytesIO(data))),
}
# They take records that are objects.
OF_RECORDS: dict[str, Verb] = {
    "columns": lambda name, data, _: list(penstock.columns(io.BytesIO(data), format=name)),
    "schema": lambda name, data, _: penstock.schema(io.BytesIO(data), format=name),
    "convert to JSON": functools.partial(convert, "json"),
    "convert to NDJSON": functools.partial(convert, "ndjson"),
}

# How long one call may take, in seconds. The slowest needs a tenth of that beside other work.
LONGEST = 20
# Where an input is wrong, as the messages say it.
PLACE = re.compile(r"line \d+, column \d+: |byte \d+: ")


def outcome(verb: Verb, name: str, data: bytes, path: Path) -> Exception | None:
    """The error of a verb; None if it returned."""
    began = time.monotonic()
    found: Exception | None = None
    try:
        verb(name, data, path)
    except (PenstockError, ValueError, TypeError) as error:
        found = error
    assert time.monotonic() - began < LONGEST
    assert not isinstance(found, InternalError), found
    return found


def disagreements(
    name: str, cases: Iterator[tuple[str, bytes]], path: Path, left_out: set[str]
) -> Iterator[tuple[str, str, Exception | None]]:
    for what, data in cases:
        path.write_bytes(data)
        wanted = outcome(ALIKE["load"], name, data, path)
        assert wanted is None or PLACE.match(str(wanted)), (what, wanted)
        for title, verb in ALIKE.items():
            if title not in left_out:
                error = outcome(verb, name, data, path)
                if (error is None) != (wanted is None):
                    yield what, title, error
        for title, verb in OF_RECORDS.items():
            error = outcome(verb, name, data, path)
            if (
                (error is None)
                if wanted
                else not isinstance(error, ValidationError | PlanError | None)
            ):
                yield what, title, error


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Nothing is said about repairs and missing records."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


# What only some formats have. What is not touched in an open property list may be wrong, and its binary data is no value of
# an element.
LEFT_OUT = {
    "json": {"events"},
    "ndjson": {"events"},
    "xml": {"open"},
    "csv": {"events"},
    "plist": {"events", "open", "send"},
}


@pytest.mark.parametrize("name", MODULES)
def test_the_verbs_agree(name: str, tmp_path: Path) -> None:
    found = list(disagreements(name, inputs(name), tmp_path / "a", LEFT_OUT[name]))
    # Two elements may have one name.
    assert found == ([("a column twice", "send", None)] if name == "csv" else [])


@pytest.mark.parametrize("name", MODULES)
def test_the_verbs_agree_about_compressed_input(name: str, tmp_path: Path) -> None:
    # They take no compressed input.
    left_out = {"decode", "decode, all errors", "open"} | LEFT_OUT[name]
    assert list(disagreements(name, compressed(name), tmp_path / "a", left_out)) == []


def test_an_open_property_list_is_lazy(tmp_path: Path) -> None:
    """What is touched of one that is wrong is there, or an error. All of one that is right is there."""
    for what, data in inputs("plist"):
        path = tmp_path / "a"
        path.write_bytes(data)
        error = outcome(touch, "plist", data, path)
        if error is not None:
            assert outcome(ALIKE["load"], "plist", data, path) is not None, what
