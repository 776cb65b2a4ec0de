"""The names that the statements of the rows use.

Each function returns the names for a statement, which become local names of a function. Python's
compiler knows none of the values, and nothing that happens here is timed.
"""

from __future__ import annotations

import csv
import json
import os
import pickle
import plistlib
import queue
import shutil
import struct
import subprocess
import sys
import threading
import time
import types
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import penstock._rust as _rust
import penstock.clock
import penstock.json
import penstock.xml

if TYPE_CHECKING:
    from collections.abc import Callable

Names = dict[str, Any]

RECORD: Names = {"id": 1234567, "name": "Vila Nova", "size": 42.5}
"""The small record that the rows encode and decode."""

MIB = 1 << 20


class Missing(Exception):
    """A row needs something that this machine does not have; the message says what."""


@dataclass
class Record:
    """The small record as a user's class."""

    id: int
    name: str
    size: float


class Slotted:
    """The lightest possible class."""

    __slots__ = ("id", "name", "size")

    def __init__(self, id: int, name: str, size: float) -> None:
        self.id = id
        self.name = name
        self.size = size


class Thing:
    """Has a method."""

    def method(self, value: int) -> int:
        """Return the argument."""
        return value


def identity(value: int = 7) -> int:
    """Return the argument."""
    return value


def nothing() -> Names:
    """Nothing: the loop alone."""
    return {}


def calls() -> Names:
    """Things to call."""
    thing = Thing()
    return {
        "function": identity,
        "thing": thing,
        "method": thing.method,
        "nothing": _rust.nothing,
        "value": 7,
    }


def threads() -> Names:
    """Locks, queues and threads."""
    return {
        "lock": threading.Lock(),
        "queue": queue.SimpleQueue(),
        "Thread": threading.Thread,
        "function": identity,
        "value": 7,
    }


def numbers() -> Names:
    """Integers that the interpreter does not cache."""
    return {"a": 1_000_003, "b": 70_001}


def texts() -> Names:
    """Texts, and a table of them."""
    table = {f"key {number}": number for number in range(16)}
    return {"a": "Vila Nov", "b": "a de Gai", "table": table, "key": "key 7"}


def objects() -> Names:
    """Classes, and the values of their objects."""
    a, b, c = RECORD.values()
    return {
        "a": a,
        "b": b,
        "c": c,
        "Slotted": Slotted,
        "Data": Record,
        "thing": Slotted(a, b, c),
        "error": ValueError("a value"),
    }


def json_record() -> Names:
    """The record as JSON."""
    text = json.dumps(RECORD)
    return {
        "json": json,
        "decode": penstock.json.decode,
        "Record": Record,
        "record": RECORD,
        "text": text,
        "data": text.encode(),
    }


def xml_record() -> Names:
    """The record as XML."""
    element = ET.Element("record")
    for name, value in RECORD.items():
        ET.SubElement(element, name).text = str(value)
    return {
        "ET": ET,
        "decode": penstock.xml.decode,
        "Record": Record,
        "element": element,
        "data": ET.tostring(element),
    }


def csv_record() -> Names:
    """The record as a line of CSV; each write replaces the one before."""
    row = [str(value) for value in RECORD.values()]
    last = types.SimpleNamespace(write=deque[str](maxlen=1).append)
    return {"csv": csv, "row": row, "lines": [",".join(row)], "writer": csv.writer(last)}


def plist_record() -> Names:
    """The record as property lists."""
    return {
        "plistlib": plistlib,
        "record": RECORD,
        "text": plistlib.dumps(RECORD),
        "binary": plistlib.dumps(RECORD, fmt=plistlib.FMT_BINARY),
        "FMT_BINARY": plistlib.FMT_BINARY,
    }


def pickle_record() -> Names:
    """The record as a pickle."""
    return {"pickle": pickle, "record": RECORD, "data": pickle.dumps(RECORD)}


def struct_record() -> Names:
    """The record as 32 bytes."""
    packed = struct.Struct("<q16sd")
    a, b, c = RECORD["id"], RECORD["name"].encode(), RECORD["size"]
    return {"packed": packed, "a": a, "b": b, "c": c, "data": packed.pack(a, b, c)}


def clocks() -> Names:
    """Clocks."""
    return {"time": time, "clock": penstock.clock, "datetime": datetime}


def files() -> Names:
    """Files in the current directory, and data to write to others there."""
    few, many = b"16 bytes of data", bytes(16 * MIB)
    for name, data in (("small", few), ("large", many), ("target", few), ("synced", many)):
        path = Path(name)
        if not path.exists():
            path.write_bytes(data)
    return {
        "os": os,
        "small": "small",
        "large": "large",
        "target": "target",
        "beside": "beside",
        "few": few,
        "many": many,
        "descriptor": os.open("synced", os.O_WRONLY),
    }


def processes() -> Names:
    """Programs to start."""
    true = shutil.which("true")
    if true is None:
        raise Missing("there is no program 'true'")
    return {
        "subprocess": subprocess,
        "nothing": [true],
        "interpreter": [sys.executable, "-I", "-S", "-c", "pass"],
    }


def quadratic() -> Names:
    """The list with which each measurement begins."""
    return {"items": [], "value": 7}


GIVEN: dict[str, Callable[[], Names]] = {
    function.__name__: function
    for function in (
        *(nothing, calls, threads, numbers, texts, objects, clocks, files, processes, quadratic),
        *(json_record, xml_record, csv_record, plist_record, pickle_record, struct_record),
    )
}
"""The functions, by their names in the rows."""
