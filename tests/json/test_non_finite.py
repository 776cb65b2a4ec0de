"""`non_finite=True`: NaN and the infinities, as Python's `json` writes them."""

import json as standard
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

import annotated_types
import pytest

import penstock
from penstock import json, ndjson

LITERALS = b"[NaN, Infinity, -Infinity, 1.5]"


@dataclass
class Point:
    x: float


def shown(values: object) -> str:
    return repr(values)


def test_what_python_writes_comes_back() -> None:
    values = {"a": [math.nan, math.inf, -math.inf], "b": 1}
    text = standard.dumps(values)
    assert shown(json.decode(text, non_finite=True)) == shown(values)


def test_each_verb() -> None:
    expected = shown([math.nan, math.inf, -math.inf, 1.5])
    assert shown(json.decode(LITERALS, list[float], non_finite=True)) == expected
    assert shown(json.load([LITERALS], list[float], non_finite=True)) == expected
    assert shown(list(json.read([LITERALS], float, non_finite=True))) == expected
    lines = LITERALS[1:-1].replace(b", ", b"\n")
    assert shown(ndjson.decode(lines, float, non_finite=True)) == expected
    assert shown(ndjson.load([lines], float, non_finite=True)) == expected
    assert shown(list(ndjson.read([lines], float, non_finite=True))) == expected
    spaced = lines.replace(b"\n", b" ")
    into: Any = float
    found = ndjson.decode(spaced, into, framing="concatenated", non_finite=True)
    assert shown(found) == expected


def test_a_decoder() -> None:
    decoder = json.Decoder(float, non_finite=True)
    found = []
    for byte in LITERALS:
        found += decoder.feed(bytes([byte]))
    found += decoder.finish()
    assert shown(found) == shown([math.nan, math.inf, -math.inf, 1.5])
    assert shown(json.Decoder(list[float], non_finite=True).decode(b"[NaN]")) == "[nan]"
    # The same type without the option, afterwards.
    with pytest.raises(penstock.MalformedInput):
        json.Decoder(list[float]).decode(b"[NaN]")
    lines = ndjson.Decoder(float, non_finite=True)
    assert shown(lines.feed(b"NaN\n-Inf")) == "[nan]"
    assert lines.feed(b"inity\n") == [-math.inf]


def test_a_decimal_takes_them() -> None:
    found = json.decode(LITERALS, list[Decimal], non_finite=True)
    expected = [Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity"), Decimal("1.5")]
    assert shown(found) == shown(expected)


@pytest.mark.parametrize(
    ("into", "message"),
    [
        (int, "line 1, column 1: expected int, got -Infinity"),
        (str, "line 1, column 1: expected str, got -Infinity"),
        (int | None, "line 1, column 1: expected int | None, got -Infinity"),
        (
            Annotated[float, annotated_types.Ge(0)],
            "line 1, column 1: expected float >= 0, got -inf",
        ),
    ],
)
def test_other_types_refuse_them(into: Any, message: str) -> None:
    with pytest.raises(penstock.ValidationError) as caught:
        json.decode("-Infinity", into, non_finite=True)
    assert str(caught.value) == message


def test_a_bound_refuses_what_is_no_number() -> None:
    with pytest.raises(penstock.ValidationError) as caught:
        json.decode("NaN", Annotated[float, annotated_types.Ge(0)], non_finite=True)
    assert str(caught.value) == "line 1, column 1: expected float >= 0, got nan"


def test_where_keys_are_skipped() -> None:
    text = '{"z": [NaN, {"y": -Infinity}], "x": Infinity}'
    assert json.decode(text, Point, non_finite=True) == Point(math.inf)
    with pytest.raises(penstock.MalformedInput) as caught:
        json.decode(text, Point)
    assert str(caught.value) == (
        "line 1, column 8: expected a value or ']', found 'NaN' (non_finite=True takes it) (at z)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NaNs", "line 1, column 4: expected the end of the document after the value, found 's'"),
        ("[nan]", "line 1, column 2: expected a value, found 'nan' (at 0)"),
        ("[1, inf]", "line 1, column 5: expected a value, found 'inf' (at 1)"),
        ("[-NaN]", "line 1, column 3: expected a digit after '-', found 'NaN' (at 0)"),
        ("[+Infinity]", "line 1, column 2: expected a value or ']', found '+' (at 0)"),
        ("[-Infinite]", "line 1, column 3: expected a digit after '-', found 'Infinite' (at 0)"),
        ('{"a": Inf', "line 1, column 10: the input ends inside a literal (at a)"),
        ("-Inf", "line 1, column 5: the input ends inside a literal"),
    ],
)
def test_exactly_these_three(text: str, message: str) -> None:
    with pytest.raises(penstock.DecodeError) as caught:
        json.decode(text, non_finite=True)
    assert str(caught.value) == message


def test_the_option_is_a_bool() -> None:
    wrong: Any = 1
    with pytest.raises(TypeError) as caught:
        json.decode("1", non_finite=wrong)
    assert str(caught.value) == "non_finite must be a bool, not int"
    with pytest.raises(TypeError) as caught:
        ndjson.decode("1", non_finite=wrong)
    assert str(caught.value) == "non_finite must be a bool, not int"
