"""Bugs of XML that were fixed: each by its number, with its symptom."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

import penstock


@dataclass
class Flag:
    on: bool
    name: str = ""


@dataclass
class Node:
    on: bool
    inner: Flag | None = None


@dataclass
class Cat:
    kind: Literal["cat"]
    lives: int = 1


@dataclass
class Dog:
    kind: Literal["dog"]


@dataclass
class Zoo:
    pets: list[Cat | Dog | None]


@dataclass
class Numbered:
    number: Annotated[int, penstock.at("@number")]
    name: str = ""
    on: str = ""


@dataclass
class Nullable:
    number: int | None = None
    flag: Flag | None = None
    flags: list[Flag | None] = field(default_factory=list)
    sizes: dict[str, int] | None = None
    pet: Cat | Dog | None = None


XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def test_28_an_attribute_that_does_not_fit_gives_way_to_an_element() -> None:
    """The attribute of the field's name was refused before its element could come."""
    assert penstock.xml.decode('<f on="7"><on>true</on></f>', Flag) == Flag(on=True)
    for document, column in [('<f on="7"/>', 7), ('<f on="7" name="n"><x/></f>', 7)]:
        with pytest.raises(penstock.ValidationError, match='expected bool, got "7"') as caught:
            penstock.xml.decode(document, Flag)
        assert (caught.value.column, caught.value.path) == (column, "f/@on")


def test_28_and_is_told_of_the_element_that_has_it() -> None:
    """A refused attribute waits in its own element, and not in those around it."""
    with pytest.raises(penstock.ValidationError, match='got "x"') as caught:
        penstock.xml.decode('<n on="1"><inner on="x"/></n>', Node)
    assert caught.value.path == "n/inner/@on"
    with pytest.raises(penstock.ValidationError, match="the element 'on' is repeated"):
        penstock.xml.decode('<f on="7"><on>1</on><on>1</on></f>', Flag)
    nothing = '<n xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" on="7"><on>0</on>'
    nil = '<inner on="x" xsi:nil="true"/></n>'
    assert penstock.xml.decode(nothing + nil, Node) == Node(on=False)


def test_29_an_entity_that_is_left_as_it_is_written_may_have_any_name() -> None:
    """The text counted as ASCII whatever the name of the entity in it."""
    declarations = '<!DOCTYPE a [<!ENTITY % p SYSTEM "p">%p;]>'
    got = penstock.xml.decode(f'{declarations}<a b="&aä;">&a水;c</a>', unresolved="text")
    assert got == {"a": {"@b": "&aä;", "#text": "&a水;c"}}


def test_30_what_is_left_of_a_broken_subset_begins_at_the_fault() -> None:
    """It began at the token, or inside it, depending on the chunks."""
    text = b"<!DOCTYPE a [<?p q]><b/>\x00?>]><a/>"
    for size in (1, 5, 100):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        reader = penstock.xml.read(chunks, at="a", repair="broken_subset")
        assert list(reader) == [None]
        assert [repair.offset for repair in reader.repairs] == [24]


@pytest.mark.parametrize("nil", ['lives="9" xsi:nil="true"', 'xsi:nil="1" lives="9"'])
def test_37_attributes_of_an_element_that_is_none_are_not_given_to_the_next(nil: str) -> None:
    """The attributes of a union wait for its class; they waited for that of the next element."""
    document = f'<zoo {XSI}><pets {nil}/><pets kind="cat"/></zoo>'
    assert penstock.xml.decode(document, Zoo) == Zoo([None, Cat("cat", lives=1)])


def test_37_nor_are_those_of_one_whose_class_is_not_known() -> None:
    """The error of the next element was about an attribute that it does not have."""
    document = '<zoo><pets lives="x" kind="cow"/><pets kind="cat"/></zoo>'
    with pytest.raises(
        penstock.ValidationError, match=r"the attribute 'kind' is \"cow\""
    ) as caught:
        penstock.xml.decode(document, Zoo, all_errors=True)
    assert str(caught.value).endswith('expected "cat" or "dog" (at zoo/pets/@kind)')


@pytest.mark.parametrize(
    ("element", "none"),
    [
        ("number", Nullable()),
        ("flag", Nullable()),
        ("flags", Nullable(flags=[None])),
        ("sizes", Nullable()),
        ("pet", Nullable()),
    ],
)
@pytest.mark.parametrize("content", ["", " ", "q", "<on>q</on>", "<on>1</on><on>1</on>", "<b/>q"])
@pytest.mark.parametrize("options", [{}, {"unknown": "error"}, {"all_errors": True}])
def test_38_an_element_that_is_none_may_have_any_content(
    element: str, none: Nullable, content: str, options: dict[str, Any]
) -> None:
    """Text in it was ignored, but elements had to fit."""
    document = f'<x {XSI}><{element} xsi:nil="true">{content}</{element}></x>'
    assert penstock.xml.decode(document, Nullable, **options) == none
    chunks = [document[at : at + 1].encode() for at in range(len(document))]
    assert list(penstock.xml.read(chunks, Nullable, at="x", **options)) == [none]


def test_38_but_only_its_own() -> None:
    """Elements after it count again, and malformed content is malformed."""
    document = f'<x {XSI}><flag xsi:nil="1"><on>q</on></flag><number>7</number></x>'
    assert penstock.xml.decode(document, Nullable) == Nullable(number=7)
    with pytest.raises(penstock.MalformedInput):
        penstock.xml.decode(document.replace("<on>q</on>", "<on>q</off>"), Nullable)
    with pytest.raises(penstock.ValidationError, match="the element 'flag' is repeated"):
        penstock.xml.decode(document.replace("number>", "flag>"), Nullable)


def test_345_the_name_of_records_is_kept_from_one_document_to_the_next() -> None:
    """It was forgotten with the names of the document before."""
    encoder = penstock.xml.Encoder(root="all", record="one", declaration=False)
    assert encoder.encode([1, 2]) == b"<all><one>1</one><one>2</one></all>"
    assert encoder.encode([3]) == b"<all><one>3</one></all>"


def test_346_an_empty_text_is_not_indented() -> None:
    """Where an element's text is a value, a line break becomes that, also of an empty one."""
    value = {"a": {"#text": "", "b": "x"}}
    assert penstock.xml.encode(value, indent=2, declaration=False) == b"<a><b>x</b></a>\n"


@pytest.mark.parametrize(
    "text", ["12345]]>", "12345&x;", "12345\0", "12345&#0;", "12&lt;45&", "<![CDATA[12345\0]]>"]
)
def test_445_text_before_a_fault_counts_as_text(text: str) -> None:
    """The fault was reported if it was at hand with the text before it, and the limit otherwise."""
    document = f"<f><name>{text}</name><on>1</on></f>".encode()
    for size in range(1, len(document) + 1):
        chunks = [document[at : at + size] for at in range(0, len(document), size)]
        with pytest.raises(penstock.LimitExceeded) as caught:
            penstock.xml.load(chunks, Flag, limits=penstock.Limits(token=4))
        assert caught.value.reason == "the text of an element is longer than 4 bytes (limits.token)"
        assert caught.value.offset == 3


@pytest.mark.parametrize(
    ("inside", "path"),
    [
        ("<unknown>&bad;</unknown>", "r/f"),
        ("<name>n</name><unknown>&bad;</unknown>", "r/f"),
        ("<unknown/><name>&bad;</name>", "r/f/name"),
        ("<name>n</name><on>&bad;</on>", "r/f/on"),
    ],
)
def test_453_a_fault_in_an_unknown_element_is_not_in_the_one_before(inside: str, path: str) -> None:
    """The path named the element or attribute before it, or an element with the attribute's place."""
    document = f"<r><f number='1'>{inside}</f></r>"
    with pytest.raises(penstock.MalformedInput) as caught:
        list(penstock.xml.read([document.encode()], Numbered, at="r/f"))
    assert caught.value.path == path
