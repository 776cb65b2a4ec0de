"""Folders that Spark and Sail write: all files of a job, or none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa  # noqa: TC002 - as in the other tests
import pytest
from pyspark.errors import PySparkException

import penstock


def rows(spark: Any, count: int = 1_000) -> Any:
    return spark.range(count).selectExpr("id", "concat('name ', id) as name").repartition(3)


def names(folder: Path) -> list[str]:
    """The names in a folder without the number of the job."""
    return sorted(path.name.replace(path.name[11:27], "") for path in folder.iterdir())


def ids(folder: Path, **options: Any) -> list[int]:
    return sorted(row["id"] for row in penstock.read(folder, **options))


@pytest.mark.parametrize(
    ("options", "suffix"),
    [
        ({}, ".ndjson"),
        ({"compression": "zstd"}, ".ndjson.zst"),
        ({"format": "json", "compression": "bgzf"}, ".json.bgz"),
        ({"format": "csv", "compression": "gzip", "level": "1"}, ".csv.gz"),
        ({"format": "xml", "at": "items/item"}, ".xml"),
    ],
)
def test_a_folder(spark: Any, options: Any, suffix: str, tmp_path: Path) -> None:
    target = tmp_path / "out"
    rows(spark).write.format("penstock").mode("append").options(**options).save(str(target))
    assert names(target) == [f"part-0000{n}-{suffix}" for n in range(3)]
    assert sorted(int(row["id"]) for row in penstock.read(target)) == list(range(1_000))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_are_added_or_replaced(spark: Any, tmp_path: Path) -> None:
    target = tmp_path / "out"
    for mode, expected in [("append", 1), ("append", 2), ("overwrite", 1)]:
        rows(spark, 10).write.format("penstock").mode(mode).save(str(target))
        assert ids(target) == sorted(list(range(10)) * expected)
        assert len(names(target)) == 3 * expected
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    rows(spark, 0).write.format("penstock").mode("overwrite").save(str(target))
    assert names(target) == []


def fail_at_the_end(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch
        if 777 in batch["id"].to_pylist():
            raise RuntimeError("a task fails")


def test_a_job_that_fails_leaves_nothing(spark: Any, tmp_path: Path) -> None:
    target = tmp_path / "out"
    failing = rows(spark).mapInArrow(fail_at_the_end, "id long, name string")
    with pytest.raises(PySparkException, match="a task fails"):
        failing.write.format("penstock").mode("append").save(str(target))
    assert list(tmp_path.iterdir()) == []
    rows(spark, 10).write.format("penstock").mode("append").save(str(target))
    with pytest.raises(PySparkException, match="a task fails"):
        failing.write.format("penstock").mode("overwrite").save(str(target))
    assert ids(target) == list(range(10))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_wrong_targets(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, options, message in [
        ("out", {"format": "yaml"}, "'yaml'"),
        ("out", {"compression": "zip"}, "compression must be one of gzip, .*, bgzf, not 'zip'"),
        ("out", {"parts": "2"}, "there is no option 'parts'"),
        ("file", {}, "Not a directory"),
    ]:
        with pytest.raises(PySparkException, match=message):
            rows(spark).write.format("penstock").mode("append").options(**options).save(
                str(tmp_path / path)
            )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
