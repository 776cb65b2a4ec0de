"""What Spark's own readers make of the same files: the numbers in `docs/scale.md`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import samples
from pyspark.sql import functions as sql

SCHEMA = "id bigint, name string, price double"


@pytest.mark.parametrize(
    ("name", "format", "options", "rows", "parts"),
    [
        ("elements.xml", "xml", {"rowTag": "item"}, 400_000, 1),
        ("elements.xml", "xml", {"rowTag": "item", "multiLine": "false"}, 400_003, 7),
        ("array.json", "json", {"multiLine": "true"}, 400_000, 1),
        ("array.json", "json", {}, 400_002, 6),
        ("table.csv", "csv", {"header": "true", "escape": '"', "multiLine": "true"}, 400_000, 1),
        ("table.csv", "csv", {"header": "true", "escape": '"'}, 404_124, 3),
        ("lines.ndjson", "json", {}, 400_000, 6),
    ],
)
def test_the_readers_of_spark(
    spark: Any, large: Path, name: str, format: str, options: Any, rows: int, parts: int
) -> None:
    path = samples.written(large, name)
    frame = spark.read.format(format).options(**options).schema(SCHEMA).load(str(path))
    counted = frame.withColumn("part", sql.spark_partition_id())
    # All columns are parsed, as where they are used.
    found = counted.agg(
        sql.count("*"), sql.sum(sql.length("name")), sql.sum("price"), sql.countDistinct("part")
    ).first()
    assert (found[0], found[3]) == (rows, parts)
