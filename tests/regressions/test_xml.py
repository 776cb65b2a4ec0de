"""Bugs of XML that were found and are no more: each by its number, with how it showed."""

from dataclasses import dataclass

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


def test_28_an_attribute_that_does_not_fit_gives_way_to_an_element() -> None:
    """The attribute of the field's name was refused before its element could come."""
    assert penstock.xml.decode('<f on="7"><on>true</on></f>', Flag) == Flag(on=True)
    for document, column in [('<f on="7"/>', 7), ('<f on="7" name="n"><x/></f>', 7)]:
        with pytest.raises(penstock.ValidationError, match='expected bool, got "7"') as caught:
            penstock.xml.decode(document, Flag)
        assert (caught.value.column, caught.value.path) == (column, "f/@on")


def test_28_and_is_told_of_the_element_that_has_it() -> None:
    """What waits belongs to one element, and not to those around it."""
    with pytest.raises(penstock.ValidationError, match='got "x"') as caught:
        penstock.xml.decode('<n on="1"><inner on="x"/></n>', Node)
    assert caught.value.path == "n/inner/@on"
    with pytest.raises(penstock.ValidationError, match="the element 'on' is repeated"):
        penstock.xml.decode('<f on="7"><on>1</on><on>1</on></f>', Flag)
    nothing = '<n xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" on="7"><on>0</on>'
    nil = '<inner on="x" xsi:nil="true"/></n>'
    assert penstock.xml.decode(nothing + nil, Node) == Node(on=False)


def test_29_an_entity_that_is_left_as_it_is_written_may_have_any_name() -> None:
    """The text was said to be ASCII whatever the name of the entity in it."""
    declarations = '<!DOCTYPE a [<!ENTITY % p SYSTEM "p">%p;]>'
    got = penstock.xml.decode(f'{declarations}<a b="&aä;">&a水;c</a>', unresolved="text")
    assert got == {"a": {"@b": "&aä;", "#text": "&a水;c"}}


def test_30_what_is_left_of_a_broken_subset_begins_at_the_fault() -> None:
    """It began where the token did, or in its midst, as the chunks fell."""
    text = b"<!DOCTYPE a [<?p q]><b/>\x00?>]><a/>"
    for size in (1, 5, 100):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        reader = penstock.xml.read(chunks, at="a", repair="broken_subset")
        assert list(reader) == [None]
        assert [repair.offset for repair in reader.repairs] == [24]
