"""1,000 workers read 10 TB of XML: how long it takes, and what is lost on the way.

    python examples/cluster/simulation.py

It simulates the two jobs of a cluster. First, a task for each file, or for each GiB of a large one,
finds the parts (`penstock.spark.plan`). That is one job if the records of a file are in one list
and no guess is wrong. What the driver reads before the job is left out. Then a task for each part
reads it into columns. A worker that is free takes the next task. The constants were measured on one
core of a 2-core Xeon, which others used meanwhile; the storage and the network are assumed to keep
up with that. `docs/scale.md` shows what it prints.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass

WORKERS = 1_000
BYTES = 10e12

# Measured, in bytes per second: `penstock.split`, and `penstock.columns` of three fields, of the
# file `elements.xml` of tests/engines.
PLANNED = 2.2e9
READ = 0.217e9
# Seconds of Spark for one task beside the reading, of 200 parts of a few rows each.
OVERHEAD = 0.083
# Bytes that a part reads behind its end: what is left of the last window.
BEHIND = 65_536
# A part as JSON, in bytes.
DESCRIBED = 307
# How long the same part took, beside its median: 144 times, in 20 classes of the same size.
SPREAD = [
    *(0.93, 0.94, 0.95, 0.95, 0.96, 0.97, 0.98, 0.99, 0.99, 0.99),
    *(1.0, 1.0, 1.01, 1.02, 1.04, 1.15, 1.36, 1.52, 1.59, 2.69),
]

# A file of more bytes is planned by several tasks, of so many bytes each.
RANGE = 1 << 30

FILES = [1, 100, 1_000, 10_000]
PARTS = [64e6, 256e6, 1e9, 4e9]


@dataclass
class Job:
    """What became of a job.

    Attributes:
        seconds: When its last task ended.
        tasks: How many tasks it had.
        ideal: When it would have ended if the work had been dealt out evenly.
    """

    seconds: float
    tasks: int
    ideal: float


def job(sizes: list[float], rate: float, random: random.Random) -> Job:
    """Let the workers take one task after the other."""
    free = [0.0] * WORKERS
    work = end = 0.0
    for size in sizes:
        seconds = OVERHEAD + size / rate * random.choice(SPREAD)
        work += seconds
        end = max(end, free[0] + seconds)
        heapq.heapreplace(free, free[0] + seconds)
    return Job(end, len(sizes), work / WORKERS)


def planning(files: int) -> Job:
    """Find the parts of files of the same size."""
    ranges = max(1, round(BYTES / files / RANGE))
    tasks = files * ranges
    return job([BYTES / tasks] * tasks, PLANNED, random.Random(files))


def reading(part: float) -> Job:
    """Read parts of the same size."""
    parts = round(BYTES / part)
    return job([part + BEHIND] * parts, READ, random.Random(parts))


def minutes(seconds: float) -> str:
    """Return seconds as minutes."""
    return f"{seconds / 60:,.1f}"


def tables() -> list[str]:
    """Return the lines of both tables."""
    lines = ["| files | in a job, minutes | on the driver, minutes |", "|--:|--:|--:|"]
    driver = minutes(BYTES / PLANNED)
    lines += [f"| {files:,} | {minutes(planning(files).seconds)} | {driver} |" for files in FILES]
    lines += [
        "",
        "| a part | parts | plan, MB | read twice | minutes | evenly | stragglers |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for part in PARTS:
        done = reading(part)
        twice = done.tasks * BEHIND / BYTES
        late = done.seconds / done.ideal - 1
        row = [
            f"{part / 1e6:,.0f} MB",
            f"{done.tasks:,}",
            f"{done.tasks * DESCRIBED / 1e6:.1f}",
            f"{twice:.3%}",
            minutes(done.seconds),
            minutes(done.ideal),
            f"{late:.0%}",
        ]
        lines.append(f"| {' | '.join(row)} |")
    return lines


def main() -> None:
    """Print both tables."""
    print("\n".join(tables()))


if __name__ == "__main__":
    main()
