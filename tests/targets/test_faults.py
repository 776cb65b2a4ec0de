"""What happens at the worst moment: a killed process, a full disk, an interrupt.

The file has its old contents or its new ones, whole. Nothing is left beside it unless the process
was killed. A file that is appended to has whole records up to a torn line at most.
"""

import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from effort import often
from folders import has_nameless_files, names

import penstock
from penstock import TruncatedInput
from penstock._io.targets import open_target

pytestmark = pytest.mark.thread_unsafe(reason="processes are killed, and limits are the process's")

OLD = b"old\n" * 1_000
PAGE = 4 << 10


def version(number: int) -> bytes:
    """A text that says at its end whether it is whole."""
    return b"%d\n" % number * (1_000 + number * 37 % 20_000) + b"end of %d\n" % number


def is_whole(text: bytes) -> bool:
    number = int(text[: text.index(b"\n")])
    return text == version(number)


def child_that(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return child


def kill_after(child: int, seconds: float) -> None:
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


def wait_for(path: Path, child: int) -> None:
    until = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < until
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
        time.sleep(0.000_2)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_killed_at_any_moment_while_it_replaces(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows{suffix}"
    chance = random.Random(f"moments{suffix}")

    def replace_for_ever() -> None:
        number = 0
        while True:
            number += 1
            text = version(number)
            with open_target("write", path, level=1 if suffix else None) as target:
                for start in range(0, len(text), 500):
                    target.write(text[start : start + 500])

    unpack: Any = (lambda data: data) if not suffix else __import__("gzip").decompress
    left = replaced = 0
    for trial in range(often(30, long=100)):
        inode = path.stat().st_ino if path.exists() else None
        child = child_that(replace_for_ever)
        wait_for(path, child)
        kill_after(child, chance.uniform(0, 0.03) if trial % 2 else 0)
        assert is_whole(unpack(path.read_bytes()))
        replaced += path.stat().st_ino != inode
        for part in tmp_path.iterdir():
            if part != path:
                # The only trace, which nothing takes for a file of rows.
                assert part.name.startswith(f"rows{suffix}.")
                assert part.suffix == ".part"
                part.unlink()
                left += 1
    assert replaced > often(1, long=5)
    # A new file has a name only while it takes the place of the other one, or where every file has.
    assert left < 20 or not has_nameless_files(tmp_path)


@pytest.mark.parametrize("suffix", ["", ".zst"])
def test_killed_at_any_moment_while_it_appends(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows{suffix}"
    chance = random.Random(f"more moments{suffix}")
    level = -1_000 if suffix else None  # It hardly compresses, so that there is much to write.

    def append_for_ever() -> None:
        number = 0
        noise = chance.randbytes(9_000).hex().encode()
        with open_target("write", path, append=True, torn="cut", level=level) as target:
            while True:
                number += 1
                text = noise[number * 137 % 9_000 :][: number * 37 % 9_000]
                line = b'{"n": %d, "text": "%s"}\n' % (number, text)
                # As a writer does it: a buffer may end inside a record.
                for start in range(0, len(line), 1_000):
                    target.write(line[start : start + 1_000])
                target.mark()

    torn = 0
    for _ in range(often(30, long=100)):
        path.unlink(missing_ok=True)
        with open_target("write", path, append=True) as target:
            target.write(b'{"n": 0}\n')
        before = path.stat().st_size
        child = child_that(append_for_ever)
        until = time.monotonic() + chance.uniform(0, 0.02)
        while time.monotonic() < until and path.stat().st_size == before:
            time.sleep(0.000_1)
        kill_after(child, chance.uniform(0, 0.02))
        try:
            with open_target("write", path, append=True) as target:
                target.write(b'{"n": -1}\n')
        except TruncatedInput:
            torn += 1
            if suffix:
                continue  # Only its frames before the last can be read.
            with open_target("write", path, append=True, torn="cut") as target:
                target.write(b'{"n": -1}\n')
        numbers = [row["n"] for row in penstock.ndjson.read(path)]
        assert numbers == [*range(len(numbers) - 1), -1]
    assert torn > often(0, long=5)


@pytest.mark.parametrize("compression", [None, "gzip", "xz"])
@pytest.mark.parametrize("append", [False, True])
def test_a_file_that_may_not_grow(tmp_path: Path, append: bool, compression: Any) -> None:
    path = tmp_path / "rows"
    old = b"" if compression else OLD
    chance = random.Random(0)
    lines = [chance.randbytes(500).hex().encode() + b"\n" for _ in range(90 if compression else 40)]
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    refused = 0
    for most in range(0, 68 * 1024, PAGE):
        path.write_bytes(old)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))
        failed: OSError | None = None
        try:
            with open_target("write", path, append=append, compression=compression) as target:
                for number, line in enumerate(lines):
                    target.write(line[: 600 + number])
                    target.write(line[600 + number :])
                    target.mark()
        except OSError as error:
            failed = error
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        assert names(tmp_path) == ["rows"]
        text = path.read_bytes()
        if failed is None:
            assert len(text) <= most
            continue
        refused += 1
        assert str(failed) == f"[Errno {errno.EFBIG}] File too large: '{path}'"
        if append and compression is None:
            kept = text.removeprefix(OLD)
            assert kept == b"".join(lines[: len(kept) // 1_001])
            assert len(text) > most - 1_001 or text == OLD
        else:
            assert text == old
    assert 4 <= refused <= 16


FULL = """
import os, sys
from pathlib import Path
from penstock._io.targets import open_target

folder = Path(sys.argv[1])
path = folder / "rows"
old = b"old" * 1000
page = 4096
refused = written = 0
for sync in (False, True):
    for free in range(0, 40):
        path.write_bytes(old)
        filler = folder / "filler"
        with filler.open("wb", 0) as file:
            try:
                while True:
                    file.write(bytes(page))
            except OSError:
                pass
            file.truncate(max(file.tell() - free * page, 0))
        new = bytes([free]) * (20 * page)
        try:
            with open_target("write", path, sync=sync) as target:
                for start in range(0, len(new), 5000):
                    target.write(new[start:start + 5000])
        except OSError as error:
            assert str(error) == f"[Errno 28] No space left on device: '{path}'", error
            assert path.read_bytes() == old
            refused += 1
        else:
            assert path.read_bytes() == new
            written += 1
        assert sorted(os.listdir(folder)) == ["filler", "rows"]
        filler.unlink()
assert refused >= 36 and written >= 36, (refused, written)
print("good")
"""


def test_a_full_disk(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("there is no unshare")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=400k none {disk} 2>/dev/null || exit 77"
    command = f'{mount}; exec "$0" -c "$1" {disk}'
    ended = subprocess.run(
        [unshare, "-m", "sh", "-c", command, sys.executable, FULL],
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode == 77 or "Operation not permitted" in ended.stderr:
        pytest.skip("no file system may be mounted here")
    assert (ended.stdout, ended.stderr) == ("good\n", "")


INTERRUPTED = """
import os, random, signal, sys
from pathlib import Path
from penstock._io.targets import open_target

folder = Path(sys.argv[1])
path = folder / "rows"
old, text = b"old" * 1000, b"new" * 300_000
path.write_bytes(old)
chance = random.Random(3)

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
left = 0
for _ in range(200):
    target = None
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0001, 0.005))
        while True:
            with open_target("write", path) as target:
                target.write(text)
                target.write(b"end")
    except KeyboardInterrupt:
        # Between opening a target and entering its block, nobody but this variable knows of it.
        left += len(os.listdir(folder)) > 1
        target = None
    assert os.listdir(folder) == ["rows"], os.listdir(folder)
    assert path.read_bytes() in {old, text + b"end"}
print("good", left)
"""


def test_interrupted_at_two_hundred_moments(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, tmp_path], capture_output=True, text=True, check=False
    )
    assert (ended.stdout[:5], ended.stderr) == ("good ", "")


def test_terminated_by_a_handler(tmp_path: Path) -> None:
    """A service that raises SystemExit for SIGTERM leaves nothing."""
    path = tmp_path / "rows"
    path.write_bytes(OLD)
    program = f"""
        import signal, sys, time
        from penstock._io.targets import open_target
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
        with open_target("write", {str(path)!r}) as target:
            target.write(b"new")
            print("ready", flush=True)
            # A signal just before a sleep is answered behind it, so each one is short.
            while True:
                time.sleep(0.01)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.terminate()
        assert process.wait() == 3
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["rows"]


def test_the_folder_goes_away(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "rows"
    with pytest.raises(FileNotFoundError) as error, open_target("write", path) as target:  # noqa: PT012 - the block is what is tested
        target.write(b"new")
        shutil.rmtree(folder)
    assert str(error.value) == f"[Errno 2] No such file or directory: '{path}'"
    folder.mkdir()
    with pytest.raises(IsADirectoryError) as directory, open_target("write", path) as target:  # noqa: PT012 - the block is what is tested
        target.write(b"new")
        path.mkdir()
    assert str(directory.value) == f"[Errno 21] Is a directory: '{path}'"
    assert names(folder) == ["rows"]
