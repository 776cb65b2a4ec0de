"""`penstock count`: the number of records."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from itertools import islice

from penstock._base.errors import _printable
from penstock._base.types import PLAIN
from penstock.cli import CommandError, dialects, left_out
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
    if arguments.limit == 0:
        raise CommandError("--limit 0 leaves nothing to count")
    errors = left_out.chosen(arguments, printer)
    most = None
    if arguments.max_errors is not None:
        errors = most = left_out.Most(arguments.max_errors, errors)
    # Keys are compared where they are read.
    is_unread = dialects.duplicates(arguments) != "error"
    total = 0
    bad = False
    for name in names:
        left = None if arguments.limit is None else arguments.limit - total
        if left == 0 or (most is not None and most.is_reached):
            break
        with Source(arguments, name) as source:
            reader = source.read(UNREAD if is_unread else PLAIN, errors=errors)
            with reader, printer.watching(reader, source.name), suppress(left_out.Enough):
                if left is None and is_unread:
                    pass_over(reader, arguments.threads)
                else:
                    deque(islice(reader, left), maxlen=0)
        records = reader.progress.records
        total += records
        printer.data(str(records) if len(names) == 1 else f"{records}\t{_printable(source.name)}")
        more = ", and --max-errors ends here" if most is not None and most.is_reached else ""
        bad |= left_out.told(source.name, reader, printer, more)
        printer.timing(reader)
    if len(names) > 1:
        printer.data(f"{total}\ttotal")
    return unmatched(arguments, names, total, printer) or bad
