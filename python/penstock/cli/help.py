"""`penstock help`: the help of a command, or of all."""

from __future__ import annotations

from penstock.cli import CommandError
from penstock.cli.parser import parser
from penstock.cli.usage import instead

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print it; return False, since nothing is wrong."""
    root = parser()
    word: str | None = arguments.about
    if word is not None and word not in root.commands:
        raise CommandError(f"there is no command {word!r}{instead(word, root.commands)}")
    about = root if word is None else root.commands[word]
    printer.data(about.format_help().rstrip("\n"))
    return False
