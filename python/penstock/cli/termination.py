"""Ends a command in order when the process is told to end.

Kubernetes, systemd and `kill` send SIGTERM, and a terminal that is closed sends SIGHUP. By default
they end the process at once, and the unfinished file of a command stays. Here they end it as an
interrupt does: files are removed, and then the process ends by the signal, so that its parent sees
why.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, NoReturn

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Terminated(BaseException):
    """The process has been told to end.

    Attributes:
        number: The signal.
    """

    def __init__(self, number: int) -> None:
        """Keep the signal."""
        super().__init__(number)
        self.number = number

    def end(self) -> int:
        """End the process by the signal; return the exit code for where that has no effect.

        The first process of a container is such a place.
        """
        signal.signal(self.number, signal.SIG_DFL)
        os.kill(os.getpid(), self.number)
        return 128 + self.number


class Terminable:
    """A context in which the signals raise `Terminated`, unless somebody else handles them."""

    def __init__(self) -> None:
        """Change nothing yet."""
        self._before: dict[int, Callable[[int, FrameType | None], Any] | int | None] = {}

    def __enter__(self) -> None:
        """Handle the signals that have their default effect, as `nohup` takes it away."""
        for number in _SIGNALS:
            try:
                before = signal.getsignal(number)
                if before is signal.SIG_DFL:
                    signal.signal(number, _raise)
                    self._before[number] = before
            except ValueError:
                # Only the main thread may do that.
                return

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        for number, before in self._before.items():
            signal.signal(number, before)


def _raise(number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated(number)
