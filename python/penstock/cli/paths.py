"""Says what may be wrong with a path that `--at` gives."""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    import argparse

    from penstock.cli.printer import Printer


def unmatched(
    arguments: argparse.Namespace, names: list[str], records: int, printer: Printer
) -> bool:
    """Say so if `--at` matched nothing in the files; return whether that is so."""
    if records or arguments.at is None:
        return False
    where = names[0] if len(names) == 1 else f"{len(names):,} files"
    meant = translated(arguments.at)
    if meant is not None:
        hint = f"did you mean --at {meant!r}?"
    else:
        hint = "'penstock outline' shows the paths of a file"
    printer.complain(f"{where}: nothing matches --at {arguments.at!r}; {hint}")
    return True


def translated(path: str) -> str | None:
    """Return a path of JSONPath, of jq or of ijson as `at` writes it; None for any other.

    Example:
        >>> translated("$.features[*]['my id']"), translated(".items[]"), translated("a.item.b")
        ('features/*/my id', 'items/*', 'a/*/b')
        >>> translated("features/*") is None
        True
    """
    is_theirs = path.startswith(("$", ".")) or "[" in path
    if not is_theirs and (re.search(r"(^|\.)item(\.|$)", path) is None or "/" in path):
        return None
    steps = path.removeprefix("$")
    steps = steps[1:] if steps.startswith(".[") else steps
    steps = re.sub(r"""\[(?:\*?|(\d+)|'([^']*)'|"([^"]*)")\]""", _step, steps)
    steps = steps.replace("..", "//").replace("./", "/").replace(".", "/")
    if not path.startswith(("$", ".")):
        steps = "/".join("*" if step == "item" else step for step in steps.split("/"))
    meant = steps if steps.startswith("//") else steps.strip("/")
    return meant or None


def _step(match: re.Match[str]) -> str:
    return f"/{next((group for group in match.groups() if group is not None), '*')}"


def explained(message: str, path: str | None) -> str:
    """Add to the message about a wrong path what to write instead, if that is known."""
    meant = None if path is None else translated(path)
    if meant is not None and message.startswith("at="):
        return f"{message}; did you mean --at {meant!r}?"
    unknown = re.search(r"the prefix '(.+)' is not among the namespaces$", message)
    if unknown is None:
        return message
    prefix = unknown[1]
    return f"{message}: say --namespace {prefix}=URI, or write '*:' for '{prefix}:'"
