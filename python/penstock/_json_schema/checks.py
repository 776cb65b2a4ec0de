"""Constraints as keywords of a schema, where a keyword says the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock._annotations import constraints as _constraints
from penstock._json_schema.values import Untold, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock._json_schema.tree import Mode, Node, Schema, Step, Tree

_BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}
_NUMBERS = frozenset({"int", "float", "decimal"})
_COLLECTIONS = frozenset({"list", "set", "tuple", "dict"})
# What a regular expression of Python has and those of JSON Schema do not have, or mean otherwise.
_ONLY_PYTHON = re.compile(
    r"\(\?(?!:|=|!|<=|<!)|[*+?}]\+|\{,|\[\^?\]|\\[^^$\\.*+?()\[\]{}|/\-dDwWsSbBtnrfvxu0-9]"
)
# The letters of `array.array` for integers, with the bits that each has on this machine.
_CODES = "bBhHiIlLqQ"


def add(schema: Schema, tree: Tree, node: Node, steps: Iterable[Step], mode: Mode) -> None:
    """Add the keywords of the checks among the steps of a node.

    A check behind a function of the user's is one of its result, of which a document says nothing.
    """
    for what, argument in steps:
        if what == "call" or (what == "convert" and node["kind"] not in _COLLECTIONS):
            return
        for keyword, value in _keywords(tree, node, what, argument, mode):
            _put(schema, keyword, value)


def of_code(code: str) -> Schema:
    """Return the bounds of the integers that an array of a typecode can hold."""
    if code not in _CODES:
        return {}
    import struct  # noqa: PLC0415 - few types have one

    bits = 8 * struct.calcsize(code)
    if code.isupper():
        return {"minimum": 0, "maximum": 2**bits - 1}
    return {"minimum": -(2 ** (bits - 1)), "maximum": 2 ** (bits - 1) - 1}


def of_pydantic(info: Any, config: dict[str, Any], mode: Mode) -> list[Step]:
    """Return the checks of a field of a pydantic model, which the model makes itself.

    They end at the first word that is no constraint: it may change the value. The value that is
    written is the changed one, so then none of them says anything of it.
    """
    steps: list[Step] = []
    changes_text = any(
        config.get(f"str_{name}") for name in ("strip_whitespace", "to_lower", "to_upper")
    )
    for word in info.metadata:
        try:
            said = _constraints.said(word)
        except TypeError:
            return [] if mode == "encode" else steps
        for what, argument, _ in said:
            if what == "call":
                changes_text = True
            elif what != "multiple_of" or isinstance(argument, int):
                # Of a multiple of a float, pydantic allows a small difference.
                steps.append(("holds" if what == "pattern" else what, argument))
    if changes_text:
        steps = [step for step in steps if step[0] in _BOUNDS]
    return steps


def _keywords(
    tree: Tree, node: Node, what: str, argument: Any, mode: Mode
) -> Iterable[tuple[str, Any]]:
    kind = node["kind"]
    if what in _BOUNDS or what == "multiple_of" or isinstance(argument, _constraints.Multiple):
        if not _is_numeric(tree, node):
            return
        of = argument.of if isinstance(argument, _constraints.Multiple) else argument
        try:
            value = number(of)
        except Untold:
            return
        if what in _BOUNDS:
            yield _BOUNDS[what], value
        else:
            yield "multipleOf", abs(value)
    elif what in {"min_length", "max_length"}:
        # Several items or keys of a document may become one.
        joins = kind == "set" or (kind == "dict" and tree["nodes"][node["key"]]["kind"] != "str")
        if what == "max_length" and joins and mode == "decode":
            return
        noun = "Length" if kind == "str" else "Properties" if kind == "dict" else "Items"
        if kind == "str" or kind in _COLLECTIONS:
            yield what.removesuffix("_length") + noun, argument
    elif what == "holds" and kind == "str":
        regex = getattr(argument, "__self__", None)
        if isinstance(regex, re.Pattern) and getattr(argument, "__name__", "") == "search":
            is_plain = regex.flags == re.compile("").flags
            if is_plain and not _ONLY_PYTHON.search(regex.pattern):
                yield "pattern", regex.pattern


def _is_numeric(tree: Tree, node: Node) -> bool:
    if node["kind"] == "tokens":
        return all(_is_numeric(tree, tree["nodes"][member]) for member in node["members"])
    return node["kind"] in _NUMBERS and not any(
        what in {"call", "convert"} for what, _ in node.get("steps", ())
    )


def _put(schema: Schema, keyword: str, value: Any) -> None:
    """Add a keyword. Of two bounds the closer one holds; two others hold both."""
    known = schema.get(keyword)
    if known is None or known == value:
        schema[keyword] = value
    elif keyword in {"pattern", "multipleOf"}:
        schema.setdefault("allOf", []).append({keyword: value})
    else:
        closer = max if keyword.lower().startswith(("min", "exclusivemin")) else min
        schema[keyword] = closer(known, value)
