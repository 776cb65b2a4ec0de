"""Reads the events of a log in order, through all of its files, and says where it stands."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import islice

from penstock._any_format import verbs as _verbs
from penstock._parts.checkpoint import Checkpoint
from penstock._parts.split import check_values, damaged

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Generic, Self, TypeVar

    from penstock._log.files import Files
    from penstock._rust import Reader

    E = TypeVar("E")

    class _Of(Generic[E]):
        """Something that may be written with the type of its events: `Follower[Event]`."""

        __slots__ = ()
else:

    class _Of:
        """Makes `Follower[Event]` possible at run time."""

        __slots__ = ()

        def __class_getitem__(cls, item: object) -> object:
            from types import GenericAlias  # noqa: PLC0415 - few need it

            return GenericAlias(cls, item)


Of = _Of


@dataclass(frozen=True, slots=True)
class LogPlace:
    r"""A place behind an event of a log. `Log.place` and `Follower.place` make it.

    It is small, can be pickled, and holds plain values only.

    Attributes:
        generation: How often the log was compacted, and one more.
        events: How many events of the generation come before the place.
        sealed: How many sealed files come before it.
        records: How many events come before it in the file in which it is.
        checkpoint: The place in that file, if the file was not sealed when it was made.

    Example:
        >>> import json, penstock
        >>> def total(state: list[int], event: int) -> list[int]:
        ...     return [*state, event]
        >>> with penstock.Log("numbers.ndjson", int, fold=total, state=list[int]) as log:
        ...     log.append(4)
        ...     kept = json.dumps(log.place.as_dict())
        ...     log.append(5)
        ...     place = penstock.LogPlace.from_dict(json.loads(kept))
        ...     place.events, list(log.follow(place, wait=None))
        (1, [5])
    """

    generation: int = 1
    events: int = 0
    sealed: int = 0
    records: int = 0
    checkpoint: Checkpoint | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return what it holds, for JSON. `from_dict` takes it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], /) -> Self:
        """Return the place of which `as_dict` has made these values, also through JSON.

        Raises:
            ValueError: They are damaged.
        """
        try:
            kept = values["checkpoint"]
            checkpoint = None if kept is None else Checkpoint.from_dict(kept)
            place = cls(**{**values, "checkpoint": checkpoint})
        except (AttributeError, LookupError, TypeError) as error:
            raise damaged(cls) from error
        check_values(place, _KINDS)
        return place

    def __str__(self) -> str:
        """Return the place in one line."""
        return f"generation {self.generation:,}, behind event {self.events:,}"


LogPlace.__module__ = "penstock"

_KINDS: dict[str, tuple[type, ...]] = dict.fromkeys(
    ("generation", "events", "sealed", "records"), (int,)
)


class Compacted(ValueError):
    """The log was compacted since a place was made. To users it is a `ValueError`."""


class Cursor(Of["E"]):
    """Reads the events behind a place."""

    __slots__ = ("_event", "_files", "_is_last", "_place", "_reader")

    def __init__(self, files: Files, event: Any, place: LogPlace) -> None:
        """Stand at a place. Nothing is opened before something is read."""
        self._files = files
        self._event = event
        self._place = place
        self._reader: Reader[E] | None = None
        # Whether that reads the file to which events are appended.
        self._is_last = False

    def readers(self) -> Iterator[Reader[E]]:
        """Yield a reader of each file. Take all of its events before you ask for the next one.

        Raises:
            ValueError: The log was compacted since the place was made.
            DecodeError: While reading.
        """
        while (reader := self.open()) is not None:
            yield reader
            if self._leave():
                return

    def ready(self) -> Iterator[E]:
        """Yield the events that are there now. It may be left, and called again.

        If one is an error, it is one again the next time, unless somebody has mended the file.
        """
        for reader in self.readers():
            try:
                yield from reader
            except Exception:
                self._place = self._behind(reader)
                self.close()
                raise

    @property
    def name(self) -> str:
        """What messages call the log."""
        return self._files.name

    @property
    def generation(self) -> int:
        """The generation of the log that it reads."""
        return self._place.generation

    @property
    def place(self) -> LogPlace:
        """The place behind the last event that was read.

        Raises:
            ValueError: The last event was an error.
        """
        reader = self._reader
        return self._place if reader is None else self._behind(reader)

    def close(self) -> None:
        """Close the file that is being read."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def open(self) -> Reader[E] | None:
        """Return the reader of the file in which the place is; None if it is not there yet."""
        if self._reader is not None:
            return self._reader
        files, place = self._files, self._place
        while True:
            self._check()
            part = files.sealed(place.generation, place.sealed + 1)
            try:
                reader = self._open_last() if part is None else self._open_sealed(part)
            except (FileNotFoundError, ValueError) as error:
                # Perhaps it was sealed or compressed meanwhile.
                self._check()
                if files.sealed(place.generation, place.sealed + 1) != part:
                    continue
                if isinstance(error, ValueError):
                    raise
                # Nothing was ever written.
                return None
            self._reader = reader
            # The number of the generation changes before the file does, and a file is sealed before
            # there is a new one. So if neither has happened, the right file was opened.
            try:
                self._check()
                if part is None and files.sealed(place.generation, place.sealed + 1) is not None:
                    self.close()
                    continue
            except BaseException:
                self.close()
                raise
            self._is_last = part is None
            return reader

    def _open_last(self) -> Reader[E]:
        kept = self._place.checkpoint
        reader: Reader[E] = _verbs.read(
            self._files.path,
            self._event,
            format=self._files.format,
            empty="allow",
            resume="start" if kept is None else kept,
        )
        if kept is None:
            self._skip(reader)
        return reader

    def _open_sealed(self, path: str) -> Reader[E]:
        reader: Reader[E] = _verbs.read(path, self._event, format=self._files.format, empty="allow")
        self._skip(reader)
        return reader

    def _skip(self, reader: Reader[E]) -> None:
        count = self._place.records
        if count and sum(1 for _ in islice(reader, count)) < count:
            reader.close()
            raise ValueError(f"{self._files.name} is not the log of the place: it has fewer events")

    def _check(self) -> None:
        now = self._files.generation()
        if now != self._place.generation:
            self.close()
            raise Compacted(
                f"{self._files.name} was compacted: the place is one of generation "
                f"{self._place.generation:,}, and this is generation {now:,}"
            )

    def _behind(self, reader: Reader[E]) -> LogPlace:
        """Return the place behind the last record of a reader."""
        kept, count = None, reader.progress.records
        place = self._place
        if place.checkpoint is not None and self._is_last:
            count += place.checkpoint.records
        if self._is_last:
            try:
                kept = reader.checkpoint()
            except (OSError, ValueError):
                # The file has another name now, or was replaced: its records were counted.
                kept = None
        events = place.events - place.records + count
        return LogPlace(place.generation, events, place.sealed, count, kept)

    def _leave(self) -> bool:
        """Go on behind a file that was read to its end; return whether it is the last one."""
        reader = self._reader
        assert reader is not None  # noqa: S101 - it was yielded
        place = self._behind(reader)
        self.close()
        if not self._is_last:
            place = LogPlace(place.generation, place.events, place.sealed + 1)
        self._place = place
        return self._is_last
