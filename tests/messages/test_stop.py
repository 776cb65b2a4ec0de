"""Ending early: by a handler's `Stop`, by its exceptions, by an interrupt."""

from __future__ import annotations

import gc
import io
import pickle
import signal
import threading
import weakref
from collections.abc import Iterator

import pytest

import penstock
import penstock.xml
from penstock import Element, Stop, on

DOCUMENT = b"<r><a>1</a><b/><a>2</a><a>3</a> & this is no XML"


def chunks() -> Iterator[bytes]:
    yield DOCUMENT
    raise AssertionError


class Handler:
    """Ends at the element whose text is 2, by returning `word`."""

    def __init__(self, word: object) -> None:
        self.seen: list[str] = []
        self.word = word

    def a(self, element: Element) -> object:
        self.seen.append(element.text)
        if element.text != "2":
            return element.text
        return self.word

    def r(self, _element: Element) -> None:
        raise AssertionError


class Raises(Handler):
    """Raises what the other one returns."""

    def a(self, element: Element) -> object:
        answer = super().a(element)
        if isinstance(answer, Stop) or answer is Stop:
            raise answer
        return answer


class Quiet(Stop):
    """A user's own subclass."""


@pytest.mark.parametrize(
    ("kind", "word", "result"),
    [
        (Handler, Stop, None),
        (Handler, Stop(), None),
        (Handler, Stop(5), 5),
        (Raises, Stop, None),
        (Raises, Stop(), None),
        (Raises, Stop(5), 5),
        (Raises, Quiet([1]), [1]),
    ],
)
def test_nothing_more_is_read(kind: type[Handler], word: object, result: object) -> None:
    handler = kind(word)
    assert penstock.xml.send(chunks(), handler) == result
    assert handler.seen == ["1", "2"]


def test_a_subclass_of_stop_is_a_result_unless_it_is_raised() -> None:
    class Collect:
        def a(self, _element: Element) -> object:
            return Quiet(1)

        def r(self, element: Element) -> int:
            return len(element.children)

    assert penstock.xml.send([b"<r><a/><a/></r>"], Collect()) == 2


def test_stop_in_json_and_at_the_end() -> None:
    class First:
        def name(self, element: Element) -> None:
            raise Stop(element.value)

    assert penstock.json.send([b'[{"name": "Bern"}, nonsense'], First()) == "Bern"
    assert penstock.ndjson.send([b'{"name": 1}\n{nonsense'], First()) == 1

    class Last:
        @on("")
        def document(self, _element: Element) -> None:
            raise Stop(6)

    assert penstock.json.send([b"{}"], Last()) == 6
    assert penstock.xml.send([b"<r/>"], Last()) == 6


def test_stop_is_a_value() -> None:
    assert (Stop().value, Stop(3).value, Stop(3).args) == (None, 3, (3,))
    assert pickle.loads(pickle.dumps(Stop(3))).value == 3
    assert not issubclass(Stop, penstock.PenstockError)


def test_a_file_of_the_callers_stays_open() -> None:
    file = io.BytesIO(DOCUMENT)
    penstock.xml.send(file, Handler(Stop()))
    assert not file.closed


@pytest.mark.thread_unsafe(reason="all threads have one exception")
@pytest.mark.parametrize("error", [RuntimeError("x"), KeyboardInterrupt(), SystemExit(3)])
def test_exceptions_are_not_changed(error: BaseException) -> None:
    class Fails(Handler):
        def a(self, element: Element) -> object:
            if super().a(element) is error:
                raise error
            return None

    handler = Fails(error)
    with pytest.raises(type(error)) as caught:
        penstock.xml.send(chunks(), handler)
    assert caught.value is error
    notes = getattr(error, "__notes__", [])
    assert notes == (["line 1, column 20: raised here"] if isinstance(error, Exception) else [])


def test_after_an_exception_nothing_is_held() -> None:
    class Result:
        pass

    class Fails:
        def __init__(self) -> None:
            self.results: list[weakref.ref[Result]] = []

        def a(self, element: Element) -> Result:
            if element.text == "3":
                raise LookupError
            result = Result()
            self.results.append(weakref.ref(result))
            return result

        def r(self, _element: Element) -> None:
            raise AssertionError

    handler = Fails()
    with pytest.raises(LookupError):
        penstock.xml.send(chunks(), handler)
    gc.collect()
    assert [result() for result in handler.results] == [None, None]


@pytest.mark.thread_unsafe(reason="signals are the main thread's")
def test_an_interrupt_is_heard_where_no_method_is_called() -> None:
    class Never:
        def never(self, _element: Element) -> None:
            raise AssertionError

    def endless() -> Iterator[bytes]:
        yield b"<r>"
        while True:
            yield b"<a>some text</a>" * 4096

    # The tests may run with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()
        with pytest.raises(KeyboardInterrupt):
            penstock.xml.send(endless(), Never())
    finally:
        signal.signal(signal.SIGINT, before)


def test_handlers_in_several_threads() -> None:
    class Sum:
        total = 0

        def a(self, element: Element) -> None:
            self.total += int(element.text)

    document = b"<r>" + b"".join(b"<a>%d</a>" % n for n in range(20_000)) + b"</r>"
    handlers = [Sum() for _ in range(4)]
    threads = [
        threading.Thread(target=penstock.xml.send, args=([document], handler))
        for handler in handlers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {handler.total for handler in handlers} == {sum(range(20_000))}
