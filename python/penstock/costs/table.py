"""The record as a table for a terminal.

Times have no more digits than their spread allows. After each come the spread, the time of the
first operation, how many fit in a sixtieth of a second (one frame on a screen), and the ratio to
the first row. The bars have a logarithmic scale.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.costs.compare import Change
    from penstock.costs.machine import Machine
    from penstock.costs.record import Measurement, Record, Span

FRAME = 1e9 / 60
"""The nanoseconds of one frame."""

NARROWEST = 72
WIDEST = 128

# The range of the bars.
_FIRST_DECADE, _LAST_DECADE = -1, 9
_BLOCKS = " ▏▎▍▌▋▊▉█"
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_COUNTS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_NAME = 28

# ECMA-48, "select graphic rendition".
_BOLD, _DIM, _RED, _GREEN, _CYAN, _YELLOW = "1", "2", "31", "32", "36", "33"


def plain(text: str, _colour: str) -> str:
    """Write without colour."""
    return text


def coloured(text: str, colour: str) -> str:
    """Write in colour."""
    return f"\x1b[{colour}m{text}\x1b[0m" if text.strip() else text


def digits(value: float, many: int) -> str:
    """Return a number with so many significant digits.

    Example:
        >>> digits(3.14159, 3), digits(0.05678, 2), digits(99.96, 3), digits(14789, 3)
        ('3.14', '0.057', '100', '14,800')
    """
    if value == 0:
        return "0"
    # Round first, because that may move the first digit: 99.96 has three before the point.
    rounded = float(f"{value:.{many - 1}e}")
    behind = many - 1 - math.floor(math.log10(rounded))
    return f"{rounded:,.{max(behind, 0)}f}"


def duration(ns: float, many: int = 3) -> str:
    """Return a time in the unit that fits it.

    Example:
        >>> duration(0.2634), duration(1234), duration(999_960), duration(2.5e9, 2)
        ('0.263 ns', '1.23 µs', '1.00 ms', '2.5 s')
    """
    rounded = float(f"{ns:.{many - 1}e}")
    size, unit = next((pair for pair in _UNITS if rounded >= pair[0]), _UNITS[-1])
    return f"{digits(ns / size, many)} {unit}"


def count(value: float) -> str:
    """Return a count with two significant digits.

    Example:
        >>> count(63_400_000), count(1250), count(17.2), count(1.26), count(0.4)
        ('63 M', '1.3 k', '17', '1.3', '0.40')
        >>> count(1.0), count(4)
        ('1', '4')
    """
    rounded = float(f"{value:.1e}")
    if rounded < 100 and rounded.is_integer():
        return f"{rounded:.0f}"
    size, unit = next((pair for pair in _COUNTS if rounded >= pair[0]), (1.0, ""))
    return f"{digits(value / size, 2)} {unit}".rstrip()


def told(span: Span) -> str:
    """Return a time as the table shows it: `< 12 ns` if no more is known."""
    if span.is_bound:
        return f"< {duration(span.high, 2)}"
    return duration(span.ns, 3 if span.interval.spread < 0.05 else 2)


def spread(span: Span) -> str:
    """Return the distance of an interval's ends from its middle."""
    if span.is_bound:
        return ""
    part = span.interval.spread
    if part >= 1:
        return f"x{digits(max(span.high / span.ns, span.ns / span.low), 2)}"
    return f"{max(part, 0.01):.0%}"


def cells(row: Measurement, first: float | None) -> list[str]:
    """Return time, spread, first time, how many fit in a frame, and the ratio to the first row."""
    if row.fault or row.time is None:
        return []
    value = row.time.high if row.time.is_bound else row.time.ns
    bound = row.time.is_bound
    fits = math.floor(FRAME / value) if value <= FRAME else 0
    return [
        told(row.time),
        spread(row.time),
        told(row.first) if row.first else "",
        f"{'> ' if bound else ''}{count(fits)}" if fits else "< 1",
        f"{'< ' if bound else ''}{count(value / first)}" if first else "",
    ]


HEAD = ("time", "±", "first", "1/60 s", "ratio")
_WIDTHS = (9, 4, 8, 6, 6)


def bar(ns: float, first: float | None, width: int) -> str:
    """Return a bar as long as the logarithm, with a dot at the first time.

    Example:
        >>> bar(1000.0, 100_000.0, 20)
        '████████    ·       '
    """
    eighths = round(8 * width * _part(ns))
    drawn = "█" * (eighths // 8) + _BLOCKS[eighths % 8].strip()
    drawn = (drawn or _BLOCKS[1]).ljust(width)
    if first is None:
        return drawn
    at = min(round(width * _part(first)), width - 1)
    return drawn if drawn[at] != " " else f"{drawn[:at]}·{drawn[at + 1 :]}"


def scale(width: int) -> str:
    """Return the units, each at the end of its bar."""
    line = [" "] * (width + 1)
    for size, unit in reversed(_UNITS):
        at = round(width * _part(size))
        if at + len(unit) <= len(line):
            line[at : at + len(unit)] = unit
    return "".join(line).rstrip()


def _part(ns: float) -> float:
    """The position of a time on the scale, from 0 to 1."""
    if ns <= 0:
        return 0.0
    part = (math.log10(ns) - _FIRST_DECADE) / (_LAST_DECADE - _FIRST_DECADE)
    return min(max(part, 0.0), 1.0)


def lines(
    record: Record,
    width: int,
    *,
    colour: bool = False,
    changes: Sequence[Change] | None = None,
) -> Iterable[str]:
    """Yield the lines of the table, for a terminal of a width.

    Args:
        record: The record to show.
        width: The columns of the terminal.
        colour: Whether it supports colours.
        changes: The change of each row since another record, shown in place of the bars.
    """
    paint = coloured if colour else plain
    width = min(max(width, NARROWEST), WIDEST)
    # Two columns before the bars, and one after them, for the last unit of their scale.
    room = width - _NAME - sum(_WIDTHS) - len(_WIDTHS) - 3
    yield from about(record, width)
    first = next((row.ns for row in record.rows if row.ns), None)
    behind = "" if changes is not None else scale(room)
    head = f"{'':{_NAME}}" + "".join(
        f" {text:>{size}}" for text, size in zip(HEAD, _WIDTHS, strict=True)
    )
    group = None
    for index, row in enumerate(record.rows):
        if row.group != group:
            yield ""
            title = paint(row.group, _BOLD)
            rest = f"{head}  {behind}"[len(row.group) :] if group is None else ""
            yield (title + paint(rest, _DIM)).rstrip()
            group = row.group
        name = f"  {row.name}"
        texts = cells(row, first)
        if not texts:
            yield f"{name:{_NAME}} {paint(row.fault or '', _RED)}"
            continue
        line = f"{name:{_NAME}}"
        for at, (text, size) in enumerate(zip(texts, _WIDTHS, strict=True)):
            cell = f" {text:>{size}}"
            line += cell if at == 0 else paint(cell, _DIM)
        if changes is None:
            value = row.time.high if row.time.is_bound else row.time.ns  # type: ignore[union-attr]
            drawn = bar(value, row.first.ns if row.first else None, room)
            line += "  " + paint(drawn.rstrip(), _YELLOW if row.is_python else _CYAN)
        else:
            change = changes[index]
            hue = {"faster": _GREEN, "slower": _RED}.get(change.verdict, _DIM)
            line += "  " + paint(change.told(), hue)
        yield line.rstrip()
    yield ""
    yield from doubts(record, paint)


def about(record: Record, width: int) -> Iterable[str]:
    """Yield the description of the machine, in lines that fit."""
    line = ""
    for part in described(record.machine):
        if line and len(f"{line}, {part},") > width:
            yield f"{line},"
            line = part
        else:
            line = f"{line}, {part}" if line else part
    yield line


def described(found: Machine) -> list[str]:
    """Return the description of a machine, in words."""
    parts = [
        found.cpu,
        f"{found.cores} cores" if found.cores else None,
        f"one cycle {duration(found.cycle_ns)}" if found.cycle_ns else None,
        f"{found.memory_gib} GiB",
        f"governor {found.governor}" if found.governor else None,
        "in a hypervisor" if found.hypervisor else None,
        f"clock {found.clock_source}" if found.clock_source else None,
        f"huge pages {found.huge_pages}" if found.huge_pages else None,
        f"files on {found.file_system}" if found.file_system else None,
        found.system,
        found.libc,
        found.python,
        f"penstock {found.penstock}",
        f"load {found.load[0]:g} to {found.load[1]:g}",
        f"stolen {found.stolen:.1%}" if found.stolen is not None else None,
        f"{found.processes} processes in {found.seconds} s",
        found.date,
    ]
    return [part for part in parts if part]


def doubts(record: Record, paint: Callable[[str, str], str]) -> Iterable[str]:
    """Yield what makes small differences doubtful."""
    for said in record.machine.doubts():
        yield paint(f"note: {said}", _YELLOW)
    wrong = sum(row.fault is not None for row in record.rows)
    if wrong:
        yield paint(f"{wrong} of {len(record.rows)} rows failed their own check", _RED)
