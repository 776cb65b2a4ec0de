"""A record of a few rows, each of another kind."""

import dataclasses

import pytest

from penstock.costs.machine import Machine
from penstock.costs.record import Measurement, Record, Span

MACHINE = Machine(
    cpu="A Processor",
    cores=4,
    memory_gib=8.0,
    governor="performance",
    hypervisor=None,
    huge_pages="madvise",
    clock_source="tsc",
    clock_step_ns=20,
    file_system="ext4",
    system="Linux 6.1",
    libc="glibc 2.36",
    python="CPython 3.11.7",
    penstock="0.1.0",
    build="release",
    allocator=None,
    date="2026-01-02",
    seconds=44.5,
    load=(0.1, 1.05),
    stolen=0.0,
    cycle_ns=0.25,
    processes=7,
)


def measurement(
    name: str,
    group: str,
    time: tuple[float, float, float] | None,
    first: tuple[float, float, float] | None = None,
    fault: str | None = None,
) -> Measurement:
    """A row with the middle, the low and the high end of its intervals."""
    return Measurement(
        name=name,
        group=group,
        time=Span(*time) if time else None,
        first=Span(*first) if first else None,
        growth=[1.99, 2.0, 2.01] if time else None,
        turns=1024 if time else 0,
        measurements=560 if time else 0,
        interrupted=3 if time else 0,
        fault=fault,
    )


@pytest.fixture
def record() -> Record:
    """A record as a run might write it."""
    return Record(
        dataclasses.replace(MACHINE),
        [
            measurement("integer add, latency", "arithmetic", (0.25, 0.248, 0.254)),
            measurement("float divide, latency", "arithmetic", (3.4412, 3.41, 3.48)),
            measurement("Python function", "calls", (16.51, 14.9, 18.0), (592.0, 480.0, 660.0)),
            measurement("call, direct", "calls", (0.02, 0.0, 0.31), (12.0, 0.0, 44.0)),
            measurement(
                "call, virtual",
                "calls",
                (1.0, 0.9, 1.1),
                fault="twice the work took 1.00 times as long",
            ),
            measurement("write 16 B", "files", (6.2e6, 4.0e5, 4.1e7), (8.0e6, 6.0e6, 9.0e6)),
            measurement("process, true", "processes", None, fault="not measured: no 'true'"),
            measurement("process, Python", "processes", (5.35e7, 5.3e7, 5.4e7), (6e7, 5e7, 7e7)),
        ],
    )
