"""A lack of memory while an error was made: it was reported as another error, or not at all."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Annotated, Any

import pytest
from fresh import finished

import penstock
from penstock._base import errors as _errors


@dataclass
class Row:
    number: int


def lacking(*_: object, **__: object) -> Any:
    raise MemoryError


class Lacking:
    """An object that cannot be shown."""

    __repr__ = __str__ = lacking


class Refusal(ValueError):
    __str__ = lacking


def refuse(text: str) -> int:
    raise Refusal(text)


@pytest.mark.parametrize("all_errors", [False, True])
def test_33_want_of_memory_is_no_error_of_a_record(
    monkeypatch: pytest.MonkeyPatch, all_errors: bool
) -> None:
    """It was collected, or passed to the function, as if it were the record's problem."""
    monkeypatch.setattr(_errors.ValidationError, "__init__", lacking)
    data = [b'{"number": "x"}\n{"number": 1}\n']
    target: list[Any] = []
    reader = penstock.ndjson.read(data, Row, errors=target.append, all_errors=all_errors)
    with pytest.raises(MemoryError):
        list(reader)
    assert (reader.skipped, reader.progress.records, target) == (0, 0, [])
    # `errors="collect"` keeps the record's problem, which needs no exception yet: the record is
    # skipped and the next one returned. At the end there is no memory for the exceptions.
    reader = penstock.ndjson.read(data, Row, errors="collect", all_errors=all_errors)
    assert next(reader) == Row(1)
    with pytest.raises(MemoryError):
        next(reader)
    assert (reader.skipped, reader.progress.records) == (1, 1)


class Place(PurePosixPath):
    __new__ = lacking


class Unhashable(type):
    __hash__ = lacking  # type: ignore[assignment]


class Odd(metaclass=Unhashable):
    pass


class Written:
    number: "lacking()"  # noqa: UP037 - it is about being evaluated


@pytest.mark.parametrize(
    "make",
    [
        lambda: penstock.Plan(Written),
        lambda: penstock.Plan(Place),
        lambda: penstock.Plan(list[Odd], types={int: int}),
        lambda: penstock.Plan(Lacking()),
    ],
    ids=["annotation", "path", "hash", "repr"],
)
def test_34_want_of_memory_is_no_plan_error(make: Any) -> None:
    """It was reported as a PlanError, or the type was not found by its hash."""
    with pytest.raises(MemoryError):
        make()


def test_34_nor_is_it_shown_as_a_default() -> None:
    """The plan showed "a default", and "?" for the name of a function."""

    @dataclass
    class Local:
        """Without a docstring, `dataclass` would make one that shows the default."""

        number: Any = field(default=Lacking())

    with pytest.raises(MemoryError):
        repr(penstock.Plan(Local))


def test_35_what_an_exception_says_when_there_is_no_memory() -> None:
    """The message called its class "Error" and left out its text."""
    with pytest.raises(MemoryError):
        penstock.json.decode('"x"', Annotated[int, penstock.via(refuse)])


def starved(work: str) -> subprocess.CompletedProcess[str]:
    """Do something in a new process, in one child for each failing allocation."""
    program = f"""
        import os, penstock
        from _testcapi import remove_mem_hooks, set_nomemory

        class Handler:
            @penstock.on("a")
            def a(self, element): pass
            @penstock.on("a")
            def b(self, element): pass

        handler = Handler()
        reader = penstock.json.read([b"[1]"], int)
        penstock._verbs.send.reachable = lambda handler, found=penstock._verbs.send.reachable(handler): found
        said = {{}}
        for n in range(40):
            child = os.fork()
            if child == 0:
                try:
                    set_nomemory(n, n + 1)
                    try:
                        {work}
                    finally:
                        remove_mem_hooks()
                except (MemoryError, ValueError):
                    pass
                except BaseException as error:
                    # The interpreter loses an exception for which it can make no frame object.
                    os._exit(str(error) != "error return without exception set")
                os._exit(0)
            said[n] = os.waitpid(child, 0)[1]
        print({{n: status for n, status in said.items() if status}})
    """
    return finished(program)


@pytest.mark.parametrize(
    "work", ["penstock.json.send([b'1'], handler)", "reader.batches(2)", "reader.batches(0)"]
)
def test_36_a_message_for_which_there_is_no_memory(work: str) -> None:
    """The process ended, because the exception was made where a panic cannot be caught.

    Making a class at its first use was another kind of panic, which is never caught.
    """
    pytest.importorskip("_testcapi")
    done = starved(work)
    assert done.stdout == "{}\n", done.stderr[-1000:]
