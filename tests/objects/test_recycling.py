"""A streamed row that nobody holds may be filled again, and one that somebody holds never is."""

from __future__ import annotations

import collections
import gc
import itertools
import json
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

COUNT = 200


@dataclass(slots=True)
class Row:
    number: int
    text: str = "none"
    tags: list[str] = field(default_factory=list)


@dataclass(slots=True, weakref_slot=True)
class Weak:
    number: int


@dataclass(slots=True)
class Inner:
    number: int


@dataclass(slots=True)
class Outer:
    inner: Inner
    others: list[Inner] = field(default_factory=list)


@dataclass(slots=True)
class Twin:
    """The same memory layout as `Row`, so that a row may be given this class."""

    number: int
    text: str = "twin"
    tags: list[str] = field(default_factory=list)


def values(number: int) -> dict[str, Any]:
    """The values of a row by its number: some keys occur in some rows only."""
    row: dict[str, Any] = {"number": number}
    if number % 2:
        row["text"] = f"text {number}"
    if number % 3 == 0:
        row["tags"] = [f"tag {number}"]
    return row


LINES = "".join(json.dumps(values(number)) + "\n" for number in range(COUNT)).encode()
EXPECTED = [Row(**values(number)) for number in range(COUNT)]


def rows(cls: Any = Row, **options: Any) -> Any:
    """A reader whose chunks end anywhere inside rows."""
    pieces = (LINES[at : at + 333] for at in range(0, len(LINES), 333))
    return penstock.ndjson.read(pieces, cls, **options)


def test_rows_that_nobody_keeps_are_used_again() -> None:
    seen = collections.Counter(id(row) for row in rows())
    assert sum(seen.values()) == COUNT
    # The current row and the one before it.
    assert len(seen) == 2


def test_each_row_is_right_while_it_is_at_hand() -> None:
    for row, expected in zip(rows(), EXPECTED, strict=True):
        assert row == expected


def test_rows_that_are_kept() -> None:
    kept = list(rows())
    assert kept == EXPECTED
    assert len({id(row) for row in kept}) == COUNT
    assert sorted(rows(), key=lambda row: -row.number) == EXPECTED[::-1]
    assert max(rows(), key=lambda row: row.number % 100) == EXPECTED[99]
    assert {row.number: row for row in rows()} == {row.number: row for row in EXPECTED}


@pytest.mark.parametrize("every", [1, 2, 3, 4, 5, 10, 50])
@pytest.mark.parametrize("offset", [0, 1])
def test_every_nth_row_is_kept(every: int, offset: int) -> None:
    kept = [row for number, row in enumerate(rows()) if number % every == offset % every]
    assert kept == EXPECTED[offset % every :: every]


@given(st.sets(st.integers(0, COUNT - 1)))
def test_any_rows_are_kept(chosen: set[int]) -> None:
    kept = [row for number, row in enumerate(rows()) if number in chosen]
    assert kept == [EXPECTED[number] for number in sorted(chosen)]


@pytest.mark.parametrize("window", [1, 2, 3, 5])
def test_the_last_rows_are_kept_for_a_while(window: int) -> None:
    last: collections.deque[Row] = collections.deque(maxlen=window)
    for number, row in enumerate(rows()):
        last.append(row)
        assert list(last) == EXPECTED[max(0, number - window + 1) : number + 1]


def test_rows_in_the_hands_of_iterators() -> None:
    assert list(itertools.pairwise(rows())) == list(itertools.pairwise(EXPECTED))
    reader = rows()
    assert list(zip(reader, reader, reader, strict=False)) == list(
        zip(*[iter(EXPECTED)] * 3, strict=False)
    )
    one, two = itertools.tee(rows())
    assert next(one) == EXPECTED[0]
    assert [row.number for row in one] == list(range(1, COUNT))
    assert list(two) == EXPECTED
    for left, right in itertools.pairwise(rows()):
        assert right.number == left.number + 1


def test_rows_in_a_frame() -> None:
    def hold(row: Row) -> Iterator[int]:
        yield row.number
        yield row.number

    held = []
    for row in rows():
        holder = hold(row)
        next(holder)
        held.append(holder)
    assert [next(holder) for holder in held] == list(range(COUNT))


def test_values_of_rows_are_kept() -> None:
    tags, texts = [], []
    for row in rows():
        tags.append(row.tags)
        texts.append(row.text)
    assert tags == [row.tags for row in EXPECTED]
    assert texts == [row.text for row in EXPECTED]
    assert len({id(each) for each in tags}) == COUNT


def test_rows_kept_by_an_attribute_of_another() -> None:
    @dataclass(slots=True)
    class Chained:
        number: int
        before: Any = None

    last = None
    for row in rows(Chained):
        row.before = last
        last = row
    for number in reversed(range(COUNT)):
        assert last is not None
        assert last.number == number
        last = last.before


def test_a_row_that_holds_itself() -> None:
    @dataclass(slots=True)
    class Own:
        number: int
        me: Any = None

    kept = []
    for row in rows(Own):
        assert row.me is None
        row.me = row
        if row.number % 10 == 0:
            kept.append(row.me)
    assert [row.number for row in kept] == list(range(0, COUNT, 10))


def test_a_row_never_shows_an_old_value() -> None:
    for row, expected in zip(rows(), EXPECTED, strict=True):
        assert row == expected
        # Changes to a row do not appear in the next ones.
        row.text = "changed"
        row.tags.append("changed")
        row.number = -1
    for row, expected in zip(rows(), EXPECTED, strict=True):
        assert row == expected
        del row.text, row.number


def test_fields_that_may_be_unset() -> None:
    @dataclass(slots=True)
    class Open:
        number: int
        later: int = field(init=False)
        constant: int = field(default=3, init=False)

    for row in rows(Open):
        assert not hasattr(row, "later")
        assert row.constant == 3
        row.later = row.constant = row.number


def test_rows_of_nested_classes() -> None:
    lines = "".join(
        json.dumps({"inner": {"number": number}, "others": [{"number": -number}] * (number % 3)})
        + "\n"
        for number in range(COUNT)
    ).encode()
    kept, others = [], []
    for row in penstock.ndjson.read([lines], Outer):
        kept.append(row.inner)
        others.extend(row.others)
    assert kept == [Inner(number) for number in range(COUNT)]
    assert others == [Inner(-number) for number in range(COUNT) for _ in range(number % 3)]


def test_a_recursive_class() -> None:
    @dataclass(slots=True)
    class Node:
        number: int
        child: Any = None

    lines = b"".join(b'{"number": %d, "child": {"number": %d}}\n' % (n, -n) for n in range(COUNT))
    children = [row.child for row in penstock.ndjson.read([lines], Node)]
    assert children == [{"number": -number} for number in range(COUNT)]


def test_weakly_referenced_rows() -> None:
    references = []
    for row in rows(Weak):
        reference = weakref.ref(row)
        assert reference() is row
        references.append((row.number, reference))
        # A live weak reference still has the row for which it was made.
        for number, before in references[-5:]:
            alive = before()
            assert alive is None or alive.number == number
        alive = None
    del row
    assert [number for number, reference in references if reference() is not None] == []


def test_weak_callbacks_come_once_for_each_row() -> None:
    gone: list[int] = []
    for row in rows(Weak):
        weakref.finalize(row, gone.append, row.number)
    del row
    assert sorted(gone) == list(range(COUNT))


def test_weakly_referenced_rows_as_keys() -> None:
    @dataclass(slots=True, weakref_slot=True, eq=False)
    class Key:
        number: int

    notes: weakref.WeakKeyDictionary[Key, int] = weakref.WeakKeyDictionary()
    kept = []
    for row in rows(Key):
        assert row not in notes
        notes[row] = row.number
        if row.number % 7 == 0:
            kept.append(row)
    del row
    assert sorted(notes.values()) == list(range(0, COUNT, 7))
    assert all(notes[row] == row.number for row in kept)


def test_rows_with_a_finalizer() -> None:
    gone: list[int] = []

    @dataclass(slots=True)
    class Final:
        number: int

        def __del__(self) -> None:
            gone.append(self.number)

    for row in rows(Final):
        assert gone == list(range(row.number))
    del row
    assert gone == list(range(COUNT))


def test_rows_that_became_another_class() -> None:
    seen = []
    for row in rows():
        assert type(row) is Row
        seen.append(row.number)
        row.__class__ = Twin
    assert seen == list(range(COUNT))


def test_rows_with_a_post_init_are_made_anew() -> None:
    @dataclass(slots=True)
    class Counting:
        number: int
        calls: int = field(default=0, init=False)

        def __post_init__(self) -> None:
            self.calls += 1

    assert all(row.calls == 1 for row in rows(Counting))


def test_rows_with_attributes_of_their_own_never_show_old_ones() -> None:
    @dataclass
    class Open:
        number: int

    @dataclass(slots=True)
    class Extended(Open):
        """Slots over a `__dict__`."""

        text: str = "none"

    for cls in (Open, Extended):
        for row in rows(cls):
            assert not hasattr(row, "note")
            row.note = row.number


def test_rows_behind_an_error() -> None:
    lines = b"".join(
        b'{"number": "bad %d", "text": "of a bad row"}\n' % n
        if n % 3 == 1
        else b'{"number": %d}\n' % n
        for n in range(COUNT)
    )
    reader = penstock.ndjson.read([lines], Row, errors="skip")
    for row, number in zip(reader, [n for n in range(COUNT) if n % 3 != 1], strict=True):
        assert row == Row(number)
    assert reader.skipped == len([n for n in range(COUNT) if n % 3 == 1])


def test_rows_inside_a_document() -> None:
    document = json.dumps({"a": {"rows": [values(number) for number in range(COUNT)]}})
    reader = penstock.json.read([document.encode()], Row, at="a/rows/*")
    assert len({id(row) for row in reader}) <= 3
    for row, expected in zip(
        penstock.json.read([document.encode()], Row, at="a/rows/*"), EXPECTED, strict=True
    ):
        assert row == expected


def test_batches_are_always_new() -> None:
    seen: set[int] = set()
    kept = []
    for batch in rows().batches(7):
        assert len({id(row) for row in batch}) == len(batch)
        assert batch == EXPECTED[len(seen) : len(seen) + 7]
        seen.update(row.number for row in batch)
        kept.append(batch[3])
    assert kept == EXPECTED[3::7][: len(kept)]
    assert seen == set(range(COUNT))


def test_rows_and_batches_in_turn() -> None:
    reader = rows()
    kept: list[Row] = []
    loose = []
    while len(kept) < COUNT - 10:
        row = next(reader)
        loose.append(row.number)
        kept.append(row)
        del row
        kept.extend(next(reader.batches(3)))
        dropped = next(reader)
        kept.append(Row(dropped.number, dropped.text, dropped.tags))
    assert kept == EXPECTED[: len(kept)]


def test_whole_documents_are_always_new() -> None:
    document = json.dumps([values(number) for number in range(COUNT)])
    for made in (
        penstock.json.decode(document, list[Row]),
        penstock.json.load([document.encode()], list[Row]),
        penstock.ndjson.load([LINES], Row),
        penstock.Decoder(Row, format="ndjson").feed(LINES),
    ):
        assert made == EXPECTED
        assert len({id(row) for row in made}) == COUNT
    decoder = penstock.Decoder(Row, format="ndjson")
    kept = [row for line in LINES.splitlines(keepends=True) for row in decoder.feed(line)]
    assert kept == EXPECTED


def test_a_reader_that_is_gone_leaves_its_rows() -> None:
    reader = rows()
    row = next(reader)
    other = next(reader)
    reader.close()
    del reader
    gc.collect()
    assert (row, other) == (EXPECTED[0], EXPECTED[1])
