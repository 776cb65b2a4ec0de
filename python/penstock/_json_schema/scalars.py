"""Schemas of types without parts, as values and as the keys of objects."""

from __future__ import annotations

import enum
import functools
import operator
from typing import TYPE_CHECKING, Any

from penstock._json_schema import checks
from penstock._json_schema.tree import either

if TYPE_CHECKING:
    from penstock._json_schema.tree import Mode, Node, Schema, Tree

_INTEGER = r"^(0|-?[1-9][0-9]*)$"
_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_FRACTION = r"^-?[0-9]+(/[0-9]+)?$"

_TEXT: Schema = {"type": "string"}
_SCALARS: dict[str, Schema] = {
    "any": {},
    "raw": {},
    "none": {"type": "null"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "str": _TEXT,
    "uuid": {"type": "string", "format": "uuid"},
    "duration": {"type": "string", "format": "duration"},
    "base64": {"type": "string", "contentEncoding": "base64"},
    "base64 unpadded": {"type": "string", "contentEncoding": "base64"},
    "base64 in lines": {"type": "string", "contentEncoding": "base64"},
    "base64url": {"type": "string", "contentEncoding": "base64url"},
    "hex": {"type": "string", "contentEncoding": "base16"},
    # Only property lists have one.
    "uid": {"not": {}},
}
# What `Plan(strict=False)` accepts.
_LAX: dict[str, Schema] = {
    "bool": {"anyOf": [{"type": "boolean"}, {"enum": [0, 1, "true", "false", "0", "1"]}]},
    "int": {"anyOf": [{"type": "integer"}, _TEXT]},
    "float": {"anyOf": [{"type": "number"}, _TEXT]},
}
_FORMATS = {"datetime": "date-time", "date": "date", "time": "time"}
# Classes of the standard library that are made of text.
_CLASSES: dict[tuple[str, str], Schema] = {
    ("ipaddress", "IPv4Address"): {"format": "ipv4"},
    ("ipaddress", "IPv6Address"): {"format": "ipv6"},
    ("fractions", "Fraction"): {"pattern": _FRACTION},
    ("re", "Pattern"): {"format": "regex"},
}


def scalar(tree: Tree, node: Node, mode: Mode) -> Schema | None:
    """Return the schema of a node without parts; None if it has some."""
    kind, makes = node["kind"], node.get("makes")
    if kind in _FORMATS:
        return _moment(node, mode)
    if kind == "decimal":
        number: Schema = {"type": "number"}
        if mode == "encode":
            return number
        return {"anyOf": [number, {"type": "string", "pattern": _NUMBER}]}
    if kind == "choice":
        return choice(node, mode)
    if kind not in _SCALARS:
        return None
    if isinstance(makes, enum.EnumMeta):
        return _members(makes, kind)
    lax = tree["lax"] and mode == "decode"
    schema = dict(_LAX.get(kind, _SCALARS[kind]) if lax else _SCALARS[kind])
    if "packed" in node and not lax:
        schema |= checks.of_code(node["packed"])
    if kind == "str" and isinstance(makes, type):
        schema |= _CLASSES.get((makes.__module__, makes.__qualname__), {})
    return schema


def _moment(node: Node, mode: Mode) -> Schema:
    kind, is_number = node["kind"], node.get("counted", False)
    # All other forms of ISO 8601 are read, and that of RFC 3339 is written.
    standard = node.get("standard", True) or (mode == "encode" and not node["patterned"])
    text = {"type": "string", "format": _FORMATS[kind]} if standard else dict(_TEXT)
    if not is_number:
        return text
    number: Schema = {"type": "number"}
    # A number may stand in the text, too.
    return number if mode == "encode" else {"anyOf": [number, dict(_TEXT)]}


def choice(node: Node, mode: Mode) -> Schema:
    """Return the schema of an `Enum` or a `Literal`."""
    values = [value for value, _ in node["values"]]
    if node["open"] and mode == "decode":
        # Its `_missing_` is called with any other text or integer.
        return {"type": ["string", "integer"], "examples": values}
    return of_values(values)


def of_values(values: list[Any]) -> Schema:
    """Return the schema of exactly these values."""
    values = [str(value) if isinstance(value, str) else value for value in values]
    values = [int(value) if _is_integer(value) else value for value in values]
    schema: Schema = {"const": values[0]} if len(values) == 1 else {"enum": values}
    if all(isinstance(value, str) for value in values):
        return {"type": "string", **schema}
    if all(map(_is_integer, values)):
        return {"type": "integer", **schema}
    return schema


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _members(cls: enum.EnumMeta, kind: str) -> Schema:
    """Return the schema of an `Enum` whose members are found by values that are made first."""
    members: list[Any] = list(cls.__members__.values())
    if issubclass(cls, enum.Flag):
        bits = functools.reduce(operator.or_, (member.value for member in members), 0)
        return {"type": "integer", "minimum": 0, "maximum": bits}
    if kind == "float":
        return {"type": "number", "enum": [member.value for member in members]}
    return dict(_SCALARS[kind])


def enumeration(node: Node) -> type[enum.Enum] | None:
    """Return the `Enum` whose members a choice has, if it is one by its name."""
    classes = {type(thing) for _, thing in node.get("values", ())}
    if len(classes) != 1:
        return None
    [cls] = classes
    is_named = node["written"].removesuffix(" | None") == cls.__name__
    return cls if isinstance(cls, enum.EnumMeta) and is_named else None


def key(tree: Tree, node: Node, mode: Mode) -> Schema:
    """Return the schema of a key of an object: of its text."""
    kind = node["kind"]
    if kind == "tokens":
        return either([key(tree, tree["nodes"][member], mode) for member in node["members"]])
    if kind == "choice":
        return {} if node["open"] else {"enum": [_text(value) for value, _ in node["values"]]}
    if kind == "bool":
        return {"enum": ["true", "false"]}
    if kind == "int":
        return {"pattern": _INTEGER}
    if kind in {"float", "decimal"}:
        return {"pattern": _NUMBER}
    if node.get("counted") or kind == "any":
        return {}
    schema = scalar(tree, node, mode) or {}
    checks.add(schema, tree, node, node.get("steps", ()), mode)
    schema.pop("type", None)
    return schema


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str) else str(int(value))
