"""Where the visitors of a government's web site came from, from a table of pages, with a plot.

    python examples/referrals/referrals.py referrals.csv --plot referrals.png

The table is real and old-fashioned: its rows end with carriage returns, its numbers are written as
"9,508,234", and "[NO REFERRER INFORMATION]" stands where there is no page. The class says so once.
Without a file it takes the sample among the corpora that PENSTOCK_CORPORA names, which is called
nyc311.csv for no reason in its contents. The plot needs matplotlib; the table does not.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import penstock
from penstock import at, cells

SAMPLE = "csv/nyc311.csv"
COLOURS = {
    "search": "#3f74a8",
    "government": "#d1495b",
    "other sites": "#8a8a8a",
    "unknown": "#c9c9c9",
}
ENGINES = {"google", "bing", "yahoo", "ask", "aol", "search", "search-results", "mywebsearch"}
LARGEST = 15
MOST = 0.9
LEGEND: dict[str, Any] = {"frameon": False, "borderpad": 0, "columnspacing": 1, "handlelength": 0.8}


@dataclass(slots=True)
class Row:
    """One page that visitors came from, and how many did."""

    page: Annotated[str | None, at("Referrer"), cells(null=("[NO REFERRER INFORMATION]",))]
    visits: Annotated[int, at("Referrals"), cells(thousands=",")]


def sites(source: Path) -> Counter[str | None]:
    """Add up the visits from each site: the host of a page, without `www.`."""
    found: Counter[str | None] = Counter()
    for row in penstock.csv.read(source, Row):
        site = row.page
        if site is not None:
            site = (urlsplit(site).hostname or site).removeprefix("www.")
        found[site] += row.visits
    return found


def kind(site: str | None) -> str:
    """Tell the kind of a site by the words of its name."""
    if site is None:
        return "unknown"
    if f".{site}".endswith(".gov.uk"):
        return "government"
    return "other sites" if ENGINES.isdisjoint(site.split(".")) else "search"


def of_kind(found: Counter[str | None], name: str) -> int:
    """Add up the visits from all sites of a kind."""
    return sum(visits for site, visits in found.items() if kind(site) == name)


def few(found: Counter[str | None]) -> int:
    """Count the sites, the largest first, that most visits from known sites come from."""
    known = sorted((visits for site, visits in found.items() if site is not None), reverse=True)
    before = accumulate(known, initial=0)
    return sum(so_far < MOST * sum(known) for so_far in before)


def plot(found: Counter[str | None], target: Path) -> None:
    """Draw the kinds as one bar of shares, and under it the largest sites."""
    import matplotlib as mpl  # noqa: PLC0415 - the table does not need it

    mpl.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, (above, below) = plt.subplots(
        2, figsize=(8, 5.5), layout="constrained", height_ratios=(1, 9)
    )
    start = 0.0
    for name, colour in COLOURS.items():
        share = of_kind(found, name) / found.total()
        above.barh(0, share, left=start, color=colour, label=f"{name} {share:.0%}")
        start += share
    above.set_title(f"{found.total():,} visits", loc="left", weight="bold")
    above.set_xlim(0, 1)
    above.legend(loc="upper left", bbox_to_anchor=(0, 0), ncols=4, **LEGEND)
    above.axis("off")
    largest = found.most_common(LARGEST)
    names = [site or "unknown" for site, _ in largest]
    counts = [visits for _, visits in largest]
    below.scatter(counts, names, s=60, color=[COLOURS[kind(site)] for site, _ in largest])
    for name, visits in zip(names, counts, strict=True):
        below.annotate(f"{visits:,}", (visits, name), (9, -3), textcoords="offset points", size=8)
    below.set_title("The largest sites, on a logarithmic scale", loc="left", weight="bold")
    below.invert_yaxis()
    below.set_xscale("log")
    below.set_xlim(right=4 * counts[0])
    below.xaxis.set_major_formatter("{x:,.0f}")
    below.grid(axis="x", color="#e3e3e3")
    below.set_axisbelow(True)
    below.spines[:].set_visible(False)
    below.tick_params(which="both", length=0)
    figure.savefig(target, dpi=150)


def main() -> None:
    """Read the command line, print the tables and draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--plot", type=Path, metavar="PNG")
    options = parser.parse_args()
    if options.file is None and "PENSTOCK_CORPORA" not in os.environ:
        sys.exit("name a file, or set PENSTOCK_CORPORA to the folder of corpora")
    found = sites(options.file or Path(os.environ["PENSTOCK_CORPORA"]) / SAMPLE)
    for name in COLOURS:
        print(f"{of_kind(found, name):>12,}  {name}")
    print(f"{MOST:.0%} of the visits from known sites come from {few(found):,} of them:")
    for site, visits in found.most_common(LARGEST):
        print(f"{visits:>12,}  {site or 'unknown'}")
    if options.plot is not None:
        plot(found, options.plot)
        print(f"plotted to {options.plot}")


if __name__ == "__main__":
    main()
