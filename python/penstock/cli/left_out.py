"""What a command does with faults that need not end it, and what it says of them at the end.

`--errors` leaves records out, and `--repair` repairs them.
"""

from __future__ import annotations

from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from penstock import Converted, DecodeError, Reader
    from penstock._base.types import Errors
    from penstock.cli.printer import Printer


class Enough(Exception):
    """There are as many problems, or records, as the caller wants."""


class Most:
    """The policy of `--max-errors`: it ends reading behind the record with the Nth problem."""

    def __init__(self, problems: int, errors: Errors) -> None:
        """Tell `errors` of each problem if it is a function.

        Raises:
            CommandError: With `"raise"`, the first problem is the end anyhow.
        """
        if errors == "raise":
            raise CommandError("--max-errors is for --errors skip or collect")
        self._left = problems
        self._tell = errors if callable(errors) else None

    def __call__(self, error: DecodeError) -> None:
        """Count the problems of a record."""
        if self._tell is not None:
            self._tell(error)
        self._left -= len(error.problems) + error.omitted
        if self.is_reached:
            raise Enough

    @property
    def is_reached(self) -> bool:
        """Whether there were as many problems, in all files."""
        return self._left <= 0


def chosen(arguments: argparse.Namespace, printer: Printer) -> Errors:
    """Return the policy that `--errors` says. With `collect`, errors are printed as they come."""
    word: Errors = getattr(arguments, "errors", "raise")
    return printer.fail if word == "collect" else word


def skipping(arguments: argparse.Namespace) -> Errors:
    """Return the policy of a first pass, in which nothing is said of records in error."""
    return "raise" if getattr(arguments, "errors", "raise") == "raise" else "skip"


def repaired(name: str, done: Reader[Any] | Converted, printer: Printer) -> None:
    """Say what was repaired in a file."""
    repairs = done.repair_counts
    if repairs:
        faults = sum(repairs.values())
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in repairs.items())
        printer.summary(f"{name}: {faults:,} fault{'' if faults == 1 else 's'} repaired: {kinds}")


def told(name: str, done: Reader[Any] | Converted, printer: Printer, more: str = "") -> bool:
    """Say what was repaired and left out of a file; return whether a record was left out."""
    repaired(name, done, printer)
    return skipped(name, done.skipped, printer, more)


def skipped(name: str, records: int, printer: Printer, more: str = "") -> bool:
    """Say how many records were left out of a file, if there are any; return whether there are."""
    if records:
        printer.summary(f"{name}: {records:,} record{'' if records == 1 else 's'} left out{more}")
    return records > 0
