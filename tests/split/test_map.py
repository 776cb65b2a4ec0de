"""`penstock.map`: a function over the records of parts, in several processes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

import penstock


@dataclass(slots=True)
class Row:
    n: int
    name: str | None = None


COUNT = 5_000


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("map") / "rows.ndjson"
    made.write_text("".join(f'{{"n": {n}, "name": "{n:x}"}}\n' for n in range(COUNT)))
    return made


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("map") / "bad.ndjson"
    lines = [f'{{"n": {json.dumps(str(n) if n % 1000 == 7 else n)}}}\n' for n in range(COUNT)]
    made.write_text("".join(lines))
    return made


# What is worked with must be found by name in another process.
def numbers(rows: Iterable[Row]) -> list[int]:
    return [row.n for row in rows]


def first(rows: Iterable[Row]) -> int:
    return next(iter(rows)).n


def process(rows: Iterable[Row]) -> tuple[int, int]:
    return os.getpid(), sum(1 for _ in rows)


def broken(rows: Iterable[Row]) -> int:
    raise LookupError(f"no row {first(rows)}")


def killed(rows: Iterable[Row]) -> int:
    total = 0
    for row in rows:
        if row.n == COUNT - 10:
            os.kill(os.getpid(), signal.SIGKILL)
        total += 1
    return total


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_the_parts(path: Path, processes: int) -> None:
    with penstock.map(path, Row, numbers, processes=processes, bytes=10_000) as found:
        assert len(found.splits) > 10
        assert [n for part in found for n in part] == list(range(COUNT))
        text = path.stat().st_size
        assert found.progress == penstock.MapProgress(
            len(found.splits), len(found.splits), COUNT, text, text
        )


def test_it_works_in_other_processes(path: Path) -> None:
    done = list(penstock.map(path, Row, process, processes=2, bytes=20_000))
    assert os.getpid() not in {pid for pid, _ in done}
    assert len({pid for pid, _ in done}) == 2
    assert sum(count for _, count in done) == COUNT


def test_parts_that_are_known(path: Path) -> None:
    splits = penstock.split(path, parts=3)
    with penstock.map(splits, Row, first, processes=2) as found:
        assert found.splits is splits
        assert list(found) == [part.records_before for part in splits]


def test_several_files_and_a_place(tmp_path: Path) -> None:
    for name, begin in (("a.json", 0), ("b.json", 100)):
        rows = [{"n": n} for n in range(begin, begin + 100)]
        (tmp_path / name).write_text(json.dumps({"rows": rows}))
    found = penstock.map(tmp_path, Row, numbers, processes=2, bytes=300, at="rows/*")
    assert [n for part in found for n in part] == list(range(200))
    assert {Path(part.path).name for part in found.splits} == {"a.json", "b.json"}


def test_nothing_is_read_ahead_of_a_caller_who_stops(path: Path) -> None:
    with penstock.map(path, Row, numbers, processes=2, bytes=1_000) as found:
        assert next(found)[0] == 0
    assert found.progress.parts == 1
    assert list(found) == []


def test_an_error_comes_in_place_of_its_part(bad: Path) -> None:
    found = penstock.map(bad, Row, numbers, processes=2, bytes=5_000)
    got = []
    with pytest.raises(penstock.ValidationError) as caught:
        got.extend(found)
    with pytest.raises(penstock.ValidationError) as expected:
        list(penstock.read(bad, Row))
    assert str(caught.value) == str(expected.value)
    assert [part.records_before for part in found.splits][found.progress.parts] <= 7
    assert list(found) == []


def test_records_in_error_are_skipped(bad: Path) -> None:
    found = penstock.map(bad, Row, numbers, processes=2, bytes=5_000, errors="skip")
    good = [n for n in range(COUNT) if n % 1000 != 7]
    assert [n for part in found for n in part] == good
    assert found.progress.records == len(good)


def test_errors_are_collected(bad: Path) -> None:
    with pytest.raises(ExceptionGroup) as expected:
        list(penstock.read(bad, Row, errors="collect"))
    found = penstock.map(bad, Row, numbers, processes=2, bytes=5_000, errors="collect")
    got: list[int] = []
    with pytest.raises(ExceptionGroup) as caught:
        got.extend(n for part in found for n in part)
    assert got == [n for n in range(COUNT) if n % 1000 != 7]
    assert str(caught.value) == str(expected.value) == "5 records in error (5 sub-exceptions)"
    assert [str(e) for e in caught.value.exceptions] == [str(e) for e in expected.value.exceptions]


@pytest.mark.parametrize("most", [1, 2])
def test_more_errors_than_may_be_kept(bad: Path, most: int) -> None:
    with pytest.raises(ExceptionGroup) as expected:
        list(penstock.read(bad, Row, errors="collect", max_errors=most))
    found = penstock.map(
        bad, Row, numbers, processes=2, bytes=5_000, errors="collect", max_errors=most
    )
    with pytest.raises(ExceptionGroup) as caught:
        list(found)
    assert str(caught.value) == str(expected.value)
    assert found.progress.parts < len(found.splits)


def test_a_function_gets_the_errors_here(bad: Path) -> None:
    told: list[penstock.DecodeError] = []
    with penstock.map(bad, Row, numbers, processes=2, bytes=5_000, errors=told.append) as found:
        assert sum(map(len, found)) == COUNT - 5
    assert [error.record for error in told] == [8, 1008, 2008, 3008, 4008]


def test_an_exception_of_the_function(path: Path) -> None:
    found = penstock.map(path, Row, broken, processes=2, bytes=5_000)
    with pytest.raises(LookupError, match="no row 0"):
        next(found)
    assert list(found) == []


def test_a_worker_that_is_killed_is_reported(path: Path) -> None:
    found = penstock.map(path, Row, killed, processes=2, bytes=10_000)
    got = []
    with pytest.raises(RuntimeError) as caught:
        got.extend(found)
    message = str(caught.value)
    assert message.startswith("a worker process was killed. These parts are not done:\n")
    last = found.splits[-1]
    assert f"  {last}" in message.splitlines()
    # What was done before is there, in order, and nothing twice.
    done = found.splits[: len(got)]
    assert sum(got) == found.progress.records == found.splits[len(done)].records_before


def test_what_cannot_be_pickled(path: Path) -> None:
    with pytest.raises(TypeError, match="another process cannot get the function or the type: "):
        penstock.map(path, Row, lambda rows: len(list(rows)))


def test_options(path: Path) -> None:
    with pytest.raises(ValueError, match="processes must be at least 1, not 0"):
        penstock.map(path, Row, numbers, processes=0)
    with pytest.raises(ValueError, match="max_errors must be at least 1"):
        penstock.map(path, Row, numbers, max_errors=0)
    with pytest.raises(ValueError, match="bytes must be at least 1, not 0"):
        penstock.map(path, Row, numbers, bytes=0)
    with penstock.map(path, int, list, processes=1, at="n") as found:
        assert next(found)[:3] == [0, 1, 2]
