"""Rows behind those of a file."""

from __future__ import annotations

import asyncio
import gzip
import signal
from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import assert_linear

import penstock
from penstock.csv import Dialect


@dataclass
class Row:
    """Two columns."""

    a: int
    b: str = ""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.csv"


def refused(kind: type[Exception], rows: list[Any], path: Path, **options: Any) -> str:
    before = path.read_bytes()
    with pytest.raises(kind) as caught:
        penstock.csv.dump(rows, path, append=True, **options)
    assert path.read_bytes() == before
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv"])
def test_the_header_is_written_once(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    for verb in (penstock.dump, penstock.csv.dump):
        verb([Row(1, "x"), Row(2)], path, append=True)
    for open_writer in (penstock.write, penstock.csv.write):
        with open_writer(path, Row, append=True) as writer:
            writer.write(Row(3))
    penstock.csv.dump([{"b": "y", "a": 4}, {"b": "z"}], path, append=True)

    async def write() -> None:
        async with penstock.aio.write(path, Row, append=True) as writer:
            await writer.write(Row(5))

    asyncio.run(write())
    rows = [Row(1, "x"), Row(2), Row(1, "x"), Row(2), Row(3), Row(3)]
    found = penstock.csv.load(path, dict[str, str])
    expected = [{"a": str(row.a), "b": row.b} for row in rows]
    assert found == [*expected, {"a": "4", "b": "y"}, {"a": "", "b": "z"}, {"a": "5", "b": ""}]


def test_other_columns_are_refused(path: Path) -> None:
    path.write_text("b,a\nx,1\n")
    assert refused(penstock.EncodeError, [Row(1)], path) == (
        'the file has the columns "b", "a", and the class has "a", "b" (record 1)'
    )
    with pytest.raises(penstock.EncodeError) as caught:
        penstock.csv.write(path, Row, append=True)
    assert str(caught.value) == 'the file has the columns "b", "a", and the class has "a", "b"'
    assert refused(penstock.EncodeError, [{"c": 1}], path) == (
        "['c']: there is no column \"c\" in the header (record 1)"
    )
    headless = Dialect(header=None)
    assert refused(penstock.EncodeError, [[1]], path, dialect=headless) == (
        "the file has 2 columns, and the first row has 1 (record 1)"
    )
    names = Dialect(header=["x"])
    assert refused(ValueError, [], path, dialect=names) == (
        "the file has 2 columns, and header names 1"
    )
    penstock.csv.dump([[1, 2]], path, append=True, dialect=headless)
    penstock.csv.dump([{"y": 1}], path, append=True, dialect=Dialect(header=["x", "y"]))
    assert path.read_bytes() == b"b,a\nx,1\n1,2\n,1\n"


def test_a_mark_and_ends_of_lines(path: Path) -> None:
    penstock.csv.dump([Row(1)], path, append=True, encoding="utf-8-sig")
    penstock.csv.dump([Row(2)], path, append=True, encoding="utf-8-sig")
    assert path.read_bytes() == b"\xef\xbb\xbfa,b\n1,\n2,\n"
    crlf = Dialect(terminator="\r\n")
    path.unlink()
    for number in (1, 2):
        penstock.csv.dump([Row(number)], path, append=True, dialect=crlf)
    assert path.read_bytes() == b"a,b\r\n1,\r\n2,\r\n"
    assert refused(ValueError, [], path, dialect=Dialect(terminator=";")) == (
        "append= needs rows that end with a line feed"
    )


@pytest.mark.parametrize("whole", ["a,b\n1,x\n", 'a,b\n1,"x\ny"\n'])
@pytest.mark.parametrize(
    "torn",
    ["2", "2,x", '2,"x', '2,"x\n', '2,"x\n3,y\nz', '"2\n","x\n', '2,"x\n,"', '2,"x\n""\ny",z'],
)
def test_a_torn_row(path: Path, whole: str, torn: str) -> None:
    path.write_text(whole + torn)
    with pytest.raises(penstock.TruncatedInput) as caught:
        penstock.csv.dump([Row(9)], path, append=True)
    assert path.read_text() == whole + torn
    if torn.count('"') % 2:
        assert caught.value.reason == "a quote that is never closed"
        assert caught.value.__notes__ == ["torn='cut' removes the row."]
    else:
        assert "has no line feed: its record may be torn" in caught.value.reason
    penstock.csv.dump([Row(9)], path, append=True, torn="cut")
    assert path.read_text() == whole + "9,\n"


def test_a_torn_row_of_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b'a,b\n1,"x\n'))
    before = path.read_bytes()
    for torn in ("error", "cut"):
        with pytest.raises(penstock.TruncatedInput):
            penstock.csv.dump([Row(1)], path, append=True, torn=torn)  # type: ignore[arg-type]
        assert path.read_bytes() == before


def test_an_exception_keeps_the_rows_before_it(path: Path) -> None:
    path.write_text("a,b\n")
    with pytest.raises(penstock.EncodeError):
        penstock.csv.dump([Row(1), {"c": 1}, Row(2)], path, append=True)
    assert path.read_text() == "a,b\n1,\n"
    writer = penstock.write(path, Row, append=True)
    writer.write(Row(2))
    writer.abort()
    assert path.read_text() == "a,b\n1,\n2,\n"


Nothing = make_dataclass("Nothing", ())

DIALECTS = [
    Dialect(header=None),
    Dialect(";", quote="'", comment="#", header=None),
    Dialect("||", escape="\\", trim=True, terminator="any", header=None),
    Dialect(quote=None, header=None),
    Dialect(terminator="\n", trim=True, comment="#x", header=None),
]


def is_open(text: bytes, dialect: Dialect) -> bool:
    """Whether a text ends within quotes, by reading all of it."""
    found: list[penstock.DecodeError] = []
    # A character that is cut is no error of its own here.
    whole = text.decode(errors="ignore").encode()
    repair = ("nul", "stray_quotes", "bare_cr")
    with penstock.csv.read(
        [whole], Nothing, dialect=dialect, repair=repair, errors=found.append
    ) as reader:
        list(reader)
    return any(error.reason == "a quote that is never closed" for error in found)


def whole(text: bytes, dialect: Dialect) -> int:
    """Where the last whole row ends, by reading the text up to each line feed."""
    ends = [at + 1 for at in range(len(text)) if text[at] == 0x0A]
    return next((end for end in reversed(ends) if not is_open(text[:end], dialect)), 0)


PARTS = [
    "a",
    "b c",
    "\u00e9",
    " ",
    "#",
    "\t",
    "\n",
    "\r\n",
    ",",
    ";",
    "|",
    "||",
    "\0",
    '"',
    '"',
    '""',
]
QUOTES = [',"', '",', '"\n', "'", "''", "';", ";'", "\\", '\\"']


@given(st.sampled_from(DIALECTS), st.lists(st.sampled_from(PARTS + QUOTES), max_size=16))
def test_the_last_whole_row(
    tmp_path_factory: pytest.TempPathFactory, dialect: Dialect, parts: list[str]
) -> None:
    """Penstock finds it as reading does, wherever a file is cut."""
    path = tmp_path_factory.mktemp("rows") / "a.csv"
    # A carriage return alone would end the first line.
    text = ("a\n" + "".join(parts)).encode()
    for cut in range(2, len(text) + 1):
        torn = text[:cut]
        end = whole(torn, dialect)
        path.write_bytes(torn)
        if end == cut:
            penstock.csv.dump([], path, append=True, dialect=dialect)
        else:
            with pytest.raises(penstock.TruncatedInput) as caught:
                penstock.csv.dump([], path, append=True, dialect=dialect)
            is_quote = caught.value.reason == "a quote that is never closed"
            assert is_quote == is_open(torn, dialect)
        assert path.read_bytes() == torn
        penstock.csv.dump([], path, append=True, dialect=dialect, torn="cut")
        assert path.read_bytes() == torn[:end]


def test_where_a_torn_row_is(path: Path) -> None:
    """The place and the number of the row are those of reading."""
    rows = "".join(f'{number},"x\n\u00e9"\n\n' for number in range(40_000))
    path.write_text("\ufeffa,b\n" + rows + '\u00e9,\u00e9\u00e9\n7,"x\ny\n' + "z" * 300)
    for form in (path, path.with_suffix(".csv.gz")):
        if form != path:
            form.write_bytes(gzip.compress(path.read_bytes(), 1))
        with pytest.raises(penstock.TruncatedInput) as caught:
            penstock.csv.dump([Row(9)], form, append=True)
        with pytest.raises(penstock.TruncatedInput) as expected:
            list(penstock.csv.read(form, list[str], dialect=Dialect(header=None)))
        found = caught.value
        assert str(found) == str(expected.value)
        assert str(found) == f"{form}:120003:3: a quote that is never closed (record 40003)"
        assert (found.offset, found.excerpt) == (expected.value.offset, expected.value.excerpt)


def test_rows_that_end_otherwise(path: Path) -> None:
    crlf = Dialect(terminator="\r\n")
    path.write_bytes(b"a,b\r\n1,x\n")
    assert refused(penstock.TruncatedInput, [Row(1)], path, dialect=crlf) == (
        "log.csv: the last row, at byte 5, does not end as rows do: it may be torn; "
        "torn='cut' removes it"
    )
    penstock.csv.dump([Row(2)], path, append=True, dialect=crlf, torn="cut")
    assert path.read_bytes() == b"a,b\r\n2,\r\n"
    path.write_text("a,b\n1,x\n ")
    assert refused(penstock.TruncatedInput, [Row(1)], path) == (
        "log.csv: the last line, at byte 8, has no line feed: its record may be torn; "
        "torn='cut' removes it, a line feed at the end of the file keeps it"
    )
    path.write_bytes("a,b\n".encode("utf-16"))
    assert refused(penstock.MalformedInput, [Row(1)], path) == (
        "log.csv: this looks like UTF-16 (little endian), and UTF-8 would follow"
    )
    path.write_bytes(b'a,b\n\xff,"x\n')
    assert refused(penstock.TruncatedInput, [Row(1)], path) == (
        "log.csv:2:3: a quote that is never closed (record 2)"
    )
    path.write_bytes(b"a,b\r1,x\r")
    for torn in ("error", "cut"):
        assert refused(ValueError, [Row(1)], path, torn=torn) == (
            "append= needs rows that end with a line feed"
        )


def test_nothing_is_cut_off_for_rows_that_cannot_be_written(path: Path) -> None:
    path.write_text('a,b\n1,"')
    for options in ({"dialect": Dialect(skip_rows=1)}, {"quoting": "some"}):
        with pytest.raises(ValueError, match=r"skip_rows|quoting"):
            penstock.csv.dump([Row(1)], path, append=True, torn="cut", **options)  # type: ignore[arg-type]
        assert path.read_text() == 'a,b\n1,"'


@pytest.mark.parametrize("line", ["x\n", '""\n', '",\n"\n', ' "x\n'])
def test_a_long_torn_row_takes_linear_time(path: Path, line: str) -> None:
    def work(size: int) -> Callable[[], None]:
        text = 'a,b\n1,"' + line * size + "x"

        def run() -> None:
            path.write_text(text)
            penstock.csv.dump([], path, append=True, torn="cut")
            assert path.stat().st_size < len(text)

        return run

    assert_linear(work, 50_000)


@pytest.mark.thread_unsafe(reason="a signal is of the whole process")
def test_a_signal_ends_the_walk(path: Path) -> None:
    path.write_bytes(b"a,b\n" + b"1,x\n" * (16 << 20))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(KeyboardInterrupt):
            penstock.csv.dump([Row(1)], path, append=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert path.stat().st_size == 4 + (64 << 20)
