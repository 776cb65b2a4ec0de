"""`penstock.ray`: the same rows as on one machine, in several tasks, read and written."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import samples
from ray.data.aggregate import Count, Sum

import penstock
import penstock.ray


def lines(path: Path, bad: set[int] = frozenset(), count: int = 100) -> Path:  # type: ignore[assignment]
    rows = [
        {"id": f"x{n}" if n in bad else n, "name": f"name {n}", "price": n / 4}
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def dataset(ray: Any, *arguments: Any, blocks: int = 4, **options: Any) -> Any:
    source = penstock.ray.Datasource(*arguments, **options)
    return ray.data.read_datasource(source, override_num_blocks=blocks)


@pytest.mark.parametrize("name", samples.FILES)
def test_400_000_records(name: str, ray: Any, large: Path) -> None:
    path = samples.written(large, name)
    _, cls, at = samples.FILES[name]
    source = penstock.ray.Datasource(path, getattr(samples, cls), at=at, bytes=4 << 20)
    assert len(source.get_read_tasks(2)) > 1
    found = ray.data.read_datasource(source).aggregate(Count(), Sum("id"), Sum("price"))
    assert list(found.values()) == [samples.COUNT, samples.SUM, samples.SUM / 4]
    assert dataset(ray, path, getattr(samples, cls), at=at).count() == samples.COUNT


@pytest.mark.parametrize("name", samples.FILES)
def test_a_large_file_is_planned_in_several_tasks(
    name: str, large: Path, work_of_ray: list[int]
) -> None:
    path = samples.written(large, name)
    _, cls, at = samples.FILES[name]
    expected = list(penstock.split(path, bytes=1 << 20, at=at))
    source = penstock.ray.Datasource(path, getattr(samples, cls), at=at, bytes=1 << 20)
    assert list(source._parts(1)) == expected
    assert work_of_ray == [-(-path.stat().st_size // (3 << 20))]


def test_a_task_for_each_part(ray: Any, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.ndjson")
    source = penstock.ray.Datasource(path, samples.Item)
    assert [len(source.get_read_tasks(parts)) for parts in (1, 4, 10)] == [1, 4, 10]
    assert source.estimate_inmemory_data_size() == path.stat().st_size
    splits = penstock.split(path, parts=7)
    assert len(penstock.ray.Datasource(splits, samples.Item).get_read_tasks(2)) == 7
    assert dataset(ray, splits, samples.Item).count() == 100
    with pytest.raises(TypeError, match="are known of parts: split"):
        penstock.ray.Datasource(splits, samples.Item, at="*")


def test_columns_that_nobody_wants_are_not_parsed(ray: Any, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.ndjson", bad={3})
    assert dataset(ray, path, samples.Item, columns=["price"]).sum("price") == sum(range(100)) / 4
    chosen = dataset(ray, path, samples.Item).select_columns(["price", "name"])
    # Ray hands the rows of that part out first whose task ends first.
    rows = sorted(chosen.take_all(), key=lambda row: row["price"])
    assert rows == [{"price": n / 4, "name": f"name {n}"} for n in range(100)]
    with pytest.raises(penstock.ValidationError, match="expected int, got a string"):
        dataset(ray, path, samples.Item).materialize()


def test_digits_that_only_the_whole_file_says(ray: Any, tmp_path: Path) -> None:
    # A part is not the whole file, so the class must say them.
    path = tmp_path / "prices.ndjson"
    path.write_text('{"amount": 1}\n{"amount": 12345.678}\n')
    assert ray.is_initialized()
    with pytest.raises(penstock.PlanError, match="amount has no column: say how many digits it"):
        penstock.ray.Datasource(path, samples.Price)


def test_without_a_class(ray: Any, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.ndjson")
    found = dataset(ray, path)
    assert found.schema().names == ["id", "name", "price"]
    assert found.schema().types == [pa.int64(), pa.string(), pa.float64()]
    schema = pa.schema([("price", pa.float64())])
    assert dataset(ray, path, schema).sum("price") == sum(range(100)) / 4


def test_only_the_wanted_records(ray: Any, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.ndjson", bad={3})
    wanted = penstock.field("price") > 20
    kept = list(penstock.read(path, samples.Item, where=wanted))
    for where in (wanted, "price > 20"):
        found = dataset(ray, path, samples.Item, where=where)
        # The record in error is not wanted, so it is not checked.
        assert found.count() == len(kept) == 19
        assert found.select_columns(["id"]).sum("id") == sum(row.id for row in kept)
    plain = dataset(ray, path, where=wanted)
    # The text of the record in error would make other columns.
    assert plain.schema().types == [pa.int64(), pa.string(), pa.float64()]
    assert plain.count() == 19
    splits = penstock.split(path, parts=3)
    assert dataset(ray, splits, samples.Item, where=wanted, columns=["name"]).count() == 19
    with pytest.raises(ValueError, match=r"^where: "):
        penstock.ray.Datasource(path, samples.Item, where="price >")
    with pytest.raises(penstock.PlanError, match="is another kind of value"):
        penstock.ray.Datasource(path, samples.Item, where=penstock.field("price") > "a")


def test_records_in_error(ray: Any, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.ndjson", bad={3, 50, 99})
    assert dataset(ray, path, samples.Item, errors="skip").count() == 97
    kept = dataset(ray, path, samples.Item, errors="column")
    rows = kept.take_all()
    assert len(rows) == kept.count() == 100
    bad = sorted((row["_error"]["record"], row["id"]) for row in rows if row["_error"])
    assert bad == [(4, None), (51, None), (100, None)]
    only = dataset(ray, path, samples.Item, errors="column").select_columns(["_error"]).take_all()
    assert sum(row["_error"] is not None for row in only) == 3
    with pytest.raises(
        ValueError, match=r"^errors must be 'raise', 'skip' or 'column', not 'drop'$"
    ):
        penstock.ray.Datasource(path, samples.Item, errors="drop")  # type: ignore[arg-type]


def test_a_folder(ray: Any, tmp_path: Path) -> None:
    path, target = lines(tmp_path / "a.ndjson"), tmp_path / "out"
    rows = dataset(ray, path, samples.Item)
    rows.write_datasink(penstock.ray.Datasink(target, compression="gzip"))
    assert len(list(target.glob("part-*.ndjson.gz"))) == len(list(target.iterdir())) == 4
    assert sorted(row.id for row in penstock.read(target, samples.Item)) == list(range(100))
    rows.write_datasink(penstock.ray.Datasink(target, mode="overwrite", format="csv"))
    assert len(list(target.glob("part-*.csv"))) == len(list(target.iterdir())) == 4
    assert {path.name for path in tmp_path.iterdir()} == {"a.ndjson", "out"}
    with pytest.raises(ValueError, match=r"^mode must be 'append' or 'overwrite', not 'error'$"):
        penstock.ray.Datasink(target, mode="error")  # type: ignore[arg-type]


def test_a_job_that_fails_leaves_nothing(ray: Any, tmp_path: Path) -> None:
    path, target = lines(tmp_path / "a.ndjson"), tmp_path / "out"

    def fail(table: pa.Table) -> pa.Table:
        if 77 in table["id"].to_pylist():
            raise RuntimeError("a task fails")
        return table

    rows = dataset(ray, path, samples.Item).map_batches(fail, batch_format="pyarrow")
    with pytest.raises(Exception, match="a task fails"):
        rows.write_datasink(penstock.ray.Datasink(target))
    assert [path.name for path in tmp_path.iterdir()] == ["a.ndjson"]


def test_a_worker_that_is_killed(ray: Any, large: Path, tmp_path: Path) -> None:
    path, marker = samples.written(large, "elements.xml"), tmp_path / "killed"
    target = tmp_path / "out"

    def kill_once(table: pa.Table) -> pa.Table:
        # In the middle of a part: its first batches are on their way already.
        if 200_000 in table["id"].to_pylist():
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return table
            os.kill(os.getpid(), signal.SIGKILL)
        return table

    rows = dataset(ray, path, samples.Element, at="items/item", bytes=8 << 20, rows=5_000)
    killed = rows.map_batches(kill_once, batch_format="pyarrow", batch_size=5_000)
    killed.write_datasink(penstock.ray.Datasink(target))
    assert marker.exists()
    ids = sorted(row.id for row in penstock.read(target, samples.Item))
    assert ids == list(range(samples.COUNT))
    assert all(path.name.startswith("part-") for path in target.iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {"killed", "out"}
