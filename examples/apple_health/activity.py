"""Steps and distance for each day, from an export of Apple Health, with a plot.

    python examples/apple_health/activity.py export.xml --plot activity.png
    python examples/apple_health/activity.py export.zip --member apple_health_export/export.xml

An export holds every measurement of years, often more than a gigabyte of XML; this reads it a
record at a time. Exports of some versions of iOS declare a broken document type and hold characters
that XML does not allow: this repairs them, and says where. Without a file it takes the sample
among the corpora that PENSTOCK_CORPORA names. The plot needs matplotlib; the table does not.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

import penstock
from penstock import at

SAMPLE = "xml/real/export6s3sample.xml"
STEPS = "HKQuantityTypeIdentifierStepCount"
DISTANCE = "HKQuantityTypeIdentifierDistanceWalkingRunning"
KILOMETRES = {"km": 1.0, "m": 0.001, "mi": 1.609344}
REPAIRS = ("broken_subset", "control_character")


@dataclass(slots=True)
class Measurement:
    """The fields of a record that we need. Its value is a number only for some types."""

    type: Annotated[str, at("@type")]
    start: Annotated[str, at("@startDate")]
    value: Annotated[str, at("@value")] = ""
    unit: Annotated[str, at("@unit")] = ""


@dataclass(slots=True)
class Day:
    """The activity of a day."""

    steps: float = 0
    kilometres: float = 0


def days(source: Path, member: str | None = None) -> tuple[dict[date, Day], list[penstock.Repair]]:
    """Add up the measurements of each day; return the days and the repairs."""
    found: defaultdict[date, Day] = defaultdict(Day)
    reader = penstock.xml.read(
        source, Measurement, at="HealthData/Record", repair=REPAIRS, member=member
    )
    for record in reader:
        if record.type == STEPS:
            found[date.fromisoformat(record.start[:10])].steps += float(record.value)
        elif record.type == DISTANCE:
            day = found[date.fromisoformat(record.start[:10])]
            day.kilometres += float(record.value) * KILOMETRES[record.unit]
    return dict(sorted(found.items())), reader.repairs


def plot(found: dict[date, Day], target: Path) -> None:
    """Draw both as bars for each day, one above the other. Days without measurements stay empty."""
    import matplotlib as mpl  # noqa: PLC0415 - the table does not need it

    mpl.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415
    from matplotlib import dates  # noqa: PLC0415

    figure, (above, below) = plt.subplots(2, sharex=True, figsize=(8, 4.5), layout="constrained")
    days_ = list(found)
    above.bar(days_, [day.steps for day in found.values()], width=0.7, color="#3f74a8")
    below.bar(days_, [day.kilometres for day in found.values()], width=0.7, color="#d1495b")
    above.set_title("Steps", loc="left", weight="bold")
    above.yaxis.set_major_formatter("{x:,.0f}")
    below.set_title("Kilometres", loc="left", weight="bold")
    locator = dates.AutoDateLocator(minticks=3, maxticks=10)
    below.xaxis.set_major_locator(locator)
    below.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    for axes in (above, below):
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0)
        axes.grid(axis="y", color="#e3e3e3")
        axes.set_axisbelow(True)
        axes.set_ylim(bottom=0)
    figure.savefig(target, dpi=150)


def main() -> None:
    """Read the command line, print the table and draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--member", help="the file to read in a zip archive")
    parser.add_argument("--plot", type=Path, metavar="PNG")
    options = parser.parse_args()
    if options.file is None and "PENSTOCK_CORPORA" not in os.environ:
        sys.exit("name a file, or set PENSTOCK_CORPORA to the folder of corpora")
    file = options.file or Path(os.environ["PENSTOCK_CORPORA"]) / SAMPLE
    found, repairs = days(file, options.member)
    for day, done in found.items():
        print(f"{day:%a %Y-%m-%d}  {done.steps:>7,.0f} steps  {done.kilometres:6.2f} km")
    for repair in repairs:
        print(f"repaired: {repair.kind} at line {repair.line}, column {repair.column}")
    if options.plot is not None:
        plot(found, options.plot)
        print(f"plotted to {options.plot}")


if __name__ == "__main__":
    main()
