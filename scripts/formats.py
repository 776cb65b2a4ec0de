"""Puts the comparison of formats into docs/performance.md: `python scripts/formats.py RECORD`.

RECORD is a file of `bench/record` with the rows `formats-write`, `formats-read`, `formats-field`
and `formats-middle`. Without one, it is that of the page. The tables and the two charts are made
of its medians, and no number of the section is written by hand. A test compares them with the
output of this script.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import chart
import svg

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"

SECTION = re.compile(r"<!--formats: (?P<record>\S+)-->\n.*?<!--formats end-->\n\n", re.DOTALL)
TITLE = "How long each format takes to be written and read"
BEHIND = "## Why it is fast\n"
"""The section stands before this."""

KINDS = {
    "objects": "1,000,000 objects of two ints and a short string",
    "songs": "100,000 songs of a real iTunes library, with two dates and a list",
}
COLUMNS = {
    "write, ms": ("write", "ms"),
    "read, ms": ("read", "ms"),
    "one field, ms": ("field", "ms"),
    "the middle, ms": ("middle", "ms"),
    "file, MB": ("write", "MB"),
    "memory, MiB": ("read", "MiB"),
}

HEADING = "## All formats side by side\n"
INTRODUCTION = """\
The same objects, written to a file in each format and read again, with the best recipe that each
library has (`bench/recipes.py`); collector off. *Read* makes all objects of the class. *One
field* is that field of every record, and *the middle* the record in the middle, each from the
file. *Memory* is the peak of reading all, beyond a bare interpreter. The property list in text is
GNUstep's, because OpenStep's has no numbers and no dates.
"""
CHOICE = """\
What that says about choosing a format:

- **One record of a large file:** a binary property list, an Arrow file and a database read little
  of the file. NDJSON and CSV must find the lines, JSON must be validated, and all others are read
  as far as the record, or as a whole.
- **One field of all records:** Arrow keeps it in one piece. Everywhere else, name only that field
  in your class.
- **For other programs:** JSON, CSV and XML are read by everything. Lists and dates are text in
  CSV, and dates are in JSON.
- **For Python alone:** `pickle` and `marshal` need no plan, but `pickle` runs code from the file,
  and `marshal` knows no classes and no dates, and changes with Python.
"""


def medians(record: Path, row: str, kind: str, what: str) -> dict[str, float]:
    """Return the median of each case."""
    found = json.loads(record.read_text("utf-8"))["rows"][f"formats-{row}"]
    return {
        sample["case"]: statistics.median(measured[what] for measured in sample["rounds"])
        for sample in found["samples"]
        if sample["variant"] == kind and sample["rounds"]
    }


def shown(value: float | None) -> str:
    """Return a number with two or more digits; a dash if it was not measured."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def table(record: Path, kind: str) -> str:
    """Return the table of one kind of records, the fastest reader first."""
    columns = [medians(record, row, kind, what) for row, what in COLUMNS.values()]
    order = sorted(columns[1], key=lambda case: columns[1][case])
    lines = [f"| | {' | '.join(COLUMNS)} |", f"|---|{'--:|' * len(COLUMNS)}"]
    for case in order:
        name = f"**{case}**" if case.startswith("penstock") else case
        lines.append(f"| {name} | {' | '.join(shown(column.get(case)) for column in columns)} |")
    return "\n".join(lines) + "\n"


def section(record: Path) -> str:
    """Return the section of the page."""
    shown = svg.markdown("formats", TITLE)
    parts = [f"<!--formats: {record.name}-->\n{HEADING}\n{shown}\n{INTRODUCTION}"]
    for kind, title in KINDS.items():
        parts.append(svg.folded(f"{title[0].upper()}{title[1:]}", table(record, kind)))
    parts.append(f"{CHOICE}<!--formats end-->\n\n")
    return "\n".join(parts)


def page(text: str, record: Path) -> str:
    """Return a page with the section of a record."""
    text = SECTION.sub("", text)
    before, behind, after = text.partition(BEHIND)
    if not behind:
        raise SystemExit(f"the page has no {BEHIND.strip()!r}")
    return before + section(record) + behind + after


def picture(record: Path, scheme: str) -> str:
    """Return the chart: the time to write and to read all records, in each format."""
    panels = []
    for kind, title in KINDS.items():
        write = medians(record, "write", kind, "ms")
        read = medians(record, "read", kind, "ms")
        bars = [
            chart.Bar(case, case.startswith("penstock"), write[case] + read[case])
            for case in write.keys() & read.keys()
        ]
        panels.append((title, sorted(bars, key=lambda bar: (bar.value, bar.name))))
    return chart.picture(scheme, TITLE, panels)


def recorded(text: str) -> Path | None:
    """Return the record of the page; none if it has no section yet."""
    found = SECTION.search(text)
    return found and chart.RECORDS / found["record"]


def main() -> None:
    """Write the section and draw both pictures."""
    text = PAGE.read_text("utf-8")
    record = Path(sys.argv[1]) if len(sys.argv) > 1 else recorded(text)
    if record is None:
        raise SystemExit("usage: python scripts/formats.py bench/record/FILE.json")
    PAGE.write_text(page(text, record), "utf-8")
    svg.write({"formats": partial(picture, record)})


if __name__ == "__main__":
    main()
