"""A decoded `str` is the same as one that Python itself makes."""

from __future__ import annotations

import json
import string
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

LENGTHS = [*range(20), *range(28, 36), *range(60, 68), *range(126, 131), 255, 256, 257, 1000]
# For each width in memory, characters of every length in UTF-8 that need it.
ALPHABETS = {
    "ascii": ["a", "~\x7f", " !#"],
    "latin1": ["\x80", "é", "ÿ", "aé"],
    "ucs2": ["Ā", "\u07ff", "\u0800", "\uffff", "東", "a\xe9\u6771"],
    "ucs4": ["\U00010000", "\U0010ffff", "🏳", "aé東🏳"],
}


def canonical(made: object, expected: str) -> bool:
    """Whether it is equal and as compact as in Python: the narrowest width, and no copies."""
    assert type(made) is str
    # Python joins pieces to a string with the width of its widest character. The empty piece avoids
    # a shared string of one character, whose size may include its UTF-8.
    fresh = "".join([*expected, ""])
    return (
        made == expected
        and hash(made) == hash(expected)
        and made.isascii() == expected.isascii()
        and sys.getsizeof(made) == sys.getsizeof(fresh)
    )


@dataclass(slots=True)
class Row:
    text: str


@pytest.mark.parametrize("escaped", [False, True], ids=["raw", "escaped"])
@pytest.mark.parametrize("width", ALPHABETS)
def test_every_width_and_length(width: str, escaped: bool) -> None:
    texts = [(alphabet * length)[:length] for alphabet in ALPHABETS[width] for length in LENGTHS]
    document = json.dumps(texts, ensure_ascii=escaped)
    for asked in (Any, list[str], list[object]):
        made = penstock.json.decode(document, asked)
        assert all(map(canonical, made, texts))
    rows = json.dumps([{"text": text} for text in texts], ensure_ascii=escaped)
    assert all(
        canonical(row.text, text)
        for row, text in zip(penstock.json.decode(rows, list[Row]), texts, strict=True)
    )
    keys = {text: number for number, text in enumerate(texts)}
    made_keys = penstock.json.decode(json.dumps(keys, ensure_ascii=escaped))
    assert all(map(canonical, made_keys, keys))
    assert made_keys == keys


@pytest.mark.parametrize("width", ALPHABETS)
def test_one_wide_character_at_every_place(width: str) -> None:
    for character in ALPHABETS[width]:
        for length in (1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65):
            texts = ["x" * at + character + "y" * (length - at - 1) for at in range(length)]
            made = penstock.json.decode(json.dumps(texts, ensure_ascii=False), list[str])
            assert all(map(canonical, made, texts))


@pytest.mark.parametrize("source", ["bytes", "str", "bytearray", "chunks"])
@given(texts=st.lists(st.text(max_size=70), max_size=8), escaped=st.booleans())
def test_any_text_from_any_source(source: str, texts: list[str], escaped: bool) -> None:
    document = json.dumps(texts, ensure_ascii=escaped)
    data = document.encode()
    if source == "chunks":
        made = penstock.json.load(
            iter([data[at : at + 7] for at in range(0, len(data), 7)]), list[str]
        )
    else:
        given_as: Any = {"bytes": data, "str": document, "bytearray": bytearray(data)}[source]
        made = penstock.json.decode(given_as, list[str])
    assert all(map(canonical, made, texts))
    assert made == texts


@given(st.text())
def test_escapes_mixed_with_plain_text(text: str) -> None:
    mixed = "".join(
        json.dumps(character)[1:-1]
        if number % 2
        else json.dumps(character, ensure_ascii=False)[1:-1]
        for number, character in enumerate(text)
    )
    assert canonical(penstock.json.decode(f'"{mixed}"'), text)
    assert canonical(penstock.json.decode(f'"{mixed}"', str), text)


def test_escapes_of_ascii_give_ascii() -> None:
    for text, expected in (
        (r"\u0041", "A"),
        (r"a\u0062c", "abc"),
        (r"\n\t\"\\\/\b\f\r", '\n\t"\\/\b\f\r'),
        (r"\u007f\u0000", "\x7f\x00"),
        (r"\ud83c\udff3", "🏳"),
    ):
        assert canonical(penstock.json.decode(f'"{text}"'), expected)
        assert canonical(penstock.json.decode(f'{{"text": "{text}"}}', Row).text, expected)
        assert list(penstock.json.decode(f'{{"{text}": 1}}')) == [expected]


# Cached strings.


def decoded(values: list[str]) -> list[str]:
    document = json.dumps([{"text": value} for value in values], ensure_ascii=False)
    streamed = [row.text for row in penstock.json.read([document.encode()], Row)]
    rows = [row.text for row in penstock.json.decode(document, list[Row])]
    assert streamed == rows
    return rows


def test_repeated_values_of_a_field() -> None:
    names = [
        "open",
        "closed",
        "",
        "x",
        "offen für alle",
        "東京",
        "longer than what is worth keeping at hand",
    ]
    values = names * 200
    made = decoded(values)
    assert made == values
    assert all(map(canonical, made, values))
    # Most are the same object; otherwise the cache is useless.
    assert len({id(text) for text in made if text == "closed"}) < 50


def test_more_distinct_values_than_a_cache_holds() -> None:
    for count in (255, 256, 257, 1000):
        values = [f"value-{number:05}" for number in range(count)] * 3
        assert decoded(values) == values


def test_a_cache_that_is_given_up_and_one_that_is_not() -> None:
    # First all different, then all the same, and the other way round.
    different = [f"{number:x}-{number * 7919:x}" for number in range(3000)]
    same = ["constant"] * 3000
    for values in (
        different + same,
        same + different,
        [text for pair in zip(different, same, strict=True) for text in pair],
    ):
        assert decoded(values) == values


def test_a_document_of_different_values_closes_no_cache_of_the_next() -> None:
    different = [f"{number:x}-{number * 7919:x}" for number in range(1500)]
    for values in (different, ["constant"] * 1500, different, ["constant"] * 1500):
        made = decoded(values)
        assert made == values
        assert (len({id(text) for text in made}) < 50) is (values is not different)


def test_values_that_differ_only_in_the_middle() -> None:
    # The cache compares the ends and the length first.
    values = []
    for length in range(2, 34):
        for middle in string.ascii_letters + string.digits:
            head = (length - 1) // 2
            values.append("a" * head + middle + "z" * (length - head - 1))
    assert decoded(values * 2) == values * 2


@given(st.lists(st.text(alphabet="ab\x00", max_size=33), min_size=1, max_size=30))
def test_similar_values(values: list[str]) -> None:
    assert decoded(values * 10) == values * 10


def test_a_cache_for_each_field() -> None:
    @dataclass
    class Two:
        a: str
        b: str

    rows = [{"a": f"a{number % 3}", "b": f"b{number % 300}"} for number in range(2000)]
    made = penstock.json.decode(json.dumps(rows), list[Two])
    assert [vars(row) for row in made] == rows


def test_a_cached_value_that_the_caller_keeps_stays_as_it_is() -> None:
    kept = decoded(["alpha", "beta"] * 100)
    for _ in range(5):
        decoded([f"{number}" * 3 for number in range(2000)])
    assert kept == ["alpha", "beta"] * 100


def test_keys_of_plain_dicts() -> None:
    # Keys with the same length and the same ends are still different.
    for length in (2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40):
        keys = []
        for number in range(500):
            middle = f"{number:03}"
            pad = max(length - len(middle), 0)
            keys.append("k" * (pad // 2) + middle[-length:] + "y" * (pad - pad // 2))
        keys = list(dict.fromkeys(keys))
        document = json.dumps([dict.fromkeys(keys, 1), dict.fromkeys(reversed(keys), 2)])
        one, two = penstock.json.decode(document)
        assert list(one) == keys
        assert list(two) == keys[::-1]
        assert all(map(canonical, one, keys))


def test_more_keys_than_are_kept() -> None:
    keys = [f"key {number}" for number in range(10_000)]
    for _ in range(3):
        assert penstock.json.decode(json.dumps(dict.fromkeys(keys, 0))) == dict.fromkeys(keys, 0)


def test_keys_are_shared_between_documents() -> None:
    (one,) = penstock.json.decode('{"a key that is kept": 1}')
    (two,) = penstock.json.decode('{"a key that is kept": 2}')
    assert one is two
    typed = penstock.json.decode('{"a key that is kept": 3}', dict[str, int])
    assert next(iter(typed)) == one


@given(st.dictionaries(st.text(max_size=40), st.integers(0, 9), max_size=20))
def test_any_keys(value: dict[str, int]) -> None:
    for asked in (Any, dict[str, int]):
        made = penstock.json.decode(json.dumps(value, ensure_ascii=False), asked)
        assert list(made.items()) == list(value.items())
        assert all(map(canonical, made, value))
