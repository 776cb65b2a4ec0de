"""Draws the charts of docs/performance.md, and writes its summary: `python scripts/performance.py`.

All numbers are medians of `bench/record`. Tests compare the charts, the summary and the tables of
the page with the records. `make bench` measures, and this script only shows.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import chart
import measured
import overview
import svg

PAGE = svg.ROOT / "docs" / "performance.md"
SUMMARY = re.compile(r"<!--summary-->\n.*?<!--summary end-->\n", re.DOTALL)
TINY = "JSON, a million tiny objects"


def beside(other: str, record: str, row: str, variant: str) -> float:
    """Return how many times as long another case takes as Penstock."""
    found = chart.medians(record, row, variant, "ms")
    return found[other] / found["penstock"]


def summary() -> str:
    """Return the three sentences at the top of the page."""
    found = {
        (group, job.title): overview.result(job).times
        for group, jobs in overview.JOBS.items()
        for job in jobs
    }
    read, written = (
        {title: times for (group, title), times in found.items() if group == name}
        for name in ("Read into objects", "Write objects")
    )
    json = beside("msgspec dataclass", measured.NEW, "cities", "collector on")
    stream = beside("ijson + City(**row)", measured.ROWS, "stream", "1 GB")
    xml = read["XML, 200 MB, as a stream"]
    csv = beside("csv.reader + class", measured.CSV_ROWS, "csv", "collector off")
    small = 1 / read["JSON, 60 bytes"]
    error = 1 / read["JSON, 60 bytes that do not fit"]
    plain = 1 / read["JSON, numbers as plain values"]
    return f"""\
<!--summary-->
- **Fast: files into your own classes.** 80 MB of JSON become dataclasses {json:.1f} times as fast
  as with msgspec, 1 GB of it as a stream {stream:.1f} times as fast as with ijson, XML {xml:.0f}
  times as fast as with lxml, and CSV {csv:.1f} times as fast as with `csv.reader`.
- **Like the fastest others: tiny objects.** A million of them take as long as msgspec's own
  `Struct` ({read[TINY]:.2f}x to read, {written[TINY]:.2f}x to write).
- **Not fast: one small document, and plain numbers.** 60 bytes take {small:.1f} times as long as
  with msgspec's `Struct`, the error where they do not fit {error:.0f} times, and a file of numbers
  as plain values {plain:.1f} times as long as with orjson.
<!--summary end-->
"""


CHARTS: dict[str, svg.Draw] = {
    "performance-overview": overview.drawn,
    **{
        f"performance-{name}": partial(chart.drawn, name=title, panels=panels)
        for name, (title, panels) in measured.PANELS.items()
    },
}


def main() -> None:
    """Draw all, and write the summary."""
    svg.write(CHARTS)
    PAGE.write_text(SUMMARY.sub(lambda _: summary(), PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
