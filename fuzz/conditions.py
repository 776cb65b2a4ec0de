"""Conditions as text, at random and damaged: each is refused with its place, or means what it says.

A run makes a condition, its text, and damaged texts. The text of a condition is that condition. A
text that is damaged is a `ValueError` or a condition, whose text is that condition again; nothing
else is raised, and nothing is evaluated. The same seed and number of runs is the same test.

    python fuzz/conditions.py [--runs N] [--seed S] [--seconds T | --only RUN]
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

from campaign import campaign

import penstock
from penstock import Condition, field
from penstock._base import conditions

# Python's parser says so of texts such as `1is a`.
warnings.simplefilter("ignore", SyntaxWarning)

PATHS = ["a", "b", "a/b", "@id", "text()", "x y", "class", "1", "a/*", "é"]
VALUES: list[Any] = [0, 1, -7, 2**70, 0.5, float("inf"), True, "", "a", "ä\n'\"\\", "\u2028"]
PATTERNS = ["", "^a", "(a|b)+$", r"\d{2,3}", "[^x]", "(?i)Ä"]
PIECES = [
    *("(", ")", "[", "]", "==", "!=", "<", "<=", "=", " and ", " or ", "not ", " in "),
    *(" is None", "None", "True", "1e999", "-", "~", "&", "|", ",", ".", "'", '"', "\\"),
    *("\0", "\n", "#", "a", "*", "if", "lambda:", "f'{a}'", "\N{MATHEMATICAL BOLD SMALL A}"),
    *("field('a')", "any(a)", "all(b)", "exists(a)", "date('2026-01-01')", "Decimal('x')"),
    *("__import__('os')", "a.startswith('x')", "a.matches('(')", "\ud800"),
]
RECORDS = b'{"a":1,"b":"a"}\n{"a":"ab","class":null}\n{}\n{"a":{"b":true},"1":[1,2]}\n'


def made(random: Random, depth: int = 0) -> Condition:
    """A condition."""
    if depth < 3 and random.random() < 0.4:
        one = made(random, depth + 1)
        match random.randrange(3):
            case 0:
                return ~one
            case 1:
                return one & made(random, depth + 1)
        return one | made(random, depth + 1)
    of: Any = field(random.choice(PATHS))
    of = random.choice([of, of, of.any(), of.all()])
    value = random.choice(VALUES)
    tests = [
        *(of == value, of != value, of < value, of <= value, of > value, of >= value),
        *(of.isin(*random.sample(VALUES, random.randrange(4))), of.between(value, value)),
        *(of.startswith("a'"), of.endswith(""), of.contains("\\"), of.is_none(), of.exists()),
        of.matches(random.choice(PATTERNS)),
    ]
    chosen: Condition = random.choice(tests)
    return chosen


def damaged(random: Random, text: str) -> str:
    """The text with some of it cut out, repeated, exchanged, or with a piece in it."""
    for _ in range(random.randrange(1, 4)):
        at, to = sorted(random.randrange(len(text) + 1) for _ in range(2))
        match random.randrange(4):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:to] + text[at:]
            case _:
                text = text[:at] + random.choice(PIECES) + text[at:]
    return text


def run(seed: str) -> None:
    """Make a condition, and damage its text."""
    random = Random(seed)
    condition = made(random)
    text = str(condition)
    assert conditions.condition(text) == condition, text
    for _ in range(20):
        other = damaged(random, text)
        refused, found = refusal(lambda text=other: conditions.condition(text))
        if refused is not None:
            assert refused.startswith("where: "), (other, refused)
            continue
        assert conditions.condition(str(found)) == found, other
        # What can be read is answered, or refused for its path or its pattern.
        refused, _ = refusal(lambda where=found: answered(where))
        assert refused is None or "where" in refused, (other, refused)


def answered(where: Condition) -> list[Any]:
    """The records that it wants."""
    return list(penstock.ndjson.read(io.BytesIO(RECORDS), where=where))


def refusal(call: Callable[[], Any]) -> tuple[str | None, Any]:
    """Why a call is refused, or what it returns."""
    try:
        return None, call()
    except ValueError as error:
        return str(error), None


if __name__ == "__main__":
    sys.exit(campaign("conditions", __doc__.partition("\n")[0], run))
