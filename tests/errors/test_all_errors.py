"""`all_errors=True`: every problem of a record at its position, and no object of the record."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leaks import assert_nothing_left
from shapes import Circle, Square

import penstock
from penstock import (
    DecodeError,
    LimitExceeded,
    Limits,
    MalformedInput,
    TruncatedInput,
    ValidationError,
    at,
)


@dataclass(slots=True)
class Address:
    street: str
    zip: int


@dataclass
class Person:
    name: str
    age: int
    tags: list[int]
    address: Address
    pair: tuple[int, str]
    sizes: dict[str, float] = field(default_factory=dict)


class Point(NamedTuple):
    x: int
    y: int


class Keys(TypedDict):
    a: int
    b: list[Point]


PERSON = {
    "name": "Ada",
    "age": 36,
    "tags": [1, 2],
    "address": {"street": "Main", "zip": 3000},
    "pair": [1, "b"],
    "sizes": {"s": 1.5},
}


def problems(document: str | bytes, into: Any, **options: Any) -> list[tuple[str, str]]:
    """The problems with their paths, in the order in which they are reported."""
    with pytest.raises(ValidationError) as caught:
        penstock.decode(document, into, all_errors=True, **options)
    return told(caught.value)


def told(error: DecodeError) -> list[tuple[str, str]]:
    return [(problem.path or "", problem.reason) for problem in error.problems]


def test_every_problem_of_a_record() -> None:
    document = """{
 "name": null,
 "tags": [1, "2", {"a": [1]}],
 "address": {"street": 1},
 "pair": [1, 2, 3],
 "sizes": {"s": 1, "m": "2", "l": []}
}"""
    with pytest.raises(ValidationError) as caught:
        penstock.decode(document, Person, all_errors=True)
    error = caught.value
    assert str(error) == "line 2, column 10: expected str, got null (at name) (and 9 more problems)"
    assert [str(problem) for problem in error.problems[1:]] == [
        "line 3, column 14: expected int, got a string (at tags/1)",
        "line 3, column 19: expected int, got an object (at tags/2)",
        "line 4, column 24: expected str, got the integer 1 (at address/street)",
        'line 4, column 25: Address lacks the required key "zip" (at address)',
        "line 5, column 14: expected str, got the integer 2 (at pair/1)",
        "line 5, column 18: expected an array of 2, got one of 3 (at pair)",
        "line 6, column 25: expected float, got a string (at sizes/m)",
        "line 6, column 35: expected float, got an array (at sizes/l)",
        'line 7, column 1: Person lacks the required key "age"',
    ]
    assert error.problems[0] is error
    assert all(type(problem) is ValidationError for problem in error.problems)
    assert [(problem.expected, problem.got) for problem in error.problems[:3]] == [
        ("str", "null"),
        ("int", "a string"),
        ("int", "an object"),
    ]
    assert all(problem.problems == (problem,) for problem in error.problems[1:])


def test_the_report_shows_each() -> None:
    with pytest.raises(ValidationError) as caught:
        penstock.decode('[1,\n "b", 2,\n null]', list[int], all_errors=True)
    assert caught.value.report() == (
        "line 2, column 2: expected int, got a string (at 1)\n"
        "  |\n"
        '2 |  "b", 2,\n'
        "  |  ^\n"
        "\n"
        "line 3, column 2: expected int, got null (at 3)\n"
        "  |\n"
        "3 |  null]\n"
        "  |  ^"
    )


def test_without_it_an_error_is_its_only_problem() -> None:
    with pytest.raises(ValidationError) as caught:
        penstock.decode('["a", "b"]', list[int])
    assert caught.value.problems == (caught.value,)
    assert (caught.value.others, caught.value.omitted) == ((), 0)
    with pytest.raises(ValidationError) as caught:
        penstock.decode('["a"]', list[int], all_errors=True)
    assert str(caught.value) == "line 1, column 2: expected int, got a string (at 0)"
    assert caught.value.problems == (caught.value,)


@pytest.mark.parametrize(
    ("document", "into", "expected"),
    [
        ('"a"', int, [("", "expected int, got a string")]),
        ("[]", Address, None),
        ("{}", Address, ['Address lacks the required key "street"', "zip"]),
    ],
)
def test_the_value_of_the_document(document: str, into: Any, expected: list[Any] | None) -> None:
    found = problems(document, into)
    assert len(found) == len(expected or [1])


@dataclass
class Lists:
    plain: list[int] = field(default_factory=list)
    nested: list[list[int]] = field(default_factory=list)
    unique: set[int] = field(default_factory=set)
    frozen: frozenset[int] = frozenset()
    open: tuple[int, ...] = ()
    fixed: tuple[int, Address, str] | None = None
    points: list[Point] = field(default_factory=list)


def test_lists() -> None:
    assert problems(
        """{"plain": [1, "a", 2, "b"], "nested": [[1], ["a"], "b", [[]]], "unique": [1, null, 2],
        "frozen": [{}], "open": [1, [2]], "fixed": ["a", {"zip": "b"}, "c", 4],
        "points": [[1, 2], [1, "b"], [1, 2, 3], [1], {"x": 1}, {"x": 1, "y": 2}, "c"]}""",
        Lists,
    ) == [
        ("plain/1", "expected int, got a string"),
        ("plain/3", "expected int, got a string"),
        ("nested/1/0", "expected int, got a string"),
        ("nested/2", "expected list[int], got a string"),
        ("nested/3/0", "expected int, got an array"),
        ("unique/1", "expected int, got null"),
        ("frozen/0", "expected int, got an object"),
        ("open/1", "expected int, got an array"),
        ("fixed/0", "expected int, got a string"),
        ("fixed/1/zip", "expected int, got a string"),
        ("fixed/1", 'Address lacks the required key "street"'),
        ("fixed", "expected an array of 3, got one of 4"),
        ("points/1/1", "expected int, got a string"),
        ("points/2", "expected an array of 2, got one of 3"),
        ("points/3", 'Point lacks an item for the field "y"'),
        ("points/4", 'Point lacks the required key "y"'),
        ("points/6", "expected Point, got a string"),
    ]


def test_dicts() -> None:
    assert problems(
        '{"a": {"x": 1, "y": "b"}, "b": 3, "c": {"x": {"y": 1}}, "d": {}}',
        dict[str, dict[str, int]],
    ) == [
        ("a/y", "expected int, got a string"),
        ("b", "expected dict[str, int], got the integer 3"),
        ("c/x", "expected int, got an object"),
    ]
    assert problems('{"r": 1, "s": "x", "g": "y"}', dict[Literal["r", "g"], int]) == [
        ("s", 'expected "r" or "g", got the key "s"'),
        ("g", "expected int, got a string"),
    ]
    assert problems('{"a": 1, "b": [{"x": 1}]}', Keys) == [
        ("b/0", 'Point lacks the required key "y"')
    ]


def test_keys_that_are_repeated_or_unknown() -> None:
    document = '{"street": "a", "street": 1, "strret": [[]], "zip": "b", "zip": 2, "x": {"y": 1}}'
    assert problems(document, Address, duplicates="error", unknown="error") == [
        ("street", 'the key "street" occurs more than once'),
        ("strret", 'Address has no field for the key "strret"; did you mean "street"?'),
        ("zip", "expected int, got a string"),
        ("zip", 'the key "zip" occurs more than once'),
        ("x", 'Address has no field for the key "x"'),
    ]
    # The value that is replaced is checked too, as without all_errors.
    assert problems(document, Address, duplicates="last") == [
        ("street", "expected str, got the integer 1"),
        ("zip", "expected int, got a string"),
    ]
    nested = '{"a": {"b": "x", "b": 1}, "a": 2, "c": {"d": 1, "d": 2}}'
    assert problems(nested, dict[str, dict[str, int]], duplicates="error") == [
        ("a/b", "expected int, got a string"),
        ("a/b", 'the key "b" occurs more than once'),
        ("a", 'the key "a" occurs more than once'),
        ("c/d", 'the key "d" occurs more than once'),
    ]
    assert problems('[{"a": [{"b": 1, "b": 2}], "a": 3}, 1e999]', Any, duplicates="error") == [
        ("0/a/0/b", 'the key "b" occurs more than once'),
        ("0/a", 'the key "a" occurs more than once'),
        ("1", "expected Any, got a number beyond the range of a double"),
    ]


def test_unions_and_choices() -> None:
    assert problems(
        '[1, "a", null, true, "z", 2.5, {"street": "s"}, [1, null]]',
        list[int | Literal["a"] | Address | list[int] | None],
    ) == [
        ("3", "expected int | Literal['a'] | Address | list[int] | None, got true"),
        ("4", "expected int | Literal['a'] | Address | list[int] | None, got \"z\""),
        (
            "5",
            (
                "expected int | Literal['a'] | Address | list[int] | None, "
                "got a number with a fraction or an exponent"
            ),
        ),
        ("6", 'Address lacks the required key "zip"'),
        ("7/1", "expected int, got null"),
    ]


@dataclass
class Far:
    lat: Annotated[float, at("geo/lat")]
    lon: Annotated[float, at("geo/lon")]
    names: Annotated[list[str], at("names/*/text")]
    first: Annotated[int, at("rows/0")]
    codes: Annotated[dict[str, Address], at("codes/*", key="street")] = field(default_factory=dict)


def test_fields_of_several_steps() -> None:
    fine = '{"geo": {"lat": 1, "lon": 2}, "names": [{"text": "a"}], "rows": [7]}'
    assert penstock.decode(fine, Far, all_errors=True) == Far(1.0, 2.0, ["a"], 7)
    assert problems(
        """{"geo": {"lat": "a", "lon": 2}, "names": [{"text": 1}, {"text": "b"}, {"text": {}}],
        "codes": [{"street": "a"}, {"street": "b", "zip": 1}, 3], "rows": [{}, 2]}""",
        Far,
    ) == [
        ("geo/lat", "expected float, got a string"),
        ("names/0/text", "expected str, got the integer 1"),
        ("names/2/text", "expected str, got an object"),
        ("codes/0", 'Address lacks the required key "zip"'),
        ("codes/2", "expected Address, got the integer 3"),
        ("rows/0", "expected int, got an object"),
    ]
    # A container of the wrong kind is one problem, and its contents are not missing besides.
    assert problems('{"geo": [1], "names": 3}', Far) == [
        (
            "geo",
            (
                'expected an object with the key "lat", got an array; to reach its elements, '
                "write '*' before \"lat\" in the path"
            ),
        ),
        ("", 'Far lacks the required key "rows/0"'),
    ]


MADE: list[object] = []


@dataclass
class Watched:
    value: int
    other: Any = None

    def __post_init__(self) -> None:
        MADE.append(self)
        if self.value < 0:
            raise ValueError("negative")


def converted(value: list[int]) -> int:
    MADE.append(value)
    if sum(value) < 0:
        raise ValueError("less than nothing")
    return sum(value)


def factory() -> int:
    MADE.append("factory")
    return 3


@dataclass
class Made:
    watched: list[Watched]
    total: Annotated[int, penstock.via(converted)]
    count: int = field(default_factory=factory)
    checked: Watched | None = None


@pytest.mark.thread_unsafe(reason="all threads have one list of what was made")
def test_no_code_of_the_users_sees_what_does_not_fit() -> None:
    MADE.clear()
    assert problems(
        """{"watched": [{"value": 1}, {"value": "a"}, {"value": 2, "other": 3}, {"value": -4}],
        "total": [1, "b"], "checked": {}}""",
        Made,
    ) == [
        ("watched/1/value", "expected int, got a string"),
        ("watched/3", "ValueError: negative"),
        ("total/1", "expected int, got a string"),
        ("checked", 'Watched lacks the required key "value"'),
    ]
    assert [made.value for made in MADE if isinstance(made, Watched)] == [1, 2, -4]
    assert len(MADE) == 3
    MADE.clear()
    found = problems('{"watched": 1, "total": [1, -2]}', Made)
    assert found == [
        ("watched", "expected list[Watched], got the integer 1"),
        ("total", "ValueError: less than nothing"),
    ]
    assert MADE == [[1, -2]]


def test_an_exception_that_says_nothing_of_values_goes_through() -> None:
    @dataclass
    class Broken:
        value: int

        def __post_init__(self) -> None:
            raise LookupError("not there")

    with pytest.raises(LookupError, match="not there"):
        penstock.decode('["a", {"value": 1}]', list[int | Broken], all_errors=True)


def test_causes_are_those_of_each_problem() -> None:
    with pytest.raises(ValidationError) as caught:
        penstock.decode('[{"value": -1}, {"value": -2}]', list[Watched], all_errors=True)
    assert [str(problem.__cause__) for problem in caught.value.problems] == ["negative"] * 2


@pytest.mark.parametrize("count", [100, 101, 102, 5000])
def test_a_hundred_problems_are_kept(count: int) -> None:
    with pytest.raises(ValidationError) as caught:
        penstock.decode(json.dumps(["a"] * count), list[int], all_errors=True)
    error = caught.value
    assert [problem.path for problem in error.problems] == [str(at) for at in range(100)]
    assert error.omitted == count - 100
    assert str(error).endswith(f"(and {count - 1:,} more problems)")
    last = error.report().splitlines()[-1]
    more = count - 100
    assert not more or last == f"and {more:,} more problem{'' if more == 1 else 's'}"


def test_long_paths_are_not_kept_a_hundred_times() -> None:
    document = json.dumps({"k" * 400_000: ["a"] * 50})
    with pytest.raises(ValidationError) as caught:
        penstock.decode(document, dict[str, list[int]], all_errors=True)
    assert (len(caught.value.problems), caught.value.omitted) == (2, 48)


def test_malformed_input_ends_it_with_what_was_found_before() -> None:
    with pytest.raises(MalformedInput) as caught:
        penstock.decode('{"name": 1, "age": "a", "tags": [,', Person, all_errors=True)
    error = caught.value
    assert str(error) == (
        "line 1, column 34: expected a value or ']', found ',' (at tags/0) "
        "(and 2 problems before it)"
    )
    assert told(error) == [
        ("name", "expected str, got the integer 1"),
        ("age", "expected int, got a string"),
        ("tags/0", "expected a value or ']', found ','"),
    ]
    assert error.problems[-1] is error
    with pytest.raises(TruncatedInput) as truncated:
        penstock.decode('["a"', list[int], all_errors=True)
    assert str(truncated.value).endswith("(and 1 problem before it)")
    assert "expected int" in truncated.value.report()
    with pytest.raises(LimitExceeded) as limited:
        penstock.decode('["a", 123456]', list[int], all_errors=True, limits=Limits(number=5))
    assert [type(problem) for problem in limited.value.problems] == [ValidationError, LimitExceeded]


def test_a_source_that_breaks_tells_what_was_found_before() -> None:
    def body():
        yield b'["a", '
        raise ConnectionResetError("gone")

    with pytest.raises(DecodeError) as caught:
        penstock.json.load(body(), list[int], all_errors=True)
    assert told(caught.value)[0] == ("0", "expected int, got a string")
    assert type(caught.value.problems[1]) is DecodeError


# XML


@dataclass
class Item:
    id: Annotated[int, at("@id")]
    name: str
    sizes: list[int] = field(default_factory=list)
    address: Address | None = None
    pair: tuple[int, str] | None = None
    weights: dict[str, float] = field(default_factory=dict)
    lat: Annotated[float, at("geo/lat")] = 0.0


def test_attributes_and_elements() -> None:
    assert problems(
        """<item id="a" nmae="b" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<sizes>1</sizes><sizes>b</sizes><sizes x="1">c</sizes><sizes xsi:nil="true"/><sizes><x/><y/></sizes>
<adress/><address street="s" zip="z"/><pair><a>x</a></pair>
<weights><s>1</s><m>b</m><l/></weights><geo><lat>c</lat><lng/></geo></item>""",
        Item,
        unknown="error",
    ) == [
        ("item/@id", 'expected int, got "a"'),
        ("item/@nmae", "Item has no field for the attribute 'nmae'; did you mean 'name'?"),
        ("item/sizes", 'expected int, got "b"'),
        ("item/sizes", 'expected int, got "c"'),
        ("item/sizes", "int has no place for the attribute 'x'"),
        ("item/sizes", "expected int, got an element with xsi:nil"),
        ("item/sizes", "expected int, got an element with child elements"),
        ("item/adress", "Item has no field for the element 'adress'; did you mean 'address'?"),
        ("item/address/@zip", 'expected int, got "z"'),
        ("item/pair/a", 'expected int, got "x"'),
        ("item/pair", "expected 2 child elements, got 1"),
        ("item/weights/m", 'expected float, got "b"'),
        ("item/weights/l", 'expected float, got ""'),
        ("item/geo/lat", 'expected float, got "c"'),
        ("item/geo/lng", "Item has no field for the element 'lng'"),
        ("item", "Item lacks the required element or attribute 'name'"),
    ]


def test_elements_that_are_repeated() -> None:
    assert problems(
        "<a><street>a</street><street>b</street><zip>c</zip><zip>1</zip></a>", Address
    ) == [
        ("a/street", "the element 'street' is repeated; ask for list[str] or say repeated='first'"),
        ("a/zip", 'expected int, got "c"'),
        ("a/zip", "the element 'zip' is repeated; ask for list[int] or say repeated='first'"),
    ]


def test_unions_in_xml() -> None:
    assert problems(
        """<shapes><shape kind="circle"><radius>a</radius></shape><shape kind="crcle"><radius>1</radius>
<radius>2</radius></shape><shape>text<side/>more</shape><shape kind="square" side="2"/>
<shape side="b" kind="square"/><shape/></shapes>""",
        list[Circle | Square],
    ) == [
        ("shapes/shape/radius", 'expected float, got "a"'),
        ("shapes/shape/@kind", 'the attribute \'kind\' is "crcle", expected "circle" or "square"'),
        (
            "shapes/shape",
            (
                "expected Circle | Square, got an element without the attribute 'kind' "
                '("circle" or "square")'
            ),
        ),
        ("shapes/shape/@side", 'expected float, got "b"'),
        (
            "shapes/shape",
            (
                "expected Circle | Square, got an element without the attribute 'kind' "
                '("circle" or "square")'
            ),
        ),
    ]


def test_a_scalar_as_the_root_of_xml() -> None:
    assert problems('<a x="1">b</a>', int, unknown="error") == [
        ("a", 'expected int, got "b"'),
        ("a", "int has no place for the attribute 'x'"),
    ]
    assert problems('<a x="1">3</a>', int, unknown="error") == [
        ("a", "int has no place for the attribute 'x'")
    ]


# Records


LINES = b"""{"street": "a", "zip": 1}
{"street": 1, "zip": "b"}
{"street": "c", "zip": 3}
{}
{"street": 1, "zip": [}
{"street": "f", "zip": 6}
"""
GOOD = [Address("a", 1), Address("c", 3), Address("f", 6)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_records_behind_one_in_error_are_as_ever(size: int) -> None:
    chunks = [LINES[start : start + size] for start in range(0, len(LINES), size)]
    bad: list[DecodeError] = []
    reader = penstock.ndjson.read(chunks, Address, all_errors=True, errors=bad.append)
    assert list(reader) == GOOD
    assert [told(error) for error in bad] == [
        [("street", "expected str, got the integer 1"), ("zip", "expected int, got a string")],
        [
            ("", 'Address lacks the required key "street"'),
            ("", 'Address lacks the required key "zip"'),
        ],
        [
            ("street", "expected str, got the integer 1"),
            ("zip", "expected int, got an array"),
            ("zip", "expected a value or ']', found '}'"),
        ],
    ]
    assert [error.record for error in bad] == [2, 4, 5]
    assert all(problem.record == error.record for error in bad for problem in error.problems)
    skipping = penstock.ndjson.read([LINES], Address, all_errors=True, errors="skip")
    assert (list(skipping), skipping.skipped) == (GOOD, 3)


def flat(error: DecodeError) -> list[tuple[object, ...]]:
    """Everything that does not depend on how much of the input was read after the position."""
    return [
        (
            type(problem),
            problem.reason,
            problem.offset,
            problem.line,
            problem.column,
            problem.record,
            problem.path,
            None if problem.excerpt is None else problem.excerpt[: problem.caret],
        )
        for problem in error.problems
    ]


def damaged_document() -> bytes:
    good = json.dumps(PERSON, ensure_ascii=False)
    bad = json.dumps({**PERSON, "name": ["東京" * 40], "tags": [1, None, "x"], "sizes": {"a": "b"}})
    return f"[{good},\n{bad},\n {bad}, {good}]".encode()


@pytest.mark.parametrize("size", [1, 5, 64])
@pytest.mark.parametrize("at", [None, "*"])
def test_chunks_do_not_matter(size: int, at: str | None) -> None:
    data = damaged_document()
    whole: list[DecodeError] = []
    pieces: list[DecodeError] = []
    for step, errors in ((len(data), whole), (size, pieces)):
        decoder = penstock.json.Decoder(Person, at=at, all_errors=True, errors=errors.append)
        records = [
            record
            for start in range(0, len(data), step)
            for record in decoder.feed(data[start : start + step])
        ]
        records += decoder.finish()
        assert records == [penstock.decode(json.dumps(PERSON), Person)] * 2
    assert [flat(error) for error in pieces] == [flat(error) for error in whole]
    assert [len(error.problems) for error in whole] == [4, 4]


def test_chunks_do_not_matter_to_a_whole_document_or_to_xml() -> None:
    data = damaged_document()
    xml = (
        b"<r>\n"
        + b'<i id="x">\n<name>n</name><sizes>a</sizes>\n<sizes><b/>c</sizes></i>\n' * 2
        + b"</r>"
    )
    for load, document, into in (
        (penstock.json.load, data, list[Person]),
        (penstock.xml.load, xml, list[Item]),
    ):
        with pytest.raises(ValidationError) as whole:
            load([document], into, all_errors=True)
        with pytest.raises(ValidationError) as pieces:
            load((document[at : at + 1] for at in range(len(document))), into, all_errors=True)
        with pytest.raises(ValidationError) as memory:
            penstock.decode(document, into, all_errors=True)
        assert flat(pieces.value) == flat(whole.value) == flat(memory.value)
        assert len(flat(whole.value)) == (8 if into == list[Person] else 6)


def test_an_attribute_that_waits_for_its_element_keeps_its_place() -> None:
    data = b'<a street="s"\n zip="x">' + b"<other>y</other>\n" * 100_000 + b"</a>"
    pieces = (data[start : start + 1000] for start in range(0, len(data), 1000))
    with pytest.raises(ValidationError) as caught:
        penstock.xml.load(pieces, Address)
    assert (caught.value.line, caught.value.column) == (2, 6)
    assert caught.value.excerpt is not None
    assert caught.value.excerpt.startswith(' zip="x"')


def test_recycled_rows_are_not_mixed_up() -> None:
    lines = b"".join(
        b'{"street": "s%d", "zip": %s}\n' % (n, b'"x"' if n % 3 == 1 else b"%d" % n)
        for n in range(100)
    )
    bad: list[DecodeError] = []
    seen = [
        (row.street, row.zip)
        for row in penstock.ndjson.read([lines], Address, all_errors=True, errors=bad.append)
    ]
    assert seen == [(f"s{n}", n) for n in range(100) if n % 3 != 1]
    assert [error.record for error in bad] == [n + 1 for n in range(100) if n % 3 == 1]


def test_a_collecting_reader_has_one_error_for_each_record() -> None:
    errors: list[ValidationError] = []
    try:
        list(penstock.ndjson.read([LINES[:77]], Address, all_errors=True, errors="collect"))
    except* ValidationError as group:
        errors.extend(error for error in group.exceptions if isinstance(error, ValidationError))
    assert [len(error.problems) for error in errors] == [2]


VERBS: dict[str, Callable[[bytes, bool], object]] = {
    "decode": lambda data, flag: penstock.decode(data, list[int], all_errors=flag),
    "json.decode": lambda data, flag: penstock.json.decode(data, list[int], all_errors=flag),
    "load": lambda data, flag: penstock.load([data], list[int], format="json", all_errors=flag),
    "json.load": lambda data, flag: penstock.json.load([data], list[int], all_errors=flag),
    "ndjson.decode": lambda data, flag: penstock.ndjson.decode(data, list[int], all_errors=flag),
    "ndjson.load": lambda data, flag: penstock.ndjson.load([data], list[int], all_errors=flag),
    "read": lambda data, flag: list(
        penstock.read([data], list[int], format="ndjson", all_errors=flag)
    ),
    "json.read": lambda data, flag: list(
        penstock.json.read([b"[%b]" % data], list[int], all_errors=flag)
    ),
    "ndjson.read": lambda data, flag: list(
        penstock.ndjson.read([data], list[int], all_errors=flag)
    ),
    "Decoder": lambda data, flag: fed(penstock.Decoder(list[int], all_errors=flag), b"[%b]" % data),
    "json.Decoder": lambda data, flag: fed(
        penstock.json.Decoder(list[int], all_errors=flag), b"[%b]" % data
    ),
    "ndjson.Decoder": lambda data, flag: fed(
        penstock.ndjson.Decoder(list[int], all_errors=flag), data
    ),
}


def fed(decoder: penstock.Decoder[Any], data: bytes) -> object:
    return [*decoder.feed(data), *decoder.finish()]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_of_json(verb: str) -> None:
    for flag, count in ((True, 2), (False, 1)):
        with pytest.raises(ValidationError) as caught:
            VERBS[verb](b'["a", 1, "b"]', flag)
        assert len(caught.value.problems) == count
    with pytest.raises(TypeError, match="all_errors must be a bool, not int"):
        VERBS[verb](b"[]", 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["decode", "load", "read", "Decoder"])
def test_every_verb_of_xml(name: str) -> None:
    data = b"<r><a><street/><zip>x</zip></a></r>"
    verbs: dict[str, Callable[[], object]] = {
        "decode": lambda: penstock.xml.decode(
            data, list[Address], all_errors=True, unknown="error"
        ),
        "load": lambda: penstock.xml.load([data], list[Address], all_errors=True),
        "read": lambda: list(penstock.xml.read([data], Address, all_errors=True)),
        "Decoder": lambda: fed(penstock.xml.Decoder(Address, all_errors=True), data),
    }
    with pytest.raises(ValidationError) as caught:
        verbs[name]()
    assert told(caught.value)[0][1] == 'expected int, got "x"'


def test_an_unused_decoder_keeps_it_through_a_pickle() -> None:
    import pickle

    decoder = pickle.loads(pickle.dumps(penstock.ndjson.Decoder(list[int], all_errors=True)))
    with pytest.raises(ValidationError) as caught:
        fed(decoder, b'["a", "b"]')
    assert len(caught.value.problems) == 2


# Leaks.


@pytest.mark.thread_unsafe(reason="what it counts is the whole process's")
@pytest.mark.parametrize("into", [Person, list[Person], Lists, Far, Made, dict[str, Person]])
def test_no_reference_is_lost(into: Any) -> None:
    documents = [
        '{"name": 1, "tags": ["a", 10001, {}], "address": {"street": "sss", "zip": []}, "pair": [1]}',
        '{"watched": [{"value": 10002}, {"value": -3}, {}], "total": ["b", 1]}',
        '{"unique": [10003, "a"], "fixed": [1, {"zip": "b"}], "points": [[1, "a"], [10004]]}',
        '{"geo": [{}], "names": [{"text": "ttt"}, {"text": 1}], "codes": [{"street": "c", "zip": 1}]}',
        '[{"name": "nnn"}, 3]',
        '{"geo": {"lat": "x"}, "sizes": {"a": 1.5, "b": "c"',
    ]

    def work() -> None:
        for document in documents:
            with contextlib.suppress(DecodeError):
                penstock.decode(document, into, all_errors=True, duplicates="error")
        MADE.clear()

    assert_nothing_left(work)


# Any damage.


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, part in value.items() for leaf in leaves(part, (*path, key))]
    if isinstance(value, list):
        return [leaf for index, part in enumerate(value) for leaf in leaves(part, (*path, index))]
    return [path]


def put(document: Any, path: tuple[Any, ...], value: Any) -> None:
    *way, last = path
    for step in way:
        document = document[step]
    document[last] = value


addresses = st.fixed_dictionaries({"street": st.text(max_size=4), "zip": st.integers()})
people = st.fixed_dictionaries(
    {
        "name": st.text(max_size=4),
        "age": st.integers(0, 2**70),
        "tags": st.lists(st.integers(), max_size=4),
        "address": addresses,
        "pair": st.tuples(st.integers(), st.text(max_size=3)).map(list),
        "sizes": st.dictionaries(
            st.text("abc/~*@", min_size=1, max_size=3), st.floats(0, 9), max_size=3
        ),
    }
)


def written(path: tuple[Any, ...]) -> str:
    escapes = {"~": "~0", "/": "~1", "*": "~2", "@": "~3"}
    return "/".join("".join(escapes.get(c, c) for c in str(step)) for step in path)


@settings(deadline=None)
@given(st.lists(people, min_size=1, max_size=3), st.data())
def test_as_many_problems_as_leaves_are_damaged(records: list[Any], data: st.DataObject) -> None:
    damage = copy.deepcopy(records)
    places = leaves(records)
    chosen = data.draw(st.lists(st.sampled_from(places), unique=True, max_size=10))
    wrong = data.draw(st.sampled_from([None, True, [], {}, [[1]], {"a": {"b": None}}]))
    for place in chosen:
        put(damage, place, wrong)
    document = json.dumps(damage)
    intact = penstock.decode(json.dumps(records), list[Person])
    if not chosen:
        assert penstock.decode(document, list[Person], all_errors=True) == intact
        return
    expected = [written(place) for place in places if place in chosen]
    with pytest.raises(ValidationError) as whole:
        penstock.decode(document, list[Person], all_errors=True)
    assert [problem.path for problem in whole.value.problems] == expected
    cut = data.draw(st.integers(1, len(document)))
    pieces = [document.encode()[:cut], document.encode()[cut:]]
    bad: list[DecodeError] = []
    good = list(penstock.json.read(pieces, Person, all_errors=True, errors=bad.append))
    assert good == [
        record for index, record in enumerate(intact) if all(place[0] != index for place in chosen)
    ]
    assert [problem.path for error in bad for problem in error.problems] == expected


def test_a_shuffled_record_has_the_same_problems() -> None:
    bad = {**PERSON, "age": "x", "tags": ["a"], "address": {"zip": None}, "extra": 1}
    shuffler = random.Random(1)
    for _ in range(20):
        items = list(bad.items())
        shuffler.shuffle(items)
        found = problems(json.dumps(dict(items)), Person, unknown="error")
        assert sorted(path for path, _ in found) == [
            "address",
            "address/zip",
            "age",
            "extra",
            "tags/0",
        ]


def test_unions_of_classes_in_json() -> None:
    assert problems(
        """[{"radius": 1, "kind": "circle"}, {"side": "a", "kind": "square"}, {"kind": "crcle"},
        {"radius": []}, {"kind": ["circle"], "radius": 2}, 3, {"kind": "circle"},
        {"radius": {"kind": "square"}, "kind": "circle"}]""",
        list[Circle | Square],
    ) == [
        ("1/side", "expected float, got a string"),
        ("2/kind", 'the key "kind" is "crcle", expected "circle" or "square"'),
        (
            "3",
            'expected Circle | Square, got an object without the key "kind" ("circle" or "square")',
        ),
        ("4/kind", 'the key "kind" is an array or an object, expected "circle" or "square"'),
        ("5", "expected Circle | Square, got the integer 3"),
        ("6", 'Circle lacks the required key "radius"'),
        ("7/radius", "expected float, got an object"),
    ]
    nested = '{"a": {"x": {"kind": 1}, "y": {}}, "b": 1, "c": {"z": {"side": 1, "kind": "square"}}}'
    assert problems(nested, dict[str, dict[str, Circle | Square]]) == [
        ("a/x/kind", 'the key "kind" is 1, expected "circle" or "square"'),
        (
            "a/y",
            'expected Circle | Square, got an object without the key "kind" ("circle" or "square")',
        ),
        ("b", "expected dict[str, Circle | Square], got the integer 1"),
    ]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_unions_of_classes_in_a_stream(size: int) -> None:
    lines = (
        b'{"side": 1, "kind": "square"}\n{"side": 1, "kind": "sqare"}\n{"side": [1], "kind": "square"}\n'
        b'{}\n{"kind": "circle", "radius": 3}\n'
    )
    chunks = [lines[start : start + size] for start in range(0, len(lines), size)]
    bad: list[DecodeError] = []
    shapes: Any = Circle | Square
    reader = penstock.ndjson.read(chunks, shapes, all_errors=True, errors=bad.append)
    assert list(reader) == [Square("square", 1.0), Circle("circle", 3.0)]
    assert [(error.record, len(error.problems), error.path) for error in bad] == [
        (2, 1, "kind"),
        (3, 1, "side"),
        (4, 1, None),
    ]


@pytest.mark.parametrize(
    ("format", "document", "behind"),
    [
        ("json", '{"value": "x"} junk', "expected the end of the document after the value, found"),
        ("json", '{"value": "x"}\n{"value": 1}', "expected the end of the document after the"),
        ("json", '"x" 1', "expected the end of the document after the value, found '1'"),
        ("xml", "<a><value>x</value></a> junk", "text after the root element"),
        ("json", '{"value": "x"} \n', None),
        ("xml", "<a><value>x</value></a> <!-- -->", None),
    ],
)
def test_what_stands_behind_a_document(format: Any, document: str, behind: str | None) -> None:
    @dataclass
    class Row:
        value: int

    pieces = [bytes([byte]) for byte in document.encode()]
    calls: list[Callable[..., Any]] = [
        lambda **it: penstock.decode(document, Row, format=format, **it),
        lambda **it: penstock.decode(document.encode(), Row, format=format, **it),
        lambda **it: penstock.load(pieces, Row, format=format, **it),
    ]
    for call in calls:
        with pytest.raises(penstock.ValidationError) as raised:
            call()
        assert len(raised.value.problems) == 1
        with pytest.raises(penstock.DecodeError) as all_raised:
            call(all_errors=True)
        first, *others = all_raised.value.problems
        assert (type(first), first.offset) == (penstock.ValidationError, raised.value.offset)
        if behind is None:
            assert others == []
        else:
            (last,) = others
            assert type(last) is type(all_raised.value) is penstock.MalformedInput
            assert last.reason.startswith(behind)
            assert (last.offset or 0) > (first.offset or 0)


def test_a_header_in_error_ends_a_table() -> None:
    @dataclass
    class Row:
        value: int

    calls: list[Callable[..., Any]] = [penstock.csv.decode, penstock.decode]
    for call in calls:
        options = {} if call is penstock.csv.decode else {"format": "csv"}
        with pytest.raises(penstock.ValidationError) as raised:
            call(b"other\n1\n2\n", Row if not options else list[Row], all_errors=True, **options)
        assert (raised.value.line, len(raised.value.problems)) == (1, 1)
