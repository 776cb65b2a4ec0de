"""How many processors this process may use."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def usable() -> int:
    """Return the number, which is at least 1.

    From Python 3.13 on, `os.process_cpu_count` knows it. Before, Linux gives the set of them, and
    macOS only the number of all processors.
    """
    count: Callable[[], int | None] | None = getattr(os, "process_cpu_count", None)
    if count is not None:
        return count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def not_begun(error: RuntimeError) -> Exception:
    """Return what is raised if a pool cannot begin a task.

    It is a `MemoryError` if there is no memory for another thread.
    """
    return MemoryError(*error.args) if "start new thread" in str(error) else error
