"""How often, in which order, in how many processes."""

from __future__ import annotations

import json
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.costs import machine
from penstock.costs.record import Measurement, Record
from penstock.costs.rows import CYCLE, LOOP, ROWS
from penstock.costs.statistics import Times, cost, without_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.costs.machine import Machine
    from penstock.costs.rows import Row

ROUNDING = 0.9
"""The cycle that the fastest plausible operation is held against is this part of the measured."""


class Pace(NamedTuple):
    """How thorough to be."""

    processes: int
    """How many processes measure, one after the other."""

    seconds: float
    """What each of them may take, from its start."""

    epoch: int
    """The nanoseconds that the smaller of two measurements takes at least."""


FULL = Pace(processes=7, seconds=5.5, epoch=200_000)
QUICK = Pace(processes=5, seconds=1.0, epoch=100_000)


class WorkerFailed(Exception):
    """A measuring process ended with an error; the message is the last that it said."""


def measure(
    groups: Sequence[str] = (),
    *,
    pace: Pace = FULL,
    rows: Sequence[Row] = ROWS,
    say: Callable[[str], None] = lambda _: None,
) -> Record:
    """Measure the rows of some groups, or of all.

    Raises:
        WorkerFailed: A measuring process failed.
        OSError: There is no room for the files, or no process can be started.
    """
    chosen = [row for row in rows if not groups or row.group in groups]
    names = [row.name for row in chosen]
    asked = {
        "rows": names if CYCLE in names else [CYCLE, *names],
        "epoch": max(pace.epoch, 1_000 * machine.resolution() // 4),
        "seconds": pace.seconds,
    }
    before = machine.state()
    answers = []
    # Where the rows about files are: all of them are gone afterwards, however it ends.
    with TemporaryDirectory(prefix="penstock-costs-") as folder:
        found = machine.machine(folder)
        for number in range(pace.processes):
            say(f"measuring, {number + 1} of {pace.processes}")
            answers.append(_ask({**asked, "seed": number}, folder))
    machine.note(found, before, machine.state())
    return judged(chosen, answers, found)


def judged(rows: Sequence[Row], answers: Sequence[dict[str, Any]], where: Machine) -> Record:
    """Return what the answers of the processes come to, on a machine."""

    def times(name: str) -> list[Times]:
        return [Times(**answer["rows"][name]) for answer in answers]

    native, python = times(f"{LOOP} native"), times(f"{LOOP} Python")
    cycle = without_loop(times(CYCLE), native, native=True, waits=False).middle
    measurements = []
    for row in rows:
        missing = next((said for a in answers if (said := a["missing"].get(row.name))), None)
        if missing is not None:
            measurements.append(Measurement.missing(row, missing))
            continue
        kind = "Python" if row.statement else "native"
        runs = times(row.name)
        found = cost(
            runs,
            python if row.statement else native,
            [answer["empty"][f"{LOOP} {kind}"] for answer in answers],
            native=not row.statement,
            waits=row.waits,
            least=row.floor * cycle * ROUNDING if row.name != CYCLE else 0.0,
        )
        measurements.append(Measurement.of(row, found, runs))
    where.cycle_ns, where.processes = float(f"{cycle:.4g}"), len(answers)
    return Record(where, measurements)


def _ask(asked: dict[str, Any], folder: str) -> dict[str, Any]:
    """Have a fresh process measure, in a folder of its own."""
    done = subprocess.run(
        # Nothing of the folder may be imported.
        [sys.executable, "-P", "-m", "penstock.costs.worker"],
        input=json.dumps(asked),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WorkerFailed((done.stderr.strip().splitlines() or [f"code {done.returncode}"])[-1])
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


class Caught(NamedTuple):
    """What became of a row that is wrong on purpose."""

    name: str

    said: str | None
    """What was found to be wrong with it; None if it was believed."""

    is_caught: bool
    """Whether that is what is wrong with it."""


def self_test(rows: Sequence[Row], *, pace: Pace = QUICK) -> list[Caught]:
    """Measure rows that are wrong on purpose, and return what became of them."""
    record = measure(rows=rows, pace=pace)
    return [
        Caught(row.name, found.fault, row.catches in (found.fault or ""))
        for row, found in zip(rows, record.rows, strict=True)
    ]
