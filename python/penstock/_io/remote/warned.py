"""What is said of a file behind an address that is read in another way than was hoped for."""

from __future__ import annotations

import sys
import warnings


class RemoteWarning(UserWarning):
    """A file behind an address is read in another way than was hoped for.

    Its server gives the whole file only, so that it is read as one stream, without requests side by
    side. Or the server cannot be reached, and what `keep=` has kept is read.
    """

    __module__ = "penstock"


def warn(message: str) -> None:
    """Warn, in the name of the first line that is not Penstock's."""
    level = 2
    frame = sys._getframe(1)  # noqa: SLF001 - there is no public name for it
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("penstock."):
        frame = frame.f_back
        level += 1
    warnings.warn(message, RemoteWarning, stacklevel=level)
