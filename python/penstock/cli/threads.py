"""How many threads parse at once."""

from __future__ import annotations

from penstock._base.processors import usable


def chosen(threads: int | None) -> int:
    """Return the number that `--threads` gives, or one for each core this process may use."""
    return usable() if threads is None else threads
