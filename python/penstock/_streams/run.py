"""`Run`: one run of a pipeline, from the opening of its stages to their end."""

from __future__ import annotations

from itertools import compress, count
from types import GeneratorType
from typing import NamedTuple

import penstock._rust as _rust
from penstock._base.place import Place
from penstock._streams.nodes import Failure, Fan, Part, Scope, Target, drop, flat
from penstock._streams.stages import Stream

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Any, Self

    from penstock._streams.nodes import Node, Push


class Summary(NamedTuple):
    """What a run did.

    Attributes:
        items: How many items were read from the source.
        failed: How many items the error targets got.
        stopped: Whether a stage stopped the run before the end of the source.
    """

    items: int
    failed: int
    stopped: bool


Summary.__module__ = "penstock.streams"


class Aborted(BaseException):
    """Stands for the reason when the caller aborts."""


class Run:
    """One run of a pipeline: which stages take part, and how far it has come."""

    __slots__ = (
        "_closing",
        "_ended",
        "_nodes",
        "_numbers",
        "_opened",
        "_targets",
        "_troubles",
        "counter",
        "error",
        "failures",
        "source",
        "stopped",
    )

    def __init__(self, scope: Scope, source: Iterable[Any] | None) -> None:
        self.source = source
        # The number of the next item. Counting in C costs least.
        self.counter = count(1)
        self.stopped = False
        self.failures = 0
        # The exception that ends the run. It has its note.
        self.error: BaseException | None = None
        self._nodes = [node for node in scope.all() if not isinstance(node, Fan)]
        self._numbers: dict[int, int] = {}
        for number, node in enumerate(self._nodes, 1):
            self._numbers.setdefault(id(node), number)
        self._targets: dict[int, Push] = {}
        later = list(scope.error_targets())
        for target in later:
            later += target.error_targets()
        known = {id(target): target for target in later}
        self._nodes += [node for node in flat(known.values()) if not isinstance(node, Fan)]
        # The streams and ends that have been opened and not closed.
        self._opened: list[Part | Target] = []
        self._troubles: list[Exception] = []
        self._closing = self._ended = False

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        self.end(error)

    def begin(self) -> None:
        """Take all streams for this run, before anything is compiled.

        Raises:
            RuntimeError: One of them is in another run.
            ValueError: One of them stands twice in the pipeline.
        """
        for node in self._nodes:
            if not isinstance(node, Part):
                continue
            owner = vars(node.stream).setdefault("_run", self)
            twice = any(node.stream is part.stream for part in self._parts())
            if owner is not self or twice:
                for part in self._parts():
                    vars(part.stream).pop("_run", None)
                self._opened.clear()
                if twice:
                    raise ValueError(f"{node.shown()} stands twice in the pipeline: make another")
                raise RuntimeError(f"{node.shown()} is at work in another run of a pipeline")
            self._opened.append(node)

    def _parts(self) -> Iterator[Part]:
        return (node for node in self._opened if isinstance(node, Part))

    def open(self) -> None:
        """Open all stages, the last one first, so that each may emit at once."""
        claimed = list(self._parts())
        ends = {id(node.target): node for node in self._nodes if isinstance(node, Target)}
        self._opened = list(ends.values())
        # From here on, what is in `_opened` is closed or aborted.
        for part in reversed(claimed):
            try:
                self._opened.append(part)
                part.stream.open()
            except Exception as error:
                if error is not self.error:
                    self._note(error, part, "when it was opened")
                    self.error = error
                raise
        order = {id(node): at for at, node in enumerate(self._nodes)}
        self._opened.sort(key=lambda node: order[id(node)])

    def items(self) -> Iterator[Any]:
        """Return the items of the source, and count them."""
        source = self.source
        assert source is not None  # noqa: S101 - who calls it has one
        # All numbers are true, so `compress` passes all items, and takes a number for each.
        return compress(source, self.counter)

    @property
    def read(self) -> int:
        """How many items were read."""
        # Its text is the only way to ask a counter without counting.
        return int(repr(self.counter)[6:-1]) - 1

    def place(self) -> Place | None:
        """Where the item comes from that the run works on."""
        if self._ended or self._closing or not (read := self.read):
            return None
        if isinstance(self.source, _rust.Reader):
            place: Place = self.source.place
            return place
        return Place(None, read)

    def error_target(self, scope: Scope) -> Push:
        """Return the function that takes failures for an error target."""
        push = self._targets.get(id(scope))
        if push is None:
            push = self._targets[id(scope)] = scope.push(self, drop, None)
        return push

    def failed(
        self,
        error: Exception,
        node: Node,
        item: Any,
        errors: Push | None,
        place: Place | None = None,
    ) -> bool | None:
        """Hand an exception to the error target, or raise it with a note.

        The place is that of the item at work, unless another one is given.

        Returns:
            False if the error target wants no more.
        """
        if error is self.error:
            # It was raised further down, and comes up through a stage that emits.
            raise error
        if isinstance(error, StopIteration):
            # As with PEP 479 for generators: it would end a loop that does not mean it.
            raised = RuntimeError("a stage raised StopIteration")
            raised.__cause__ = error
            error = raised
        place = place or self.place()
        if errors is not None and not isinstance(error, MemoryError):
            self.failures += 1
            return errors(Failure(error, item, place, node.shown()))
        self._note(error, node, "" if place is None else f"for {place}")
        self.error = error
        raise error

    def _note(self, error: Exception, node: Node, when: str) -> None:
        number = self._numbers.get(id(node))
        stage = "the error target" if number is None else f"stage {number}"
        error.add_note(f"raised in {stage}, {node.shown()}{when and ', '}{when}")

    def close_parts(self, nodes: Iterable[Node]) -> None:
        """Close those of the nodes that are streams and still open, in order."""
        wanted = {id(node) for node in nodes if isinstance(node, Part)}
        for node in [node for node in self._opened if id(node) in wanted]:
            self._close(node)

    def _close(self, node: Part | Target) -> None:
        """Close a stage. If one before it failed, abort it instead, if it can."""
        stage = node.stream if isinstance(node, Part) else node
        owns_abort = not isinstance(stage, Stream) or type(stage).abort is not Stream.abort
        self._closing = True
        try:
            if self._troubles and owns_abort:
                stage.abort()
            else:
                stage.close()
        except Exception as error:  # noqa: BLE001 - it is raised when all are closed
            self._trouble(error, node)
        # An interrupt leaves it there, to be aborted.
        self._opened.remove(node)
        self._closing = False

    def closing(self, node: Part, steps: Iterator[None]) -> Iterator[None]:
        """Close a stage step by step."""
        if self._troubles:
            self._close(node)
            return
        self._closing = True
        try:
            yield from steps
        except Exception as error:  # noqa: BLE001 - as above
            self._trouble(error, node)
        self._opened.remove(node)
        self._closing = False

    def _trouble(self, error: Exception, node: Node) -> None:
        if error is not self.error:
            self._note(error, node, "when it was closed")
        if not any(error is trouble for trouble in self._troubles):
            self._troubles.append(error)

    def flush(self) -> None:
        """Flush all stages, then the ends."""
        for node in sorted(self._opened, key=lambda node: isinstance(node, Target)):
            stage = node.stream if isinstance(node, Part) else node
            try:
                stage.flush()
            except Exception as error:
                if error is not self.error:
                    self._note(error, node, "when it was flushed")
                    self.error = error
                raise

    def end(self, error: BaseException | None) -> None:
        """Close everything, or abort it if there was an error.

        Raises:
            ExceptionGroup: Several stages raised when they were closed.
            Exception: One of them did.
        """
        if error is None:
            try:
                self._finish()
            except BaseException as stopped:
                # An interrupt while a stage was closed.
                self._give_up(stopped)
                raise
        else:
            self._give_up(error)
        self._ended = True
        troubles, self._troubles, self.error = self._troubles, [], None
        if error is None and troubles:
            if len(troubles) == 1:
                raise troubles[0]
            raise ExceptionGroup(f"{len(troubles)} stages failed to close", troubles)

    def _finish(self) -> None:
        self._close_source()
        for node in sorted(self._opened, key=lambda node: isinstance(node, Target)):
            self._close(node)
        self._release()

    def _give_up(self, error: BaseException) -> None:
        for node in list(self._opened):
            stage = node.stream if isinstance(node, Part) else node
            try:
                stage.abort()
            except Exception as second:  # noqa: BLE001 - the first exception is what is raised
                error.add_note(f"and {node.shown()} could not be aborted: {second!r}")
        self._opened.clear()
        self._release()
        self._close_source(error)

    def _release(self) -> None:
        for node in self._nodes:
            if isinstance(node, Part):
                own = vars(node.stream)
                if own.get("_run") is self:
                    for name in ("emit", "_fail", "_run", "_last"):
                        own.pop(name, None)

    def _close_source(self, error: BaseException | None = None) -> None:
        source = self.source
        if isinstance(source, (_rust.Reader, GeneratorType)):
            try:
                source.close()
            except Exception as second:  # noqa: BLE001 - see below
                if error is None:
                    self._troubles.append(second)
                else:
                    error.add_note(f"and the source could not be closed: {second!r}")

    def summary(self) -> Summary:
        """Return what the run did."""
        return Summary(self.read, self.failures, self.stopped)
