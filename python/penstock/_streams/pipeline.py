"""`Pipeline`: stages in a row, and how they run."""

from __future__ import annotations

import os
from itertools import takewhile
from typing import Generic

import penstock._rust as _rust
from penstock._streams.nodes import (
    Fan,
    Function,
    Part,
    Scope,
    Target,
    close,
    compiled,
    drop,
    through,
)
from penstock._streams.run import Aborted, Run
from penstock._streams.stages import Stream

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import Any, Self, overload

    from typing_extensions import TypeVar

    from penstock._streams.nodes import Node, Push
    from penstock._streams.run import Summary

    U = TypeVar("U")
    # What is not typed is not checked.
    T_co = TypeVar("T_co", covariant=True, default=Any)
else:
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)

# Wider graphs are shown over several lines.
_WIDTH = 100
# Flags of the code of asynchronous functions, as `inspect` names them.
_ASYNC = 0x80 | 0x200


class Pipeline(Generic[T_co]):
    """Stages in a row, and a source before them, or none.

    `reader | parse | store` makes one, and so does `Pipeline(parse, store, source=reader)`. Nothing
    runs yet, and `|` changes no pipeline: it makes another. There are five ways to run it:

    - `run()` takes all items of the source through the stages. `reader.into(pipeline)` does it with
      a pipeline that has no source.
    - Iterating it takes items as you ask for what comes out.
    - `process(x)` returns a list of what comes out for one item.
    - `write(x)` pushes an item, and `close()` ends it: for code that is itself called with items.

    Each of these but the last is a run of its own: it opens all stages, and closes them at the end.
    If anything raises, it aborts them instead.

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
        >>> def even(n):
        ...     return n if n % 2 == 0 else None
        >>> evens, squares = [], []
        >>> pipeline = Pipeline((Pipeline(even, evens), Pipeline(lambda n: n * n, squares)))
        >>> pipeline
        Pipeline((even | list, <lambda> | list))
        >>> (range(5) | pipeline).run()
        Summary(items=5, failed=0, stopped=False)
        >>> evens, squares
        ([0, 2, 4], [0, 1, 4, 9, 16])
    """

    __module__ = "penstock.streams"

    _scope: Scope
    _source: Any
    # The run that `write` has begun, and whether it is over.
    _hand: Run | None
    _push: Push | None
    _closed: bool

    def __init__(
        self, *stages: Any, source: Iterable[Any] | None = None, errors: Any = None
    ) -> None:
        """Check and keep the stages."""
        first = stages[0] if stages else None
        if isinstance(first, Pipeline) and first._source is not None:  # noqa: SLF001 - of this class
            if source is not None:
                raise TypeError("the pipeline has a source, so it takes no other")
            source, stages = first._source, (first._scope, *stages[1:])  # noqa: SLF001 - as above
        self._scope = _scope_of(*stages, errors=errors)
        self._source = None if source is None else _checked_source(source)
        self._hand = self._push = None
        self._closed = False

    if TYPE_CHECKING:

        @overload
        def __or__(self, stage: Pipeline[U]) -> Pipeline[U]: ...
        @overload
        def __or__(self, stage: Callable[[T_co], Iterator[U]]) -> Pipeline[U]: ...
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
        run = Run(self._scope, self._sourced("run()"))
        with run:
            nodes, errors = self._scope.nodes, self._scope.error_target(run, None)
            front = _pullable(nodes)
            items = Scope(nodes[:front], None).pull(run, run.items(), errors)
            push = compiled(nodes[front:], run, drop, errors)
            run.open()
            for item in items:
                if push(item) is False:
                    run.stopped = True
                    # Before the stages: what they emit when they are closed is not wanted.
                    close(items)
                    break
        return run.summary()

    def __iter__(self) -> Iterator[T_co]:
        """Yield what comes out behind the last stage.

        If you leave the loop early, the source is closed, and ends inside of the pipeline are
        aborted. A `take` in the pipeline ends it well. Functions and programs work only as you ask
        for items. What other stages emit for one item waits in a list.
        """
        run = Run(self._scope, self._sourced("iterating"))
        with run:
            nodes, errors = self._scope.nodes, self._scope.error_target(run, None)
            front = _pullable(nodes)
            back = max(front, len(nodes) - _pullable(reversed(nodes)))
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
        run = Run(self._scope, None)
        with run:
            push = self._scope.push(run, out.append, None)
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
        run = Run(self._scope, None)
        run.begin()
        try:
            push = self._scope.push(run, drop, None)
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

    def _sourced(self, what: str) -> Iterable[Any]:
        if self._source is None:
            raise ValueError(f"{what} needs a source: reader | pipeline, or reader.into(pipeline)")
        source: Iterable[Any] = self._source
        return source

    def _unsourced(self, what: str) -> None:
        if self._source is not None:
            raise ValueError(f"{what} is for a pipeline without a source")

    def __repr__(self) -> str:
        stages = [node.shown() for node in self._scope.nodes]
        if self._source is not None:
            stages.insert(0, _shown_source(self._source))
        if self._scope.errors is not None:
            stages = [f"{' | '.join(stages)}, errors={self._scope.errors.shown()}"]
        line = " | ".join(stages)
        if len(line) <= _WIDTH:
            return f"Pipeline({line})"
        inner = "\n    | ".join(stages)
        return f"Pipeline(\n    {inner}\n)"


def _node_of(stage: Any) -> Node:
    """Make a node of whatever is a stage.

    Raises:
        TypeError: It is none. The message says what to pass.
    """
    kind = type(stage).__name__
    if isinstance(stage, Stream):
        return Part(stage)
    if isinstance(stage, Pipeline):
        if stage._source is not None:  # noqa: SLF001 - of the class above
            raise TypeError("a pipeline with a source begins a pipeline: it cannot stand in one")
        return stage._scope  # noqa: SLF001 - as above
    if isinstance(stage, Scope):
        return stage
    if isinstance(stage, tuple):
        if not stage:
            raise TypeError("an empty tuple is no stage: a tuple holds the branches")
        return Fan(tuple(_scope_of(branch) for branch in stage))
    if isinstance(stage, type) and issubclass(stage, Stream):
        raise TypeError(f"{stage.__name__} is a class: did you mean {stage.__name__}()?")
    if isinstance(stage, _rust.Reader):
        raise TypeError("a Reader begins a pipeline: write it first")
    if isinstance(stage, (str, bytes, os.PathLike)):
        raise TypeError(
            f"a {kind} is no stage: for a program use shell(), for a file penstock.write()"
        )
    is_target = callable(getattr(stage, "append", None)) or callable(getattr(stage, "write", None))
    if is_target and not isinstance(stage, type):
        return Target(stage)
    if callable(stage):
        code = getattr(stage, "__code__", None)
        if code is not None and code.co_flags & _ASYNC:
            raise TypeError(f"{stage.__qualname__} is asynchronous: nobody would wait for it")
        return Function(stage)
    raise TypeError(
        f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind} is no stage: pass a function, a "
        "Stream, a tuple of branches, or as an end a list, a binary file or a writer"
    )


def _pullable(nodes: Iterable[Node]) -> int:
    """Count the nodes at the front that can be pulled."""
    return sum(1 for _ in takewhile(lambda node: node.can_pull, nodes))


def _nodes_of(stage: Any) -> tuple[Node, ...]:
    """Make nodes of a stage. Those of a pipeline without an error target stand by themselves."""
    node = _node_of(stage)
    return node.nodes if isinstance(node, Scope) and node.errors is None else (node,)


def _scope_of(*stages: Any, errors: Any = None) -> Scope:
    """Make one scope of stages.

    Raises:
        TypeError: One of them is none, or stands behind an end.
    """
    nodes = tuple(node for stage in stages for node in _nodes_of(stage))
    if len(nodes) == 1 and isinstance(nodes[0], Scope) and errors is None:
        return nodes[0]
    for before in nodes[:-1]:
        if isinstance(before, Target):
            shown = before.shown()
            raise TypeError(f"nothing comes out of {shown}, so there can be no stage behind it")
    return Scope(nodes, None if errors is None else _scope_of(errors))


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


def begin(source: Any, stage: Any) -> Pipeline[Any]:
    """Begin a pipeline: `reader | stage`."""
    return Pipeline(stage, source=source)


def read_into(source: Any, pipeline: Any) -> Summary:
    """Run a pipeline on a source: `reader.into(pipeline)`."""
    return Pipeline(pipeline, source=source).run()
