"""A folder that several tasks write has all of their files or none, whatever becomes of a task."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import penstock
from penstock._engines.folder import Folder


def rows(*ids: int) -> list[pa.RecordBatch]:
    return [pa.record_batch({"id": list(ids)})]


def ids(folder: Path) -> list[int]:
    return [row["id"] for row in penstock.read(folder, format="ndjson")]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def started(folder: Path, **options: Any) -> Folder:
    job = Folder(str(folder), **options)
    job.start()
    return pickle.loads(pickle.dumps(job))


def test_files_appear_in_the_order_of_tasks(tmp_path: Path) -> None:
    job = started(tmp_path / "out")
    second, first, empty = job.write(rows(3)), job.write(rows(1, 2)), job.write([])
    assert empty is None
    assert not (tmp_path / "out").exists()
    job.commit([first, empty, second])
    assert ids(tmp_path / "out") == [1, 2, 3]
    assert names(tmp_path / "out") == {f"part-0000{n}-{job.job}.ndjson" for n in (0, 1)}
    assert names(tmp_path) == {"out"}


def test_a_task_that_is_run_twice_or_killed(tmp_path: Path) -> None:
    job = started(tmp_path / "out")
    job.write(rows(1))
    kept = job.write(rows(1))
    # What a killed task leaves.
    (job.hidden / f"{'0' * 32}.ndjson.0123456789abcdef.part").write_text('{"id": 1')
    job.commit([kept])
    assert ids(tmp_path / "out") == [1]
    assert len(names(tmp_path / "out")) == 1
    assert names(tmp_path) == {"out"}


@pytest.mark.parametrize("end", ["commit", "abort"])
def test_a_task_that_outlives_its_job_writes_nothing(end: str, tmp_path: Path) -> None:
    job = started(tmp_path / "out")
    committed: list[set[str]] = []

    def late() -> Any:
        yield from rows(1)
        if end == "commit":
            job.commit([])
        else:
            job.abort()
        committed.append(names(tmp_path))
        yield from rows(2)

    with pytest.raises(FileNotFoundError):
        job.write(late())
    with pytest.raises(FileNotFoundError):
        job.write(rows(3))
    assert committed == [{"out"} if end == "commit" else set()]
    assert names(tmp_path) == committed[0]
    assert not committed[0] or ids_or_none(tmp_path / "out") == []


def ids_or_none(folder: Path) -> list[int]:
    return ids(folder) if names(folder) else []


def test_a_task_that_fails_leaves_no_file(tmp_path: Path) -> None:
    job = started(tmp_path / "out")

    def failing() -> Any:
        yield from rows(1)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        job.write(failing())
    assert names(job.hidden) == set()
    job.abort()
    assert names(tmp_path) == set()


def test_files_are_added_or_replace_a_folder(tmp_path: Path) -> None:
    target = tmp_path / "out"
    for replaces, expected in [(False, [1]), (False, [1, 1]), (True, [1])]:
        job = started(target, replaces=replaces, compression="zstd")
        job.commit([job.write(rows(1))])
        assert ids(target) == expected
        assert names(tmp_path) == {"out"}
    (tmp_path / "link").symlink_to(target)
    job = started(tmp_path / "link", replaces=True)
    job.commit([job.write(rows(5))])
    assert ids(target) == [5]
    assert (tmp_path / "link").is_symlink()


def test_wrong_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'yaml'"):
        Folder(str(tmp_path), format="yaml")
    with pytest.raises(ValueError, match=r"^compression must be one of gzip, .*, bgzf, not 'zip'$"):
        Folder(str(tmp_path), compression="zip")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        Folder(str(tmp_path / "file"))
