"""Writes records that Python has, in any format: those of `cut` by paths, and flat ones."""

from __future__ import annotations

import penstock._rust as _rust
from penstock._base.errors import EncodeError
from penstock._io import targets as _targets
from penstock._verbs import convert as _convert
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping
    from typing import Any

    from penstock._base.types import Format
    from penstock.cli.printer import Output
    from penstock.cli.source import Source


def encoder(
    arguments: argparse.Namespace,
    names: Iterable[str],
    to: Format,
    writes: Mapping[str, object],
) -> _rust.Encoder:
    """Return what writes records with these keys to the target of a command.

    Raises:
        TypeError: The format has no such option.
        ValueError: An option is not valid.
    """
    from typing import NotRequired, TypedDict  # noqa: PLC0415 - slow, and only for this

    record = TypedDict("record", dict.fromkeys(names, NotRequired[object]))  # type: ignore[misc]  # the keys are not known before
    _, style = _convert.sides("json", to, "plain", {}, writes, None, (None, arguments.target))
    return _rust.Encoder(record, style, None)


def write(
    arguments: argparse.Namespace,
    source: Source,
    rows: Iterable[Mapping[str, Any]],
    encoder: _rust.Encoder,
    output: Output,
) -> None:
    """Write records to the target of a command.

    Raises:
        CommandError: A record cannot be written, or the target cannot.
    """
    target = output.write if arguments.target == "-" else arguments.target
    try:
        with _rust.Writer(encoder, None, _targets.open_target, arguments.command, target) as writer:
            writer.write_all(rows)
    except EncodeError as error:
        raise CommandError(f"{source.name}: {error}") from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from error
    output.end()
