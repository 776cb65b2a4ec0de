"""`Rows`: the records of a file as a sequence, each read when you ask for it."""

from __future__ import annotations

import os
from _collections_abc import Sequence

import penstock._rust as _rust
from penstock._base import sidecar as _sidecar
from penstock._io import sources as _sources
from penstock._verbs import read as _read

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any, Generic, Self, overload

    from typing_extensions import TypeForm

    from penstock._base.types import Index, Path, T, Where
    from penstock._parts.lookup import Lookup

    class _Sequence(Sequence[T], Generic[T]):
        """A sequence that may be written with its type: `Rows[City]`."""
else:
    _Sequence = Sequence

# The suffix of an index beside its file.
_SUFFIX = ".penstock-index"


class Rows(_Sequence["T"]):
    r"""The records of an NDJSON or CSV file as a sequence. The `open` of the format creates it.

    Penstock finds the position of each record once, in a pass over the file or in an index beside
    it. `rows[i]` then reads and decodes that record and nothing else. It does not keep the record,
    so asking again decodes again. A slice is another `Rows` of the same file, and reads nothing. To
    go through all records once, `penstock.read` is faster.

    Several threads and forked processes may use it at once. You may pickle it: the pickle holds the
    path and the state of the file, and unpickling fails if the file has changed. If the size or the
    modification time of the file changes while it is open, reading raises an error. Penstock
    looks after each read, so it never returns a record that was rewritten meanwhile.

    Example:
        >>> import pathlib, random, penstock
        >>> path = pathlib.Path("sizes.ndjson")
        >>> _ = path.write_text('{"size": 36}\n{"size": 38}\n\n{"size": 40}\n')
        >>> with penstock.ndjson.open(path) as rows:
        ...     len(rows), rows[1], list(rows[1:]), random.choice(rows)["size"] > 30
        (3, {'size': 38}, [{'size': 38}, {'size': 40}], True)
    """

    __slots__ = ("_file", "_options", "_places")
    __module__ = "penstock"

    _file: _rust.RowFile
    # The arguments of opening it, to open it again.
    _options: tuple[Any, ...]
    # The records of the file that belong to it: a range, or an array of those of a look-up.
    _places: Sequence[int]

    def __init__(
        self, file: _rust.RowFile, options: tuple[Any, ...], places: Sequence[int]
    ) -> None:
        """Take the records of an open file."""
        self._file, self._options, self._places = file, options, places

    @property
    def path(self) -> str:
        """The path of the file."""
        path: str = self._options[0]
        return path

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return self._file.closed

    def close(self) -> None:
        """Close the file, also for all slices. Closing it again does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        """Close the file."""
        self.close()

    def __len__(self) -> int:
        """Return how many records there are."""
        return len(self._places)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, place: int, /) -> T: ...
        @overload
        def __getitem__(self, place: slice, /) -> Self: ...

    def __getitem__(self, place: Any, /) -> Any:
        """Return the record at `place`, read from the file, or the `Rows` of a slice.

        Raises:
            IndexError: There is no such record.
            TypeError: `place` is neither an int nor a slice.
            DecodeError: The record is malformed or does not fit, or the file has changed.
            ValueError: The file is closed.
        """
        if isinstance(place, slice):
            return self._at(self._places[place])
        return self._file.get(self._place(place))

    def _at(self, places: Sequence[int]) -> Self:
        """Return other records of the same file."""
        return type(self)(self._file, self._options, places)

    def _place(self, place: int) -> int:
        """Return the number of that record in the file."""
        try:
            return self._places[place]
        except IndexError:
            message = f"record {place} of {len(self._places)}"
            raise IndexError(message) from None
        except TypeError:
            kind = type(place).__name__
            message = f"the place of a record is an int or a slice, not {kind}"
            raise TypeError(message) from None

    def __iter__(self) -> Iterator[T]:
        """Iterate over the records, in blocks of the file; raises as indexing does."""
        places = self._places
        if isinstance(places, range) and places.step == 1:
            return self._file.through(places.start, places.stop)
        return map(self._file.get, places)

    def to(self, into: TypeForm[T], place: int, /) -> T:
        r"""Return the record at `place` as another type.

        Raises:
            PlanError: Penstock cannot decode into `into`.
            IndexError: As for indexing; the other errors too.

        Example:
            >>> import pathlib, penstock
            >>> path = pathlib.Path("sizes.ndjson")
            >>> _ = path.write_text('{"size": 36}\n{"size": 38}\n')
            >>> with penstock.ndjson.open(path) as rows:
            ...     rows.to(dict[str, float], 1)
            {'size': 38.0}
        """
        made: T = self._file.get_as(self._place(place), into)
        return made

    def raw(self, place: int, /) -> bytes:
        r"""Return the bytes of the record at `place`, without its line end.

        Raises:
            IndexError: There is no such record.
            DecodeError: The file has changed, or cannot be read.
            ValueError: The file is closed.

        Example:
            >>> import pathlib, penstock
            >>> path = pathlib.Path("sizes.ndjson")
            >>> _ = path.write_text('{"size": 36}\n{"size": 38}\n')
            >>> with penstock.ndjson.open(path) as rows:
            ...     rows.raw(1)
            b'{"size": 38}'
        """
        return self._file.raw(self._place(place))

    if TYPE_CHECKING:

        @overload
        def index(self, value: object, start: int = 0, stop: int | None = None) -> int: ...
        @overload
        def index(self, *, by: str) -> Lookup[T]: ...

    def index(
        self, value: Any = None, start: int = 0, stop: int | None = None, *, by: str | None = None
    ) -> Any:
        r"""Return the place of a record; or with `by`, the records by the text of a column.

        With `by`, Penstock reads the file once, without the interpreter lock, and makes no object.
        The `Lookup` takes 8 bytes of memory for each row, however long the texts are.

        Args:
            value: The record, as for any sequence: all records before it are read.
            start: The place from which to search for it.
            stop: The place up to which to search.
            by: The name of a column of a CSV file; or its position, such as `"3"`, if no column
                has that name. Not with the other arguments.

        Raises:
            ValueError: There is no such record, or no such column, or there are two of its name; or
                the file is closed.
            DecodeError: The file has changed, or cannot be read.

        Example:
            >>> import pathlib, penstock
            >>> path = pathlib.Path("cities.csv")
            >>> _ = path.write_text("name,country\nBern,CH\nLyon,FR\nChur,CH\n")
            >>> with penstock.csv.open(path) as rows:
            ...     by_country = rows.index(by="country")
            ...     [row["name"] for row in by_country["CH"]], "DE" in by_country
            (['Bern', 'Chur'], False)
        """
        if by is None:
            return super().index(value, start, stop)  # type: ignore[arg-type]  # None is its default
        if value is not None or start != 0 or stop is not None:
            raise TypeError("index(by=) takes no other argument")
        from penstock._parts import lookup as _lookup  # noqa: PLC0415 - few programs look rows up

        return _lookup.look_up(self, self._file, self._places, by)

    def where(self, condition: Where, /) -> Self:
        r"""Return those of the records that a condition wants, as a slice would.

        Penstock reads the file once, and makes objects of these records only; each is read again
        when you ask for it.

        Args:
            condition: A condition, or its text; see `penstock.field`.

        Raises:
            TypeError: It is neither.
            PlanError: It asks for what the class cannot hold.
            DecodeError: A record is malformed or does not fit, or the file has changed.
            ValueError: The text is no condition; or the file is closed.

        Example:
            >>> import pathlib, penstock
            >>> path = pathlib.Path("cities.csv")
            >>> _ = path.write_text("name,country\nBern,CH\nLyon,FR\nChur,CH\n")
            >>> with penstock.csv.open(path) as rows:
            ...     swiss = rows.where("country == 'CH'")
            ...     len(swiss), swiss[-1]["name"]
            (2, 'Chur')
        """
        from array import array  # noqa: PLC0415 - few programs look rows up

        path, name, dialect, into, duplicates, unknown, all_errors, limits = self._options
        dialect = _read.wanting(dialect, condition)
        self._unchanged()
        policy = _rust.Policy("raise", 1, duplicates, unknown, all_errors, "allow")
        source = _rust.Source(path, name, None, None)
        with _rust.Reader(dialect, source, into, None, policy, limits) as reader:
            # With each record, it says how many were left out before.
            wanted = array("Q", (place + reader.filtered for place, _ in enumerate(reader)))
        self._unchanged()
        if self._places == range(len(self._file)):
            return self._at(wanted)
        mine = set(wanted)
        return self._at(array("Q", (place for place in self._places if place in mine)))

    def _unchanged(self) -> None:
        """Raise if the file is closed or has changed."""
        if len(self._file):
            self._file.raw(0)

    def __repr__(self) -> str:
        """Return the path and the number of records."""
        state = ", closed" if self.closed else ""
        return f"<Rows of {self.path!r}: {len(self):,} records{state}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the path and the state of the file."""
        path, *others = self._options
        if isinstance(path, str):
            path = os.path.abspath(path)  # noqa: PTH100 - pathlib is slow to import
        options = (path, *others)
        return _opened_again, (options, self._file.index(), self._places)


def open_rows(source: Path, index: Index, dialect: _rust.Dialect, *how: Any) -> Rows[Any]:
    """Open a file; `how` holds the extension's arguments after the dialect."""
    path, name = _sources.path("open", source)
    kept = None
    if index is not None and index is not False:
        kept = _sidecar.place(path, index, _SUFFIX)
    options = (path, name, dialect, *how)
    file = _open(options, None if kept is None else _sidecar.kept(kept), required=False)
    if kept is not None and not file.is_kept:
        _sidecar.keep(kept, file.index())
    return Rows(file, options, range(len(file)))


def _opened_again(options: tuple[Any, ...], index: bytes, places: Sequence[int]) -> Rows[Any]:
    """Open the file of pickled rows. It must not have changed."""
    return Rows(_open(options, index, required=True), options, places)


_opened_again.__module__ = "penstock._rows"  # As pickles name it: see `penstock._pickled`.


def _open(options: tuple[Any, ...], index: bytes | None, *, required: bool) -> _rust.RowFile:
    """Open a file with its known state."""
    path, name, dialect, into, duplicates, unknown, all_errors, limits = options
    return _rust.RowFile(
        path, name, dialect, into, duplicates, unknown, all_errors, limits, index, required
    )
