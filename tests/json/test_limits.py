"""Each limit: it stops input that exceeds it, by its name, and nothing else."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

import penstock
from penstock import LimitExceeded, Limits
from penstock.json import decode

Call = Callable[[bytes, Any, Limits | None], Any]


def fed(data: bytes, into: Any, limits: Limits | None) -> Any:
    """The same input, byte by byte."""
    decoder = penstock.json.Decoder(into, limits=limits, at="*")
    rows = [row for byte in b'{"": ' + data + b"}" for row in decoder.feed(bytes([byte]))]
    return (rows + decoder.finish())[0]


each_call = pytest.mark.parametrize(
    "call",
    [
        lambda data, into, limits: decode(data, into, limits=limits),
        lambda data, into, limits: decode(bytearray(data), into, limits=limits),
        lambda data, into, limits: penstock.json.load([data], into, limits=limits),
        lambda data, into, limits: penstock.ndjson.decode(data, into, limits=limits)[0],
    ],
    ids=["decode", "buffer", "load", "ndjson"],
)


class Wanted:
    a: Any = None


def exceeds(call: Call, data: bytes, into: Any, limits: Limits | None, reason: str) -> int:
    with pytest.raises(LimitExceeded) as caught:
        call(data, into, limits)
    assert caught.value.reason == reason
    assert caught.value.offset is not None
    return caught.value.offset


# --- Depth -------------------------------------------------------------------------------------


@each_call
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth(call: Call, opening: bytes, closing: bytes) -> None:
    def nested(depth: int) -> bytes:
        return opening * depth + b"1" + closing * depth

    reason = "nested deeper than {} levels (limits.depth)"
    call(nested(1000), Any, None)
    assert exceeds(call, nested(1001), Any, None, reason.format(1000)) == 1000 * len(opening)
    call(nested(7), Any, Limits(depth=7))
    assert exceeds(call, nested(8), Any, Limits(depth=7), reason.format(7)) == 7 * len(opening)
    call(nested(5000), Any, Limits(depth=5000))
    # Hostile input never closes them.
    exceeds(call, opening * 100_000, Any, None, reason.format(1000))


@each_call
def test_depth_where_it_is_skipped(call: Call) -> None:
    data = b'{"no": ' + b"[" * 999 + b"]" * 999 + b', "a": 1}'
    assert call(data, Wanted, None).a == 1
    data = b'{"no": ' + b"[" * 1000 + b"]" * 1000 + b', "a": 1}'
    exceeds(call, data, Wanted, None, "nested deeper than 1000 levels (limits.depth)")


def test_depth_counts_from_the_top() -> None:
    rows = penstock.json.read([b'{"a": [[1], [[2]]]}'], at="a/*", limits=Limits(depth=3))
    assert next(rows) == [1]
    with pytest.raises(LimitExceeded, match=r"limits\.depth") as caught:
        next(rows)
    assert (caught.value.offset, caught.value.record) == (13, 2)


def test_depth_of_recursive_classes() -> None:
    data = b'{"a": ' * 1000 + b"1" + b"}" * 1000

    class Node:
        a: "Node | None" = None

    plan = penstock.Plan(Node, namespace={"Node": Node})
    node = decode(data[:-1000].replace(b"1", b"null", 1) + b"}" * 1000, plan)
    for _ in range(999):
        node = node.a
    assert node.a is None
    with pytest.raises(LimitExceeded, match=r"limits\.depth"):
        decode(b'{"a": ' + data + b"}", plan)


# --- Tokens ------------------------------------------------------------------------------------


@each_call
@pytest.mark.parametrize("filling", [b"x", "é".encode(), b"\\n"])
def test_tokens(call: Call, filling: bytes) -> None:
    small = Limits(token=10)
    fits, large = filling * (10 // len(filling)), filling * (12 // len(filling))
    reason = "a string longer than 10 bytes (limits.token)"
    call(b'{"' + fits + b'": "' + fits + b'"}', Any, small)
    assert exceeds(call, b'["a", "' + large + b'"]', Any, small, reason) == 6
    assert exceeds(call, b'{"' + large + b'": 1}', Any, small, reason) == 1
    assert exceeds(call, b'{"' + large + b'": 1}', Wanted, small, reason) == 1
    assert exceeds(call, b'{"a": "' + large + b'"}', Wanted, small, reason) == 6
    call(b'["a", "' + large + b'"]', Any, Limits(token=12))


@each_call
def test_what_is_skipped_is_never_kept_and_may_be_of_any_length(call: Call) -> None:
    long = b"x" * 100
    data = b'{"no": ["' + long + b'", {"' + long + b'": 1}], "a": 1}'
    assert call(data, Wanted, Limits(token=10)).a == 1


@each_call
def test_numbers(call: Call) -> None:
    reason = "a number longer than {} bytes (limits.number)"
    for into in (Any, list[float], list[Decimal]):
        assert call(b"[" + b"1" * 300 + b"]", into, Limits(number=300))
        for text in (b"1" * 301, b"-" + b"1" * 300, b"0." + b"1" * 299, b"1e" + b"0" * 299):
            place = exceeds(call, b"[" + text + b"]", into, Limits(number=300), reason.format(300))
            assert place == 1
        exceeds(call, b"[" + b"1" * 4301 + b"]", into, None, reason.format(4300))
        exceeds(call, b"[" + b"1" * 100_000, into, None, reason.format(4300))
    exceeds(call, b'{"no": ' + b"1" * 301 + b"}", Wanted, Limits(number=300), reason.format(300))


@pytest.mark.parametrize("into", [Any, Wanted])
def test_byte_by_byte_the_same(into: Any) -> None:
    limits = Limits(depth=20, token=10, number=10)
    for data, name in [
        (b"[" * 20 + b"]" * 20, "depth"),
        (b'{"no": ' + b"[" * 19 + b"]" * 19 + b"}", "depth"),
        (b'{"a": "' + b"x" * 11 + b'"}', "token"),
        (b'{"' + b"x" * 11 + b'": 1}', "token"),
        (b'{"a": ' + b"1" * 11 + b"}", "number"),
        (b'{"no": ' + b"1" * 11 + b"}", "number"),
    ]:
        if into is Wanted and data.startswith(b"["):
            continue
        with pytest.raises(LimitExceeded, match=rf"limits\.{name}"):
            fed(data, into, limits)
    assert fed(b'"' + b"x" * 10 + b'"', Any, limits) == "x" * 10


# --- The whole ---------------------------------------------------------------------------------


@each_call
def test_total(call: Call) -> None:
    data = b'["' + b"x" * 96 + b'"]'
    call(data, Any, Limits(total=100))
    with pytest.raises(LimitExceeded, match=r"limits\.total") as caught:
        call(data, Any, Limits(total=99))
    assert caught.value.offset == 99


def test_total_of_a_stream() -> None:
    rows = penstock.ndjson.read([b"1\n2\n", b"3\n4\n"], limits=Limits(total=5))
    assert [next(rows), next(rows)] == [1, 2]
    with pytest.raises(LimitExceeded, match=r"limits\.total") as caught:
        list(rows)
    assert caught.value.offset == 5
    decoder = penstock.ndjson.Decoder(limits=Limits(total=5))
    assert decoder.feed(b"1\n2\n") == [1, 2]
    with pytest.raises(LimitExceeded, match=r"limits\.total"):
        decoder.feed(b"3\n4\n") and decoder.feed(b"")


def test_an_endless_stream_needs_no_end() -> None:
    def endless() -> Any:
        while True:
            yield b" " * 65_536

    with pytest.raises(LimitExceeded, match=r"limits\.total"):
        penstock.json.load(endless(), limits=Limits(total=1 << 20))
