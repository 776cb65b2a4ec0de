"""`penstock.spark.plan` finds the parts of one file in several tasks: those that one pass finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import samples

import penstock
import penstock.spark
from penstock._engines import tasks as _tasks


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tasks each job has."""
    real = penstock.spark._of_files
    counts: list[int] = []

    def counted(spark: Any, verb: str, work: list[Any], options: dict[str, Any]) -> list[bytes]:
        counts.append(len(work))
        return real(spark, verb, work, options)

    monkeypatch.setattr(penstock.spark, "_of_files", counted)
    return counts


def one_pass(path: Path, **options: Any) -> Any:
    return json.loads(json.dumps([part.as_dict() for part in penstock.split(path, **options)]))


@pytest.mark.parametrize("name", samples.FILES)
def test_a_large_file_has_many_tasks(
    name: str, spark: Any, large: Path, jobs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = samples.written(large, name)
    at = samples.FILES[name][2]
    monkeypatch.setattr(_tasks, "LARGE", 3 << 20)
    found = json.loads(penstock.spark.plan(spark, str(path), bytes=1 << 20, at=at))
    assert found == one_pass(path, bytes=1 << 20, at=at)
    assert len(jobs) == 1
    assert jobs[0] == -(-path.stat().st_size // (3 << 20)) > 2


def test_other_lists_take_another_round(
    spark: Any, tmp_path: Path, jobs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tasks, "LARGE", 20_000)
    path = tmp_path / "lists.json"
    lists = {key: [{"id": n, "key": key} for n in range(3_000)] for key in "ab"}
    path.write_text(json.dumps(lists))
    small = tmp_path / "small.json"
    small.write_text(json.dumps({"a": [{"id": 1}] * 50}))
    found = json.loads(penstock.spark.plan(spark, [str(path), str(small)], parts=40, at="*/*"))
    assert found == [*one_pass(path, parts=20, at="*/*"), *one_pass(small, parts=20, at="*/*")]
    assert len(jobs) == 2
