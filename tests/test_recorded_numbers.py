"""The timings in the documentation are those of the recorded runs.

`python tests/test_recorded_numbers.py` writes the tables again.
"""

import json
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# A comment of a page begins its line; one in an example of XML does not.
PAGES = [
    page for page in sorted((ROOT / "docs").glob("*.md")) if "\n<!-- " in page.read_text("utf-8")
]
TABLE = re.compile(
    r"<!-- (?P<record>\S+): (?P<row>\S+), (?P<variant>[^,]+), (?P<what>\w+) -->\n"
    r"(?P<head>\|.*\n\|[-|:]+\n)(?P<body>(?:\|.*\n)*)"
)

# README shows some of the cases in its own words; its chart, which has its own test, shows more.
# For each line of its tables: the row and the case, and the meaning of each number.
README: dict[tuple[str, str, str], dict[str, tuple[str, list[str]]]] = {
    ("intel-xeon-processor-2026-11-26-cpython-3.14.json", "cities", "collector on"): {
        "**penstock, into a plain slots dataclass**": ("penstock", ["ms"]),
        "msgspec, into the same dataclass": ("msgspec dataclass", ["ms", "x"]),
        "orjson, then `City(**row)`": ("orjson + C(**row)", ["ms", "x"]),
    },
    ("intel-xeon-processor-2026-11-21-all-rows.json", "stream", "1 GB"): {
        "**penstock, dataclass**": ("penstock", ["ms", "first ms", "MiB"]),
        "ijson (yajl2_c), then `City(**row)`": ("ijson + City(**row)", ["ms", "first ms", "MiB"]),
        "msgspec `Struct`, the whole file": ("msgspec, whole file", ["ms", "first ms", "MiB"]),
    },
    ("intel-xeon-processor-2026-11-21-xml.json", "xml-records", "pubmed"): {
        "**penstock, dataclass**": ("penstock", ["ms", "MiB"]),
        "lxml.iterparse, cleared, and the class called": ("lxml.iterparse", ["ms", "x", "MiB"]),
        "ElementTree.iterparse, likewise": ("ElementTree.iterparse", ["ms", "x", "MiB"]),
        "expat with three handlers, likewise": ("expat, 3 handlers", ["ms", "x", "MiB"]),
    },
    ("intel-xeon-processor-2026-11-21-xml.json", "xml-check", "pubmed"): {
        "only checking it: **penstock** / expat without handlers": (
            "expat, no handlers",
            ["own ms", "ms", "x"],
        ),
    },
}
NUMBER = re.compile(r"([\d,]+(?:\.\d+)?) ?(ms|s|MiB|x)")


def medians(record: str, row: str, variant: str, what: str) -> dict[str, float]:
    """The median of each case."""
    samples = json.loads((ROOT / "bench/record" / record).read_text("utf-8"))["rows"][row]
    return {
        sample["case"]: statistics.median(measured[what] for measured in sample["rounds"])
        for sample in samples["samples"]
        if sample["variant"] == variant and sample["rounds"]
    }


def lines(record: str, row: str, variant: str, what: str) -> str:
    """The lines of a table: each case with its median, and how it compares to Penstock's."""
    found = medians(record, row, variant, what)
    own = next(case for case in found if case.startswith("penstock"))
    written = []
    for case, median in sorted(found.items(), key=lambda pair: pair[1]):
        number = f"{median:,.0f}" if median >= 20 else f"{median:.1f}"
        ratio = "" if case == own else f"{median / found[own]:.1f}x"
        cells = (f"**{case}**", f"**{number}**", ratio) if case == own else (case, number, ratio)
        written.append(f"| {' | '.join(cells)} |\n")
    return "".join(written)


def as_recorded(page: Path) -> str:
    """The page with the tables of the records."""

    def table(found: re.Match[str]) -> str:
        record, row, variant, what = found.group("record", "row", "variant", "what")
        return found[0].removesuffix(found["body"]) + lines(record, row, variant, what)

    return TABLE.sub(table, page.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_tables_are_what_was_recorded(page: Path) -> None:
    text = page.read_text("utf-8")
    assert len(TABLE.findall(text)) == text.count("\n<!-- ") > 0
    assert text == as_recorded(page)


def as_written(value: float, like: str) -> str:
    """The number with as many digits after the point as the other has."""
    return f"{value:,.{len(like.partition('.')[2])}f}"


@pytest.mark.parametrize(("record", "told"), README.items(), ids=[key[1] for key in README])
def test_the_readme_tells_of_the_same(
    record: tuple[str, str, str], told: dict[str, tuple[str, list[str]]]
) -> None:
    tables = re.findall(r"^(?:\|.*\n)+", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    (table,) = [table for table in tables if all(f"| {label} |" in table for label in told)]
    for label, (case, whats) in told.items():
        (line,) = [line for line in table.splitlines() if line.startswith(f"| {label} |")]
        found = NUMBER.findall(line.removeprefix(f"| {label} |"))
        expected = []
        for what, (number, unit) in zip(whats, found, strict=True):
            measured = medians(*record, "ms" if what in {"x", "own ms"} else what)
            value = measured["penstock" if what == "own ms" else case]
            if what == "x":
                value /= measured["penstock"]
            expected.append((as_written(value / 1000 if unit == "s" else value, number), unit))
        assert (label, found) == (label, expected)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(as_recorded(page), "utf-8")
