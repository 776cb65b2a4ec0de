"""Draws the sums of the pages that compare libraries: `python scripts/sums.py`.

The numbers are those of the tables of sums in the pages, which the programs in `tests/comparison`
write. A bar has three parts: what is right, what the library refuses, and what it gets wrong.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from html import escape
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import svg

DOCS = svg.ROOT / "docs"
TABLE = re.compile(r"^\|[^|]*\| (?P<names>.+) \|\n\|[-|]+\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE)


class Page(NamedTuple):
    """A page with two tables of sums."""

    name: str
    title: str
    """What the picture shows."""
    panels: tuple[str, str]
    """What each table is about; `{}` is the number of questions."""
    refused: tuple[str, ...]
    """The rows whose answers nobody takes for right."""
    words: tuple[str, str, str]
    """What the three parts are called."""


PAGES = (
    Page(
        "comparison",
        "How many questions each library decodes right, refuses, or gets wrong",
        ("{} questions of Penstock's own", "{} questions of the other libraries' tests"),
        ("refuses, or has no such thing",),
        ("right", "refuses", "wrong, without an error"),
    ),
    Page(
        "comparison_writing",
        "How many questions each library writes right, refuses, or gets wrong",
        ("{} questions of Penstock's own", "{} options of the other libraries"),
        ("refuses, or has no such thing",),
        ("right", "refuses", "wrong, not readable, or a crash"),
    ),
    Page(
        "csv_pollution",
        "How many polluted files of CSV each library reads right, refuses, or gets wrong",
        ("{} files, with the dialect told", "{} files, with the dialect found"),
        ("error", "warns", "no option"),
        ("right", "an error or a warning", "wrong, unnoticed"),
    ),
)
KINDS = ("right", "refused", "wrong")

WIDTH, LEFT, MARGIN = 760, 150, 8
LONG = WIDTH - LEFT - MARGIN
BAR, STEP, TITLE, GAP = 20, 27, 30, 18


class Sums(NamedTuple):
    """What a library did: how often it was right, refused, and was wrong."""

    library: str
    counts: tuple[int, int, int]


def sums(page: Page) -> list[list[Sums]]:
    """Return the sums of each table of a page."""
    found = []
    for table in TABLE.finditer((DOCS / f"{page.name}.md").read_text("utf-8")):
        rows = [
            [cell.strip(" *") for cell in row.split("|")[1:-1]]
            for row in table["rows"].splitlines()
        ]
        if rows[0][0] != "right":
            continue
        names = [name.replace("`", "").strip() for name in table["names"].split("|")]
        columns = list(zip(*(map(int, row[1:]) for row in rows), strict=True))
        labels = [row[0] for row in rows]
        kinds = [
            "right" if label == "right" else "refused" if label in page.refused else "wrong"
            for label in labels
        ]
        found.append(
            [
                Sums(
                    name,
                    tuple(  # type: ignore[arg-type]  # there are three kinds
                        sum(n for n, its in zip(column, kinds, strict=True) if its == kind)
                        for kind in KINDS
                    ),
                )
                for name, column in zip(names, columns, strict=True)
            ]
        )
    return found


def drawn(scheme: str, page: Page) -> str:
    """Return the picture of a page's sums."""
    colours = svg.COLOURS[scheme]
    lines: list[str] = []
    x = float(MARGIN)
    for kind, word in zip(KINDS, page.words, strict=True):
        lines.append(svg.rect(kind, x, 10, 14, 14))
        lines.append(svg.text("plain", x + 20, 22, word))
        x += 44 + 8 * len(word)
    y = 44.0
    said = []
    for title, libraries in zip(page.panels, sums(page), strict=True):
        count = sum(libraries[0].counts)
        lines.append(svg.text("title", MARGIN, y + 12, escape(title.format(count))))
        y += TITLE
        for name, counts in libraries:
            kind = "own" if name.startswith(("Penstock", "with repair")) else "plain"
            lines.append(svg.text(f"name {kind}", LEFT - 10, y + 15, escape(name)))
            place = float(LEFT)
            for part, number in zip(KINDS, counts, strict=True):
                long = LONG * number / count
                if number:
                    lines.append(svg.rect(part, place, y, long, BAR))
                if long >= 9 * len(str(number)) + 1:
                    lines.append(svg.text(f"in{part}", place + long / 2, y + 15, str(number)))
                place += long
            words = zip(counts, page.words, strict=True)
            said.append(f"{name}: {', '.join(f'{number} {word}' for number, word in words)}.")
            y += STEP
        y += GAP
    dark = scheme == "dark"
    style = (
        f"text {{ font: 13px {svg.FONT}; fill: {colours['ink']};"
        " font-variant-numeric: tabular-nums }\n"
        ".title, .own { font-weight: 600 }\n"
        ".name { text-anchor: end }\n"
        ".inright, .inrefused, .inwrong { text-anchor: middle }\n"
        f".inright, .inwrong {{ fill: {'#0d1117' if dark else '#ffffff'} }}\n"
        f"rect.right {{ fill: {colours['own']} }}\n"
        f"rect.refused {{ fill: {colours['other']} }}\n"
        f"rect.wrong {{ fill: {colours['slow']} }}\n"
    )
    return svg.document((WIDTH, y - GAP), page.title, " ".join(said), style, lines)


CHARTS: dict[str, svg.Draw] = {page.name: partial(drawn, page=page) for page in PAGES}


if __name__ == "__main__":
    svg.write(CHARTS)
