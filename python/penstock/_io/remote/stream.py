"""The bytes of a file behind an address, in order, with several requests in flight.

The first piece is small, so that the first record is there soon. Each one is twice as long as the
one before, up to 8 MiB. A piece is asked for in a thread of its own. So whoever waits answers
signals, and the pieces that come meanwhile need nobody.
"""

from __future__ import annotations

import threading
from collections import deque
from queue import Empty, Full, Queue

from penstock._io.remote.stores import FIRST

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from typing_extensions import Buffer

    class Asked(Protocol):
        """What a stream asks: a `Remote`."""

        @property
        def requests(self) -> int: ...

        @property
        def size(self) -> int | None: ...

        def fetch(self, start: int, end: int) -> list[Buffer]: ...

        def fetch_all(self) -> Iterable[Buffer]: ...


MOST = 8 << 20
"""How many bytes a piece has at most."""

# How many seconds somebody waits until signals are answered.
_SIGNALS = 0.03
# How many chunks of a stream that knows no ranges are there at most, and nobody has taken them.
_AHEAD = 16
# How long the thread of such a stream waits until it looks whether anybody wants it still.
_LOOK = 0.1


class Task:
    """A call in a thread of its own, whose result somebody waits for."""

    __slots__ = ("_done", "_error", "_result")

    def __init__(self, function: Callable[..., list[Buffer]], *arguments: int) -> None:
        """Begin the call."""
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._result: list[Buffer] = []
        threading.Thread(target=self._run, args=(function, arguments), daemon=True).start()

    def _run(self, function: Callable[..., list[Buffer]], arguments: tuple[int, ...]) -> None:
        try:
            self._result = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            self._error = error
        self._done.set()

    def result(self) -> list[Buffer]:
        """Wait, and return the result or raise the error of the call."""
        # A signal may have come to another thread, which does not wake this one.
        while not self._done.wait(_SIGNALS):
            pass
        if self._error is not None:
            raise self._error
        return self._result


class Pieces:
    """A binary file over ranges of bytes, of which several are in flight."""

    def __init__(self, remote: Asked, start: int, until: int | None) -> None:
        """Begin at an offset. Behind `until`, it asks only for what is read."""
        self._remote = remote
        self._next = start
        self._until = until
        self._size = self._more = FIRST
        self._flying: deque[Task] = deque()
        self._chunks: deque[memoryview] = deque()
        self._ask()

    @property
    def first(self) -> Task:
        """The piece that comes next, with which the size of the file is known."""
        return self._flying[0]

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
        while not self._chunks:
            if not self._flying:
                self._ask()
                if not self._flying:
                    return b""
            # An error stays where it is: whoever asks again gets it again.
            chunks = self._flying[0].result()
            self._flying.popleft()
            self._chunks.extend(memoryview(chunk) for chunk in chunks)
            if self._is_wanted():
                self._ask()
        chunk = self._chunks.popleft()
        if len(chunk) > size:
            self._chunks.appendleft(chunk[size:])
            chunk = chunk[:size]
        return bytes(chunk)

    def _is_wanted(self) -> bool:
        return self._until is None or self._next < self._until

    def _ask(self) -> None:
        """Ask for the next pieces, as many as may be in flight.

        Behind what is surely wanted, the first one is small.
        """
        total = self._remote.size
        while total is None or self._next < total:
            is_wanted = self._is_wanted()
            end = self._next + (self._size if is_wanted else self._more)
            if is_wanted and self._until is not None:
                # The first piece may as well be longer than what is wanted.
                end = min(end, max(self._until, self._next + FIRST))
            if total is not None:
                end = min(end, total)
            self._flying.append(Task(self._remote.fetch, self._next, end))
            self._next = end
            if is_wanted:
                self._size = min(2 * self._size, MOST)
            else:
                self._more = min(2 * self._more, MOST)
            is_full = len(self._flying) >= self._remote.requests
            if is_full or total is None or not self._is_wanted():
                return


class Whole:
    """A binary file over one stream, for servers that give the whole file only."""

    def __init__(self, remote: Asked, skip: int = 0) -> None:
        """Begin the stream; the first bytes are passed over."""
        self._pump = _Pump(remote)
        self._chunk = memoryview(b"")
        self._is_over = False
        while skip > 0 and (passed := self.read(min(skip, 1 << 20))):
            skip -= len(passed)

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
        while not self._chunk:
            chunk = None if self._is_over else self._pump.take()
            if chunk is None:
                self._is_over = True
                return b""
            self._chunk = memoryview(chunk)
        chunk, self._chunk = self._chunk[:size], self._chunk[size:]
        return bytes(chunk)

    def __del__(self) -> None:
        """Let the thread end."""
        self._pump.is_wanted = False


class _Pump:
    """Takes the chunks of a stream in a thread, as long as somebody wants them."""

    def __init__(self, remote: Asked) -> None:
        self.is_wanted = True
        self._queue: Queue[Buffer | BaseException | None] = Queue(_AHEAD)
        threading.Thread(target=self._run, args=(remote,), daemon=True).start()

    def _run(self, remote: Asked) -> None:
        try:
            for chunk in remote.fetch_all():
                if not self._put(chunk):
                    return
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            self._put(error)
        else:
            self._put(None)

    def _put(self, given: Buffer | BaseException | None) -> bool:
        while self.is_wanted:
            try:
                self._queue.put(given, timeout=_LOOK)
            except Full:
                continue
            return True
        return False

    def take(self) -> Buffer | None:
        """Wait for the next chunk; None at the end."""
        while True:
            try:
                given = self._queue.get(timeout=_SIGNALS)
            except Empty:
                continue
            if isinstance(given, BaseException):
                raise given
            return given
