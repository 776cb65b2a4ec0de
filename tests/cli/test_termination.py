"""A command that is told to end leaves no unfinished file."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# The tests may run with signals ignored.
DEFAULT = ["env", "--default-signal=TERM,HUP,INT"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "words",
    [
        ["convert", "--format", "ndjson", "-", "out.xml"],
        ["convert", "--format", "ndjson", "--into", "models:City", "-", "out.xml"],
        ["cut", "--format", "ndjson", "-", "name", "out.xml"],
        ["format", "--format", "ndjson", "-", "out.xml"],
        ["recompress", "--to", "zstd", "-", "out.xml"],
    ],
    ids=["convert", "by_class", "cut", "format", "recompress"],
)
def test_no_unfinished_file_stays(
    command: list[str],
    environment: dict[str, str],
    folder: Path,
    words: list[str],
    number: signal.Signals,
) -> None:
    (folder / "out.xml").write_text("old")
    before = sorted(path.name for path in folder.iterdir())
    line = b'{"name": "Bern", "population": 1, "position": {"lat": 1.5}}\n'
    with subprocess.Popen(
        [*DEFAULT, *command, *words, "--progress", "always"],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(line * 20_000)
        process.stdin.flush()
        # The first thing drawn shows that it runs; it waits for more input.
        shown = os.read(process.stderr.fileno(), 1)
        process.send_signal(number)
        shown += process.stderr.read()
        assert process.wait(timeout=30) == -number
        assert b"Traceback" not in shown
        assert shown.endswith(b"\r\x1b[K")
    assert sorted(path.name for path in folder.iterdir() if path.name != "__pycache__") == before
    assert (folder / "out.xml").read_text() == "old"


def test_a_shell_sees_143(command: list[str], environment: dict[str, str], folder: Path) -> None:
    script = 'env --default-signal=TERM "$@" & sleep 1; kill $!; wait $!; echo $?'
    done = subprocess.run(
        ["bash", "-c", script, "bash", *command, "count", "--format", "ndjson", "pipe"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: os.mkfifo(folder / "pipe"),
    )
    assert done.stdout == "143\n"


PROGRAM = """\
import os, signal, sys
from penstock.cli import __main__
# The first process of a container is not ended by a signal that it does not handle.
os.kill = lambda pid, number: print("killed", number, flush=True)
print("at work", flush=True)
code = __main__.main(sys.argv[1:])
print(signal.getsignal(signal.SIGHUP).name, code)
"""


def test_the_exit_code_where_the_signal_has_no_effect(
    environment: dict[str, str], folder: Path
) -> None:
    with subprocess.Popen(
        [*DEFAULT, sys.executable, "-c", PROGRAM, "count", "--format", "ndjson", "-"],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == "killed 15\nSIG_DFL 143\n"


def test_nohup_is_respected(command: list[str], environment: dict[str, str], folder: Path) -> None:
    with subprocess.Popen(
        ["env", "--ignore-signal=HUP", *command, "head", "--format", "ndjson", "-"],
        cwd=folder,
        env=environment | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"1\n2\n")
        process.stdin.flush()
        assert process.stdout.read(1) == b"1"
        process.send_signal(signal.SIGHUP)
        process.stdin.write(b"3\n")
        process.stdin.close()
        assert process.stdout.read() == b"\n2\n3\n"
        assert process.wait(timeout=30) == 0
