"""The record as a chart: SVG alone, or in a page.

It is a single file: no script, no font, nothing from a network. Its colours follow the reader's
choice of light or dark. Each row is a dot on a logarithmic scale, with a line for its interval; a
ring is the first time. The numbers of a dot appear when the pointer rests on it.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from penstock.costs.table import cells, described, duration, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.costs.record import Measurement, Record, Span

_WIDTH = 960
_LEFT = 230
_RIGHT = 96
_TOP = 96
_ROW = 19
_GROUP = 34
_DECADES = (-2, 9)
_CHARACTERS = 130

_STYLE = """\
.costs { --ink: #1f2430; --faint: #6b7280; --grid: #e5e7eb; --paper: #ffffff;
  --native: #0e7490; --python: #b45309; --wrong: #b91c1c;
  font: 12.5px/1.4 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif }
@media (prefers-color-scheme: dark) {
  .costs { --ink: #e5e7eb; --faint: #9ca3af; --grid: #2b3140; --paper: #14171f;
    --native: #22d3ee; --python: #fbbf24; --wrong: #f87171 } }
.costs .paper { fill: var(--paper) }
.costs text { fill: var(--ink) }
.costs .title { font-size: 20px; font-weight: 650 }
.costs .group { font-weight: 650 }
.costs .faint { fill: var(--faint) }
.costs .small { font-size: 11px }
.costs .value { font-variant-numeric: tabular-nums; fill: var(--faint) }
.costs .grid { stroke: var(--grid); stroke-width: 1 }
.costs .lead { stroke: var(--grid); stroke-width: 1; stroke-dasharray: 1 3 }
.costs .native { fill: var(--native); stroke: var(--native) }
.costs .python { fill: var(--python); stroke: var(--python) }
.costs .range { stroke-width: 5; stroke-linecap: round; opacity: .35 }
.costs .bound { fill: none; stroke-width: 1.5 }
.costs .first { fill: var(--paper); stroke-width: 1.3; opacity: .75 }
.costs .wrong { fill: var(--wrong) }"""

_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" class="costs" role="img" \
aria-label="What operations cost" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\
"""

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>What operations cost</title>
<style>
body {{ margin: 2rem auto; padding: 0 1rem; max-width: 960px }}
svg {{ width: 100%; height: auto }}
table {{ border-collapse: collapse; font: 13px/1.5 ui-sans-serif, system-ui, sans-serif }}
table {{ margin: 2rem auto; font-variant-numeric: tabular-nums }}
th, td {{ padding: .1rem .7rem; text-align: right }}
th:first-child, td:first-child {{ text-align: left }}
tr.group th {{ padding-top: .9rem; border-bottom: 1px solid #8884 }}
tr:hover td {{ background: #8882 }}
</style>
{picture}
<table>
{table}
</table>
"""


def kind(path: str) -> Callable[[Record], str] | None:
    """Return the function that draws a file of that name, or None."""
    return {"svg": svg, "html": html}.get(path.rpartition(".")[2].lower())


def html(record: Record) -> str:
    """Return a page with the chart and the numbers."""
    return _PAGE.format(picture=svg(record), table="\n".join(_table(record)))


def svg(record: Record) -> str:
    """Return the chart."""
    groups = len({row.group for row in record.rows})
    about = list(_wrapped(described(record.machine) + record.machine.doubts()))
    top = _TOP + 15 * len(about)
    height = top + _ROW * len(record.rows) + _GROUP * groups + 40
    parts = [
        _SVG.format(width=_WIDTH, height=height),
        f"<style>\n{_STYLE}\n</style>",
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>',
        _text(20, 36, "What operations cost", "title"),
        *(_text(20, 56 + 15 * number, line, "faint small") for number, line in enumerate(about)),
        *_legend(top - 22),
        *_grid(top, height - 30),
    ]
    y, group = top, None
    for row in record.rows:
        if row.group != group:
            group = row.group
            y += _GROUP
            parts.append(_text(20, y - 8, group, "group"))
        parts += _row(row, y + _ROW / 2)
        y += _ROW
    return "\n".join([*parts, "</svg>"])


def _x(ns: float) -> float:
    """Return the position of a time."""
    least, most = _DECADES
    part = (math.log10(max(ns, 10.0**least)) - least) / (most - least)
    return round(_LEFT + min(part, 1.0) * (_WIDTH - _LEFT - _RIGHT), 1)


def _text(x: float, y: float, text: str, style: str, anchor: str = "start") -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
    return f'<text {place} class="{style}">{escape(text)}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, style: str) -> str:
    return f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" class="{style}"/>'


def _dot(x: float, y: float, style: str, radius: float = 4) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{style}"/>'


def _legend(y: float) -> Iterator[str]:
    x = 20
    for style, text in (
        ("native", "native"),
        ("python", "Python"),
        ("native first", "the first time in a process"),
        ("native bound", "less than can be told"),
    ):
        yield _dot(x + 4, y - 4, style)
        yield _text(x + 14, y, text, "small faint")
        x += 40 + 7 * len(text)
    yield _line(x, y - 4, x + 16, y - 4, "native range")
    yield _text(x + 24, y, "all of the processes", "small faint")


def _grid(top: float, bottom: float) -> Iterator[str]:
    """Yield a line for each decade, with its time above and below."""
    for decade in range(_DECADES[0], _DECADES[1] + 1):
        x = _x(10.0**decade)
        yield _line(x, top, x, bottom, "grid")
        text = duration(10.0**decade, 1)
        yield _text(x, top - 4, text, "small faint", "middle")
        yield _text(x, bottom + 14, text, "small faint", "middle")


def _row(row: Measurement, y: float) -> Iterator[str]:
    """Yield a row: its name, its dot, its time."""
    yield _text(_LEFT - 14, y + 4, row.name, "name", "end")
    if row.fault or row.time is None:
        yield _text(_LEFT + 6, y + 4, row.fault or "", "wrong")
        return
    style = "python" if row.is_python else "native"
    time = row.time
    at = _x(_shown(time))
    yield f"<g><title>{escape(_said(row))}</title>"
    yield _line(_LEFT, y, max(at, _x(_shown(row.first)) if row.first else at), y, "lead")
    if row.first:
        yield _dot(_x(_shown(row.first)), y, f"{style} first", 3.2)
    yield _line(_x(time.low), y, _x(time.high), y, f"{style} range")
    yield _dot(at, y, f"{style} bound" if time.is_bound else style)
    yield "</g>"
    yield _text(_WIDTH - 20, y + 4, told(time), "value", "end")


def _shown(span: Span) -> float:
    """Return the time to draw: its upper end if no more is known."""
    return span.high if span.is_bound else span.ns


def _said(row: Measurement) -> str:
    """Return the text that appears when the pointer rests on a dot."""
    if row.time is None:
        return row.name
    low, high = (duration(value) if value else "0" for value in (row.time.low, row.time.high))
    first = f"; the first time {told(row.first)}" if row.first else ""
    return f"{row.name}: {told(row.time)}, between {low} and {high}{first}"


def _wrapped(parts: list[str]) -> Iterator[str]:
    line = ""
    for part in parts:
        if line and len(line) + len(part) > _CHARACTERS:
            yield f"{line},"
            line = part
        else:
            line = f"{line}, {part}" if line else part
    yield line


def _table(record: Record) -> Iterator[str]:
    """Yield the rows of the table of numbers."""
    first = next((row.ns for row in record.rows if row.ns), None)
    group = None
    for row in record.rows:
        if row.group != group:
            group = row.group
            heads = (group, "time", "&plusmn;", "first time", "in 1/60 s", "ratio")
            yield f'<tr class="group">{"".join(f"<th>{head}</th>" for head in heads)}</tr>'
        texts = cells(row, first)
        numbers = "".join(f"<td>{escape(text)}</td>" for text in texts)
        if not texts:
            numbers = f'<td colspan="5">{escape(row.fault or "")}</td>'
        yield f"<tr><td>{escape(row.name)}</td>{numbers}</tr>"
