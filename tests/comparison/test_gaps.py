"""Cases where Penstock is right and a peer is wrong or lacks the feature.

Each test is named for the behaviour, and its docstring says which peer behaves differently: msgspec
0.22, pydantic 2.14, orjson 3.13, ijson 3.6, pysimdjson 7, cattrs 26.2, mashumaro 3.23, the standard
library. The table of `docs/comparison.md` runs the peers; here only Penstock runs.
"""

import asyncio
import collections
import datetime
import decimal
import ipaddress
import json as standard
import math
import pathlib
import pickle
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import InitVar, dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import attrs
import pytest
from asked_types import Cat, Circle, Dog, Square
from fresh import printed

import penstock
from penstock import (
    DecodeError,
    LimitExceeded,
    Limits,
    MalformedInput,
    Plan,
    TruncatedInput,
    ValidationError,
    json,
    ndjson,
    via,
    xml,
)


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Person:
    first_name: str


# Classes, as they are.


def test_a_class_with_annotations_only():
    """Msgspec, pydantic, cattrs and mashumaro refuse it."""

    class Station:
        name: str
        height: int

    station = json.decode('{"name": "Bern", "height": 540}', Station)
    assert (type(station), vars(station)) == (Station, {"name": "Bern", "height": 540})


def test_nothing_is_written_onto_the_class():
    """Msgspec leaves `__msgspec_cache__` on the user's class."""

    @dataclass
    class Untouched:
        x: int

    before = dict(vars(Untouched))
    json.decode('{"x": 1}', Untouched)
    assert dict(vars(Untouched)) == before


def test_a_field_that_is_not_an_argument_is_not_filled_from_the_input():
    """Msgspec fills `init=False` fields from the input."""

    @dataclass
    class Account:
        name: str
        is_admin: bool = field(init=False, default=False)

    assert json.decode('{"name": "a", "is_admin": true}', Account).is_admin is False


def test_arguments_that_are_not_fields():
    """Msgspec refuses InitVar; cattrs and mashumaro ignore the input's value."""

    @dataclass
    class Scaled:
        x: int
        factor: InitVar[int] = 1

        def __post_init__(self, factor: int) -> None:
            self.x *= factor

    assert json.decode('{"x": 2, "factor": 10}', Scaled).x == 20


def test_the_class_s_own_init_is_called():
    """Msgspec and pydantic skip it silently."""

    @dataclass(init=False)
    class Doubled:
        x: int

        def __init__(self, x: int) -> None:
            self.x = 2 * x

    assert json.decode('{"x": 2}', Doubled).x == 4


def test_the_class_s_own_setattr_is_called():
    """Msgspec and pydantic bypass it."""
    seen = []

    @dataclass
    class Watched:
        x: int

        def __setattr__(self, name: str, value: object) -> None:
            seen.append((name, value))
            object.__setattr__(self, name, value)

    assert json.decode('{"x": 2}', Watched).x == 2
    assert seen == [("x", 2)]


def test_attrs_converters_run():
    """Msgspec stores the value unconverted; pydantic and mashumaro refuse attrs classes."""

    @attrs.define
    class Named:
        name: str = attrs.field(converter=str.strip)

    assert json.decode('{"name": " a "}', Named) == Named("a")


def test_attrs_factories_that_take_the_object():
    """Msgspec refuses them; pydantic and mashumaro refuse attrs classes."""

    @attrs.define
    class Span:
        begin: int
        end: int = attrs.Factory(lambda self: self.begin + 1, takes_self=True)

    assert json.decode('{"begin": 1}', Span) == Span(1, 2)


def test_attrs_private_names():
    """Msgspec and cattrs ask for the key `_key`; pydantic and mashumaro refuse attrs classes."""

    @attrs.define
    class Secret:
        _key: str

    assert json.decode('{"key": "a"}', Secret) == Secret("a")


def test_a_named_tuple_from_an_object():
    """Msgspec takes arrays only; cattrs and mashumaro need an option."""

    class Pair(NamedTuple):
        x: int
        y: int = 5

    assert json.decode('[{"x": 1}, [2, 3]]', list[Pair]) == [Pair(1), Pair(2, 3)]


def test_a_typed_dict_of_typing():
    """Pydantic wants that of typing_extensions before Python 3.12."""

    class Options(TypedDict):
        verbose: bool

    assert json.decode('{"verbose": true}', Options) == {"verbose": True}


# Unions.


def test_unions_of_dataclasses():
    """Msgspec refuses more than one class that is not a Struct (msgspec#982)."""
    assert json.decode('{"kind": "square", "side": 2}', Circle | Square) == Square("square", 2)
    assert json.decode('{"name": "a", "barks": 2}', Cat | Dog) == Dog("a", 2)


def test_the_key_that_decides_may_be_last():
    """Only msgspec's Structs and libraries that build dicts first can do that."""
    text = '[{"skipped": {"kind": [1, 2]}, "size": 1, "side": 3, "kind": "square"}]'
    assert json.decode(text, list[Circle | Square]) == [Square("square", 3)]


def test_unions_of_strings_and_what_is_written_as_one():
    """Msgspec refuses `datetime | str`; pydantic and cattrs give a `str` for both."""
    made = json.decode('["2026-03-01T12:30:00Z", "soon"]', list[str | datetime.datetime])
    assert made == [datetime.datetime(2026, 3, 1, 12, 30, tzinfo=datetime.UTC), "soon"]


def test_classes_of_one_shape_told_apart_without_touching_them():
    """Msgspec needs `tag=` on a Struct (msgspec#106, #582)."""

    @dataclass
    class Created:
        id: int

    @dataclass
    class Deleted:
        id: int

    plan = Plan(Created | Deleted, tag="event")
    assert json.decode('{"id": 1, "event": "Deleted"}', plan) == Deleted(1)


# Values, exactly.


@pytest.mark.parametrize(
    "digits", ["1.10", "0.1", "12345678901234567890.123456789", "1E+400", "-0.0"]
)
def test_a_decimal_is_its_digits(digits: str):
    """Pydantic goes through a double (pydantic#9180), mashumaro through its binary digits."""
    made = json.decode(digits, decimal.Decimal)
    assert made.as_tuple() == decimal.Decimal(digits).as_tuple()


def test_integers_of_any_size():
    """Orjson makes floats of what is above 2^64 - 1 (orjson#444), pysimdjson fails."""
    value = 2**64 + 1
    assert json.decode(str(value)) == value
    assert type(json.decode(str(value))) is int


def test_integers_beyond_the_interpreter_s_own_limit():
    """All others stop at 4,300 digits, with any option."""
    digits = "1" + "0" * 9_999
    assert json.decode(digits, int, limits=Limits(number=10_000)) == 10**9_999


def test_a_number_beyond_a_double_is_not_infinity():
    """Pydantic, ijson and the standard library give `inf`."""
    with pytest.raises(ValidationError, match="beyond the range of a double"):
        json.decode("1e400", float)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "nan"])
def test_what_is_no_number_is_refused(text: str):
    """Pydantic, the standard library and ijson accept it by default."""
    with pytest.raises(MalformedInput):
        json.decode(text, float)
    with pytest.raises(MalformedInput):
        json.decode(f'{{"x": 1, "skipped": {text}}}', Point)


def test_the_smallest_doubles():
    """Checks that the exactness of the last tests did not break these."""
    assert json.decode("5e-324", float) == math.ulp(0.0)
    assert json.decode("1.7976931348623157e308", float) == sys.float_info.max


@pytest.mark.parametrize(
    ("text", "into"),
    [('"1"', int), ("1.0", int), ("true", int), ("1", bool), ('"1.5"', float), ("7", str)],
)
def test_nothing_is_converted_silently(text: str, into: type):
    """Mashumaro and cattrs convert all of these, pydantic most."""
    with pytest.raises(ValidationError):
        json.decode(text, into)


def test_a_moment_is_never_rounded():
    """Msgspec rounds to microseconds, pydantic, cattrs and mashumaro cut."""
    with pytest.raises(ValidationError):
        json.decode('"2026-03-01T12:30:00.123456789Z"', datetime.datetime)
    exact = json.decode('"2026-03-01T12:30:00.123456000Z"', datetime.datetime)
    assert exact.microsecond == 123456


def test_time_zones_are_those_of_the_standard_library():
    """Pydantic uses a class of its own."""
    moment = json.decode('"2026-03-01T12:30:00+02:00"', datetime.datetime)
    assert type(moment.tzinfo) is datetime.timezone
    assert moment == pickle.loads(pickle.dumps(moment))


def test_durations_of_iso_8601():
    """Cattrs and mashumaro refuse them."""
    assert json.decode('"P1DT2H"', datetime.timedelta) == datetime.timedelta(days=1, hours=2)


def test_bytes_are_base64():
    """Pydantic takes the text's UTF-8 by default; cattrs reads base85, where this is garbage."""
    assert json.decode('"aGk="', bytes) == b"hi"


def test_types_of_the_standard_library():
    """Msgspec wants a hook for each."""
    deque = json.decode("[1]", collections.deque[int])
    grouped = json.decode('{"a": [1]}', collections.defaultdict[str, list[int]])
    address = json.decode('"10.0.0.1"', ipaddress.IPv4Address)
    path = json.decode('"a/b"', pathlib.PurePosixPath)
    assert (deque, grouped["b"]) == (collections.deque([1]), [])
    assert (address, path) == (ipaddress.IPv4Address("10.0.0.1"), pathlib.PurePosixPath("a/b"))


def test_types_without_a_hook():
    """Cattrs' converter for JSON has none for these."""
    key = "12345678-1234-5678-1234-567812345678"
    assert json.decode(f'"{key}"', uuid.UUID) == uuid.UUID(key)
    assert json.decode("1.10", decimal.Decimal) == decimal.Decimal("1.10")
    assert json.decode('"12:30:00"', datetime.time) == datetime.time(12, 30)


def test_a_default_factory_is_the_plain_class():
    """Cattrs and mashumaro make it `list[int]`, which does not compare or print like `list`."""
    made = json.decode('{"a": [1]}', collections.defaultdict[str, list[int]])
    assert made.default_factory is list


# Options beside the class.


def test_keys_renamed_beside_a_dataclass():
    """Msgspec: Structs only (msgspec#372, #553); pydantic: an alias in the class."""
    assert json.decode('{"firstName": "a"}', Plan(Person, rename="camel")) == Person("a")


def test_unknown_keys_refused_for_a_dataclass():
    """Msgspec: Structs only; pydantic and mashumaro: a configuration in the class."""
    with pytest.raises(ValidationError, match="lastName"):
        json.decode('{"first_name": "a", "lastName": "b"}', Person, unknown="error")


def test_a_function_for_each_type():
    """Msgspec has one hook for all (msgspec#528)."""

    class Money:
        def __init__(self, text: str) -> None:
            self.amount = decimal.Decimal(text)

    class Angle:
        def __init__(self, degrees: float) -> None:
            self.radians = math.radians(degrees)

    @dataclass
    class Order:
        price: Money
        turn: Annotated[float, via(math.radians, float)]

    types = {Money: via(Money, str), Angle: via(Angle, float)}
    order = json.decode('{"price": "1.10", "turn": 180}', Order, types=types)
    assert (order.price.amount, order.turn) == (decimal.Decimal("1.10"), math.pi)


@pytest.mark.parametrize(
    ("rule", "made"), [("last", Point(2)), ("first", Point(1)), ("error", None)]
)
def test_a_key_twice(rule: Literal["last", "first", "error"], made: Point | None):
    """The last one wins in msgspec, pydantic, orjson, pysimdjson, ijson; none has an option."""
    text = '{"x": 1, "x": 2}'
    if made is not None:
        assert json.decode(text, Point, duplicates=rule) == made
        return
    with pytest.raises(ValidationError, match="x"):
        json.decode(text, Point, duplicates=rule)


# What is checked.


@pytest.mark.parametrize(
    "data",
    [
        b'{"x": 1, "skipped": "\xff\xfe"}',
        b'{"x": 1, "\xff": 1}',
        b'{"x": 1, "skipped": ["\xed\xa0\x80"]}',
    ],
)
def test_utf_8_is_checked_where_nothing_is_wanted(data: bytes):
    """Msgspec decodes these."""
    with pytest.raises(MalformedInput):
        json.decode(data, Point)


def test_half_a_pair_of_surrogates_is_malformed_and_not_the_end():
    r"""Msgspec calls `"\ud83d"` truncated; the standard library returns half a character."""
    with pytest.raises(MalformedInput):
        json.decode(rb'"\ud83d"', str)


@pytest.mark.parametrize("text", ["[\f1]", "[\v1]", "[\uff11]", "[+1]", "[0.e1]", "[01]", "[1,]"])
def test_the_grammar_is_that_of_the_standard(text: str):
    """Ijson takes a form feed; its Python backend `+1`, `0.e1` and digits of other scripts."""
    with pytest.raises(MalformedInput):
        json.decode(text)


def test_all_bad_input_is_one_class_of_exception():
    """Msgspec lets UnicodeDecodeError (msgspec#714) and RecursionError out."""
    bad: list[tuple[bytes, Any]] = [
        (b"[1,", list[int]),
        (b"[1}", list[int]),
        (b'["\xff"]', list[str]),
        (b'["a"]', list[int]),
        (b"[1e400]", list[float]),
        (b"1" * 100_000, int),
        (b"", int),
        (b"[" * 100_000, Any),
        (b'{"a":' * 100_000, dict),
    ]
    for data, into in bad:
        with pytest.raises(DecodeError) as caught:
            json.decode(data, into)
        assert isinstance(caught.value, ValueError)


def test_depth_does_not_depend_on_the_caller():
    """In msgspec, whether 512 levels fit depends on the depth of the caller's stack."""

    def within(calls: int) -> object:
        return within(calls - 1) if calls else json.decode(b"[" * 512 + b"]" * 512)

    assert repr(within(sys.getrecursionlimit() - 300))[:4] == "[[[["


def test_memory_is_linear_in_depth():
    """Ijson needs memory of the square of the depth: 626 MiB for 16 KB of brackets."""
    program = """
import penstock
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
before = peak()
try:
    penstock.json.decode(b"[" * 1_000_000)
except penstock.LimitExceeded:
    pass
depth = 100_000
limits = penstock.Limits(depth=depth + 1)
data = b'{"skipped":' + b"[" * depth + b"]" * depth + b',"x":7}'
for record in penstock.json.read([data], int, at="x", limits=limits):
    print(record)
print(peak() - before)
"""
    record, kib = printed(program).split()
    assert record == "7"
    assert int(kib) < 64 * 1024


# What an error says.


def test_the_place_of_a_value_that_does_not_fit():
    """None of them has a line or column for it (pydantic-core#187)."""
    with pytest.raises(ValidationError) as caught:
        json.decode('[\n {"x": 1},\n {"x": "a"}\n]', list[Point])
    assert (caught.value.line, caught.value.column, caught.value.path) == (3, 8, "1/x")


def test_the_place_of_what_is_not_json():
    """Msgspec has a byte offset only, pysimdjson nothing."""
    with pytest.raises(MalformedInput) as caught:
        json.decode('[\n {"x": ?}\n]', list[Point])
    assert (caught.value.line, caught.value.column, caught.value.offset) == (2, 8, 9)


def test_the_path_has_the_keys_of_dicts():
    """Msgspec says `$[...].x`."""
    with pytest.raises(ValidationError) as caught:
        json.decode('{"home": [{"x": 1}, {"x": "a"}]}', dict[str, list[Point]])
    assert caught.value.path == "home/1/x"


def test_all_problems_of_a_record():
    """Msgspec stops at the first (msgspec#721, #1158)."""
    with pytest.raises(ValidationError) as caught:
        json.decode('{"x": "a", "y": "b"}', Point, all_errors=True)
    assert [each.path for each in caught.value.problems] == ["x", "y"]


def test_an_error_crosses_to_another_process():
    """Exceptions with arguments of their own often cannot be pickled."""
    with pytest.raises(ValidationError) as caught:
        json.decode('{"x": "a"}', Point)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.path, copy.line) == (str(caught.value), "x", 1)


def test_a_line_in_errors_of_xml():
    """Pydantic-xml had to build it (pydantic-xml#81)."""
    with pytest.raises(ValidationError) as caught:
        xml.decode("<p>\n <x>a</x>\n</p>", Point)
    assert (caught.value.line, caught.value.path) == (2, "p/x")


# Data that is not one document in memory.


def test_chunks():
    """Msgspec wants the whole message (msgspec#498, #167), orjson and pydantic too."""
    data = b'[{"x": 1}, {"x": 23}]'
    decoder = penstock.json.Decoder(Point)
    made = [point for i in range(len(data)) for point in decoder.feed(data[i : i + 1])]
    assert [*made, *decoder.finish()] == [Point(1), Point(23)]


def test_records_of_an_array_before_its_end():
    """No Python library gives typed ones (pydantic#9874, serde_json#404)."""

    def arriving() -> Iterator[bytes]:
        yield b'[{"x": 1}, {"x": 2'
        pytest.fail("it was not asked for yet")

    assert next(json.read(arriving(), Point)) == Point(1)


def test_records_that_arrive_in_a_coroutine():
    """Asked for in pydantic#9874 and msgspec#167."""

    async def arriving() -> AsyncIterator[bytes]:
        yield b'[{"x": 1}, {"x"'
        await asyncio.sleep(0)
        yield b": 2}]"

    async def points() -> list[Point]:
        return [point async for point in penstock.aio.read(arriving(), Point, format="json")]

    assert asyncio.run(points()) == [Point(1), Point(2)]


def test_lines_one_at_a_time(tmp_path: pathlib.Path):
    """Msgspec makes one list of all; pydantic, orjson ("No") and pysimdjson (#71) have none."""
    path = tmp_path / "points.ndjson"
    path.write_bytes(b'{"x": 1}\n{"x": 2}\n')
    with ndjson.read(path, Point) as points:
        assert next(points) == Point(1)
        assert next(points) == Point(2)


def test_a_part_of_a_document():
    """Msgspec needs types from the root on (msgspec#265)."""
    data = b'{"meta": {"n": 2}, "data": {"items": [{"x": 1}, {"x": 2}]}}'
    assert list(json.read([data], Point, at="data/items/*")) == [Point(1), Point(2)]


def test_stopping_at_the_first_match():
    """Asked for in msgspec#169 and #702."""
    asked = 0

    def arriving() -> Iterator[bytes]:
        nonlocal asked
        yield b"["
        for number in range(1_000):
            asked = number
            yield b'{"x": %d},' % number

    found = next(point for point in json.read(arriving(), Point) if point.x == 3)
    assert (found, asked < 10) == (Point(3), True)


def test_what_was_there_before_the_end_was_cut_off():
    """The others return nothing of a truncated document; glaze#2406 asks for it."""
    read = json.read([b'[{"x": 1}, {"x": 2}, {"x'], Point)
    assert [next(read), next(read)] == [Point(1), Point(2)]
    with pytest.raises(TruncatedInput):
        next(read)


def test_records_in_error_are_skipped_and_counted():
    """The others cannot decode a list with one bad record."""
    reader = json.read([b'[{"x": 1}, {"x": "a"}, {"x": 3}]'], Point, errors="skip")
    assert (list(reader), reader.skipped) == ([Point(1), Point(3)], 1)


def test_a_limit_has_a_name():
    """The others fail in their own ways, or not at all."""
    with pytest.raises(LimitExceeded, match=r"limits\.depth"):
        json.decode(b"[" * 2_000)


def test_one_class_for_two_formats():
    """Msgspec has no XML; pydantic-xml and xsdata have classes of their own."""
    text = standard.dumps({"x": 1, "y": 2})
    assert json.decode(text, Point) == xml.decode("<p><x>1</x><y>2</y></p>", Point) == Point(1, 2)
