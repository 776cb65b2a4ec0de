"""The suites of CSV: csv-spectrum, that of sineemore, and the requests of New York City."""

import csv
import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import penstock

Corpus = Callable[[str], Path]

# The files of sineemore's suite with a row in error, and the error.
BAD = {
    "bad-header-less-fields": "2:4: the row has 2 cells, and there are 3 columns (record 1)",
    "bad-header-more-fields": "2:7: the row has 4 cells, and there are 3 columns (record 1)",
    "bad-missing-quote": "2:3: a quote that is never closed (record 1)",
    "bad-quotes-with-unescaped-quote": ("2:19: text behind the closing quote of a cell (record 1)"),
    "bad-unescaped-quote": "2:8: a quote in a cell that does not begin with one (record 1)",
}


def in_pieces(path: Path, size: int) -> list[bytes]:
    data = path.read_bytes()
    return [data[at : at + size] for at in range(0, len(data), size)]


def test_csv_spectrum(corpus: Corpus) -> None:
    root = corpus("csv/csv-spectrum")
    paths = sorted((root / "csvs").glob("*.csv"))
    assert len(paths) == 12
    for path in paths:
        text = (root / "json" / f"{path.stem}.json").read_text("utf-8")
        if b"\r" not in path.read_bytes():
            # The suite's repository has these files without their carriage returns.
            text = text.replace("\\r\\n", "\\n")
        expected = json.loads(text)
        if path.stem == "location_coordinates":
            # The sign for seconds stands in cells without quotes, which the standard does not allow.
            with pytest.raises(penstock.MalformedInput, match="a quote in a cell"):
                penstock.csv.load(path)
            # The file has another telephone number than its twin in JSON.
            (row,) = penstock.csv.read(path, repair="stray_quotes")
            assert {**row, "Contact Phone Number": expected["Contact Phone Number"]} == expected
            continue
        assert penstock.csv.load(path) == expected, path.name
        for size in (1, 2, 7):
            assert list(penstock.csv.read(in_pieces(path, size))) == expected, path.name


def test_sineemore(corpus: Corpus) -> None:
    root = corpus("csv/sineemore")
    paths = sorted((root / "json").glob("*.json"))
    assert len(paths) == 18
    for path in paths:
        expected: Any = json.loads(path.read_text("utf-8"))
        source = root / "csv" / f"{path.stem}.csv"
        rows: Any
        if expected and isinstance(expected[0], list):
            dialect = penstock.csv.Dialect(header=[str(at) for at, _ in enumerate(expected[0])])
            rows = penstock.csv.load(source, list[str], dialect=dialect)
        else:
            rows = penstock.csv.load(source)
        assert rows == expected, path.stem
    for name, error in BAD.items():
        source = root / "csv" / f"{name}.csv"
        with pytest.raises(penstock.DecodeError) as raised:
            penstock.csv.load(source)
        assert str(raised.value) == f"{source}:{error}"


def test_nyc311(corpus: Corpus) -> None:
    path = corpus("csv/nyc311.csv")
    with path.open(newline="") as file:
        expected = list(csv.reader(file))
    rows = penstock.csv.load(path, list[str])
    assert [list(row) for row in rows] == expected[1:]
    assert len(rows) > 1_000
    names = expected[0]
    if len(set(names)) == len(names):
        dicts = islice(penstock.csv.read(in_pieces(path, 1_000)), 1_000)
        assert list(dicts) == [dict(zip(names, row, strict=True)) for row in expected[1:1_001]]
