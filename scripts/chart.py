"""Draws the chart of README from the recorded runs: `python scripts/chart.py`.

There are two pictures with the same bars, for light and for dark pages. A test compares them with
the output of this script. They are plain SVG without fonts, scripts or anything from a network, and
their text is text: it can be selected, and screen readers find a description with all numbers.
"""

from __future__ import annotations

import json
import statistics
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
RECORDS = ROOT / "bench" / "record"
PICTURES = ROOT / "docs" / "_static"


class Panel(NamedTuple):
    """Some bars on a scale of their own: the median times of cases of a recorded row."""

    title: str
    record: str
    row: str
    variant: str
    bars: dict[str, str]
    """What each case is called, in the order of the record's names."""


PANELS = (
    Panel(
        "80 MB of JSON, 234,908 cities with 9 fields each, in memory",
        "intel-xeon-processor-2026-11-21.json",
        "cities",
        "collector on",
        {
            "penstock": "penstock, dataclass",
            "msgspec Struct": "msgspec, Struct",
            "msgspec dataclass": "msgspec, dataclass",
            "orjson dicts": "orjson, dicts",
            "json dicts": "json, dicts",
            "pydantic dataclass": "pydantic, dataclass",
        },
    ),
    Panel(
        "200 MB of XML, articles of PubMed with 5 fields each, streamed",
        "intel-xeon-processor-2026-11-21-xml.json",
        "xml-records",
        "pubmed",
        {
            "penstock": "penstock, dataclass",
            "lxml.iterparse": "lxml, iterparse",
            "ElementTree.iterparse": "ElementTree, iterparse",
            "expat, 3 handlers": "expat, handlers",
        },
    ),
)

WIDTH = 760
LEFT = 178
"""Where the bars begin; their names stand before it."""
RIGHT = 122
"""What is kept free behind the longest bar for its number."""
TITLE = 30
BAR = 18
STEP = 26
GAP = 22
"""Between two panels."""
MARGIN = 8

FONT = '-apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif'

COLOURS = {
    "light": {"ink": "#1f2328", "faint": "#59636e", "own": "#0e7490", "other": "#c4cbd3"},
    "dark": {"ink": "#f0f6fc", "faint": "#9198a1", "own": "#22b8d6", "other": "#3d444d"},
}


class Bar(NamedTuple):
    """One case: its name, and the median of its rounds in milliseconds."""

    name: str
    own: bool
    ms: float


def bars(panel: Panel) -> list[Bar]:
    """Return the bars of a panel, the fastest first."""
    recorded = json.loads((RECORDS / panel.record).read_text("utf-8"))["rows"][panel.row]
    found = [
        Bar(
            panel.bars[sample["case"]],
            sample["case"] == "penstock",
            statistics.median(measured["ms"] for measured in sample["rounds"]),
        )
        for sample in recorded["samples"]
        if sample["variant"] == panel.variant and sample["case"] in panel.bars
    ]
    if len(found) != len(panel.bars):
        raise SystemExit(f"{panel.record} does not have all of {', '.join(panel.bars)}")
    return sorted(found, key=lambda bar: bar.ms)


def shown(ms: float) -> str:
    """Return a time as it is shown behind its bar."""
    return f"{ms:,.0f} ms"


def described(panels: list[tuple[str, list[Bar]]]) -> str:
    """Return the contents of the picture as text, a sentence for each panel."""
    return " ".join(
        f"{title}: {'; '.join(f'{bar.name}: {shown(bar.ms)}' for bar in found)}."
        for title, found in panels
    )


def drawn(scheme: str) -> str:
    """Return the picture for one colour scheme."""
    panels = [(panel.title, bars(panel)) for panel in PANELS]
    return picture(scheme, "How long Penstock and other libraries take", panels)


def picture(scheme: str, name: str, panels: list[tuple[str, list[Bar]]]) -> str:
    """Return a picture with a panel for each list of bars."""
    ink, faint, own, other = COLOURS[scheme].values()
    lines, y = [], MARGIN
    for heading, found in panels:
        hint = "" if lines else '<tspan class="faint" dx="12">shorter is better</tspan>'
        title = f"{escape(heading)}{hint}"
        lines.append(f'<text class="title" x="{MARGIN}" y="{y + 15}">{title}</text>')
        y += TITLE
        # Beside several bars of Penstock's, none is the measure for the others.
        (penstock, *more) = (bar.ms for bar in found if bar.own)
        scale = (WIDTH - LEFT - RIGHT) / max(bar.ms for bar in found)
        for bar in found:
            kind = "own" if bar.own else "other"
            middle = y + BAR / 2 + 4.5
            long = max(bar.ms * scale, 2)
            ratio = f'<tspan class="faint" dx="8">{bar.ms / penstock:.1f}x</tspan>'
            times = "" if more else ratio
            lines += (
                f'<text class="name {kind}" x="{LEFT - 10}" y="{middle:g}">{bar.name}</text>',
                f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{long:.1f}" height="{BAR}"/>',
                f'<text class="{kind}" x="{LEFT + long + 8:.1f}" y="{middle:g}">',
                f"{shown(bar.ms)}{'' if bar.own else times}</text>",
            )
            y += STEP
        y += GAP
    height = y - GAP + MARGIN
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title what">',
        f'<title id="title">{escape(name)}</title>',
        f'<desc id="what">{escape(described(panels))} Shorter is better.</desc>',
        "<style>",
        f"text {{ font: 13.5px {FONT}; fill: {ink}; font-variant-numeric: tabular-nums }}",
        ".title { font-weight: 600 }",
        ".name { text-anchor: end }",
        "text.own { font-weight: 600 }",
        f".faint {{ fill: {faint}; font-weight: 400 }}",
        f"rect.own {{ fill: {own} }}",
        f"rect.other {{ fill: {other} }}",
        "rect { rx: 2px }",
        "</style>",
    )
    return "\n".join((*head, *lines, "</svg>", ""))


def path(scheme: str) -> Path:
    """Return where a picture is kept."""
    return PICTURES / f"chart-{scheme}.svg"


def main() -> None:
    """Draw both."""
    for scheme in COLOURS:
        path(scheme).write_text(drawn(scheme), "utf-8")


if __name__ == "__main__":
    main()
