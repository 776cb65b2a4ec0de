"""Compares two records: which rows changed by more than the uncertainty of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.costs.record import Measurement, Record


OTHER_CLOCK = 1.05
"""If cycles differ by more, the processor's clock has changed; it is not noise."""


class Change(NamedTuple):
    """The change of a row."""

    verdict: str
    """`same`: the two intervals overlap; `faster` or `slower`: they do not; `new`; `unknown`."""

    ratio: float | None
    """How many times as long it takes now; None if one of the two times is unknown."""

    def told(self) -> str:
        """Return it as the table shows it."""
        if self.ratio is None:
            return {"new": "not measured then"}.get(self.verdict, "failed its check")
        if self.verdict == "same":
            return f"same (x{self.ratio:.2f})"
        factor = max(self.ratio, 1 / self.ratio)
        return f"x{factor:.3g} {self.verdict}"


def compared(now: Record, then: Record) -> list[Change]:
    """Return the change of each row of a record since another."""
    before = {row.name: row for row in then.rows}
    return [_change(row, before.get(row.name)) for row in now.rows]


def _change(now: Measurement, then: Measurement | None) -> Change:
    if then is None:
        return Change("new", None)
    if now.ns is None or then.ns is None or now.time is None or then.time is None:
        return Change("unknown", None)
    ratio = now.ns / then.ns if now.ns > 0 and then.ns > 0 else 1.0
    if now.time.interval.meets(then.time.interval):
        return Change("same", ratio)
    return Change("faster" if now.time.high < then.time.low else "slower", ratio)


def agreement(changes: Sequence[Change]) -> tuple[int, int]:
    """Return how many rows agree, and how many could agree."""
    known = [change for change in changes if change.verdict in {"same", "faster", "slower"}]
    return sum(change.verdict == "same" for change in known), len(known)


def summary(changes: Sequence[Change], now: Record, then: Record) -> str:
    """Return how many rows agree, and whether the processor's clock has changed, in words."""
    same, known = agreement(changes)
    if not known:
        return "No row was measured in both."
    verdicts = [change.verdict for change in changes]
    told = (
        f"{same} of {known} rows ({same / known:.0%}) agree within their spread, "
        f"{verdicts.count('faster')} are faster, {verdicts.count('slower')} slower."
    )
    cycles = now.machine.cycle_ns, then.machine.cycle_ns
    if min(cycles) > 0 and max(cycles) / min(cycles) > OTHER_CLOCK:
        told += (
            f"\nOne cycle of the processor took {cycles[1]:.3g} ns then, and {cycles[0]:.3g} now."
        )
    return told
