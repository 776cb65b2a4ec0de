"""Bugs of Structs that are arrays, as numbered tests. Each docstring describes the bug."""

from typing import Any

import msgspec
import pytest

import penstock
from penstock import Plan, PlanError, ValidationError, decode


class Move(msgspec.Struct, tag=True, array_like=True):
    x: int
    y: int = 0


class Stop(msgspec.Struct, tag="stop", array_like=True):
    why: str | None = None


class Halt(msgspec.Struct, tag="halt", array_like=True):
    pass


class Point(msgspec.Struct, array_like=True):
    x: int
    y: int = 0


class Named(msgspec.Struct, tag=True):
    name: str


ROWS = [
    '["Move", 1]',
    '["Move", 1, 2]',
    '["stop", "because"]',
    '["halt"]',
    '["Move", 1, 2, 3]',
]
NO_ROWS = [
    ("[]", "expected Move | Stop | Halt, got an empty array", (1, 3, "0")),
    ('["move", 1]', 'expected "Move", "stop" or "halt", got "move"', (1, 3, "0/0")),
    ("[true]", 'expected "Move", "stop" or "halt", got true', (1, 3, "0/0")),
    ('[["Move", 1]]', 'expected "Move", "stop" or "halt", got an array', (1, 3, "0/0")),
    ('["Move"]', 'Move lacks an item for the field "x"', (1, 9, "0")),
    ('["Move", "1"]', "expected int, got a string", (1, 11, "0/1")),
    ('{"type": "Move"}', "expected Move | Stop | Halt, got an object", None),
]


def halves(data: str, into: Any, **options: Any) -> Any:
    """Decode the data whole, and byte by byte; both give the same."""
    whole = decode(data, into, **options)
    cut = penstock.json.load([bytes([byte]) for byte in data.encode()], into, **options)
    assert whole == cut
    return whole


@pytest.mark.parametrize("row", ROWS)
def test_192_a_union_of_structs_that_are_arrays(row: str) -> None:
    """The union had a plan, and refused every document."""
    into = Move | Stop | Halt
    expected = msgspec.json.decode(row, type=into)
    assert halves(row, into) == expected
    assert halves(f"[{row}, {row}]", list[into]) == [expected] * 2
    assert halves(f'{{"a": {row}, "b": null}}', dict[str, into | None]) == {
        "a": expected,
        "b": None,
    }
    assert halves(f'[{row}, 5, {{"type": "Named", "name": "n"}}]', list[into | int | Named]) == [
        expected,
        5,
        Named("n"),
    ]


@pytest.mark.parametrize(("row", "reason", "place"), NO_ROWS)
def test_192_and_what_is_none_of_them(row: str, reason: str, place: Any) -> None:
    """The first item says which class it is."""
    into = list[Move | Stop | Halt]
    for options in ({}, {"all_errors": True}):
        with pytest.raises(ValidationError) as caught:
            decode(f'[{row}, ["stop"]]', into, **options)  # type: ignore[call-overload]
        error = caught.value
        assert error.reason == reason
        assert place is None or (error.line, error.column, error.path) == place
        assert len(error.problems) == 1
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(row, type=Move | Stop | Halt)


def test_192_structs_that_nothing_tells_apart() -> None:
    """They need tags."""

    class Other(msgspec.Struct, array_like=True):
        z: int

    with pytest.raises(PlanError, match=r"apart: give each a tag of its own"):
        Plan(Point | Other)

    class Third(msgspec.Struct, tag=3, array_like=True):
        z: int

    # Unlike for msgspec, the tags may be integers and texts.
    assert halves('[["Move", 1], [3, 1]]', list[Move | Third]) == [Move(1), Third(1)]
    assert decode('[[1], {"type": "Named", "name": "n"}]', list[Point | Named]) == [
        Point(1),
        Named("n"),
    ]


@pytest.mark.parametrize(("data", "into"), [('{"x": 1}', Point), ("[]", Halt), ("[]", Stop)])
def test_193_structs_that_are_arrays_are_nothing_else(data: str, into: Any) -> None:
    """Objects were accepted, too, and an empty array for a Struct with a tag."""
    reason = {
        Point: "expected Point, got an object",
        Halt: 'Halt lacks an item for the field "type"',
        Stop: 'Stop lacks an item for the field "type"',
    }[into]
    for whole in (into, into | None):
        with pytest.raises(ValidationError) as caught:
            halves(data, whole)
        assert caught.value.reason.replace(" | None", "") == reason
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(data, type=into)
    # Elements have no arrays.
    assert penstock.xml.decode("<p><x>1</x></p>", Point) == Point(1)
