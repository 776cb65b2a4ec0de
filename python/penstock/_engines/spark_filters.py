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

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

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
    of = _TYPES.get(schema[inner.attribute[0]].dataType.simpleString())
    values = inner.value if isinstance(inner, datasource.In) else (inner.value,)
    if of is None or any(type(value) is not of for value in values):
        return None
    if isinstance(inner, datasource.In):
        # Of null, `isin` says that it is none of the values.
        found = column.isin(list(values))
        return column.is_valid() & ~found if is_negated else found
    if type(inner) in _COMPARED:
        found = _COMPARED[type(inner)](column, inner.value)
    elif type(inner) in _MATCHED:
        found = _MATCHED[type(inner)](column, inner.value)
    else:
        return None
    return ~found if is_negated else found
