"""Records that do not fit: skipped as a whole, and still validated."""

import json
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, LimitExceeded, MalformedInput, ValidationError, at
from penstock.json import read


@dataclass
class Inner:
    v: int


@dataclass
class Row:
    n: int
    inners: list[Inner] = field(default_factory=list)
    deep: Annotated[int | None, at("a/b/c")] = None
    table: dict[str, list[int]] = field(default_factory=dict)


GOOD = [
    '{"n": 1}',
    '{"inners": [{"v": 1}, {"v": 2}], "n": 2, "skip": [[{"n": "x"}]]}',
    '{"a": {"b": {"c": 7, "d": "x"}, "c": []}, "n": 3, "table": {"k": [1], "l": []}}',
]
BAD = [
    "null",
    '"x"',
    "[[1], {}]",
    "{}",
    '{"n": "x", "inners": [{"v": []}]}',
    '{"n": [{"n": 1}, [2]], "skip": {"n": 1}}',
    '{"inners": [{"v": 1}, {"v": {"v": [1, {"v": 2}]}}, {"v": 3}], "n": 1}',
    '{"n": 1, "a": {"b": {"c": [1, 2], "d": [[]]}}}',
    '{"n": 1, "a": {"b": [{"c": 1}]}}',
    '{"n": 1, "table": {"k": [1, [2, [3]], 4], "l": [5]}}',
    '{"n": 1, "table": [{"k": 1}]}',
]
lines = st.lists(st.sampled_from([*GOOD, *BAD]), max_size=12)
cuts = st.lists(st.integers(min_value=0, max_value=2000), max_size=8)


def pieces_of(data: bytes, places: list[int]) -> list[bytes]:
    ends = [*sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(
    ("shape", "path"),
    [
        ("[{}]", None),
        ('{{"no": [[1], {{"rows": 1}}], "rows": [{}], "x": {{}}}}', "rows/*"),
        ('{{"no": [[1]], "rows": [{}], "x": {{}}}}', "//rows/*"),
        ("[[0, [{}]], [], [3, null]]", "0/1/*"),
    ],
)
@given(rows=lines, places=cuts)
def test_exactly_the_good_records_are_delivered(
    shape: str, path: str | None, rows: list[str], places: list[int]
) -> None:
    data = shape.format(", ".join(rows)).encode()
    pieces = pieces_of(data, places)
    good = [json.loads(row)["n"] for row in rows if row in GOOD]
    bad = [number for number, row in enumerate(rows, 1) if row in BAD]

    given: list[DecodeError] = []
    reader = read(pieces, Row, at=path, errors=given.append)
    assert [row.n for row in reader] == good
    assert [error.record for error in given] == bad
    assert {type(error) for error in given} <= {ValidationError}
    assert reader.skipped == len(bad)
    assert reader.progress.records == len(good)

    decoder = penstock.json.Decoder(Row, at=path, errors="skip")
    fed = [row for piece in pieces for row in decoder.feed(piece)] + decoder.finish()
    assert [row.n for row in fed] == good
    assert decoder.skipped == len(bad)


@pytest.mark.parametrize("errors", ["raise", "skip", "collect", [].append])
@pytest.mark.parametrize("bad", ["{} {}", "[1,]", '{"n": tru}', '{"n": "x", "skip": [1 2]}', "x"])
def test_malformed_input_always_raises(errors: Any, bad: str) -> None:
    data = f'[{{"n": 1}}, {bad}, {{"n": 2}}]'.encode()
    reader = read([data], Row, errors=errors)
    assert next(reader).n == 1
    kind = (MalformedInput, ValidationError) if errors == "raise" else MalformedInput
    if errors == "collect":
        kind = (MalformedInput, ExceptionGroup)
    with pytest.raises(kind):
        next(reader)
    assert list(reader) == []


def test_skip_does_not_skip_limits() -> None:
    data = b'[1, "x", ' + b"[" * 2000
    reader = read([data], int, errors="skip")
    assert next(reader) == 1
    with pytest.raises(LimitExceeded):
        next(reader)


def test_a_document_that_is_one_record() -> None:
    reader = read([b'{"n": "x"}'], Row, errors="skip")
    assert list(reader) == []
    assert reader.skipped == 1
    with pytest.raises(ExceptionGroup) as caught:
        list(read([b'{"n": "x"}'], Row, errors="collect"))
    (error,) = caught.value.exceptions
    assert (error.record, error.path) == (1, "n")  # type: ignore[attr-defined]


def test_keys_that_no_class_names() -> None:
    data = b'[{"n": 1, "x": 0, "inners": [{"v": 1, "y": []}]}, {"n": 2, "x": {"z": 1}}, {"n": 3}]'
    reader = read([data], Row, unknown="collect")
    assert [row.n for row in reader] == [1, 2, 3]
    assert reader.unknown == {"Row.x": 2, "Inner.y": 1}
    reader = read([data], Row, unknown="error", errors="skip")
    assert [row.n for row in reader] == [3]
    assert reader.skipped == 2
    with pytest.raises(ValidationError) as caught:
        list(read([data], Row, unknown="error"))
    assert caught.value.reason == 'Row has no field for the key "x"'
    assert (caught.value.offset, caught.value.record, caught.value.path) == (10, 1, "0/x")


def test_repeated_keys_are_errors_of_their_record() -> None:
    data = b'[{"n": 1}, {"n": 2, "n": 3}, {"n": 4, "skip": 1, "skip": 2}]'
    reader = read([data], Row, duplicates="error", errors="skip")
    assert [row.n for row in reader] == [1, 4]
    assert reader.skipped == 1
