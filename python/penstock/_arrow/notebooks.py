"""Small tables of HTML, which notebooks show for columns, schemas and documents.

They set no colour, so they look right on a light page and on a dark one. Nothing of a source that
can be read only once is read for them.
"""

from __future__ import annotations

from html import escape
from itertools import islice

import penstock._rust as _rust

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock._rust import Columns, Document, DocumentList, DocumentMap, Schema

# How many columns, members or elements are shown, and how many characters of each text.
_MOST_COLUMNS = 100
_MOST_MEMBERS = 20
_MOST_CHARACTERS = 80
_LONGEST_TITLE = 400

_CELL = ' style="text-align: left; vertical-align: top"'


def columns(shown: Columns) -> str:
    """Return the names and types of columns; their rows stay unread."""
    rows = list(_parts(repr(shown)))
    return _table(f"Columns: {len(rows):,}", ("column", "type", "null"), rows, _MOST_COLUMNS)


def schema(shown: Schema) -> str:
    """Return the columns of a schema, with those inside of others."""
    lines = shown._lines()  # noqa: SLF001 - it is ours
    rows = [
        ("\u2003" * depth + name, kind, "null" if nullable else "")
        for depth, name, kind, nullable in lines
    ]
    return _table(f"Schema: {len(shown.names):,}", ("column", "type", "null"), rows, _MOST_COLUMNS)


def document(shown: Document) -> str:
    """Return the first members or elements of an open document; only those are decoded."""
    heads, size = ("key", "value"), 0
    members: Iterator[tuple[object, object]] = iter(())
    try:
        if isinstance(shown, _rust.DocumentMap):
            members, size = _members(shown), len(shown)
        elif isinstance(shown, _rust.DocumentList):
            heads, members, size = ("index", "value"), _elements(shown), len(shown)
    except ValueError:
        # It is closed, and so says its title.
        members = iter(())
    rows = [(str(key), _short(value)) for key, value in islice(members, _MOST_MEMBERS)]
    return _table(repr(shown), heads, rows, _MOST_MEMBERS, size)


def _members(shown: DocumentMap) -> Iterator[tuple[object, object]]:
    return ((key, shown[key]) for key in shown)


def _elements(shown: DocumentList) -> Iterator[tuple[object, object]]:
    return ((index, shown[index]) for index in range(len(shown)))


def _short(value: object) -> str:
    """Return a scalar as Python writes it, and what a container is."""
    if isinstance(value, _rust.Document):
        return repr(value).rpartition(", ")[2].removesuffix(")")
    return repr(value[: _MOST_CHARACTERS + 1] if isinstance(value, str) else value)


def _parts(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and nullability of each column of `Columns(name: type, ...)`."""
    rest = ""
    for part in _split(text.removeprefix("Columns(").removesuffix(")")):
        # A name may have a comma in it, and then has no type yet.
        rest = f"{rest}, {part}" if rest else part
        name, mark, kind = _last(rest)
        if mark:
            rest = ""
            yield name, kind.removesuffix(" | null"), "null" if kind.endswith(" | null") else ""
    if rest:
        yield rest, "", ""


def _split(text: str) -> Iterator[str]:
    """Cut a text at the commas that are in no brackets."""
    start = 0
    for place in _outside(text):
        if text.startswith(", ", place):
            yield text[start:place]
            start = place + 2
    if text:
        yield text[start:]


def _last(text: str) -> tuple[str, str, str]:
    """Cut a column into its name and its type: at the last colon that is in no brackets."""
    colons = [place for place in _outside(text) if text.startswith(": ", place)]
    if not colons:
        return text, "", ""
    return text[: colons[-1]], ": ", text[colons[-1] + 2 :]


def _outside(text: str) -> Iterator[int]:
    """Yield the places in a text that are in no brackets."""
    depth = 0
    is_quoted = is_escaped = False
    for place, character in enumerate(text):
        if is_escaped:
            is_escaped = False
        elif is_quoted:
            is_quoted = character != '"'
            is_escaped = character == "\\"
        elif character == '"':
            # Names in structs have quotes; other names are as they are.
            is_quoted = depth > 0
        elif character in "()":
            depth = max(depth + (1 if character == "(" else -1), 0)
        elif depth == 0:
            yield place


def _table(
    title: str,
    heads: Iterable[str],
    rows: Sequence[tuple[str, ...]],
    most: int,
    size: int | None = None,
) -> str:
    """Return a table of at most so many rows, with a line that says how many more there are."""
    lines = [f"<table><caption{_CELL}>{_text(title, _LONGEST_TITLE)}</caption>"]
    if rows:
        cells = "".join(f"<th{_CELL}>{_text(head)}</th>" for head in heads)
        lines.append(f"<thead><tr>{cells}</tr></thead>")
    lines.append("<tbody>")
    for row in rows[:most]:
        cells = "".join(f"<td{_CELL}>{_text(cell)}</td>" for cell in row)
        lines.append(f"<tr>{cells}</tr>")
    left = (len(rows) if size is None else size) - min(len(rows), most)
    if left > 0:
        lines.append(f'<tr><td{_CELL} colspan="3">and {left:,} more</td></tr>')
    lines.append("</tbody></table>")
    return "\n".join(lines)


def _text(text: str, most: int = _MOST_CHARACTERS) -> str:
    """Return a text of HTML; the rest of a long one is cut off."""
    return escape(text if len(text) <= most else f"{text[:most]}…")
