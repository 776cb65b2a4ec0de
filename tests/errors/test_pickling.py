"""Errors survive pickles, copies and processes, with all their attributes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, NoReturn

import pytest

import penstock
from penstock import DecodeError, MalformedInput, PenstockError, PlanError, ValidationError


@dataclass
class Positive:
    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("negative", self.value)


class Picky(ValueError):
    """An exception that can be pickled but not unpickled."""

    def __init__(self, value: int, *, why: str) -> None:
        super().__init__(f"{value} is {why}")


class Secret(ValueError):
    """An exception that cannot be pickled."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("not to be copied")


def picky(value: str) -> int:
    raise Picky(int(value), why="wrong")


def secret(value: str) -> int:
    raise Secret(value)


DOCUMENT = '[{"value": 1},\n {"value": "x"}, {"value": -2}, {}]'


def failing(document: str = DOCUMENT) -> object:
    """Raise an error, in any process."""
    return penstock.json.decode(document, list[Positive], all_errors=True)


def error_of(work: Callable[[], object]) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        work()
    caught.value.add_note("in the second file")
    return caught.value


def known(error: BaseException | None) -> object:
    """All attributes of an error, comparable."""
    if not isinstance(error, DecodeError):
        return type(error), repr(error)
    own = {name: value for name, value in vars(error).items() if name != "others"}
    return type(error), str(error), own, [known(other) for other in error.others]


def caused(error: DecodeError) -> list[tuple[object, str]]:
    return [(type(each.__cause__), str(each.__cause__)) for each in error.problems]


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda error, protocol=protocol: pickle.loads(
            pickle.dumps(error, protocol)
        )
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_knows_all_that_the_error_knew(way: str) -> None:
    error = error_of(failing)
    copied = COPIES[way](error)
    assert copied is not error
    assert known(copied) == known(error)
    assert copied.report() == error.report()
    assert copied.__notes__ == ["in the second file"]
    assert len(copied.problems) == 3
    assert copied.problems[0] is copied
    nothing = (type(None), "None")
    assert caused(copied) == [nothing, (ValueError, "('negative', -2)"), nothing]


@pytest.mark.parametrize("way", COPIES)
def test_the_cause_of_the_error_itself(way: str) -> None:
    error = error_of(lambda: failing('[{"value": -1}]'))
    copied = COPIES[way](error)
    assert isinstance(copied.__cause__, ValueError)
    assert copied.__cause__.args == ("negative", -1)
    assert copied.__suppress_context__


@pytest.mark.parametrize("function", [picky, secret])
@pytest.mark.parametrize("way", [way for way in COPIES if way != "copy"])
def test_a_cause_that_cannot_go_along_is_left_behind(
    way: str, function: Callable[[str], int]
) -> None:
    error = error_of(lambda: penstock.decode('"1"', int, types={int: function}))
    assert type(error.__cause__).__name__ == function.__name__.capitalize()
    copied = COPIES[way](error)
    assert copied.__cause__ is None
    assert known(copied) == known(error)


def test_a_shallow_copy_has_the_same_cause() -> None:
    error = error_of(lambda: penstock.decode('"1"', int, types={int: secret}))
    assert copy.copy(error).__cause__ is error.__cause__


@pytest.mark.parametrize("way", COPIES)
def test_other_errors(way: str) -> None:
    with pytest.raises(PlanError) as caught:
        penstock.Plan(Positive, rename={"nmae": "name"})
    plain = PenstockError("anything")
    plain.__cause__ = OSError(2, "not there")
    for error in (caught.value, plain):
        copied = COPIES[way](error)
        assert (type(copied), copied.args) == (type(error), error.args)
        assert repr(copied.__cause__) == repr(error.__cause__)


def test_an_exception_group_of_them() -> None:
    lines = b'{"value": "x"}\n{"value": -1}\n[\n'
    with pytest.raises(ExceptionGroup) as caught:
        list(penstock.ndjson.read([lines], Positive, errors="collect", all_errors=True))
    copied = pickle.loads(pickle.dumps(caught.value))
    assert [known(error) for error in copied.exceptions] == [
        known(error) for error in caught.value.exceptions
    ]
    assert [type(error) for error in copied.exceptions] == [
        ValidationError,
        ValidationError,
        ValidationError,
    ]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_concurrent_futures(method: str) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        error = pool.submit(failing).exception()
        malformed = pool.submit(failing, '[{"value": "x"}, 1').exception()
        after = pool.submit(len, "the pool goes on").result()
    assert isinstance(error, ValidationError)
    expected = error_of(failing)
    assert [str(each) for each in error.problems] == [str(each) for each in expected.problems]
    assert error.report() == expected.report()
    # The first error's cause is the pool's report of the other process; the others have their own.
    assert "Traceback" in str(error.__cause__)
    assert repr(error.problems[1].__cause__) == "ValueError('negative', -2)"
    assert isinstance(malformed, DecodeError)
    assert [type(each).__name__ for each in malformed.problems] == [
        "ValidationError",
        "ValidationError",
        "TruncatedInput",
    ]
    assert after == 16


@pytest.mark.thread_unsafe(reason="a process forks where it has one thread")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_multiprocessing(method: str) -> None:
    with multiprocessing.get_context(method).Pool(1) as pool:
        with pytest.raises(ValidationError) as caught:
            pool.apply(failing)
        with pytest.raises(MalformedInput):
            pool.apply(failing, ("x",))
    assert [known(each) for each in caught.value.others] == [
        known(each) for each in error_of(failing).others
    ]
