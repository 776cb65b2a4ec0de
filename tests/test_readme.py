"""README is short, and its table of formats is true: what has a tick works, and what has none does not."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import penstock

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
FILES = {
    "JSON": "cities.json",
    "NDJSON": "cities.ndjson",
    "XML": "cities.xml",
    "CSV": "cities.csv",
    "Property lists (binary, XML, OpenStep, GNUstep)": "cities.bplist",
}


@dataclass
class City:
    name: str
    population: int


CITIES = [City("Bern", 134591), City("Chur", 37424)]


def table() -> dict[str, dict[str, str]]:
    """The cell of each format and verb."""
    section = README.partition("\n## The same class, five formats\n")[2].partition("\n\nAn error")[
        0
    ]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in section.split("\n") if line
    ]
    verbs = [re.sub(r"\[(\w+)\]\(.*\)", r"\1", cell) for cell in rows[0][1:]]
    return {row[0]: dict(zip(verbs, row[1:], strict=True)) for row in rows[2:]}


def does(verb: str, path: Path) -> bool:
    """Whether a verb works for a file with two records, which is written here."""
    at = "*/*" if path.suffix == ".xml" else None
    with penstock.write(path, City) as writer:
        writer.write_all(CITIES)
    if verb == "write":
        return path.stat().st_size > 0
    if verb == "read":
        return list(penstock.read(path, City, at=at)) == CITIES
    if verb == "columns":
        return sum(map(len, penstock.columns(path, City, at=at))) == len(CITIES)
    if verb == "split":
        parts = penstock.split(path, parts=2, at=at)
        return [city for part in parts for city in part.read(City)] == CITIES
    try:
        penstock.open(path)
    except ValueError:
        return False
    return True


def test_it_has_at_most_a_hundred_lines() -> None:
    assert len(README.splitlines()) <= 100


def test_the_table_has_all_formats() -> None:
    assert set(table()) == set(FILES)


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize("verb", ["read", "write", "columns", "open", "split"])
def test_a_tick_is_true(format: str, verb: str, tmp_path: Path) -> None:
    assert does(verb, tmp_path / FILES[format]) == bool(table()[format][verb])


def test_only_binary_property_lists_are_split(tmp_path: Path) -> None:
    assert [row["split"] for row in table().values()] == ["✓", "✓", "✓", "✓", "binary"]
    for name in FILES.values():
        assert does("write", tmp_path / name)
        at = "*/*" if name.endswith(".xml") else None
        assert len(list(penstock.split(tmp_path / name, parts=2, at=at))) == 2
    assert does("write", tmp_path / "cities.plist")
    assert len(list(penstock.split(tmp_path / "cities.plist", parts=2))) == 1
