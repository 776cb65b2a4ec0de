"""CSV files with one fault each, and the table that was meant.

The sorts of faults are those of the Pollock benchmark (Vitagliano et al., "Pollock: A Data Loading
Benchmark", 2023), which counted them in real files: of the file, of the table, of its header, of one
record, and of one field. The rows are stops of the Seattle area's transit feed.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

NAMES = ["stop_id", "stop_name", "lat", "opened", "note"]
ROWS = [
    ["10370", "NE 50th St & University Way NE", "47.6648293", "1998-05-30", "shelter, lit"],
    ["1050", "Olive Way & 8th Ave", "47.6139374", "2001-09-08", ""],
    ["1070", "Olive Way & Terry Ave", "47.6149139", "2001-09-08", "no bench"],
    ["1084", "Convention Place Tunnel Station - Bay D", "47.6142769", "1990-09-15", "closed"],
    ["1085", "Convention Place Tunnel Station - Bay C", "47.6144447", "1990-09-15", "closed"],
    ["10911", "Café Allegro & 15th Ave NE", "47.6601753", "2010-02-06", "lit"],
    ["11050", "John St & 15th Ave E", "47.6204071", "1985-06-01", "shelter, bench"],
    ["11130", "S Jackson St & 12th Ave S", "47.5990028", "1979-01-20", ""],
]
HURT = 3
"""The row that has the fault, if one has it."""

USUAL: Mapping[str, Any] = {
    "delimiter": ",",
    "quote": '"',
    "escape": None,
    "comment": None,
    "terminator": None,
    "trim": False,
    "skip_rows": 0,
    "header": "first",
    "encoding": None,
}


@dataclasses.dataclass(frozen=True)
class Polluted:
    """A file, the dialect in which it is written, and the rows that were meant."""

    name: str
    data: bytes
    told: Mapping[str, Any]
    """What differs from `USUAL`."""
    rows: list[list[str]]

    @property
    def dialect(self) -> dict[str, Any]:
        """The whole dialect."""
        return {**USUAL, **self.told}


def lines(rows: list[list[str]] | None = None, **how: Any) -> list[str]:
    """Return the lines of the table without their ends, the header first."""
    settings = {"delimiter": ",", "lineterminator": "\0", **how}
    out = io.StringIO()
    csv.writer(out, **settings).writerows([NAMES, *(ROWS if rows is None else rows)])
    return out.getvalue().split("\0")[:-1]


def changed(place: int, change: Callable[[str], str], end: str = "\n") -> bytes:
    """Return the table with one line changed; 0 is the header."""
    text = lines()
    text[place] = change(text[place])
    return "".join(line + end for line in text).encode()


def with_cell(text: str, column: int = 1) -> list[list[str]]:
    """Return the rows with another cell in the row that is hurt."""
    rows = [list(row) for row in ROWS]
    rows[HURT][column] = text
    return rows


def joined(text: list[str], end: str = "\n") -> bytes:
    """Return a file of lines."""
    return "".join(line + end for line in text).encode()


def file() -> Iterator[Polluted]:
    """Yield what is wrong with a file as a whole."""
    plain = joined(lines())
    yield Polluted("nothing", plain, {}, ROWS)
    yield Polluted("a byte order mark", b"\xef\xbb\xbf" + plain, {}, ROWS)
    yield Polluted("UTF-16", plain.decode().encode("utf-16"), {"encoding": "utf-16"}, ROWS)
    latin = plain.decode().encode("latin-1")
    yield Polluted("Latin-1", latin, {"encoding": "latin-1"}, ROWS)
    yield Polluted("no byte", b"", {}, [])
    yield Polluted("only a header", joined(lines([])), {}, [])
    yield Polluted("no end of the last line", plain[:-1], {}, ROWS)
    yield Polluted("CRLF", joined(lines(), "\r\n"), {}, ROWS)
    yield Polluted("CR alone", joined(lines(), "\r"), {"terminator": "\r"}, ROWS)
    mixed = [line + ("\r\n" if place % 2 else "\n") for place, line in enumerate(lines())]
    yield Polluted("LF and CRLF, mixed", "".join(mixed).encode(), {}, ROWS)
    mixed = [line + ("\r" if place % 2 else "\n") for place, line in enumerate(lines())]
    yield Polluted("LF and CR, mixed", "".join(mixed).encode(), {"terminator": "any"}, ROWS)
    yield Polluted("blank lines between rows", joined(lines(), "\n\n"), {}, ROWS)
    yield Polluted("blank lines at the end", plain + b"\n\n\n", {}, ROWS)
    yield Polluted("NUL bytes at the end", plain + b"\0\0\0", {}, ROWS)


def tables() -> Iterator[Polluted]:
    """Yield what stands beside the table."""
    title = ["Stops of the Seattle area", "", *lines()]
    yield Polluted("a title and a blank line", joined(title), {"skip_rows": 2}, ROWS)
    padded = ["Stops of the Seattle area,,,,", *lines()]
    yield Polluted("a title in the first cell", joined(padded), {"skip_rows": 1}, ROWS)
    text = lines()
    text[0:0] = ["# made by hand", "# from the feed"]
    text.insert(6, "# half of them")
    yield Polluted("comments", joined(text), {"comment": "#"}, ROWS)
    foot = [*lines(), "Source: King County Metro"]
    yield Polluted("a line below the table", joined(foot), {}, ROWS)
    total = [*lines(), "Total,8,,,"]
    yield Polluted("a sum below the table", joined(total), {}, ROWS)
    two = [*lines(), "", "route,colour", "7,red", "49,blue"]
    yield Polluted("another table below", joined(two), {}, ROWS)


def headers() -> Iterator[Polluted]:
    """Yield what is wrong with the header."""
    yield Polluted("no header", joined(lines()[1:]), {"header": None}, ROWS)
    two = [",,position,date,text", *lines()]
    yield Polluted("a header of two rows", joined(two), {"header": 2}, ROWS)
    yield Polluted("a name twice", changed(0, lambda line: line.replace("lat", "note")), {}, ROWS)
    yield Polluted("an empty name", changed(0, lambda line: line.replace("lat", "")), {}, ROWS)
    shorter = changed(0, lambda line: line.removesuffix(",note"))
    yield Polluted("a name too few", shorter, {}, ROWS)
    yield Polluted("a name too many", changed(0, lambda line: f"{line},extra"), {}, ROWS)


def records() -> Iterator[Polluted]:
    """Yield what is wrong with one row."""
    short = ROWS[HURT][:-1]
    missing = [row if place != HURT else [*short, ""] for place, row in enumerate(ROWS)]
    yield Polluted("a cell too few", changed(HURT + 1, lambda _: ",".join(short)), {}, missing)
    yield Polluted("a cell too many", changed(HURT + 1, lambda line: f"{line},x"), {}, ROWS)
    yield Polluted("a delimiter at the end", changed(HURT + 1, lambda line: f"{line},"), {}, ROWS)
    text = [lines()[0], *(f"{line}," for line in lines()[1:])]
    yield Polluted("a delimiter at the end of each", joined(text), {}, ROWS)
    blank = [*ROWS[:HURT], [""] * 5, *ROWS[HURT:]]
    yield Polluted("a row of nothing but delimiters", joined(lines(blank)), {}, blank)
    other = changed(HURT + 1, lambda line: line.replace(",", ";"))
    yield Polluted("another delimiter in one row", other, {}, ROWS)
    tail = changed(HURT + 1, lambda line: f"{line}\r")
    yield Polluted("a CR that ends one row", tail, {}, ROWS)
    two = lines()
    two[HURT : HURT + 2] = [f"{two[HURT]},{two[HURT + 1]}"]
    yield Polluted("two rows in one line", joined(two), {}, ROWS)


def fields() -> Iterator[Polluted]:
    """Yield what is wrong with one field, or unusual in all."""
    name = ROWS[HURT][1]

    def cell(text: str) -> bytes:
        return changed(HURT + 1, lambda line: line.replace(name, text))

    quoted = with_cell('Bay "D", upper\nlevel')
    yield Polluted(
        "a delimiter, quotes and a line end in quotes", joined(lines(quoted)), {}, quoted
    )
    inner = with_cell('Bay "D" station')
    yield Polluted("quotes within quotes", cell('"Bay "D" station"'), {}, inner)
    yield Polluted("quotes in a cell without", cell('Bay "D" station'), {}, inner)
    yield Polluted("text behind the quotes", cell('"Bay" D'), {}, with_cell("Bay D"))
    yield Polluted("blanks before the quotes", cell(' "Bay D"'), {}, with_cell("Bay D"))
    yield Polluted("a quote that is never closed", cell('"Bay D'), {}, with_cell("Bay D"))
    yield Polluted("a CR in a cell", cell("Bay\rD"), {}, with_cell("Bay\rD"))
    line_end = with_cell("Bay\nD")
    yield Polluted("an LF in a cell without quotes", cell("Bay\nD"), {}, line_end)
    yield Polluted("a NUL in a cell", cell("Bay\0 D"), {}, with_cell("Bay D"))
    bad = cell("Caf@").replace(b"@", b"\xe9")
    yield Polluted("a byte that is not UTF-8", bad, {}, with_cell("Café"))
    yield Polluted(
        "a delimiter without quotes", cell("Bay D, upper"), {}, with_cell("Bay D, upper")
    )
    long = with_cell("Bay D " * 40_000)
    yield Polluted("a cell of 240,000 characters", joined(lines(long)), {}, long)
    bare = [[*row[:4], row[4].replace(",", " and")] for row in ROWS]
    spaced = [line.replace(",", ", ") for line in lines(bare)]
    yield Polluted("blanks behind delimiters", joined(spaced), {"trim": True}, bare)
    for title, delimiter in [
        ("semicolons", ";"),
        ("tabs", "\t"),
        ("bars", "|"),
        ("a unit separator", "\x1f"),
    ]:
        data = joined(lines(delimiter=delimiter))
        yield Polluted(title, data, {"delimiter": delimiter}, ROWS)
    doubled = joined(lines(delimiter="\x1f")).replace(b"\x1f", b"||")
    yield Polluted("two bars", doubled, {"delimiter": "||"}, ROWS)
    apostrophes = joined(lines(quotechar="'", quoting=csv.QUOTE_ALL))
    yield Polluted("apostrophes as quotes", apostrophes, {"quote": "'"}, ROWS)
    backslash = lines(inner, doublequote=False, escapechar="\\", quoting=csv.QUOTE_ALL)
    yield Polluted("quotes behind a backslash", joined(backslash), {"escape": "\\"}, inner)
    escaped = lines(doublequote=False, escapechar="\\", quoting=csv.QUOTE_NONE)
    told = {"escape": "\\", "quote": None}
    yield Polluted("delimiters behind a backslash", joined(escaped), told, ROWS)
    comma = [[row[0], row[1], row[2].replace(".", ","), *row[3:]] for row in ROWS]
    decimal = joined(lines(comma, delimiter=";"))
    yield Polluted("decimal commas, and semicolons", decimal, {"delimiter": ";"}, comma)


ALL: dict[str, list[Polluted]] = {
    "The file": list(file()),
    "The table": list(tables()),
    "The header": list(headers()),
    "A record": list(records()),
    "Fields": list(fields()),
}
