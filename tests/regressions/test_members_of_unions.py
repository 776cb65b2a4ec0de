"""Members of unions that were told apart in one direction only."""

import contextlib
import dataclasses
import datetime
import enum
import gc
import ipaddress
import signal
import time
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

import pyarrow as pa
import pydantic
import pytest

import penstock
from penstock import EncodeError, PlanError, csv, json, ndjson, plist, separated, xml


class Size(enum.Enum):
    ONE = 1
    TWO = 2


class Bits(enum.IntFlag):
    R = 1
    W = 2


class Point(pydantic.BaseModel):
    g: int
    h: str | None = None


class Row(NamedTuple):
    j: int
    k: str = "q"


@dataclasses.dataclass
class Plain:
    x: int
    y: str = "q"


def test_771_an_enum_of_integers_beside_int() -> None:
    """`1` of `Size | int` was read back as `Size.ONE`, and `Size.ONE` itself was refused."""
    of: Any = Size | int
    for form in (json, plist):
        for type_, of_value in (
            (of, lambda value: value),
            (list[of], lambda value: [value]),
            (set[of], lambda value: {value}),
            (dict[of, str], lambda value: {value: "x"}),
        ):
            for value in (Size.ONE, Size.TWO, 3, 10**15):
                whole = of_value(value)
                assert form.decode(form.encode(whole, type_), type_) == whole
            with pytest.raises(EncodeError, match=r"would be read back as <Size\.ONE: 1>$"):
                form.encode(of_value(1), type_)
    holder = dataclasses.make_dataclass("Holder", [("d", of)])
    for encode, decode in (
        (lambda it: xml.encode(it, holder), lambda text: xml.decode(text, holder)),
        (lambda it: csv.encode([it], holder), lambda text: csv.decode(text, holder)[0]),
        (lambda it: penstock.plain(it, holder), lambda it: penstock.make(it, holder)),
    ):
        assert decode(encode(holder(Size.ONE))) == holder(Size.ONE)
        assert decode(encode(holder(7))) == holder(7)
        with pytest.raises(EncodeError, match=r"d: its text would be read back as <Size\.ONE: 1>"):
            encode(holder(1))


def test_772_an_enum_of_integers_beside_int_is_taken_as_it_is() -> None:
    """`make` refused a member of the Enum as a key, because `int` took the place of both."""
    assert penstock.make({Size.TWO: 1, 5: 2}, dict[Size | int, int]) == {Size.TWO: 1, 5: 2}
    assert penstock.make([Size.TWO, 5, 1], list[Size | int]) == [Size.TWO, 5, Size.ONE]


def test_773_what_pydantic_decides_with_all_digits() -> None:
    """Flags beside `int` and `Decimal` were read back as an int, and a model there was a list of pairs."""
    of: Any = Decimal | int | Bits
    model = pydantic.create_model("M", d=(of, ...))
    for form in (json, plist):
        with pytest.raises(EncodeError, match=r"^d: pydantic would make 3 of it$"):
            form.encode(model(d=Bits.R | Bits.W))
        for value in (3, Decimal("1.50")):
            assert form.decode(form.encode(model(d=value)), model) == model(d=value)
    mixed = pydantic.create_model(
        "N", d=(Point | Annotated[int, pydantic.Field(gt=3)] | Decimal, ...)
    )
    held = mixed(d=Point(g=1))
    assert json.encode(held) == b'{"d":{"g":1,"h":null}}'
    assert json.decode(json.encode(held), mixed) == held
    keys = pydantic.create_model("K", d=(dict[Decimal | Bits | int, int], ...))
    with pytest.raises(EncodeError, match=r"^d: pydantic would "):
        json.encode(keys(d={Bits.R: 1}))


@pytest.mark.parametrize("other", [Row, Plain])
def test_774_other_classes_beside_a_model(other: Any) -> None:
    """An empty text in a class beside a model was written into XML, and refused when read."""
    model = pydantic.create_model("M", d=(Point | other, ...))
    with pytest.raises(EncodeError, match=r"^d: pydantic would refuse what is written$"):
        xml.encode(model(d=other(2, "")))
    for value in (other(2, "a"), Point(g=1), Point(g=1, h="a")):
        assert xml.decode(xml.encode(model(d=value)), model) == model(d=value)
    assert json.decode(json.encode(model(d=other(2, ""))), model) == model(d=other(2, ""))


def test_775_none_as_an_item_of_one_text() -> None:
    """None of `Kind | None` was an empty item, which is the member whose value is None."""

    class Kind(enum.Enum):
        A = "a"
        HALF = 0.5
        NOTHING = None

    items: Any = Annotated[list[Kind | None], separated("|")]
    holder = dataclasses.make_dataclass("Holder", [("d", items)])
    for encode in (xml.encode, lambda whole, of: csv.encode([whole], of)):
        with pytest.raises(
            EncodeError, match="an empty item would be read as another value than None"
        ):
            encode(holder([Kind.A, None]), holder)
    whole = holder([Kind.A, Kind.HALF])
    assert xml.decode(xml.encode(whole, holder), holder) == whole
    assert csv.decode(csv.encode([whole], holder), holder) == [whole]
    field = dataclasses.make_dataclass("Field", [("d", Kind | None)])
    for form in (json, ndjson):
        with pytest.raises(
            EncodeError, match=r"^d: None would be read back as the member of that value"
        ):
            form.encode(field(None) if form is json else [field(None)], field)


def test_776_keys_of_a_field_that_is_left_to_pydantic() -> None:
    """`make` took only text as keys there, although pydantic takes its own."""
    model = pydantic.create_model("M", d=(dict[bool, int], ...))
    made = penstock.make({"d": {True: 1}}, model, from_attributes=True)
    assert isinstance(made.d, Mapping)
    assert made == model(d={True: 1})
    digits = pydantic.create_model("N", d=(dict[Decimal, int], ...))
    assert penstock.make({"d": {Decimal("1.5"): 1}}, digits) == digits(d={Decimal("1.5"): 1})


def test_777_a_network_is_no_list_of_addresses() -> None:
    """An IPv4Network beside a list was written as the list of its addresses."""
    network = ipaddress.IPv4Network("10.0.0.0/30")
    address = ipaddress.IPv4Address
    for of in (list[address] | ipaddress.IPv4Network, set[address] | ipaddress.IPv4Network | int):
        for form in (json, plist):
            assert form.encode(network, of) == form.encode(str(network))
            assert form.decode(form.encode(network, of), of) == network
        assert penstock.make(network, of) == network


def test_778_values_of_property_lists_beside_decimals_in_pydantic() -> None:
    """A date, or bytes, beside a Decimal that pydantic decides about were refused by the reader."""
    when = datetime.datetime(2024, 2, 1, 12, 2, 3, tzinfo=datetime.UTC)
    of: Any = datetime.datetime | Price | Decimal
    model = pydantic.create_model("M", d=(of, ...))
    for form in ("xml", "binary", "gnustep"):
        for value in (when, Decimal("1.5")):
            text = plist.encode(model(d=value), form=form)
            assert plist.decode(text, model) == model(d=value)


@contextlib.contextmanager
def alarm_after(seconds: float) -> Iterator[None]:
    """Raise `AlarmError` after some time, and expect it."""

    def ring(*_: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    # An exception in a callback of the collector would be lost.
    gc.disable()
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        with pytest.raises(AlarmError):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.enable()
        signal.signal(signal.SIGALRM, before)


class AlarmError(BaseException):
    """What the alarm raises."""


@pytest.mark.thread_unsafe(reason="it sets an alarm")
@pytest.mark.parametrize("verb", ["read", "columns"])
def test_779_a_list_of_what_comes_in_pieces_answers_signals(verb: str) -> None:
    """The rows of one large batch, and many small batches, were a list before a signal was answered."""
    if verb == "read":
        table = pa.RecordBatch.from_arrays([pa.nulls(300_000)], ["a"])
        pieces: Iterator[object] = penstock.read(table, dict[str, Any])
    else:
        pieces = iter(penstock.columns([b'{"a":1}\n' * 100_000], format="ndjson", rows=10))
    with alarm_after(0.005):
        list(pieces)
    assert next(pieces)


@pytest.mark.thread_unsafe(reason="it sets an alarm")
def test_780_plain_answers_signals() -> None:
    """`plain` made all of its values first."""
    objects = [Plain(1)] * 200_000
    begun = time.monotonic()
    penstock.plain(objects, list[Plain])
    whole, begun = time.monotonic() - begun, time.monotonic()
    with alarm_after(whole / 10):
        penstock.plain(objects, list[Plain])
    assert time.monotonic() - begun < whole * 0.7


def test_781_members_whose_values_are_lists_where_all_is_text() -> None:
    """Such a member was written into a property list of text, and refused when read."""

    class Pair(enum.Enum):
        LOW = (1, 2)
        NAMES = ("a", "b")

    for form in ("xml", "binary", "gnustep"):
        for member in Pair:
            assert plist.decode(plist.encode([member], list[Pair], form=form), list[Pair]) == [
                member
            ]
    text = plist.encode([Pair.NAMES], list[Pair], form="openstep")
    assert plist.decode(text, list[Pair]) == [Pair.NAMES]
    with pytest.raises(
        EncodeError, match=r"^\[0\]: in this form all is text, and it would be read"
    ):
        plist.encode([Pair.LOW], list[Pair], form="openstep")


class Price(enum.Enum):
    HALF = Decimal("0.5")
    ONE = Decimal(1)


class Priced(pydantic.BaseModel):
    at: Price | Decimal


class Named(pydantic.BaseModel):
    of: dict[str, int] | Plain


def test_782_what_pydantic_decides_knows_the_options_of_the_writer() -> None:
    """Only what is written by the usual options was shown to pydantic."""
    priced = Priced(at=Price.ONE)
    with pytest.raises(EncodeError, match=r"^at: pydantic would "):
        json.encode(priced, decimals="text")
    named = Named(of=Plain(0))
    assert json.decode(json.encode(named), Named) == named
    with pytest.raises(EncodeError, match=r"^of: pydantic would "):
        json.encode(named, omit="defaults")
    with pytest.raises(EncodeError, match=r"^of: pydantic would "):
        ndjson.encode([named], omit="defaults")
    with pytest.raises(EncodeError, match=r"^of: pydantic would "):
        penstock.encode(named, format="json", omit="defaults")


class Level(enum.IntEnum):
    LOW = 1


class Name(enum.StrEnum):
    X = "x"


def test_789_two_values_of_a_literal_that_no_document_tells_apart() -> None:
    """The second one was written, and read back as the first."""
    for of, one, more in (
        (Literal[1, Level.LOW], "1", "Level.LOW"),
        (Literal[Level.LOW, 1], "Level.LOW", "1"),
        (Literal["x", Name.X], "'x'", "Name.X"),
    ):
        with pytest.raises(PlanError, match=f"nothing tells {one} and {more} apart in a document"):
            json.decode(b"1", of)
    assert json.decode(b"1", Literal[Level.LOW, 2]) is Level.LOW
    assert json.decode(b"1", Literal[1, True]) == 1


class Word(enum.Enum):
    NAME = "name"
    OTHER = "other"


@dataclasses.dataclass
class Labelled:
    name: int


@dataclasses.dataclass
class Circle:
    kind: Literal["circle"]
    r: int = 0


@dataclasses.dataclass
class Square:
    kind: Literal["square"]
    r: int = 0


class Shape(enum.Enum):
    CIRCLE = "circle"
    OVAL = "oval"


class Key(enum.Enum):
    KIND = "kind"


def test_790_a_dict_is_told_from_objects_by_its_keys_as_they_are_written() -> None:
    """A member of an `Enum` is written as its value, which may be the key of an object."""
    by_keys = json.Encoder(dict[Word, int] | Labelled)
    assert by_keys.encode({Word.OTHER: 1}) == b'{"other":1}'
    assert json.decode(b'{"other":1}', dict[Word, int] | Labelled) == {Word.OTHER: 1}
    with pytest.raises(EncodeError, match="the dict would be read back as Labelled"):
        by_keys.encode({Word.NAME: 1})
    by_tag = json.Encoder(Circle | Square | dict[Key, Shape])
    assert by_tag.encode({Key.KIND: Shape.OVAL}) == b'{"kind":"oval"}'
    with pytest.raises(EncodeError, match="the dict would be read back as Circle"):
        by_tag.encode({Key.KIND: Shape.CIRCLE})
