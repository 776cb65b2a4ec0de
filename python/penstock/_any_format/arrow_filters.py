"""Filters of DuckDB, which are expressions of pyarrow, as predicates for `pushed.condition`.

An expression does not show its parts, but it has a text. The text is parsed, and the expression
that this means is made again: only if it equals the filter, the filter is understood.
"""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from penstock._any_format import pushed as _pushed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock._any_format.pushed import Predicate
    from penstock._base.conditions import Condition

# Filters are short. A longer one is left to DuckDB, and so is one that nests deeply.
_LONGEST = 10_000
_DEEPEST = 50

_LITERAL = r"-?\d+(?:-\d\d-\d\d)?|true|false|\"(?:[^\"\\]|\\.)*\""
_COMPARED = re.compile(rf"\((\w+) (==|!=|>=|<=|>|<) ({_LITERAL})\)", re.DOTALL)
_CHOSEN = re.compile(
    r"if_else\(is_valid\((\w+)\), is_in\(\1, \{value_set=\w+:\[\n(.*?)\n\], "
    r"null_matching_behavior=MATCH\}\), null\[bool\]\)",
    re.DOTALL,
)
_NULL = re.compile(r"is_null\((\w+), \{nan_is_null=false\}\)|is_valid\((\w+)\)")
_ELEMENT = re.compile(rf"  ({_LITERAL})(?:,\n|$)", re.DOTALL)


class _Unknown(Exception):
    """The text is none of those that are understood."""


def condition(filter: pc.Expression, fields: Mapping[str, pa.Field]) -> Condition | None:
    """Return a condition that is true wherever a filter is, or None.

    Args:
        filter: The filter.
        fields: The columns of the records.
    """
    text = str(filter)
    if len(text) > _LONGEST:
        return None
    parser = _Parser(text, fields)
    try:
        again, predicate = parser.expression(0)
    except (_Unknown, ValueError):
        # A value may also have no place in the type of its column.
        return None
    if parser.at < len(text) or not filter.equals(again):
        return None
    types = {name: _type(field.type) for name, field in fields.items()}
    return _pushed.condition(predicate, types)


def _type(kind: pa.DataType) -> type:
    """Return the type of the values of a column, or `object` for one that is not compared."""
    if pa.types.is_integer(kind):
        return int
    if pa.types.is_boolean(kind):
        return bool
    if pa.types.is_date(kind):
        return date
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return str if is_text or pa.types.is_string_view(kind) else object


class _Parser:
    """Reads the text of an expression from left to right."""

    def __init__(self, text: str, fields: Mapping[str, pa.Field]) -> None:
        self.at = 0
        self._text = text
        self._fields = fields

    def expression(self, depth: int) -> tuple[pc.Expression, Predicate]:
        """Return the expression at this place, made again, and what it means."""
        if depth > _DEEPEST:
            raise _Unknown
        if found := self._took(_COMPARED):
            name, test, literal = found.groups()
            value = _value(literal)
            again = _pushed.comparing(test)(pc.field(name), self._scalar(name, value))
            return again, (name, test, value)
        if found := self._took(_CHOSEN):
            name, elements = found.groups()
            values = _values(elements)
            column, nothing = pc.field(name), pa.scalar(None, pa.bool_())
            chosen = column.isin(pa.array(values, self._field(name).type))
            return pc.if_else(column.is_valid(), chosen, nothing), (name, "in", values)
        if found := self._took(_NULL):
            name, valid = found.groups()
            return (pc.field(valid).is_valid() if name is None else pc.field(name).is_null()), None
        self._pass("(")
        left, one = self.expression(depth + 1)
        word = "and" if self._text.startswith(" and ", self.at) else "or"
        self._pass(f" {word} ")
        right, other = self.expression(depth + 1)
        self._pass(")")
        return (left & right if word == "and" else left | right), (word, [one, other])

    def _took(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def _pass(self, word: str) -> None:
        if not self._text.startswith(word, self.at):
            raise _Unknown
        self.at += len(word)

    def _field(self, name: str) -> pa.Field:
        if name not in self._fields:
            raise _Unknown
        return self._fields[name]

    def _scalar(self, name: str, value: object) -> Any:
        return pa.scalar(value, self._field(name).type)


def _values(elements: str) -> list[object]:
    """Return the values of a set, of which the text has all."""
    found = []
    at = 0
    while at < len(elements):
        element = _ELEMENT.match(elements, at)
        if element is None:
            raise _Unknown
        found.append(_value(element[1]))
        at = element.end()
    return found


def _value(literal: str) -> object:
    """Return the value of a literal. The escapes of texts are those of C."""
    if literal.startswith('"'):
        return json.loads(literal, strict=False)
    if literal in {"true", "false"}:
        return literal == "true"
    return date.fromisoformat(literal) if "-" in literal[1:] else int(literal)
