"""Draws the progress of a reader on one line of the terminal, ten times a second.

A thread polls `reader.progress`, which costs the reading nothing. Only this module imports rich,
and only when there is something to draw, not for files that are read at once.
"""

from __future__ import annotations

import os
import threading

import penstock._rust as _rust

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TextIO

    from penstock import Progress, Reader
    from penstock._rust import Conversion, Recompression

# Seconds between two drawings, and before the first one: most files are read by then.
_EVERY = 0.1
_PATIENCE = 0.4
# Columns that the name may take, and columns that a bar needs.
_TITLE = 32
_LEAST_BAR = 8
_LONGEST_BAR = 40

_ERASE = "\r\x1b[K"


class Bar:
    """A context in which progress is drawn. At its end the drawing is erased."""

    def __init__(
        self,
        reader: Reader[Any] | Conversion | Recompression,
        title: str,
        stream: TextIO,
        *,
        always: bool,
    ) -> None:
        """Draw nothing yet."""
        self._reader = reader
        self._title = title if len(title) <= _TITLE else f"\u2026{title[1 - _TITLE :]}"
        self._stream = stream
        # Only a recompression does not look for records.
        self._has_records = not isinstance(reader, _rust.Recompression)
        self._patience = 0.0 if always else _PATIENCE
        self._done = threading.Event()
        # Whoever writes to the terminal holds it.
        self._terminal = threading.Lock()
        self._drawn = False
        self._thread = threading.Thread(target=self._run, name="penstock-bar")

    def __enter__(self) -> None:
        """Begin to draw, after a delay."""
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        """Erase it. The thread has ended when this returns."""
        self._done.set()
        self._thread.join()

    def lifted(self) -> Lifted:
        """Return a context in which the line is free for something else."""
        return Lifted(self._terminal, self._erase)

    def _run(self) -> None:
        if self._patience and self._done.wait(self._patience):
            return
        draw = _drawer(self._stream, self._has_records)
        try:
            while True:
                line = draw(self._title, self._reader.progress)
                with self._terminal:
                    self._stream.write(f"\r{line}\x1b[K")
                    self._stream.flush()
                    self._drawn = True
                if self._done.wait(_EVERY):
                    break
            with self._terminal:
                self._erase()
        except OSError:
            # The terminal is gone, but the command still runs.
            return

    def _erase(self) -> None:
        if self._drawn:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._drawn = False


class Lifted:
    """The terminal, without the bar on it."""

    def __init__(self, terminal: threading.Lock, erase: Callable[[], None]) -> None:
        """Do nothing yet."""
        self._terminal = terminal
        self._erase = erase

    def __enter__(self) -> None:
        """Erase the bar, and keep it from being drawn."""
        self._terminal.acquire()
        self._erase()

    def __exit__(self, *_: object) -> None:
        """Let it be drawn again."""
        self._terminal.release()


def _drawer(stream: TextIO, has_records: bool) -> Callable[[str, Progress], str]:
    """Return a function that makes a line from a name and the progress."""
    try:
        from rich.console import Console  # noqa: PLC0415 - slow, and may not be installed
    except ImportError:
        return lambda title, now: _plain_line(title, now, _width(stream), has_records)
    from rich.progress_bar import ProgressBar  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    console = Console(file=stream, force_terminal=True)

    def draw(title: str, now: Progress) -> str:
        name = Text(title, style="bold")
        # Leave one column free, so that no terminal begins a new line.
        width = console.width - 1
        words = figures(now, has_records)
        while True:
            numbers = Text("  ".join(words), style="dim")
            if words and words[0].endswith("%"):
                numbers.stylize("not dim cyan", 0, len(words[0]))
            room = width - name.cell_len - numbers.cell_len - 4
            if room >= _LEAST_BAR or not words:
                break
            words.pop()
        bar = ProgressBar(
            total=now.bytes_total or None,
            completed=now.bytes_read,
            width=max(1, min(room, _LONGEST_BAR)),
            pulse=not now.bytes_total,
        )
        line = Table.grid(padding=(0, 2, 0, 0))
        line.add_row(name, bar, numbers)
        with console.capture() as capture:
            console.print(line, no_wrap=True, overflow="crop", crop=True)
        return capture.get().rstrip("\n")

    return draw


def _plain_line(title: str, now: Progress, width: int, has_records: bool = True) -> str:
    """The line without rich: a name and as many numbers as fit."""
    line = title[: width - 1]
    for words in figures(now, has_records):
        longer = f"{line}  {words}"
        # A letter that is not ASCII may be two columns wide.
        if len(longer) + sum(not letter.isascii() for letter in longer) >= width:
            break
        line = longer
    return line


def figures(now: Progress, has_records: bool = True) -> list[str]:
    """Return the parts of the progress, the most important first."""
    words = []
    seconds = max(now.elapsed, 1e-9)
    if now.bytes_total:
        words.append(f"{min(100, now.bytes_read * 100 // now.bytes_total):3} %")
    if has_records:
        words.append(f"{now.records:,} record{'' if now.records == 1 else 's'}")
    words.append(f"{now.bytes_read / seconds / 1e6:,.0f} MB/s")
    if now.bytes_total and now.bytes_read:
        left = round(seconds * (now.bytes_total - now.bytes_read) / now.bytes_read)
        words.append(f"{_clock(max(0, left))} left")
    else:
        words.append(_clock(round(now.elapsed)))
    if has_records:
        words.append(f"{now.records / seconds:,.0f} records/s")
    return words


def _clock(seconds: int) -> str:
    """`0:07`, `1:02:03`."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _width(stream: TextIO) -> int:
    """The columns of a terminal."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80
