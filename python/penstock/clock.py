"""The time, from the processor's counter if the kernel itself uses it.

There are two kinds of time; do not mix them. Wall time follows the system's time. Monotonic time
only says how long something took. `report()` says which counter is read here and why, what a
reading costs, and how far it may differ from the kernel's clocks. Nothing happens before the first
call, and there is no thread.
"""

from __future__ import annotations

from datetime import UTC

from penstock._rust import Report, mono_ns, report, wall_ns

TYPE_CHECKING = False

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["Report", "mono_ns", "report", "wall", "wall_ns"]


def wall() -> datetime:
    """Return the time of day as an aware `datetime` in UTC, rounded down to a microsecond.

    Example:
        >>> from penstock import clock
        >>> clock.wall().tzinfo
        datetime.timezone.utc
    """
    from datetime import datetime  # noqa: PLC0415 - most programs use numbers

    seconds, rest = divmod(wall_ns(), 1_000_000_000)
    now = datetime.fromtimestamp(seconds, UTC)
    return now.replace(microsecond=rest // 1_000)
