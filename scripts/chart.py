"""Draws charts of the recorded runs, those of README and of addresses: `python scripts/chart.py`.

A chart has panels. A panel has a bar for each library, and a scale of its own.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import svg

RECORDS = svg.ROOT / "bench" / "record"
BOUNDS = {"floor", "check only", "counting"}
"""Cases that are no library: no reader could be faster than they are. Only tables have them."""


class Panel(NamedTuple):
    """Some bars on a scale of their own: the medians of cases of a recorded row."""

    title: str
    record: str
    row: str
    variant: str
    what: str = "ms"
    """The unit of what was measured."""
    names: Mapping[str, str] = {}
    """What cases are called, if not by their own names."""
    only: bool = False
    """Whether only the named cases are drawn."""


class Bar(NamedTuple):
    """One case: its name, the median of its rounds, and how it compares to Penstock's."""

    name: str
    own: bool
    value: float
    unit: str = "ms"
    times: float | None = None


README = (
    Panel(
        "80 MB of JSON, 234,908 cities with 9 fields each, in memory",
        "intel-xeon-processor-2026-11-26-cpython-3.14.json",
        "cities",
        "collector on",
        names={
            "penstock": "penstock, dataclass",
            "msgspec Struct": "msgspec, Struct",
            "msgspec dataclass": "msgspec, dataclass",
            "orjson dicts": "orjson, dicts",
            "json dicts": "json, dicts",
            "pydantic dataclass": "pydantic, dataclass",
        },
        only=True,
    ),
    Panel(
        "200 MB of XML, articles of PubMed with 5 fields each, streamed",
        "intel-xeon-processor-2026-11-21-xml.json",
        "xml-records",
        "pubmed",
        names={
            "penstock": "penstock, dataclass",
            "lxml.iterparse": "lxml, iterparse",
            "ElementTree.iterparse": "ElementTree, iterparse",
            "expat, 3 handlers": "expat, handlers",
        },
    ),
)

REMOTE_TITLE = "One, two, four, six and eight requests in flight, and urllib"
REMOTE_NAMES = {
    **{f"{count} in flight": f"penstock, {count} in flight" for count in (1, 2, 6, 8)},
    "penstock": "penstock, 4 in flight",
}
REMOTE = tuple(
    Panel(title, "amd-epyc-2026-11-28-remote.json", "remote", variant, names=REMOTE_NAMES)
    for title, variant in (
        ("100 ranges of 14 kB, from a server 45 ms away", "100 ranges"),
        ("40 MB of records", "records"),
    )
)

WIDTH = 760
LEFT = 204
"""Where the bars begin; their names stand before it."""
RIGHT = 146
"""What is kept free behind the longest bar for its number."""
TITLE = 30
BAR = 16
STEP = 23
GAP = 18
"""Between two panels."""
MARGIN = 8


@cache
def rows(record: str) -> dict[str, Any]:
    """Return the rows of a record."""
    found: dict[str, Any] = json.loads((RECORDS / record).read_text("utf-8"))["rows"]
    return found


def medians(record: str, row: str, variant: str, what: str) -> dict[str, float]:
    """Return the median of each case."""
    return {
        sample["case"]: statistics.median(measured[what] for measured in sample["rounds"])
        for sample in rows(record)[row]["samples"]
        if sample["variant"] == variant and sample["rounds"]
    }


def bars(panel: Panel) -> list[Bar]:
    """Return the bars of a panel, the smallest first."""
    found = medians(panel.record, panel.row, panel.variant, panel.what)
    if missing := panel.names.keys() - found.keys():
        raise SystemExit(f"{panel.record} does not have {', '.join(sorted(missing))}")
    drawn = panel.names.keys() if panel.only else found.keys() - BOUNDS
    own = found["penstock"]
    return sorted(
        (
            Bar(
                name := panel.names.get(case, case),
                case == "penstock" or name.startswith("penstock"),
                found[case],
                panel.what,
                None if case == "penstock" else found[case] / own,
            )
            for case in drawn
        ),
        key=lambda bar: (bar.value, bar.name),
    )


def shown(bar: Bar) -> str:
    """Return a number as it is shown behind its bar."""
    number = f"{bar.value:,.0f}" if bar.value >= 20 else f"{bar.value:.1f}"
    return f"{number} {bar.unit}"


def ratio(times: float) -> str:
    """Return how many times as long something takes."""
    return f"{times:,.0f}x" if times >= 100 else f"{times:.1f}x"


def described(panels: list[tuple[str, list[Bar]]]) -> str:
    """Return the contents of a chart as text, a sentence for each panel."""
    return " ".join(
        f"{title}: {'; '.join(f'{bar.name}: {shown(bar)}' for bar in found)}."
        for title, found in panels
    )


def drawn(scheme: str, name: str, panels: tuple[Panel, ...]) -> str:
    """Return the chart of panels for one colour scheme."""
    return picture(scheme, name, [(panel.title, bars(panel)) for panel in panels])


def picture(scheme: str, name: str, panels: list[tuple[str, list[Bar]]]) -> str:
    """Return a chart with a panel for each list of bars."""
    colours = svg.COLOURS[scheme]
    lines, y = [], MARGIN
    for heading, found in panels:
        hint = "" if lines else '<tspan class="faint" dx="12">shorter is better</tspan>'
        lines.append(svg.text("title", MARGIN, y + 15, escape(heading) + hint))
        y += TITLE
        scale = (WIDTH - LEFT - RIGHT) / max(bar.value for bar in found)
        for bar in found:
            kind = "own" if bar.own else "other"
            middle = y + BAR / 2 + 4.5
            long = max(bar.value * scale, 2)
            times = f'<tspan class="faint" dx="8">{ratio(bar.times)}</tspan>' if bar.times else ""
            lines += (
                svg.text(f"name {kind}", LEFT - 10, middle, escape(bar.name)),
                svg.rect(kind, LEFT, y, long, BAR),
                svg.text(kind, LEFT + long + 8, middle, shown(bar) + times),
            )
            y += STEP
        y += GAP
    style = (
        f"text {{ font: 13.5px {svg.FONT}; fill: {colours['ink']};"
        " font-variant-numeric: tabular-nums }\n"
        ".title { font-weight: 600 }\n"
        ".name { text-anchor: end }\n"
        "text.own { font-weight: 600 }\n"
        f".faint {{ fill: {colours['faint']}; font-weight: 400 }}\n"
        f"rect.own {{ fill: {colours['own']} }}\n"
        f"rect.other {{ fill: {colours['other']} }}\n"
        "rect { rx: 2px }\n"
    )
    description = f"{described(panels)} Shorter is better."
    return svg.document((WIDTH, y - GAP + MARGIN), name, description, style, lines)


CHARTS = {
    "chart": partial(drawn, name="How long Penstock and other libraries take", panels=README),
    "remote": partial(drawn, name=REMOTE_TITLE, panels=REMOTE),
}


if __name__ == "__main__":
    svg.write(CHARTS)
