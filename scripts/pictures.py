"""Draws the pictures that explain: `python scripts/pictures.py`.

Each shows what really happens with a small document. Tests read that document, and compare.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import svg

import penstock

WIDTH = 760
MARGIN = 8
CODE = 7.8
"""How wide a character of code is: every text has its length, whatever the font is."""


def style(scheme: str) -> str:
    """Return the style of all of these pictures."""
    colours = svg.COLOURS[scheme]
    return (
        f"text {{ font: 13px {svg.FONT}; fill: {colours['ink']} }}\n"
        f".code {{ font: 13px {svg.FIXED}; white-space: pre }}\n"
        ".title { font-weight: 600 }\n"
        f".path {{ font: 600 13px {svg.FIXED}; fill: {colours['own']} }}\n"
        f".small {{ font: 11px {svg.FONT}; fill: {colours['faint']} }}\n"
        f".faint {{ fill: {colours['faint']} }}\n"
        f".slow {{ fill: {colours['slow']} }}\n"
        ".middle { text-anchor: middle }\n"
        f".box {{ fill: {colours['box']}; stroke: {colours['other']}; rx: 5px }}\n"
        f".own {{ fill: {colours['tint']}; stroke: {colours['own']}; rx: 5px }}\n"
        f".tint {{ fill: {colours['tint']}; stroke: {colours['own']}; rx: 2px }}\n"
        f".even {{ fill: {colours['box']} }}\n"
        f".odd {{ fill: {colours['other']} }}\n"
        f".arrow {{ stroke: {colours['line']}; stroke-width: 1.5 }}\n"
        f".head {{ fill: {colours['line']} }}\n"
        f".cut {{ stroke: {colours['own']}; stroke-width: 2 }}\n"
        f".guess {{ stroke: {colours['slow']}; stroke-width: 1.5; stroke-dasharray: 4 3 }}\n"
    )


def code(x: float, y: float, text: str, kind: str = "code", size: float = CODE) -> Iterator[str]:
    """Yield a text of code, each run between two spaces at its place."""
    column = 0
    for run in text.split("  "):
        lead = len(run) - len(run.lstrip(" "))
        if shown := run.strip(" "):
            placed = x + (column + lead) * size
            yield (
                f'<text class="{kind}" x="{placed:.1f}" y="{y:g}"'
                f' textLength="{len(shown) * size:.1f}">{escape(shown, quote=False)}</text>'
            )
        column += len(run) + 2


def arrow(start: tuple[float, float], end: tuple[float, float]) -> Iterator[str]:
    """Yield a line, horizontal or vertical, with a head at its end."""
    (x1, y1), (x2, y2) = start, end
    yield svg.line("arrow", start, end)
    dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
    points = ((0, 0), (-8 * dx - 4 * dy, -8 * dy - 4 * dx), (-8 * dx + 4 * dy, -8 * dy + 4 * dx))
    placed = " ".join(f"{x2 + x:g},{y2 + y:g}" for x, y in points)
    yield f'<polygon class="head" points="{placed}"/>'


# --- What `at` matches

STOPS = """\
{"city": "Bern",
 "stops": [
  {"id": 1, "tags": ["bus"]},
  {"id": 2, "tags": ["tram", "bus"]}
]}"""
SHOP = """\
<shop>
  <item id="a">pear</item>
  <item id="b">fig</item>
</shop>"""


class Match(NamedTuple):
    """A document, a path, and the text of each record that it matches, in order."""

    document: str
    at: str
    records: tuple[str, ...]


FIRST, SECOND = '{"id": 1, "tags": ["bus"]}', '{"id": 2, "tags": ["tram", "bus"]}'
MATCHES = (
    Match(STOPS, "stops/*", (FIRST, SECOND)),
    Match(STOPS, "stops/0", (FIRST,)),
    Match(STOPS, "stops/*/tags/*", ('"bus"', '"tram"', '"bus"')),
    Match(STOPS, "//id", ("1", "2")),
    Match(SHOP, "shop/item", ('<item id="a">pear</item>', '<item id="b">fig</item>')),
    Match(SHOP, "shop/item/@id", ("a", "b")),
)
AT = "What a path matches: the records of at= in a document of JSON, and in one of XML"
LINE = 19
PANEL = (WIDTH - 2 * MARGIN - 16) / 2


def spots(match: Match) -> Iterator[tuple[int, int, int]]:
    """Yield the line, the column and the length of each record."""
    after = 0
    for record in match.records:
        # A number or a name in quotes is not a part of a longer one.
        start = match.document.index(record, after)
        while record.isalnum() and match.document[start - 1].isalnum():
            start = match.document.index(record, start + 1)
        after = start + len(record)
        before = match.document[:start]
        yield before.count("\n"), start - (before.rfind("\n") + 1), len(record)


def panel(match: Match, x: float, y: float) -> Iterator[str]:
    """Yield a document with the records of a path."""
    lines = match.document.splitlines()
    yield svg.rect("box", x, y, PANEL, 38 + LINE * len(lines))
    count = len(match.records)
    said = f'at="{match.at}"'
    yield from code(x + 12, y + 21, said, "path")
    records = f"{count} record{'s' if count > 1 else ''}"
    yield svg.text("faint", x + 24 + len(said) * CODE, y + 21, records)
    top = y + 48
    for line, column, length in spots(match):
        left = x + 12 + column * CODE - 1
        yield svg.rect("tint", left, top + line * LINE - 13, length * CODE + 2, LINE - 2)
    for number, text in enumerate(lines):
        yield from code(x + 12, top + number * LINE, text)


def at(scheme: str) -> str:
    """Return the picture of what paths match."""
    lines: list[str] = []
    y = float(MARGIN)
    for left, right in zip(MATCHES[::2], MATCHES[1::2], strict=True):
        lines += panel(left, MARGIN, y)
        lines += panel(right, MARGIN + PANEL + 16, y)
        y += 38 + LINE * len(left.document.splitlines()) + 14
    said = " ".join(f"{match.at} matches {', '.join(match.records)}." for match in MATCHES)
    return svg.document((WIDTH, y - 14 + MARGIN), AT, said, style(scheme), lines)


# --- How a file is split

ROWS = (
    *("1,bus", '2,"a long\nnote, in quotes"', "3,tram", "4,train", '5,"the\nlast"', "6,ferry"),
    *("7,bus and train", "8,tram"),
)
NOTES = "id,note\n" + "".join(f"{row}\n" for row in ROWS)
PARTS = 3
SPLIT = "A file of CSV in three parts: where a third of the bytes ends, and where the parts begin"
STEP = 7.4


def parts() -> list[tuple[int, int]]:
    """Return where each part begins, and the number of its first record."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "notes.csv")
        path.write_text(NOTES, "utf-8", newline="\n")
        return [(part.begin, part.records_before + 1) for part in penstock.split(path, parts=PARTS)]


def split(scheme: str) -> str:
    """Return the picture of a file that is split."""
    left = (WIDTH - STEP * len(NOTES)) / 2
    begins = [*parts(), (len(NOTES), len(ROWS) + 1)]
    lines = []
    top = 62.0
    place = len(NOTES) - sum(len(row) + 1 for row in ROWS)
    for number, row in enumerate(ROWS):
        kind = "odd" if number % 2 else "even"
        lines.append(svg.rect(kind, left + place * STEP, top, (len(row) + 1) * STEP, 30))
        place += len(row) + 1
    for column, character in enumerate(NOTES):
        shown = "↵" if character == "\n" else escape(character)
        kind = "code middle faint" if character == "\n" else "code middle"
        if character != " ":
            lines.append(svg.text(kind, left + (column + 0.5) * STEP, top + 20, shown))
    for number in range(1, PARTS):
        x = left + len(NOTES) * number / PARTS * STEP
        said = ("one third of the bytes: in quotes", "two thirds: in quotes")[number - 1]
        lines += (
            svg.line("guess", (x, top - 22), (x, top + 38)),
            svg.text("slow middle", x, top - 28, said),
        )
    for number, ((start, first), (end, after)) in enumerate(pairwise(begins), 1):
        # The header is read for each part.
        x, width = left + start * STEP + 2, (end - start) * STEP - 4
        if number > 1:
            lines.append(svg.line("cut", (x - 2, top - 6), (x - 2, top + 36)))
        lines.append(svg.rect("own", x, top + 48, width, 46))
        middle = x + width / 2
        lines += (
            svg.text("title middle", middle, top + 67, f"part {number}"),
            svg.text("middle", middle, top + 84, f"records {first} to {after - 1}"),
            *arrow((middle, top + 98), (middle, top + 122)),
            svg.rect("box", middle - 100, top + 126, 200, 28),
            svg.text("middle", middle, top + 145, "a thread, process or worker"),
        )
    said = " ".join(
        f"Part {number} begins at byte {start}, with record {first}."
        for number, (start, first) in enumerate(begins[:-1], 1)
    )
    return svg.document((WIDTH, top + 162), SPLIT, said, style(scheme), lines)


# --- The path of a byte

BYTE = "The path of a byte: from a compressed file to an object"
GIVEN = '{"name": "Bern", "position": {"lat": 46.95}}'


class Stage(NamedTuple):
    """A stage, what it hands on, and what it does."""

    name: str
    holds: str
    does: str


STAGES = (
    Stage("your bytes", "1f 8b 08 00 … 2c a9 4e", "a path, a file, chunks, or data in memory"),
    Stage("source", '{"name": "Bern", "posi', "reads and decompresses, without Python's lock"),
    Stage("window", '…tion": {"lat": 46.95}}', "checks UTF-8; counts lines; drops what is read"),
    Stage("reader", 'key "name"   text "Bern"', "the only grammar of the format; reports events"),
    Stage("select", 'key "lat"   number 46.95', "passes the records of at=; the rest is skipped"),
    Stage(
        "builder", "Bern → name   46.95 → latitude", "puts values into slots, by the class's plan"
    ),
    Stage("your object", "City('Bern', 46.95)", "made once its last value is there"),
)
OTHERS = ("columns (Arrow)", "open documents", "messages", "another format")


def byte(scheme: str) -> str:
    """Return the picture of the stages of reading."""
    lines: list[str] = []
    y, height, gap = float(MARGIN), 34, 18
    middle = MARGIN + 58
    for number, (name, holds, does) in enumerate(STAGES):
        if number:
            lines += arrow((middle, y - gap + 1), (middle, y - 2))
        kind = "own" if number in {0, len(STAGES) - 1} else "box"
        lines.append(svg.rect(kind, MARGIN, y, 116, height))
        lines.append(svg.text("title middle", middle, y + 22, name))
        lines += code(MARGIN + 136, y + 22, holds)
        lines.append(svg.text("faint", MARGIN + 400, y + 22, does))
        y += height + gap
    y -= gap
    # Events have other destinations, too.
    lines.append(svg.text("small", MARGIN + 136, y + 40, "The same events also become"))
    x = MARGIN + 318.0
    for other in OTHERS:
        width = len(other) * 6.2 + 14
        lines.append(svg.rect("box", x, y + 24, width, 24))
        lines.append(svg.text("small middle", x + width / 2, y + 40, other))
        x += width + 6
    said = " ".join(f"{name}: {does}." for name, _, does in STAGES)
    said += f" The same events also become {', '.join(OTHERS)}."
    return svg.document((WIDTH, y + 56), BYTE, said, style(scheme), lines)


PICTURES: dict[str, tuple[str, svg.Draw]] = {
    "at": (AT, at),
    "byte": (BYTE, byte),
    "split": (SPLIT, split),
}


if __name__ == "__main__":
    svg.write({name: draw for name, (_, draw) in PICTURES.items()})
