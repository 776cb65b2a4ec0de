"""Bugs that were fixed, as numbered tests. Each docstring describes the bug.

The tests of the reader are in `crates/penstock-core/tests/json/regressions.rs`.
"""

import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock

# A multiple of the size of a slice, in which a document in memory is checked and parsed.
SLICE = 1 << 20
MARK = b"\xef\xbb\xbf"


@dataclass
class Row:
    name: str
    second: int = 0
    größe: float = 0.5  # noqa: PLC2401 - more bytes than characters


def test_1_a_key_cut_by_the_end_of_a_slice() -> None:
    """If a slice ended inside a known key, the key counted as an unknown one."""
    row = '{"name": "n", "second": 2, "größe": 1.5, "n\\u0061me": "m", "more": {"name": 3}}'
    around = row.encode()
    expected = Row("m", 2, 1.5)
    opening, closing = b'[{"name": "', b'"},'
    # Each byte of the row is once the last one of a slice.
    for before in range(len(around) + 1):
        first = b"x" * (SLICE - before - len(opening) - len(closing))
        data = opening + first + closing + around + b"," + around + b"]"
        assert data[SLICE - before :].startswith(around)
        for given in (data, bytearray(data)):
            filler, *rows = penstock.json.decode(given, list[Row])
            assert len(filler.name) == len(first)
            assert rows == [expected, expected], before


@pytest.mark.parametrize(
    ("data", "into", "reason"),
    [
        ("[1, 1, [1]]", tuple[int, int], "expected an array of 2, got one of 3"),
        ('[1, 1, {"a": [1]}, "x"]', tuple[int, int], "expected an array of 2, got one of 4"),
        ("[[1]]", tuple[()], "expected an array of 0, got one of 1"),
        ("[[], {}, null]", tuple[()], "expected an array of 0, got one of 3"),
        ("[[[1]]]", tuple[tuple[()]], "expected an array of 0, got one of 1"),
    ],
)
def test_2_surplus_values_of_a_fixed_tuple(data: str, into: type, reason: str) -> None:
    """They were decoded as the last item, or dropped, or had no plan at all."""
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.json.decode(data, into)
    assert caught.value.reason == reason


def test_3_cyclic_garbage_between_loads() -> None:
    """Each load moved all objects to the old ones, so the collector never visited them again."""

    class Cycle:
        def __init__(self) -> None:
            self.me = self

    def most(work: Callable[[], object]) -> int:
        alive: weakref.WeakSet[Cycle] = weakref.WeakSet()
        gc.collect()
        found = 0
        for _ in range(40_000):
            alive.add(Cycle())
            work()
            found = max(found, len(alive))
        return found

    # From 3.14 on, the interpreter lets garbage lie for longer by itself.
    usual = most(lambda: [1])
    assert most(lambda: penstock.json.load([b"[1]"], list[int])) < max(2_500, usual + 2_500)


@pytest.mark.parametrize(
    ("data", "kind", "place"),
    [
        (b"[x]", penstock.MalformedInput, (4, 1, 2)),
        (b"[1,\n'", penstock.MalformedInput, (7, 2, 1)),
        (b'[1,\n"a"]', penstock.ValidationError, (7, 2, 1)),
        (b"[\xff]", penstock.MalformedInput, (4, 1, 2)),
        (b"[1", penstock.TruncatedInput, (5, 1, 3)),
        (b"", penstock.TruncatedInput, (3, 1, 1)),
    ],
)
def test_4_offsets_behind_a_byte_order_mark(
    data: bytes, kind: type[penstock.DecodeError], place: tuple[int, int, int]
) -> None:
    """In memory the mark did not count, from a source it did: it counts as bytes, as no column."""

    def fed(data: bytes) -> list[int]:
        decoder = penstock.json.Decoder(int)
        return decoder.feed(data[:2]) + decoder.feed(data[2:]) + decoder.finish()

    ways: list[Any] = [
        lambda data: penstock.json.decode(data, list[int]),
        lambda data: penstock.json.decode(bytearray(data), list[int]),
        lambda data: penstock.json.load([data], list[int]),
        lambda data: list(penstock.json.read([data], int)),
        lambda data: list(penstock.json.read([bytes([byte]) for byte in data], int)),
        fed,
    ]
    for way in ways:
        with pytest.raises(penstock.DecodeError) as caught:
            way(MARK + data)
        error = caught.value
        assert type(error) is kind
        assert (error.offset, error.line, error.column) == place


def test_5_an_error_of_finish_is_raised_at_once() -> None:
    """`finish` returned the rows and kept the error for a next call, which nobody makes."""
    decoder = penstock.json.Decoder(int)
    assert decoder.feed(b"[1, 2") == [1]
    with pytest.raises(penstock.TruncatedInput, match="the input ends inside an array"):
        decoder.finish()
    assert decoder.finish() == [2]
    assert decoder.finish() == []


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
def test_31_a_union_needs_no_module() -> None:
    """`int | str` was no type in a process that had not imported `types`."""
    code = "import penstock; print(penstock.json.decode('[1]', list[int | str]))"
    run = [sys.executable, "-S", "-c", code]
    path = str(Path(penstock.__file__).parent.parent)
    done = subprocess.run(run, capture_output=True, text=True, check=True, env={"PYTHONPATH": path})
    assert done.stdout == "[1]\n"
