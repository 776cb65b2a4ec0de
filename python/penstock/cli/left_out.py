"""What a command does with faults that need not end it, and what it says of them at the end.

`--errors` leaves records out, and `--repair` repairs them.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from penstock import Converted, Reader
    from penstock._base.types import Errors
    from penstock.cli.printer import Printer


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


def told(name: str, done: Reader[Any] | Converted, printer: Printer) -> bool:
    """Say what was repaired and left out of a file; return whether a record was left out."""
    repaired(name, done, printer)
    skipped = done.skipped
    if skipped:
        printer.summary(f"{name}: {skipped:,} record{'' if skipped == 1 else 's'} left out")
    return skipped > 0
