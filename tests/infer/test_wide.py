"""Tables of many columns, and objects of many keys."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from linear import assert_linear

import penstock


def table(columns: int, name: Callable[[int], str]) -> bytes:
    head = ",".join(map(name, range(columns)))
    return f"{head}\n{','.join(['1'] * columns)}\n{','.join(['2'] * columns)}\n".encode()


@pytest.mark.parametrize("options", [{"errors": "skip"}, {"where": "c0 >= 1"}, {"threads": 2}])
def test_797_columns_stay_columns_where_records_may_be_left_out(options: dict[str, Any]) -> None:
    data = table(1_000, lambda n: f"c{n}")
    expected = penstock.infer(io.BytesIO(data), format="csv")
    assert "    c999: int  # int 1..2" in expected
    assert penstock.infer(io.BytesIO(data), format="csv", **options) == expected


@pytest.mark.parametrize(
    "name", [lambda n: f"c{n}", lambda n: f"{chr(0x4E00 + n)}"], ids=["names", "no names"]
)
def test_798_many_columns_take_linear_time(name: Callable[[int], str]) -> None:
    def make(columns: int) -> Callable[[], object]:
        data = table(columns, name)
        return lambda: penstock.infer(io.BytesIO(data), format="csv")

    assert_linear(make, 1_500)


def test_799_many_elements_take_linear_time() -> None:
    def make(count: int) -> Callable[[], object]:
        data = f"<r><x>{''.join(f'<a{n}/>' for n in range(count))}</x></r>".encode()
        return lambda: penstock.infer(io.BytesIO(data), format="xml")

    assert_linear(make, 1_500)


def test_800_members_do_not_wait_without_end() -> None:
    """Before its tag, an object has more members than wait: they are keys that are data."""
    members = ",".join(f'"k{n}":{n}' for n in range(5_000))
    lines = f'{{"type":"x","q":1}}\n{{"type":"y"}}\n{{{members},"type":"x"}}\n'
    code = penstock.infer(io.BytesIO(lines.encode()), format="ndjson")
    assert "dict[str, " in code
