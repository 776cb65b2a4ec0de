"""What is told of the machine."""

import json
import os

from penstock.costs import machine

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
    # What is mounted last is what is seen.
    assert machine.file_system("/home", MOUNTS) == "overlay"
    assert machine.file_system("/home", "") is None


def test_a_description_can_be_kept_and_names_nobody(tmp_path):  # noqa: ANN001 - a path
    found = machine.description(str(tmp_path))
    text = json.dumps(found)
    assert str(tmp_path) not in text
    assert os.uname().nodename not in {*map(str, found.values())}
    assert found["cores"] == os.cpu_count()
    assert found["clock_step_ns"] >= 1


def test_what_happened_during_a_run():
    before = machine.state()
    found = machine.since(before | {"seconds": before["seconds"] - 3.0})
    assert found["seconds"] >= 3.0
    assert len(found["load"]) == 2
    assert found["stolen"] is None or 0.0 <= found["stolen"] <= 1.0


def test_a_quiet_machine_leaves_no_doubt():
    quiet = {"build": "release", "governor": None, "load": [0.0, 1.0], "cores": 2, "stolen": None}
    assert machine.doubts(quiet) == []
    assert machine.doubts({}) == []
