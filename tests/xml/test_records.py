"""Records of an XML document one at a time: which elements they are, and how errors are handled."""

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, MalformedInput, TruncatedInput, ValidationError, at
from penstock.xml import Decoder, read


@dataclass(slots=True)
class Item:
    id: int
    name: str = ""


@dataclass(slots=True)
class Author:
    name: Annotated[str, at("text()")]


LIBRARY = b"""<?xml version="1.0"?>
<library>
  <author>A</author>
  <shelf><item id="1"/><box><item id="2"><name>b</name></item></box></shelf>
  <item id="3"><item id="4"/><part><item id="5"/></part></item>
  <author>B</author>
</library>
"""


def rows(kind: Any, **options: Any) -> list[Any]:
    """Read the library, one record at a time, and keep each."""
    return list(read([LIBRARY], kind, **options))


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
def test_records_by_a_path() -> None:
    assert rows(Item, at="library/item") == [Item(3)]
    assert rows(Item, at="library/shelf/item") == [Item(1)]
    assert rows(Item, at="library/*/item") == [Item(1), Item(4)]
    assert rows(Author, at="library/author") == [Author("A"), Author("B")]
    assert rows(str, at="library/author") == ["A", "B"]
    assert rows(Item, at="library/nothing") == []
    assert rows(Item, at="other/item") == []


def test_records_anywhere_but_not_inside_records() -> None:
    assert rows(Item, at="//item") == [Item(1), Item(2, "b"), Item(3)]
    assert rows(int, at="//item/@id") == [1, 2, 3, 4, 5]


@dataclass(slots=True)
class Nested:
    id: int
    item: "list[Nested]"
    deep: Annotated[list[int], at("part/item/@id")]


def test_a_record_inside_a_record_is_its_fields() -> None:
    assert rows(Nested, at="library/item") == [Nested(3, [Nested(4, [], [])], [5])]


def test_the_children_of_the_root_are_the_records() -> None:
    document = b"<r x='1'>text<item id='1'/>text<other id='2'/><!-- no --></r>"
    assert list(read([document], Item)) == [Item(1), Item(2)]
    assert list(read([b"<r/>"], Item)) == []


def test_several_kinds_in_one_pass() -> None:
    kinds = {"library/author": Author, "//item": Item}
    expected = [Author("A"), Item(1), Item(2, "b"), Item(3), Author("B")]
    assert list(read([LIBRARY], at=kinds)) == expected


def test_the_key_of_a_record() -> None:
    @dataclass
    class Keyed:
        id: int
        kind: Annotated[str, at("key()")]

    document = b"<r><a id='1'/><b id='2'/></r>"
    found = list(read([document], Keyed, at="r/*"))
    assert [(row.id, row.kind) for row in found] == [(1, "a"), (2, "b")]


NAMESPACES = b"""<r xmlns="urn:d" xmlns:p="urn:p" xmlns:q="urn:p">
<i>1</i><p:i>2</p:i><q:i>3</q:i><i xmlns="">4</i></r>"""


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("r/i", [1, 4]),
        ("r/*:i", [1, 2, 3, 4]),
        ("r/{urn:p}i", [2, 3]),
        ("r/{urn:d}i", [1]),
        ("r/{}i", [4]),
        ("r/x:i", [2, 3]),
        ("r/{urn:p}*", [2, 3]),
        ("{urn:d}r/i", [1, 4]),
        ("{urn:p}r/i", []),
    ],
)
def test_namespaces(path: str, found: list[int]) -> None:
    assert list(read([NAMESPACES], int, at=path, namespaces={"x": "urn:p"})) == found


# --- Errors ------------------------------------------------------------------------------------

BROKEN = b"""<r><item id="1"/><item id="x"><name>a</name></item>
<item><name/></item><item id="2"><name>b</name><name>c</name></item><item id="3"/></r>"""


def ids(document: bytes, errors: Any, found: list[int]) -> None:
    """Append the id of each record that comes before an error is raised."""
    for row in read([document], Item, errors=errors):
        found.append(row.id)  # noqa: PERF401 - those before an error count


def test_the_first_error_is_raised() -> None:
    reader = read([BROKEN], Item)
    assert next(reader).id == 1
    with pytest.raises(ValidationError) as caught:
        next(reader)
    error = caught.value
    assert (error.reason, error.path, error.record) == ('expected int, got "x"', "r/item/@id", 2)
    assert (error.line, error.column) == (1, 27)


def test_records_in_error_are_skipped() -> None:
    reader = read([BROKEN], Item, errors="skip")
    assert [row.id for row in reader] == [1, 3]
    assert reader.skipped == 3


def test_errors_are_collected() -> None:
    found: list[int] = []
    with pytest.raises(ExceptionGroup) as caught:
        ids(BROKEN, "collect", found)
    assert found == [1, 3]
    assert [error.path for error in caught.value.exceptions if isinstance(error, DecodeError)] == [
        "r/item/@id",
        "r/item",
        "r/item/name",
    ]


@pytest.mark.parametrize("errors", ["raise", "skip", "collect"])
def test_what_is_no_xml_is_always_raised(errors: Any) -> None:
    for document, kind in [
        (b"<r><item id='1'/><item id=2/></r>", MalformedInput),
        (b"<r><item id='1'/></r><r/>", MalformedInput),
        (b"<r><item id='1'/>", TruncatedInput),
    ]:
        found: list[int] = []
        with pytest.raises(kind):
            ids(document, errors, found)
        assert found == [1]


@given(st.data())
def test_errors_in_any_chunks(data: st.DataObject) -> None:
    texts = [
        "<item id='1'/>",
        "<item id='2'><name>n</name></item>",
        "<item id='x'><name/><deep><er/></deep></item>",
        "<item><name/></item>",
        "<item id='3'>\n<name>a</name><name>b</name><name>c</name></item>",
        "<item id='4'><id>5</id></item>",
        "<item id='6'><id><b/></id></item>",
    ]
    good = {0: Item(1), 1: Item(2, "n"), 5: Item(5)}
    chosen = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=8))
    document = f"<r>{' '.join(texts[index] for index in chosen)}</r>".encode()
    decoder = Decoder(Item, errors="skip")
    found: list[Item] = []
    while document:
        size = data.draw(st.integers(1, 40))
        found += decoder.feed(document[:size])
        document = document[size:]
    found += decoder.finish()
    assert found == [good[index] for index in chosen if index in good]


# --- Sources -----------------------------------------------------------------------------------


def test_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "library.xml.gz"
    path.write_bytes(gzip.compress(LIBRARY))
    assert list(penstock.read(path, str, at="library/author")) == ["A", "B"]
    with read(path, Item, at="//item") as reader:
        assert [row.id for row in reader] == [1, 2, 3]


def test_rows_are_used_again_only_if_nobody_holds_them() -> None:
    document = b"<r>" + b"".join(b"<item id='%d'/>" % n for n in range(100)) + b"</r>"
    kept = list(read([document], Item))
    assert [row.id for row in kept] == list(range(100))
    assert len({id(row) for row in kept}) == 100
    assert sum(row.id for row in read([document], Item)) == 4950
