"""The machine and its state during a run, without which a cost means nothing.

This only reads settings and changes none. A value that a system does not show is None. Nothing in
it names the machine, its user or a path, so you may show a record to anybody.
"""

from __future__ import annotations

import os
import platform
import re
import time
from dataclasses import dataclass
from pathlib import Path

from penstock._rust import __build__, __version__

_SYSTEM = Path("/sys")
_PROCESSES = Path("/proc")


@dataclass(slots=True)
class Machine:
    """A machine and its state during a run."""

    cpu: str
    cores: int | None
    governor: str | None
    """The governor of the processor's clock."""

    hypervisor: str | None
    """The hypervisor of the machine, or `yes` if it does not say which."""

    memory_gib: float
    huge_pages: str | None
    """When memory is given out in huge pages: `always`, `madvise` or `never`."""

    clock_source: str | None
    clock_step_ns: int
    """The smallest step of the clock that was observed."""

    file_system: str | None
    """The file system of the rows about files."""

    system: str
    libc: str | None
    python: str
    penstock: str
    build: str
    allocator: str | None
    """The setting of Python's allocator, if there is one."""

    date: str
    cycle_ns: float = 0.0
    """The time of one cycle of the processor, from the row that takes one."""

    processes: int = 0
    """The number of measuring processes."""

    seconds: float = 0.0
    load: tuple[float, float] = (0.0, 0.0)
    """How many threads wanted a processor, in the minute before the run and in its last one."""

    stolen: float | None = None
    """The part of the processors' time that the hypervisor gave to others."""

    def doubts(self) -> list[str]:
        """Return what makes small differences doubtful."""
        said = []
        if self.build == "debug":
            said.append("penstock is a debug build: what is native is slow")
        if self.governor not in {None, "performance"}:
            said.append(f"the governor is {self.governor}: the processor's clock may have changed")
        # A run is one busy process, so a load of one comes from itself.
        load, cores = max(self.load), self.cores or 1
        if load > 1 + cores / 2:
            said.append(f"the load was {load:g} on {cores} cores: other work was running")
        if (self.stolen or 0.0) > 0.01:
            said.append(f"{self.stolen:.0%} of the processor's time went to other machines")
        if self.file_system in {"tmpfs", "ramfs"}:
            said.append("files were in memory: TMPDIR says which folder to use instead")
        return said


@dataclass(slots=True)
class State:
    """The values that change during a run."""

    seconds: float
    load: float
    ticks: int
    """Ticks of all processors since the system started."""

    stolen: int
    """The ticks that the hypervisor kept."""


def _read(path: Path) -> str | None:
    """Return the text of a file of the kernel, if it exists."""
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def cpu() -> str:
    """Return the processor's name."""
    found = re.search(r"^model name\s*: (.+)$", _read(_PROCESSES / "cpuinfo") or "", re.MULTILINE)
    return found[1] if found else platform.processor() or platform.machine()


def slug() -> str:
    """Return the processor's name as part of a file name."""
    name = re.sub(r"\((r|tm)\)|@.*| cpu", "", cpu().lower())
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-")


def resolution() -> int:
    """Return the smallest step of the clock that was seen, in nanoseconds."""
    steps = []
    for _ in range(100):
        start = time.perf_counter_ns()
        while (now := time.perf_counter_ns()) == start:
            pass
        steps.append(now - start)
    return min(steps)


def machine(folder: str) -> Machine:
    """Return the values that stay the same during a run; files are written to `folder`."""
    kernel = _SYSTEM / "devices/system"
    return Machine(
        cpu=cpu(),
        cores=os.cpu_count(),
        governor=_read(kernel / "cpu/cpu0/cpufreq/scaling_governor"),
        hypervisor=_hypervisor(),
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        huge_pages=_chosen(_read(_SYSTEM / "kernel/mm/transparent_hugepage/enabled")),
        clock_source=_read(kernel / "clocksource/clocksource0/current_clocksource"),
        clock_step_ns=resolution(),
        file_system=file_system(folder, _read(_PROCESSES / "self/mounts") or ""),
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
        libc=" ".join(platform.libc_ver()).strip() or None,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        penstock=__version__,
        build=__build__,
        allocator=os.environ.get("PYTHONMALLOC"),
        date=time.strftime("%Y-%m-%d", time.gmtime()),
    )


def state() -> State:
    """Return the present values that change."""
    ticks = (_read(_PROCESSES / "stat") or "").partition("\n")[0].split()[1:]
    return State(
        seconds=time.monotonic(),
        load=os.getloadavg()[0],
        ticks=sum(map(int, ticks[:8])),
        stolen=int(ticks[7]) if len(ticks) > 7 else 0,
    )


def note(found: Machine, before: State, now: State) -> None:
    """Store what happened between two states: the duration, the load, the stolen time."""
    ticks = now.ticks - before.ticks
    found.seconds = round(now.seconds - before.seconds, 1)
    found.load = (round(before.load, 2), round(now.load, 2))
    found.stolen = round((now.stolen - before.stolen) / ticks, 4) if ticks else None


def file_system(folder: str, mounts: str) -> str | None:
    """Return the type of the file system that a folder is in, by the table of mounts."""
    best, kind = "", None
    for line in mounts.splitlines():
        _, where, found, *_ = line.split()
        inside = folder == where or folder.startswith(where.rstrip("/") + "/")
        if inside and len(where) >= len(best):
            best, kind = where, found
    return kind


def _hypervisor() -> str | None:
    """Return the hypervisor of the machine, if it says so."""
    if kind := _read(_SYSTEM / "hypervisor/type"):
        return kind
    flags = re.search(r"^flags\s*:(.*)$", _read(_PROCESSES / "cpuinfo") or "", re.MULTILINE)
    return "yes" if flags and " hypervisor" in flags[1] else None


def _chosen(text: str | None) -> str | None:
    """Return the word in brackets: `always [madvise] never`."""
    found = re.search(r"\[(\w+)\]", text or "")
    return found[1] if found else text
