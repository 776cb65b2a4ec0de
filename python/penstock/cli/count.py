"""`penstock count`: the number of records."""

from __future__ import annotations

from penstock._base.errors import _printable
from penstock.cli import left_out
from penstock.cli.files import named
from penstock.cli.paths import unmatched
from penstock.cli.source import Source
from penstock.cli.unread import UNREAD, pass_over

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print the number, of several files one by one and in all; return whether that is bad."""
    names = named(arguments)
    errors = left_out.chosen(arguments, printer)
    total = 0
    bad = False
    for name in names:
        with Source(arguments, name) as source:
            reader = source.read(UNREAD, errors=errors)
            with reader, printer.watching(reader, source.name):
                pass_over(reader, arguments.threads)
        records = reader.progress.records
        total += records
        printer.data(str(records) if len(names) == 1 else f"{records}\t{_printable(source.name)}")
        bad |= left_out.told(source.name, reader, printer)
        printer.timing(reader)
    if len(names) > 1:
        printer.data(f"{total}\ttotal")
    return unmatched(arguments, names, total, printer) or bad
