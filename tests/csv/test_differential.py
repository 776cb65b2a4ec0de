"""Beside the csv module: any text reads the same, in any chunking; and time grows with the text."""

from __future__ import annotations

import csv
import io
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
from penstock import DecodeError
from penstock.csv import Dialect

TABLES = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(st.text('ab ,;"\n\r\té0', max_size=6), min_size=columns, max_size=columns),
        min_size=1,
        max_size=6,
    )
)
TEXTS = st.text('ab,"\n\r é', max_size=40)


def lenient(text: str) -> list[list[str]] | None:
    """The rows of the csv module; None if it refuses the text."""
    try:
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None


def chunks(text: str, size: int) -> list[bytes]:
    data = text.encode()
    return [data[at : at + size] for at in range(0, len(data), size)]


def outcome(source: list[bytes] | bytes, dialect: Dialect, errors: str) -> tuple[Any, ...]:
    """The rows, and what was said."""
    found: list[str] = []

    def note(error: DecodeError) -> None:
        found.append(str(error))

    policy: Any = note if errors == "note" else errors
    given = [source] if isinstance(source, bytes) else source
    reader = penstock.csv.read(given, list[str], dialect=dialect, errors=policy)
    rows: list[list[str]] = []
    try:
        rows.extend(reader)
    except DecodeError as error:
        found.append(str(error))
    return rows, found, reader.skipped


@given(
    TABLES, st.sampled_from([",", ";", "\t"]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans()
)
@settings(max_examples=300, deadline=None)
def test_what_the_csv_module_writes(
    table: list[list[str]], delimiter: str, end: str, quoted: bool
) -> None:
    out = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(table)
    text = out.getvalue()
    dialect = Dialect(delimiter, header=None, terminator=end)
    assert penstock.csv.decode(text, list[str], dialect=dialect) == table
    assert (
        penstock.csv.decode(
            text.encode("utf-16-le"), list[str], dialect=dialect, encoding="utf-16-le"
        )
        == table
    )
    for size in (1, 2, 5):
        assert list(penstock.csv.read(chunks(text, size), list[str], dialect=dialect)) == table


@given(TEXTS, st.integers(1, 9), st.booleans())
@settings(max_examples=500, deadline=None)
def test_any_text(text: str, size: int, header: bool) -> None:
    dialect = Dialect(header="first" if header else None, terminator="any")
    whole = outcome(text.encode(), dialect, "note")
    assert outcome(chunks(text, size), dialect, "note") == whole
    assert outcome(chunks(text, size), dialect, "skip")[0] == whole[0]
    rows, errors, _ = whole
    theirs = lenient(text)
    if errors or header or theirs is None or "\0" in text:
        return
    # The csv module takes quotes inside of cells, and all lengths of rows; blank lines are no rows.
    columns = len(rows[0]) if rows else 0
    assert rows == [row or [""] for row in theirs if row or columns == 1][-len(rows) or None :] or (
        columns == 1
    )


@given(TEXTS, st.integers(1, 9))
@settings(max_examples=300, deadline=None)
def test_repairs_in_any_chunking(text: str, size: int) -> None:
    def repaired(source: list[bytes]) -> tuple[Any, ...]:
        reader = penstock.csv.read(source, list[str], repair="all", errors="skip")
        try:
            return [list(row) for row in reader], reader.repairs, reader.skipped
        except DecodeError as error:
            return (str(error),)

    assert repaired(chunks(text, size)) == repaired([text.encode()])


CELL = {
    "plain": "abc,def\n",
    "quoted": '"a,b","c\n"\n',
    "doubled": '"""","a"""\n',
    "short": "a\n",
    "stray": 'a"b,c\n',
}


@pytest.mark.parametrize("cell", CELL)
def test_time_is_linear(cell: str) -> None:
    def seconds(rows: int, size: int) -> float:
        text = ("x,y\n" + CELL[cell] * rows).encode()
        source = [text[at : at + size] for at in range(0, len(text), size)]
        best = 1e9
        for _ in range(3):
            began = time.process_time()
            for _row in penstock.csv.read(source, list[str], errors="skip"):
                pass
            best = min(best, time.process_time() - began)
        return best

    assert seconds(40_000, 1 << 16) < 8 * seconds(10_000, 1 << 16)


@pytest.mark.parametrize("text", ["a" * 1000, '"' + "a\n" * 500 + '"', '"' + '""' * 500 + '"'])
def test_a_row_in_small_chunks_is_linear(text: str) -> None:
    def seconds(times: int) -> float:
        data = ("x\n" + text[:1] + text[1:-1] * times + text[-1:]).encode()
        source = [data[at : at + 16] for at in range(0, len(data), 16)]
        best = 1e9
        for _ in range(7):
            began = time.process_time()
            assert len(list(penstock.csv.read(source, list[str]))) == 1
            best = min(best, time.process_time() - began)
        return best

    assert seconds(400) < 8 * seconds(100)
