"""`penstock plan`: how records become objects of a class."""

from __future__ import annotations

from penstock._base.errors import PlanError
from penstock._rust import Plan
from penstock.cli import into

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def run(arguments: argparse.Namespace, printer: Printer) -> bool:
    """Print it, for XML and CSV as well if that differs; return False, since nothing is wrong."""
    plan = Plan(into.find(arguments.into))
    told: list[str] = []
    for kind in ("JSON", "XML", "CSV"):
        try:
            shown = format(plan, kind.lower())
        except PlanError as error:
            # The class can be read from the other format, or there would be no plan.
            told.append(f"Not for {kind}: {error}")
            continue
        if shown.replace(f" for {kind}", "", 1) not in told:
            told.append(shown)
    for part in told:
        printer.plan(part)
    return False
