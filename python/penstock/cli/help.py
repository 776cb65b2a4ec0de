"""`penstock help`: the help of a command, or of all."""

from __future__ import annotations

from penstock.cli.parser import parser

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print it; return False, since nothing is wrong."""
    root = parser()
    about = root if arguments.about is None else root.commands[arguments.about]
    printer.data(about.format_help().rstrip("\n"))
    return False
