"""Columns as tables of other libraries, which are imported when somebody asks for them."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock._rust import Columns


def polars(columns: Columns) -> Any:
    """Return all rows as a frame of polars; an error is Penstock's own, as while iterating."""
    library = need("polars", "Columns.to_polars()")
    frames = [library.DataFrame(batch) for batch in columns]
    if not frames:
        return library.DataFrame(schema=library.Schema(columns))
    return library.concat(frames, rechunk=False)


def pyarrow(columns: Columns, who: str = "Columns.to_arrow()") -> Any:
    """Return all rows as a table of pyarrow, with a chunk for each batch."""
    library = need("pyarrow", who)
    batches = [library.record_batch(batch) for batch in columns]
    return library.Table.from_batches(batches, library.schema(columns))


def pandas(columns: Columns) -> Any:
    """Return all rows as a frame of pandas, which takes columns by pyarrow."""
    who = "Columns.to_pandas()"
    need("pandas", who)
    return pyarrow(columns, who).to_pandas()


def need(library: str, who: str) -> Any:
    """Import a library.

    Raises:
        ModuleNotFoundError: It is not installed. The message says who needs it, and what to do.
    """
    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
    message = f"{who} needs {library}, which is not installed: pip install {library}"
    raise ModuleNotFoundError(message, name=library)
