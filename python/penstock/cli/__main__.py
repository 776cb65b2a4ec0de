"""The entry of the command line, which decides on the exit code.

0    all is well, or the reader of the output stopped early
1    the data is at fault
2    anything else went wrong: usage, a class, a file
130  interrupted
143  terminated, or the process ends by that signal itself
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from penstock._base.errors import DecodeError, InternalError, PlanError
from penstock.cli import CommandError
from penstock.cli.parser import parser
from penstock.cli.printer import Printer
from penstock.cli.termination import Terminable, Terminated

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
        words = sys.argv[1:] if words is None else words
        usage = parser(words[0] if words else None)
        arguments = usage.parse_args(words)
        if arguments.command is None:
            usage.print_help(sys.stderr)
            return NOT_DONE
        printer = Printer(arguments, stdout, sys.stderr)
        # Output of the user's own code is not data, so send it to standard error.
        sys.stdout = sys.stderr
        with Terminable():
            return _run(arguments, printer)
    except BrokenPipeError:
        # Nobody reads the pipe any more; `| head` ends it like this.
        _discard_output()
        return GOOD
    except KeyboardInterrupt:
        return INTERRUPTED
    except Terminated as told:
        return told.end()
    finally:
        sys.stdout = stdout


def _run(arguments: argparse.Namespace, printer: Printer) -> int:
    """Run the command, and report what went wrong."""
    try:
        module = arguments.command.replace("-", "_")
        bad = import_module(f"penstock.cli.{module}").run(arguments, printer)
        printer.flush()
    except BrokenPipeError:
        raise
    except CommandError as error:
        printer.complain(str(error))
        if error.output_is_lost:
            _discard_output()
    except PlanError as error:
        into = getattr(arguments, "into", None)
        printer.complain(f"{into}: {error}" if into else str(error))
    except DecodeError as error:
        printer.fail(error)
        # A source that fails while it is read says nothing about the data.
        return NOT_DONE if type(error) is DecodeError else BAD_DATA
    except InternalError as error:
        printer.complain(f"{error}\nThis is a fault of penstock itself: please report it.")
    except Exception as error:  # noqa: BLE001 - the user's own class may raise anything
        printer.crash(error)
    else:
        return BAD_DATA if bad else GOOD
    return NOT_DONE


def _discard_output() -> None:
    """Discard the rest of the buffers, which the interpreter would write when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
