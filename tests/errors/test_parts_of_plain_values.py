"""Where the parts of plain values stand that pydantic refuses: each error has the place and path of its own value."""

import io
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, BeforeValidator, Field, PositiveInt, model_validator

import penstock
from penstock import DecodeError, ValidationError, at

AsItIs = BeforeValidator(lambda value: value)


class Inner(BaseModel):
    a: int
    b: list[int] = []


class Whole(BaseModel):
    """Its validator sees all of it first, so Penstock hands over plain values."""

    inner: Inner
    items: list[Inner] = []
    numbers: list[PositiveInt] = []
    id: Annotated[int, Field(alias="@id")] = 0

    @model_validator(mode="before")
    @classmethod
    def as_it_is(cls, value: Any) -> Any:
        return value


class Parts(BaseModel):
    """Validators of its fields see their values first."""

    inner: Annotated[Inner, AsItIs]
    items: Annotated[list[Inner], AsItIs] = []
    numbers: Annotated[list[PositiveInt], AsItIs] = []


@dataclass
class Around:
    wholes: list[Whole]
    last: Annotated[Whole, at("deep/last")]


class Exact(BaseModel):
    sizes: Annotated[dict[str, list[Decimal]], AsItIs]


class Either(BaseModel):
    it: Annotated[Inner | Literal["none"], AsItIs]


DOCUMENT = """{"inner": {"b": [1,
 "q"], "a": "x"},
 "items": [{"a": 1},
  {"a": 2, "b": ["z"]}, {}],
 "numbers": [3,
   -2]}"""

FOUND = [
    (2, 2, "inner/b/1"),
    (2, 13, "inner/a"),
    (4, 18, "items/1/b/0"),
    (4, 25, "items/2"),
    (6, 4, "numbers/1"),
]


def found(document: str | bytes, into: Any, **options: Any) -> list[tuple[Any, ...]]:
    with pytest.raises(ValidationError) as caught:
        penstock.decode(document, into, all_errors=True, **options)
    return [(problem.line, problem.column, problem.path) for problem in caught.value.problems]


@pytest.mark.parametrize("of", [Whole, Parts])
def test_each_has_its_own(of: Any) -> None:
    assert found(DOCUMENT, of) == FOUND
    with pytest.raises(ValidationError) as caught:
        penstock.decode(DOCUMENT, of)
    assert str(caught.value) == (
        "line 2, column 2: Input should be a valid integer, unable to parse string as an integer "
        "(and 4 more problems) (at inner/b/1)"
    )


def test_values_in_other_objects() -> None:
    document = f'{{"wholes": [{DOCUMENT},\n{DOCUMENT}],\n"deep": {{"last": {DOCUMENT}}}}}'
    first = [(line, column + 12 * (line == 1), "wholes/0/" + path) for line, column, path in FOUND]
    second = [(line + 6, column, "wholes/1/" + path) for line, column, path in FOUND]
    last = [(line + 12, column, "deep/last/" + path) for line, column, path in FOUND]
    assert found(document, Around) == first + second + last


def test_numbers_with_all_their_digits() -> None:
    document = '{"sizes": {"x": [1.5, "q"], "y": [2,\n {}]}}'
    assert found(document, Exact) == [(1, 23, "sizes/x/1"), (2, 2, "sizes/y/1")]


def test_the_last_of_equal_keys() -> None:
    document = '{"inner": {"a": "x"}, "inner": {"a": 1,\n "a": "y"}}'
    assert found(document, Whole) == [(2, 7, "inner/a")]
    assert found(document, Whole, duplicates="first") == [(1, 17, "inner/a")]


def test_a_union_names_its_members_in_the_path() -> None:
    assert found('{"it": {"b": [],\n "a": "x"}}', Either) == [
        (1, 8, "it/literal['none']"),
        (2, 7, "it/Inner/a"),
    ]


@pytest.mark.parametrize("name", ["Whole", "list"])
def test_elements(name: str) -> None:
    element = """<e id="k">
<inner><b>1</b><b>q</b><a>x</a></inner>
<items><a>1</a></items><items>
<a>y</a></items><numbers>1</numbers><numbers>-2</numbers></e>"""
    expected = [
        (1, 7, "@id"),
        (2, 16, "inner/b/1"),
        (2, 24, "inner/a"),
        (4, 1, "items/1/a"),
        (4, 37, "numbers/1"),
    ]
    if name == "Whole":
        told = [(line, column, "e/" + path) for line, column, path in expected]
        assert found(element, Whole, format="xml") == told
        return
    told = [(line + 1, column, "r/e/" + path) for line, column, path in expected]
    more = [(line + 4, column, path) for line, column, path in told]
    document = f"<r>\n{element}\n{element}</r>"
    assert found(document, list[Whole], format="xml") == told + more


def test_any_cut_of_the_input() -> None:
    line = b'{"inner": {"a": 1}, "items": [{"a": 1}, \t{"a": "x%d"}], "numbers": [1, 2, 3]}\n'
    data = b"".join(line % number for number in range(900))
    told = []
    for size in (7, 1000, len(data)):
        bad: list[DecodeError] = []
        chunks = [data[start : start + size] for start in range(0, len(data), size)]
        reader = penstock.ndjson.read(chunks, Whole, all_errors=True, errors=bad.append)
        assert list(reader) == []
        told.append([(error.line, error.column, error.path, error.offset) for error in bad])
    assert told[0] == told[1] == told[2]
    assert [place[:3] for place in told[0]] == [(n, 48, "items/1/a") for n in range(1, 901)]


def test_ten_thousand_parts_are_remembered() -> None:
    numbers = ["1"] * 20_000
    numbers[9_000] = numbers[15_000] = "0"
    document = '{"inner": {"a": 1}, "numbers": [' + ",".join(numbers) + "]}"
    places = found(document, Whole)
    # Behind them, it is the place of the list.
    assert places == [(1, 32, "numbers/15000"), (1, 33 + 2 * 9000, "numbers/9000")]


def test_nothing_is_left_of_earlier_values() -> None:
    good = b'{"inner": {"a": 1}, "numbers": [1, 2, 3]}\n'
    data = good * 5_000 + b'{"inner": {"a": 1},\n "numbers": [1, -2, 3]}\n'
    reader = penstock.ndjson.read(io.BytesIO(data), Whole, framing="concatenated", all_errors=True)
    with pytest.raises(ValidationError) as caught:
        list(reader)
    assert (caught.value.line, caught.value.column) == (5_002, 17)
