"""The schema of several files, from the schema of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def merged(schemas: Sequence[pa.Schema]) -> pa.Schema | None:
    """Return the schema that `penstock.schema` finds in all files, if theirs say so.

    It does wherever the files agree: on the type of a column, if both have it, or one has nothing
    but null in it. None means that two files differ, such as by an integer and a fraction. Then the
    records decide, because a type does not say all that was seen.

    Whether a column may be null is not merged: all columns may be.
    """
    first, *others = [pa.struct(list(schema)) for schema in schemas]
    for other in others:
        both = _both(first, other)
        if both is None:
            return None
        first = both
    return pa.schema(list(_nullable(first)))


def _both(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Return the type of a place that has `one` in a file and `other` in a later one."""
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if pa.types.is_struct(one) and pa.types.is_struct(other):
        names = dict.fromkeys([each.name for each in one] + [each.name for each in other])
        return _struct((name, _member(name, one, other)) for name in names)
    if pa.types.is_list(one) and pa.types.is_list(other):
        item = _both(one.value_type, other.value_type)
        return None if item is None else pa.list_(item)
    return None


def _member(name: str, one: pa.StructType, other: pa.StructType) -> pa.DataType | None:
    kinds = [kind.field(name).type for kind in (one, other) if kind.get_field_index(name) >= 0]
    return kinds[0] if len(kinds) == 1 else _both(*kinds)


def _struct(members: Iterable[tuple[str, pa.DataType | None]]) -> pa.DataType | None:
    fields = []
    for name, kind in members:
        if kind is None:
            return None
        fields.append(pa.field(name, kind))
    return pa.struct(fields)


def _nullable(kind: pa.DataType) -> pa.DataType:
    """Return the same type, of which everything may be null."""
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(each.name, _nullable(each.type)) for each in kind])
    if pa.types.is_list(kind):
        return pa.list_(_nullable(kind.value_type))
    return kind
