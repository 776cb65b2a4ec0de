"""The row `objects`, alone and without its peers, for a profiler.

perf record .venv/bin/python bench/profile.py
perf report --no-children --sort dso,sym

Eight loads, whose objects are kept, and an end without clean-up: the profile shows how they are
made.
"""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass

import penstock


@dataclass(slots=True)
class Row:
    """Two numbers and a short text, as in the benchmark's first row."""

    hi: int
    there: int
    comment: str


def main() -> None:
    """Load a million objects eight times."""
    rows = (f'{{"hi":{n},"there":{n},"comment":"comment"}}' for n in range(1_000_000))
    data = b"[" + ",\n".join(rows).encode() + b"]"
    gc.disable()
    kept = [penstock.json.decode(data, list[Row]) for _ in range(8)]
    assert len(kept[-1]) == 1_000_000
    os._exit(0)


if __name__ == "__main__":
    main()
