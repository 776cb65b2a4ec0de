"""`via`: values that a user's function makes."""

import copy
import pickle
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import penstock
from penstock import Plan, PlanError, ValidationError, at, json, via, xml


@dataclass(frozen=True)
class Money:
    amount: int
    currency: str

    @classmethod
    def parse(cls, text: str) -> "Money":
        amount, currency = text.split()
        return cls(int(amount), currency)

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"


class Tags:
    """A class that defines its own decoding."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    @classmethod
    def __penstock__(cls, names: list[str]) -> "Tags":
        return cls(names)


class Seconds:
    def __init__(self, value: float) -> None:
        self.value = value

    __penstock__ = via(lambda value: Seconds(value / 1000), float)


def either(value: int | None) -> tuple[str, int | None]:
    return ("either", value)


def shout(text):  # type: ignore[no-untyped-def]  # noqa: ANN001
    return str(text).upper()


@dataclass
class Order:
    price: Annotated[Money, via(Money.parse)]
    total: Annotated[int, at("items/*/price"), via(sum, list[int])] = 0


def test_beside_a_type() -> None:
    order = json.decode('{"price": "3 CHF", "items": [{"price": 1}, {"price": 2}]}', Order)
    assert order == Order(Money(3, "CHF"), 3)
    assert json.decode(
        '["1 EUR", null]', list[Annotated[Money | None, via(Money.parse)] | None]
    ) == [
        Money(1, "EUR"),
        None,
    ]


def test_from_xml() -> None:
    text = (
        "<o><price>3 CHF</price><items><i><price>1</price></i><i><price>2</price></i></items></o>"
    )
    assert xml.decode(text, Order) == Order(Money(3, "CHF"), 3)
    assert xml.decode('<o price="3 CHF"/>', Order) == Order(Money(3, "CHF"), 0)


def test_on_the_class() -> None:
    assert json.decode('[["a", "b"]]', list[Tags])[0].names == ["a", "b"]
    assert json.decode('{"a": 1500}', dict[str, Seconds])["a"].value == 1.5


def test_in_a_registry() -> None:
    types = {Money: Money.parse, int: via(lambda value: -value, int)}
    plan = Plan(dict[str, Money | list[int]], types=types)
    assert json.decode('{"a": "1 EUR", "b": [1, 2]}', plan) == {"a": Money(1, "EUR"), "b": [-1, -2]}
    types.clear()
    assert json.decode('{"a": "1 EUR"}', plan) == {"a": Money(1, "EUR")}
    assert "types={Money: Money.parse, int: via(" in repr(plan)


def test_what_the_function_takes() -> None:
    assert json.decode("[1, null]", list[Annotated[object, via(either)]]) == [
        ("either", 1),
        ("either", None),
    ]
    assert json.decode("[1, null]", list[Annotated[object, via(either)] | None]) == [
        ("either", 1),
        None,
    ]
    assert json.decode('[1, "a", [2]]', list[Annotated[str, via(shout)]]) == ["1", "A", "[2]"]
    with pytest.raises(ValidationError) as caught:
        json.decode('["a", 1]', list[Annotated[Money, via(Money.parse)]])
    # The function refuses the first one, so the second is never passed to it.
    assert caught.value.path == "0"
    with pytest.raises(ValidationError) as caught:
        json.decode("[1]", list[Annotated[Money, via(Money.parse)]])
    assert caught.value.reason == "expected Money, got the integer 1"


def test_a_function_around_a_function() -> None:
    def wrapped(value: Annotated[object, via(either)] | None) -> tuple[object]:
        return (value,)

    outer = Annotated[object, via(wrapped)]
    assert json.decode("[1, null]", list[outer]) == [(("either", 1),), (None,)]
    assert json.decode("[1, null]", list[outer | None]) == [(("either", 1),), None]


def test_what_the_function_raises() -> None:
    with pytest.raises(ValidationError) as caught:
        json.decode('{"price": "3", "total": 1}', Order)
    error = caught.value
    assert error.reason == "ValueError: not enough values to unpack (expected 2, got 1)"
    assert (error.path, error.line, error.column) == ("price", 1, 11)
    assert isinstance(error.__cause__, ValueError)

    def broken(text: str) -> Money:
        raise KeyError(text)

    with pytest.raises(KeyError):
        json.decode('["a"]', list[Annotated[Money, via(broken)]])


def test_a_gathered_value_that_is_refused() -> None:
    def odd(numbers: list[int]) -> int:
        if len(numbers) % 2 == 0:
            raise ValueError("even")
        return numbers[0]

    @dataclass
    class Doc:
        x: Annotated[int, at("a/*"), via(odd)]

    assert json.decode('{"a": [5]}', Doc) == Doc(5)
    for text in ('{"a": [5, 6]}', "{}"):
        with pytest.raises(ValidationError) as caught:
            json.decode(text, Doc)
        assert (caught.value.path, caught.value.reason) == ("a~1~2", "ValueError: even")
    assert xml.decode("<d><a><b>5</b></a></d>", Doc) == Doc(5)


def test_the_word() -> None:
    word = via(Money.parse, str, encode=str)
    assert repr(word) == "via(Money.parse, str, encode=str)"
    assert repr(via(Money.parse)) == "via(Money.parse)"
    assert word == via(Money.parse, str, encode=str)
    assert hash(word) == hash(via(Money.parse, str, encode=str))
    assert word != via(Money.parse)
    assert word != "via"
    assert pickle.loads(pickle.dumps(word)) == word
    assert copy.deepcopy(word) == word
    for name in ("decode", "other"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(word, name, None)
        with pytest.raises(AttributeError, match="cannot be changed"):
            delattr(word, name)
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"^via\(\) takes a function, not int$"):
        via(wrong)
    with pytest.raises(TypeError, match=r"^via\(encode=...\) takes a function, not int$"):
        via(str, encode=wrong)


def test_a_registry_of_something_else() -> None:
    wrong: Any = {Money: 3}
    with pytest.raises(
        TypeError, match=r"types\[Money\] must be a function or a via\(...\), not int"
    ):
        Plan(Money, types=wrong)
    wrong = [Money]
    with pytest.raises(TypeError, match="types must be a mapping of types to functions, not list"):
        Plan(Money, types=wrong)


def test_a_source_that_cannot_be_decoded() -> None:
    with pytest.raises(PlanError, match="is not a type"):
        Plan(Annotated[Money, via(Money.parse, 3)])


def test_kept_out_of_records_in_error() -> None:
    calls: list[str] = []

    def seen(text: str) -> str:
        calls.append(text)
        if text == "b":
            raise ValueError("b")
        return text

    rows = penstock.ndjson.read([b'"a"\n"b"\n"c"\n'], Annotated[str, via(seen)], errors="skip")
    assert list(rows) == ["a", "c"]
    assert (calls, rows.skipped) == (["a", "b", "c"], 1)
