"""Finds the files that the words of a command mean: files, folders, patterns, standard input."""

from __future__ import annotations

import os
import stat
import sys

from penstock._io import files as _files
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock._io.remote.source import Remote


def named(arguments: argparse.Namespace) -> list[str]:
    """Return the names of the files in their order; `-` is standard input.

    A folder means the files in it whose names say a format that Penstock reads, in the order of
    their names. A name with `*`, `?` or `[` that is no file is a pattern, also of folders (`**`).
    Without names, data that is piped in is read.

    Raises:
        CommandError: There is nothing to read.
    """
    if not arguments.files:
        if _is_piped():
            return ["-"]
        raise CommandError(
            "name a FILE, or pipe data into the command\n"
            f"Try 'penstock {arguments.command} --help'."
        )
    found: list[str] = []
    for name in arguments.files:
        if os.path.isdir(name):  # noqa: PTH112 - importing pathlib is slow
            found += _folder(name)
        elif name == "-" or os.path.lexists(name) or is_address(name):
            found.append(name)
        elif any(character in name for character in "*?["):
            found += _pattern(name)
        else:
            # Opening it says what is wrong.
            found.append(name)
    return found


def is_address(name: str) -> bool:
    """Whether a word is the address of a file, and not the name of one."""
    return bool(_sources.scheme(name)) and not os.path.lexists(name)


def remote(address: str) -> Remote:
    """Return the file behind an address.

    Raises:
        CommandError: It is none, or a package for such addresses is missing.
    """
    from penstock._io.remote.make import remote as at  # noqa: PLC0415 - few commands ask a server

    if _sources.scheme(address) == "file":
        raise CommandError(f"{address}: name the file by its path, {_sources.path_of(address)}")
    try:
        found = at(address)
        found.check()
    except (ValueError, ImportError) as error:
        raise CommandError(f"{address}: {error}") from error
    return found


def _folder(folder: str) -> list[str]:
    """The files in a folder that can be read, but not those in its folders."""
    found = _files.within(folder, None)
    if not found:
        formats = _formats.listed(_formats.TITLES, "or")
        raise CommandError(f"{folder}: the folder holds no file whose name ends as {formats} does")
    return found


def _pattern(pattern: str) -> list[str]:
    found = _files.matching(pattern)
    if not found and any(character in pattern for character in "*?"):
        raise CommandError(f"{pattern}: no file matches")
    # A name with a bracket may as well be that of a file; opening it says what is wrong.
    return found or [pattern]


def _is_piped() -> bool:
    """Whether standard input is a pipe, a socket or a file, and not a terminal or nothing."""
    if sys.stdin is None:
        return False
    mode = os.fstat(0).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode)
