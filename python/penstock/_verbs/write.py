"""What the `dump` and `write` functions share: an encoder, and a target that they open."""

from __future__ import annotations

import os

import penstock._rust as _rust
from penstock._base.types import PLAIN
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock._io import targets as _targets
from penstock._verbs import encoder as _encoder

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from penstock._base.types import Format, Omit, Packing, Target, Torn, Types


def dump(
    encoder: _rust.Encoder,
    value: Any,
    target: Target,
    compression: Packing | None,
    level: int | None,
    sync: bool,
) -> None:
    """Write one value as a whole document."""
    with _targets.open_target(
        "dump", target, compression=compression, level=level, sync=sync
    ) as opened:
        _rust.dump(encoder, value, opened)


def write(
    verb: str,
    encoder: _rust.Encoder,
    at: str | None,
    target: Target,
    compression: Packing | None,
    level: int | None,
    sync: bool,
    append: bool = False,
    torn: Torn = "error",
) -> _rust.Writer[Any]:
    """Make a writer of records. The target is opened last, when no option can be wrong."""
    return _rust.Writer(
        encoder,
        at,
        _targets.open_target,
        verb,
        target,
        compression=compression,
        level=level,
        append=append,
        torn=torn,
        sync=sync,
    )


def encoder(
    verb: str,
    format: Format,
    into: Any,
    omit: Omit | None,
    types: Types | None,
    default: Callable[[Any], Any] | None,
    target: object = None,
    append: bool = False,
    torn: Torn = "error",
) -> _rust.Encoder:
    """Make the encoder of any format, without an option of the format's own.

    For a verb that writes a whole document, the type of a list becomes that of its records.
    """
    if format == "csv":
        from penstock._verbs import csv_encoder as _csv_encoder  # noqa: PLC0415 - few programs write rows

        return _csv_encoder.plain(verb, into, omit, types, default, target, append, torn)
    if verb != "write" and into is not None:
        into = _formats.record_type(verb, format, into)
    options = {"form": _formats.form_for(target)} if format == "plist" else {}
    style = _rust.Style(format, options)
    return _rust.Encoder(_encoder.planned(into, types), style, omit, default)


def declared(into: Any) -> Any:
    """Return the type that the caller named; None if each record is written by its own class."""
    return None if into is PLAIN else into


def format_of(target: object, format: Format | None) -> Format:
    """Return the format that the caller names, or that of the suffix of a path.

    Raises:
        ValueError: Neither says.
    """
    if format is not None:
        return _formats.checked(format)
    name = None
    if isinstance(target, (str, os.PathLike)):
        name = _sources.printable(os.fsdecode(target))
    found = None if name is None else _formats.of_name(name)
    if found is None:
        raise _formats.unknown(name)
    return found


def no_lines(format: Format, append: bool, torn: Torn) -> None:
    """Refuse what only a format of lines can do.

    Raises:
        ValueError: The format is not one.
    """
    if not _formats.is_stream(format) and (append is not False or torn != "error"):
        raise ValueError("append= and torn= are for NDJSON and CSV, whose records are lines")


def iterate(verb: str, records: Any) -> Iterator[Any]:
    """Iterate over records. A text or a dict can be iterated over too, but nobody means that.

    Raises:
        TypeError: It is none of these.
    """
    if isinstance(records, (str, bytes, bytearray, dict)) or not hasattr(records, "__iter__"):
        kind = type(records).__name__
        raise TypeError(f"{verb}() takes an iterable of records, not {kind}")
    return iter(records)
