"""What `encode` writes is what `decode` reads, and what others read."""

from __future__ import annotations

import datetime
import enum
import gc
import ipaddress
import itertools
import json
import math
import pathlib
import signal
import struct
import sys
import weakref
import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import pydantic
import pytest
from catalogue import EXAMPLES, Money
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Plan, at, rest, tag, via

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment, unused-ignore]

encode, decode = penstock.json.encode, penstock.json.decode

# Nothing says how a value of theirs is written, or where.
REFUSED = {
    "own type": "[0]: nothing says how the value is written: give via(..., encode=...)",
    "own type that says so": "['a b']: nothing says how the value is written: give via(..., encode=...)",
    "registered type": "[0]: nothing says how the value is written: give via(..., encode=...)",
    "dataclass with __post_init__": "[0]: field 'start' is an InitVar, whose value no object keeps",
    "paths": "a path with an index or a '*' in the middle cannot be written: give the field a class of its own",
}


def state(value: Any) -> Any:
    """What an object is made of, for classes without `==`."""
    if isinstance(value, list):
        return [state(item) for item in value]
    return (type(value), vars(value)) if hasattr(value, "__dict__") else value


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_type_reads_back(name: str) -> None:
    example = EXAMPLES[name]
    value = decode(example.json, example.type)
    if name in REFUSED:
        with pytest.raises(penstock.EncodeError) as caught:
            encode(value, example.type)
        assert str(caught.value) == REFUSED[name]
        return
    text = encode(value, example.type)
    back = decode(text, example.type)
    assert repr(back) == repr(value) or state(back) == state(value)
    # Others read the same plain value as we do.
    assert json.loads(text, parse_float=Decimal) == json.loads(
        json.dumps(decode(text, dict[str, Any] if text[:1] == b"{" else Any)), parse_float=Decimal
    )


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=12), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(plain)
def test_plain_values_as_the_standard_library_writes_them(value: Any) -> None:
    text = encode(value)
    assert text.decode() == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert decode(text) == value


@given(plain)
def test_options_as_the_standard_library_has_them(value: Any) -> None:
    expected = json.dumps(value, indent=3, sort_keys=True)
    # The standard library has a line of its own for an empty container as well as we do.
    text = encode(value, indent=3, sort_keys=True, ascii=True).decode()
    assert text == expected + "\n"
    assert encode(value, ascii=True).isascii()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_those_of_repr(value: float) -> None:
    assert encode(value).decode() == repr(value)
    assert struct.pack("d", decode(encode(value), float)) == struct.pack("d", value)


@given(st.binary(max_size=70))
def test_bytes(value: bytes) -> None:
    for into in (
        bytes,
        Annotated[bytes, penstock.Hex],
        Annotated[bytes, penstock.Base64Url],
        Annotated[bytes, penstock.Base64Unpadded],
        Annotated[bytes, penstock.Base64Mime],
    ):
        assert decode(encode(value, into), into) == value
    assert encode(value) == b'"' + msgspec.json.encode(value).strip(b'"') + b'"'
    assert encode(value, binary="hex").decode() == f'"{value.hex()}"'


@given(
    st.datetimes(timezones=st.none() | st.timezones()),
    st.timedeltas(),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.uuids(),
)
def test_values_of_the_standard_library(
    moment: datetime.datetime, span: datetime.timedelta, number: Decimal, uuid: Any
) -> None:
    offset = moment.utcoffset()
    if offset is not None and offset % datetime.timedelta(minutes=1):
        with pytest.raises(penstock.EncodeError, match="RFC 3339 has no offset with seconds"):
            encode(moment)
    else:
        assert decode(encode(moment), datetime.datetime).isoformat() == moment.isoformat()
    iso = Plan(datetime.datetime, times="iso")
    assert decode(encode(moment, iso), iso).isoformat() == moment.isoformat()
    assert decode(encode(span), datetime.timedelta) == span
    assert decode(encode(number), Decimal).as_tuple() == number.as_tuple()
    assert decode(encode(number, decimals="text"), Decimal).as_tuple() == number.as_tuple()
    assert decode(encode(uuid), type(uuid)) == uuid


@dataclass(slots=True)
class Item:
    name: str
    price: float
    tags: list[str] = field(default_factory=list)
    note: str | None = None


@dataclass
class Order:
    number: Annotated[int, at("head/number")]
    city: Annotated[str, at("head/address/city")]
    items: list[Item]
    street: Annotated[str, at("head/address/street")] = ""
    labels: Annotated[list[str], at("labels/*")] = field(default_factory=list)
    more: Annotated[dict[str, Any], rest] = field(default_factory=dict)


def test_any_zone_that_shows_utc_is_written_alike() -> None:
    """The canonical form of equal values is equal."""
    noon = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
    zones = [datetime.UTC, zoneinfo.ZoneInfo("UTC"), zoneinfo.ZoneInfo("Europe/London")]
    written = {encode(noon.astimezone(zone), canonical=True) for zone in zones}
    assert written == {b'"2026-03-01T12:00:00Z"'}


def test_paths_share_the_objects_on_their_way() -> None:
    order = Order(7, "Bern", [Item("nut", 0.5)], "Gasse 3", ["a"], {"x": [1]})
    text = encode(order)
    assert text == (
        b'{"head":{"number":7,"address":{"city":"Bern","street":"Gasse 3"}},'
        b'"items":[{"name":"nut","price":0.5,"tags":[],"note":null}],"labels":["a"],"x":[1]}'
    )
    assert decode(text, Order) == order


def test_fields_may_be_left_out() -> None:
    item = Item("nut", 1.0, [], None)
    assert encode(item, omit="none") == b'{"name":"nut","price":1.0,"tags":[]}'
    assert encode(item, omit="defaults") == b'{"name":"nut","price":1.0}'
    assert encode(Item("nut", 1.0, ["x"], ""), omit="defaults") == (
        b'{"name":"nut","price":1.0,"tags":["x"],"note":""}'
    )
    with pytest.raises(ValueError, match=r"^omit must be 'none', 'defaults' or None, not 'all'$"):
        encode(item, omit="all")  # type: ignore[arg-type]


def test_a_function_undoes_another() -> None:
    way = via(Money.parse, encode=lambda money: f"{money.amount} {money.currency}")
    values = [Money.parse("10.50 CHF")]
    into = list[Annotated[Money, way]]
    assert encode(values, into) == b'["10.50 CHF"]'
    assert encode(values, list[Money], types={Money: way}) == b'["10.50 CHF"]'


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


@dataclass
class Later:
    kind: str
    x: int


def test_tags_are_written() -> None:
    into = list[Annotated[Circle | Square, tag("type", {"o": Circle, 4: Square})]]
    text = encode([Circle(1.0), Square(2)], into)
    assert text == b'[{"type":"o","radius":1.0},{"type":4,"side":2}]'
    assert decode(text, into) == [Circle(1.0), Square(2.0)]
    with pytest.raises(penstock.EncodeError) as caught:
        encode([Circle(1.0), Later("o", 1)], into)
    assert str(caught.value) == "[1]: expected Circle | Square, got Later"


def test_records_are_lines() -> None:
    items = [Item("a\nb", 1.5), {"x": 1}]
    assert penstock.ndjson.encode(items, omit="defaults") == (
        b'{"name":"a\\nb","price":1.5}\n{"x":1}\n'
    )
    assert penstock.ndjson.encode([], framing="sequence") == b""
    text = penstock.ndjson.encode([1, 2], framing="sequence")
    assert penstock.ndjson.decode(text, framing="sequence") == [1, 2]
    with pytest.raises(ValueError, match=r"^framing must be 'lines' or 'sequence', not 'none'$"):
        penstock.ndjson.encode([], framing="none")  # type: ignore[arg-type]


MESSAGES: list[tuple[Any, Any, str]] = [
    (Item("nut", "1"), None, "price: expected float, got str"),  # type: ignore[arg-type]
    (Item("nut", True), None, "price: expected float, got bool"),
    ({"a": [1, Item(None, 1.0)]}, None, "['a'][1].name: expected str, got NoneType"),  # type: ignore[arg-type]
    (object(), None, "object cannot be written"),
    ([1, {"a": int}], None, "[1]['a']: type cannot be written: type is not supported yet"),
    (math.nan, None, "JSON has no number for NaN"),
    (Decimal("-Infinity"), None, "JSON has no number for -infinity"),
    ("a\ud800", None, "the str has a lone surrogate, which no encoding has"),
    ({(1, 2): 3}, None, "[(1, 2)]: a key must be text or a scalar, not tuple"),
    ((1, 2, 3), tuple[int, int], "expected 2 items, got 3"),
    ([1, 2], set[str], "[0]: expected str, got int"),
    ("x", list[str], "expected list[str], got str"),
    (b"x", str, "expected str, got bytes"),
    ({"a": 1}, Item, "expected Item, got dict"),
]


@pytest.mark.parametrize(("value", "into", "message"), MESSAGES)
def test_what_cannot_be_written(value: Any, into: Any, message: str) -> None:
    with pytest.raises(penstock.EncodeError) as caught:
        encode(value, into)
    assert str(caught.value) == message
    assert (caught.value.path or "") == message.removesuffix(caught.value.reason).removesuffix(": ")


def test_cycles_have_a_path() -> None:
    value: dict[str, Any] = {"a": [1]}
    value["a"].append({"b": value["a"]})
    with pytest.raises(penstock.EncodeError) as caught:
        encode(value)
    assert str(caught.value) == "['a'][1]['b']: it contains itself: it is ['a']"
    deep: Any = []
    for _ in range(1_001):
        deep = [deep]
    with pytest.raises(penstock.EncodeError) as caught:
        encode(deep)
    assert caught.value.reason == "more than 1000 maps and lists inside one another (limits.depth)"
    assert caught.value.path == "[0]" * 20 + "..." + "[0]" * 5


class Raises:
    x: int

    def __getattr__(self, name: str) -> Any:
        if name == "x":
            raise RuntimeError("no x today")
        raise AttributeError(name)


def test_what_the_own_code_raises_is_the_cause() -> None:
    with pytest.raises(penstock.EncodeError) as caught:
        encode([Raises()])
    assert str(caught.value) == "[0].x: the attribute raises RuntimeError: no x today"
    assert isinstance(caught.value.__cause__, RuntimeError)

    class Stops(Raises):
        def __getattr__(self, name: str) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(Stops())
    assert encode([1]) == b"[1]"


def test_a_container_that_changes_while_it_is_written() -> None:
    values: dict[str, Any] = {}

    class Grows:
        x: int

        def __getattr__(self, name: str) -> Any:
            values[str(len(values))] = 1
            return 1

    values |= {"a": Grows(), "b": 2}
    with pytest.raises(
        penstock.EncodeError, match="the dict changed its size while it was written"
    ):
        encode(values)


def test_an_encoder_keeps_its_options() -> None:
    encoder = penstock.json.Encoder(list[Item], omit="defaults", indent=1)
    for name in ("a", "b"):
        assert encoder.encode([Item(name, 1.0)]) == (
            f'[\n {{\n  "name": "{name}",\n  "price": 1.0\n }}\n]\n'.encode()
        )
    with pytest.raises(penstock.EncodeError):
        encoder.encode([1])
    assert encoder.encode([]) == b"[]\n"
    for indent in (-1, 65):
        with pytest.raises(ValueError, match=r"^indent must be from 0 to 64, or a tab$"):
            penstock.json.Encoder(indent=indent)
    reason = "the canonical form has no indent, no ascii and no literal for NaN"
    with pytest.raises(ValueError, match=f"^{reason}$"):
        penstock.json.Encoder(canonical=True, indent=1)


def test_an_encoder_that_is_in_use_says_so() -> None:
    encoder = penstock.json.Encoder()

    class Calls:
        x: int

        def __getattr__(self, name: str) -> Any:
            return encoder.encode(1)

    with pytest.raises(penstock.EncodeError) as caught:
        encoder.encode(Calls())
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert encoder.encode(1) == b"1"


def test_much_text() -> None:
    items = [Item("é" * 30 + str(number), number / 7, ["x"] * 3) for number in range(20_000)]
    text = encode(items)
    assert len(text) > 2_000_000
    assert decode(text, list[Item]) == items
    # It has no wheel for each version of CPython that we have.
    if orjson is not None:
        assert orjson.loads(text) == json.loads(text)
    one = "x" * 3_000_000
    assert encode([one, one]) == f'["{one}","{one}"]'.encode()


def test_large_integers() -> None:
    large = 12345678901234567890123
    assert encode([large, -large, 2**63, -(2**63)]) == (
        b"[12345678901234567890123,-12345678901234567890123,9223372036854775808,-9223372036854775808]"
    )
    assert encode([2**53, 2**53 + 1, large], large_ints="text") == (
        b'[9007199254740992,"9007199254740993","12345678901234567890123"]'
    )
    assert encode([math.inf, -math.inf, math.nan], non_finite="null") == b"[null,null,null]"
    assert (
        encode([math.inf, -math.inf, math.nan], non_finite="literal") == b"[Infinity,-Infinity,NaN]"
    )


def test_a_class_that_changes_is_planned_again() -> None:
    class Row:
        x: int

    row = Row()
    row.x, row.y = 1, 2  # type: ignore[attr-defined]
    assert encode(row) == b'{"x":1}'
    Row.__annotations__ = {"x": int, "y": int}
    assert encode(row) == b'{"x":1,"y":2}'


def test_pydantic_says_how_its_own_are_written() -> None:
    class Root(pydantic.RootModel[list[int]]):
        pass

    class Checked(pydantic.BaseModel):
        x: int

        @pydantic.model_validator(mode="before")
        @classmethod
        def doubled(cls, value: Any) -> Any:
            return {"x": value["x"] * 2}

    class Serialised(pydantic.BaseModel):
        x: int

        @pydantic.field_serializer("x")
        def as_text(self, value: int) -> str:
            return str(value)

    class Open(pydantic.BaseModel, extra="allow"):
        x: int = pydantic.Field(alias="X")

    assert encode(Root([1, 2])) == b"[1,2]"
    assert encode([Checked(x=1)]) == b'[{"x":2}]'
    assert encode(Open.model_validate({"X": 1, "y": [2]})) == b'{"X":1,"y":[2]}'
    with pytest.raises(penstock.EncodeError) as caught:
        encode([Serialised(x=1)])
    assert str(caught.value) == "[0]: Serialised has serializers of its own: write its model_dump()"


@pytest.mark.thread_unsafe(reason="other threads keep what they use")
def test_classes_are_not_kept() -> None:
    def use() -> list[weakref.ref[Any]]:
        @dataclass
        class Row:
            x: int

        class Later:
            y: Any

        later = Later()
        later.y = penstock.json.Encoder()
        assert encode(Row(1)) == b'{"x":1}'
        assert later.y.encode([Row(1), Row(2)]) == b'[{"x":1},{"x":2}]'
        Row.encoder = later.y  # type: ignore[attr-defined]
        return [weakref.ref(Row), weakref.ref(Later), weakref.ref(later)]

    found = use()
    gc.collect()
    gc.collect()
    assert [reference() for reference in found] == [None, None, None]


def test_nothing_leaks() -> None:
    items = [Item("é" * 9, 1.5, ["x", "y"]), {"a": [1, 2**70]}, Order(1, "Bern", [])]
    wrong = [1, Item(1, 1.0)]  # type: ignore[arg-type]

    def work() -> None:
        encode(items)
        penstock.ndjson.encode(items, sort_keys=True)
        with pytest.raises(penstock.EncodeError):
            encode(wrong)

    work()
    gc.collect()
    before = len(gc.get_objects()), [sys.getrefcount(item) for item in [*items, *wrong, Item]]
    for _ in range(50):
        work()
    gc.collect()
    after = len(gc.get_objects()), [sys.getrefcount(item) for item in [*items, *wrong, Item]]
    assert abs(after[0] - before[0]) < 100
    assert after[1][:-2] == before[1][:-2]
    assert abs(after[1][-1] - before[1][-1]) < 20


class Untouched:
    """A class whose way back leads nowhere: its function returns what it was given."""


def test_conversions_without_end() -> None:
    Untouched.__penstock__ = via(lambda _: Untouched(), encode=lambda value: value)  # type: ignore[attr-defined]

    class Endless(enum.Enum):
        A = 1

    Endless.A._value_ = Endless.A  # type: ignore[assignment]

    class Root(pydantic.RootModel[Any]):
        pass

    root = Root(1)
    root.root = root
    message = "encode= returns a value that is converted again, without end"
    for value in (Untouched(), Endless.A, root):
        with pytest.raises(penstock.EncodeError) as caught:
            encode([value])
        assert str(caught.value) == f"[0]: {message}"


class Pair(NamedTuple):
    a: int | None
    b: int | None = None


def test_an_array_of_fields_is_never_shortened() -> None:
    for omit in ("none", "defaults"):
        text = encode([Pair(None, 1), Pair(1)], omit=omit)  # type: ignore[arg-type]
        assert text == b"[[null,1],[1,null]]"


def test_what_derived_classes_print_is_not_written() -> None:
    class Evil(Decimal):
        def __str__(self) -> str:
            return '1, "more": 2'

    class Number(int):
        def __repr__(self) -> str:
            return "2, 3"

        __str__ = __repr__

    assert encode({"a": Evil("1.50")}) == b'{"a":1.50}'
    assert encode({"a": Number(7), Number(8): 1, Evil("1.5"): 2}) == b'{"a":7,"8":1,"1.5":2}'
    assert encode(Number(7), int) == b"7"


def test_no_member_is_written_twice() -> None:
    for value, path in (
        ({1: "a", "1": "b"}, "[1]"),
        ({1.5: 1, Decimal("1.50"): 2, "1.5": 3}, "[1.5]"),
    ):
        with pytest.raises(penstock.EncodeError) as caught:
            encode(value)
        assert str(caught.value) == f"{path}: two keys of the dict are written as the same text"

    @dataclass
    class Open:
        a: int
        more: Annotated[dict[str, Any], rest]

    with pytest.raises(penstock.EncodeError) as caught:
        encode(Open(1, {"b": 1, "a": 2}))
    assert caught.value.reason == "the rest has the key 'a' of a field"


def test_a_path_must_be_one() -> None:
    for value, into in ((5, pathlib.PurePosixPath), (5, ipaddress.IPv4Address), ([], Fraction)):
        with pytest.raises(penstock.EncodeError) as caught:
            encode(value, into)
        assert str(caught.value) == f"expected {into.__name__}, got {type(value).__name__}"


@pytest.mark.thread_unsafe(reason="a signal is the process's")
def test_an_endless_iterable_can_be_interrupted() -> None:
    def alarm(*_: object) -> None:
        raise TimeoutError("long enough")

    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(TimeoutError, match="long enough"):
            encode(itertools.repeat("x" * 99), Iterable[str])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Rank(enum.IntEnum):
    LOW = 1


def test_a_plain_number_counts_as_the_equal_member_of_an_int_enum() -> None:
    for of in (Rank, Literal[Rank.LOW, 2]):
        text = penstock.json.encode([1], list[of])  # type: ignore[valid-type]
        assert text == penstock.json.encode([Rank.LOW], list[of])  # type: ignore[valid-type]
        (read,) = penstock.json.decode(text, list[of])  # type: ignore[valid-type]
        assert read is Rank.LOW
