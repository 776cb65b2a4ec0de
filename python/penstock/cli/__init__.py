"""The command line: `penstock head`, `check`, `convert` and the other commands.

Standard output has data and nothing else; everything else goes to standard error. Each subcommand
is one module, with a function `run`. `parser`, with `flags` and `dialects`, defines each flag once:
the help, the page of the documentation, the manual page and the completions for shells come from
there.

A small command spends most of its time starting, so import nothing before it is needed.
"""

from __future__ import annotations


class CommandError(Exception):
    """The command cannot be run. The message is one line, and the exit code is 2.

    Attributes:
        output_is_lost: True if the command cannot write to standard output.
    """

    def __init__(self, message: str, *, output_is_lost: bool = False) -> None:
        """Make an error with a message."""
        super().__init__(message)
        self.output_is_lost = output_is_lost
