"""`shell`: an external program as a stage.

One thread feeds the program and takes what it writes, in one loop that waits for whichever is
ready. So nothing piles up, and neither side can block the other.
"""

from __future__ import annotations

import os
import select
import shlex

from penstock._base.errors import PenstockError
from penstock._streams.stages import Stream

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from subprocess import Popen
    from typing import Any

# How many bytes wait for the program before it is fed, and how many are read at once.
_CHUNK = 64 << 10
# How much of what the program writes to its stderr is kept.
_TAIL = 4 << 10
# The longest line.
_LONGEST = 64 << 20
# Seconds that a program may take to notice that nobody reads it any more.
_GRACE = 1.0


class ShellError(PenstockError, RuntimeError):
    """A program ended with an exit code other than 0, or by a signal.

    Attributes:
        command: The program and its arguments.
        code: The exit code; negative if a signal ended the program.
        stderr: The end of what the program wrote to its stderr.

    Example:
        >>> from penstock.streams import Pipeline, ShellError, shell
        >>> try:
        ...     Pipeline(shell("grep -q nothing")).process("a line")
        ... except ShellError as error:
        ...     print(error.code, error)
        1 grep -q nothing: exit code 1
    """

    __module__ = "penstock.streams"

    command: list[str]
    code: int
    stderr: str


def _error(command: list[str], code: int, stderr: str) -> ShellError:
    how = f"exit code {code}" if code >= 0 else f"ended by signal {-code}"
    lines = [line for line in stderr.splitlines() if line.strip()]
    last = "".join(c if c.isprintable() else "\ufffd" for c in lines[-1]) if lines else ""
    said = f": {last[:200]}" if last else ""
    error = ShellError(f"{shlex.join(command)}: {how}{said}")
    error.command, error.code, error.stderr = command, code, stderr
    return error


class shell(Stream):  # noqa: N801 - it is used like a function
    """An external program as a stage: lines go in, and lines come out.

    An item is a line, as `bytes` or `str`; it gets a line feed if it has none at its end. What the
    program writes comes out line by line as `bytes`, each with its line feed, so the lines one
    after the other are exactly what the program wrote. No shell is involved.

    The pipeline waits for the program, and holds no more than 64 KiB and one line in either
    direction. If the program takes no more input, as `head` does, that stops the pipeline. If a
    later stage stops, Penstock closes the program's pipes, and ends the program if it is still
    there a second later; if the pipeline fails, it kills the program.

    Args:
        command: The program and its arguments: a sequence, or a text that is split as a shell does
            it. Variables, patterns and pipes mean nothing in it.
        encoding: The encoding in which lines come out as `str`. By default they are `bytes`. A
            `str` goes in as UTF-8 by default.
        raw: Add no line feeds, and let `bytes` come out in chunks as they arrive.

    Raises:
        ValueError: `command` is empty, or has a quotation mark that is not closed; or `encoding`
            and `raw` are both given.
        OSError: The program cannot be started, when the pipeline runs.
        ShellError: The program ended with an exit code other than 0, and nobody told it to. The
            pipeline raises this when it closes.

    Example:
        >>> from penstock.streams import shell
        >>> list(["pear", "apple", "fig"] | shell("sort -r", encoding="utf-8") | str.strip)
        ['pear', 'fig', 'apple']
    """

    __module__ = "penstock.streams"

    def __init__(
        self,
        command: str | Sequence[str | os.PathLike[str]],
        /,
        *,
        encoding: str | None = None,
        raw: bool = False,
    ) -> None:
        """Keep the command. Nothing is started yet."""
        split = shlex.split(command) if isinstance(command, str) else map(os.fsdecode, command)
        self._command = list(split)
        if not self._command:
            raise ValueError("shell() takes a program, and the command is empty")
        if raw and encoding is not None:
            raise ValueError("with raw=True chunks come out, which cannot be decoded: no encoding=")
        self._encoding = encoding
        self._raw = raw
        self._program: Popen[bytes] | None = None

    def open(self) -> None:
        """Start the program."""
        import subprocess  # noqa: PLC0415 - slow to import

        pipe = subprocess.PIPE
        program = subprocess.Popen(self._command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe)  # noqa: S603 - it is what the caller asked for
        self._program = program
        self._pending = bytearray()
        self._rest = bytearray()
        self._tail = bytearray()
        # Whether a later stage has stopped.
        self._unread = False
        self._poll = select.poll()
        self._files = {}
        for file, event in (
            (program.stdin, select.POLLOUT),
            (program.stdout, select.POLLIN),
            (program.stderr, select.POLLIN),
        ):
            assert file is not None  # noqa: S101 - it was asked for
            os.set_blocking(file.fileno(), False)
            self._poll.register(file.fileno(), event)
            self._files[file.fileno()] = file

    def write(self, obj: Any, /) -> bool | None:
        """Give the program a line."""
        for _ in self.steps(obj):
            pass
        return None if self.takes() else False

    def flush(self) -> None:
        """Give the program what waits for it."""
        for _ in self._feeding():
            pass

    def close(self) -> None:
        """Close the program's input, and wait for the rest of its output and for its end."""
        for _ in self.last_steps():
            pass

    def steps(self, obj: Any) -> Iterator[None]:
        """Give the program a line, and yield whenever some of its output was emitted."""
        self._add(obj)
        if len(self._pending) >= _CHUNK:
            yield from self._feeding()

    def last_steps(self) -> Iterator[None]:
        """Do the work of `close`, and yield whenever some of the output was emitted."""
        try:
            yield from self._feeding()
            self._shut_input()
            while self._files and not self._unread:
                self._turn()
                yield
            if self._rest and not self._unread:
                self._out(bytes(self._rest))
                yield
        except GeneratorExit:
            raise
        except BaseException:
            self.abort()
            raise
        program = self._program
        assert program is not None  # noqa: S101 - it was opened
        if self._unread:
            self._shut()
            self._dismiss(program)
            return
        code = program.wait()
        self._program = None
        if code != 0:
            tail = self._tail.decode("utf-8", "replace")
            raise _error(self._command, code, tail)

    def abort(self) -> None:
        """Kill the program."""
        program, self._program = self._program, None
        if program is not None:
            program.kill()
            self._shut()
            program.wait()

    def _add(self, obj: Any) -> None:
        """Have a line wait for the program."""
        if isinstance(obj, str):
            data: Any = obj.encode(self._encoding or "utf-8")
        elif isinstance(obj, (bytes, bytearray, memoryview)):
            data = obj
        else:
            kind = type(obj).__name__
            raise TypeError(f"shell() takes lines, str or bytes, not {kind}: make them before it")
        if not self.takes():
            return
        self._pending += data
        if not self._raw and not self._pending.endswith(b"\n"):
            self._pending += b"\n"

    def ignore(self) -> None:
        """Take no more of the program's output."""
        self._unread = True

    def _dismiss(self, program: Popen[bytes]) -> None:
        """Wait for a program that nobody reads any more, and end it if it does not notice."""
        from subprocess import TimeoutExpired  # noqa: PLC0415 - as above

        self._program = None
        for end in (program.terminate, program.kill):
            try:
                program.wait(_GRACE)
            except TimeoutExpired:
                end()
        program.wait()

    def takes(self) -> bool:
        """Whether the program takes input, and somebody its output."""
        program = self._program
        stdin = None if program is None else program.stdin
        return stdin is not None and not stdin.closed and not self._unread

    def _feeding(self) -> Iterator[None]:
        """Write what waits, and take what comes meanwhile."""
        while self._pending and self.takes():
            self._turn()
            yield
        self._pending.clear()

    def _turn(self) -> None:
        """Wait until the program takes or has written something, and let it."""
        program = self._program
        assert program is not None  # noqa: S101 - it was opened
        for number, _ in self._poll.poll():
            file = self._files.get(number)
            if file is None:
                continue
            try:
                if file is program.stdin:
                    self._put(number)
                    continue
                data = os.read(number, _CHUNK)
            except BlockingIOError:
                continue
            if not data:
                self._forget(file)
            elif file is program.stderr:
                self._tail += data
                del self._tail[:-_TAIL]
            else:
                self._take(data)
                if self._unread:
                    return

    def _put(self, number: int) -> None:
        try:
            written = os.write(number, memoryview(self._pending)[:_CHUNK])
        except BrokenPipeError:
            # The program takes no more. Its exit code says whether that is an error.
            self._pending.clear()
            self._shut_input()
        else:
            del self._pending[:written]

    def _take(self, data: bytes) -> None:
        if self._raw:
            self._out(data)
            return
        known, start = len(self._rest), 0
        self._rest += data
        try:
            while (end := self._rest.find(b"\n", max(start, known))) >= 0 and not self._unread:
                line = bytes(self._rest[start : end + 1])
                start = end + 1
                self._out(line)
        finally:
            del self._rest[:start]
        if len(self._rest) > _LONGEST:
            name = self._command[0]
            raise ValueError(f"{name} wrote a line of more than {_LONGEST:,} bytes: pass raw=True")

    def _out(self, line: bytes) -> None:
        out = line if self._encoding is None else line.decode(self._encoding)
        if self.emit(out) is False:
            self._unread = True

    def _shut_input(self) -> None:
        program = self._program
        if program is not None and program.stdin is not None and not program.stdin.closed:
            self._forget(program.stdin)

    def _forget(self, file: Any) -> None:
        number = file.fileno()
        self._poll.unregister(number)
        del self._files[number]
        file.close()

    def _shut(self) -> None:
        for file in list(self._files.values()):
            self._forget(file)

    def __repr__(self) -> str:
        return f"shell({shlex.join(self._command)!r})"
