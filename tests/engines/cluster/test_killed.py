"""Executors in JVMs of their own, one of which is killed in the middle: SPARK_MASTER=local-cluster[2,1,1024]."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa  # noqa: TC002 - as in the other tests
import pytest
import samples
from pyspark.sql import functions as sql

import penstock


def killing(marker: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function that kills the executor of its task, once, in the middle of a part."""

    def kill_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch
            if 200_000 in batch["id"].to_pylist():
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    continue
                executor = next(it for it in psutil.Process().parents() if it.name() == "java")
                assert "CoarseGrainedExecutorBackend" in " ".join(executor.cmdline())
                executor.send_signal(signal.SIGKILL)

    return kill_once


@pytest.mark.parametrize("where", ["path", "address"])
def test_an_executor_that_is_killed(
    spark: Any, large: Path, bucket: str, tmp_path: Path, where: str
) -> None:
    assert spark.sparkContext.master.startswith("local-cluster")
    path, target = samples.written(large, "elements.xml"), tmp_path / "out"
    source = str(path) if where == "path" else f"{bucket}/{path.name}"
    frame = (
        spark.read.format("penstock")
        .option("into", "samples:Element")
        .option("at", "items/item")
        .option("bytes", 8 << 20)
        .option("rows", 5_000)
        .load(source)
    )

    marker = tmp_path / "read"
    rows = frame.mapInArrow(killing(marker), frame.schema)
    found = rows.agg(sql.count("*"), sql.countDistinct("id"), sql.sum("id")).first()
    assert marker.exists()
    assert tuple(found) == (samples.COUNT, samples.COUNT, samples.SUM)

    marker = tmp_path / "written"
    rows = frame.mapInArrow(killing(marker), frame.schema)
    rows.write.format("penstock").mode("append").save(str(target))
    assert marker.exists()
    ids = sorted(row.id for row in penstock.read(target, samples.Item))
    assert ids == list(range(samples.COUNT))
    assert all(path.name.startswith("part-") for path in target.iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {"read", "written", "out"}
