"""`dialect="infer"`: which dialects are found, and how often that is right."""

from __future__ import annotations

import bz2
import contextlib
import csv
import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from linear import assert_linear
from tables import write

import penstock
from penstock.csv import Dialect, decode, infer, read

SAMPLE = 64 << 10


def test_the_reader_says_what_it_found(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.bz2"
    path.write_bytes(bz2.compress("﻿name;größe\nBern;1,5\n".encode("utf-16-le")))
    with read(path, dialect="infer", encoding="utf-16-le") as rows:
        assert rows.dialect is None
        assert list(rows) == [{"name": "Bern", "größe": "1,5"}]
        assert rows.dialect == Dialect(";") == eval(repr(rows.dialect), {"Dialect": Dialect})
    assert infer(path, encoding="utf-16-le") == Dialect(";")
    with read([b"a,b\n1,2\n"]) as rows:
        assert rows.dialect == Dialect()
    with penstock.json.read([b"[1]"]) as numbers:
        assert numbers.dialect is None


@pytest.mark.parametrize("size", [1, 2, 7, 64, 4096])
def test_any_cut_gives_the_same(size: int) -> None:
    text = "Title\n\nn;s\n" + "".join(f"{n};'a;b'\n" for n in range(30))
    data = text.encode()
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    with read(chunks, dialect="infer") as rows:
        assert list(rows) == [{"n": str(n), "s": "a;b"} for n in range(30)]
        assert rows.dialect == Dialect(";", quote="'", skip_rows=2)


@pytest.mark.parametrize("size", [1, 64, 1 << 20])
def test_chunks_that_are_pushed(size: int) -> None:
    data = ("n;s\n" + "1;x\n" * 20_000).encode()
    decoder = penstock.csv.Decoder(dict[str, str], dialect="infer")
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    counts = [len(decoder.feed(chunk)) for chunk in chunks]
    # The first rows come with the chunk that makes the sample whole.
    assert not any(counts[: (SAMPLE - 1) // size])
    assert sum(counts) + len(decoder.finish()) == 20_000


def test_several_files_have_a_dialect_each(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a;b\n1;2\n")
    (tmp_path / "2.csv").write_text("a\tb\n3\t4\n")
    with read(tmp_path, dict[str, int], dialect="infer") as rows:
        found = [(row, rows.dialect) for row in rows]
    first, second = {"a": 1, "b": 2}, {"a": 3, "b": 4}
    assert found == [(first, Dialect(";")), (second, Dialect("\t"))]


NOTHING = "no dialect reads this as a table; "


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        (
            "x,y;z\n",
            penstock.MalformedInput,
            "line 1, column 1: the dialect may be Dialect() or Dialect(';'): say which it is",
        ),
        (
            "a,b\n1,2\n3,4,5\n",
            penstock.MalformedInput,
            (
                f"line 3, column 1: {NOTHING}Dialect() fails here: "
                f"the row has 3 cells, and the rows before it have 2"
            ),
        ),
        (
            'a,b\n"1,2\n',
            penstock.MalformedInput,
            f"line 2, column 1: {NOTHING}Dialect() fails here: a quote that is never closed",
        ),
        (
            "a,b\n1,\0\n",
            penstock.MalformedInput,
            f"line 2, column 3: {NOTHING}Dialect() fails here: a NUL character",
        ),
    ],
)
def test_it_guesses_nothing(text: str, error: type[Exception], said: str) -> None:
    for policy in ("raise", "skip", "collect"):
        with pytest.raises(error) as raised:
            list(read([text.encode()], dialect="infer", errors=policy))  # type: ignore[call-overload]
        assert str(raised.value) == said
    with pytest.raises(error) as raised:
        infer([text.encode()])
    assert str(raised.value) == said


def test_behind_the_sample_a_row_is_like_any_other() -> None:
    text = "n,m\n" + "1,2\n" * SAMPLE + "3\n4,5\n"
    with read([text.encode()], dict[str, int], dialect="infer", errors="skip") as rows:
        assert sum(1 for _ in rows) == SAMPLE + 1
        assert rows.skipped == 1
    # The sample cuts a row within quotes.
    long = "a;b\n" + "1;2\n" * 9 + '1;"' + "x," * SAMPLE + '"\n'
    assert len(decode(long, dialect="infer")) == 10


def test_rows_that_are_repaired() -> None:
    text = "n;s\n" + "1;x\n" * 9 + "2\n"
    with pytest.raises(penstock.MalformedInput, match="no dialect reads this as a table"):
        decode(text, dialect="infer")
    with pytest.warns(penstock.RepairWarning, match="1 short_rows"):
        rows = decode(text, dialect="infer", repair="short_rows")
    assert rows == [{"n": "1", "s": "x"}] * 9 + [{"n": "2", "s": ""}]
    with pytest.raises(penstock.MalformedInput, match="no dialect reads this as a table"):
        decode(text, dialect="infer", repair="long_rows")


def test_bytes_that_are_no_text() -> None:
    data = b"a;b\n1;2\n3;\xff\n5;6\n"
    with read([data], dialect="infer", errors="skip") as rows:
        assert list(rows) == [{"a": "1", "b": "2"}, {"a": "5", "b": "6"}]
    with pytest.raises(penstock.MalformedInput) as raised:
        list(read([data], dialect="infer"))
    assert (raised.value.line, raised.value.column) == (3, 3)


@dataclass
class Size:
    """Names and numbers."""

    name: str
    size: int = 0


def test_a_class_decides() -> None:
    text = "name;size;x,y,z\nBern;7;a,b,c\n"
    with pytest.raises(penstock.MalformedInput, match="may be"):
        decode(text, dialect="infer")
    assert decode(text, Size, dialect="infer") == [Size("Bern", 7)]
    assert infer([text.encode()], Size) == Dialect(";")
    # Two lines that could be rows, and a comment that could be one.
    text = "a,b\nc,d\nname,size\nBern,7\n#Chur,8\n"
    assert decode(text, Size, dialect="infer")[0] == Size("Bern", 7)
    assert infer([text.encode()], Size).skip_rows == 2
    # The class is not in the file: the reader says so.
    with pytest.raises(penstock.ValidationError) as raised:
        decode("a;b\n1;2\n", Size, dialect="infer")
    said = 'Size requires the column "name", which the header lacks; the columns are "a" and "b"'
    assert said in str(raised.value)


def table(text: str) -> list[list[str]]:
    """Return the header, if there is one, and the rows."""
    with read([text.encode()], list[str], dialect="infer") as rows:
        found = list(rows)
        dialect = rows.dialect
    assert dialect is not None
    if dialect.header is None or not text.strip():
        return found
    return [list(next(csv.reader(io.StringIO(text)))), *found]


def test_csv_spectrum(corpus: Callable[[str], Path]) -> None:
    suite = corpus("csv/csv-spectrum")
    for path in sorted(suite.joinpath("csvs").iterdir()):
        text = path.read_bytes().decode()
        expected = json.loads((suite / f"json/{path.stem}.json").read_text())
        expected = expected if isinstance(expected, list) else [expected]
        if path.stem == "location_coordinates":
            # The suite's author changed the number in one of the two files only.
            expected[0]["Contact Phone Number"] = "2095257564"
        if "\r" not in text:
            # The suite's repository has these files without their carriage returns.
            expected = [{k: v.replace("\r\n", "\n") for k, v in row.items()} for row in expected]
        assert decode(text, dialect="infer") == expected, path.name


def test_sineemore(corpus: Callable[[str], Path]) -> None:
    refused = set()
    suite = corpus("csv/sineemore")
    for path in sorted(suite.joinpath("csv").iterdir()):
        text = path.read_bytes().decode()
        truth = suite / f"json/{path.stem}.json"
        if truth.exists() and not path.stem.startswith(("header", "all-empty")):
            assert table(text) == json.loads(truth.read_text()), path.name
        elif not truth.exists():
            try:
                decode(text, dialect="infer")
            except penstock.MalformedInput:
                refused.add(path.stem.removeprefix("bad-"))
    # An empty file, another header, and a cell with quotes in the middle are tables as well.
    assert refused == {
        "header-less-fields",
        "header-more-fields",
        "missing-quote",
        "quotes-with-unescaped-quote",
    }


def test_real_tables(corpus: Callable[[str], Path]) -> None:
    files = [*sorted(corpus("gtfs").rglob("*.txt")), corpus("csv/nyc311.csv")]
    assert len(files) == 26
    assert {path.name for path in files if infer(path) != Dialect()} == set()


def rates(tables: int, *, judged: bool) -> Counter[str]:
    """Return how many tables were read right, wrongly, and not at all."""
    found: Counter[str] = Counter()
    for seed in range(tables):
        written = write(random.Random(seed))
        plain = io.StringIO()
        csv.writer(plain, lineterminator="\n").writerows([written.names, *written.rows])
        if judged and not written.has_header:
            continue
        into: Any = written.into() if judged else dict[str, str]
        try:
            rows = decode(written.text, into, dialect="infer")
        except penstock.MalformedInput:
            found["refused"] += 1
        else:
            found["right" if rows == decode(plain.getvalue(), into) else "wrong"] += 1
    return found


@pytest.mark.skipif(sys.version_info[:2] != (3, 14), reason="the page tells of Python 3.14")
def test_how_often_it_is_right() -> None:
    """The page says these numbers."""
    plain, judged = rates(1000, judged=False), rates(1000, judged=True)
    page = Path("docs/csv_infer.md").read_text(encoding="utf-8")
    said = " ".join(page[page.index("How often is it right?") :].split())
    assert (
        f"In 1,000 tables of real-looking columns that Python's `csv.writer` wrote in all sorts of "
        f"dialects, from one row to 300, Penstock read {plain['right']:,} with every cell right, "
        f"raised an error for {plain['refused']}, and read {plain['wrong']} wrongly (the "
        f"`csv.writer` of CPython 3.14)."
    ) in said
    assert (
        f"With the class of the rows, of {judged.total():,} tables with a header it read "
        f"{judged['right']:,} right, and {judged['wrong']} wrongly"
    ) in said


def test_time_grows_with_the_sample() -> None:
    rows = "12,alder;2020-01-31;'x' \"y\"\n1,b;2020-02-28;'' \"z\"\n"

    def attempt(size: int) -> Any:
        data = (rows * size).encode()
        return lambda: infer([data])

    assert_linear(attempt, 200)


@pytest.mark.parametrize(
    "unit", ['"', ",", "'", "\\", " ", "\n", "\r", "\0", "\x1e", '",\n|; ', "#"]
)
def test_hostile_samples(unit: str) -> None:
    def attempt(size: int) -> Any:
        def run() -> None:
            with contextlib.suppress(penstock.MalformedInput):
                infer([(unit * (size // len(unit))).encode()])

        return run

    assert_linear(attempt, SAMPLE // 4)


def test_a_binary_file_is_no_table() -> None:
    with pytest.raises(penstock.DecodeError):
        infer([random.Random(1).randbytes(SAMPLE)])
