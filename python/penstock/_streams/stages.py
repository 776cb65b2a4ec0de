"""`Stream`, the base class of stages, and the stages that come with Penstock."""

from __future__ import annotations

from types import FunctionType
from weakref import WeakKeyDictionary, ref

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar, TypeVar

    from penstock._base.place import Place
    from penstock._streams.pipeline import Pipeline
    from penstock._streams.run import Run

    Method = Callable[[Any, Any], bool | None]
    F = TypeVar("F", bound=Callable[..., Any])

# What a stream keeps in its `__dict__` while it is part of a run.
_OURS = ("emit", "_fail", "_run", "_last")


class Stream:
    """A stage of a pipeline: subclass it and write `write`, or a method for each class of item.

    Penstock calls `open()` when a run begins, `write(obj)` for each item, and `close()` at the end,
    or `abort()` if the run failed. In any of these but `abort` you may call `emit(obj)`, none or
    any number of times: it hands an object to the next stage. One instance has one place in one
    pipeline, and belongs to one run at a time. It may run again afterwards, so set in `open` what
    each run begins with.

    `write` returns None to go on as long as the next stage does, False to stop, and True to go on
    even if the next stage has stopped. If you do not write `write`, it calls the method for the
    item's class, the first that there is of:

    1. `write_to_Report(self, stream)` of the item's class, for a stage of the class `Report` or a
       subclass. So a class may know a kind of stage that does not know the class.
    2. The function that you registered with `@Report.on(City)`.
    3. `write_City(self, obj)`, a method of the stage named after the item's class.

    2 and 3 are tried for the item's class, then for its bases in their order. The last one is
    `write_object`, which emits the item unchanged. Names are looked up in classes only, once per
    class.

    Example:
        >>> from penstock.streams import Pipeline, Stream
        >>> class Total(Stream):
        ...     def open(self):
        ...         self.total = 0
        ...     def write_int(self, number):
        ...         self.total += number
        ...     def close(self):
        ...         self.emit(self.total)
        >>> Pipeline(Total()).process(3)
        [3]
        >>> list([1, 2, "three", 4] | Total())
        ['three', 7]
    """

    __module__ = "penstock.streams"

    _registered: ClassVar[dict[type, Method]] = {}
    _found: ClassVar[WeakKeyDictionary[type, Method]] = WeakKeyDictionary()
    _run: Run | None = None
    _last: tuple[type | None, Method | None] = (None, None)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._registered = {}
        cls._found = WeakKeyDictionary()

    def open(self) -> None:
        """Begin a run. Set here what a run begins with. By default it does nothing."""

    def write(self, obj: Any, /) -> bool | None:
        """Take an item. By default it calls the method for the item's class."""
        kind = type(obj)
        last, method = self._last
        if kind is not last or method is None:
            method = self._method(kind)
            self.__dict__["_last"] = kind, method
        return method(self, obj)

    def write_object(self, obj: Any, /) -> bool | None:
        """Take an item for whose class there is no method. By default it emits the item."""
        return self.emit(obj)

    def emit(self, obj: Any, /) -> bool | None:  # noqa: ARG002 - a run puts its own in place of this
        """Hand an object to the next stage, and return False if that has stopped.

        Raises:
            RuntimeError: The stage is not part of a run.
        """
        raise RuntimeError(f"{type(self).__name__}.emit() was called outside a run")

    def flush(self) -> None:
        """Emit what the stage holds back, if it can be emitted now. By default it does nothing."""

    def close(self) -> None:
        """End a run, after the last item. Emit what is left. By default it does nothing."""

    def abort(self) -> None:
        """End a run that failed: release what you hold, and emit nothing.

        By default it does nothing. Penstock calls it in place of `close`.
        """

    @property
    def place(self) -> Place | None:
        """Where the item comes from that the pipeline works on; None outside a run.

        If a stage before this one holds items back, it is the place of the latest of them.
        """
        run = self._run
        return None if run is None else run.place()

    @classmethod
    def on(cls, *kinds: type) -> Callable[[F], F]:
        """Register a function for items of classes, and of their subclasses.

        The function is called like a method of the stage, with the stage and the item. Register
        functions before the stage is used.

        Raises:
            TypeError: A kind is not a class, or you call it on `Stream` itself.

        Example:
            >>> from penstock.streams import Pipeline, Stream
            >>> class Shown(Stream):
            ...     pass
            >>> @Shown.on(int, float)
            ... def number(stage, value):
            ...     return stage.emit(f"{value:,}")
            >>> Pipeline(Shown()).process(1234567)
            ['1,234,567']
        """
        if cls is Stream:
            raise TypeError("on() registers with a subclass of Stream, not with all of them")
        for kind in kinds:
            if not isinstance(kind, type):
                raise TypeError(f"on() takes classes, not {type(kind).__name__}")

        def register(function: F) -> F:
            cls._registered.update(dict.fromkeys(kinds, function))
            forget = [cls]
            for each in forget:
                each._found = WeakKeyDictionary()  # noqa: SLF001 - a subclass
                forget += each.__subclasses__()
            return function

        return register

    @classmethod
    def _method(cls, kind: type) -> Method:
        """Return the function for items of a class."""
        # The `get` of the dictionary itself takes twice as long.
        found: Method | None = cls._found.data.get(ref(kind))  # type: ignore[attr-defined]
        if found is None:
            found = cls._found[kind] = cls._find(kind)
        return found

    @classmethod
    def _find(cls, kind: type) -> Method:
        streams = [each for each in cls.__mro__ if issubclass(each, Stream)]
        for stream in streams:
            name = f"write_to_{stream.__name__}"
            for owner in kind.__mro__:
                if name in vars(owner):
                    return _hook(owner, name)
        for owner in kind.__mro__:
            for stream in streams:
                if owner in stream._registered:  # noqa: SLF001 - a base
                    return stream._registered[owner]  # noqa: SLF001 - as above
            method: Method | None = getattr(cls, f"write_{owner.__name__}", None)
            if method is not None:
                return method
        return cls.write_object

    def __or__(self, stage: Any) -> Pipeline[Any]:
        return _pipeline(self) | stage

    def __ror__(self, before: Any) -> Pipeline[Any]:
        return before | _pipeline(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __getstate__(self) -> dict[str, Any]:
        """Without what a run put there."""
        return {name: value for name, value in vars(self).items() if name not in _OURS}


def _hook(owner: type, name: str) -> Method:
    hook = vars(owner)[name]
    if not isinstance(hook, FunctionType):
        what = type(hook).__name__
        raise TypeError(f"{owner.__name__}.{name} is a {what}: it must be a method, with the stage")

    def write(stream: Stream, obj: Any) -> bool | None:
        # By name: what is cached for a class must not hold the class.
        said: bool | None = getattr(type(obj), name)(obj, stream)
        return said

    return write


def _pipeline(stage: Stream) -> Pipeline[Any]:
    from penstock._streams.pipeline import Pipeline  # noqa: PLC0415 - it imports this module

    return Pipeline(stage)


class take(Stream):  # noqa: N801 - it is used like a function
    """Let `n` items pass, then stop: the pipeline reads no more.

    Example:
        >>> from penstock.streams import take
        >>> list(range(1_000_000) | take(3))
        [0, 1, 2]
    """

    __module__ = "penstock.streams"

    def __init__(self, n: int, /) -> None:
        """Keep the number.

        Raises:
            ValueError: It is negative.
        """
        if n < 0:
            raise ValueError("take() takes no negative number")
        self._n = n
        self._left = n

    def open(self) -> None:
        """Begin to count."""
        self._left = self._n

    def write(self, obj: Any, /) -> bool | None:
        """Let the item pass, if it is one of the first."""
        if self._left <= 0:
            return False
        self._left -= 1
        said = self.emit(obj)
        return said if self._left else False

    def __repr__(self) -> str:
        return f"take({self._n})"


class batch(Stream):  # noqa: N801 - it is used like a function
    """Gather items in lists of `n`, the last one shorter.

    Flushing emits the list as it is.

    Example:
        >>> from penstock.streams import batch
        >>> list(list("abcde") | batch(2))
        [['a', 'b'], ['c', 'd'], ['e']]
    """

    __module__ = "penstock.streams"

    def __init__(self, n: int, /) -> None:
        """Keep the number.

        Raises:
            ValueError: It is less than 1.
        """
        if n < 1:
            raise ValueError("batch() takes a number from 1")
        self._n = n
        self._items: list[Any] = []

    def open(self) -> None:
        """Begin with an empty list."""
        self._items = []

    def write(self, obj: Any, /) -> bool | None:
        """Add the item, and emit the list if it is full."""
        self._items.append(obj)
        return self._next() if len(self._items) == self._n else None

    def flush(self) -> None:
        """Emit the items that are there."""
        if self._items:
            self._next()

    def close(self) -> None:
        """Emit the rest."""
        self.flush()

    def abort(self) -> None:
        """Forget the items."""
        self._items = []

    def _next(self) -> bool | None:
        items, self._items = self._items, []
        return self.emit(items)

    def __repr__(self) -> str:
        return f"batch({self._n})"
