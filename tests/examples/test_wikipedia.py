"""`examples/wikipedia` on a real dump, compared with a tree parser."""

from __future__ import annotations

import bz2
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.thread_unsafe(reason="it is about a process of its own")

SCRIPT = Path(__file__).parents[2] / "examples/wikipedia/pages.py"
SPACE = "{http://www.mediawiki.org/xml/export-0.10/}"


def run(*arguments: str | Path) -> list[str]:
    """The output of the example."""
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_titles_and_sizes(corpus: Callable[[str], Path]) -> None:
    dump = corpus("xml/real/enwiki-pages-articles-sample.xml.bz2")
    root = ET.fromstring(bz2.decompress(dump.read_bytes()))
    sizes: list[tuple[int, str]] = []
    redirects = total = 0
    for page in root.iter(f"{SPACE}page"):
        text = page.findtext(f"{SPACE}revision/{SPACE}text", "")
        total += len(text.encode())
        if page.find(f"{SPACE}redirect") is None:
            sizes.append((len(text.encode()), page.findtext(f"{SPACE}title", "")))
        else:
            redirects += 1
    head, *lines = run(dump)
    assert head == (
        f"Wikipedia: {len(sizes)} articles and {redirects} redirects, {total:,} bytes of text"
    )
    assert lines == [f"{size:>12,}  {title}" for size, title in sorted(sizes, reverse=True)[:10]]
    assert run(dump) == run(), "the sample is what it takes without a path"
    assert run(dump, "--first", "1") == [
        "Wikipedia: 0 articles and 1 redirects, 69 bytes of text",
    ]
