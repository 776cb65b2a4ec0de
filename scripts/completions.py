"""Generate the completions of penstock's commands and options for shells.

    make completions

The files are part of the wheel, so that no shell has to start Python when the Tab key is pressed.
They come from the parser alone; `tests/cli/test_completion.py` compares them with it.
"""

import argparse
import re
import sys
from pathlib import Path

import shtab

from penstock.cli.completion import FILES
from penstock.cli.parser import SHELLS, parser

FOLDER = Path(__file__).parent.parent / "python" / "penstock" / "cli" / "completions"


def generated(shell: str) -> str:
    """Return the text of a shell's file."""
    root = parser()
    _shorten(root)
    text: str = shtab.complete(root, shell)
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"


def _shorten(command: argparse.ArgumentParser) -> None:
    """Shorten each help to its first clause, for which a shell has room."""
    for action in command._actions:  # noqa: SLF001 - there is no public way, here and below
        action.help = re.split(r"[:;,] | \(", action.help or "")[0]
        if isinstance(action.metavar, str):
            # In zsh, a colon ends it.
            action.metavar = action.metavar.rpartition(":")[2]
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for summary in action._choices_actions:  # noqa: SLF001
                added = action.choices[summary.dest]
                added.description = summary.help
                _shorten(added)


def main() -> None:
    """Write the files."""
    for shell in SHELLS:
        (FOLDER / FILES[shell]).write_text(generated(shell), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
