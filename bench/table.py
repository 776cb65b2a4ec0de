"""Prints outcomes as plain aligned text: a block per row, a line per case, a column per variant.

If more than one quantity is measured, there is a block per variant and a column for each.

After each number comes its ratio to penstock's, `2.50x` for a peer that takes two and a half times
as long; a wait for a first record has a limit and no ratio. The bars follow, with the promise, the
measured value, and whether it was kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import OURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from model import Bar
    from rounds import Outcome

ABSENT = "-"


def heading(description: Mapping[str, object], versions: Mapping[str, str]) -> str:
    """Return the lines about the machine and the versions."""
    return "\n".join(
        [
            "{cpu}, {cores} cores, {memory_gib} GiB, {system}, load {load}, {date}".format(
                **description
            ),
            ", ".join(f"{name} {version}" for name, version in versions.items()),
        ]
    )


def block(outcome: Outcome) -> str:
    """Return a row's title, its table, its bars and its notes."""
    row = outcome.row
    lines = ["", f"{row.key}: {row.title}"]
    if len(row.metrics) == 1:
        columns = [(variant.name, row.metrics[0], variant.name) for variant in row.variants]
        lines += aligned(cells(outcome, f"({row.metrics[0]})", columns))
    else:
        for variant in row.variants:
            columns = [(variant.name, metric, metric) for metric in row.metrics]
            lines += aligned(cells(outcome, variant.name, columns))
    lines += [f"  {judged(outcome, bar)}" for bar in row.bars]
    lines += [f"  note: {note}" for note in outcome.notes]
    return "\n".join(lines)


def cells(
    outcome: Outcome, corner: str, columns: list[tuple[str, str, str]]
) -> Iterator[list[str]]:
    """Yield a header and a line of cells per case, or nothing if none was measured."""
    header = [corner]
    for _, _, title in columns:
        header += [title, ""]
    lines = []
    for case in outcome.row.cases:
        line = [case.name]
        for variant, metric, _ in columns:
            line += cell(outcome, case.name, variant, metric)
        if any(text not in {"", ABSENT} for text in line[1:]):
            lines.append(line)
    if lines:
        yield header
        yield from lines


def cell(outcome: Outcome, case: str, variant: str, metric: str) -> list[str]:
    """Return a number and its ratio to ours, or a dash."""
    try:
        value = outcome.median(case, variant, metric)
    except KeyError:
        return [ABSENT, ""]
    try:
        ours = outcome.median(OURS, variant, metric)
    except KeyError:
        return [number(value), ""]
    compared = case != OURS and metric != "first ms" and ours > 0
    return [number(value), f"{value / ours:.2f}x" if compared else ""]


def number(value: float) -> str:
    """Return a number with three significant digits."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def aligned(lines: Iterable[list[str]]) -> Iterator[str]:
    """Yield lines whose first column is flush left and whose others are flush right."""
    table = list(lines)
    if not table:
        return
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        first, *rest = (
            text.rjust(width) if index else text.ljust(width)
            for index, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        yield f"  {first}  {' '.join(rest)}".rstrip()


def judged(outcome: Outcome, bar: Bar) -> str:
    """Return one promise and whether it was kept."""
    sign = ">=" if bar.at_least else "<="
    promise = f"{sign} {bar.limit:g}{'' if bar.unit == 'x' else ' '}{bar.unit} {bar.text}"
    try:
        value = bar.value(outcome.median)
    except KeyError:
        return f"bar {promise}: not measured"
    unit = "x" if bar.unit == "x" else f" {bar.unit}"
    verdict = "kept" if bar.kept(value) else "MISSED"
    return f"bar {promise}: {value:.2f}{unit}, {verdict}"
