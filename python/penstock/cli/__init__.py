"""The command line: `penstock head`, `count`, `check` and `plan`.

What it says on standard output is data and nothing else; all else goes to standard error. One
subcommand is one module, with a function `run`. Flags are defined in `parser`, once: the help, the
page of the documentation and the completions for shells come from there.

Starting is most of what a small command costs, so nothing is imported before it is needed.
"""

from __future__ import annotations


class CommandError(Exception):
    """What was asked for cannot be done. It is said in a line, and the exit code is 2.

    Attributes:
        output_is_lost: True if it is standard output that cannot be written to.
    """

    def __init__(self, message: str, *, output_is_lost: bool = False) -> None:
        """Make an error of what there is to say."""
        super().__init__(message)
        self.output_is_lost = output_is_lost
