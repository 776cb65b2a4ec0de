"""Documents without records, and those that were taken for one: each by its number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import json, ndjson, xml


@dataclass
class City:
    name: str
    lat: float = 0.0


@pytest.mark.parametrize(
    ("read", "data", "at", "reason", "offset"),
    [
        (json.read, b'{"items": []}', "items/*", 'there is nothing at "items/*"', 13),
        (json.read, b'{"items": [1]}\n', "item", 'there is nothing at "item"', 15),
        (json.read, b"[]", None, "there is no record", 2),
        (json.read, b"[]", {"a/*": int, "b": str}, 'there is nothing at "a/*" or "b"', 2),
        (ndjson.read, b"\n\n", None, "there is no record", 2),
        (ndjson.read, b"", None, "there is no record", 0),
        (ndjson.read, b'{"a": 1}\n{"a": 2}\n', "b", 'there is nothing at "b"', 18),
        (xml.read, b"<r/>", None, "there is no record", 4),
        (xml.read, b"<r><a/></r>", "r/b", 'there is nothing at "r/b"', 11),
    ],
)
@pytest.mark.parametrize("errors", ["raise", "skip", "collect", print])
def test_255_silence_may_be_an_error(
    read: Any, data: bytes, at: Any, reason: str, offset: int, errors: Any
) -> None:
    """A path that matches nothing gave no records, and no option told."""
    for pieces in ([data], [data[place : place + 1] for place in range(len(data))]):
        assert list(read(pieces, at=at, errors=errors, empty="allow")) == []
        reader = read(pieces, at=at, errors=errors, empty="error")
        with pytest.raises(penstock.ValidationError) as caught:
            list(reader)
        error = caught.value
        assert (error.reason, error.offset, error.code) == (reason, offset, "empty")
        assert (error.record, error.path, error.steps) == (None, None, ())
        assert list(reader) == []


@pytest.mark.parametrize("errors", ["skip", "collect", print])
def test_255_a_record_in_error_is_a_record(errors: Any) -> None:
    """As above."""
    for reader in (
        json.read([b'["a"]'], int, errors=errors, empty="error"),
        ndjson.read([b"x\n"], int, errors=errors, empty="error"),
    ):
        if errors == "collect":
            with pytest.raises(ExceptionGroup, match=r"1 record in error"):
                list(reader)
        else:
            assert list(reader) == []


def test_255_where_else_it_is(tmp_path: Path) -> None:
    """As above."""
    decoder = json.Decoder(int, at="x/*", empty="error")
    assert decoder.feed(b'{"y": 1}') == []
    with pytest.raises(penstock.ValidationError) as caught:
        decoder.finish()
    assert str(caught.value) == 'line 1, column 9: there is nothing at "x/*"'
    for decoder_of in (ndjson.Decoder, xml.Decoder, penstock.Decoder):
        options = {"format": "json"} if decoder_of is penstock.Decoder else {}
        with pytest.raises(ValueError, match=r"empty must be 'allow', 'warn' or 'error', not 'no'"):
            decoder_of(int, empty="no", **options)

    async def chunks() -> AsyncIterator[bytes]:
        yield b"[]"

    async def rows() -> list[Any]:
        return [row async for row in penstock.aio.read(chunks(), format="json", empty="error")]

    with pytest.raises(penstock.ValidationError, match=r"^line 1, column 3: there is no record$"):
        asyncio.run(rows())
    # Of several files, each must have one.
    for name, text in [("a", '{"x": [1]}'), ("b", '{"y": [1]}'), ("c", '{"x": [2]}')]:
        (tmp_path / f"{name}.json").write_text(text)
    reader = penstock.read(tmp_path, at="x/*", empty="error")
    assert next(reader) == 1
    with pytest.raises(penstock.ValidationError) as caught:
        next(reader)
    assert caught.value.source == str(tmp_path / "b.json")
    assert list(reader) == [2]


ADVICE = (
    '; the whole document was read as one record: say at="*" for its values, or at="KEY/*" for the '
    "elements of an array in it"
)


def test_256_an_object_that_is_no_record_is_told_how_to_get_at_the_records() -> None:
    """The error said only that the class lacks a key."""
    data = b'{"count": 1, "items": [{"name": "Bern"}]}'
    lacks = 'City lacks the required key "name"'
    for pieces in ([data], [data[place : place + 1] for place in range(len(data))]):
        with pytest.raises(penstock.ValidationError) as caught:
            list(json.read(pieces, City))
        assert caught.value.reason == lacks + ADVICE
        with pytest.raises(ExceptionGroup) as collected:
            list(json.read(pieces, City, errors="collect"))
        assert [error.reason for error in collected.value.exceptions] == [lacks + ADVICE]
        given: list[Any] = []
        assert list(json.read(pieces, City, errors=given.append)) == []
        assert [error.reason for error in given] == [lacks + ADVICE]
        assert list(json.read(pieces, City, at="items/*")) == [City("Bern")]


@pytest.mark.parametrize(
    ("verb", "data", "at"),
    [
        (json.read, b'{"lat": 1}', None),  # It has a key of the class.
        (json.read, b"[{}]", None),
        (json.read, b'{"a": {}}', "a"),
        (ndjson.read, b"{}", None),
        (json.decode, b"{}", None),
    ],
)
def test_256_other_objects_are_not(verb: Any, data: bytes, at: str | None) -> None:
    """As above."""
    with pytest.raises(penstock.ValidationError) as caught:
        json.decode(data, City) if verb is json.decode else list(verb([data], City, at=at))
    assert caught.value.reason == 'City lacks the required key "name"'
