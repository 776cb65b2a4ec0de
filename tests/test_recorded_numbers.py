"""The timings in the documentation are what the recorded runs say.

`python tests/test_recorded_numbers.py` writes the tables anew.
"""

import json
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    page for page in sorted((ROOT / "docs").glob("*.md")) if "<!-- " in page.read_text("utf-8")
]
TABLE = re.compile(
    r"<!-- (?P<record>\S+): (?P<row>\S+), (?P<variant>[^,]+), (?P<what>\w+) -->\n"
    r"(?P<head>\|.*\n\|[-|:]+\n)(?P<body>(?:\|.*\n)*)"
)


def lines(record: str, row: str, variant: str, what: str) -> str:
    """The lines of a table: each case with its median, and how it compares to Penstock's."""
    samples = json.loads((ROOT / "bench/record" / record).read_text("utf-8"))["rows"][row]
    medians = {
        sample["case"]: statistics.median(measured[what] for measured in sample["rounds"])
        for sample in samples["samples"]
        if sample["variant"] == variant and sample["rounds"]
    }
    own = next(case for case in medians if case.startswith("penstock"))
    written = []
    for case, median in sorted(medians.items(), key=lambda pair: pair[1]):
        number = f"{median:,.0f}" if median >= 20 else f"{median:.1f}"
        ratio = "" if case == own else f"{median / medians[own]:.1f}x"
        cells = (f"**{case}**", f"**{number}**", ratio) if case == own else (case, number, ratio)
        written.append(f"| {' | '.join(cells)} |\n")
    return "".join(written)


def as_recorded(page: Path) -> str:
    """The page with its tables as the records have them."""

    def table(found: re.Match[str]) -> str:
        record, row, variant, what = found.group("record", "row", "variant", "what")
        return found[0].removesuffix(found["body"]) + lines(record, row, variant, what)

    return TABLE.sub(table, page.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_tables_are_what_was_recorded(page: Path) -> None:
    text = page.read_text("utf-8")
    assert len(TABLE.findall(text)) == text.count("<!-- ") > 0
    assert text == as_recorded(page)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(as_recorded(page), "utf-8")
