"""Checks by several threads: the errors are those of the objects that are not made."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

import pytest
from annotated_types import Ge

import penstock
from penstock import at

COUNT = 30_000


@dataclass
class Row:
    n: Annotated[int, Ge(0)]
    name: str
    price: Decimal
    tags: list[str] = field(default_factory=list)


@dataclass
class Cell:
    n: Annotated[int, Ge(0)]
    name: str
    price: Decimal | None


@dataclass
class Item:
    n: Annotated[int, Ge(0), at("@n")]
    name: str
    price: Decimal
    tags: Annotated[list[str], at("tag")] = field(default_factory=list)


@dataclass
class Made:
    n: int

    def __post_init__(self) -> None:
        self.n += 1


@dataclass
class Loose:
    n: int | str


def rows() -> list[tuple[Any, str, str]]:
    """Values that mostly fit: some only the class takes, and no column, and some nobody."""
    made: list[tuple[Any, str, str]] = [(n, f"Zürich {n}", f"{n}.{n % 7}") for n in range(COUNT)]
    made[9_000] = (2**80, "x", "1.5")
    made[12_000] = (1, "x", "9" * 100 + ".5")
    made[15_000] = (-5, "x", "1.5")
    made[21_000] = (1, "x", "wrong")
    made[28_000] = ("x", "x", "2.5")
    return made


def lines() -> list[str]:
    return [
        json.dumps({"n": n, "name": name, "price": price, "tags": ['},\n{"n":']})
        for n, name, price in rows()
    ]


DATA: dict[str, tuple[Any, Any, bytes]] = {
    "ndjson": ("ndjson", Row, "\n".join(lines()).encode()),
    "json": ("json", Row, f"[{', '.join(lines())}]".encode()),
    "csv": (
        "csv",
        Cell,
        "\n".join(["n,name,price", *(f'{n},"{a}\n",{p}' for n, a, p in rows())]).encode(),
    ),
    "xml": (
        "xml",
        Item,
        "".join(
            [
                "<list>",
                *(
                    f"<i n='{n}'><name>{a}</name><price>{p}</price><tag/></i>\n"
                    for n, a, p in rows()
                ),
                "</list>",
            ]
        ).encode(),
    ),
}


def said(name: str, data: bytes, threads: int | None) -> Any:
    """The errors in their order, how many records there are, and what ends the reading."""
    kind, into, _ = DATA[name]
    told: list[str] = []

    def tell(error: Any) -> None:
        told.append(f"{error} {error.offset} {getattr(error, 'expected', None)}")

    reader = penstock.read(io.BytesIO(data), into, format=kind, errors=tell)
    end = None
    try:
        if threads is None:
            for _ in reader:
                pass
        else:
            assert reader._check(threads)
    except penstock.DecodeError as error:
        end = str(error), error.offset
    return told, reader.progress.records, reader.skipped, end


@pytest.mark.parametrize("name", list(DATA))
def test_the_errors_are_those_of_objects(name: str) -> None:
    whole = DATA[name][2]
    for data, count in (
        (whole, 3),
        (whole[: len(whole) // 2], 1),
        (whole.replace(b"6", b"}", 1), 1),
    ):
        expected = said(name, data, None)
        assert len(expected[0]) + (expected[3] is not None) >= count
        for threads in (1, 2, 3):
            assert said(name, data, threads) == expected


@pytest.mark.parametrize("into", [Made, Loose, dict, int])
def test_classes_that_take_objects(into: Any) -> None:
    reader = penstock.read(io.BytesIO(b'{"n": 1}\n{"n": []}\n'), into, format="ndjson")
    assert not reader._check(2)
    # Nothing was read.
    assert reader.progress.bytes_read == 0


def test_what_is_no_number_of_threads() -> None:
    with pytest.raises(ValueError, match="threads must be from 1 to 256"):
        penstock.read(io.BytesIO(b"{}"), Row, format="ndjson")._check(0)
