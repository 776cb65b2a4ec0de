"""How many threads parse at once."""

from __future__ import annotations

import os


def chosen(threads: int | None) -> int:
    """Return the number that `--threads` gives, or one for each core this process may use."""
    return len(os.sched_getaffinity(0)) if threads is None else threads
