"""Lays out expressions as ruff formats them."""

from __future__ import annotations

from dataclasses import dataclass

WIDTH = 88
"""The longest line, as ruff has it by default."""


@dataclass(frozen=True, slots=True)
class Atom:
    """What cannot be split."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """What is in brackets: split, each part has a line."""

    head: str
    parts: tuple[Part, ...]
    tail: str


@dataclass(frozen=True, slots=True)
class Either:
    """Parts between `|`."""

    parts: tuple[Part, ...]


Part = Atom | Call | Either


def flat(part: Part) -> str:
    """Return it on one line."""
    match part:
        case Atom(text):
            return text
        case Call(head, parts, tail):
            return f"{head}{', '.join(map(flat, parts))}{tail}"
        case Either(parts):
            return " | ".join(map(flat, parts))


def lines(before: str, part: Part, behind: str, indent: int, *, is_bare: bool = True) -> list[str]:
    """Return it on as many lines as it needs, between two texts.

    `is_bare` is whether it is in no brackets yet.
    """
    space = " " * indent
    one = f"{space}{before}{flat(part)}{behind}"
    if len(one) <= WIDTH or isinstance(part, Atom):
        return [one]
    if isinstance(part, Call):
        made = [f"{space}{before}{part.head}"]
        # A comma behind one part of a subscript would make a tuple of it.
        comma = "" if len(part.parts) == 1 and part.tail == "]" else ","
        for inside in part.parts:
            made += lines("", inside, comma, indent + 4, is_bare=False)
        return [*made, f"{space}{part.tail}{behind}"]
    more = 4 if is_bare else 0
    made = [f"{space}{before}("] if is_bare else []
    first, *others = part.parts
    made += lines("" if is_bare else before, first, "", indent + more, is_bare=False)
    for other in others:
        made += lines("| ", other, "", indent + more, is_bare=False)
    if is_bare:
        return [*made, f"{space}){behind}"]
    made[-1] += behind
    return made


def string(text: str) -> str:
    """Return a string as Python and ruff write it."""
    written = repr(text)
    if written[0] == '"' or '"' in text:
        return written
    return f'"{written[1:-1]}"'
