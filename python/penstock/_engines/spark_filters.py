"""The filters of Spark that mean the same for Arrow arrays, for the readers of `penstock.spark`.

Spark says which rows a query needs, and evaluates whatever a source returns to it. A filter is kept
only if its column and its value have the same type, which is one of those whose values are equal
and ordered alike in both: integers, booleans, dates, and strings by their bytes. Fractions are
left to Spark, for which NaN equals itself, and so are the fields of structs.
"""

from __future__ import annotations

import operator
from datetime import date
from typing import TYPE_CHECKING

import pyarrow.compute as pc
from pyspark.sql import datasource

from penstock import field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql.types import StructType

    from penstock import Condition

SKIPPING = {"json", "ndjson"}
"""The formats whose readers skip records by the conditions of `wanted`.

In CSV, a condition on a column that a file does not have is an error. In XML, an element with child
elements is an error where a column is no text, and a condition looks at its own text only.
"""

# The types of columns that are filtered, and the type of their values in Python.
_TYPES: dict[str, type] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), int),
    "boolean": bool,
    "date": date,
    "string": str,
}
_COMPARED = {
    datasource.EqualTo: operator.eq,
    datasource.GreaterThan: operator.gt,
    datasource.GreaterThanOrEqual: operator.ge,
    datasource.LessThan: operator.lt,
    datasource.LessThanOrEqual: operator.le,
}
_MATCHED = {
    datasource.StringStartsWith: pc.starts_with,
    datasource.StringEndsWith: pc.ends_with,
    datasource.StringContains: pc.match_substring,
}


def condition(given: datasource.Filter, schema: StructType) -> pc.Expression | None:
    """Return the filter as an expression of Arrow, or None if Spark has to evaluate it.

    Where the expression is null, the filter is neither true nor false, and the row is left out by
    both.
    """
    is_negated = isinstance(given, datasource.Not)
    inner = given.child if is_negated else given
    if len(inner.attribute) != 1 or inner.attribute[0] not in schema.names:
        return None
    column = pc.field(inner.attribute[0])
    if isinstance(inner, (datasource.IsNull, datasource.IsNotNull)):
        is_null = isinstance(inner, datasource.IsNull) != is_negated
        return column.is_null() if is_null else column.is_valid()
    if not _is_of_type(inner, schema):
        return None
    if isinstance(inner, datasource.In):
        # Of null, `isin` says that it is none of the values.
        found = column.isin(list(inner.value))
        return column.is_valid() & ~found if is_negated else found
    if type(inner) in _COMPARED:
        found = _COMPARED[type(inner)](column, inner.value)
    elif type(inner) in _MATCHED:
        found = _MATCHED[type(inner)](column, inner.value)
    else:
        return None
    return ~found if is_negated else found


def wanted(filters: Iterable[datasource.Filter], schema: StructType) -> Condition | None:
    """Return a condition on records that is true wherever all filters are, or None.

    It may be true of more records, so the filters have to follow. Of a key that an object repeats,
    the last value counts in a column, and each of them here.
    """
    found: Condition | None = None
    for each in filters:
        one = _wanted(each, schema)
        if one is not None:
            found = one if found is None else found & one
    return found


def _wanted(given: datasource.Filter, schema: StructType) -> Condition | None:
    is_negated = isinstance(given, datasource.Not)
    inner = given.child if is_negated else given
    # Any other text may be a path. A record in error may have a row that is null.
    if isinstance(inner, (datasource.IsNull, datasource.IsNotNull)):
        return None
    (name,) = inner.attribute
    if not name.isidentifier() or not _is_of_type(inner, schema):
        return None
    column = field(name).any()
    if is_negated:
        return column != inner.value if type(inner) is datasource.EqualTo else None
    if isinstance(inner, datasource.In):
        return column.isin(*inner.value) if inner.value else None
    if type(inner) in _COMPARED:
        return _COMPARED[type(inner)](column, inner.value)
    if isinstance(inner, datasource.StringStartsWith):
        return column.startswith(inner.value)
    if isinstance(inner, datasource.StringEndsWith):
        return column.endswith(inner.value)
    return column.contains(inner.value)


def _is_of_type(given: datasource.Filter, schema: StructType) -> bool:
    """Return whether the values have the type of the column, which is one of those above."""
    of = _TYPES.get(schema[given.attribute[0]].dataType.simpleString())
    values = given.value if isinstance(given, datasource.In) else (given.value,)
    return of is not None and all(type(value) is of for value in values)
