"""`penstock count`: the number of records."""

from __future__ import annotations

from collections import deque

from penstock.cli.source import Source
from penstock.cli.unread import unread

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print the number; return False, since nothing is wrong."""
    with Source(arguments) as source:
        reader = source.read(unread(source.format))
        with reader, printer.watching(reader, source.name):
            deque(reader, maxlen=0)
    printer.data(str(reader.progress.records))
    printer.timing(reader)
    return False
