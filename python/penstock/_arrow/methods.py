"""Methods of the extension's classes that only call other libraries, or show an object to people.

The classes are the extension's. These functions are set on them when Penstock is imported, and
import what they need when they are called.
"""

from __future__ import annotations

import penstock._rust as _rust

TYPE_CHECKING = False

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from penstock._rust import Columns


def to_polars(self: Columns) -> pl.DataFrame:
    r"""Read the rows into a data frame of polars.

    All of them are in memory then. `penstock.polars.scan` reads the columns and rows that a query
    needs. Columns are read once, so of a second call there are no rows.

    Raises:
        ImportError: polars is not installed.
        DecodeError: As while iterating.

    Example:
        >>> import io, penstock
        >>> cities = io.BytesIO(b'{"name": "Bern", "size": 134591}\n')
        >>> schema = penstock.schema(io.BytesIO(cities.getvalue()), format="ndjson")
        >>> penstock.columns(cities, schema, format="ndjson").to_polars().rows()
        [('Bern', 134591)]
    """
    from penstock._arrow import frames as _frames  # noqa: PLC0415 - few programs have one

    frame: pl.DataFrame = _frames.polars(self)
    return frame


def to_pandas(self: Columns) -> pd.DataFrame:
    r"""Read the rows into a data frame of pandas, which needs pyarrow for that.

    All of them are in memory then. Columns are read once, so of a second call there are no rows.

    Raises:
        ImportError: pandas or pyarrow is not installed.
        DecodeError: As while iterating.

    Example:
        >>> import io, penstock
        >>> cities = io.BytesIO(b'{"name": "Bern", "size": 134591}\n')
        >>> schema = penstock.schema(io.BytesIO(cities.getvalue()), format="ndjson")
        >>> penstock.columns(cities, schema, format="ndjson").to_pandas()["size"].to_list()
        [134591]
    """
    from penstock._arrow import frames as _frames  # noqa: PLC0415 - as above

    frame: pd.DataFrame = _frames.pandas(self)
    return frame


def to_arrow(self: Columns) -> pa.Table:
    r"""Read the rows into a table of pyarrow, with a chunk for each batch.

    All of them are in memory then. Columns are read once, so of a second call there are no rows.

    Raises:
        ImportError: pyarrow is not installed.
        DecodeError: As while iterating.

    Example:
        >>> import io, penstock
        >>> cities = io.BytesIO(b'{"name": "Bern", "size": 134591}\n')
        >>> schema = penstock.schema(io.BytesIO(cities.getvalue()), format="ndjson")
        >>> penstock.columns(cities, schema, format="ndjson").to_arrow().to_pylist()
        [{'name': 'Bern', 'size': 134591}]
    """
    from penstock._arrow import frames as _frames  # noqa: PLC0415 - as above

    return _frames.pyarrow(self)


def attach() -> None:
    """Set the methods on their classes."""
    for method in (to_polars, to_pandas, to_arrow):
        method.__module__ = "penstock"
        method.__qualname__ = f"Columns.{method.__name__}"
        setattr(_rust.Columns, method.__name__, method)
