"""`concurrent`: a stage with several calls at once."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor

from penstock._annotations.on import Stop
from penstock._streams.stages import Stream

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any

    from penstock._base.place import Place

    # A call, with its item and where that comes from.
    Call = tuple[Future[Any], Any, Place | None]


class concurrent(Stream):  # noqa: N801 - it is used like a function
    """Call a function for `n` items at once, each in a thread, and emit the results in order.

    It is for functions that wait, as for a server: while one waits, others do, too. What a function
    returns goes on as from a plain stage: None is dropped, and the items of an iterator go on one
    by one. At most `n` items are held, so a slow item makes the others wait.

    An exception has the item and the place that it was raised for, also with an error target. Other
    calls that have begun end, and their results are dropped.

    Args:
        function: It is called with an item, in any of `n` threads.
        n: How many calls are in flight at most. More than six rarely help with one server.

    Raises:
        TypeError: `function` cannot be called.
        ValueError: `n` is less than 1.

    Example:
        >>> import time
        >>> from penstock.streams import concurrent
        >>> def page(number):
        ...     time.sleep(0.01)
        ...     return f"page {number}"
        >>> list(range(4) | concurrent(page, n=4))
        ['page 0', 'page 1', 'page 2', 'page 3']
    """

    __module__ = "penstock.streams"

    # A run puts its own in place of this.
    _fail: Callable[[Exception, Any, Place | None], bool | None]

    def __init__(self, function: Callable[[Any], Any], /, n: int = 4) -> None:
        """Keep the function."""
        if not callable(function):
            raise TypeError(f"concurrent() takes a function, not {type(function).__name__}")
        if n < 1:
            raise ValueError("concurrent() takes a number of calls from 1")
        self._function = function
        self._n = n
        self._threads: ThreadPoolExecutor | None = None
        self._flying: deque[Call] = deque()

    def open(self) -> None:
        """Begin without a call."""
        self._threads = ThreadPoolExecutor(self._n, "penstock-concurrent")
        self._flying = deque()

    def write(self, obj: Any, /) -> bool | None:
        """Begin a call, and emit the results that have come."""
        while len(self._flying) >= self._n:
            if self._next() is False:
                return False
        assert self._threads is not None  # noqa: S101 - a run has opened it
        self._flying.append((self._threads.submit(self._function, obj), obj, self.place))
        # An error waits for the next item, or the end: what is emitted here gets there first.
        while self._flying and _is_there(self._flying[0][0]):
            if self._next() is False:
                return False
        return None

    def flush(self) -> None:
        """Wait for all calls, and emit their results."""
        while self._flying:
            if self._next() is False:
                self.abort()

    def close(self) -> None:
        """Wait for all calls, emit their results, and end the threads."""
        try:
            self.flush()
        finally:
            self.abort()

    def abort(self) -> None:
        """Forget the calls: those that have begun end by themselves."""
        self._flying = deque()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _next(self) -> bool | None:
        """Wait for the first call, and emit its result. False if nobody wants more."""
        call, item, place = self._flying.popleft()
        try:
            result = call.result()
            if not hasattr(type(result), "__next__"):
                return None if result is None else self.emit(result)
            items = result
        except Stop:
            return self._stop()
        except Exception as error:  # noqa: BLE001 - it is handed on or raised
            return self._fail(error, item, place)
        return self._each(items, item, place)

    def _each(self, items: Any, item: Any, place: Place | None) -> bool | None:
        """Emit the items of an iterator."""
        while True:
            try:
                one = next(items)
            except StopIteration:
                return None
            except Stop:
                return self._stop()
            except Exception as error:  # noqa: BLE001 - as above
                return self._fail(error, item, place)
            if one is not None and self.emit(one) is False:
                return False

    def _stop(self) -> bool:
        """Drop the results of the items behind the one for which the function has stopped."""
        for call, _, _ in self._flying:
            call.cancel()
        self._flying.clear()
        return False

    def __getstate__(self) -> dict[str, Any]:
        """Without threads and calls: each run begins with its own."""
        return {**super().__getstate__(), "_threads": None, "_flying": deque()}

    def __repr__(self) -> str:
        name = getattr(self._function, "__name__", type(self._function).__name__)
        return f"concurrent({name}, n={self._n})"


def _is_there(call: Future[Any]) -> bool:
    """Whether a call has ended, without an error."""
    return call.done() and call.exception() is None
