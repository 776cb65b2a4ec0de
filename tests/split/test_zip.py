"""Zip archives in parts: one of one file is one part, and one of many is refused before anything is read."""

import json
import os
import pickle
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock._engines import tasks as _tasks

ROWS = 3_000
FILES = Path("/proc/self/fd")


@dataclass
class Row:
    n: int


def archive(path: Path, *members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in members:
            lines = (f'{{"n": {n}}}\n' for n in range(ROWS))
            made.writestr(name, "n\n1\n2\n" if name.endswith(".csv") else "".join(lines))
    return path


def numbers(rows: Iterable[Row]) -> list[int]:
    return [row.n for row in rows]


def test_one_file_is_one_part(tmp_path: Path) -> None:
    path = archive(tmp_path / "rows.zip", "rows.ndjson")
    parts = penstock.split(path, parts=3)
    assert [(part.begin, part.end, part.format) for part in parts] == [(0, None, "ndjson")]
    assert "it is an archive" in str(parts)
    part = penstock.Split.from_dict(json.loads(json.dumps(parts[0].as_dict())))
    assert part == parts[0]
    assert numbers(pickle.loads(pickle.dumps(part)).read(Row)) == list(range(ROWS))
    assert len(part.load(Row)) == ROWS
    assert str(part.schema()) == str(penstock.schema(path)) == "Schema(n: Int64)"
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(part.columns(Row)).num_rows == ROWS


def test_errors_of_a_part_are_those_of_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "rows.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("in/rows.ndjson", '{"n": 1}\n{"n": "x"}\n')
    (part,) = penstock.split(path)
    with pytest.raises(penstock.ValidationError) as caught:
        part.load(Row)
    with pytest.raises(penstock.ValidationError) as whole:
        list(penstock.read(path, Row))
    assert str(caught.value) == str(whole.value)
    assert str(caught.value).startswith(f"{path}/in/rows.ndjson:2:7: expected int")
    with pytest.raises(penstock.ValidationError, match=r"in/rows\.ndjson"):
        list(part.read(Row, errors="raise"))
    assert numbers(part.read(Row, errors="skip")) == [1]


@pytest.mark.skipif(not FILES.is_dir(), reason="what is open is seen in /proc")
def test_a_reader_closes_the_archive_when_it_ends(tmp_path: Path) -> None:
    path = archive(tmp_path / "rows.zip", "rows.ndjson")

    def opened() -> int:
        return sum(os.path.realpath(file) == str(path) for file in FILES.iterdir())

    (part,) = penstock.split(path)
    for begin in (lambda: penstock.read(path), part.read):
        reader: Any = begin()
        next(reader)
        assert opened() == 1
        reader.close()
        assert opened() == 0
    # One that has failed is kept by nobody's traceback.
    reader = penstock.read(path, int)
    with pytest.raises(penstock.ValidationError):
        next(reader)
    assert opened() == 0


def test_an_archive_that_has_changed(tmp_path: Path) -> None:
    path = archive(tmp_path / "rows.zip", "rows.ndjson")
    (part,) = penstock.split(path)
    archive(path, "rows.ndjson", "more.ndjson")
    for call in (part.read, part.schema):
        with pytest.raises(ValueError, match=r"rows\.zip has changed since it was split"):
            call()


def test_a_dialect_of_the_caller(tmp_path: Path) -> None:
    path = archive(tmp_path / "rows.zip", "rows.csv")
    (part,) = penstock.csv.split(path, dialect=penstock.csv.Dialect(header=None))
    assert part.load(dict) == [{"0": "n"}, {"0": "1"}, {"0": "2"}]


def test_many_files_are_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "rows.zip", "a.ndjson", "b.ndjson")
    reason = (
        f"{path} holds 2 files, and split() takes an archive of one: unpack it, or go through one "
        "with read(member=): 'a.ndjson', 'b.ndjson'"
    )
    calls: list[Any] = [
        lambda: penstock.split(path),
        lambda: penstock.split([path, path], format="ndjson", index=True),
        lambda: penstock.csv.split(path),
        lambda: penstock.map(path, Row, numbers),
        lambda: _tasks.plan(
            [str(path)], lambda todo: [*map(_tasks.work, todo)], 2, None, None, None
        ),
    ]
    for call in calls:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - its whole text is compared
            call()
        assert str(caught.value) == reason
    with pytest.raises(ValueError, match="holds no file"):
        penstock.split(archive(tmp_path / "empty.zip"), format="ndjson")


def test_engines_have_one_task_for_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tasks, "LARGE", 64)
    path = archive(tmp_path / "rows.zip", "rows.ndjson")
    todo: list[dict[str, Any]] = []

    def run(asked: list[dict[str, Any]]) -> list[Any]:
        todo.extend(asked)
        return [*map(_tasks.work, asked)]

    (part,) = _tasks.plan([str(path)], run, 4, None, None, None)
    assert len(todo) == 1
    assert numbers(part.read(Row)) == list(range(ROWS))
