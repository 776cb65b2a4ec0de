"""A value is the same by every way to it, and the same as in the decoded document."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Choice = Literal["last", "first"]

# Few keys, so that maps share some and repeat others; short and long ones, plain and escaped.
KEYS = st.sampled_from(
    ["a", "b", "", "name", "a longer key", 'quote"d', "é", "\n", "seven77", "eight888", "𝄞", "0"]
)
TEXTS = st.one_of(KEYS, st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
NUMBERS = st.one_of(
    st.integers(-(10**30), 10**30),
    st.integers(-(2**60), 2**60),
    st.sampled_from([2**59 - 1, 2**59, -(2**59), -(2**59) - 1, 2**63, -(2**63), 0]),
    st.floats(allow_nan=False, allow_infinity=False),
)
WRITTEN = st.sampled_from(
    ["-0", "-0.0", "1.10", "1e2", "1E-2", "0.30000000000000004", "123456789012345678.5", "1e-400"]
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS).map(json.dumps) | WRITTEN


def written_map(members: list[tuple[str, str]]) -> str:
    return "{" + ", ".join(f"{json.dumps(key)}:{value}" for key, value in members) + "}"


def written_list(elements: list[str]) -> str:
    return "[" + " ,".join(elements) + "]"


# Texts instead of values, so that keys can repeat.
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5).map(written_list)
        | st.lists(st.tuples(KEYS, inner), max_size=6).map(written_map)
    ),
    max_leaves=25,
)


def loaded(text: str, duplicates: Choice) -> Any:
    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        if duplicates == "last":
            return dict(members)
        kept: dict[str, Any] = {}
        for key, value in members:
            kept.setdefault(key, value)
        return kept

    return json.loads(text, object_pairs_hook=pairs)


def exactly(value: object) -> str:
    """Distinguish 1 from 1.0 and True, 0.0 from -0.0, and orders of keys."""
    return repr(value)


def by_keys_and_positions(part: Any) -> Any:
    if isinstance(part, Document):
        if hasattr(part, "keys"):
            return {key: by_keys_and_positions(part[key]) for key in part}
        return [by_keys_and_positions(part[index]) for index in range(len(part))]
    return part


def by_iteration(part: Any) -> Any:
    if isinstance(part, Document):
        if hasattr(part, "keys"):
            return {key: by_iteration(value) for key, value in part.items()}
        return [by_iteration(element) for element in part]
    return part


def by_the_back(part: Any) -> Any:
    if isinstance(part, Document):
        if hasattr(part, "keys"):
            return {key: by_the_back(value) for key, value in zip(part, part.values(), strict=True)}
        return [by_the_back(part[-1 - index]) for index in range(len(part))][::-1]
    return part


def by_slices(part: Any) -> Any:
    if isinstance(part, Document):
        if hasattr(part, "keys"):
            return {key: by_slices(part.get(key)) for key in part.keys()}  # noqa: SIM118 - the view
        return [by_slices(element) for half in (part[:2], part[2:]) for element in half]
    return part


def by_paths(part: Any) -> Any:
    if isinstance(part, Document):
        found = [by_paths(value) for value in part.at("*")]
        return dict(zip(part, found, strict=True)) if hasattr(part, "keys") else found
    return part


def by_parts(part: Any) -> Any:
    return part.to() if isinstance(part, Document) else part


WAYS: list[Callable[[Any], Any]] = [
    by_keys_and_positions,
    by_iteration,
    by_the_back,
    by_slices,
    by_paths,
    by_parts,
]


def parts(value: Any) -> Iterator[Document]:
    """All the documents in a document."""
    if isinstance(value, Document):
        yield value
        if hasattr(value, "keys") or hasattr(value, "index"):
            for inner in value.values() if hasattr(value, "keys") else value:
                yield from parts(inner)


def root(document: Document) -> Any:
    """The document, or the scalar if the root is one."""
    scalar = not hasattr(document, "keys") and not hasattr(document, "index")
    return document.to() if scalar else document


@given(TREES, st.sampled_from(["last", "first"]))
def test_every_way_leads_to_the_same(text: str, duplicates: Choice) -> None:
    expected = exactly(loaded(text, duplicates))
    document = penstock.open(text.encode(), duplicates=duplicates)
    assert exactly(document.to()) == expected
    for way in WAYS:
        assert exactly(way(root(document))) == expected, way.__name__


@given(TREES)
def test_every_part_is_what_it_is_alone(text: str) -> None:
    document = penstock.open(text.encode())
    data = text.encode()
    for part in parts(document):
        # A part begins at its offset, and the text there is the part.
        value, _ = json.JSONDecoder().raw_decode(data[part.offset :].decode())
        assert exactly(part.to()) == exactly(value)
        assert part == value
        before = data[: part.offset].decode()
        assert part.line == before.count("\n") + 1
        assert part.column == len(before) - (before.rfind("\n") + 1) + 1
        # A path has no empty steps.
        if all(part.path.split("/")):
            (found,) = document.at(part.path)
            assert (found.path, found.offset) == (part.path, part.offset)


@given(TREES, st.booleans())
def test_equality_is_that_of_plain_values(text: str, other: bool) -> None:
    document = penstock.open(text.encode())
    value = json.loads(text)
    assert document == value
    assert document == penstock.open(json.dumps(value).encode())
    assert (document == {"other": 1}) is (value == {"other": 1})
    assert (document != [other]) is (value != [other])


def test_many_keys_of_its_own() -> None:
    # More keys than a shape holds, some repeated, in maps that share some of their keys.
    members = [(f"key {number % 700}", str(number)) for number in range(1000)]
    members += [(f"k{number}", str(number)) for number in range(300)]
    text = written_map(members)
    for duplicates in ("last", "first"):
        expected = loaded(text, duplicates)  # type: ignore[arg-type]
        document: Any = penstock.open(text.encode(), duplicates=duplicates)  # type: ignore[call-overload]
        # The first lookups scan all keys, the later ones do not.
        for key, value in expected.items():
            assert document[key] == value
        assert document.get("key 700") is None
        assert list(document) == list(expected)
        assert len(document) == len(expected) == 1000
        assert list(document.items()) == list(expected.items())
        assert list(reversed(document)) == list(reversed(expected))
        assert "k299" in document
        assert "k300" not in document


def test_many_shapes() -> None:
    # Each map has keys that no other has, until there is no room for more shapes.
    maps = [{f"a{number}": 1, "b": number, f"c{number}": 2} for number in range(30_000)]
    document: Any = penstock.open(json.dumps(maps).encode())
    assert [part.to() for part in document] == maps
    assert all(part["b"] == number for number, part in enumerate(document))
    assert document[29_999]["c29999"] == 2


def test_numbers_are_what_decode_makes() -> None:
    numbers = b"[0, -0, -0.0, 1.10, 1e2, 576460752303423487, 576460752303423488, 1e-400, 18446744073709551616, 0.1e1]"
    document: Any = penstock.open(numbers)
    assert [repr(number) for number in document] == [
        repr(number) for number in penstock.decode(numbers)
    ]
    assert math.copysign(1, document[2]) == -1
    assert [repr(document.to(Decimal, at=str(index))) for index in range(len(document))] == [
        repr(Decimal(number.decode())) for number in numbers[1:-1].split(b", ")
    ]


def test_a_number_that_is_no_double_is_told_when_it_is_asked_for() -> None:
    document: Any = penstock.open(b'{"a": [1,\n 1e400]}')
    assert document["a"][0] == 1
    with pytest.raises(penstock.ValidationError) as caught:
        document["a"][1]
    with pytest.raises(penstock.ValidationError) as plain:
        penstock.decode(b'{"a": [1,\n 1e400]}')
    assert str(caught.value) == str(plain.value)
    assert (caught.value.line, caught.value.column, caught.value.path) == (2, 2, "a/1")
    assert document.to(Decimal, at="a/1") == Decimal("1e400")


def test_strings_of_every_length() -> None:
    # A word holds seven bytes itself; from 16 MiB on it does not hold a string's length.
    texts = ["é" * length + "x" * more for length in range(6) for more in range(6)]
    texts += [
        "\0",
        '"',
        "\\",
        "a\nb",
        "\ud83c\udff3".encode("utf-16", "surrogatepass").decode("utf-16"),
    ]
    texts += ["y" * (2**24 + more) for more in (-2, -1, 0, 1)] + ["\n" + "z" * 2**24]
    for text in (json.dumps(texts), json.dumps(texts, ensure_ascii=False)):
        document = penstock.open(text.encode())
        assert list(document) == texts
    keys = {text: index for index, text in enumerate(texts)}
    document = penstock.open(json.dumps(keys).encode())
    assert list(document) == list(keys)
    assert [document[text] for text in texts] == list(range(len(texts)))


def test_nothing_recurses(tmp_path: Path) -> None:
    depth = 200_000
    path = tmp_path / "deep.json"
    path.write_bytes(b'{"a":[' * depth + b"]}" * depth)
    document: Any = penstock.open(path, limits=penstock.Limits(depth=2 * depth))
    part = document
    for _ in range(1000):
        part = part["a"][0] if len(part["a"]) else part
    assert part.path.count("/") == 1999
    with pytest.raises(penstock.LimitExceeded, match="nested deeper than 1000 levels"):
        penstock.open(path)
