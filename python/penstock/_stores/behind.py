"""`WriteBehind`: a fast store now, and a slow one behind it, as soon as that can."""

from __future__ import annotations

import os
import time
import warnings
from threading import Condition, Thread
from typing import Any, NamedTuple

from penstock._stores.base import Store
from penstock._stores.pending import Pending

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self


# So many seconds the thread waits for more to do.
_IDLE = 0.2


class Undrained(NamedTuple):
    """A value that could not be written to the slow store.

    Attributes:
        ref: Its reference.
        error: What the store raised.
    """

    ref: str
    error: Exception


Undrained.__module__ = "penstock.stores"


class WriteBehind(Store):
    """Writes to a fast store, and has a thread bring the slow one up to date.

    Only references wait for the thread, each of them once. It takes the value that is there when it
    writes it, and deletes what is not there any more. So a thousand changes of a reference while
    the slow store is busy are one write, and the last value is never lost. A change that comes
    while the value is written is written again behind it.

    What is not written yet is lost if the process is killed. `flush` and `close` wait for it, and
    so does the end of the interpreter. The slow store must not be changed by others.

    That only references wait is from Marcel Weiher's "iOS and macOS Performance Tuning" (2017), and
    the rule for what changes meanwhile is from the work queues of Kubernetes' client-go.

    Args:
        fast: The store that is written at once, mostly a `Memory`. Values in it must not change:
            put others.
        slow: The store that follows. What `fast` does not have is read there.
        most: How many references wait at most. If there are so many, `Store.put` waits.
        errors: It gets an `Undrained` for each value that cannot be written: a function, such as
            the `append` of a list. By default `flush` and `close` raise them. The reference is
            tried again when it changes, and by `flush` and `close`.

    Raises:
        ValueError: `most` is less than 1.

    Example:
        >>> from penstock.stores import Folder, Memory, WriteBehind
        >>> disk = Folder("tasks")
        >>> with WriteBehind(Memory(), disk) as store:
        ...     for title in ("mil", "milk"):
        ...         store.put("task/7", title)
        ...     store.get("task/7")
        'milk'
        >>> disk.get("task/7")
        'milk'
    """

    __module__ = "penstock.stores"
    __slots__ = (
        "_broken",
        "_condition",
        "_errors",
        "_failed",
        "_fast",
        "_is_closed",
        "_most",
        "_pending",
        "_process",
        "_slow",
        "_thread",
    )

    def __init__(
        self,
        fast: Store,
        slow: Store,
        /,
        *,
        most: int = 10_000,
        errors: Callable[[Undrained], object] | None = None,
    ) -> None:
        """Put one store in front of the other. The thread begins with the first change."""
        super().__init__()
        if most < 1:
            raise ValueError(f"most must be at least 1, not {most}")
        self._fast, self._slow, self._most, self._errors = fast, slow, most, errors
        self._pending = Pending()
        self._failed: dict[str, Exception] = {}
        self._condition = Condition()
        self._is_closed = False
        self._thread: Thread | None = None
        self._broken: Exception | None = None
        self._process = os.getpid()

    @property
    def undrained(self) -> Sequence[str]:
        """The references that the slow store does not have as they are."""
        with self._condition:
            return [*self._failed, *self._pending.refs()]

    def flush(self, timeout: float | None = None, /) -> None:
        """Wait until the slow store has everything. What has failed is tried again.

        Args:
            timeout: After how many seconds it gives up.

        Raises:
            TimeoutError: It took longer.
            ExceptionGroup: What the slow store has raised, if there is no `errors`.
            RuntimeError: This process was forked off from the one that writes.
        """
        until = None if timeout is None else time.monotonic() + timeout
        with self._condition:
            self._check_process()
            for ref in [*self._failed]:
                self._mark(ref)
            while self._pending:
                rest = None if until is None else until - time.monotonic()
                if rest is not None and rest <= 0:
                    raise TimeoutError(f"not written yet: {_names(self._pending.refs())}")
                self._condition.wait(rest)
            failed, broken = dict(self._failed), self._broken
            self._broken = None
        if broken is not None:
            raise broken
        if failed and self._errors is None:
            for ref, error in failed.items():
                error.add_note(f"while {ref!r} was written")
            raise ExceptionGroup(f"not written: {_names(list(failed))}", list(failed.values()))

    def close(self, timeout: float | None = None, /) -> None:
        """Flush, and end the thread. Closing again does nothing.

        If something could not be written, `undrained` has it.

        Raises:
            TimeoutError: As for `flush`; what was not written then stays so.
            ExceptionGroup: As for `flush`.
        """
        with self._condition:
            if self._is_closed:
                return
            # Nothing more comes.
            self._is_closed = True
            self._condition.notify_all()
        try:
            self.flush(timeout)
        finally:
            thread = self._thread
            if thread is not None and not self._pending:
                thread.join()

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
        """Close it."""
        self.close()

    def _get(self, ref: str, into: Any) -> Any:
        with self._condition:
            try:
                return self._fast.get(ref, into)
            except KeyError:
                # It was deleted, and the slow store may not know it yet.
                if ref in self._pending or ref in self._failed:
                    raise
        return self._slow.get(ref, into)

    def _put(self, ref: str, value: object) -> None:
        with self._condition:
            self._wait_for_room(ref)
            self._fast.put(ref, value)
            self._mark(ref)

    def _delete(self, ref: str) -> None:
        with self._condition:
            self._wait_for_room(ref)
            self._fast.delete(ref)
            self._mark(ref)

    def _list(self, prefix: str) -> Sequence[str]:
        # What waits before or behind the slow store's answer, may be in it and deleted.
        waiting = set(self.undrained)
        slow = self._slow.list(prefix)
        with self._condition:
            fast = self._fast.list(prefix)
            waiting.update(self._failed, self._pending.refs())
        return sorted({*fast, *(ref for ref in slow if ref not in waiting)})

    def _version(self, ref: str) -> str:
        with self._condition:
            try:
                return f"fast {self._fast.version(ref)}"
            except KeyError:
                if ref in self._pending or ref in self._failed:
                    raise
        return f"slow {self._slow.version(ref)}"

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError("only the process that made a WriteBehind can write to it")

    def _wait_for_room(self, ref: str) -> None:
        self._check_process()
        while not self._is_closed and ref not in self._pending and len(self._pending) >= self._most:
            self._condition.wait()
        if self._is_closed:
            raise ValueError("the store is closed")

    def _mark(self, ref: str) -> None:
        """Say that a reference has changed. The caller has the lock, and has changed it."""
        self._failed.pop(ref, None)
        self._pending.mark(ref)
        if self._thread is None:
            # The interpreter waits for it at its end, and it ends when there is nothing to do.
            self._thread = Thread(target=self._serve, name="penstock-write-behind")
            self._thread.start()
        self._condition.notify_all()

    def _serve(self) -> None:
        while True:
            with self._condition:
                while not self._pending.is_waiting:
                    is_idle = self._is_closed or not self._condition.wait(_IDLE)
                    if is_idle and not self._pending.is_waiting:
                        self._thread = None
                        return
            self._serve_one()

    def _serve_one(self) -> None:
        """Bring the slow store up to date about the reference that has waited for the longest."""
        with self._condition:
            ref = self._pending.take()
        failure = broken = None
        try:
            try:
                value = self._fast.get(ref)
            except KeyError:
                self._slow.delete(ref)
            else:
                self._slow.put(ref, value)
        except Exception as error:  # noqa: BLE001 - the caller's target gets it, or `flush` raises it
            failure = error
        if failure is not None and self._errors is not None:
            try:
                self._errors(Undrained(ref, failure))
            except Exception as error:  # noqa: BLE001 - `flush` raises it
                broken = error
        with self._condition:
            self._broken = self._broken or broken
            self._pending.done(ref)
            # If it has changed meanwhile, it is tried again anyway.
            if failure is not None and ref not in self._pending:
                self._failed[ref] = failure
            self._condition.notify_all()

    def __del__(self) -> None:
        """Warn of what was never written, and of which nobody was told."""
        failed = getattr(self, "_failed", None)
        if failed and self._errors is None and not self._is_closed:
            warnings.warn(
                f"never written: {_names(list(failed))}: {next(iter(failed.values()))!r}",
                ResourceWarning,
                source=self,
                stacklevel=1,
            )

    def __repr__(self) -> str:
        """Return both stores, and how much waits."""
        waiting = len(self._pending) + len(self._failed)
        return f"<WriteBehind {self._slow!r} behind {self._fast!r}: {waiting:,} waiting>"


def _names(refs: list[str]) -> str:
    """Return the first of some references, and how many more there are."""
    first = ", ".join(map(repr, refs[:5]))
    return first if len(refs) <= 5 else f"{first} and {len(refs) - 5:,} more"
