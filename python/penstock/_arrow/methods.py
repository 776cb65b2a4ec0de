"""Methods of the extension's classes that only call other libraries, or show an object to people.

The classes are the extension's. These functions are set on them when Penstock is imported, and
import what they need when they are called.
"""

from __future__ import annotations

import penstock._rust as _rust

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from penstock._rust import Columns, Document, Schema


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


def columns_html(self: Columns) -> str:
    """Return the columns as a notebook shows them: names and types. No row is read."""
    from penstock._arrow import notebooks as _notebooks  # noqa: PLC0415 - few programs are one

    return _notebooks.columns(self)


def schema_html(self: Schema) -> str:
    """Return the columns as a notebook shows them."""
    from penstock._arrow import notebooks as _notebooks  # noqa: PLC0415 - as above

    return _notebooks.schema(self)


def document_html(self: Document) -> str:
    """Return the first members or elements as a notebook shows them."""
    from penstock._arrow import notebooks as _notebooks  # noqa: PLC0415 - as above

    return _notebooks.document(self)


def attach() -> None:
    """Set the methods on their classes."""
    of_columns: dict[str, Callable[..., Any]] = {
        "to_polars": to_polars,
        "to_pandas": to_pandas,
        "to_arrow": to_arrow,
        "_repr_html_": columns_html,
    }
    for cls, methods in (
        (_rust.Columns, of_columns),
        (_rust.Schema, {"_repr_html_": schema_html}),
        (_rust.Document, {"_repr_html_": document_html}),
    ):
        for name, method in methods.items():
            method.__module__ = "penstock"
            method.__name__ = name
            method.__qualname__ = f"{cls.__name__}.{name}"
            setattr(cls, name, method)
