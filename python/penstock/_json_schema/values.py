"""Values of Python in a schema: bounds, defaults, examples."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from penstock._base.errors import EncodeError, PlanError
from penstock._json_schema.tree import children
from penstock._verbs.values import plain

if TYPE_CHECKING:
    from penstock._json_schema.tree import Field, Schema, Tree

# Kinds whose values are written in one way, whatever stands beside the type.
_ONE_FORM = frozenset(
    {
        "any",
        "base64",
        "bool",
        "choice",
        "decimal",
        "dict",
        "duration",
        "float",
        "int",
        "list",
        "none",
        "set",
        "str",
        "tokens",
        "tuple",
        "uuid",
    }
)
_MOMENTS = frozenset({"date", "datetime", "time"})


class Untold(ValueError):
    """A value that no schema can have."""


def number(value: Any) -> int | float:
    """Return a number as JSON has it.

    Raises:
        Untold: It is no number, or a float would round it.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float | Decimal | Fraction) and math.isfinite(value):
        if not isinstance(value, float) and value == int(value):
            return int(value)
        # Digits of a `Decimal` that a float has as well are those that it prints.
        rounded = float(value)
        if isinstance(value, float) or Decimal(repr(rounded)) == value:
            return rounded
    raise Untold(f"{value!r} is no number of JSON")


def told(value: Any) -> Any:
    """Return a value as JSON has it.

    Raises:
        Untold: JSON does not have it.
    """
    try:
        return _of_plain(plain(value))
    except (EncodeError, PlanError) as error:
        raise Untold(str(error)) from error


def _of_plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _of_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_of_plain(item) for item in value]
    return value if isinstance(value, bool | str | None) else number(value)


def default(tree: Tree, field: Field) -> Schema:
    """Return the `default` of a field, if it has one that JSON has, too."""
    node = tree["nodes"][field["node"]]
    if "factory" in field:
        # Other functions may make something else each time.
        empty: Any = {} if node["kind"] == "dict" else []
        made = field["factory"]
        is_empty = made in _CONTAINERS and node["kind"] in {"list", "set", "dict", "any"}
        if is_empty and node["kind"] == "any":
            empty = {} if made is dict else []
        return {"default": empty} if is_empty else {}
    if "default" not in field or type(field["default"]).__name__ == "UnsetType":
        return {}
    value = field["default"]
    fits = value is not None or node["nullable"] or node["kind"] in {"any", "none", "choice"}
    if not fits:
        return {}
    try:
        made = told(value)
    except Untold:
        return {}
    is_sure = made in (None, [], {}) or _has_one_form(tree, field["node"])
    return {"default": made} if is_sure else {}


_CONTAINERS = (list, dict, set, frozenset, tuple)


def _has_one_form(tree: Tree, number: int) -> bool:
    """Return whether values of a node are written as their own classes are, without options."""
    waiting, seen = [number], set[int]()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        node = tree["nodes"][number]
        is_standard = node["kind"] in _MOMENTS and node.get("standard", True)
        calls = any(what == "call" for what, _ in node.get("steps", ()))
        if calls or node.get("counted") or not (is_standard or node["kind"] in _ONE_FORM):
            return False
        waiting += children(node)
    return True
