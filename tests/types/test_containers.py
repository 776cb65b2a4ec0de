"""Collections other than `list`, `dict` and `set`, and subclasses of builtin classes."""

from __future__ import annotations

import collections
import decimal
import json
import typing
from array import array
from collections import abc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Plan, PlanError, ValidationError, at, decode, typecode, xml

T = TypeVar("T")


class Tags(list[str]):
    pass


class Name(str):
    __slots__ = ()


class Even(int):
    def __init__(self, value: int) -> None:
        if value % 2:
            raise ValueError(f"{value} is odd")


class Celsius(float):
    pass


class Money(decimal.Decimal):
    pass


class Blob(bytes):
    pass


class Stack(list[T]):
    pass


class Inner(Stack[int]):
    pass


class Pair(tuple[int, str]):
    __slots__ = ()


class Primes(frozenset[int]):
    pass


class Scores(dict[str, int]):
    pass


class Ordered(collections.OrderedDict[str, int]):
    pass


class Tree(list["Tree"]):
    pass


class Options(dict):
    """A dict whose keys are annotated."""

    name: str
    port: int = 80
    inner: NotRequired[Options | None]


class More(Options):
    extra: bool


class Slow(list[int]):
    """A class with a constructor of its own."""

    def __init__(self, values: Iterable[int]) -> None:
        super().__init__(value * 2 for value in values)


def gathered(items: str, into: Any) -> Any:
    """The value of repeated elements."""
    plan: Any = TypedDict("Doc", {"v": into})
    return xml.decode(f"<d>{items}</d>", plan)["v"]


def refused(text: str, into: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        decode(text, into)
    return caught.value.reason


def same(got: object, value: object) -> None:
    assert (got, type(got), repr(got)) == (value, type(value), repr(value))


LISTS: list[tuple[Any, object]] = [
    (collections.deque[int], collections.deque([1, 2, 1])),
    (typing.Deque[int], collections.deque([1, 2, 1])),  # noqa: UP006 - as people write it
    (Sequence[int], [1, 2, 1]),
    (typing.Sequence[int], [1, 2, 1]),
    (abc.MutableSequence[int], [1, 2, 1]),
    (Iterable[int], [1, 2, 1]),
    (abc.Collection[int], [1, 2, 1]),
    (abc.Set[int], {1, 2}),
    (typing.AbstractSet[int], {1, 2}),
    (abc.MutableSet[int], {1, 2}),
    (Annotated[array, typecode("h")], array("h", [1, 2, 1])),
    (Annotated[array, typecode("Q")], array("Q", [1, 2, 1])),
    (Annotated[array, typecode("d")], array("d", [1, 2, 1])),
    (Annotated[array, typecode("f")], array("f", [1, 2, 1])),
    (Stack[int], Stack([1, 2, 1])),
    (Inner, Inner([1, 2, 1])),
    (Primes, Primes([1, 2])),
    (Slow, Slow([1, 2, 1])),
    (list[Celsius], [Celsius(1), Celsius(2), Celsius(1)]),
]


@pytest.mark.parametrize(("into", "value"), LISTS, ids=lambda it: str(it)[:40])
def test_lists(into: Any, value: object) -> None:
    same(decode("[1, 2, 1]", into), value)
    same(gathered("<v>1</v><v>2</v><v>1</v>", into), value)
    same(decode('{"a": [{"b": 1}, {"b": 2}, {"b": 1}]}', beneath(into)).v, value)


def beneath(into: Any) -> Any:
    """A class with a field that gathers the matches of a path."""

    @dataclass
    class Doc:
        v: Annotated[into, at("a/*/b")]

    return Plan(Doc, namespace={"into": into, "Annotated": Annotated, "at": at})


@pytest.mark.parametrize(("into", "value"), LISTS, ids=lambda it: str(it)[:40])
def test_nothing_at_all(into: Any, value: Any) -> None:
    same(decode("[]", into), gathered("", into))
    assert type(gathered("", into)) is type(value)
    assert not gathered("", into)


DICTS: list[tuple[Any, object]] = [
    (collections.defaultdict[str, int], collections.defaultdict(int, {"b": 2, "a": 1})),
    (collections.OrderedDict[str, int], collections.OrderedDict({"b": 2, "a": 1})),
    (collections.Counter[str], collections.Counter({"b": 2, "a": 1})),
    (typing.Counter[str], collections.Counter({"b": 2, "a": 1})),
    (Mapping[str, int], {"b": 2, "a": 1}),
    (typing.Mapping[str, int], {"b": 2, "a": 1}),
    (abc.MutableMapping[str, int], {"b": 2, "a": 1}),
    (Scores, Scores({"b": 2, "a": 1})),
    (Ordered, Ordered({"b": 2, "a": 1})),
]


@pytest.mark.parametrize(("into", "value"), DICTS, ids=lambda it: str(it)[:40])
def test_dicts(into: Any, value: object) -> None:
    same(decode('{"b": 2, "a": 1}', into), value)
    same(gathered("<v><b>2</b><a>1</a></v>", into), value)
    assert refused('{"b": "x"}', into) == "expected int, got a string"


def test_without_arguments() -> None:
    same(decode('[1, "a"]', collections.deque), collections.deque([1, "a"]))
    same(decode('[1, "a"]', Sequence), [1, "a"])
    same(decode('{"a": [1]}', Mapping), {"a": [1]})
    same(decode('{"a": [1]}', collections.OrderedDict), collections.OrderedDict({"a": [1]}))
    same(decode('{"a": 1}', collections.defaultdict), collections.defaultdict(None, {"a": 1}))
    same(decode('{"a": 1}', collections.Counter), collections.Counter(a=1))
    assert refused('{"a": "x"}', collections.Counter) == "expected int, got a string"


@pytest.mark.parametrize(
    ("values", "made"),
    [
        (int, 0),
        (float, 0.0),
        (str, ""),
        (bool, False),
        (bytes, b""),
        (bytearray, bytearray()),
        (decimal.Decimal, decimal.Decimal()),
        (list[int], []),
        (set[int], set()),
        (tuple[int, ...], ()),
        (dict[str, int], {}),
        (Mapping[str, int], {}),
        (collections.deque[int], collections.deque()),
        (collections.Counter[str], collections.Counter()),
        (Annotated[array, typecode("d")], array("d")),
        (Tags, Tags()),
    ],
)
def test_factories(values: Any, made: object) -> None:
    found = decode("{}", collections.defaultdict[str, values])
    same(found["new"], made)


def test_factories_of_factories_and_of_nothing() -> None:
    nested = decode(
        '{"a": {"b": 1}}', collections.defaultdict[str, collections.defaultdict[str, int]]
    )
    assert nested == {"a": {"b": 1}}
    assert nested["new"]["newer"] == 0

    @dataclass
    class Point:
        x: int = 0

    assert decode("{}", Plan(collections.defaultdict[str, Point]))["new"] == Point()
    for values in (int | None, Any, int | str):
        found = decode("{}", collections.defaultdict[str, values])
        assert found.default_factory is None


@pytest.mark.parametrize("code", "bBhHiIlLqQ")
def test_arrays_of_integers_hold_what_they_can(code: str) -> None:
    into: Any = Annotated[array, typecode(code)]
    bits = array(code).itemsize * 8
    least, most = (0, 2**bits - 1) if code.isupper() else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    same(decode(f"[{least}, {most}]", into), array(code, [least, most]))
    reason = f"a number is beyond the range of its typecode '{code}'"
    for beyond in (least - 1, most + 1):
        assert refused(f"[0, {beyond}]", into) == f"expected array, got an array of 2: {reason}"
    assert refused("[1.5]", into) == "expected int, got a number with a fraction or an exponent"


def test_arrays_of_floats_do_not_round() -> None:
    floats: Any = Annotated[array, typecode("f")]
    assert decode("[0.5, 16777216]", floats).tolist() == [0.5, 16777216.0]
    reason = "0.1 would be rounded in an array of typecode 'f'"
    assert refused("[0.5, 0.1]", floats) == f"expected array, got an array of 2: {reason}"
    assert "16777217.0 would be rounded" in refused("[16777217]", floats)
    assert "1e+300 would be rounded" in refused("[1e300]", floats)
    doubles: Any = Annotated[array, typecode("d")]
    assert decode("[0.1]", doubles).tolist() == [0.1]
    special = gathered("<v>NaN</v><v>INF</v>", floats).tolist()
    assert str(special) == "[nan, inf]"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_arrays_come_back(values: list[float]) -> None:
    into: Any = Annotated[array, typecode("d")]
    same(decode(json.dumps(values), into), array("d", values))


def test_arrays_that_say_nothing_of_their_numbers() -> None:
    with pytest.raises(PlanError, match=r"add typecode\(...\) beside it"):
        Plan(array)
    with pytest.raises(PlanError, match=r"^typecode\(...\) is only for an array$"):
        Plan(Annotated[list[int], typecode("d")])
    for code in ("u", "x", "dd", ""):
        with pytest.raises(ValueError, match=r"^typecode\(\) takes a code of array.array"):
            typecode(code)
    assert decode("null", Annotated[array | None, typecode("d")]) is None


DERIVED: list[tuple[str, Any, object]] = [
    ('["a", "b"]', Tags, Tags(["a", "b"])),
    ('"a"', Name, Name("a")),
    ("4", Even, Even(4)),
    ("1.5", Celsius, Celsius(1.5)),
    ("2", Celsius, Celsius(2)),
    ("1.50", Money, Money("1.50")),
    ('"cGVu"', Blob, Blob(b"pen")),
    ('[1, "a"]', Pair, Pair((1, "a"))),
    ("[[], [[]]]", Tree, Tree([Tree(), Tree([Tree()])])),
    ('{"name": "a"}', Options, Options(name="a")),
    ('{"name": "a", "port": 1, "more": 2}', Options, Options(name="a", port=1)),
    (
        '{"name": "a", "inner": {"name": "b", "inner": null}}',
        Options,
        Options(name="a", inner=Options(name="b", inner=None)),
    ),
    ('{"name": "a", "extra": true}', More, More(name="a", extra=True)),
]


@pytest.mark.parametrize(("text", "into", "value"), DERIVED)
def test_derived_classes(text: str, into: Any, value: object) -> None:
    same(decode(text, into), value)
    same(decode(f"[{text}]", list[into]), [value])
    assert decode("null", into | None) is None


def test_derived_classes_in_markup() -> None:
    @dataclass
    class Doc:
        name: Name
        even: Annotated[Even, at("@even")]
        tags: Tags
        options: Options
        scores: Scores
        by: dict[Name, Stack[int]]
        pair: Pair

    doc = xml.decode(
        '<d even="4"><name> a </name><tags>x</tags><tags>y</tags><options name="n"/>'
        "<scores><a>1</a></scores><by><k>1</k><k>2</k></by><pair><a>1</a><b>z</b></pair></d>",
        Plan(Doc, namespace={"Stack": Stack}),
    )
    assert doc == Doc(
        Name(" a "),
        Even(4),
        Tags(["x", "y"]),
        Options(name="n"),
        Scores(a=1),
        {Name("k"): Stack([1, 2])},
        Pair((1, "z")),
    )
    assert [type(value) for value in vars(doc).values()] == [
        Name,
        Even,
        Tags,
        Options,
        Scores,
        dict,
        Pair,
    ]
    assert type(doc.by["k"]) is Stack


@pytest.mark.parametrize(
    ("text", "into", "reason"),
    [
        ("[1]", Tags, "expected str, got the integer 1"),
        ("1", Tags, "expected Tags, got the integer 1"),
        ("1", Name, "expected Name, got the integer 1"),
        ("3", Even, "ValueError: 3 is odd"),
        ('["a"]', Stack[int], "expected int, got a string"),
        ("[1]", Pair, "expected an array of 2, got one of 1"),
        ("{}", Options, 'Options lacks the required key "name"'),
        ('{"name": 1}', Options, "expected str, got the integer 1"),
        ("[]", Options, "expected Options, got an array"),
    ],
)
def test_what_does_not_fit_a_derived_class(text: str, into: Any, reason: str) -> None:
    assert refused(text, into).startswith(reason)


def test_keyed_and_gathered() -> None:
    @dataclass
    class Item:
        id: int

    @dataclass
    class Doc:
        items: Annotated[collections.OrderedDict[int, Item], at("i", key="id")]
        more: Annotated[collections.defaultdict[int, Item], at("j", key="id")]
        mixed: Annotated[collections.deque[str | Item], at({"text()": str, "k": Item})] = field(
            default_factory=collections.deque
        )

    plan = Plan(Doc, namespace={"Item": Item})
    doc = xml.decode('<d>a<i id="2"/><i id="1"/><j id="3"/><k id="4"/></d>', plan)
    same(doc.items, collections.OrderedDict({2: Item(2), 1: Item(1)}))
    assert doc.more == {3: Item(3)}
    assert doc.more.default_factory is Item
    assert doc.mixed == collections.deque(["a", Item(4)])
    assert xml.decode("<d/>", plan) == Doc(collections.OrderedDict(), collections.defaultdict())


def test_places_in_messages() -> None:
    with pytest.raises(ValidationError) as caught:
        decode('{"a": [1, "x"]}', dict[str, collections.deque[int]])
    assert caught.value.path == "a/1"
    with pytest.raises(ValidationError) as caught:
        decode('{"a": [3]}', dict[str, list[Even]])
    assert caught.value.path == "a/0"
    with pytest.raises(ValidationError) as caught:
        decode("[[300]]", list[Annotated[array, typecode("B")]])
    assert caught.value.path == "0"


@pytest.mark.parametrize(
    ("into", "reason"),
    [
        (
            set[collections.deque[int]],
            "deque[int] has no hash, so it cannot be an element of a set",
        ),
        (set[Tags], "Tags has no hash, so it cannot be an element of a set"),
        (set[Options], "Options has no hash, so it cannot be an element of a set"),
        (collections.deque | list[int], "deque | list[int]: nothing tells them apart in an array"),
    ],
)
def test_refused_types(into: Any, reason: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    assert str(caught.value) == reason


def test_hashable_ones() -> None:
    assert decode("[[1], [1]]", set[Primes]) == {Primes([1])}
    assert decode('["a", "a"]', set[Name]) == {Name("a")}


def test_words() -> None:
    assert repr(typecode("d")) == "typecode('d')"
    assert typecode("d") == typecode("d") != typecode("f")
    assert hash(typecode("d")) == hash(typecode("d"))
    assert typecode("d").code == "d"
    assert typecode("d") != penstock.pattern("d")
    with pytest.raises(AttributeError, match="cannot be changed"):
        typecode("d").code = "f"
