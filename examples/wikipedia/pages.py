"""The titles and sizes of all pages of a Wikipedia dump, by messages.

    python examples/wikipedia/pages.py enwiki-latest-pages-articles.xml.bz2

A dump is one XML document of any size, most often compressed; this needs the same few megabytes of
memory for each. Without a path it takes the sample among the corpora that PENSTOCK_CORPORA names.
`--first N` stops after N pages.
"""

from __future__ import annotations

import argparse
import heapq
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import penstock
from penstock import Element, Stop, on

SAMPLE = "xml/real/enwiki-pages-articles-sample.xml.bz2"
SHOWN = 10


@dataclass
class Pages:
    """Gets the pages of a dump, and keeps the answers for the end.

    Dumps declare a default namespace and write no prefixes, so a method's name is enough.
    """

    most: int | None = None
    site: str = ""
    pages: int = 0
    redirects: int = 0
    bytes: int = 0
    largest: list[tuple[int, str]] = field(default_factory=list)

    def sitename(self, element: Element) -> None:
        """Take the name of the site: an element of its own, at the beginning."""
        self.site = element.text

    def title(self, element: Element) -> str:
        """Return the title, which becomes a child of the page."""
        return element.text

    def redirect(self, element: Element) -> str:
        """Return the target of the page, if it is a redirect."""
        return element.attributes["title"]

    @on("//revision/text/text()")
    def size(self, text: str) -> int:
        """Return the size of the page's text, and not the text."""
        return len(text.encode())

    def page(self, element: Element) -> None:
        """Count a page. The methods for everything inside it have run before."""
        size, title = element.children["text"], element.children["title"]
        self.pages += 1
        self.bytes += size
        if "redirect" in element.children:
            self.redirects += 1
        elif len(self.largest) < SHOWN:
            heapq.heappush(self.largest, (size, title))
        else:
            heapq.heappushpop(self.largest, (size, title))
        if self.pages == self.most:
            raise Stop


def sample() -> Path:
    """Return the path of the sample."""
    root = os.environ.get("PENSTOCK_CORPORA")
    if root is None or not (path := Path(root, SAMPLE)).exists():
        raise SystemExit("give the path of a dump, or let PENSTOCK_CORPORA name the corpora")
    return path


def main(arguments: list[str] | None = None) -> None:
    """Read a dump, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dump", nargs="?", type=Path, help="an XML dump, compressed or not")
    parser.add_argument("--first", type=int, metavar="N", help="stop after N pages")
    options = parser.parse_args(arguments)
    pages = Pages(options.first)
    begun = time.perf_counter()
    penstock.send(options.dump or sample(), pages)
    seconds = time.perf_counter() - begun
    articles = pages.pages - pages.redirects
    print(f"{pages.site}: {articles:,} articles and {pages.redirects:,} redirects, ", end="")
    print(f"{pages.bytes:,} bytes of text")
    for size, title in sorted(pages.largest, reverse=True):
        print(f"{size:>12,}  {title}")
    print(f"read in {seconds:.2f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
