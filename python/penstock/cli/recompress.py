"""`penstock recompress`: a file that can be read from the middle."""

from __future__ import annotations

import os
import sys

from penstock._base.errors import DecodeError
from penstock._verbs import recompress as _recompress
from penstock.cli import CommandError, files

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock._base.types import Source
    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Write the file again."""
    source: Source = arguments.source
    name = source
    if arguments.target == "-" and arguments.to is None:
        raise CommandError("standard output has no suffix: say --to")
    if files.is_address(arguments.source):
        source = files.remote(arguments.source)
    if arguments.source == "-":
        if sys.stdin is None:
            raise CommandError("standard input is closed")
        source, name = open(0, "rb", buffering=0, closefd=False), "<stdin>"  # noqa: SIM115 - it stays open
    try:
        _recompress.run(
            source,
            printer.bytes if arguments.target == "-" else arguments.target,
            arguments.to,
            arguments.level,
            arguments.index,
            arguments.format,
            "infer",
            arguments.member,
            None,
            lambda recompression: printer.watching(recompression, str(name)),
        )
    except (BrokenPipeError, DecodeError):
        raise
    except OSError as error:
        file = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        raise CommandError(f"{file}{error.strerror or error}") from error
    except ValueError as error:
        # The message names options of the library.
        message = str(error).replace("pass to=", "say --to").replace("index=", "--index")
        raise CommandError(message) from error
    return False
