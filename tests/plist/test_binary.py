"""Binary property lists, beside `plistlib`."""

from __future__ import annotations

import datetime
import io
import math
import plistlib
import random
import signal
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock import plist

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = ["", "a", "name", "é", "水", "𝄞 and more", "x" * 14, "x" * 15, "x" * 300, "naïve"]


def moment(rng: random.Random) -> datetime.datetime:
    """Return a naive time near 2001."""
    begin = datetime.datetime.fromisoformat("2001-01-01")
    return begin + datetime.timedelta(microseconds=rng.randrange(-(10**15), 10**15))


def scalar(rng: random.Random) -> Any:
    """Return a scalar of any kind that `plistlib` writes."""
    makers: list[Callable[[], Any]] = [
        lambda: rng.choice(WORDS),
        lambda: f"word {rng.random()}",
        lambda: rng.choice([0, 1, 255, 256, 65535, 65536, 2**32, 2**63 - 1, 2**63, 2**64 - 1]),
        lambda: -rng.randrange(1, 2**63),
        lambda: rng.choice([True, False]),
        lambda: rng.choice([0.5, -1e300, math.inf, rng.random()]),
        lambda: rng.randbytes(rng.choice([0, 1, 14, 15, 300])),
        lambda: plistlib.UID(rng.choice([0, 255, 256, 2**16, 2**32, 2**64 - 1])),
        lambda: moment(rng),
    ]
    return rng.choice(makers)()


def value(rng: random.Random, depth: int = 0) -> Any:
    """Return a value of any shape."""
    kind = rng.random()
    if depth > 4 or kind < 0.4:
        return scalar(rng)
    count = rng.choice([0, 1, 3, 14, 15, 40]) if depth < 2 else rng.randrange(4)
    if kind < 0.7:
        return [value(rng, depth + 1) for _ in range(count)]
    return {f"{rng.choice(WORDS)}{n}": value(rng, depth + 1) for n in range(count)}


def naive(value: Any) -> Any:
    """Return a value with its dates as `plistlib` makes them."""
    if isinstance(value, datetime.datetime):
        assert value.tzinfo is datetime.UTC
        return value.replace(tzinfo=None)
    if isinstance(value, dict):
        return {key: naive(each) for key, each in value.items()}
    return [naive(each) for each in value] if isinstance(value, list) else value


def containers(value: Any) -> list[bytes]:
    """Return what `plistlib` stores twice if it is equal: each container, and each UID."""
    members: list[Any] = []
    if isinstance(value, dict):
        members = [*value.values()]
    elif isinstance(value, list):
        members = [*value]
    elif not isinstance(value, plistlib.UID):
        return []
    found = [one for each in members for one in containers(each)]
    whole: Any = value
    return [*found, plistlib.dumps(whole, fmt=plistlib.FMT_BINARY, sort_keys=False)]


def test_values_at_random() -> None:
    rng = random.Random(16)
    unequal = 0
    for _ in range(500):
        expected = value(rng)
        theirs = plistlib.dumps(expected, fmt=plistlib.FMT_BINARY, sort_keys=False)
        assert naive(plist.decode(theirs)) == expected
        ours = plist.encode(expected, form="binary")
        assert plistlib.loads(ours) == expected
        inside = containers(expected)
        if len(inside) == len(set(inside)):
            assert ours == theirs
            unequal += 1
        assert len(ours) <= len(theirs)
        streamed = plist.encode(expected, form="binary", stream=True)
        assert plistlib.loads(streamed) == expected
        by_key = plistlib.loads(plist.encode(expected, form="binary", sort_keys=True))
        assert by_key == expected
        if isinstance(by_key, dict):
            names: list[str] = list(by_key)
            assert names == sorted(names)
    assert unequal > 150


@dataclass
class Row:
    name: str
    number: int


def rows(count: int) -> bytearray:
    found = [{"name": f"row {n}", "number": n} for n in range(count)]
    return bytearray(plistlib.dumps(found, fmt=plistlib.FMT_BINARY, sort_keys=False))


def test_a_fault_within_a_record_spoils_no_other_one() -> None:
    data = rows(4)
    data[data.index(b"row 2")] = 0xE9
    good = [Row("row 0", 0), Row("row 1", 1), Row("row 3", 3)]
    assert list(plist.read(io.BytesIO(data), Row, errors="skip")) == good
    wrong = "byte 57: a string of ASCII with the byte 0xe9 (record 3, at 2/name)"
    problems: list[str] = []
    told = plist.read(io.BytesIO(data), Row, errors=lambda problem: problems.append(str(problem)))
    assert list(told) == good
    assert problems == [wrong]
    with pytest.raises(penstock.MalformedInput) as raised:
        plist.decode(bytes(data), list[Row])
    assert str(raised.value) == "byte 57: a string of ASCII with the byte 0xe9 (at 2/name)"


def test_a_class_needs_nothing_else() -> None:
    # What no field names may be damaged.
    data = rows(3)
    data[data.index(b"row 1")] = 0xE9

    @dataclass
    class Number:
        number: int

    assert plist.decode(bytes(data), list[Number]) == [Number(0), Number(1), Number(2)]


def test_a_bomb_of_shared_lists() -> None:
    bomb: Any = [1]
    for _ in range(12):
        bomb = [bomb] * 10
    data = plistlib.dumps(bomb, fmt=plistlib.FMT_BINARY)
    assert len(data) < 300
    # Plain values are shared as the file says.
    shared = plist.decode(data)
    assert shared[9] is shared[0]
    nested: Any = int
    for _ in range(13):
        nested = list[nested]
    with pytest.raises(penstock.LimitExceeded) as raised:
        plist.decode(data, nested)
    assert "shared objects expand to more than 10 bytes for each byte of input" in str(raised.value)


def test_what_contains_itself() -> None:
    inner: dict[str, Any] = {}
    inner["me"] = [inner]
    data = plistlib.dumps(inner, fmt=plistlib.FMT_BINARY)
    with pytest.raises(penstock.MalformedInput) as raised:
        plist.decode(data)
    assert str(raised.value) == "byte 8: object 0 contains itself (at me/0)"


def dates(count: int) -> bytes:
    """Return a list that has the same date many times."""
    items = b"\xaf\x12" + struct.pack(">I", count) + b"\x01" * count
    date = 8 + len(items)
    table = struct.pack(">II", 8, date)
    trailer = struct.pack(">6xBBQQQ", 4, 1, 2, 0, date + 9)
    return b"bplist00" + items + b"\x33" + struct.pack(">d", 1e8) + table + trailer


@pytest.mark.thread_unsafe(reason="it sets an alarm")
@pytest.mark.parametrize("verb", [plist.decode, lambda data: plist.load(io.BytesIO(data))])
def test_signals_are_answered_among_many_members(verb: Callable[[bytes], Any]) -> None:
    """They waited for the end of a list."""
    data = dates(400_000)
    rings = 0

    def ring(*_: object) -> None:
        nonlocal rings
        rings += 1

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        made = verb(data)
        heard = rings
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(made) == 400_000
    assert heard >= 5


def one_by_one(reader: penstock.Reader[Any]) -> list[Any]:
    return list(reader)


def in_a_batch(reader: penstock.Reader[Any]) -> list[Any]:
    return next(reader.batches(1 << 30))


@pytest.mark.thread_unsafe(reason="it sets an alarm")
@pytest.mark.parametrize("take", [one_by_one, in_a_batch])
def test_signals_are_answered_among_many_records(
    take: Callable[[penstock.Reader[Any]], list[Any]],
) -> None:
    """The file is at hand as a whole, and no bytecode runs between two records."""

    class RangError(Exception):
        pass

    def ring(*_: object) -> None:
        raise RangError

    reader = plist.read(io.BytesIO(dates(100_000)), datetime.datetime)
    first = next(reader)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        with pytest.raises(RangError):
            take(reader)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # The reader goes on behind it. What a list has taken is gone with the list; a batch is kept.
    rest = list(reader)
    assert 0 < len(rest) < 100_000 if take is one_by_one else len(rest) == 99_999
    assert set(rest) == {first}


def test_many_members_are_the_same_with_and_without_rests() -> None:
    """The reader rests among many members, behind many small containers, and behind long strings."""
    values: list[Any] = [
        list(range(40_000)),
        {str(n): n for n in range(20_000)},
        [{"a": [n], "b": {}} for n in range(24_000)],
        {"x": ["é" * 50_000 + str(n) for n in range(12)], "y" * 300_000: ["z" * 300_000, 1]},
    ]
    for value in values:
        data = plistlib.dumps(value, fmt=plistlib.FMT_BINARY)
        assert plist.decode(data) == value
        assert plist.load(io.BytesIO(data)) == value
        assert plist.decode(data, type(value)) == value
