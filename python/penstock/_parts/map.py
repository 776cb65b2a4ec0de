"""`penstock.map`: the records of files, worked on in several processes."""

from __future__ import annotations

import os
import pickle
from collections import deque
from dataclasses import dataclass
from itertools import islice
from types import GenericAlias

from penstock._base.processors import not_begun, usable
from penstock._io import sources as _sources
from penstock._parts.split import SIZE, Split, Splits
from penstock._parts.split import split as split_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor
    from types import TracebackType
    from typing import Any, Generic, Self, TypeVar

    from typing_extensions import TypeForm

    from penstock._base.errors import DecodeError
    from penstock._base.limits import Limits
    from penstock._base.types import At, Errors, Format, Sources, T
    from penstock._rust import Reader

    R = TypeVar("R")

    class _Results(Generic[R]):
        """A class that may be written with the type of a result: `Map[int]`."""
else:

    class _Results:
        """As for a checker."""

        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)


# How many parts there are for each process, so that all of them end at about the same time.
_PARTS = 4
# The least bytes of a part: to begin one takes some milliseconds.
_LEAST = 1 << 20
# How many parts are handed out ahead, for each process.
_AHEAD = 2


@dataclass(frozen=True, slots=True)
class MapProgress:
    """How far `penstock.map` is: what the parts hold whose results you have.

    Attributes:
        parts: How many parts these are.
        parts_total: How many parts there are.
        records: How many records they have, without those in error.
        bytes: How many bytes of text they have.
        bytes_total: How many bytes of text all parts have.
    """

    parts: int
    parts_total: int
    records: int
    bytes: int
    bytes_total: int


MapProgress.__module__ = "penstock"


@dataclass(frozen=True, slots=True)
class _Done:
    """What a worker has made of a part."""

    result: Any
    errors: list[DecodeError]
    records: int


class _WorkerTraceback(Exception):
    """The traceback of an exception in a worker, as the cause of the same exception here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


@dataclass(frozen=True, slots=True)
class _Answer:
    """What crosses processes.

    Nothing in it can fail to be unpickled by the pool, which would take that for a killed worker,
    and lose it.
    """

    # What `pickle` makes of what was done, or of the exception. None if it cannot.
    data: bytes | None
    # If there is an exception: what it says, and its traceback.
    raised: tuple[str, str] | None = None

    def done(self) -> _Done:
        """Return what was done, or raise the exception."""
        if self.raised is None:
            return pickle.loads(self.data or b"")  # noqa: S301
        said, traceback = self.raised
        try:
            error: Any = pickle.loads(self.data or b"")  # noqa: S301 - a worker of ours made it
        except Exception:  # noqa: BLE001 - its class decides what happens then
            error = None
        if not isinstance(error, BaseException):
            reason = "the function raised an exception that pickle cannot bring to this process"
            error = RuntimeError(f"{reason}: {said}")
        error.__cause__ = _WorkerTraceback(traceback)
        raise error


def _answer(work: Callable[[], _Done]) -> _Answer:
    """Return what a worker answers."""
    try:
        return _Answer(pickle.dumps(work()))
    except BaseException as error:  # noqa: BLE001 - the caller's process raises it
        import traceback  # noqa: PLC0415 - it is slow to import

        lines = "".join(traceback.format_exception(error))
        said = "".join(traceback.format_exception_only(error)).strip()
        try:
            data = pickle.dumps(error)
        except Exception:  # noqa: BLE001 - the text is what can be said
            data = None
        return _Answer(data, (said, lines))


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker does with each part. It is pickled with it."""

    function: Callable[[Reader[Any]], Any]
    into: Any
    options: dict[str, Any]
    # Whether the caller's process is told of errors, and of how many at most.
    tells: bool
    most: int | None

    def __call__(self, part: Split) -> _Answer:
        return _answer(lambda: self._done(part))

    def _done(self, part: Split) -> _Done:
        errors: list[DecodeError] = []

        def tell(error: DecodeError) -> None:
            if self.most is None or len(errors) <= self.most:
                errors.append(error)

        options = {**self.options, "errors": tell} if self.tells else self.options
        with part.read(self.into, **options) as reader:
            result = self.function(reader)
            return _Done(result, errors, reader.progress.records)


class _Collected:
    """What becomes of records in error, in the caller's process."""

    def __init__(self, errors: Errors, most: int) -> None:
        self._function = errors if callable(errors) else None
        self._most = most
        self._errors: list[DecodeError] = []

    def tell(self, errors: list[DecodeError]) -> None:
        """Give errors to the caller's function, or keep them.

        Raises:
            ExceptionGroup: There are more than may be kept.
        """
        for error in errors:
            if self._function is not None:
                self._function(error)
            elif len(self._errors) < self._most:
                self._errors.append(error)
            else:
                self.end()

    def end(self) -> None:
        """Raise what was kept."""
        count = len(self._errors)
        if count:
            records = "record" if count == 1 else "records"
            raise ExceptionGroup(f"{count} {records} in error", self._errors)


class Map(_Results["R"]):
    """The results of a function for each part of files, in order. `penstock.map` makes it.

    It is an iterator, and a context manager, which ends the processes as `close` does. If an
    exception leaves the `with` block, or interrupts the waiting for a result, the processes are
    ended at once.

    Attributes:
        splits: The parts.
        progress: How far it is. Any thread may ask.
    """

    __slots__ = ("_results", "_state", "splits")
    __module__ = "penstock"

    splits: Splits
    _state: _State
    _results: Iterator[R]

    def __init__(self, splits: Splits, job: _Job, collected: _Collected, processes: int) -> None:
        self.splits = splits
        self._state = _State(splits)
        self._results = _run(self._state, splits, job, collected, processes)

    @property
    def progress(self) -> MapProgress:
        """How far it is. Any thread may ask."""
        return self._state.progress

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> R:
        return next(self._results)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            # Nobody wants what the processes are at.
            self._results.close()  # type: ignore[attr-defined]  # it is a generator

    def close(self) -> None:
        """End the processes, once the parts are done that they work on. No results follow."""
        self._state.waits = True
        self._results.close()  # type: ignore[attr-defined]  # it is a generator


class _State:
    """What the results and whoever takes them share."""

    __slots__ = ("progress", "waits")

    def __init__(self, splits: Splits) -> None:
        self.progress = MapProgress(0, len(splits), 0, 0, sum(_size(part) for part in splits))
        # Whether the parts that processes work on are to be done, if the results end before.
        self.waits = False

    def count(self, part: Split, done: _Done) -> None:
        """Count a part whose result is handed over."""
        before = self.progress
        self.progress = MapProgress(
            before.parts + 1,
            before.parts_total,
            before.records + done.records,
            before.bytes + _size(part),
            before.bytes_total,
        )


# A function of its own: a generator of the class would keep the object alive, and the processes.
def _run(
    state: _State, splits: Splits, job: _Job, collected: _Collected, processes: int
) -> Iterator[Any]:
    # Few programs have several processes, and this is slow to import.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415
    from multiprocessing import get_context  # noqa: PLC0415

    left = iter(splits)
    running: deque[tuple[Split, Future[_Answer]]] = deque()
    # A forked child cannot ask as its parent has done.
    context = get_context("spawn") if any(part.remote is not None for part in splits) else None
    pool = ProcessPoolExecutor(processes, context)
    # If an exception comes from elsewhere while this waits, the parts at work are of no use.
    waits = False
    try:
        while True:
            for part in islice(left, processes * _AHEAD - len(running)):
                try:
                    running.append((part, pool.submit(job, part)))
                except RuntimeError as error:
                    raise not_begun(error) from error.__cause__
            if not running:
                break
            part, future = running[0]
            answer = future.result()
            waits = True
            running.popleft()
            done = answer.done()
            state.count(part, done)
            collected.tell(done.errors)
            waits = False
            yield done.result
        waits = True
    except BrokenProcessPool as error:
        waits = True
        parts = "".join(f"\n  {part}" for part, future in running if future.exception())
        reason = f"a worker process was killed. These parts are not done:{parts}"
        raise RuntimeError(reason) from error
    finally:
        if waits or state.waits:
            pool.shutdown(cancel_futures=True)
        else:
            _end(pool)
    collected.end()


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes at once, whatever they are at."""
    workers = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()


def map(
    source: Sources | Splits,
    into: TypeForm[T],
    function: Callable[[Reader[T]], R],
    /,
    *,
    processes: int | None = None,
    bytes: int | None = None,
    format: Format | None = None,
    at: At[T] | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
    limits: Limits | None = None,
    **options: Any,
) -> Map[R]:
    r"""Work on the records of files in several processes.

    The files are split as `penstock.split` does it. Your function gets the records of a part, as
    an iterator, in a process of its own: no object crosses processes but what it returns. The
    results come in the order of the parts. A few parts are handed out ahead, so results that you do
    not take do not pile up.

    The processes begin as those of `concurrent.futures.ProcessPoolExecutor`, so `function`, `into`
    and the results must be what `pickle` takes: a function of a module, and not a lambda.

    Args:
        source: A path, a list of paths, a pattern or a folder; or the parts that
            `penstock.split` has found.
        into: The type of one record.
        function: It is called with a reader for each part, and returns what you want of it.
        processes: How many processes there are; by default one for each core.
        bytes: About how many bytes a part has; by default so many that each process has some.
        format: As for `penstock.read`.
        at: Where the records are, as for `penstock.read`.
        errors: What to do with a record that does not fit, as for `penstock.read`. `"raise"` raises
            the error in place of the result of its part. A function is called here, and not in the
            worker, before you get the result of the part. `"collect"` raises an `ExceptionGroup`
            after the last result.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        limits: The limits to enforce instead of the default ones.
        **options: The other options of `penstock.read`, such as `unknown` and `types`.

    Returns:
        An iterator over the results, with `splits` and `progress`.

    Raises:
        OSError: A file cannot be opened.
        TypeError: `function` or `into` cannot be pickled; or as for `penstock.split`.
        ValueError: `processes` or `max_errors` is less than 1; or as for `penstock.split`.
        DecodeError: While iterating: a record is in error.
        RuntimeError: While iterating: a worker was killed. The message says which parts are not
            done. All results before them have been handed over. Or the function raised an exception
            that `pickle` cannot bring here: the message has its text.

    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("primes.ndjson")
        >>> _ = path.write_text("2\n3\n5\n7\n")
        >>> with penstock.map(path, int, sum, processes=2, bytes=4) as sums:
        ...     print(list(sums), sums.progress.records)
        [5, 12] 4
    """
    processes = usable() if processes is None else processes
    if processes < 1:
        raise ValueError(f"processes must be at least 1, not {processes}")
    if max_errors < 1:
        raise ValueError("max_errors must be at least 1")
    tells = callable(errors) or errors == "collect"
    if not tells:
        options["errors"] = errors
    options["limits"] = limits
    job = _Job(function, into, options, tells, None if callable(errors) else max_errors)
    try:
        pickle.dumps(job)
    except Exception as error:
        raise TypeError(f"another process cannot get the function or the type: {error}") from error
    if isinstance(source, Splits):
        splits = source
    else:
        size = _part_size(source, processes) if bytes is None else bytes
        splits = split_of(
            source, bytes=size, format=format, at=at, limits=limits, threads=min(processes, 256)
        )
    return Map(splits, job, _Collected(errors, max_errors), processes)


map.__module__ = "penstock"


def _size(part: Split) -> int:
    """Return how many bytes of text a part has."""
    return (part.text if part.end is None else part.end) - part.begin


def _part_size(source: Sources, processes: int) -> int:
    """Return how many bytes a part has, so that each process has some."""
    size: int | None = None
    if _sources.is_remote(source):
        size = _sources.stat(source).st_size  # type: ignore[arg-type]  # it is one
    elif isinstance(source, (str, os.PathLike)) and os.path.isfile(source):  # noqa: PTH113
        size = os.stat(source).st_size  # noqa: PTH116 - pathlib is slow to import
    # Of a server that gives no ranges, `split` says why there are no parts.
    if size is None:
        return SIZE
    return min(SIZE, max(_LEAST, size // (processes * _PARTS)))
