"""A type for records whose contents are only validated and skipped."""

from __future__ import annotations

import os
from collections import namedtuple

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock._rust import Reader

UNREAD: Any = namedtuple("UNREAD", ())  # noqa: PYI024 - it has no field to annotate


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def pass_over(reader: Reader[Any], threads: int | None) -> None:
    """Read all records of a reader into the type, in so many threads, and keep none."""
    reader._pass_over(cores() if threads is None else threads)  # noqa: SLF001 - it is for this
