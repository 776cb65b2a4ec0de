"""`penstock completion`: the completions of commands and options for a shell.

The files are generated from the parser (`scripts/completions.py`), so that no shell has to wait
for Python to start when the Tab key is pressed.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer

# The names that each shell expects in its folder of completions.
FILES = {"bash": "penstock.bash", "zsh": "_penstock", "fish": "penstock.fish"}


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print the file of a shell; return False, since nothing is wrong."""
    folder = os.path.join(os.path.dirname(__file__), "completions")  # noqa: PTH118, PTH120 - importing pathlib is slow
    with open(os.path.join(folder, FILES[arguments.shell]), "rb") as file:  # noqa: PTH118, PTH123 - as above
        printer.bytes(file.read())
    return False
