"""Memory while streaming: the peak of a fresh process, which no earlier test can raise."""

from __future__ import annotations

import sys

import pytest
from fresh import kilobytes

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the high-water mark"),
    pytest.mark.thread_unsafe(reason="what is measured is a process of its own"),
]

MEGABYTE = 1 << 20
COMMON = """
from dataclasses import dataclass, field
import penstock

@dataclass(slots=True)
class Row:
    number: int
    name: str
    ratio: float
    tags: list[str] = field(default_factory=list)

def records(size, before, between, after, each_time=b""):
    yield before
    sent = 0
    count = 0
    first = True
    while sent < size:
        lines = []
        for _ in range(500):
            lines.append(b'{"number": %d, "name": "caf\\xc3\\xa9 %d", "ratio": %d.25, "tags": ["a", "tag %d"], "skipped": {"x": [1, 2, "y"]}}' % (count, count, count, count % 7))
            count += 1
        chunk = between.join(lines)
        sent += len(chunk)
        yield (b"" if first else between + each_time) + chunk
        first = False
    yield after
"""


@pytest.fixture(scope="module")
def bare() -> int:
    return kilobytes("")


ROWS = {
    "lines": "sum(1 for row in penstock.ndjson.read(records({size}, b'', b'\\n', b'\\n'), Row))",
    "array": "sum(1 for row in penstock.json.read(records({size}, b'[', b',\\n', b']'), Row))",
    "path": "sum(1 for row in penstock.json.read(records({size}, b'{{\"a\": {{\"b\": [', b', ', b']}}}}'), Row, at='a/b/*'))",
    "plain": "sum(1 for row in penstock.json.read(records({size}, b'[', b',\\n', b']')))",
    "batches": "sum(len(rows) for rows in penstock.ndjson.read(records({size}, b'', b'\\n', b'\\n'), Row).batches(1000))",
    "feed": "fed(penstock.Decoder(Row, format='ndjson'), records({size}, b'', b'\\n', b'\\n'))",
    "skip": "sum(1 for row in penstock.ndjson.read(records({size}, b'', b'\\n', b'\\n', b'{{\"number\": null}}\\n{{\\n'), Row, errors='skip'))",
}
FED = """
def fed(decoder, chunks):
    return sum(len(decoder.feed(chunk)) for chunk in chunks) + len(decoder.finish())
"""


@pytest.mark.parametrize("way", ROWS)
def test_streaming_takes_constant_memory(way: str, bare: int) -> None:
    marks = []
    for megabytes in (10, 100):
        size = megabytes * MEGABYTE
        # Each record is a bit more than a hundred bytes.
        check = f"\nassert {size // 140} < {ROWS[way].format(size=size)} < {size // 90}"
        marks.append(kilobytes(COMMON + FED + check))
    small, large = marks
    assert large - bare <= 32 * 1024
    assert abs(large - small) <= 2 * 1024


@pytest.mark.parametrize(
    ("before", "filler", "after"),
    [
        (
            'b\'[{"number": 1, "name": "a", "ratio": 1, "skipped": "\'',
            "b'0123456789abcdef' * 4096",
            "b'\"}]'",
        ),
        (
            'b\'[{"number": 1, "name": "a", "ratio": 1, "skipped": "\'',
            "'東京'.encode() * 10923",
            "b'\"}]'",
        ),
        (
            'b\'[{"number": 1, "name": "a", "ratio": 1, "skipped": "\'',
            "b'\\\\\\\\n\\\\\\\\u00e9' * 8192",
            "b'\"}]'",
        ),
        (
            'b\'[{"number": 1, "name": "a", "ratio": 1, "skipped": [\'',
            "b'[1, [2.5, {\"a\": null}]], ' * 2730",
            "b'0]}]'",
        ),
        (
            'b\'[{"number": 1, "name": "a", "ratio": 1, "skipped": {\'',
            "b'\"a key\": [1, 2, 3], ' * 3277",
            "b'\"z\": 0}}]'",
        ),
        ('b\'[{"number": 1, "name": "a", "ratio": 1\'', "b' \\n' * 32768", "b'}]'"),
    ],
    ids=["string", "wide string", "escapes", "array", "object", "white space"],
)
def test_one_huge_value_that_is_skipped(before: str, filler: str, after: str, bare: int) -> None:
    script = f"""
def chunks(size):
    yield {before}
    filler = {filler}
    for _ in range(size // len(filler)):
        yield filler
    yield {after}
rows = list(penstock.json.read(chunks(100 << 20), Row))
assert rows == [Row(1, "a", 1.0)], rows
"""
    mark = kilobytes(COMMON + script)
    assert mark - bare <= 32 * 1024


@pytest.mark.parametrize(
    ("before", "after"),
    [('b\'[{"skipped": "\'', "b'\"}]'"), ("b'[\"'", "b'\"]'"), ("b'[1, \"'", "b'\"]'")],
)
def test_a_huge_string_outside_of_the_records_is_checked_in_pieces(
    before: str, after: str, bare: int
) -> None:
    script = f"""
def chunks():
    yield b'{{"head": ' + {before}
    for _ in range(1600):
        yield b"x" * 65536
    yield {after} + b', "rows": [{{"number": 1, "name": "a", "ratio": 1}}]}}'
rows = list(penstock.json.read(chunks(), Row, at="rows/*"))
assert rows == [Row(1, "a", 1.0)], rows
"""
    assert kilobytes(COMMON + script) - bare <= 32 * 1024
