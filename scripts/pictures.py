"""Draws the pictures that explain: `python scripts/pictures.py`.

Each shows what really happens with a small document. Tests read that document, and compare.
"""

from __future__ import annotations

import sys
from html import escape
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import marked
import svg
from drawing import MARGIN, WIDTH, arrow, code, style

import penstock

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
    "at": (marked.AT, marked.at),
    "byte": (BYTE, byte),
    "fields": (marked.FIELDS, marked.fields),
    "split": (SPLIT, split),
}


if __name__ == "__main__":
    svg.write({name: draw for name, (_, draw) in PICTURES.items()})
