"""`penstock cut --raw`: values as text, a record in each line."""

from __future__ import annotations

from penstock import json
from penstock.cli import CommandError, plain

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from penstock.cli.printer import Printer


class Lines:
    """Takes records as NDJSON in pieces, and prints their values."""

    def __init__(self, printer: Printer, name: str, columns: Sequence[str] | None) -> None:
        """Begin; `columns` are the keys of the values, if a record need not have all of them."""
        self._printer = printer
        self._name = name
        self._columns = columns
        self._type = plain.exact("json")
        self._rest = b""

    def write(self, data: bytes) -> None:
        """Print the records whose ends are there."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            record: dict[str, Any] = json.decode(line, self._type)
            columns = record if self._columns is None else self._columns
            texts = [_text(record.get(column)) for column in columns]
            if len(texts) > 1:
                self._check(texts)
            self._printer.text("\t".join(texts))

    def end(self) -> None:
        """Do nothing: a record of NDJSON ends with a line feed."""

    def _check(self, texts: list[str]) -> None:
        """Refuse a text that would look like several values or records.

        Raises:
            CommandError: There is one.
        """
        for text in texts:
            if any(character in text for character in "\t\n\r"):
                shown = text if len(text) <= 40 else f"{text[:40]}\u2026"
                raise CommandError(
                    f"{self._name}: {shown!r} holds a tab or a line end, and --raw separates "
                    "values by them: leave out --raw, or cut one column"
                )


def _text(value: Any) -> str:
    """A text as it is, nothing for null, and any other value as JSON."""
    return value if isinstance(value, str) else "" if value is None else plain.text(value)
