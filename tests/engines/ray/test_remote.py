"""Files behind an address on Ray: each task asks for its own bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import samples
from ray.data.aggregate import Count, Sum

import penstock
import penstock.ray

WHOLE = [samples.COUNT, samples.SUM, samples.SUM / 4]


@pytest.mark.parametrize("name", samples.FILES)
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
