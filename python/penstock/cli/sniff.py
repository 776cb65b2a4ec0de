"""`penstock sniff`: the dialect of a CSV file, its columns, and why."""

from __future__ import annotations

from penstock._base.errors import _printable
from penstock.cli.files import named
from penstock.cli.into import wanted
from penstock.cli.source import Source

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer

# Columns that a name may take before the kinds are moved to the right.
_NAME = 48


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print it, file by file; return False, since nothing is wrong."""
    names = named(arguments)
    into = wanted(arguments)
    for number, name in enumerate(names):
        with Source(arguments, name) as source:
            dialect, columns, rows, header, tried = source.sniff(object if into is None else into)
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


def _counted(count: int, what: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
