"""The page about polluted CSV files shows what happens."""

import importlib.metadata
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("duckdb", reason="requirements/bench.txt says what the page is made with")

import comparing_tables
import pollution
import reading_tables

import penstock

ROOT = Path(__file__).parents[2]
FILES = [
    pytest.param(title, place, id=asked.name)
    for title, files in pollution.ALL.items()
    for place, asked in enumerate(files)
]
SUM = "a sum below the table"


@pytest.mark.parametrize("name", ["told Penstock", "Penstock"])
@pytest.mark.parametrize(("title", "place"), FILES)
def test_penstock_is_never_silently_wrong(name: str, title: str, place: int):
    found = reading_tables.cell(name, title, place)
    if pollution.ALL[title][place].name != SUM:
        assert found.word in {"right", "error"}, found.note


@pytest.mark.parametrize("name", ["told with `repair`", "with `repair`"])
@pytest.mark.parametrize(("title", "place"), FILES)
def test_a_repair_that_is_no_help_is_told(name: str, title: str, place: int):
    found = reading_tables.cell(name, title, place)
    if pollution.ALL[title][place].name != SUM:
        assert found.word in {"right", "error", "warns"}, found.note


def test_a_class_refuses_a_sum_below_the_table():
    @dataclass
    class Stop:
        stop_id: int
        stop_name: str

    [asked] = [asked for asked in pollution.ALL["The table"] if asked.name == SUM]
    for dialect in (None, "infer"):
        with pytest.raises(penstock.ValidationError) as raised:
            penstock.csv.decode(asked.data, Stop, dialect=dialect)
        assert (raised.value.line, raised.value.path) == (len(pollution.ROWS) + 2, "stop_id")


@pytest.mark.parametrize(("title", "place"), FILES)
def test_nobody_is_right_where_penstock_is_wrong(title: str, place: int):
    """In each row, Penstock is right, or it raises, or nobody is right."""
    for prefix, names in (("told ", reading_tables.TOLD), ("", reading_tables.FOUND)):
        words = [reading_tables.cell(prefix + name, title, place).word for name in names]
        assert words[0] != "wrong" or "right" not in words


def tells_of_another_python() -> bool:
    """Tell whether the page was made with another version of Python than this."""
    version = ".".join(map(str, sys.version_info[:2]))
    page = (ROOT / "docs" / "csv_pollution.md").read_text(encoding="utf-8")
    return f"CPython {version}," not in page


def pinned() -> bool:
    """Tell whether the installed versions are those with which the page was made."""
    lines = (ROOT / "requirements" / "bench.txt").read_text().splitlines()
    wanted = dict(line.partition(";")[0].split("==") for line in lines if "==" in line)
    return all(importlib.metadata.version(name) == wanted[name] for name in comparing_tables.PEERS)


@pytest.mark.skipif(tells_of_another_python(), reason="the page tells of another Python")
def test_the_page_says_what_happens():
    assert pinned(), "requirements/bench.txt says what the page is made with"
    page = (ROOT / "docs" / "csv_pollution.md").read_text(encoding="utf-8")
    assert page == comparing_tables.page()
