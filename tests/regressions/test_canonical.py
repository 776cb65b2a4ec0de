"""Bugs of the canonical form of JSON and of its messages that were fixed, by number."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest

import penstock
from penstock import EncodeError
from penstock.json import encode


def test_370_equal_sets_are_equal_text() -> None:
    """The items of a set stood in the order of their hashes, which differs between processes."""
    program = (
        "import penstock; words = {str(n) for n in range(50)}\n"
        "print(penstock.json.encode({'a': words, 'b': frozenset([1.0, 'x', 20, 3])},"
        " canonical=True).decode())"
    )
    texts = set()
    for seed in "12":
        run = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        texts.add(run.stdout)
    assert len(texts) == 1
    words = ",".join(f'"{word}"' for word in sorted(map(str, range(50))))
    assert texts == {f'{{"a":[{words}],"b":["x",1,20,3]}}\n'}


def test_370_sets_inside_of_sets() -> None:
    value: Any = frozenset([2, 1])
    assert encode({value, 3, "a"}, canonical=True) == b'["a",3,[1,2]]'
    assert encode({(2, "b"), (1, "c")}, set[tuple[int, str]], canonical=True) == (
        b'[[1,"c"],[2,"b"]]'
    )
    options: Any = {"canonical": True, "large_ints": "text"}
    assert encode({2**60, 5}, **options) == b'["1152921504606846976",5]'
    for _ in range(70):
        value = frozenset([value])
    with pytest.raises(EncodeError) as raised:
        encode(value, canonical=True)
    assert str(raised.value).endswith("more than 64 sets inside one another")
    with pytest.raises(EncodeError) as raised:
        encode({"a": {2**60}}, canonical=True)
    assert str(raised.value) == (
        "['a']: an integer beyond 2^53 has no canonical form; write it as text"
    )


@pytest.mark.parametrize("digits", ["0.1234567890123456789", "1E+400", "1E-400"])
def test_371_no_decimal_is_rounded(digits: str) -> None:
    """The canonical form wrote the nearest double, and nobody was told."""
    with pytest.raises(EncodeError) as raised:
        encode([Decimal(digits)], canonical=True)
    assert str(raised.value) == (
        "[0]: a decimal number that no double holds has no canonical form; write it as text"
    )
    as_text = encode([Decimal(digits)], canonical=True, decimals="text")
    assert as_text == f'["{digits}"]'.encode()


def test_371_decimals_that_a_double_holds() -> None:
    decimals = [Decimal(digits) for digits in ("1.10", "1E+3", "-0.0", "0.1", "5E-324", "12")]
    assert encode(decimals, canonical=True) == b"[1.1,1000,0,0.1,5e-324,12]"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_372_a_key_that_is_no_number(number: float) -> None:
    """The message said that a key must be a scalar, which a float is."""
    with pytest.raises(EncodeError) as raised:
        encode({number: 1})
    name = str(number).replace("nan", "NaN")
    assert str(raised.value) == f"[{number}]: a key must be finite, not {name}"


def test_373_the_verb_that_was_called() -> None:
    """`encode` spoke of `encode_all`."""
    for encode_records in (penstock.ndjson.encode, penstock.ndjson.Encoder().encode):
        with pytest.raises(TypeError) as raised:
            encode_records("ab")
        assert str(raised.value) == "encode() takes an iterable of records, not str"
    with pytest.raises(TypeError) as raised:
        penstock.json.Encoder().encode_all("ab")
    assert str(raised.value) == "encode_all() takes an iterable of records, not str"
