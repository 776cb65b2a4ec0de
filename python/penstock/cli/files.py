"""Finds the files that the words of a command mean: files, folders, patterns, standard input."""

from __future__ import annotations

import os
import stat
import sys

from penstock._io import files as _files
from penstock._io import formats as _formats
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

# What writes the data of a URL, if it is not curl.
_CLIENTS = {"gs": "gcloud storage cat URL", "s3": "aws s3 cp URL -"}


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
        elif name == "-" or os.path.lexists(name):
            found.append(name)
        elif "://" in name:
            client = _CLIENTS.get(name.partition("://")[0], "curl -s URL")
            raise CommandError(
                f"{name}: URLs cannot be read yet: pipe the data in, as with "
                f"{client} | penstock {arguments.command} -"
            )
        elif any(character in name for character in "*?["):
            found += _pattern(name)
        else:
            # Opening it says what is wrong.
            found.append(name)
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
