"""Pictures of documents with marks: which records a path matches, which value a field takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import svg
from drawing import CODE, MARGIN, WIDTH, code, style

LINE = 19

# --- What `at=` matches

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


# --- What a class takes

CLASS = """\
@dataclass
class Station:
    id: Annotated[str, at("station-id")]
    longitude: Annotated[float, at("geo/position/1")]
    sensors: Annotated[list[str], at("devices/*/name")]"""
STATION = """\
{
  "station-id": "CH-7",
  "geo": {"position": [46.85, 9.53]},
  "devices": [
    {"name": "level"},
    {"name": "rain"}
  ],
  "owner": "BAFU"
}"""
TAKEN = {"id": ('"CH-7"',), "longitude": ("9.53",), "sensors": ('"level"', '"rain"')}
"""The texts that each field takes, in the order of the document."""
FIELDS = "Which values of a document the fields of a class take"
GIVEN = 288
"""How wide the box of the document is."""
RIGHT = 336
"""Where the box of the class begins."""
SMALL = 7.1


def fields(scheme: str) -> str:
    """Return the picture of a class beside a document."""
    lines: list[str] = []
    top = 34.0
    written, given = CLASS.splitlines(), STATION.splitlines()
    down = (len(given) - len(written)) * LINE / 2
    lines.append(svg.rect("box", MARGIN, top - 24, GIVEN, LINE * len(given) + 20))
    width = WIDTH - MARGIN - RIGHT
    lines.append(svg.rect("box", RIGHT, top - 24 + down, width, LINE * len(written) + 20))
    after = 0
    for name, texts in TAKEN.items():
        number = next(n for n, line in enumerate(written) if line.startswith(f"    {name}:"))
        ends = top + down + number * LINE - 5
        for text in texts:
            after = STATION.index(text, after)
            before = STATION[:after]
            row, column = before.count("\n"), after - (before.rfind("\n") + 1)
            left, starts = MARGIN + 12 + column * SMALL, top + row * LINE - 5
            lines.append(svg.rect("tint", left - 1, starts - 8, len(text) * SMALL + 2, LINE - 2))
            x1 = MARGIN + 12 + len(given[row]) * SMALL + 5
            leaves = MARGIN + GIVEN
            bend = f"{(leaves + RIGHT) / 2:g}"
            curve = f"C{bend},{starts:g} {bend},{ends:g} {RIGHT},{ends:g}"
            wire = f"M{x1:g},{starts:g} H{leaves} {curve} H{RIGHT + 34}"
            lines.append(f'<path class="wire" d="{wire}"/>')
    for number, text in enumerate(given):
        lines += code(MARGIN + 12, top + number * LINE, text, "code", SMALL)
    for number, text in enumerate(written):
        lines += code(RIGHT + 12, top + down + number * LINE, text, "code", SMALL)
    said = " ".join(f"{name} takes {' and '.join(texts)}." for name, texts in TAKEN.items())
    said += " Nothing else of the document is made."
    size = (WIDTH, top + LINE * len(given) + 4)
    return svg.document(size, FIELDS, said, style(scheme), lines)
