"""`penstock head`: the first records."""

from __future__ import annotations

from itertools import islice

from penstock._errors import _printable
from penstock.cli import into
from penstock.cli.source import Source

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print them; return False, since nothing is wrong."""
    wanted = None if arguments.into is None else into.find(arguments.into)
    text: Callable[[object], str] = _shown
    with Source(arguments) as source:
        if wanted is None:
            from penstock.cli import plain  # noqa: PLC0415 - objects need none of it

            reader, text = source.read(plain.exact(source.format)), plain.text
        else:
            reader = source.read(wanted)
        with reader, printer.watching(reader, source.name):
            for record in islice(reader, arguments.records):
                printer.data(text(record))
    printer.timing(reader)
    return False


def _shown(record: object) -> str:
    """The `repr` of an object, which the user's class may write, in one line."""
    return _printable(repr(record))
