"""Files behind an address on Spark and on Sail: each worker asks for its own bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
import samples
from pyspark.sql import functions as sql

import penstock
import penstock.spark
from penstock._engines import tasks as _tasks


def counted(frame: Any) -> list[Any]:
    return list(
        frame.agg(sql.count("*"), sql.sum("id"), sql.countDistinct("id"), sql.sum("price")).first()
    )


WHOLE = [samples.COUNT, samples.SUM, samples.COUNT, samples.SUM / 4]


@pytest.mark.parametrize("name", samples.FILES)
def test_400_000_records(name: str, spark: Any, bucket: str) -> None:
    _, cls, at = samples.FILES[name]
    reader = spark.read.format("penstock").option("into", f"samples:{cls}")
    if at is not None:
        reader = reader.option("at", at)
    assert counted(reader.option("bytes", 4 << 20).load(f"{bucket}/{name}")) == WHOLE


def test_parts_that_a_job_has_planned(spark: Any, bucket: str) -> None:
    address = f"{bucket}/lines.ndjson"
    splits = penstock.spark.plan(spark, address, bytes=4 << 20)
    assert len(json.loads(splits)) > 1
    assert "anything" not in splits
    reader = spark.read.format("penstock").option("splits", splits)
    assert counted(reader.load()) == WHOLE
    said = penstock.spark.schema(spark, splits=splits).simpleString()
    assert said == "struct<id:bigint,name:string,price:double>"
    assert penstock.spark.schema(spark, address).simpleString() == said


def test_parts_that_the_driver_has_found(spark: Any, bucket: str) -> None:
    remote = penstock.remote(f"{bucket}/array.json")
    parts = penstock.split(remote, bytes=4 << 20)
    splits = json.dumps([part.as_dict() for part in parts])
    reader = spark.read.format("penstock").option("into", "samples:Item")
    assert counted(reader.option("splits", splits).load()) == WHOLE


def test_a_large_file_has_many_tasks(
    spark: Any, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{bucket}/array.json"
    jobs: list[int] = []
    real = penstock.spark._of_files

    def counting(session: Any, verb: str, files: list[Any], options: dict[str, Any]) -> list[bytes]:
        jobs.append(len(files))
        return real(session, verb, files, options)

    monkeypatch.setattr(penstock.spark, "_of_files", counting)
    monkeypatch.setattr(_tasks, "LARGE", 3 << 20)
    remote = penstock.remote(address)
    found = json.loads(penstock.spark.plan(spark, address, bytes=1 << 20))
    parts = [part.as_dict() for part in penstock.split(remote, bytes=1 << 20)]
    assert found == json.loads(json.dumps(parts))
    assert jobs == [-(-remote.stat().st_size // (3 << 20))]
    reader = spark.read.format("penstock").option("into", "samples:Item")
    assert counted(reader.option("splits", json.dumps(found)).load()) == WHOLE
