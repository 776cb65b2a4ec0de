"""`penstock sniff`: the dialect of a CSV file, its columns, and why."""

from __future__ import annotations

from penstock._base.errors import _printable
from penstock.cli.files import named
from penstock.cli.into import wanted
from penstock.cli.source import Source

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import TypeAlias

    from penstock.cli.printer import Printer
    from penstock.csv import Dialect

    # A dialect, and its columns and bytes, or the byte where it fails and why.
    Tried: TypeAlias = tuple[str, tuple[int, int] | None, tuple[int, str] | None]

# Columns that a name may take before the kinds are moved to the right.
_NAME = 48
_OPTIONS = (
    *("delimiter", "quote", "escape", "comment", "terminator", "trim", "skip_rows", "header"),
)


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print it, file by file; return False, since nothing is wrong."""
    names = named(arguments)
    into = wanted(arguments)
    for number, name in enumerate(names):
        with Source(arguments, name) as source:
            dialect, columns, rows, header, tried = source.sniff(object if into is None else into)
        if arguments.json:
            printer.data(_document(source.name, dialect, columns, rows, header, tried))
            continue
        if len(names) > 1:
            printer.data(f"{chr(10) if number else ''}{_printable(source.name)}:")
        printer.data(repr(dialect))
        width = min(_NAME, max((len(_printable(name)) for name, _ in columns), default=0))
        for column, kind in columns:
            printer.data(f"  {_printable(column):{width}}  {kind}")
        printer.summary(
            f"{_counted(len(columns), 'column')}, {_counted(rows, 'row')} in the sample"
        )
        printer.summary(f"header: {header}")
        for text, table, against in tried:
            shown = ""
            if against is not None:
                shown = f"byte {against[0]:,}: {against[1]}"
            elif table is not None:
                shown = f"{_counted(table[0], 'column')}, {table[1]:,} bytes"
            printer.summary(f"{_printable(text)}: {shown}")
    return False


def _document(
    source: str,
    dialect: Dialect,
    columns: list[tuple[str, str]],
    rows: int,
    header: str,
    tried: list[Tried],
) -> str:
    """What was found in a file, as JSON."""
    from penstock.cli import plain  # noqa: PLC0415 - only for this

    # The arguments of a dialect are its attributes.
    options = {name: getattr(dialect, name) for name in _OPTIONS}
    if isinstance(options["header"], tuple):
        options["header"] = list(options["header"])
    others: list[dict[str, object]] = []
    for text, table, against in tried:
        other: dict[str, object] = {"dialect": text}
        if against is not None:
            other |= {"offset": against[0], "reason": against[1]}
        elif table is not None:
            other |= {"columns": table[0], "bytes": table[1]}
        others.append(other)
    return plain.text(
        {
            "source": source,
            "dialect": options,
            "columns": [{"name": name, "kind": kind} for name, kind in columns],
            "rows": rows,
            "header": header,
            "tried": others,
        }
    )


def _counted(count: int, what: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
