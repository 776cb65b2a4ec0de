"""Converts data in memory, and finds the documents of the corpora."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import penstock


def converted(data: str | bytes, format: Any, to: Any, **options: Any) -> str:
    target = io.BytesIO()
    source = io.BytesIO(data.encode() if isinstance(data, str) else data)
    penstock.convert(source, target, format=format, to=to, **options)
    return target.getvalue().decode()


def documents(corpus: Callable[[str], Path], suites: list[str], most: int = 8 << 20) -> list[Path]:
    paths = [path for suite in suites for path in sorted(corpus(suite).rglob("*"))]
    return [path for path in paths if path.is_file() and path.stat().st_size <= most]


def outcome(call: Callable[[io.BytesIO], Any]) -> tuple[Any, ...]:
    """What becomes of the target, or the error."""
    target = io.BytesIO()
    try:
        numbers = call(target)
    except ExceptionGroup as group:
        return ("group", target.getvalue(), [str(error) for error in group.exceptions])
    except penstock.PenstockError as error:
        # A conversion also says where in the source the record is that cannot be written.
        details = {name: value for name, value in error.__dict__.items() if name != "__notes__"}
        return (type(error).__name__, str(error), details)
    return (target.getvalue(), numbers)


def in_chunks(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def by_hand(
    data: bytes, into: Any, format: Any, to: Any, errors: Any, size: int
) -> Callable[[io.BytesIO], Any]:
    """The loop that a conversion stands for."""

    def call(target: io.BytesIO) -> Any:
        collected = None
        with penstock.write(target, into, format=to) as writer:
            reader = penstock.read(in_chunks(data, size), into, format=format, errors=errors)
            try:
                for record in reader:
                    writer.write(record)
            except ExceptionGroup as group:
                # A document that is not well-formed cannot be read on, and the target is not whole.
                if format == "json" and not isinstance(
                    group.exceptions[-1], penstock.ValidationError
                ):
                    raise
                collected = group
        if collected is not None:
            raise collected
        return writer.progress.records, reader.skipped, len(data), len(target.getvalue())

    return call


def by_convert(
    data: bytes, into: Any, format: Any, to: Any, errors: Any, size: int, objects: bool
) -> Callable[[io.BytesIO], Any]:
    def call(target: io.BytesIO) -> Any:
        done = penstock.convert(
            in_chunks(data, size),
            target,
            into=into,
            objects=objects,
            format=format,
            to=to,
            errors=errors,
        )
        return done.records, done.skipped, done.bytes_read, done.bytes_written

    return call


def agree(data: bytes, into: Any, format: Any, to: Any, size: int, *, objects: bool) -> None:
    ways: list[Any] = ["raise", "skip", "collect"]
    for errors in ways:
        wanted = outcome(by_hand(data, into, format, to, errors, size))
        assert outcome(by_convert(data, into, format, to, errors, size, objects)) == wanted
    letters: list[list[str]] = []
    outcomes = []
    for by, more in ((by_hand, ()), (by_convert, (objects,))):
        told: list[str] = []
        errors = lambda error, told=told: told.append(str(error))  # noqa: E731
        outcomes.append(outcome(by(data, into, format, to, errors, size, *more)))
        letters.append(told)
    assert letters[0] == letters[1]
    assert outcomes[0] == outcomes[1]
