"""Files behind an address on Ray: each task asks for its own bytes."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pyarrow as pa  # noqa: TC002 - Ray looks at the types of the function
import pytest
import samples
from ray.data.aggregate import Count, Sum

import penstock
import penstock.ray

WHOLE = [samples.COUNT, samples.SUM, samples.SUM / 4]


# Of the other formats, Spark reads as many from there, and Ray from paths.
@pytest.mark.parametrize("name", ["lines.ndjson", "elements.xml"])
def test_400_000_records(name: str, ray: Any, bucket: str) -> None:
    _, cls, at = samples.FILES[name]
    address = f"{bucket}/{name}"
    source = penstock.ray.Datasource(address, getattr(samples, cls), at=at, bytes=4 << 20)
    found = ray.data.read_datasource(source).aggregate(Count(), Sum("id"), Sum("price"))
    assert list(found.values()) == WHOLE


def test_what_is_kept(ray: Any, bucket: str, tmp_path: Path) -> None:
    remote = penstock.remote(f"{bucket}/lines.ndjson", keep=tmp_path)
    source = penstock.ray.Datasource(penstock.split(remote, bytes=4 << 20))
    found = ray.data.read_datasource(source).aggregate(Count(), Sum("id"), Sum("price"))
    assert list(found.values()) == WHOLE
    assert [path.name.partition(".")[2] for path in tmp_path.rglob("*.ndjson")] == ["lines.ndjson"]


def test_a_large_file_is_planned_in_several_tasks(bucket: str, work_of_ray: list[int]) -> None:
    remote = penstock.remote(f"{bucket}/table.csv")
    expected = list(penstock.split(remote, bytes=1 << 20))
    source = penstock.ray.Datasource(f"{bucket}/table.csv", samples.Item, bytes=1 << 20)
    assert list(source._parts(1)) == expected
    assert work_of_ray == [-(-remote.stat().st_size // (3 << 20))]


def test_a_worker_that_is_killed(ray: Any, bucket: str, tmp_path: Path) -> None:
    marker, target = tmp_path / "killed", tmp_path / "out"

    def kill_once(table: pa.Table) -> pa.Table:
        # In the middle of a part: its first batches are on their way already.
        if 200_000 in table["id"].to_pylist():
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return table
            os.kill(os.getpid(), signal.SIGKILL)
        return table

    address = f"{bucket}/lines.ndjson"
    source = penstock.ray.Datasource(address, samples.Item, bytes=8 << 20, rows=5_000)
    rows = ray.data.read_datasource(source)
    killed = rows.map_batches(kill_once, batch_format="pyarrow", batch_size=5_000)
    killed.write_datasink(penstock.ray.Datasink(target))
    assert marker.exists()
    ids = sorted(row.id for row in penstock.read(target, samples.Item))
    assert ids == list(range(samples.COUNT))
