"""Draws the first chart of docs/performance.md: each job with one ratio, on a logarithmic scale."""

from __future__ import annotations

import math
import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import chart
import svg
from measured import (
    COLUMNS,
    CSV,
    CSV_ROWS,
    ELEMENTS,
    KINDS,
    MESSAGES,
    NEW,
    PLAIN,
    PLIST,
    ROWS,
    WRITING,
    XML,
)


class Job(NamedTuple):
    """A line of the overview: Penstock beside the fastest of the others."""

    title: str
    record: str
    row: str
    variant: str
    what: str = "ms"
    own: str = "penstock"
    passed_over: tuple[str, ...] = ()
    """Cases that give something else."""


FRAMES = ("pandas, columns", "polars, columns")
JOBS: dict[str, tuple[Job, ...]] = {
    "Read into objects": (
        Job("XML, 200 MB, as a stream", XML, "xml-records", "pubmed"),
        Job("property list, XML", PLIST, "plist-xml-typed", "collector off"),
        Job("property list, binary", PLIST, "plist-binary-typed", "collector off"),
        Job(
            "CSV, two of eight columns",
            CSV_ROWS,
            "csv-two-columns",
            "collector off",
            passed_over=FRAMES,
        ),
        Job("JSON, 1 GB, as a stream", ROWS, "stream", "1 GB"),
        Job("CSV, all columns", CSV_ROWS, "csv", "collector off", passed_over=FRAMES),
        Job("JSON, 80 MB of cities", NEW, "cities", "collector on"),
        Job("JSON, one record of 80 MB", KINDS, "open", "cities500"),
        Job("JSON, two of nine fields", NEW, "two-fields", "collector on"),
        Job("JSON, a million tiny objects", NEW, "objects", "collector on"),
        Job("JSON, 500 bytes", NEW, "messages", "500 B", "ns", "penstock Decoder"),
        Job("JSON, numbers as plain values", PLAIN, "plain", "canada"),
        Job("JSON, 60 bytes", NEW, "messages", "60 B", "ns", "penstock Decoder"),
        Job(
            "JSON, 60 bytes that do not fit",
            MESSAGES,
            "messages-error",
            "60 B",
            "ns",
            "penstock Decoder",
        ),
    ),
    "Write objects": (
        Job("property list, XML", PLIST, "plist-xml-write", "collector off"),
        Job("property list, binary", PLIST, "plist-binary-write", "collector off"),
        Job("CSV, 1.9 million rows", CSV, "csv-write", "collector off"),
        Job("XML, 50,000 cities", WRITING, "encode-xml", "collector off"),
        Job("JSON, 60 bytes", WRITING, "messages-encode", "60 B", "ns", "penstock Encoder"),
        Job("JSON, 80 MB of cities", NEW, "encode-cities", "collector off"),
        Job("JSON, a million tiny objects", NEW, "encode-objects", "collector off"),
    ),
    "Convert": (
        Job("XML to lines of JSON, 200 MB", WRITING, "convert-xml", "200 MB"),
        Job("an array of JSON to lines, 200 MB", WRITING, "convert-array", "200 MB"),
        Job("lines of JSON to an array, 200 MB", WRITING, "convert-lines", "200 MB"),
    ),
    "Read into columns, one thread": (
        Job("XML, 200 MB", COLUMNS, "columns-xml", "one thread"),
        Job("JSON, one array of 100 MB", COLUMNS, "columns-array", "one thread"),
        Job("JSON, 61 MB of lines", COLUMNS, "columns-lines", "one thread"),
        Job("CSV, 120 MB", COLUMNS, "columns-table", "all columns in one thread"),
    ),
}


class Result(NamedTuple):
    """How many times as fast as the fastest other library Penstock is, and which that is."""

    times: float
    other: str


def result(job: Job) -> Result:
    """Return what was recorded of a job."""
    found = chart.medians(job.record, job.row, job.variant, job.what)
    others = {
        case: median
        for case, median in found.items()
        if not case.startswith("penstock")
        and case not in {*chart.BOUNDS, *ELEMENTS, *job.passed_over}
    }
    other = min(others, key=lambda case: others[case])
    return Result(others[other] / found[job.own], other)


TITLE = "How many times as fast as the fastest other library Penstock is"
LEFT = 236
"""Where the bars of what is ten times slower begin; the names end before."""
EVEN = 371
"""Where nothing is faster or slower."""
TEN = EVEN - LEFT
"""How long a bar of ten times is, in either direction."""
STEP = 22
BAR = 14
MARKS = (0.1, 0.3, 1, 3, 10, 30)


def place(times: float) -> float:
    """Return where a ratio stands, on a logarithmic scale."""
    return EVEN + TEN * math.log10(times)


def drawn(scheme: str) -> str:
    """Return the first chart of the page: each job with one ratio."""
    colours = svg.COLOURS[scheme]
    lines: list[str] = []
    said: list[str] = []
    y = 34
    for group, jobs in JOBS.items():
        lines.append(svg.text("title", chart.MARGIN, y + 12, escape(group)))
        y += 24
        for job, (times, other) in sorted(
            ((job, result(job)) for job in jobs), key=lambda pair: -pair[1].times
        ):
            kind = "own" if times >= 0.95 else "slow"
            start, end = sorted((EVEN, place(times)))
            middle = y + BAR / 2 + 4.5
            number = f"{times:.0f}x" if times >= 9.95 else f"{times:.1f}x"
            behind = f'<tspan class="faint" dx="8">{escape(other)}</tspan>'
            lines += (
                svg.text("name", LEFT - 10, middle, escape(job.title)),
                svg.rect(kind, start, y, max(end - start, 2), BAR),
                svg.text(kind, max(end, EVEN) + 8, middle, f"{number}{behind}"),
            )
            said.append(f"{group}, {job.title}: {number}, beside {other}.")
            y += STEP
        y += 12
    bottom = y - 8
    scale: list[str] = []
    for mark in MARKS:
        x = place(mark)
        kind = "even" if mark == 1 else "mark"
        scale += (
            svg.line(kind, (x, 26), (x, bottom)),
            svg.text("scale", x, 18, f"{mark:g}x"),
        )
    style = (
        f"text {{ font: 13px {svg.FONT}; fill: {colours['ink']};"
        " font-variant-numeric: tabular-nums }\n"
        ".title { font-weight: 600 }\n"
        ".name { text-anchor: end }\n"
        f".scale {{ text-anchor: middle; fill: {colours['faint']}; font-size: 12px }}\n"
        "text.own { font-weight: 600 }\n"
        f"text.slow {{ font-weight: 600; fill: {colours['slow']} }}\n"
        f".faint {{ fill: {colours['faint']}; font-weight: 400 }}\n"
        f"rect.own {{ fill: {colours['own']} }}\n"
        f"rect.slow {{ fill: {colours['slow']} }}\n"
        "rect { rx: 2px }\n"
        f".mark {{ stroke: {colours['other']}; stroke-width: 1; stroke-dasharray: 2 3 }}\n"
        f".even {{ stroke: {colours['line']}; stroke-width: 1.5 }}\n"
    )
    return svg.document((chart.WIDTH, bottom + 6), TITLE, " ".join(said), style, [*scale, *lines])
