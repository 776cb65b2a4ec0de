"""400,000 records in four formats, and the classes that read them.

Each format has what makes a splitter by bytes count wrong: comments and CDATA sections with tags in
XML, quoted line feeds in CSV, and one line per record in a JSON array, which no line is alone.
"""

from __future__ import annotations

import csv
import json
import os
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import penstock
from penstock import at

COUNT = 400_000
SUM = sum(range(COUNT))


@dataclass
class Item:
    id: int
    name: str
    price: float


@dataclass
class Element:
    id: Annotated[int, at("@id")]
    name: str
    price: float


@dataclass
class Price:
    """A number whose digits only the whole file says."""

    amount: Decimal


@dataclass
class Kinds:
    """A field of each type that Spark does not have as it is."""

    small: Annotated[int, penstock.uint8]
    large: Annotated[int, penstock.uint64]
    word: Annotated[str, penstock.dictionary]
    pair: tuple[int, int]
    counts: dict[str, int]
    anything: object
    inner: Item
    inners: list[Item]


def _name(n: int) -> str:
    return f'a "name", and\nanother {n}' if n % 97 == 0 else f"name {n}"


def _ndjson(path: Path) -> None:
    with path.open("w") as file:
        for n in range(COUNT):
            file.write(json.dumps({"id": n, "name": _name(n), "price": n / 4}) + "\n")


def _array(path: Path) -> None:
    with path.open("w") as file:
        for n in range(COUNT):
            record = json.dumps({"id": n, "name": _name(n), "price": n / 4})
            file.write(f"{',' if n else '['}\n{record}")
        file.write("\n]")


def _xml(path: Path) -> None:
    with path.open("w") as file:
        file.write("<?xml version='1.0'?>\n<items>\n")
        for n in range(COUNT):
            comment = '<!-- <item id="fake"/> -->' if n % 1009 == 0 else ""
            data = "<![CDATA[<item>]]>" if n % 1013 == 0 else ""
            price = f"<price>{n / 4}</price>"
            file.write(f'<item id="{n}">{comment}<name>{data}name {n}</name>{price}</item>\n')
        file.write("</items>\n")


def _csv(path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "name", "price"])
        writer.writerows((n, _name(n), n / 4) for n in range(COUNT))


# The class and the place of the records for each file.
FILES = {
    "lines.ndjson": (_ndjson, "Item", None),
    "array.json": (_array, "Item", None),
    "table.csv": (_csv, "Item", None),
    "elements.xml": (_xml, "Element", "items/item"),
}


def written(folder: Path, name: str) -> Path:
    """Return a file, which is written once."""
    path = folder / name
    if not path.exists():
        part = path.with_name(f"{os.getpid()}.part")
        FILES[name][0](part)
        part.rename(path)
    return path
