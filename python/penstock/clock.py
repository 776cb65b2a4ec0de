"""The time, by the processor's counter where the kernel itself goes by it.

Two kinds of time, which are not to be mixed: that of the wall, which follows the system's time, and
the monotonic one, which only says how long something took. `report()` tells which counter is read
here and why, what a reading costs, and how far it may be off the kernel's clocks. Nothing happens
before the first call, and there is no thread.
"""

from __future__ import annotations

from datetime import UTC

from penstock._rust import Report, mono_ns, report, wall_ns

TYPE_CHECKING = False

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["Report", "mono_ns", "report", "wall", "wall_ns"]


def wall() -> datetime:
    """Return the time of day as an aware `datetime` in UTC, to the microsecond before.

    Example:
        >>> from penstock import clock
        >>> clock.wall().tzinfo
        datetime.timezone.utc
    """
    from datetime import datetime  # noqa: PLC0415 - most programs want numbers

    seconds, rest = divmod(wall_ns(), 1_000_000_000)
    now = datetime.fromtimestamp(seconds, UTC)
    return now.replace(microsecond=rest // 1_000)
