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

# README shows three of the cases; its chart, which has its own test, shows more. For each line of its
# table: the run, the row and the variant, and the case and the meaning of each number.
README: dict[str, tuple[tuple[str, str, str], list[tuple[str, str]]]] = {
    "80 MB of JSON in memory, 234,908 cities, all 9 fields": (
        ("intel-xeon-processor-2026-11-26-cpython-3.14.json", "cities", "collector on"),
        [("penstock", "ms"), ("msgspec dataclass", "ms"), ("msgspec dataclass", "x")],
    ),
    "1 GB of the same, a record at a time": (
        ("intel-xeon-processor-2026-11-21-all-rows.json", "stream", "1 GB"),
        [
            *(("penstock", "ms"), ("penstock", "MiB")),
            *(("ijson + City(**row)", "ms"), ("ijson + City(**row)", "MiB")),
            ("ijson + City(**row)", "x"),
        ],
    ),
    "200 MB of XML, five fields, streamed": (
        ("intel-xeon-processor-2026-11-21-xml.json", "xml-records", "pubmed"),
        [
            *(("penstock", "ms"), ("penstock", "MiB")),
            *(("lxml.iterparse", "ms"), ("lxml.iterparse", "MiB")),
            ("lxml.iterparse", "x"),
        ],
    ),
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


@pytest.mark.parametrize("label", README)
def test_the_readme_tells_of_the_same(label: str) -> None:
    record, meanings = README[label]
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith(f"| {label} |")]
    found = NUMBER.findall(line.removeprefix(f"| {label} |"))
    expected = []
    for (case, what), (number, unit) in zip(meanings, found, strict=True):
        measured = medians(*record, "ms" if what == "x" else what)
        value = measured[case] / (measured["penstock"] if what == "x" else 1)
        expected.append((as_written(value / 1000 if unit == "s" else value, number), unit))
    assert found == expected


def test_the_readme_has_no_other_timings() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    timed = [line.split(" | ")[0].removeprefix("| ") for line in rows if re.search(r"\dx \|", line)]
    assert timed == list(README)
    others = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
    assert not re.search(r"\d (ms|s|MiB)\b|\dx\b", others)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(as_recorded(page), "utf-8")
