"""`penstock infer`: the code of a class that reads a file."""

from __future__ import annotations

from penstock._base.types import PLAIN
from penstock._infer import verb as _verb
from penstock.cli import CommandError, left_out
from penstock.cli.files import named
from penstock.cli.source import Source
from penstock.cli.threads import chosen

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print the code; return whether records were left out."""
    try:
        _verb.check(arguments.name, arguments.kind)
    except ValueError as error:
        raise CommandError(f"--{error}") from error
    names = named(arguments)
    if len(names) > 1:
        raise CommandError("a class is inferred from one file: name one")
    with Source(arguments, names[0]) as source:
        reader = source.read(PLAIN, errors=arguments.errors)
        with reader:
            code = _verb.of_reader(
                reader, arguments.name, arguments.kind, chosen(arguments.threads)
            )
    printer.data(code.removesuffix("\n"))
    return left_out.told(source.name, reader, printer)
