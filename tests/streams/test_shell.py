"""External programs as stages."""

# ruff: noqa: ARG001, PT012, PTH208 - stages ignore their items, and blocks raise somewhere inside

import gzip
import io
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from penstock.streams import Failure, Pipeline, ShellError, Stream, shell, take

pytestmark = pytest.mark.thread_unsafe(reason="it starts processes, and counts those of this one")


@pytest.fixture(autouse=True)
def nothing_is_left():
    """No child, no zombie and no open file."""
    before = children(), len(os.listdir("/proc/self/fd"))
    yield
    assert (children(), len(os.listdir("/proc/self/fd"))) == before


def children() -> set[str]:
    """Return the children of this process; other tests may have left some that serve them."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


def numbers(n: int) -> list[str]:
    return [str(k) for k in range(n)]


def test_lines_in_lines_out():
    assert list(["a", b"b\n", bytearray(b"c"), memoryview(b"d")] | shell("cat")) == [
        b"a\n",
        b"b\n",
        b"c\n",
        b"d\n",
    ]
    assert list(["é", "b"] | shell("sort -r", encoding="utf-8")) == ["é\n", "b\n"]
    assert list(["é"] | shell(["cat"], encoding="latin-1")) == ["é\n"]
    assert list([] | shell("cat")) == []
    assert list([] | shell(["printf", "a\nb"])) == [b"a\n", b"b"]
    assert list([""] | shell("cat")) == [b"\n"]


def test_no_shell_is_involved():
    assert list([] | shell("echo '$HOME | cat' *")) == [b"$HOME | cat *\n"]
    assert list([] | shell(["echo", Path("a b")])) == [b"a b\n"]


def test_many_lines_in_both_directions():
    expected = [b"%d\n" % n for n in range(200_000)]
    assert list(numbers(200_000) | shell("cat")) == expected
    out: list[bytes] = []
    (numbers(200_000) | shell("cat") | shell("cat") | out).run()
    assert out == expected


def test_a_program_that_writes_more_than_it_reads():
    assert sum(map(len, numbers(2_000) | shell("sed p"))) == 2 * sum(
        len(n) + 1 for n in numbers(2_000)
    )
    program = ["sh", "-c", "head -c 10000000 /dev/zero; cat"]
    expected = 10_000_000 + sum(map(len, numbers(100_000)))
    assert sum(map(len, numbers(100_000) | shell(program, raw=True))) == expected


def test_binary_output_is_exact():
    for way in ("branch", "row"):
        file = io.BytesIO()
        stages: tuple[Any, ...] = (
            ((Pipeline(shell("gzip -9"), file),),) if way == "branch" else (shell("gzip -9"), file)
        )
        Pipeline(*stages, source=numbers(100_000)).run()
        assert gzip.decompress(file.getvalue()) == b"".join(b"%d\n" % n for n in range(100_000))
    back = io.BytesIO()
    chunks = [file.getvalue()[at : at + 1000] for at in range(0, len(file.getvalue()), 1000)]
    Pipeline(shell("gzip -d", raw=True), back, source=chunks).run()
    assert back.getvalue() == b"".join(b"%d\n" % n for n in range(100_000))


def test_a_program_that_takes_no_more_stops_the_pipeline():
    for stages in ((shell("head -1"),), ((shell("head -1"),),)):
        source = iter(range(10_000_000))
        pipeline = Pipeline(str, *stages)
        assert list(source | pipeline) == [b"0\n"]
        assert next(source) < 1_000_000
        out: list[bytes] = []
        assert (source | pipeline | out).run().stopped
        assert len(out) == 1


def test_a_later_stage_that_stops_ends_the_program():
    begun = time.monotonic()
    for stages in ((shell("yes"), take(2)), (shell("yes"), (take(2),)), ((shell("yes"),), take(2))):
        assert list([] | Pipeline(*stages)) == [b"y\n", b"y\n"]
        assert list(numbers(100_000) | Pipeline(*stages)) == [b"y\n", b"y\n"]
    assert next(iter([] | shell("yes"))) == b"y\n"
    out: list[bytes] = []
    ([] | shell("yes") | take(2) | out).run()
    assert out == [b"y\n", b"y\n"]
    assert time.monotonic() - begun < 20
    # One that does not notice is ended after a second, and one that ignores it after another.
    for program in ("echo a; sleep 60", "trap '' TERM; echo a; while :; do sleep 0.1; done"):
        assert list([] | shell(["sh", "-c", program]) | take(1)) == [b"a\n"]
    assert time.monotonic() - begun < 40


def test_output_comes_while_the_program_is_at_work():
    program = shell(["sh", "-c", "while read line; do echo got $line; done"], encoding="utf-8")
    out: list[str] = []
    pipeline = Pipeline(program, out)
    pipeline.write("a")
    pipeline.flush()
    pipeline.write("b")
    pipeline.close()
    assert out == ["got a\n", "got b\n"]


def test_a_slow_program():
    assert list(["a"] | shell(["sh", "-c", "sleep 0.3; cat; sleep 0.3; echo end"])) == [
        b"a\n",
        b"end\n",
    ]


def test_an_exit_code_is_an_error_with_the_end_of_stderr():
    program = ["sh", "-c", "echo one >&2; echo 'no \x1b[31m file' >&2; exit 3"]
    for run in (list, lambda p: p.run()):
        end = Ended()
        with pytest.raises(ShellError) as caught:
            run(["a"] | Pipeline(shell(program), (end, str)))
        error = caught.value
        assert (error.code, error.command, error.stderr) == (3, program, "one\nno \x1b[31m file\n")
        shown = "sh -c 'echo one >&2; echo '\"'\"'no \x1b[31m file'\"'\"' >&2; exit 3'"
        assert str(error) == f"{shown}: exit code 3: no \ufffd[31m file"
        assert error.__notes__[0].endswith(", when it was closed")
        assert end.state == "aborted"
    with pytest.raises(ShellError) as caught:
        list(numbers(1_000_000) | shell("false"))
    assert str(caught.value) == "false: exit code 1"
    with pytest.raises(ShellError) as caught:
        list([] | shell(["sh", "-c", "kill -9 $$"]))
    assert str(caught.value) == "sh -c 'kill -9 $$': ended by signal 9"
    assert caught.value.code == -signal.SIGKILL
    with pytest.raises(ShellError) as caught:
        list([] | shell(["sh", "-c", "yes | head -c 100000 >&2; echo end >&2; exit 1"]))
    assert (len(caught.value.stderr), caught.value.stderr[-7:]) == (4096, "\ny\nend\n"[-7:])


class Ended:
    state = "open"

    def write(self, item: Any):
        pass

    def close(self):
        self.state = "closed"

    def abort(self):
        self.state = "aborted"


def test_a_pickled_error():
    import pickle

    with pytest.raises(ShellError) as caught:
        Pipeline(shell("false")).process("a")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.code, again.command) == ("false: exit code 1", 1, ["false"])


def test_a_program_that_there_is_not():
    end = Ended()
    with pytest.raises(FileNotFoundError) as caught:
        (["a"] | Pipeline(str, shell("no-such-program -x"), end)).run()
    assert caught.value.__notes__ == [
        "raised in stage 2, shell('no-such-program -x'), when it was opened"
    ]
    assert end.state == "aborted"


def test_what_is_no_command_and_no_line():
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        shell("")
    assert str(caught.value) == "shell() takes a program, and the command is empty"
    with pytest.raises(ValueError, match="No closing quotation"):
        shell("echo 'a")
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        shell("cat", raw=True, encoding="utf-8")
    assert (
        str(caught.value) == "with raw=True chunks come out, which cannot be decoded: no encoding="
    )
    failures: list[Failure] = []
    assert list(Pipeline(shell("cat"), source=["a", {"b": 1}, "c"], errors=failures)) == [
        b"a\n",
        b"c\n",
    ]
    assert [(str(each.error), each.item) for each in failures] == [
        ("shell() takes lines, str or bytes, not dict: make them before it", {"b": 1})
    ]
    assert repr(shell(["sh", "-c", "a b"])) == """shell("sh -c 'a b'")"""


def test_a_failure_kills_the_program():
    def fail(line: bytes):
        raise KeyError

    class Fails(Stream):
        def close(self):
            raise KeyError

    begun = time.monotonic()
    for stages in (
        (shell(["sh", "-c", "echo a; exec sleep 60"]), fail),
        (Fails(), shell("sleep 60")),
        (shell("sleep 60"), Opens()),
    ):
        with pytest.raises(KeyError):
            list([] | Pipeline(*stages))
        with pytest.raises(KeyError):
            ([] | Pipeline(*stages)).run()
    with pytest.raises(KeyError), Pipeline(shell("sleep 60")) as pipeline:
        pipeline.write("a")
        raise KeyError
    iterator = iter(["a"] | Pipeline(shell(["sh", "-c", "echo a; exec sleep 60"])))
    assert next(iterator) == b"a\n"
    iterator.close()
    assert time.monotonic() - begun < 10


class Opens(Stream):
    def open(self):
        raise KeyError


def test_a_line_that_cannot_be_decoded():
    with pytest.raises(UnicodeDecodeError):
        list([b"\xff"] | shell("cat", encoding="utf-8"))


def test_a_line_has_a_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("penstock._streams.shell._LONGEST", 100_000)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its text is compared below
        list([] | shell("head -c 10000000 /dev/zero"))
    assert str(caught.value) == "head wrote a line of more than 100,000 bytes: pass raw=True"
    assert sum(map(len, [] | shell("head -c 10000000 /dev/zero", raw=True))) == 10_000_000


def test_an_interrupt_ends_the_program():
    # A shell starts what runs in the background with interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ([] | Pipeline(shell("sleep 60"), [])).run()
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begun < 10


def test_it_works_in_threads():
    results: list[list[bytes]] = []

    def work():
        results.append(list(numbers(20_000) | shell("cat")))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == 4 * [[b"%d\n" % n for n in range(20_000)]]


def test_back_pressure():
    """The program is slower than the source: what waits for it is bounded."""
    taken = 0

    def source():
        nonlocal taken
        for n in range(1_000_000):
            taken = n
            yield "x" * 999

    stage = shell(["sh", "-c", "sleep 0.5; head -c 1000"])
    assert list(source() | stage) == [b"x" * 999 + b"\n"]
    # A pipe of 64 KiB, the chunk that waits, and what `head` has read.
    assert taken < 1_000
