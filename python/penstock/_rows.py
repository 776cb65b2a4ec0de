"""`Rows`: the records of a file of lines as a sequence, each read when you ask for it."""

from __future__ import annotations

import os
from _collections_abc import Sequence

from penstock import _index, _rust, _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any, Generic, Self, overload

    from typing_extensions import TypeForm

    from penstock._types import Index, Path, T

    class _Sequence(Sequence[T], Generic[T]):
        """A sequence that may be written with its type: `Rows[City]`."""
else:
    _Sequence = Sequence

# The suffix of an index beside its file.
_SUFFIX = ".penstock-index"


class Rows(_Sequence["T"]):
    r"""The records of an NDJSON file as a sequence. `penstock.open` creates it.

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

    __slots__ = ("_lines", "_options", "_places")
    __module__ = "penstock"

    _lines: _rust.Lines
    # The arguments of opening it, to open it again.
    _options: tuple[Any, ...]
    # The records of the file that belong to it.
    _places: range

    def __init__(self, lines: _rust.Lines, options: tuple[Any, ...], places: range) -> None:
        """Take the records of an open file."""
        self._lines, self._options, self._places = lines, options, places

    @property
    def path(self) -> str:
        """The path of the file."""
        path: str = self._options[0]
        return path

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return self._lines.closed

    def close(self) -> None:
        """Close the file, also for all slices. Closing it again does nothing."""
        self._lines.close()

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
            return type(self)(self._lines, self._options, self._places[place])
        return self._lines.get(self._place(place))

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
        if places.step == 1:
            return self._lines.through(places.start, places.stop)
        return map(self._lines.get, places)

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
        made: T = self._lines.get_as(self._place(place), into)
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
        return self._lines.raw(self._place(place))

    def __repr__(self) -> str:
        """Return the path and the number of records."""
        state = ", closed" if self.closed else ""
        return f"<Rows of {self.path!r}: {len(self):,} records{state}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the path and the state of the file."""
        places, (path, *others) = self._places, self._options
        at = (places.start, places.stop, places.step)
        options = (os.path.abspath(path), *others)  # noqa: PTH100 - pathlib is slow to import
        return _opened_again, (options, self._lines.index(), at)


def open_rows(source: Path, index: Index, *how: Any) -> Rows[Any]:
    """Open a file of lines; `how` holds the extension's arguments after the path and the name."""
    path, name = _sources.path("open", source)
    kept = None
    if index is not None and index is not False:
        kept = path + _SUFFIX if index is True else os.fsdecode(index)
    options = (path, name, *how)
    lines = _lines(options, None if kept is None else _index.kept(kept), required=False)
    if kept is not None and not lines.is_kept:
        _index.keep(kept, lines.index())
    return Rows(lines, options, range(len(lines)))


def _opened_again(options: tuple[Any, ...], index: bytes, at: tuple[int, int, int]) -> Rows[Any]:
    """Open the file of pickled rows. It must not have changed."""
    return Rows(_lines(options, index, required=True), options, range(*at))


def _lines(options: tuple[Any, ...], index: bytes | None, *, required: bool) -> _rust.Lines:
    """Open a file with its known state."""
    path, name, into, duplicates, unknown, all_errors, limits = options
    return _rust.Lines(path, name, into, duplicates, unknown, all_errors, limits, index, required)
