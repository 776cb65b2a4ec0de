"""The description of the machine."""

import dataclasses
import json
import os
from pathlib import Path

from penstock.costs import machine
from penstock.costs.record import Record

MOUNTS = """\
/dev/vda / ext4 rw 0 0
proc /proc proc rw 0 0
tmpfs /tmp tmpfs rw 0 0
/dev/vdb /tmp/disk xfs rw 0 0
overlay / overlay rw 0 0
"""


def test_the_file_system_is_that_of_the_nearest_mount():
    assert machine.file_system("/tmp/disk/a", MOUNTS) == "xfs"
    assert machine.file_system("/tmp/disk", MOUNTS) == "xfs"
    assert machine.file_system("/tmp/diskette", MOUNTS) == "tmpfs"
    # The last mount hides the ones before it.
    assert machine.file_system("/home", MOUNTS) == "overlay"
    assert machine.file_system("/home", "") is None


def test_what_is_told_can_be_shown_to_anybody(tmp_path: Path):
    found = machine.machine(str(tmp_path))
    text = json.dumps(dataclasses.asdict(found))
    assert str(tmp_path) not in text
    assert os.uname().nodename not in {*map(str, dataclasses.astuple(found))}
    assert found.cores == os.cpu_count()
    assert found.clock_step_ns >= 1


def test_what_happened_during_a_run(tmp_path: Path):
    found = machine.machine(str(tmp_path))
    before = machine.State(seconds=100.0, load=0.514, ticks=5_000, stolen=10)
    machine.note(found, before, machine.State(142.25, 1.0, 6_000, 35))
    assert (found.seconds, found.load, found.stolen) == (42.2, (0.51, 1.0), 0.025)
    machine.note(found, before, before)
    assert (found.seconds, found.stolen) == (0.0, None)


def test_the_state_of_this_machine():
    before, after = machine.state(), machine.state()
    assert after.seconds >= before.seconds
    assert after.ticks >= before.ticks >= before.stolen >= 0
    assert after.load >= 0.0


def test_a_quiet_machine_leaves_no_doubt(record: Record):
    assert record.machine.doubts() == []
