"""Which methods a document can reach, and which it cannot."""

from __future__ import annotations

import abc
import collections
import functools
import io
import logging
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pytest

import penstock
import penstock.xml
from penstock import Element, on

T = TypeVar("T")


def names(document: str, handler: object) -> None:
    penstock.xml.send(io.BytesIO(document.encode()), handler)


class Base:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def inherited(self, _element: Element) -> None:
        self.calls.append("inherited")

    def overridden(self, _element: Element) -> None:
        self.calls.append("Base.overridden")

    def hidden(self, _element: Element) -> None:
        self.calls.append("Base.hidden")


class Handler(Base):
    @property
    def computed(self) -> Callable[[object], None]:
        raise AssertionError

    def good(self, _element: Element) -> None:
        self.calls.append("good")

    def overridden(self, _element: Element) -> None:
        self.calls.append("Handler.overridden")

    hidden = None  # type: ignore[assignment]  # the way to take a method away

    def _private(self, _element: Element) -> None:
        self.calls.append("_private")

    def __str__(self) -> str:
        self.calls.append("__str__")
        return ""

    def __eq__(self, other: object) -> bool:
        self.calls.append("__eq__")
        return False

    __hash__ = None  # type: ignore[assignment]  # not needed

    def close(self) -> None:
        self.calls.append("close")

    def two(self, _element: Element, _more: object) -> None:
        self.calls.append("two")

    def default(self, _element: Element, _more: object = None) -> None:
        self.calls.append("default")

    def many(self, *_elements: Element) -> None:
        self.calls.append("many")

    def keyword(self, _element: Element, *, _more: object = None) -> None:
        self.calls.append("keyword")

    @staticmethod
    def static(_element: Element) -> None:
        raise AssertionError

    @classmethod
    def build(cls, _element: Element) -> None:
        raise AssertionError

    @functools.lru_cache  # noqa: B019 - what is tested
    def cached(self, _element: Element) -> None:
        raise AssertionError

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)

    class Nested:
        """A class takes an argument, too."""

    function = print
    callable_ = functools.partial(print)


def test_only_what_was_meant() -> None:
    handler = Handler()
    reached = ["inherited", "Handler.overridden", "good"]
    unreached = [
        "__init__",
        "__str__",
        "__eq__",
        "__class__",
        "__getattr__",
        "__dict__",
        "_private",
        "hidden",
        "close",
        "computed",
        "two",
        "default",
        "many",
        "keyword",
        "static",
        "build",
        "cached",
        "Nested",
        "function",
        "callable_",
        "calls",
        "own",
    ]
    handler.__dict__["own"] = handler.__dict__["good"] = lambda _element: handler.calls.append(
        "own"
    )
    elements = "".join(f"<{name}/>" for name in ["inherited", "overridden", "good", *unreached])
    names(f"<r>{elements}</r>", handler)
    assert handler.calls == reached


def test_the_standard_library_is_not_exposed() -> None:
    class Rows(collections.UserList[object], abc.ABC, Generic[T]):
        def row(self, element: Element) -> None:
            self.data.append(element.text)

        def extend(self, _element: object) -> None:
            self.data.append("mine")

    rows = Rows[str]()
    names("<r><row>1</row><append>2</append><extend/><remove>1</remove><__add__/></r>", rows)
    assert rows.data == ["1", "mine"]

    class Logs(logging.Handler):
        pass

    with pytest.raises(ValueError, match="no element can reach Logs"):
        names("<emit/>", Logs())


def test_a_mark_exposes_what_it_marks_and_no_more() -> None:
    def passed_on(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def wrapper(*arguments: object) -> None:
            function(*arguments)

        return wrapper

    class Marked:
        def __init__(self) -> None:
            self.calls: list[str] = []

        @on("close")
        def _close(self, _element: Element) -> None:
            self.calls.append("_close")

        @on("a")
        def named(self, _element: Element) -> None:
            self.calls.append("named")

        @on("b")
        def more(self, _element: Element, _more: object = None) -> None:
            self.calls.append("more")

        @passed_on
        @on("c")
        def wrapped(self, _element: Element) -> None:
            self.calls.append("wrapped")

        @passed_on
        def unmarked(self, _element: Element) -> None:
            self.calls.append("unmarked")

    handler = Marked()
    elements = "<close/><a/><named/><b/><more/><c/><wrapped/><unmarked/><_close/>"
    names(f"<r>{elements}</r>", handler)
    assert handler.calls == ["_close", "named", "more", "wrapped"]


def test_methods_are_found_once() -> None:
    class Changing:
        calls = 0

        def a(self, _element: Element) -> None:
            self.calls += 1
            type(self).a = None  # type: ignore[assignment,method-assign]  # while it is read

    handler = Changing()
    names("<r><a/><a/></r>", handler)
    assert handler.calls == 2


def test_a_handler_without_methods() -> None:
    class Nothing:
        def close(self) -> None:
            pass

    for handler, name in ((Nothing(), "Nothing"), ({}, "dict"), (None, "NoneType"), (io, "module")):
        with pytest.raises(ValueError, match=f"no element can reach {name}: name a public method"):
            names("<r/>", handler)
    with pytest.raises(
        TypeError, match=r"takes an object, not a class: did you mean Handler\(\)\?"
    ):
        names("<r/>", Handler)


def test_methods_that_cannot_be_called() -> None:
    class Few:
        @on("a")
        def few(self) -> None:
            pass

    class Many:
        @on("a")
        def many(self, _one: object, _two: object) -> None:
            pass

    class Keyword:
        @on("a")
        def keyword(self, _one: object, *, _two: object) -> None:
            pass

    for handler in (Few(), Many(), Keyword()):
        with pytest.raises(TypeError, match="cannot be called with one element"):
            names("<r/>", handler)

    class Later:
        async def a(self, _element: Element) -> None:
            pass

    with pytest.raises(TypeError, match=r"Later\.a is asynchronous: nobody would wait for it"):
        names("<r/>", Later())

    class Static:
        @staticmethod
        @on("a")
        def a(_element: Element) -> None:
            pass

    with pytest.raises(TypeError, match=r"on\(\) marks methods, and Static\.a is a staticmethod"):
        names("<r/>", Static())


def test_mistakes_in_marking() -> None:
    with pytest.raises(TypeError, match=r"on\(\) takes a path as a str, not builtin_function"):
        on(print)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(TypeError, match=r"on\(\) marks a function, not property"):
        on("a")(property())  # type: ignore[type-var]  # what is tested


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a//b", r"'//' is only allowed at the beginning \(column 3\)"),
        ("/a", r"a path does not begin with '/'; '//' finds its first step anywhere"),
        ("p:a", r"the prefix 'p' is not among the namespaces \(column 1\)"),
        ("a/@b", r"an attribute makes no message: it is in the attributes of its element"),
        ("@b", r"an attribute makes no message"),
        ("*/key()", r"key\(\) has no meaning here"),
        ("text()", r"text\(\) must follow the element whose text it is"),
        ("//text()", r"text\(\) must follow the element whose text it is"),
    ],
)
def test_paths_that_are_none(path: str, reason: str) -> None:
    class Bad:
        @on(path)
        def method(self, _element: Element) -> None:
            pass

    with pytest.raises(ValueError, match=reason) as caught:
        names("<r/>", Bad())
    assert str(caught.value).startswith(f'@on("{path}") of ')
    assert "Bad.method" in str(caught.value)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a", "a"),
        ("a", "//a"),
        ("a/b", "a/b"),
        ("//a/b", "//a/b/text()"),
        ("{u}a", "p:a"),
        ("", ""),
    ],
)
def test_two_equal_claims(first: str, second: str) -> None:
    class Two:
        @on(first)
        def one(self, _element: Any) -> None:
            pass

        @on(second)
        def two(self, _element: Any) -> None:
            pass

    with pytest.raises(ValueError, match=r"Two\.one and .*Two\.two both claim the same elements"):
        penstock.xml.send(io.BytesIO(b"<r/>"), Two(), namespaces={"p": "u"})


def test_a_name_and_a_mark_may_claim_the_same() -> None:
    class Two:
        def a(self, _element: Element) -> None:
            pass

        @on("a")
        def b(self, _element: Element) -> None:
            pass

    with pytest.raises(ValueError, match=r"Two\.a and .*Two\.b both claim the same elements"):
        names("<r/>", Two())


def test_nothing_is_read_before_the_handler_is_known_to_be_good() -> None:
    class Source(io.BytesIO):
        def read1(self, _size: int | None = -1, /) -> bytes:
            raise AssertionError

    with pytest.raises(ValueError, match="no element can reach"):
        penstock.xml.send(Source(), object())
