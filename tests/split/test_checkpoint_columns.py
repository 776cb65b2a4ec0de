"""Checkpoints of columns: behind the last row of a batch, whoever has read further."""

from __future__ import annotations

import json
import pickle
import plistlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pyarrow as pa
import pytest

import penstock

Resume = penstock.Checkpoint | Literal["start"]


@dataclass
class Row:
    n: int
    name: str


def moved(checkpoint: penstock.Checkpoint) -> penstock.Checkpoint:
    """Return a checkpoint as another process would have it."""
    through_json = penstock.Checkpoint.from_dict(json.loads(json.dumps(checkpoint.as_dict())))
    return pickle.loads(pickle.dumps(through_json))


def named(n: int) -> str:
    return f"row {n} " + "né" * (n % 50)


def lines(numbers: range) -> str:
    return "".join(json.dumps({"n": n, "name": named(n)}) + "\n\n"[: 1 + n % 2] for n in numbers)


def tabular(numbers: range) -> str:
    return "name,n\n" + "".join(f"{named(n)},{n}\n" for n in numbers)


def listed(numbers: range) -> str:
    return "[" + " ,\n".join(json.dumps({"n": n, "name": named(n)}) for n in numbers) + "]"


def elements(numbers: range) -> str:
    rows = (f"<i><n>{n}</n><name>{named(n)}</name></i>\n" for n in numbers)
    return f"<r>\n<g>{''.join(rows)}</g></r>\n"


def grouped(numbers: range) -> str:
    return f'{{"meta": [1], "groups": [{{"rows": {listed(numbers)}}}, {{"rows": []}}]}}'


def members(numbers: range) -> bytes:
    rows = [{"n": n, "name": named(n)} for n in numbers]
    return plistlib.dumps(rows, fmt=plistlib.FMT_BINARY)


FORMS: dict[str, tuple[Callable[[range], Any], Any]] = {
    "rows.ndjson": (lines, None),
    "rows.csv": (tabular, None),
    "rows.json": (listed, None),
    "inside.json": (grouped, "groups/*/rows/*"),
    "rows.xml": (elements, "r/g/i"),
    "rows.plist": (members, None),
}


def written(folder: Path, name: str, count: int) -> tuple[Path, Any]:
    make, at = FORMS[name]
    content = make(range(count))
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path, at


def numbers(batch: Any) -> list[int]:
    return pa.record_batch(batch).column("n").to_pylist()


@pytest.mark.parametrize("name", list(FORMS))
@pytest.mark.parametrize("mode", [None, "start"])
def test_columns_go_on_behind_each_batch(tmp_path: Path, name: str, mode: Any) -> None:
    path, at = written(tmp_path, name, 23)
    for rows in (1, 4, 23, 100):
        columns = penstock.columns(path, Row, at=at, rows=rows, resume=mode)
        seen: list[int] = []
        assert moved(columns.checkpoint()).records == 0
        while True:
            batch = next(columns, None)
            seen += [] if batch is None else numbers(batch)
            kept = moved(columns.checkpoint())
            assert kept.records == len(seen)
            rest = penstock.columns(path, Row, at=at, rows=7, resume=kept)
            assert seen + [n for batch in rest for n in numbers(batch)] == list(range(23))
            objects = penstock.read(path, Row, at=at, resume=kept)
            assert seen + [row.n for row in objects] == list(range(23))
            if batch is None:
                break


@pytest.mark.parametrize("name", list(FORMS))
@pytest.mark.parametrize("mode", [None, "start"])
def test_several_threads_read_ahead(tmp_path: Path, name: str, mode: Any) -> None:
    count = 60_000
    path, at = written(tmp_path, name, count)
    for rows in (9_999, 30_000):
        columns = penstock.columns(path, Row, at=at, rows=rows, threads=3, resume=mode)
        seen = 0
        for batch in columns:
            assert numbers(batch)[0] == seen
            seen += len(batch)
            kept = moved(columns.checkpoint())
            assert kept.records == seen
            rest = penstock.read(path, Row, at=at, resume=kept)
            assert next(rest, Row(count, "")).n == seen
            assert seen == count or rest.place.record == seen + 1
            if seen < count:
                # It knows the line, too.
                place = penstock.read(path, Row, at=at)
                if seen < 2 * rows:
                    for _ in range(seen + 1):
                        next(place)
                    assert place.place == rest.place
            rest = penstock.columns(path, Row, at=at, rows=rows, threads=2, resume=kept)
            following = next(rest, None)
            assert seen == count if following is None else numbers(following)[0] == seen
        assert columns.reader._pieces() > 0
        assert seen == count


def test_rows_in_error_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    bad = {70_000, 70_001, 110_000}
    rows = ({"n": "x" if n in bad else n, "name": named(n)} for n in range(120_000))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for threads in (1, 3):
        resume: Resume = "start"
        seen: list[int] = []
        skipped = 0
        while True:
            columns = penstock.columns(
                path, Row, rows=9_999, threads=threads, errors="skip", resume=resume
            )
            found = [
                numbers(batch) for batch in (next(columns, None), next(columns, None)) if batch
            ]
            resume = moved(columns.checkpoint())
            seen += [n for batch in found for n in batch]
            skipped = resume.records - len(seen)
            if not found:
                break
        assert seen == [n for n in range(120_000) if n not in bad]
        assert skipped == 3


def test_an_error_behind_a_batch(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text('{"n": 1, "name": ""}\n{"n": 2, "name": ""}\n{"n": "x"}\n')
    columns = penstock.columns(path, Row)
    assert numbers(next(columns)) == [1, 2]
    with pytest.raises(ValueError, match="the reader has failed behind the last record"):
        columns.checkpoint()
    with pytest.raises(penstock.ValidationError):
        next(columns)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_consumer_takes_all(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text(lines(range(60_000)) + '{"n"')
    columns = penstock.columns(path, Row, threads=threads, resume="start")
    assert pl.DataFrame(columns)["n"].to_list() == list(range(60_000))
    kept = moved(columns.checkpoint())
    assert kept.records == 60_000
    with path.open("a") as file:
        file.write(': 60000, "name": "last"}\n')
    columns = penstock.columns(path, Row, threads=threads, resume=kept)
    assert pa.table(columns).to_pylist() == [{"n": 60_000, "name": "last"}]
    # The stream was released.
    assert columns.checkpoint().records == 60_001


def test_a_consumer_takes_some(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text(lines(range(10)))
    columns = penstock.columns(path, Row, rows=4)
    stream = pa.RecordBatchReader.from_stream(columns)
    assert numbers(stream.read_next_batch()) == [0, 1, 2, 3]
    kept = columns.checkpoint()
    assert pa.table(penstock.columns(path, Row, resume=kept))["n"].to_pylist() == list(range(4, 10))
    stream.close()
    with pytest.raises(ValueError, match="there is no checkpoint: this Reader is closed"):
        columns.checkpoint()


def test_a_reader_that_was_closed_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text(lines(range(3)))
    with penstock.read(path, Row) as reader:
        assert len(list(reader)) == 3
    assert reader.checkpoint().records == 3
    with penstock.read(path, Row) as reader:
        assert len(next(reader.batches(3))) == 3
    # It may be that there are more.
    with pytest.raises(ValueError, match="there is no checkpoint: this Reader is closed"):
        reader.checkpoint()


@pytest.mark.parametrize("threads", [1, 3])
def test_columns_of_several_files(tmp_path: Path, threads: int) -> None:
    folder = tmp_path / "days"
    folder.mkdir()
    for day in range(3):
        numbers_of_day = range(day * 40_000, (day + 1) * 40_000)
        (folder / f"{day}.ndjson").write_text(lines(numbers_of_day))
    resume: Resume = "start"
    seen: list[int] = []
    while True:
        columns = penstock.columns(folder, Row, rows=30_001, threads=threads, resume=resume)
        batch = next(columns, None)
        resume = moved(columns.checkpoint())
        if batch is None:
            break
        seen += numbers(batch)
    assert seen == list(range(120_000))
    (folder / "3.csv").write_text(tabular(range(5)))
    columns = penstock.columns(folder, Row, threads=threads, resume=resume)
    assert [n for batch in columns for n in numbers(batch)] == [0, 1, 2, 3, 4]


def test_a_schema_says_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text(lines(range(10)))
    schema = penstock.schema(path)
    columns = penstock.columns(path, schema, rows=4, resume="start")
    assert numbers(next(columns)) == [0, 1, 2, 3]
    kept = columns.checkpoint()
    rest = penstock.columns(path, schema, resume=kept)
    assert pa.schema(rest) == pa.schema(schema)
    assert numbers(next(rest)) == [4, 5, 6, 7, 8, 9]
    reason = "with resume=, columns are those of a class or of a schema"
    for place in ("start", kept):
        with pytest.raises(penstock.PlanError, match=reason):
            penstock.columns(path, resume=place)
    # Without resume=, they are found, and there are checkpoints as well.
    columns = penstock.columns(path, rows=4)
    assert numbers(next(columns)) == [0, 1, 2, 3]
    assert numbers(next(penstock.columns(path, schema, resume=columns.checkpoint()))) == [
        4,
        5,
        6,
        7,
        8,
        9,
    ]

    @dataclass
    class Price:
        n: Decimal

    columns = penstock.columns(path, Price, rows=4)
    next(columns)
    with pytest.raises(penstock.PlanError, match="say how many digits it has"):
        penstock.columns(path, Price, resume=columns.checkpoint())
