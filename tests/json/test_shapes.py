"""Members that follow one another are read in one go, and mean the same as one after another.

The twin reads key by key: it must, because it refuses keys that occur twice. Documents without such keys give the same objects
and the same errors at the same places, whatever the order of their keys, how it changes, and where the text is cut.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field, fields
from decimal import Decimal
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock


@dataclass(slots=True)
class Place:
    lat: float
    lon: float


@dataclass(slots=True)
class Record:
    number: int
    name: str
    share: float = 0.5
    good: bool | None = None
    price: Decimal | None = None
    tags: list[str] = field(default_factory=list)
    place: Place | None = None
    anything: Any = None
    either: int | str = 0
    last: str = ""


class Pair(NamedTuple):
    number: int
    name: str
    share: float = 0.5


def in_pieces(text: str, sizes: list[int]) -> list[bytes]:
    """The bytes in pieces of these sizes, again and again."""
    data = text.encode()
    pieces: list[bytes] = []
    for size in itertools.cycle(sizes):
        if not data:
            return pieces
        pieces.append(data[:size])
        data = data[size:]
    return pieces


def outcome(text: str, type_: Any, sizes: list[int], *, keeps: bool, **options: Any) -> list[Any]:
    """What reading gives: the objects, the error that ends it, and those of the records that it leaves out."""
    problems: list[Any] = []
    options["errors"] = problems.append if keeps else "raise"
    rows = penstock.json.read(in_pieces(text, sizes), type_, at="*", **options)
    got: list[Any] = []
    try:
        got.extend(rows)
    except penstock.PenstockError as error:
        got.append(str(error))
    return [*got, [str(problem) for problem in problems]]


TEXTS = st.one_of(
    st.sampled_from(["", "Vila", "ä", "a\nb", '"', "\U0001f3d4", "x" * 40]), st.text(max_size=5)
)
SCALARS = st.one_of(
    st.integers(-3, 10**8), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False),
    TEXTS, st.booleans(), st.none(), st.sampled_from([1.5, -0.0, 12.25, 1e300]),
)  # fmt: skip
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(TEXTS, SCALARS, max_size=2)
)
GOOD: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(-(2**63), 2**64),
    "name": TEXTS,
    "share": st.floats(allow_nan=False, allow_infinity=False),
    "good": st.one_of(st.booleans(), st.none()),
    "price": st.sampled_from([None, 1.5, 3]),
    "tags": st.lists(TEXTS, max_size=3),
    "place": st.one_of(
        st.none(), st.fixed_dictionaries({"lat": st.just(1.5), "lon": st.just(-2.25)})
    ),
    "anything": VALUES,
    "either": st.one_of(st.integers(-5, 5), TEXTS),
    "last": TEXTS,
    "unknown": VALUES,
    "ünknown": SCALARS,
    "other": SCALARS,
}
NAMES = sorted(GOOD)
KNOWN = [one.name for one in fields(Record)]


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Records of a few shapes, each of which occurs often, with a wrong value here and there."""
    orders = st.permutations(draw(st.sampled_from([NAMES, KNOWN])))
    shapes = draw(st.lists(orders.map(lambda names: names[:11]), min_size=1, max_size=3))
    records = []
    for _ in range(draw(st.integers(1, 40))):
        names = list(draw(st.sampled_from(shapes)))
        if draw(st.integers(0, 5)) == 0:
            names.remove(draw(st.sampled_from(names)))
        record = {name: draw(GOOD[name]) for name in names}
        if draw(st.integers(0, 7)) == 0:
            record[draw(st.sampled_from(names))] = draw(VALUES)
        records.append(record)
    layout: dict[str, Any] = draw(
        st.sampled_from([{}, {"separators": (",", ":")}, {"indent": 1}, {"ensure_ascii": False}])
    )
    text = json.dumps(records, **layout)
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + draw(st.sampled_from(["", "x", ",", '"', "}", "1"]))
            + text[at + draw(st.integers(0, 2)) :]
        )
    return text


@given(
    documents(),
    st.lists(st.sampled_from([1, 2, 3, 7, 50, 1000]), min_size=1, max_size=4),
    st.sampled_from([Record, Pair, penstock.Plan(Record, strict=False), dict[str, Any]]),
    st.booleans(),
    st.sampled_from([{}, {"all_errors": True}, {"unknown": "error"}]),
)
def test_ahead_and_one_by_one(
    text: str, sizes: list[int], type_: Any, keeps: bool, options: dict[str, Any]
) -> None:
    one_by_one = outcome(
        text, type_, [len(text) * 4 + 1], keeps=keeps, duplicates="error", **options
    )
    if "more than once" not in repr(one_by_one):
        # The representation tells -0.0 from 0, and 1 from True.
        assert repr(outcome(text, type_, sizes, keeps=keeps, **options)) == repr(one_by_one)


def test_orders_that_change_again_and_again() -> None:
    whole = {"number": 1, "name": "n", "share": 1.5}
    many = {"number": 1, "x": 1, "name": "n", "y": [2], "share": 1.5, "z": None}
    random = Random(7)
    for record in (whole, many):
        records, names = [], list(record)
        for number in range(4_000):
            # Long stretches of one order, and short ones.
            if random.random() < (0.01 if number // 500 % 2 else 0.7):
                random.shuffle(names)
            records.append({**{name: record[name] for name in names}, "number": number})
        text = "\n".join(json.dumps(one) for one in records)
        expected = [Pair(number, "n", 1.5) for number in range(4_000)]
        assert list(penstock.ndjson.read([text.encode()], Pair)) == expected
        assert penstock.json.decode(f"[{text.replace(chr(10), ',')}]", list[Pair]) == expected


def test_where_a_value_is_wrong() -> None:
    lines = [
        f'{{"skip": "x", "number": {n}, "z": [1], "name": "n{n}", "share": 0.5}}' for n in range(50)
    ]
    lines[40] = lines[40].replace('"n40"', "40")
    with pytest.raises(penstock.ValidationError) as caught:
        list(penstock.ndjson.read(["\n".join(lines).encode()], Record))
    error = caught.value
    assert (error.line, error.column, error.path) == (41, lines[40].index("40,", 40) + 1, "name")


def test_a_text_that_ends_inside_a_member_that_is_skipped() -> None:
    text = '{"number": 1, "name": "a", "skipped": 5, "also": true}\n' * 40
    broken = text + '{"number": 1, "name": "a", "skipped": 5, "also": tru}\n'
    with pytest.raises(penstock.MalformedInput) as caught:
        list(penstock.ndjson.read([broken.encode()], Record))
    assert (caught.value.line, caught.value.column, caught.value.path) == (41, 50, "also")
