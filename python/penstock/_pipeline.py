"""`Pipeline`: stages in a row, and how they run."""

from __future__ import annotations

from itertools import compress, count, takewhile
from types import GeneratorType
from typing import Generic, NamedTuple, TypeVar

from penstock import _rust
from penstock._nodes import (
    Failure,
    Fan,
    Part,
    Scope,
    Target,
    compiled,
    drop,
    flat,
    nodes_of,
    through,
)
from penstock._place import Place
from penstock._stages import Stream

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import Any, NoReturn, Self, overload

    from penstock._nodes import Node, Push

    U = TypeVar("U")

T_co = TypeVar("T_co", covariant=True)

# Wider graphs are shown over several lines.
_WIDTH = 100


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


class Pipeline(Generic[T_co]):
    """Stages in a row, and a source before them, or none.

    `reader | parse | store` makes one, and so does `Pipeline(parse, store, source=reader)`. Nothing
    runs yet, and `|` changes no pipeline: it makes another. There are five ways to run it:

    - `run()` takes all items of the source through the stages. `reader.into(pipeline)` does it with
      a pipeline that has no source.
    - Iterating it takes items as you ask for what comes out.
    - `process(x)` returns a list of what comes out for one item.
    - `write(x)` pushes an item, and `close()` ends it: for code that is itself called with items.

    Each of the first four is a run of its own: it opens all stages, and closes them at the end. If
    anything raises, it aborts them instead.

    A stage is one of these:

    - A function that takes an item, and returns an item, None for nothing, or an iterator whose
      elements go on. It may raise `penstock.Stop` to stop the run.
    - An instance of a `Stream`, or a pipeline without a source.
    - A tuple of stages: each of them gets every item, and what comes out of them goes on together.
    - An end: a list or anything else with `append`, a binary file or anything else with `write`.
      Nothing comes out of it. If it has `abort` and `close`, the run closes it, or aborts it if it
      failed. Otherwise the run flushes it, and whoever opened it closes it.

    Args:
        stages: The stages, in order.
        source: The items: a `Reader`, or any iterable.
        errors: What becomes of the exceptions that the stages raise: a stage of any kind, which
            gets a `Failure` for each. The pipeline then goes on with the next item. By default the
            exception ends the run. A `MemoryError`, an `OSError` of an end, and what is raised when
            a stage is opened, flushed or closed, ends it in any case.

    Raises:
        TypeError: One of the stages is none, or `source` is not iterable.

    Example:
        >>> from penstock.streams import Pipeline
        >>> evens, odds = [], []
        >>> kinds = Pipeline((lambda n: None if n % 2 else n, evens)) | odds
        Traceback (most recent call last):
        ...
        TypeError: nothing comes out of list, so there can be no stage behind it
        >>> pipeline = Pipeline(lambda n: n * n, (Pipeline(lambda n: None if n % 2 else n, evens), odds))
        >>> pipeline
        Pipeline(<lambda> | (<lambda> | list, list))
        >>> Pipeline(pipeline, source=range(5)).run()
        Summary(items=5, failed=0, stopped=False)
        >>> evens, odds
        ([0, 4, 16], [0, 1, 4, 9, 16])
    """

    __module__ = "penstock.streams"

    _nodes: tuple[Node, ...]
    _source: Any
    _errors: Pipeline[Any] | None
    # The run that `write` has begun, and whether it is over.
    _hand: Run | None
    _push: Push | None
    _closed: bool

    def __init__(self, *stages: Any, source: Iterable[Any] | None = None, errors: Any = None) -> None:
        """Check and keep the stages."""
        if stages and isinstance(stages[0], Pipeline) and stages[0]._source is not None:
            if source is not None:
                raise TypeError("the pipeline has a source, so it takes no other")
            first, *rest = stages
            source = first._source
            stages = (Pipeline(*_without_source(first)), *rest)
        self._nodes = tuple(node for stage in stages for node in nodes_of(stage))
        for before in self._nodes[:-1]:
            if isinstance(before, Target):
                shown = before.shown()
                raise TypeError(f"nothing comes out of {shown}, so there can be no stage behind it")
        self._source = None if source is None else _checked_source(source)
        self._errors = None if errors is None else Pipeline(errors)
        self._hand = self._push = None
        self._closed = False

    if TYPE_CHECKING:

        @overload
        def __or__(self, stage: Pipeline[U]) -> Pipeline[U]: ...
        @overload
        def __or__(self, stage: Callable[[T_co], Iterator[U]]) -> Pipeline[U]: ...  # type: ignore[overload-overlap]
        @overload
        def __or__(self, stage: Callable[[T_co], U | None]) -> Pipeline[U]: ...
        @overload
        def __or__(self, stage: object) -> Pipeline[Any]: ...

    def __or__(self, stage: Any) -> Pipeline[Any]:
        return Pipeline(self, stage)

    def __ror__(self, before: Any) -> Pipeline[Any]:
        if self._source is not None:
            raise TypeError("the pipeline has a source, so nothing can stand before it")
        is_stage = isinstance(before, tuple) or (callable(before) and not isinstance(before, type))
        if is_stage or isinstance(before, type):
            return Pipeline(before, self)
        return Pipeline(self, source=before)

    def run(self) -> Summary:
        """Take all items of the source through the stages.

        The items behind the last stage are dropped. If a stage stops the run, or fails, Penstock
        closes the source, if it is a `Reader` or a generator.

        Returns:
            How many items were read, how many failed, and whether a stage stopped the run.

        Raises:
            ValueError: There is no source.
            RuntimeError: A `Stream` of the pipeline is at work in another run.
            ExceptionGroup: Several stages raised when they were closed.
            Exception: Whatever a stage raises, with a note that says which stage and which record.
        """
        run = Run(self, self._sourced("run()"))
        with run:
            front = self._pullable(self._nodes)
            errors = self._error_target(run)
            items = Scope(self._nodes[:front], None).pull(run, run.items(), errors)
            push = compiled(self._nodes[front:], run, drop, errors)
            run.open()
            for item in items:
                if push(item) is False:
                    run.stopped = True
                    break
        return run.summary()

    def _error_target(self, run: Run) -> Push | None:
        return None if self._errors is None else run.error_target(self._errors)

    @staticmethod
    def _pullable(nodes: Iterable[Node]) -> int:
        """How many nodes at the front can be pulled."""
        return sum(1 for _ in takewhile(lambda node: node.can_pull, nodes))

    def __iter__(self) -> Iterator[T_co]:
        """Yield what comes out behind the last stage.

        If you leave the loop early, the source is closed, and ends inside of the pipeline are
        aborted. A `take` in the pipeline ends it well. Functions and programs work only as you ask
        for items. What other stages emit for one item waits in a list.
        """
        run = Run(self, self._sourced("iterating"))
        with run:
            nodes, errors = self._nodes, self._error_target(run)
            front = self._pullable(nodes)
            back = max(front, len(nodes) - self._pullable(reversed(nodes)))
            items = Scope(nodes[:front], None).pull(run, run.items(), errors)
            if front < back:
                items = through(nodes[front:back], run, items, errors)
            items = Scope(nodes[back:], None).pull(run, items, errors)
            run.open()
            yield from items

    def process(self, item: Any, /) -> list[T_co]:
        """Return what comes out for one item: a run of its own, with that item alone.

        Raises:
            ValueError: The pipeline has a source.
            Exception: As for `run`.
        """
        self._unsourced("process()")
        out: list[T_co] = []
        run = Run(self, None)
        with run:
            push = compiled((self._scope(),), run, out.append, None)
            run.open()
            next(run.counter)
            run.stopped = push(item) is False
        return out

    def write(self, item: Any, /) -> bool | None:
        """Push an item through the stages. The first one opens them.

        What comes out behind the last stage is dropped.

        Returns:
            False if the pipeline wants no more items, otherwise None.

        Raises:
            ValueError: The pipeline was closed, or has a source.
            Exception: As for `run`. The pipeline is aborted then.
        """
        push, run = self._push, self._hand
        if push is None or run is None:
            push, run = self._begin()
        if run.stopped:
            return False
        next(run.counter)
        try:
            if push(item) is False:
                run.stopped = True
                return False
        except BaseException as error:
            self._end(error)
            raise
        return None

    def _begin(self) -> tuple[Push, Run]:
        self._unsourced("write()")
        if self._closed:
            raise ValueError("this pipeline is closed")
        run = Run(self, None)
        run.begin()
        try:
            push = compiled((self._scope(),), run, drop, None)
            run.open()
        except BaseException as error:
            self._closed = True
            run.end(error)
            raise
        self._push, self._hand = push, run
        return push, run

    def _end(self, error: BaseException | None) -> None:
        run, self._push, self._hand, self._closed = self._hand, None, None, True
        if run is not None:
            run.end(error)

    def flush(self) -> None:
        """Have all stages hand on what they hold back, in order, and the ends write it.

        It is for items that were pushed with `write`; without any it does nothing.
        """
        run = self._hand
        if run is None:
            return
        try:
            run.flush()
        except BaseException as error:
            self._end(error)
            raise

    def close(self) -> None:
        """End what `write` has begun: close all stages, then the ends. Closing again does nothing.

        Raises:
            ExceptionGroup: Several of them raised. The others are closed nevertheless.
            Exception: What one of them raised.
        """
        self._end(None)

    def abort(self) -> None:
        """End what `write` has begun as if it had failed: abort all stages and ends."""
        self._end(Aborted())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        self._end(error)

    def _scope(self) -> Scope:
        return Scope(self._nodes, self._errors)

    def _sourced(self, what: str) -> Iterable[Any]:
        if self._source is None:
            raise ValueError(f"{what} needs a source: reader | pipeline, or reader.into(pipeline)")
        source: Iterable[Any] = self._source
        return source

    def _unsourced(self, what: str) -> None:
        if self._source is not None:
            raise ValueError(f"{what} is for a pipeline without a source")

    def _graph(self) -> str:
        return self._scope().shown()

    def __repr__(self) -> str:
        stages = [node.shown() for node in self._nodes]
        if self._source is not None:
            stages.insert(0, _shown_source(self._source))
        if self._errors is not None:
            stages = [f"{' | '.join(stages)}, errors={self._errors._graph()}"]
        line = " | ".join(stages)
        if len(line) <= _WIDTH:
            return f"Pipeline({line})"
        inner = "\n    | ".join(stages)
        return f"Pipeline(\n    {inner}\n)"


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

    def __init__(self, pipeline: Pipeline[Any], source: Iterable[Any] | None) -> None:
        self.source = source
        # The number of the next item. Counting in C costs least.
        self.counter = count(1)
        self.stopped = False
        self.failures = 0
        # The exception that ends the run. It has its note.
        self.error: BaseException | None = None
        scope = pipeline._scope()
        self._nodes = [node for node in scope.all() if not isinstance(node, Fan)]
        self._numbers = {}
        for number, node in enumerate(self._nodes, 1):
            self._numbers.setdefault(id(node), number)
        self._targets: dict[int, Push] = {}
        later = list(scope.error_targets())
        for target in later:
            later += target._scope().error_targets()
        known: dict[int, Pipeline[Any]] = {id(target): target for target in later}
        self._nodes += flat(node for target in known.values() for node in target._nodes)
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

    def error_target(self, pipeline: Pipeline[Any]) -> Push:
        """Return the function that takes failures for a pipeline of errors."""
        push = self._targets.get(id(pipeline))
        if push is None:
            push = compiled((pipeline._scope(),), self, drop, None)
            self._targets[id(pipeline)] = push
        return push

    def failed(
        self, error: Exception, node: Node, item: Any, errors: Push | None
    ) -> bool | None:
        """Hand an exception to the error target, or raise it with a note.

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
        if errors is not None and not isinstance(error, MemoryError):
            self.failures += 1
            return errors(Failure(error, item, self.place(), node.shown()))
        place = self.place()
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
                    for name in ("emit", "_run", "_last"):
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


def _without_source(pipeline: Pipeline[Any]) -> tuple[Pipeline[Any], ...]:
    bare: Pipeline[Any] = Pipeline()
    bare._nodes, bare._errors = pipeline._nodes, pipeline._errors
    return (bare,)


def _checked_source(source: Any) -> Iterable[Any]:
    kind = type(source).__name__
    article = "an" if kind[:1] in "aeiouAEIOU" else "a"
    if isinstance(source, (str, bytes, bytearray)):
        raise TypeError(
            f"{article} {kind} is no source of a pipeline: put it into a list, or read() the file "
            "of that name"
        )
    if not hasattr(type(source), "__iter__"):
        raise TypeError(f"{article} {kind} is no source of a pipeline: it is not iterable")
    return source


def _shown_source(source: Any) -> str:
    if isinstance(source, _rust.Reader):
        return repr(source)
    return getattr(source, "__qualname__", None) or type(source).__name__


def _read(source: Any, stage: Any) -> Pipeline[Any]:
    """Begin a pipeline: `reader | stage`."""
    return Pipeline(stage, source=source)


def _into(source: Any, pipeline: Any) -> Summary:
    """Run a pipeline on a source: `reader.into(pipeline)`."""
    return Pipeline(pipeline, source=source).run()
