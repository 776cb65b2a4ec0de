"""Columns and objects side by side: what a row of columns is, as the values of an object."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import pyarrow as pa

import penstock


class Chunks:
    """A binary file that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        """Keep the data."""
        self._file = io.BytesIO(data)
        self._size = size

    def read(self, size: int = -1) -> bytes:
        """Return no more than the size."""
        return self._file.read(min(self._size, size) if size >= 0 else self._size)


def table(columns: Any) -> pa.Table:
    """Return all batches as one table, each checked by pyarrow."""
    made = pa.table(columns)
    made.validate(full=True)
    return made


def rows(columns: Any) -> list[dict[str, Any]]:
    """Return the rows as dicts of Python values."""
    return table(columns).to_pylist(maps_as_pydicts="strict")


def plain(value: Any) -> Any:
    """Return the value that stands in columns for a value of an object."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    if isinstance(value, (set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    return value


def outcome(read: Any) -> tuple[Any, ...]:
    """Return the values, or the error with all that it says."""
    try:
        return ("values", read())
    except ExceptionGroup as group:
        return ("group", [_said(error) for error in group.exceptions])
    except (penstock.PenstockError, ValueError) as error:
        return ("error", _said(error))


def _said(error: BaseException) -> tuple[Any, ...]:
    parts = ("line", "column", "offset", "record", "path", "expected", "got", "code")
    return (type(error), str(error), *(getattr(error, part, None) for part in parts))


def batches(columns: Any) -> Iterator[dict[str, Any]]:
    """Give the rows batch by batch, with the exceptions of the library itself."""
    for batch in columns:
        yield from pa.record_batch(batch).to_pylist(maps_as_pydicts="strict")
