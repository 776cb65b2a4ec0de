"""The stages of a pipeline as a run uses them.

A stage is compiled in two ways. Pushed, it is a function that takes an item and calls the function
of the stage behind it; False stops. Pulled, it is a generator over the items of the stage before
it. Plain functions are quickest when they are pulled. Everything else is pushed, except programs at
either end of a pipeline that is iterated.
"""

from __future__ import annotations

import io
from itertools import chain
from typing import NamedTuple

import penstock._rust as _rust
from penstock._annotations.on import Stop
from penstock._base.place import Place
from penstock._streams.shell import shell
from penstock._streams.stages import Stream

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from penstock._streams.run import Run

    Push = Callable[[Any], bool | None]

# How many characters of a stage's own text are shown.
_SHOWN = 60


class Failure(NamedTuple):
    """An item that a stage raised an exception for. The target `errors` of a pipeline gets it.

    Attributes:
        error: The exception.
        item: The item that the stage was given.
        place: Where the item comes from; None if there is no item from a source at work.
        stage: The stage, as the pipeline's `repr` shows it.
    """

    error: Exception
    item: Any
    place: Place | None
    stage: str


Failure.__module__ = "penstock.streams"


def drop(_item: Any) -> None:
    """Take what comes out behind the last stage."""


def close(items: Iterator[Any]) -> None:
    """Close an iterator that nobody takes from any more, if it can be closed."""
    closing = getattr(items, "close", None)
    if closing is not None:
        closing()


def compiled(nodes: tuple[Node, ...], run: Run, down: Push, errors: Push | None) -> Push:
    """Return the function that pushes an item through the nodes, then to `down`."""
    for node in reversed(nodes):
        down = node.push(run, down, errors)
    return down


def through(
    nodes: tuple[Node, ...], run: Run, items: Iterator[Any], errors: Push | None
) -> Iterator[Any]:
    """Return what comes out of nodes through which the items are pushed."""
    out: list[Any] = []
    is_over = False

    def down(item: Any) -> bool | None:
        if is_over:
            return False
        out.append(item)
        return None

    push = compiled(nodes, run, down, errors)

    def pulled() -> Iterator[Any]:
        nonlocal is_over
        try:
            # An `open` may have emitted something.
            yield from out
            out.clear()
            for item in items:
                said = push(item)
                if out:
                    yield from out
                    out.clear()
                if said is False:
                    run.stopped = True
                    break
            # Here, so that what a `close` emits still goes on.
            run.close_parts(flat(nodes))
            yield from out
        finally:
            is_over = True

    return pulled()


class Node:
    """A stage in its place."""

    __slots__ = ()

    # Whether something in it is an end: then it goes on when what follows has stopped.
    has_end = False
    # Whether it holds nothing while it is pulled.
    can_pull = False

    def push(self, run: Run, down: Push, errors: Push | None) -> Push:
        """Return the function that takes an item and answers False to stop."""
        raise NotImplementedError

    def pull(self, run: Run, items: Iterator[Any], errors: Push | None) -> Iterator[Any]:
        """Return what becomes of the items, for a node that `can_pull`."""
        raise NotImplementedError

    def all(self) -> Iterator[Node]:
        """Return the node and those inside it, in reading order."""
        yield self

    def error_targets(self) -> Iterator[Scope]:
        """Return the scopes that take the errors of those inside it."""
        yield from ()

    def shown(self) -> str:
        """Return the text of the node in the `repr` of its pipeline."""
        raise NotImplementedError


class Function(Node):
    """A plain function: it returns an item, None or an iterator."""

    __slots__ = ("call",)

    can_pull = True

    def __init__(self, call: Callable[[Any], Any]) -> None:
        self.call = call

    def push(self, run: Run, down: Push, errors: Push | None) -> Push:
        call, last = self.call, None

        def push(item: Any) -> bool | None:
            nonlocal last
            try:
                out = call(item)
            except Stop:
                return False
            except Exception as error:  # noqa: BLE001 - it is handed on or raised
                return run.failed(error, self, item, errors)
            if out is None:
                return None
            kind = type(out)
            if kind is not last:
                if hasattr(kind, "__next__"):
                    return each(out, item)
                last = kind
            return down(out)

        def each(out: Iterator[Any], item: Any) -> bool | None:
            while True:
                try:
                    one = next(out)
                except StopIteration:
                    return None
                except Stop:
                    return False
                except Exception as error:  # noqa: BLE001 - as above
                    return run.failed(error, self, item, errors)
                if one is not None and down(one) is False:
                    close(out)
                    return False

        return push

    def pull(self, run: Run, items: Iterator[Any], errors: Push | None) -> Iterator[Any]:
        call, last = self.call, None
        for item in items:
            try:
                out = call(item)
            except Stop:
                run.stopped = True
                return
            except Exception as error:  # noqa: BLE001 - it is handed on or raised
                if run.failed(error, self, item, errors) is False:
                    run.stopped = True
                    return
                continue
            if out is None:
                continue
            kind = type(out)
            if kind is not last:
                if hasattr(kind, "__next__"):
                    yield from self._each(run, out, item, errors)
                    if run.stopped:
                        return
                    continue
                last = kind
            yield out

    def _each(self, run: Run, out: Iterator[Any], item: Any, errors: Push | None) -> Iterator[Any]:
        while True:
            try:
                one = next(out)
            except StopIteration:
                return
            except Stop:
                run.stopped = True
                return
            except Exception as error:  # noqa: BLE001 - as above
                if run.failed(error, self, item, errors) is False:
                    run.stopped = True
                return
            if one is not None:
                yield one

    def shown(self) -> str:
        name = getattr(self.call, "__qualname__", None) or type(self.call).__name__
        # A function made in a test or a function: its own name is enough.
        return _short(str(name).rpartition("<locals>.")[2])


class Part(Node):
    """An instance of `Stream`."""

    __slots__ = ("can_pull", "stream")

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.can_pull = isinstance(stream, shell)

    def push(self, run: Run, down: Push, errors: Push | None) -> Push:
        refused = False

        def emit(item: Any) -> bool | None:
            nonlocal refused
            # What comes after the next stage has stopped, as from `close`, does not reach it.
            if refused or down(item) is False:
                refused = True
                return False
            return None

        def push(item: Any) -> bool | None:
            try:
                said = write(item)
            except Stop:
                return False
            except Exception as error:  # noqa: BLE001 - it is handed on or raised
                return run.failed(error, self, item, errors)
            if said is False or (refused and said is None):
                return False
            return None

        def fail(error: Exception, item: Any, place: Place | None) -> bool | None:
            return run.failed(error, self, item, errors, place)

        vars(self.stream).update(emit=emit, _fail=fail)
        write = self.stream.write
        return push

    def pull(self, run: Run, items: Iterator[Any], errors: Push | None) -> Iterator[Any]:
        out: list[Any] = []
        self.push(run, out.append, errors)
        assert isinstance(self.stream, shell)  # noqa: S101 - as `can_pull` says
        return self._pulled(run, items, self.stream, out, errors)

    def _pulled(
        self, run: Run, items: Iterator[Any], program: shell, out: list[Any], errors: Push | None
    ) -> Iterator[Any]:
        try:
            for item in items:
                try:
                    for _ in program.steps(item):
                        yield from out
                        out.clear()
                except Exception as error:  # noqa: BLE001 - it is handed on or raised
                    if run.failed(error, self, item, errors) is False:
                        run.stopped = True
                        break
                if not program.takes():
                    run.stopped = True
                    break
            for _ in run.closing(self, program.last_steps()):
                yield from out
                out.clear()
        except GeneratorExit:
            program.ignore()
            raise

    def shown(self) -> str:
        try:
            return _short(repr(self.stream))
        except Exception:  # noqa: BLE001 - whatever the class does
            return type(self.stream).__name__


class Fan(Node):
    """Several branches, each of which gets every item. What comes out of them goes on together."""

    __slots__ = ("branches", "has_end")

    def __init__(self, branches: tuple[Scope, ...]) -> None:
        self.branches = branches
        self.has_end = any(branch.has_end for branch in branches)

    def push(self, run: Run, down: Push, errors: Push | None) -> Push:
        refused = False

        def join(item: Any) -> bool | None:
            nonlocal refused
            if refused or down(item) is False:
                refused = True
                return False
            return None

        alive: list[tuple[Push, bool]] = []
        for branch in reversed(self.branches):
            alive.insert(0, (branch.push(run, join, errors), branch.has_end))

        def push(item: Any) -> bool | None:
            nonlocal alive
            finished = None
            for branch in alive:
                if branch[0](item) is False:
                    finished = [branch] if finished is None else [*finished, branch]
            if finished is not None or refused:
                finished = finished or []
                alive = [
                    branch
                    for branch in alive
                    if branch not in finished and (branch[1] or not refused)
                ]
            return None if alive else False

        return push

    def all(self) -> Iterator[Node]:
        yield self
        for branch in self.branches:
            yield from branch.all()

    def error_targets(self) -> Iterator[Scope]:
        for branch in self.branches:
            yield from branch.error_targets()

    def shown(self) -> str:
        comma = "," if len(self.branches) == 1 else ""
        return f"({', '.join(branch.shown() for branch in self.branches)}{comma})"


class Scope(Node):
    """Nodes with an error target of their own, or none."""

    __slots__ = ("can_pull", "errors", "has_end", "nodes")

    def __init__(self, nodes: tuple[Node, ...], errors: Scope | None) -> None:
        self.nodes = nodes
        self.errors = errors
        self.can_pull = all(node.can_pull for node in nodes)
        self.has_end = any(node.has_end for node in nodes)

    def push(self, run: Run, down: Push, errors: Push | None) -> Push:
        return compiled(self.nodes, run, down, self.error_target(run, errors))

    def pull(self, run: Run, items: Iterator[Any], errors: Push | None) -> Iterator[Any]:
        errors = self.error_target(run, errors)
        for node in self.nodes:
            items = node.pull(run, items, errors)
        return items

    def error_target(self, run: Run, errors: Push | None) -> Push | None:
        """Return what takes the errors of its nodes: by default, whatever takes those around."""
        return errors if self.errors is None else run.error_target(self.errors)

    def all(self) -> Iterator[Node]:
        return chain.from_iterable(node.all() for node in self.nodes)

    def error_targets(self) -> Iterator[Scope]:
        if self.errors is not None:
            yield self.errors
        for node in self.nodes:
            yield from node.error_targets()

    def shown(self) -> str:
        inner = " | ".join(node.shown() for node in self.nodes)
        return inner if self.errors is None else f"({inner}, errors={self.errors.shown()})"


class Target(Node):
    """An end: a list, a file, or a writer."""

    __slots__ = ("is_owned", "target")

    has_end = True

    def __init__(self, target: Any) -> None:
        self.target = target
        # Whoever can abort it means that it must be finished, too.
        self.is_owned = all(callable(getattr(target, name, None)) for name in ("abort", "close"))

    def push(self, run: Run, down: Push, errors: Push | None) -> Push:  # noqa: ARG002 - nothing comes out
        if type(self.target) is list:
            return self.target.append
        takes: Any = getattr(self.target, "write", None)
        if takes is None:
            takes = self.target.append
        if isinstance(self.target, io.RawIOBase):
            takes = _whole(takes)

        def push(item: Any) -> bool | None:
            try:
                said = takes(item)
            except Stop:
                return False
            except OSError as error:
                # A full disk is not the fault of an item, and the next one would find it full.
                return run.failed(error, self, item, None)
            except Exception as error:  # noqa: BLE001 - it is handed on or raised
                return run.failed(error, self, item, errors)
            return False if said is False else None

        return push

    def flush(self) -> None:
        """Hand on what the end holds back."""
        flush = getattr(self.target, "flush", None)
        if callable(flush):
            flush()

    def close(self) -> None:
        """Finish the end. A file stays open: whoever opened it closes it."""
        if self.is_owned:
            self.target.close()
        else:
            self.flush()

    def abort(self) -> None:
        """Throw away what was written, if the end can."""
        if self.is_owned:
            self.target.abort()

    def shown(self) -> str:
        if isinstance(self.target, _rust.Writer):
            return _short(repr(self.target))
        name = getattr(self.target, "name", None)
        if isinstance(self.target, io.IOBase) and isinstance(name, str):
            return _short(f"file {name!r}")
        return type(self.target).__name__


def _whole(write: Callable[[Any], int | None]) -> Push:
    """Return a function that writes all of an item to a file without a buffer."""

    def push(item: Any) -> None:
        rest = memoryview(item).cast("B")
        while rest:
            written = write(rest)
            if written is None:
                raise BlockingIOError("the file does not wait, so it cannot take all of an item")
            rest = rest[written:]

    return push


def _short(text: str) -> str:
    line = text.splitlines()[0] if text else text
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}\u2026"


def flat(nodes: Iterable[Node]) -> list[Node]:
    """Return all nodes, those inside others too, in reading order."""
    return list(chain.from_iterable(node.all() for node in nodes))
