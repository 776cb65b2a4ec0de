"""A conversion by a class writes the values that its objects have, not the texts that were read."""

import io
import json
from collections.abc import Iterator
from dataclasses import make_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import pytest

import penstock


class Size(Enum):
    SMALL = 1
    LARGE = "b"


AT = {"xml": "r/x", "plist": "*"}

# Texts that are not in the form in which their values are written, and some that are no values.
DIGITS = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
TEXTS: dict[Any, list[str]] = {
    datetime: [
        "2026-01-01T00:00:00+00:00",
        "2026-01-01 00:00:00-00:00",
        "2026-01-01t00:00:00.100z",
        "2026-01-01T00:00:00+00:00:00",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00+01:00:00",
    ],
    time: ["00:00:00+00:00", "00:00:00.5", "00:00:00-00:00", "24:00:00", "00:00:00+00:00:00"],
    date: ["2026-01-01", "2026-01-01Z", "2026-01-01+00:00"],
    timedelta: ["PT90S", "P1W", "-P0D", "PT1.50S", "P0DT1M", "PT36H"],
    UUID: [DIGITS.upper(), DIGITS.replace("-", ""), f"{{{DIGITS}}}", f"urn:uuid:{DIGITS}"],
    Decimal: ["1.50", "1e5", "1E+5", "-0", "0.00", "+1", "01.5", "1.", "1.5000000", ".5", "NaN"],
    float: ["1e5", "1.0", "-0", "-0.0", "1", "1E5", "1.50", "+1", "01", "INF", "1e400"],
    int: ["-0", "+1", "007", "1.0", "1e0"],
    bytes: ["cGVu\n", " cG Vu", "cGV=", "cGU=", ""],
    bool: ["1", "0", "true"],
    Size: ["1", "b", "01", "+1"],
    Literal[1, "x", True]: ["1", "x", "true", "01"],
    Decimal | None: ["1.50", "-0", "1e2", ""],
}


def documents(text: str) -> Iterator[tuple[Any, str]]:
    """The text as a value of each format, in each place."""
    yield "ndjson", json.dumps({"v": text})
    yield "ndjson", f'{{"v":{text}}}'
    yield "csv", f'v,w\n"{text}",1\n'
    yield "csv", f"v,w\n{text},1\n"
    yield "xml", f"<r><x><v>{text}</v></x></r>"
    yield "xml", f'<r><x v="{text}"/></r>'
    for kind in ("string", "real", "integer", "data", "date"):
        dictionary = f"<dict><key>v</key><{kind}>{text}</{kind}></dict>"
        yield "plist", f"<plist version='1.0'><array>{dictionary}</array></plist>"


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_714(kind: Any) -> None:
    """`convert(into=)` kept `+00:00` of a datetime or a time, where `encode` writes `Z`."""
    row = make_dataclass("Row", [("v", kind)])
    compared = 0
    for text in TEXTS[kind]:
        for source, document in documents(text):
            for to in ("json", "ndjson", "csv", "xml", "plist"):
                data = document.encode()
                converted = outcome(convert, data, row, source, to)
                if converted is not penstock.PlanError:  # It needs objects, and says so.
                    assert converted == outcome(loop, data, row, source, to), (document, to)
                    compared += isinstance(converted, bytes)
    assert compared > 0


def convert(target: io.BytesIO, data: bytes, row: Any, format: Any, to: Any) -> None:
    source = io.BytesIO(data)
    penstock.convert(source, target, format=format, to=to, into=row, at=AT.get(format))


def loop(target: io.BytesIO, data: bytes, row: Any, format: Any, to: Any) -> None:
    with penstock.write(target, row, format=to) as writer:
        source = io.BytesIO(data)
        for record in penstock.read(source, row, format=format, at=AT.get(format)):
            writer.write(record)


def outcome(call: Any, *arguments: Any) -> Any:
    target = io.BytesIO()
    try:
        call(target, *arguments)
    except penstock.PenstockError as error:
        return type(error)
    return target.getvalue()


def test_715() -> None:
    """One file had both forms, if a record had something that only objects can have."""
    row = make_dataclass("Row", [("at", datetime), ("clock", time), ("more", Any, None)])
    record = b'{"at":"2026-01-01T00:00:00+00:00","clock":"01:02:03+00:00"%s}\n'
    source = io.BytesIO(record % b"" + record % b',"more":{"a":1,"a":2}')
    target = io.BytesIO()
    penstock.convert(source, target, format="ndjson", to="ndjson", into=row)
    assert target.getvalue().decode().splitlines() == [
        '{"at":"2026-01-01T00:00:00Z","clock":"01:02:03Z","more":null}',
        '{"at":"2026-01-01T00:00:00Z","clock":"01:02:03Z","more":{"a":2}}',
    ]
