"""Arrow columns: the functions `columns` and `schema`, and annotations for the types of columns."""

from __future__ import annotations

from penstock._annotations.marks import Mark
from penstock._base import suggest as _suggest
from penstock._base.types import PLAIN

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from typing_extensions import TypeForm

    from penstock._base.limits import Limits
    from penstock._base.types import (
        At,
        Compression,
        CountedUnknown,
        Duplicates,
        Empty,
        Errors,
        Format,
        HasSchema,
        Sources,
        T,
        Types,
    )
    from penstock._parts.checkpoint import Checkpoint
    from penstock._rust import Columns, Schema

# The most digits of Arrow's widest decimal numbers.
_MOST_DIGITS = 76


class column(Mark):  # noqa: N801 - an annotation, like `at`
    """The Arrow type of a field's column. `penstock.int8` and its like are such.

    Attributes:
        name: The name of the type.
        arguments: What more it says.
    """

    __module__ = "penstock"
    __slots__ = ()

    def __init__(self, name: str, /, *arguments: Any) -> None:
        """Store the name and the arguments."""
        object.__setattr__(self, "_said", (name, *arguments))

    @property
    def name(self) -> str:
        """The name of the type."""
        name: str = self._said[0]
        return name

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What more it says."""
        arguments: tuple[Any, ...] = self._said[1:]
        return arguments

    def __repr__(self) -> str:
        """Return the expression that means it."""
        if not self.arguments:
            return f"penstock.{self.name}"
        return f"penstock.{self.name}({', '.join(map(repr, self._shown()))})"

    def _shown(self) -> tuple[Any, ...]:
        if self.name == "timestamp":
            unit, utc = self.arguments
            return unit, "UTC" if utc else None
        return self.arguments

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return column, self._said


int8 = column("int8")
int16 = column("int16")
int32 = column("int32")
int64 = column("int64")
uint8 = column("uint8")
uint16 = column("uint16")
uint32 = column("uint32")
uint64 = column("uint64")
float32 = column("float32")
dictionary = column("dictionary")


def decimal(precision: int, scale: int = 0, /) -> Any:
    r"""Say how many digits the numbers of a `Decimal` column have.

    A number with more digits is an error with its place: nothing is rounded.

    Args:
        precision: All digits, 1 to 76. From 39 on, the column is a decimal256, else a decimal128.
        scale: How many of them are behind the point.

    Raises:
        TypeError: One of them is not an int.
        ValueError: One of them is out of range.

    Example:
        >>> import io, penstock
        >>> from dataclasses import dataclass
        >>> from decimal import Decimal
        >>> from typing import Annotated
        >>> @dataclass
        ... class Item:
        ...     price: Annotated[Decimal, penstock.decimal(9, 2)]
        >>> penstock.csv.read(io.BytesIO(b"price\n9.50\n"), Item).columns()
        Columns(price: Decimal128(9, 2))
    """
    for value in (precision, scale):
        if type(value) is not int:
            raise TypeError(f"decimal() takes two ints, not {type(value).__name__}")
    if not 1 <= precision <= _MOST_DIGITS:
        raise ValueError(f"precision must be 1 to {_MOST_DIGITS}, not {precision}")
    if not 0 <= scale <= precision:
        raise ValueError(f"scale must be 0 to {precision}, the precision, not {scale}")
    return column("decimal", precision, scale)


def timestamp(
    unit: Literal["s", "ms", "us", "ns"] = "us", zone: Literal["UTC"] | None = "UTC", /
) -> Any:
    r"""Choose the unit of a `datetime` column, and whether it holds instants.

    With `"UTC"`, as without this annotation, each value must have an offset from UTC. With `None`,
    it must have none. A value that is finer than the unit is an error with its place.

    Raises:
        ValueError: There is no such unit, or the zone is another one.

    Example:
        >>> import io, penstock
        >>> from dataclasses import dataclass
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> @dataclass
        ... class Visit:
        ...     at: Annotated[datetime, penstock.timestamp("s", None)]
        >>> rows = io.BytesIO(b"at\n2026-01-02T03:04:05\n")
        >>> penstock.csv.read(rows, Visit).columns()
        Columns(at: Timestamp(s))
    """
    if unit not in {"s", "ms", "us", "ns"}:
        raise ValueError(f"unit must be 's', 'ms', 'us' or 'ns', not {unit!r}")
    if zone not in {"UTC", None}:
        raise ValueError(f"zone must be 'UTC' or None, not {zone!r}")
    return column("timestamp", unit, zone is not None)


@_suggest.advised
def columns(
    source: Sources,
    into: TypeForm[T] | HasSchema = PLAIN,
    /,
    *,
    rows: int = 65_536,
    columns: Sequence[str] | None = None,
    unions: Literal["error", "text", "json"] = "error",
    threads: int = 1,
    format: Format | None = None,
    at: At[T] | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
    empty: Empty = "allow",
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: CountedUnknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
    resume: Checkpoint | Literal["start"] | None = None,
) -> Columns:
    """Read the records of a file or a stream into Arrow columns.

    It is short for `read(source, into, ...).columns(rows, columns, unions, threads)`: see
    `penstock.read` and `Reader.columns`. The `read` functions of `penstock.csv` and the other
    formats have the options of their format.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, or several files.
        into: The class of a record. Its fields are the columns. Or anything with
            `__arrow_c_schema__`: its fields are the keys. Without it, the files are read twice:
            the first time finds the columns.
        rows: How many rows a batch has at most.
        columns: The names of the fields that are wanted, or their paths. The others are not parsed.
        unions: What becomes of a field with values of several types: see `Reader.columns`.
        threads: How many threads parse at once: see `Reader.columns`.
        format: As for `read`, and so are all that follow.
        at: As for `read`.
        errors: As for `read`.
        max_errors: As for `read`.
        empty: As for `read`.
        all_errors: As for `read`.
        duplicates: As for `read`.
        unknown: As for `read`.
        types: As for `read`.
        encoding: As for `read`.
        compression: As for `read`.
        member: As for `read`.
        limits: As for `read`.
        resume: Where to go on: what `Columns.checkpoint` or `Reader.checkpoint` has returned. The
            columns are then those of `into`, which must be a class or a schema.

    Returns:
        An object that polars, pyarrow, DuckDB and pandas take, and an iterator over batches.

    Raises:
        OSError: The file cannot be opened, or changes while its columns are found.
        PlanError: The type of a field has no column; or there is no class, and the source is no
            file by its path, or `resume` is given.
        ValueError: As for `read` and `Reader.columns`.
        DecodeError: While the columns are read.

    Example:
        >>> import pathlib, penstock, polars
        >>> from typing import NamedTuple
        >>> class City(NamedTuple):
        ...     name: str
        ...     size: int
        >>> path = pathlib.Path("cities.ndjson")
        >>> _ = path.write_text('{"name": "Bern", "size": 134591}')
        >>> polars.DataFrame(penstock.columns(path, City)).rows()
        [('Bern', 134591)]
    """
    import penstock  # noqa: PLC0415 - the package imports this module late

    reader = penstock.read(
        source,
        into,  # type: ignore[arg-type]  # a schema is no type
        format=format,
        at=at,
        errors=errors,
        max_errors=max_errors,
        empty=empty,
        all_errors=all_errors,
        duplicates=duplicates,
        unknown=unknown,
        types=types,
        encoding=encoding,
        compression=compression,
        member=member,
        limits=limits,
        resume=resume,
    )
    chosen = None if columns is None else list(columns)
    return reader.columns(rows, chosen, unions, threads)


@_suggest.advised
def schema(
    source: Sources,
    /,
    *,
    threads: int = 1,
    format: Format | None = None,
    at: At[Any] | None = None,
    errors: Literal["raise", "skip"] = "raise",
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Schema:
    r"""Find the columns of records: their names and types.

    All of the source is read, so a key that comes late is found, too. Nothing of it is kept, and
    the interpreter's lock is released.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, or several files.
        threads: How many threads parse at once. The schema and the errors are the same for any
            number: see `Reader.columns`.
        format: As for `read`, and so are all that follow.
        at: As for `read`.
        errors: With `"skip"`, records in error do not count.
        encoding: As for `read`.
        compression: As for `read`.
        member: As for `read`.
        limits: As for `read`.

    Returns:
        A schema. Pass it to `read` or `columns` in place of a class.

    Raises:
        OSError: The file cannot be opened.
        PlanError: No column holds all numbers of a place exactly; or a key has a NUL character.
        DecodeError: A record is in error, or has a value of another kind than an earlier one.
        ValueError: `threads` is less than 1; or as for `penstock.read`.

    Example:
        >>> import io, penstock
        >>> lines = io.BytesIO(b'{"name": "Bern", "size": 134591}\n{"name": "Chur"}\n')
        >>> penstock.schema(lines, format="ndjson")
        Schema(name: Utf8, size: Int64 | null)
    """
    import penstock  # noqa: PLC0415 - the package imports this module late

    reader: Any = penstock.read(
        source,
        format=format,
        at=at,
        errors=errors,
        encoding=encoding,
        compression=compression,
        member=member,
        limits=limits,
    )
    found: Schema = reader._schema(threads)  # noqa: SLF001 - it is ours
    return found


def restored(parts: list[str], seen: list[tuple[Any, ...]]) -> Schema:
    """Return the schema of which `pickle` has kept what was found."""
    import penstock._rust as _rust  # noqa: PLC0415 - most programs restore none

    return _rust.schema_of_seen(parts, seen)


restored.__module__ = "penstock._columns"  # As pickles name it: see `penstock._pickled`.


for _public in (columns, decimal, schema, timestamp):
    _public.__module__ = "penstock"
