"""Writes all output of the commands; no other module writes.

It decides once whether there is a terminal, whether to use colour, and whether to show progress. It
writes bytes of UTF-8 to standard output, whatever the locale is.
"""

from __future__ import annotations

import os

from penstock._base.errors import _printable
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any, Protocol, TextIO

    from penstock import DecodeError, Reader
    from penstock._base.types import Format, TableFormat
    from penstock._rust import Conversion, Recompression

    class Output(Protocol):
        """What takes the data of a command, in pieces."""

        @property
        def write(self) -> Callable[[bytes], None]:
            """Take a piece."""

        def end(self) -> None:
            """Take that it was the last one."""


# Colours of a terminal (ECMA-48, "select graphic rendition").
_BOLD = "1"
_DIM = "2"
_RED = "1;31"
_GREEN = "32"
_YELLOW = "33"
_BLUE = "34"


class Printer:
    """Writes data to standard output, and everything else to standard error."""

    def __init__(
        self, arguments: argparse.Namespace, stdout: TextIO | None, stderr: TextIO | None
    ) -> None:
        """Check the streams, which are None if the process was started without them."""
        self._command = f"penstock {arguments.command}"
        self._out = None if stdout is None else stdout.buffer
        self._err = stderr
        self._out_is_terminal = stdout is not None and stdout.isatty()
        err_is_terminal = stderr is not None and stderr.isatty()
        colour = getattr(arguments, "color", "auto")
        self._out_colour = _colour(self._out_is_terminal, colour)
        self._err_colour = _colour(err_is_terminal, colour)
        # Programs that read a pipe want no colours in JSON, whatever the environment says.
        self._paints = self._out_colour and (self._out_is_terminal or colour == "always")
        self._quiet: bool = getattr(arguments, "quiet", True)
        self._timing: bool = getattr(arguments, "timing", False)
        self._progress: str = getattr(arguments, "progress", "never")
        hidden = self._quiet or not err_is_terminal or _is_dumb() or _is_ci()
        if self._progress == "auto" and hidden:
            self._progress = "never"
        # The drawing that must make room on the terminal for data.
        self._bar: AbstractContextManager[object] = _NO_BAR
        # Whether the terminal's last line has no end, as that of a JSON document.
        self._is_open = False

    @property
    def colour(self) -> bool:
        """Whether data is written in colour."""
        return self._out_colour

    def status(self, text: str) -> None:
        """Show a status on a terminal, in place of the last one; "" ends it."""
        if self._quiet or self._err is None or not self._err.isatty() or _is_dumb() or _is_ci():
            return
        # ECMA-48, "erase in line": removes the rest of a longer text.
        self._err.write(f"\r{text}\x1b[K")
        self._err.flush()

    def data(self, text: str) -> None:
        """Write lines of data. Anything that is not text becomes escapes."""
        self.bytes(text.encode("utf-8", "backslashreplace") + b"\n")

    def text(self, text: str) -> None:
        """Write a text as it is; on a terminal, without characters that could drive it."""
        if self._out_is_terminal:
            text = "".join(c if c in "\n\t" else _printable(c) for c in text)
        self.data(text)

    def json(self, text: str) -> None:
        """Write a value as a line of JSON."""
        if self._paints:
            from penstock.cli.json_colours import painted  # noqa: PLC0415 - for terminals only

            text = painted(text)
        self.data(text)

    def output(self, format: Format | TableFormat) -> Output:
        """Return what writes data of a format, in colour if that is on."""
        if not self._paints or format not in {"json", "ndjson"}:
            return _Unchanged(self)
        from penstock.cli.json_colours import Painter  # noqa: PLC0415 - as above

        return Painter(self.bytes)

    def bytes(self, data: bytes) -> None:
        """Write data unchanged."""
        if self._out is None:
            raise CommandError("standard output is closed")
        try:
            if not self._out_is_terminal:
                self._out.write(data)
                return
            # The bar is in the way, and a person waits for each line.
            with self._bar:
                self._out.write(data)
                self._out.flush()
                self._is_open = not data.endswith(b"\n")
        except OSError as error:
            _lost(error)

    def flush(self) -> None:
        """Write the buffer, and on a terminal the end of the last line."""
        try:
            if self._out is not None:
                if self._is_open:
                    self._out.write(b"\n")
                    self._is_open = False
                self._out.flush()
        except OSError as error:
            _lost(error)

    def problems(self, error: DecodeError, *, gap: bool) -> None:
        """Write a problem of a record as data."""
        self.data(("\n" if gap else "") + report(error, colour=self._out_colour))

    def notes(self, error: DecodeError) -> None:
        """Write the notes of an error."""
        for note in _notes(error):
            self._say(note)

    def plan(self, text: str) -> None:
        """Write how a class is read."""
        self.data(_coloured_plan(text) if self._out_colour else text)

    def summary(self, text: str) -> None:
        """Write the last line."""
        if not self._quiet:
            self._say(_printable(text))

    def timing(self, reader: Reader[Any]) -> None:
        """Say where the time went, if `--timing` asks for it."""
        if self._timing:
            spent, elapsed = reader.timing, reader.progress.elapsed
            self._say(
                f"source {spent.source:.3f} s, scan {spent.scan:.3f} s, build {spent.build:.3f} s; "
                f"{elapsed:.3f} s in all"
            )

    def complain(self, message: str) -> None:
        """Say why the command could not be run."""
        first, *hints = message.split("\n")
        command = _paint(f"{self._command}:", _RED, self._err_colour)
        self._say("\n".join([f"{command} {_printable(first)}", *map(_printable, hints)]))

    def fail(self, error: DecodeError) -> None:
        """Report a problem of the data."""
        self._say("\n".join([report(error, colour=self._err_colour), *_notes(error)]))

    def crash(self, error: Exception) -> None:
        """Report an exception of the user's own code, with its line."""
        import traceback  # noqa: PLC0415 - only for this

        here = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - importing pathlib is slow
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename.startswith(here):
            trace = trace.tb_next
        lines = traceback.format_exception(error.with_traceback(trace or error.__traceback__))
        # The message may quote the input.
        text = "".join(lines).rstrip("\n")
        self._say("\n".join(map(_printable, text.split("\n"))))

    def watching(
        self, reader: Reader[Any] | Conversion | Recompression, title: str
    ) -> AbstractContextManager[object]:
        """Return a context in which progress is shown, if it is on."""
        if self._progress == "never" or self._err is None:
            return _NO_BAR
        from penstock.cli.bar import Bar  # noqa: PLC0415 - most commands draw nothing

        bar = Bar(reader, _printable(title), self._err, always=self._progress == "always")
        self._bar = bar.lifted()
        return bar

    def _say(self, text: str) -> None:
        """Write a line to standard error, after everything for standard output."""
        self.flush()
        if self._err is not None:
            self._err.write(f"{text}\n")
            self._err.flush()


class _Unchanged:
    """Writes data as it is."""

    def __init__(self, printer: Printer) -> None:
        self.write = printer.bytes

    def end(self) -> None:
        pass


class _NoBar:
    """Nothing is drawn."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


_NO_BAR = _NoBar()


def report(error: DecodeError, *, colour: bool) -> str:
    """Return an error's `report()`, in colour or without."""
    text = error.report()
    if not colour:
        return text
    blocks = text.split("\n\n")
    for index, (block, problem) in enumerate(zip(blocks, error.problems, strict=False)):
        message, *excerpt = block.split("\n")
        # Colour the problem in the message, because the reader looks for it.
        reason = _printable(problem.reason)
        before, _, behind = message.partition(reason)
        lines = [_paint(before, _BOLD) + _paint(reason, _RED) + _paint(behind, _DIM)]
        for number, line in enumerate(excerpt):
            margin, bar, rest = line.partition("|")
            rest = _paint(rest, _RED) if number == 2 else rest
            lines.append(_paint(margin + bar, _BLUE) + rest)
        blocks[index] = "\n".join(lines)
    return "\n\n".join(blocks)


def _notes(error: DecodeError) -> list[str]:
    return [_printable(note) for note in getattr(error, "__notes__", ())]


def _coloured_plan(text: str) -> str:
    """Colours a plan: the class's name, and whether it is filled fast."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        name, comma, way = line.partition(", ")
        if line.startswith(" ") or not comma:
            continue
        lines[index] = (
            _paint(name, _BOLD) + comma + _paint(way, _GREEN if way.startswith("fast") else _YELLOW)
        )
    return "\n".join(lines)


def _paint(text: str, colour: str, on: bool = True) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if on and text else text


def _colour(is_terminal: bool, when: str) -> bool:
    """Whether to write in colour: as no-color.org and force-color.org say, or on terminals."""
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal and not _is_dumb()


def _is_dumb() -> bool:
    return os.environ.get("TERM", "") in {"", "dumb"}


def _is_ci() -> bool:
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


def _lost(error: OSError) -> None:
    """Report that standard output cannot be written, unless its reader has just gone away."""
    if isinstance(error, BrokenPipeError):
        raise error
    reason = error.strerror or str(error)
    raise CommandError(f"standard output: {reason}", output_is_lost=True) from error
