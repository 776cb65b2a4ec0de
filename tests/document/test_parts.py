"""What parts of a document can do, and their errors."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from leaks import assert_nothing_left

import penstock

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = b"""{
  "items": [
    {"name": "Vila", "size": 1.50, "tags": ["a", "b"]},
    {"name": "Soldeu", "size": 2, "tags": []}
  ],
  "a/b": {"~": {"x": [[], {}]}}
}"""


@pytest.fixture
def document() -> Any:
    return penstock.open(TEXT)


@dataclass
class Item:
    name: str
    size: float


def test_an_object_is_a_mapping(document: Any) -> None:
    assert isinstance(document, Mapping)
    assert isinstance(document, penstock.Document)
    assert not isinstance(document, Sequence)
    match document:
        case {"items": [{"name": name}, *_]}:
            assert name == "Vila"
        case _:
            pytest.fail("not matched")
    assert dict(document["items"][1]) == {"name": "Soldeu", "size": 2, "tags": []}
    assert document.keys() == {"items", "a/b"}
    assert document.keys() & {"items", "x"} == {"items"}
    assert "items" in document.keys()  # noqa: SIM118 - the view
    assert ("size", 2) in document["items"][1].items()
    assert 2 in document["items"][1].values()
    assert document.get("x") is None
    assert document.get("x", 7) == 7
    assert not hasattr(document, "index")


def test_an_array_is_a_sequence(document: Any) -> None:
    items = document["items"]
    assert isinstance(items, Sequence)
    assert not isinstance(items, Mapping)
    assert [item["name"] for item in items] == ["Vila", "Soldeu"]
    assert [item["name"] for item in reversed(items)] == ["Soldeu", "Vila"]
    assert [item["name"] for item in items[::-1]] == ["Soldeu", "Vila"]
    assert items[-1]["name"] == items[True]["name"] == "Soldeu"
    tags = items[0]["tags"]
    assert (tags.index("b"), tags.count("a"), "b" in tags, "c" in tags) == (1, 1, True, False)
    assert tags[5:] == []
    assert isinstance(tags[:1], list)
    assert not hasattr(items, "keys")
    with pytest.raises(ValueError, match="'c' is not in the sequence"):
        tags.index("c")


def test_a_scalar_has_nothing_in_it() -> None:
    document: Any = penstock.open(b" 1.50 ")
    assert document.to() == 1.5
    assert document.to(str | float) == 1.5
    assert document == 1.5
    assert not isinstance(document, (Mapping, Sequence))
    for call in (lambda: document[0], lambda: len(document), lambda: iter(document)):
        with pytest.raises(TypeError, match="the document is a scalar"):
            call()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda it: it["x"], KeyError, "no key 'x' in the object"),
        (lambda it: it[0], KeyError, "no key 0 in the object"),
        (lambda it: it["\ud800"], KeyError, "no key '\\ud800' in the object"),
        (lambda it: it["items"][0]["x"], KeyError, "no key 'x' in the object at 'items/0'"),
        (lambda it: it["a/b"]["~"]["y"], KeyError, "no key 'y' in the object at 'a~1b/~0'"),
        (lambda it: it[[]], TypeError, "unhashable type: 'list'"),
        (lambda it: it["items"][2], IndexError, "index 2 is out of range of the array of 2 at 'items'"),
        (lambda it: it["items"][-3], IndexError, "index -3 is out of range of the array of 2 at 'items'"),
        (lambda it: it["items"][2**70], IndexError, "out of range"),
        (lambda it: it["items"]["x"], TypeError, "the array at 'items' is indexed by int or slice, not str"),
        (lambda it: it["items"].keys(), AttributeError, "a JSON array has no attribute 'keys'"),
        (lambda it: it.at("a//b"), ValueError, 'at="a//b", column 3: \'//\' is only allowed at the beginning'),
        (lambda it: it.at(3), TypeError, "a path must be a str, not int"),
        (lambda it: it.to(int, at="x/y"), KeyError, "there is nothing at 'x/y' in the document"),
        (lambda it: it.to(int, unknown="collect"), ValueError, "unknown must be 'skip' or 'error'"),
        (hash, TypeError, "unhashable type"),
    ],
)  # fmt: skip
def test_wrong_use(
    document: Any, call: Callable[[Any], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        call(document)
    assert message in str(caught.value.args[0])


def test_paths(document: Any) -> None:
    assert list(document.at("items/*/name")) == ["Vila", "Soldeu"]
    assert list(document.at("items/1/name")) == ["Soldeu"]
    assert list(document.at("//name")) == ["Vila", "Soldeu"]
    assert list(document["items"].at("*/tags/*")) == ["a", "b"]
    assert [part.path for part in document.at("*")] == ["items", "a~1b"]
    assert [part.path for part in document.at("a~1b/~0/x/*")] == ["a~1b/~0/x/0", "a~1b/~0/x/1"]
    assert list(document.at("items/7")) == list(document.at("x")) == []
    assert document.path == ""


def test_paths_are_followed_as_they_are_asked_for() -> None:
    numbers = b"[" + b"1," * 1000 + b"1e400]"
    found = penstock.open(numbers).at("*")
    assert [next(found) for _ in range(1000)] == [1] * 1000
    with pytest.raises(penstock.ValidationError):
        next(found)
    assert list(found) == []


def test_places(document: Any) -> None:
    assert (document.offset, document.line, document.column) == (0, 1, 1)
    part = document["items"][1]
    assert (part.offset, part.line, part.column) == (TEXT.index(b'{"name": "Soldeu'), 4, 5)
    marked = penstock.open(b"\xef\xbb\xbf" + TEXT)["items"][1]
    assert (marked.offset, marked.line, marked.column) == (part.offset + 3, 4, 5)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_errors_are_those_of_decode(mark: bytes) -> None:
    data = mark + TEXT
    document: Any = penstock.open(data)
    wanted = dict[str, list[dict[str, int]]]
    with pytest.raises(penstock.ValidationError) as whole:
        penstock.decode(data, wanted)
    for part, into in [(document, wanted), (document["items"], list[dict[str, int]]), (document["items"][0], dict[str, int])]:  # fmt: skip
        with pytest.raises(penstock.ValidationError) as caught:
            part.to(into)
        for name in (
            "offset",
            "line",
            "column",
            "path",
            "reason",
            "excerpt",
            "caret",
            "expected",
            "got",
        ):
            assert getattr(caught.value, name) == getattr(whole.value, name), name
        assert str(caught.value) == str(whole.value)
    with pytest.raises(
        penstock.ValidationError, match=r"line 3, column 14: .* \(at items/0/name\)"
    ) as scalar:
        document.to(int, at="items/0/name")
    assert scalar.value.offset == data.index(b'"Vila"')


def test_parts_become_objects(document: Any) -> None:
    assert document["items"].to(list[Item]) == [Item("Vila", 1.5), Item("Soldeu", 2)]
    assert document.to(Item, at="items/1") == Item("Soldeu", 2)
    with pytest.raises(penstock.ValidationError, match='no field for the key "tags"'):
        document.to(Item, at="items/1", unknown="error")
    with pytest.raises(penstock.ValidationError) as caught:
        document.to(list[dict[str, int]], at="items", all_errors=True)
    assert [error.path for error in caught.value.problems] == [
        "items/0/name",
        "items/0/size",
        "items/0/tags",
        "items/1/name",
        "items/1/tags",
    ]
    assert document["items"][0].to(dict[str, Any]) == document["items"][0]


def test_repr(document: Any) -> None:
    assert repr(document) == "Document(an object of 2)"
    assert repr(document["items"]) == "Document(at 'items', an array of 2)"
    assert repr(penstock.open(b"1")) == "Document(a scalar)"


def test_pickles_and_copies(document: Any) -> None:
    for part in (document, document["items"], document["items"][0], penstock.open(b" 7 ")):
        again = pickle.loads(pickle.dumps(part))
        assert again == part
        assert again.to() == part.to()
        assert copy.copy(part) is part
        assert copy.deepcopy(part) is part
    twice = penstock.open(b'{"a": {"x": 1, "x": 2}}', duplicates="first")
    assert pickle.loads(pickle.dumps(twice["a"])) == {"x": 1}


@pytest.mark.thread_unsafe(reason="all threads have one document")
def test_closing(document: Any) -> None:
    part = document["items"]
    walk, found = iter(part), document.at("//name")
    assert next(found) == "Vila"
    with document as entered:
        assert entered is document
    for call in (
        lambda: part[0],
        lambda: len(document),
        lambda: next(walk),
        lambda: next(found),
        part.to,
        lambda: document.path,
        lambda: pickle.dumps(part),
        lambda: document == 1,
    ):
        with pytest.raises(ValueError, match="this Document is closed"):
            call()
    assert repr(document) == "Document(closed)"
    document.close()


def test_code_of_a_class_may_close_the_document() -> None:
    text = json.dumps({"rows": [{"number": number} for number in range(100)]}).encode()
    document: Any = penstock.open(bytearray(text))

    class Closing:
        number: int

        def __init__(self, number: int) -> None:
            document.close()
            self.number = number

    assert [row.number for row in document["rows"].to(list[Closing])] == list(range(100))


def test_a_part_holds_the_document() -> None:
    data = bytes(bytearray(TEXT))
    before = sys.getrefcount(data)
    part = penstock.open(data)["items"]
    gc.collect()
    assert sys.getrefcount(data) == before + 1
    assert part[0]["name"] == "Vila"
    del part
    assert sys.getrefcount(data) == before


def test_what_is_given_back() -> None:
    def work() -> None:
        document = penstock.open(TEXT)
        list(document.items()), list(document.values()), document["items"][0].to(Item)
        list(document.at("//name")), repr(document), document == TEXT, pickle.dumps(document)
        for wrong in ("x", 3):
            with pytest.raises(KeyError):
                document[wrong]

    assert_nothing_left(work)


def test_any_number_of_threads_may_look() -> None:
    rows = {f"key {number}": {"x": number, f"y{number % 7}": "é" * number} for number in range(500)}
    document = penstock.open(json.dumps(rows).encode())
    wrong: list[object] = []
    start = threading.Barrier(8)

    def look(turn: int) -> None:
        start.wait()
        for step in range(500):
            number = (step * 7 + turn * 61) % 500
            part = document[f"key {number}"]
            if part != rows[f"key {number}"] or part.to(dict[str, Any])["x"] != number:
                wrong.append(number)
        if list(document) != list(rows):
            wrong.append("keys")

    threads = [threading.Thread(target=look, args=(turn,)) for turn in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
