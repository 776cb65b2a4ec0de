"""Where the command line begins, and where it is decided how it ends.

0    all is well, or whoever read the output has seen enough
1    the data is at fault
2    anything else kept the work from being done: usage, a class, a file
130  interrupted
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from penstock._errors import DecodeError, InternalError, PlanError
from penstock.cli import CommandError
from penstock.cli.parser import parser
from penstock.cli.printer import Printer

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

GOOD = 0
BAD_DATA = 1
NOT_DONE = 2
INTERRUPTED = 130


def main(words: Sequence[str] | None = None) -> int:
    """Run a command, by default the one that the process was started with; return its exit code."""
    stdout = sys.stdout
    try:
        usage = parser()
        arguments = usage.parse_args(words)
        if arguments.command is None:
            usage.print_help(sys.stderr)
            return NOT_DONE
        printer = Printer(arguments, stdout, sys.stderr)
        # What the user's own code prints is not the data that was asked for.
        sys.stdout = sys.stderr
        return _run(arguments, printer)
    except BrokenPipeError:
        # Nobody reads any more, which is how `| head` ends a pipe.
        _discard_output()
        return GOOD
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        sys.stdout = stdout


def _run(arguments: argparse.Namespace, printer: Printer) -> int:
    """Run the command, and say what went wrong."""
    try:
        bad = import_module(f"penstock.cli.{arguments.command}").run(arguments, printer)
        printer.flush()
    except BrokenPipeError:
        raise
    except CommandError as error:
        printer.complain(str(error))
        if error.output_is_lost:
            _discard_output()
    except PlanError as error:
        printer.complain(f"{arguments.into}: {error}")
    except DecodeError as error:
        printer.fail(error)
        # A source that fails while it is read says nothing about the data.
        return NOT_DONE if type(error) is DecodeError else BAD_DATA
    except InternalError as error:
        printer.complain(f"{error}\nThis is a fault of penstock itself: please report it.")
    except Exception as error:  # noqa: BLE001 - whatever the user's own class raises
        printer.crash(error)
    else:
        return BAD_DATA if bad else GOOD
    return NOT_DONE


def _discard_output() -> None:
    """Send what is left in buffers nowhere: the interpreter writes it when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
