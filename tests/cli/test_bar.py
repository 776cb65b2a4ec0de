"""Progress, as a terminal sees it."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from penstock.cli.bar import figures

WITHOUT_RICH = (
    "import sys; sys.modules['rich'] = None; sys.argv[0] = 'penstock'\n"
    "from penstock.cli.__main__ import main; sys.exit(main())"
)


@pytest.fixture
def terminal(folder: Path, command: list[str], environment: dict[str, str]):
    """Run it with a terminal of some width for standard error, and perhaps for output."""

    def run(
        *words: str,
        stdin: bytes = b"",
        width: int = 100,
        output: bool = False,
        rich: bool = True,
        **more: str,
    ) -> tuple[str, str, int]:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, width, 0, 0))
        start = command if rich else [command[0], "-c", WITHOUT_RICH]
        clean = {name: value for name, value in environment.items() if name != "COLUMNS"}
        with subprocess.Popen(
            [*start, *words],
            cwd=folder,
            env=clean | more,
            stdin=subprocess.PIPE,
            stdout=theirs if output else subprocess.PIPE,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            assert process.stdin is not None
            process.stdin.write(stdin)
            process.stdin.close()
            shown = b""
            # Linux raises this when the last process has closed the other side.
            with contextlib.suppress(OSError):
                while data := os.read(ours, 65536):
                    shown += data
            os.close(ours)
            out = b"" if process.stdout is None else process.stdout.read()
        return out.decode(), shown.decode(), process.returncode

    return run


def test_a_bar_is_drawn_and_erased(terminal: Callable[..., Any]):
    out, shown, code = terminal("count", "--progress", "always", "cities.json")
    assert (out, code) == ("3\n", 0)
    lines = shown.split("\r")
    assert lines[-1] == "\x1b[K"
    plain = re.sub(r"\x1b\[[0-9;]*[mK]", "", lines[-2])
    assert re.fullmatch(r"cities\.json  [━╸╺ ]+ \d+ %  \d records  \d+ MB/s  0:00.*", plain)
    assert len(plain) < 100
    assert "\x1b[1mcities.json" in lines[-2]


def test_without_rich_it_is_a_line(terminal: Callable[..., Any]):
    out, shown, code = terminal("count", "--progress", "always", "cities.json", rich=False)
    assert (out, code) == ("3\n", 0)
    assert re.fullmatch(
        r"(\rcities\.json  +\d+ %  \d records  \d+ MB/s  0:00( left)?  [\d,]+ records/s\x1b\[K)+"
        r"\r\x1b\[K",
        shown,
    )


@pytest.mark.parametrize("rich", [True, False])
def test_it_fits_in_any_terminal(terminal: Callable[..., Any], rich: bool):
    for width in (10, 30, 50, 200):
        _, shown, code = terminal(
            "count", "--progress", "always", "cities.json", width=width, rich=rich
        )
        assert code == 0
        for line in shown.split("\r"):
            assert len(re.sub(r"\x1b\[[0-9;]*[mK]", "", line)) < width


def test_colour_is_not_forced(terminal: Callable[..., Any]):
    _, shown, _ = terminal("count", "--progress", "always", "cities.json", NO_COLOR="1")
    assert "━" in shown
    assert not re.search(r"\x1b\[[0-9;]*3\d", shown)


def test_nothing_is_drawn_for_what_is_done_at_once(terminal: Callable[..., Any]):
    assert terminal("count", "cities.json") == ("3\n", "", 0)


@pytest.mark.parametrize(
    ("words", "environment_"),
    [
        (["-q"], {}),
        (["--progress", "never"], {}),
        ([], {"CI": "true"}),
        ([], {"TERM": "dumb"}),
    ],
)
def test_nothing_is_drawn_where_it_is_not_wanted(
    command: list[str],
    environment: dict[str, str],
    folder: Path,
    words: list[str],
    environment_: dict[str, str],
):
    # It waits longer than the bar does.
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*command, "count", *words, "--format", "ndjson", "-"],
        cwd=folder,
        env=environment | environment_,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        process.stdin.close()
        assert process.stdout.read() == b"0\n"
    os.write(theirs, b"end")
    assert os.read(ours, 100) == b"end"
    os.close(ours)
    os.close(theirs)


def test_on_a_terminal_records_are_not_mixed_with_it(terminal: Callable[..., Any]):
    lines = "".join(f'{{"number": {n}}}\n' for n in range(3000))
    _, shown, code = terminal(
        *("head", "-n", "3000", "--progress", "always", "--color", "never", "-"),
        stdin=lines.encode(),
        output=True,
    )
    assert code == 0
    # The final content of the terminal: each line from its last erasure on.
    seen = [re.sub(r".*\r\x1b\[K", "", line.rstrip("\r")) for line in shown.split("\n")]
    assert seen == [f'{{"number": {n}}}' for n in range(3000)] + [""]


def test_what_is_said_of_progress():
    known = SimpleNamespace(bytes_read=50_000_000, bytes_total=200_000_000, records=1, elapsed=0.5)
    assert figures(known) == [" 25 %", "1 record", "100 MB/s", "0:02 left", "2 records/s"]
    unknown = SimpleNamespace(
        bytes_read=7_300_000_000, bytes_total=None, records=1_234_567, elapsed=3723.2
    )
    assert figures(unknown) == ["1,234,567 records", "2 MB/s", "1:02:03", "332 records/s"]
    begun = SimpleNamespace(bytes_read=0, bytes_total=10, records=0, elapsed=0.0)
    assert figures(begun) == ["  0 %", "0 records", "0 MB/s", "0:00", "0 records/s"]
