"""`partial=` and `Decoder.peek`: what has come of a document that somebody still writes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pydantic_core
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

STRINGS = st.text(alphabet='ab"\\/\n\u00e9\u6c34\U0001d11e{}[],:', max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=12,
)


def is_beginning(part: Any, whole: Any, strings: bool) -> bool:
    """Whether a value is what a longer text could go on from: the last of each level may be shorter."""
    if isinstance(whole, dict) and isinstance(part, dict):
        pairs = list(zip(part.items(), whole.items(), strict=False))
        same = all(a == b for a, b in pairs[:-1]) and len(part) <= len(whole)
        return same and all(a == b and is_beginning(x, y, strings) for (a, x), (b, y) in pairs[-1:])
    if isinstance(whole, list) and isinstance(part, list):
        same = part[:-1] == whole[: len(part) - 1] if part else True
        return (
            same
            and len(part) <= len(whole)
            and all(
                is_beginning(x, y, strings) for x, y in list(zip(part, whole, strict=False))[-1:]
            )
        )
    if isinstance(whole, str) and isinstance(part, str) and strings:
        return whole.startswith(part)
    return repr(part) == repr(whole)


def expected(text: bytes, strings: bool) -> Any:
    """Return what another library makes of it. A number at the end it takes as it is, which may go on."""
    return pydantic_core.from_json(text, allow_partial="trailing-strings" if strings else True)


@given(VALUES, st.booleans(), st.booleans(), st.sampled_from([None, 1]))
def test_each_beginning_of_a_document(
    value: Any, strings: bool, ascii: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii, indent=indent).encode("utf-8")
    partial: Any = "trailing-strings" if strings else True
    before: Any = penstock.UNSET
    for end in range(len(text) + 1):
        try:
            found = penstock.json.decode(text[:end], partial=partial)
        except penstock.TruncatedInput:
            assert before is penstock.UNSET
            continue
        if not isinstance(value, dict | list | str):
            continue
        assert is_beginning(found, value, strings)
        assert before is penstock.UNSET or is_beginning(before, found, strings)
        if not text[end - 1 : end].isdigit() and not isinstance(value, str):
            assert repr(found) == repr(expected(text[:end], strings))
        before = found
    assert repr(found) == repr(value)


@given(VALUES, st.booleans(), st.integers(1, 7))
def test_a_decoder_peeks_at_the_record_that_has_not_ended(
    value: Any, strings: bool, size: int
) -> None:
    partial: Any = "trailing-strings" if strings else True
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    decoder = penstock.json.Decoder(partial=partial)
    rows: list[Any] = []
    for at in range(0, len(text), size):
        rows += decoder.feed(text[at : at + size])
        seen = decoder.peek()
        if isinstance(value, list):
            if seen is not penstock.UNSET:
                assert is_beginning(seen, value[len(rows)], strings)
        elif isinstance(value, dict) and not rows:
            whole = penstock.json.decode(text[: at + size], partial=partial)
            assert seen == whole
    rows += decoder.finish()
    assert rows == (value if isinstance(value, list) else [value])
    assert decoder.peek() is penstock.UNSET or not isinstance(value, dict | list)


@pytest.mark.parametrize(
    ("text", "found", "with_strings"),
    [
        ('{"a": 1, "b"', {"a": 1}, {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}, {"a": 1}),
        ('{"a": 1, "b": "x', {"a": 1}, {"a": 1, "b": "x"}),
        ('{"a": 12', {}, {}),
        ('{"a": 12 ', {"a": 12}, {"a": 12}),
        ("[1, tru", [1], [1]),
        ("[1, true", [1, True], [1, True]),
        ('{"a": null', {"a": None}, {"a": None}),
        ("[[1], [2,", [[1], [2]], [[1], [2]]),
        ('["a\\', [], ["a"]),
        ('["a\\u00', [], ["a"]),
        ('["a\\ud834', [], ["a"]),
        ('["a\\ud834\\udd1', [], ["a"]),
        ('["a\\ud834\\udd1e', [], ["a\U0001d11e"]),
        ("[", [], []),
        (' {"a": {"b": [', {"a": {"b": []}}, {"a": {"b": []}}),
        ("[1]", [1], [1]),
        (" 12", 12, 12),
        ('"whole"', "whole", "whole"),
    ],
)
def test_by_hand(text: str, found: Any, with_strings: Any) -> None:
    assert penstock.json.decode(text, partial=True) == found
    assert penstock.json.decode(text, partial="trailing-strings") == with_strings
    assert penstock.json.decode(b"\xef\xbb\xbf" + text.encode(), partial=True) == found


def test_a_character_that_the_end_cuts() -> None:
    text = '["Z\u00fcrich \u6c34'.encode()
    for end in range(3, len(text) + 1):
        found = penstock.json.decode(text[:end], partial="trailing-strings")
        assert found == [text[2:end].decode(errors="ignore")]


@pytest.mark.parametrize(
    "text", ["", " ", "tru", '{"a" 1 ', "[1 2 ", "[1, x ", "[1] x", '["\\x', "[1}", "{,"]
)
def test_what_is_no_beginning_is_an_error(text: str) -> None:
    with pytest.raises(penstock.DecodeError) as caught:
        penstock.json.decode(text, partial=True)
    assert str(caught.value) == str(error(text))


def error(text: str) -> penstock.DecodeError:
    with pytest.raises(penstock.DecodeError) as caught:
        penstock.json.decode(text)
    return caught.value


@dataclass
class Call:
    tool: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    done: bool = False


def test_into_a_class_with_defaults() -> None:
    text = '{"tool": "search", "arguments": {"query": "lakes near B'
    assert penstock.json.decode(text, Call, partial=True) == Call("search")
    found = penstock.json.decode(text, Call, partial="trailing-strings")
    assert found == Call("search", {"query": "lakes near B"})
    decoder = penstock.json.Decoder(dict[str, Any], partial="trailing-strings")
    assert decoder.feed(text.encode()) == []
    assert decoder.peek(Call) == found
    assert decoder.peek() == {"tool": "search", "arguments": {"query": "lakes near B"}}

    @dataclass
    class Strict:
        tool: str
        done: bool

    with pytest.raises(penstock.ValidationError, match="done"):
        decoder.peek(Strict)


def test_with_comments() -> None:
    text = '{"a": [1, // "one\n 2, /* ] '
    assert penstock.json.decode(text, partial=True, comments=True) == {"a": [1, 2]}
    decoder = penstock.json.Decoder(partial=True, comments=True)
    decoder.feed(text.encode())
    assert decoder.peek() == {"a": [1, 2]}


def test_how_it_is_asked_for() -> None:
    with pytest.raises(ValueError, match="keeps no text to look at: make it with partial=True"):
        penstock.json.Decoder().peek()
    with pytest.raises(ValueError, match="partial must be a bool or 'trailing-strings', not 'on'"):
        penstock.json.Decoder(partial="on")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="partial must be a bool or 'trailing-strings', not 1"):
        penstock.json.decode("1", partial=1)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="leave out at"):
        penstock.json.Decoder(partial=True, at="rows/*")
    with pytest.raises(ValueError, match="leave out encoding"):
        penstock.json.decode(b"[", partial=True, encoding="latin1")


def test_a_pickled_one_peeks() -> None:
    import pickle

    decoder = pickle.loads(pickle.dumps(penstock.json.Decoder(partial=True)))
    decoder.feed(b'{"a": [1, 2')
    assert decoder.peek() == {"a": [1]}
