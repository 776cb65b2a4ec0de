"""`penstock.spark` on Spark and on Sail: the same rows as on one machine, in several partitions."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import samples
from pyspark.errors import PySparkException
from pyspark.sql import datasource
from pyspark.sql import functions as sql
from pyspark.sql.pandas.types import from_arrow_schema

import penstock
import penstock.spark
from penstock._engines import batches

ERROR = "_error struct<file: string, offset: bigint, line: bigint, column: bigint, record: bigint, path: string, reason: string>"


def reading(spark: Any, **options: object) -> Any:
    reader = spark.read.format("penstock")
    for name, value in options.items():
        reader = reader.option(name, value)
    return reader


def partitions(frame: Any) -> int:
    return frame.select(sql.spark_partition_id().alias("part")).distinct().count()


def lines(path: Path, bad: set[int] = frozenset(), count: int = 100) -> Path:  # type: ignore[assignment]
    rows = [
        {"id": f"x{n}" if n in bad else n, "name": f"name {n}", "price": n / 4}
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", samples.FILES)
def test_400_000_records(name: str, spark: Any, large: Path) -> None:
    path = samples.written(large, name)
    _, cls, at = samples.FILES[name]
    splits = penstock.spark.plan(spark, str(path), bytes=4 << 20, at=at)
    frame = reading(spark, into=f"samples:{cls}", splits=splits).load()
    counted = frame.withColumn("part", sql.spark_partition_id())
    *found, text, parts = counted.agg(
        sql.count("*"),
        sql.sum("id"),
        sql.countDistinct("id"),
        sql.sum("price"),
        sql.max(sql.when(sql.col("id") == 388, sql.col("name"))),
        sql.countDistinct("part"),
    ).first()
    assert found == [samples.COUNT, samples.SUM, samples.COUNT, samples.SUM / 4]
    assert text == ("name 388" if path.suffix == ".xml" else 'a "name", and\nanother 388')
    assert parts == len(json.loads(splits)) > 1


def test_the_class_says_the_schema(spark: Any, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.ndjson")
    frame = reading(spark, into="samples:Item", parts=3).load(str(path))
    assert frame.schema.simpleString() == "struct<id:bigint,name:string,price:double>"
    assert partitions(frame) == 3
    assert [tuple(row) for row in frame.orderBy("id").collect()[:2]] == [
        (0, "name 0", 0.0),
        (1, "name 1", 0.25),
    ]


def test_types_that_spark_has_not(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "kinds.json"
    item = {"id": 1, "name": "a", "price": 0.5}
    record = {
        "small": 255,
        "large": 2**64 - 1,
        "word": "a",
        "pair": [1, 2],
        "counts": {"a": 1},
        "anything": {"b": [1]},
        "inner": item,
        "inners": [item],
    }
    path.write_text(json.dumps([record, record]))
    frame = reading(spark, into="samples:Kinds").load(str(path))
    assert frame.schema.simpleString() == (
        "struct<small:smallint,large:decimal(20,0),word:string,pair:array<bigint>,counts:map<string,bigint>,"
        "anything:string,inner:struct<id:bigint,name:string,price:double>,"
        "inners:array<struct<id:bigint,name:string,price:double>>>"
    )
    found = frame.collect()[1].asDict(recursive=True)
    assert found == {**record, "large": 2**64 - 1, "anything": '{"b":[1]}'}


def test_digits_that_only_the_whole_file_says(spark: Any, tmp_path: Path) -> None:
    # A part is not the whole file, so the class must say them.
    path = tmp_path / "prices.ndjson"
    path.write_text('{"amount": 1}\n{"amount": 12345.678}\n')
    with pytest.raises(PySparkException, match="amount has no column: say how many digits it has"):
        reading(spark, into="samples:Price").load(str(path)).count()


def test_columns_that_are_left_out_are_not_parsed(spark: Any, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.ndjson", bad={3, 50})
    by_option = reading(spark, into="samples:Item", columns="name, price", parts=2).load(str(path))
    assert by_option.columns == ["name", "price"]
    assert by_option.count() == 100
    by_schema = reading(spark, into="samples:Item", parts=2).schema("price double").load(str(path))
    assert by_schema.agg(sql.sum("price")).first()[0] == sum(range(100)) / 4
    without = reading(spark, parts=2).schema("price double, name string").load(str(path))
    assert without.orderBy("price").first().name == "name 0"
    with pytest.raises(PySparkException, match="expected int, got a string"):
        reading(spark, into="samples:Item").load(str(path)).collect()
    with pytest.raises(PySparkException, match="the schema and the option columns name different"):
        reading(spark, columns="name").schema("price double").load(str(path)).collect()


def test_records_in_error(spark: Any, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.ndjson", bad={3, 50, 99})
    source = reading(spark, into="samples:Item", parts=4)
    with pytest.raises(PySparkException, match=r"a\.ndjson:(4|51|100):8: expected int"):
        source.load(str(path)).collect()
    assert source.option("errors", "skip").load(str(path)).count() == 97
    kept = source.option("errors", "column").load(str(path))
    assert kept.columns == ["id", "name", "price", "_error"]
    assert kept.count() == 100
    bad = kept.where("_error is not null").orderBy("_error.record").collect()
    assert [(row.id, row.name, row["_error"].record, row["_error"].line) for row in bad] == [
        (None, None, 4, 4),
        (None, None, 51, 51),
        (None, None, 100, 100),
    ]
    place = bad[1]["_error"]
    told: list[Any] = []
    list(penstock.read(path, samples.Item, errors=told.append))
    assert (place.file, place.offset, place.column) == (str(path), told[1].offset, 8)
    assert (place.path, place.reason) == ("id", "expected int, got a string")
    named = reading(spark, errors="column", error_column="bad").schema(
        "name string, id int, " + ERROR.replace("_error", "bad")
    )
    assert named.load(str(path)).where("bad is not null").count() == 3
    with pytest.raises(PySparkException, match="errors=column needs the column '_error'"):
        reading(spark, errors="column").schema("id int").load(str(path)).collect()


TYPES: Any = [("n", pa.int32()), ("s", pa.string()), ("d", pa.date32()), ("f", pa.float64())]


def test_which_filters_the_reader_tests() -> None:
    filters = [
        datasource.EqualTo(("n",), 3),
        datasource.Not(datasource.EqualTo(("s",), "a")),
        datasource.In(("d",), (datetime.date(2026, 1, 6),)),
        datasource.StringContains(("s",), "b"),
        # Spark evaluates these, or Arrow behind the reader.
        datasource.GreaterThan(("f",), 1.5),
        datasource.IsNull(("n",)),
        datasource.Not(datasource.StringStartsWith(("s",), "x")),
        datasource.LessThan(("a/b",), 3),
        datasource.LessThan(("in", "n"), 3),
    ]
    tested = "any(n) == 3 and any(s) != 'a' and any(d) in (date('2026-01-06'),) and 'b' in any(s)"
    schema = from_arrow_schema(pa.schema([*TYPES, ("a/b", pa.int32())]))
    for options, expected in [
        ({"errors": "skip"}, tested),
        ({"errors": "raise"}, None),
        ({"errors": "skip", "into": "samples:Item"}, None),
    ]:
        given = {"path": "rows.ndjson", "push_filters": "true", **options}
        reader: Any = penstock.spark.DataSource(given).reader(schema)
        left = list(reader.pushFilters(filters))
        assert left == [filters[4], filters[8]]
        assert (None if reader.wanted is None else str(reader.wanted)) == expected


NDJSON = r"""{"n":3,"s":"ab","d":"2026-01-05","f":1}
{"n":null,"s":null,"d":null,"f":2}
{"f":3}
{"n":4,"s":"\u00e9","f":null}
{"n":"3","f":5}
{"n":4,"n":3,"f":6}
{"n":3,"n":4,"f":7}
{"n":3.0,"s":5,"f":8}
{"s":["ab"],"n":3,"f":9}
{"d":"2026-01-05T00:00:00","n":3,"f":10}
{"d":"2026-01-06","s":"","n":-1,"f":11}
"""
CSV = """n,s,d,f
3,ab,2026-01-05,1
,,,2
 3 , ab ,2026-01-06,3
x,ab,,4
4,b,,NaN
"""


@pytest.mark.parametrize("errors", ["skip", "column"])
@pytest.mark.parametrize(
    ("name", "text"),
    [("a.ndjson", NDJSON), ("a.csv", CSV), ("b.csv", "s,f\nab,1\nb,2\n")],
    ids=["ndjson", "csv", "no column"],
)
def test_filters_of_the_reader_keep_the_same_rows(
    name: str, text: str, errors: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    days = [datetime.date(2026, 1, day) for day in (5, 6)]
    compared = [
        each((column,), value)
        for each in (
            datasource.EqualTo,
            datasource.GreaterThan,
            datasource.GreaterThanOrEqual,
            datasource.LessThan,
            datasource.LessThanOrEqual,
        )
        for column, values in {"n": (3, 4), "s": ("ab", "b", ""), "d": days}.items()
        for value in values
    ]
    parts = ("a", "b", "\u00e9", "")
    filters = [
        *compared,
        *(datasource.Not(each) for each in compared),
        *(datasource.In(("n",), values) for values in ((3,), (4, -1), ())),
        *(datasource.StringStartsWith(("s",), part) for part in parts),
        *(datasource.StringEndsWith(("s",), part) for part in parts),
        *(datasource.StringContains(("s",), part) for part in parts),
        datasource.Not(datasource.StringContains(("s",), "b")),
        *(datasource.IsNull(("n",)), datasource.IsNotNull(("n",))),
    ]
    more = [("_error", batches.ERROR)] if errors == "column" else []
    schema = from_arrow_schema(pa.schema([*TYPES, *more]))
    source = penstock.spark.DataSource(
        {"path": str(path), "push_filters": "true", "errors": errors}
    )
    counts = set()
    for each in filters:
        reader: Any = source.reader(schema)
        assert list(reader.pushFilters([each])) == []
        found = [str(list(map(pa.RecordBatch.to_pylist, rows(reader))))]
        counts.add(sum(len(batch) for batch in rows(reader)))
        # Arrow alone.
        reader.wanted = None
        found.append(str(list(map(pa.RecordBatch.to_pylist, rows(reader)))))
        assert found[0] == found[1], each
    assert len(counts) > 2


def rows(reader: Any) -> list[pa.RecordBatch]:
    read = (batch for part in reader.partitions() for batch in reader.read(part))
    return [batch for batch in read if len(batch)]


@pytest.mark.parametrize("pushed", ["true", "false"])
def test_filters_mean_the_same_where_they_are_pushed(
    spark: Any, pushed: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "n": None if n % 7 == 0 else n % 10,
                    "s": None if n % 5 == 0 else f"name {n}",
                    "b": n % 3 == 0,
                    "d": f"2026-01-{n % 28 + 1:02}",
                    "f": n / 4,
                }
            )
            + "\n"
            for n in range(200)
        )
    )
    schema = "n int, s string, b boolean, d date, f double"
    rows = [
        json.loads(line) | {"d": datetime.date.fromisoformat(json.loads(line)["d"])}
        for line in path.read_text().splitlines()
    ]
    # Where an error does not end the job, the reader tests some of the filters.
    errors = "skip" if pushed == "true" else "raise"
    source = reading(spark, push_filters=pushed, errors=errors, parts=3)
    frame = source.schema(schema).load(str(path))
    known = [row for row in rows if row["n"] is not None]
    named = [row for row in rows if row["s"] is not None]
    day = datetime.date(2026, 1, 20)
    for condition, expected in [
        (sql.col("n") == 3, [row for row in known if row["n"] == 3]),
        (sql.col("n") != 3, [row for row in known if row["n"] != 3]),
        (sql.col("n") > 7, [row for row in known if row["n"] > 7]),
        (~(sql.col("n") >= 2), [row for row in known if row["n"] < 2]),
        (sql.col("n").isin(1, 2), [row for row in known if row["n"] in {1, 2}]),
        (~sql.col("n").isin(1, 2), [row for row in known if row["n"] not in {1, 2}]),
        (sql.col("n").isNull(), [row for row in rows if row["n"] is None]),
        (sql.col("n").isNotNull(), known),
        (sql.col("s") < "name 2", [row for row in named if row["s"] < "name 2"]),
        (
            sql.col("s").startswith("name 1"),
            [row for row in named if row["s"].startswith("name 1")],
        ),
        (~sql.col("s").contains("1"), [row for row in named if "1" not in row["s"]]),
        (sql.col("s").endswith("9"), [row for row in named if row["s"].endswith("9")]),
        (sql.col("b"), [row for row in rows if row["b"]]),
        (sql.col("d") >= sql.lit(day), [row for row in rows if row["d"] >= day]),
        (sql.col("f") < 3.5, [row for row in rows if row["f"] < 3.5]),
        (sql.col("n").eqNullSafe(3) | sql.col("b"), [r for r in rows if r["n"] == 3 or r["b"]]),
    ]:
        found = [row.asDict() for row in frame.where(condition).collect()]
        assert sorted(found, key=lambda row: row["f"]) == expected, condition


def test_a_schema_found_in_a_job(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "1.ndjson").write_text('{"a": 1, "c": {"x": 1}}\n{"a": null, "b": null}\n')
    (tmp_path / "2.ndjson").write_text('{"b": "text", "a": 2, "c": {"y": [1.5]}}\n')
    found = penstock.spark.schema(spark, str(tmp_path / "*.ndjson"))
    expected = "struct<a:bigint,c:struct<x:bigint,y:array<double>>,b:string>"
    assert found.simpleString() == expected
    frame = spark.read.format("penstock").schema(found).load(str(tmp_path / "*.ndjson"))
    assert frame.where("a = 2").first().asDict(recursive=True) == {
        "a": 2,
        "b": "text",
        "c": {"x": None, "y": [1.5]},
    }
    # Without a class and a schema, the driver makes the pass.
    assert spark.read.format("penstock").load(str(tmp_path)).schema.simpleString() == expected
    # What tasks have found says more than its type: a fraction changes the integers before it.
    (tmp_path / "3.ndjson").write_text('{"a": 1.5}\n')
    assert penstock.spark.schema(spark, str(tmp_path)).simpleString() == expected.replace(
        "a:bigint", "a:double", 1
    )
    widened = penstock.spark.schema(spark, str(tmp_path))
    (tmp_path / "4.ndjson").write_text('{"a": "text"}\n')
    reason = (
        r"expected a number as in record 1 of .*1\.ndjson, got a string as in record 1 of .*4\."
    )
    with pytest.raises(penstock.ValidationError, match=reason):
        penstock.spark.schema(spark, str(tmp_path))
    # Only a pass over all files knows which record is to be left out.
    assert penstock.spark.schema(spark, str(tmp_path), errors="skip") == widened


def test_a_schema_found_in_the_parts_of_a_file(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "levels.json"
    records = [{"n": n, **({"late": n / 8} if n > 380 else {})} for n in range(400)]
    path.write_text(json.dumps({"levels": records}))
    plan = penstock.spark.plan(spark, str(path), parts=4, at="levels/*")
    assert len(json.loads(plan)) == 4
    found = penstock.spark.schema(spark, splits=plan)
    assert found.simpleString() == "struct<n:bigint,late:double>"
    assert found == penstock.spark.schema(spark, str(path), at="levels/*")
    with pytest.raises(TypeError, match="takes a source, or splits"):
        penstock.spark.schema(spark)
    with pytest.raises(TypeError, match="takes splits without source"):
        penstock.spark.schema(spark, str(path), splits=plan)


def test_a_plan_is_made_in_a_job_and_kept(spark: Any, tmp_path: Path) -> None:
    for n in range(3):
        lines(tmp_path / f"{n}.ndjson")
    plan = penstock.spark.plan(spark, str(tmp_path), parts=6)
    assert json.loads(plan) == [
        json.loads(json.dumps(part.as_dict())) for part in penstock.split(tmp_path, parts=6)
    ]
    frame = reading(spark, into="samples:Item", splits=plan).load()
    assert (partitions(frame), frame.count()) == (6, 300)
    lines(tmp_path / "1.ndjson", count=101)
    with pytest.raises(PySparkException, match=r"1\.ndjson has changed since it was split"):
        frame.count()
    with pytest.raises(PySparkException, match="the option at is known of the parts in splits"):
        reading(spark, into="samples:Item", splits=plan, at="*").load().count()
    with pytest.raises(TypeError, match=r"^plan\(\) takes parts or bytes, not both$"):
        penstock.spark.plan(spark, str(tmp_path), parts=6, bytes=6)


def test_options_that_are_wrong(spark: Any, tmp_path: Path) -> None:
    path = str(lines(tmp_path / "a.ndjson"))
    for options, message in [
        ({"intoo": "samples:Item"}, "there is no option 'intoo'"),
        ({"into": "samples.Item"}, "into must be module:Class, not 'samples.Item'"),
        ({"into": "samples:Nothing"}, "samples has no Nothing"),
        ({"errors": "drop"}, "errors must be raise, skip or column, not 'drop'"),
        ({"columns": "nothing"}, "columns: the records have no 'nothing'"),
        ({"push_filters": "yes"}, "push_filters must be true or false, not 'yes'"),
    ]:
        with pytest.raises(PySparkException, match=message):
            reading(spark, **options).load(path).count()
    with pytest.raises(
        PySparkException, match=r"addresses of nowhere need fsspec|not known: nowhere"
    ):
        reading(spark).load("nowhere://bucket/a.ndjson").count()
    rows = reading(spark).load(path).write.format("penstock").mode("append")
    with pytest.raises(PySparkException, match="penstock opens files by their paths"):
        rows.save("s3://bucket/rows")
    with pytest.raises(PySparkException, match=r"load\(\) needs a path, or the option splits"):
        reading(spark).load().count()
    assert reading(spark).load(f"file://{path}").count() == 100
    assert reading(spark, paths=json.dumps([path, path])).load().count() == 200


def test_520_no_parts_have_no_schema(spark: Any) -> None:
    """An empty list of parts was an IndexError."""
    with pytest.raises(ValueError, match="splits has no part, so there is nothing to find"):
        penstock.spark.schema(spark, splits="[]")
    with pytest.raises(PySparkException, match="splits has no part, so there is nothing to find"):
        reading(spark, splits="[]").load().collect()
