"""A field of all text below an element, beside fields of its parts: each bug by its number."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

import penstock
from penstock import at, xml


@dataclass
class Item:
    guid: str
    is_link: Annotated[bool | None, at("guid/@isPermaLink")] = None


@dataclass
class Packet:
    proto: str
    name: Annotated[str | None, at("proto/name")] = None
    hops: Annotated[list[int], at("proto/way/hop")] = field(default_factory=list)


@dataclass
class Size:
    size: int
    unit: Annotated[str, at("size/@unit")] = ""


def refused(text: str, into: Any, **options: Any) -> str:
    with pytest.raises(penstock.ValidationError) as caught:
        xml.decode(text, into, **options)
    return str(caught.value)


def test_260_an_attribute_of_an_element_that_is_a_field() -> None:
    """It was a PlanError: the two were said to claim the same value."""
    text = '<item><guid isPermaLink="false">a<b>c</b>d</guid></item>'
    assert xml.decode(text, Item) == Item("acd", False)
    assert xml.decode("<item><guid/></item>", Item) == Item("", None)
    # The field's own attribute, and an element in its place.
    assert xml.decode('<item guid="x"/>', Item) == Item("x", None)
    both = '<item guid="x"><guid isPermaLink="true">y</guid></item>'
    assert xml.decode(both, Item) == Item("y", True)
    assert refused("<item/>", Item) == (
        "line 1, column 6: Item lacks the required element or attribute 'guid' (at item)"
    )
    assert refused('<item><guid isPermaLink="x">y</guid></item>', Item) == (
        'line 1, column 25: expected bool | None, got "x" (at item/guid/@isPermaLink)'
    )


def test_260_a_number_with_an_attribute() -> None:
    assert xml.decode('<s><size unit="kB"> 7 </size></s>', Size) == Size(7, "kB")
    assert refused('<s><size unit="kB">x</size></s>', Size) == (
        'line 1, column 4: expected int, got "x" (at s/size)'
    )
    assert refused("<s><size>1<b>2</b></size></s>", Size) == (
        "line 1, column 4: expected int, got an element with child elements (at s/size)"
    )
    assert refused('<s><size other="1">7</size></s>', Size, unknown="error") == (
        "line 1, column 10: Size has no field for the attribute 'other' (at s/size/@other)"
    )


def test_260_elements_inside_one_that_is_a_field() -> None:
    text = (
        "<p><proto>a<name>b<i>c</i></name> d<u>e<v>f</v></u>"
        "<way>g<hop>1</hop>h<hop>2</hop></way>z</proto></p>"
    )
    assert xml.decode(text, Packet) == Packet("abc defg1h2z", "bc", [1, 2])
    assert xml.decode(text, Packet, unknown="error") == Packet("abc defg1h2z", "bc", [1, 2])
    assert refused("<p><proto><way><hop>a</hop></way></proto></p>", Packet) == (
        'line 1, column 16: expected int, got "a" (at p/proto/way/hop)'
    )


def test_260_in_windows() -> None:
    one = "<p><proto>a<name>b<i>c</i></name> d<u>é</u>z<way><hop>7</hop></way></proto></p>\n"
    data = f"<r>{one * 3}</r>".encode()

    def cut(size: int) -> Iterator[bytes]:
        return (data[start : start + size] for start in range(0, len(data), size))

    for size in (1, 2, 5, 16, 1000):
        found = list(xml.read(cut(size), Packet, at="r/p"))
        assert found == [Packet("abc déz7", "bc", [7])] * 3
    for size in (1, 7, 1000):
        bad = data.replace(b"<hop>7</hop>", b"<hop>x</hop>", 1)
        errors: list[penstock.DecodeError] = []
        chunks = (bad[start : start + size] for start in range(0, len(bad), size))
        assert len(list(xml.read(chunks, Packet, at="r/p", errors=errors.append))) == 2
        assert [str(error) for error in errors] == [
            'line 1, column 53: expected int, got "x" (record 1, at r/p/proto/way/hop)'
        ]


def test_260_repeated_elements() -> None:
    text = '<i><guid isPermaLink="0">a</guid><guid isPermaLink="1">b</guid></i>'
    assert refused(text, Item) == (
        "line 1, column 34: the element 'guid' is repeated; ask for list[str] or say "
        "repeated='first' (at i/guid)"
    )
    assert xml.decode(text, Item, repeated="first") == Item("a", False)
    assert xml.decode(text, Item, repeated="last") == Item("b", True)
    # What is left out of the part stays in the whole.
    twice = "<p><proto><name>b</name>-<name>c</name></proto></p>"
    assert xml.decode(twice, Packet, repeated="first") == Packet("b-c", "b")
    assert xml.decode(twice, Packet, repeated="last") == Packet("b-c", "c")
    assert xml.decode(twice, Packet, repeated="join") == Packet("b-c", "b c")

    @dataclass
    class All:
        v: list[str]
        u: Annotated[list[str], at("v/@u")]

    text = '<s><v u="1">a</v><v>b</v><v u="3">c</v></s>'
    assert xml.decode(text, All) == All(["a", "b", "c"], ["1", "3"])


def test_260_one_in_the_other() -> None:
    @dataclass
    class Deep:
        a: str
        b: Annotated[str, at("a/b")]
        c: Annotated[str, at("a/b/c")]

    assert xml.decode("<s><a>1<b>2<c>3</c>4</b>5</a></s>", Deep) == Deep("12345", "234", "3")


def test_260_nil() -> None:
    @dataclass
    class Maybe:
        size: int | None
        unit: Annotated[str, at("size/@unit")] = ""

    nil = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"'
    assert xml.decode(f'<s><size unit="kB" {nil}/></s>', Maybe) == Maybe(None, "kB")
    with pytest.raises(penstock.ValidationError, match="expected int, got an element with xsi:nil"):
        xml.decode(f'<s><size unit="kB" {nil}/></s>', Size)


def test_260_what_cannot_be_beside_it() -> None:
    """The whole text and a part that is no text: still told by name."""

    @dataclass
    class Number:
        size: int
        unit: Annotated[str, at("size/unit")] = ""

    @dataclass
    class Own:
        size: str
        own: Annotated[str, at("size/text()")] = ""

    @dataclass
    class Inner:
        size: str
        item: Annotated[Item | None, at("size/item")] = None

    for into, (first, second) in (
        (Number, ("'size' and 'unit'", "'size' and 'size/unit'")),
        (Own, ("'size' and 'own'", "'size' and 'size/text()'")),
        (Inner, ("'size' and 'item'", "'size' and 'size/item'")),
    ):
        with pytest.raises(penstock.PlanError) as caught:
            xml.decode("<s/>", into)
        assert str(caught.value) == (
            f"fields {first} of {into.__name__} claim the same value: {second}; "
            "'size/text()' is the element's own text only"
        )
    with pytest.raises(penstock.PlanError) as caught:
        penstock.json.decode("{}", Item)
    assert str(caught.value) == (
        "fields 'guid' and 'is_link' of Item claim the same value: 'guid' and 'guid/@isPermaLink'"
    )
