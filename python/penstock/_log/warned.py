"""What is said of a log that is not as it was left."""

from __future__ import annotations

import sys
import warnings


class LogWarning(UserWarning):
    """A log is not as its writer has left it, and what was never acknowledged is gone.

    The last line had no end, and was cut off; or a snapshot cannot be read, and all events are read
    instead.
    """

    __module__ = "penstock"


def warn(message: str) -> None:
    """Warn, in the name of the first line that is not Penstock's."""
    level = 2
    frame = sys._getframe(1)  # noqa: SLF001 - there is no public name for it
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("penstock."):
        frame = frame.f_back
        level += 1
    warnings.warn(message, LogWarning, stacklevel=level)
