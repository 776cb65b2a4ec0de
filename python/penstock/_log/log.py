"""`Log`: state as a fold over an append-only file."""

from __future__ import annotations

import errno
import os
from _thread import RLock
from _weakref import ref
from functools import reduce

import penstock.json as json
from penstock._any_format import verbs as _verbs
from penstock._base.errors import DecodeError, TruncatedInput
from penstock._log import snapshot as _snapshot
from penstock._log.cursor import Compacted, Cursor, LogPlace
from penstock._log.files import SEALED, Files, sync
from penstock._log.follow import Follower
from penstock._log.lock import Lock
from penstock._log.warned import warn
from penstock._verbs import write as _write
from penstock._verbs.recompress import recompress as _recompress

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Any, Generic, NoReturn, Self, TypeVar

    from typing_extensions import TypeForm

    import penstock._rust as _rust
    from penstock._base.types import Format, Path, Torn

    E = TypeVar("E")
    S = TypeVar("S")

    class _Of(Generic[E, S]):
        """Something that may be written with both types: `Log[Event, State]`."""

        __slots__ = ()
else:

    class _Of:
        """Makes `Log[Event, State]` possible at run time."""

        __slots__ = ()

        def __class_getitem__(cls, item: object) -> object:
            from types import GenericAlias  # noqa: PLC0415 - few need it

            return GenericAlias(cls, item)


# What a log is doing. Only `_READY` needs nothing to be done first.
_READY, _AT_WORK, _STALE, _CLOSED = range(4)

# The logs that write, or may.
_writing: set[ref[Log[Any, Any]]] = set()

# As a name of this module it is found sooner.
_hand_on = os.write

# Linux need not write the time of the change, too.
_to_disk = getattr(os, "fdatasync", os.fsync)


class Log(_Of["E", "S"]):
    r"""State that is the fold of all events in an append-only file.

    `append` writes an event behind the others and folds it into the state. Whoever opens the file
    again folds all of its events, or those behind the last `snapshot`, and has the same state. The
    file is an ordinary one of NDJSON or CSV. Only whole lines count: if a process was killed while
    it wrote the last one, that is cut off with a `LogWarning`. Damage anywhere else is an error
    with its line, and the file stays as it is.

    Without `sync`, an event is with the operating system when `append` returns: it outlives the
    process, but perhaps not a loss of power. With `sync=True`, it is on the disk.

    A log has one writer, which holds a lock on a file beside it. Several threads may use it. With
    `writable=False` it only reads, as many processes may. A process that is forked off a writer is
    none.

    The idea, to keep the changes instead of the state, is the event poster of Marcel Weiher's "iOS
    and macOS Performance Tuning" (2017).

    Args:
        path: The file, whose suffix is `.ndjson`, `.jsonl` or `.csv`. If it is not there, it is
            made.
        event: The type of an event. Several kinds are a union, such as
            `Annotated[Put | Delete, penstock.tag("kind")]`.
        fold: A function that takes the state and an event and returns the new state, which may be
            the old one, changed. If it raises, `append` writes nothing; the state is then made from
            the file again, because nobody knows what was changed of it.
        state: The type of the state, which is called without arguments for the first one. A
            `snapshot` is read into it, so it says the types of all that is in the state, as
            `dict[str, Job]` does.
        sync: Whether each event is on the disk before `append` returns.
        format: `"ndjson"` or `"csv"`; by default that of the suffix.
        version: A text that is another one whenever `fold` or `state` means something else than
            before. A snapshot of another version is not used.
        writable: Whether this is the writer.

    Raises:
        BlockingIOError: There is a writer already. The message names its process.
        OSError: The file cannot be opened.
        TypeError: `path` is not a path.
        ValueError: The format is not one of lines, or the log was compacted or changed by somebody
            else meanwhile.
        PlanError: Penstock cannot decode into `event`.
        DecodeError: A line in the file is damaged, or is no event. It is not the last one without
            an end.

    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass(frozen=True, slots=True)
        ... class Sold:
        ...     article: str
        ...     pieces: int
        >>> def apply(state: dict[str, int], event: Sold) -> dict[str, int]:
        ...     state[event.article] = state.get(event.article, 0) + event.pieces
        ...     return state
        >>> with penstock.Log("sold.ndjson", Sold, fold=apply, state=dict[str, int]) as log:
        ...     log.append(Sold("pen", 2))
        ...     log.append(Sold("pen", 3))
        >>> penstock.Log("sold.ndjson", Sold, fold=apply, state=dict[str, int]).state
        {'pen': 5}
    """

    __module__ = "penstock"
    __slots__ = (
        "__weakref__",
        "_count",
        "_cursor",
        "_descriptor",
        "_encode",
        "_encoder",
        "_event",
        "_files",
        "_fold",
        "_hold",
        "_kind",
        "_lock",
        "_state",
        "_status",
        "_sync",
        "_version",
    )

    _count: int
    _cursor: Cursor[E]
    _state: Any
    _lock: Lock | None
    _encoder: _rust.Encoder
    # Returns an event as it is written, but for its line feed.
    _encode: Callable[[E], bytes]

    def __init__(
        self,
        path: Path,
        event: TypeForm[E],
        /,
        *,
        fold: Callable[[S, E], S],
        state: Callable[[], S],
        sync: bool = False,
        format: Format | None = None,
        version: str = "",
        writable: bool = True,
    ) -> None:
        """Open the file, and fold its events."""
        self._status = _CLOSED
        self._lock, self._descriptor = None, -1
        self._files = Files(path, format)
        self._event, self._kind = event, state
        self._fold, self._sync, self._version = fold, sync, version
        self._hold = RLock()
        self._cursor = Cursor(self._files, event, LogPlace())
        if writable:
            self._lock = Lock(self._files.lock, self._files.name)
            _writing.add(ref(self, _writing.discard))
        try:
            self._load()
        except BaseException:
            self._end()
            raise

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._files.path

    @property
    def paths(self) -> list[str]:
        """The sealed files in order, and the log itself, which have all events."""
        files, found = self._files, list[str]()
        generation = files.generation()
        while (sealed := files.sealed(generation, len(found) + 1)) is not None:
            found.append(sealed)
        return [*found, files.path]

    @property
    def closed(self) -> bool:
        """Whether the log is closed."""
        return self._status == _CLOSED

    @property
    def state(self) -> S:
        """The fold of all events, which only events change.

        If this is not the writer, it is that of the file as it is now. So each time, the events
        that have come meanwhile are read.

        Raises:
            DecodeError: A line of the file is damaged.
            OSError: The file cannot be read.
            ValueError: The log is closed.
        """
        with self._hold:
            if self._status or self._lock is None:
                self._prepare()
            state: S = self._state
            return state

    @property
    def place(self) -> LogPlace:
        """The place behind the last event of the state.

        If this is not the writer, it is that of the state which `state` has returned last.

        Raises:
            OSError: The file cannot be read.
            ValueError: The log is closed, or somebody else has written to the file.
        """
        with self._hold:
            if self._status:
                self._prepare()
            return self._placed()

    def append(self, event: E, /) -> None:
        """Write an event, and fold it into the state.

        Raises:
            Exception: What `fold` raises; nothing was written.
            EncodeError: The event is not of the type of this log; nothing was written.
            OSError: The event cannot be written. The state is that of the file, which may have it.
            RuntimeError: `fold` itself appends.
            TypeError: `fold` has returned None.
            ValueError: The log is closed, or not writable.
        """
        with self._hold:
            if self._status or self._lock is None:
                self._prepare_to_write()
            self._status = _AT_WORK
            try:
                state = self._fold(self._state, event)
                if state is None:
                    _refuse_none(self._fold)
                line = self._encode(event) + b"\n"
                if _hand_on(self._descriptor, line) != len(line):
                    _refuse_part(self._files.name)
                if self._sync:
                    _to_disk(self._descriptor)
            except BaseException:
                self._status = _STALE
                raise
            self._state = state
            self._count += 1
            self._status = _READY

    def append_all(self, events: Iterable[E], /) -> None:
        """Append each event of an iterable, in large writes.

        With `sync=True`, all of them are on the disk at the end. If one raises, those before it are
        written.

        Raises:
            Exception: What `events` raises, and as for `append`.
        """
        with self._hold:
            self._prepare_to_write()
            self._status = _AT_WORK
            fold, state, count = self._fold, self._state, self._count
            writer = _write.write(
                "append_all", self._encoder, None, self._take, None, None, sync=False
            )
            try:
                try:
                    for event in _write.iterate("append_all", events):
                        state = fold(state, event)
                        if state is None:
                            _refuse_none(fold)
                        writer.write(event)
                        count += 1
                finally:
                    writer.flush()
                    writer.abort()
                    if self._sync:
                        _to_disk(self._descriptor)
            except BaseException:
                self._status = _STALE
                raise
            self._state, self._count = state, count
            self._status = _READY

    def snapshot(self) -> None:
        """Keep the state, and the place behind it, in one file beside the log.

        Whoever opens the log next reads only the events behind it. The file is replaced whole. One
        that cannot be read is as good as none. The events since the last snapshot are read once for
        it.

        Raises:
            EncodeError: The state cannot be written as `state` says, or would be another one when
                it is read.
            OSError: The file cannot be written.
            ValueError: The log is closed, or not writable; or somebody else has written to it.
        """
        with self._hold:
            self._prepare_to_write()
            place = self._placed()
            _snapshot.keep(
                self._files.snapshot, self._state, self._kind, place, self._version, self._sync
            )

    def compact(self, events: Iterable[E], /) -> None:
        """Put other events in the place of all that there are: a new generation of the log.

        They are written beside the log first, and take its place at once, or not at all. The state
        is the fold of them. Whoever follows the log gets an error. Sealed files go, too. The events
        are a sealed file then, as those of `seal`, and the log itself is empty.

        Args:
            events: Mostly they are made from the state. They are folded into another one.

        Raises:
            Exception: What `events` and `fold` raise. The log is as before.
            OSError: As for `append`.
            ValueError: The log is closed, or not writable.

        Example:
            >>> import penstock
            >>> def latest(state: dict[str, int], event: tuple[str, int]) -> dict[str, int]:
            ...     return {**state, event[0]: event[1]}
            >>> with penstock.Log(
            ...     "sizes.ndjson", tuple[str, int], fold=latest, state=dict[str, int]
            ... ) as log:
            ...     log.append_all([("a", 1), ("b", 2), ("a", 3)])
            ...     log.compact(log.state.items())
            ...     log.place.events, log.state
            (2, {'a': 3, 'b': 2})
        """
        with self._hold:
            self._prepare_to_write()
            files, place = self._files, self._placed()
            first = files.part(place.generation + 1, 1)
            self._status = _AT_WORK
            try:
                with _verbs.write(
                    first, self._event, format=files.format, compression=None, sync=True
                ) as writer:
                    for event in _write.iterate("compact", events):
                        writer.write(event)
                # The events are folded as they are read, before anything else is done with them.
                self._folded(_verbs.read(first, self._event, format=files.format, empty="allow"))
            except BaseException:
                if os.path.exists(first):  # noqa: PTH110 - pathlib is slow to import
                    os.remove(first)  # noqa: PTH107 - as above
                self._status = _READY
                raise
            self._status = _STALE
            self._stop_writing()
            # What was there is sealed, the new generation is its own first sealed file, and now the
            # number says which of them counts.
            os.rename(files.path, files.part(place.generation, place.sealed + 1))  # noqa: PTH104 - pathlib is slow to import
            files.sync()
            files.begin(place.generation + 1)
            self._load()
            self._compress_sealed(place.generation + 1, 1)

    def seal(self) -> str | None:
        """Finish the file and compress it in pieces; further events go into a new one.

        The sealed file is named like the log, with the generation and a number:
        `state.1-1.ndjson.zst`. It belongs to the log as before, and is never changed.
        `penstock.read`, `split` and `columns` read it, also in several threads, because its pieces
        are decompressed on their own, and a table at its end says where they are.

        Returns:
            The path of the sealed file; None if there was no event to seal.

        Raises:
            OSError: A file cannot be written. No event is lost: it is compressed the next time.
            ValueError: The log is closed, or not writable.
        """
        with self._hold:
            self._prepare_to_write()
            files, place = self._files, self._placed()
            if place.records == 0:
                return None
            self._status = _STALE
            self._stop_writing()
            number = place.sealed + 1
            os.rename(files.path, files.part(place.generation, number))  # noqa: PTH104 - pathlib is slow to import
            files.sync()
            # The events are the same, and so is their fold.
            self._cursor = Cursor(
                files, self._event, LogPlace(place.generation, place.events, number)
            )
            self._start_writing()
            self._status = _READY
            self._compress_sealed(place.generation, number)
            return files.sealed(place.generation, number)

    def follow(self, place: LogPlace | None = None, /, *, wait: float | None = 0.1) -> Follower[E]:
        """Return an iterator over the events that come, for anyone who reads along.

        Args:
            place: Behind which event it begins; by default behind the last one of the state.
                `LogPlace()` is the beginning of the first generation.
            wait: How many seconds it sleeps if there is nothing new. With None it ends there, and
                may be asked again.

        Raises:
            TypeError: `place` is not a place.
            ValueError: `wait` is negative; or the log is closed.

        Example:
            >>> import penstock
            >>> def count(state: list[int], event: str) -> list[int]:
            ...     return [*state, len(event)]
            >>> log = penstock.Log("words.ndjson", str, fold=count, state=list[int])
            >>> news = log.follow(wait=None)
            >>> log.append("penstock")
            >>> list(news), list(news)
            (['penstock'], [])
            >>> log.close()
        """
        if place is None:
            place = self.place
        elif not isinstance(place, LogPlace):
            raise TypeError(f"follow() takes a LogPlace, not {type(place).__name__}")
        return Follower(self._files, self._event, place, wait)

    def close(self) -> None:
        """Give up the lock. Closing again does nothing."""
        with self._hold:
            if self._status == _AT_WORK:
                raise _at_work()
            self._end()

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
        """Close the log."""
        self.close()

    def __del__(self) -> None:
        """Close a log that nobody uses any more. There is nothing to lose: all was handed on."""
        if getattr(self, "_status", _CLOSED) != _CLOSED:
            self._end()

    def __repr__(self) -> str:
        """Return the path, and what may be done."""
        how = "closed" if self.closed else "reading" if self._lock is None else "writing"
        return f"<Log {self._files.name!r}, {how}>"

    def _prepare(self) -> None:
        """Have the state be that of the file."""
        if self._status == _CLOSED:
            raise ValueError(f"{self._files.name}: the log is closed")
        if self._status == _AT_WORK:
            raise _at_work()
        if self._status == _STALE:
            self._load()
        elif self._files.generation() != self._cursor.generation:
            # It was compacted, and is read from the beginning.
            self._load()
        else:
            self._status = _STALE
            try:
                self._read_on()
            except Compacted:
                self._load()
            self._status = _READY

    def _prepare_to_write(self) -> None:
        if self._status:
            self._prepare()
        if self._lock is None:
            raise ValueError(f"{self._files.name}: the log was opened with writable=False")

    def _forget(self) -> None:
        """Be as a log that was just opened, in a process that was forked off the writer."""
        # A thread of the parent may have been at work.
        self._hold = RLock()
        self._stop_writing()
        if self._lock is not None:
            self._lock.forget()
        if self._status != _CLOSED:
            self._status = _STALE

    def _load(self) -> None:
        """Fold the events of the file, from the last snapshot on."""
        self._status = _STALE
        self._stop_writing()
        files, generation = self._files, self._files.generation()
        if self._lock is None:
            if not os.path.exists(files.lock):  # noqa: PTH110 - pathlib is slow to import
                raise FileNotFoundError(errno.ENOENT, "there is no log", files.name)
        else:
            if not self._lock.held:
                self._lock = Lock(files.lock, files.name)
            # What was begun and does not count, and what does not count any more.
            files.remove(generation + 1)
            files.remove(generation - 1)
            self._start_writing()
        if not self._load_snapshot(generation):
            self._begin(LogPlace(generation), self._kind())
            self._read_on()
        self._status = _READY

    def _load_snapshot(self, generation: int) -> bool:
        """Go on behind the last snapshot. Whatever is wrong with it, all events are there, too."""
        try:
            kept = _snapshot.kept(self._files.snapshot, self._kind, self._version)
            if kept is None or kept[1].generation != generation:
                return False
            state, place = kept
            self._begin(place, state)
            self._cursor.open()
        except Exception as error:  # noqa: BLE001 - classes of the caller's may raise anything
            self._cursor.close()
            warn(f"{self._files.snapshot} is not used, and all events are read: {error}")
            return False
        self._read_on()
        return True

    def _begin(self, place: LogPlace, state: S) -> None:
        self._cursor = Cursor(self._files, self._event, place)
        self._state = state
        self._count = place.events

    def _read_on(self) -> None:
        """Fold the events that were not read yet."""
        for reader in self._cursor.readers():
            try:
                state = reduce(self._fold, reader, self._state)
            except Exception as error:
                if not isinstance(error, DecodeError):
                    # It is one of the fold's, and has no place of its own.
                    error.add_note(f"while a log was folded: {reader.place}")
                self._cursor.close()
                raise
            if state is None:
                _refuse_none(self._fold)
            self._state = state
        self._count = self._cursor.place.events

    def _placed(self) -> LogPlace:
        """Return the place behind the last event, which is the end of the file of a writer."""
        if self._lock is None:
            return self._cursor.place
        for reader in self._cursor.readers():
            for _ in reader:
                pass
        place = self._cursor.place
        if place.events != self._count:
            self._status = _STALE
            raise ValueError(
                f"{self._files.name} has {place.events:,} events, of which this log knows "
                f"{self._count:,}: somebody else has changed the file"
            )
        return place

    def _folded(self, events: Iterable[E]) -> S:
        """Return the state that some events make."""
        state = reduce(self._fold, events, self._kind())
        if state is None:
            _refuse_none(self._fold)
        return state

    def _start_writing(self) -> None:
        """Open the file to append to it, and cut off what is no whole line."""
        files = self._files
        is_new = not os.path.exists(files.path)  # noqa: PTH110 - pathlib is slow to import
        try:
            self._check_end("error")
        except TruncatedInput:
            size = os.path.getsize(files.path)  # noqa: PTH202 - as above
            self._check_end("cut")
            lost = size - os.path.getsize(files.path)  # noqa: PTH202 - as above
            warn(
                f"{files.name}: the last line had no end, so its event was never acknowledged: "
                f"{lost:,} bytes were cut off"
            )
        self._descriptor = os.open(files.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        if files.format == "csv" and os.fstat(self._descriptor).st_size == 0:
            raise ValueError("a log of CSV needs a class of events, which says its columns")
        self._encoder = _write.encoder(
            "write", files.format, self._event, None, None, None, files.path, append=True
        )
        if files.format == "csv":
            encode_all = self._encoder.encode_all
            self._encode = lambda event: encode_all((event,)).removesuffix(b"\n")
        else:
            # A line is one value of JSON.
            self._encode = json.Encoder(self._event).encode
        if is_new and self._sync:
            files.sync()

    def _check_end(self, torn: Torn) -> None:
        """Check that lines may follow those of the file, which is made if there is none."""
        files = self._files
        _verbs.write(
            files.path, self._event, format=files.format, compression=None, append=True, torn=torn
        ).close()

    def _take(self, chunk: bytes) -> None:
        """Write events that `append_all` has gathered."""
        if _hand_on(self._descriptor, chunk) != len(chunk):
            _refuse_part(self._files.name)

    def _stop_writing(self) -> None:
        """Close the file."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _end(self) -> None:
        """Close everything."""
        self._status = _CLOSED
        self._cursor.close()
        self._stop_writing()
        if self._lock is not None:
            self._lock.release()

    def _compress_sealed(self, generation: int, last: int) -> None:
        """Compress the sealed files up to a number that are not compressed yet."""
        for number in range(last, 0, -1):
            plain = self._files.part(generation, number)
            if not os.path.exists(plain):  # noqa: PTH110 - pathlib is slow to import
                # Those before it were compressed when it was sealed.
                return
            packed = plain + SEALED
            _recompress(plain, packed, format=self._files.format)
            sync(packed)
            self._files.sync()
            os.remove(plain)  # noqa: PTH107 - pathlib is slow to import


def _refuse_none(fold: Any) -> NoReturn:
    name = getattr(fold, "__name__", repr(fold))
    raise TypeError(f"{name}() has returned None: a fold returns the state, also a changed one")


def _refuse_part(name: str) -> NoReturn:
    message = "only a part of an event was written: the next use of the log cuts it off"
    raise OSError(errno.ENOSPC, message, name)


def _at_work() -> RuntimeError:
    return RuntimeError("this Log is already at work: its fold or its events use it")


def _forget_all() -> None:
    """Have no log write in a process that was forked off, and let go of what the parent has."""
    for reference in tuple(_writing):
        log = reference()
        if log is not None:
            log._forget()  # noqa: SLF001 - of the same module


os.register_at_fork(after_in_child=_forget_all)
