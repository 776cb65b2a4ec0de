"""`penstock sniff`."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

TEXT = "Sizes of 2024\n\nname;size\nBern;1,5\nChur;0,4\n"
WHY = """\
2 columns, 2 rows in the sample
header: the first row differs from the others, as names do from values
Dialect(): byte 25: the row has 2 cells, and the rows before it have 1
Dialect(';'): 2 columns, 26 bytes
Dialect(' '): byte 15: the row has 1 cell, and the rows before it have 3
Dialect('\\\\t'): byte 0: one column is left with commas, semicolons, tabs or bars in them
"""


def test_a_file(penstock: Callable[..., Any], folder: Path):
    (folder / "sizes.txt").write_text(TEXT)
    done = penstock("sniff", "sizes.txt")
    assert done.out == "Dialect(';', skip_rows=2)\n  name  text\n  size  number\n"
    assert (done.err.replace("\\\\t", "\\t"), done.code) == (WHY.replace("\\\\t", "\\t"), 0)
    assert penstock("sniff", "-q", "sizes.txt").err == ""
    piped = penstock("sniff", stdin=gzip.compress(TEXT.encode()))
    assert (piped.out, piped.code) == (done.out, 0)


def test_several(penstock: Callable[..., Any], folder: Path):
    (folder / "a.csv").write_text("1,2020-01-31\n2,2020-02-01\n")
    (folder / "b.csv").write_text("a\x1b\tb\n1\t\n")
    done = penstock("sniff", "-q", "a.csv", "b.csv")
    assert (
        done.out
        == """\
a.csv:
Dialect(header=None)
  0  number
  1  time

b.csv:
Dialect('\\t')
  a\\x1b  number
  b      empty
"""
    )


def test_a_class(penstock: Callable[..., Any], folder: Path):
    (folder / "models.py").write_text("class Size:\n    name: str\n    size: int\n")
    (folder / "a.csv").write_text("name;size;x,y,z\nBern;7;a,b,c\n")
    done = penstock("sniff", "a.csv")
    error = "the dialect may be Dialect(';') or Dialect(): say which it is"
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(f"a.csv:1:1: {error}\n")
    done = penstock("sniff", "-q", "--into", "models:Size", "a.csv")
    assert done.out.startswith("Dialect(';')\n")
    assert (done.err, done.code) == ("", 0)
    assert penstock("sniff", "nowhere.csv").code == 2
