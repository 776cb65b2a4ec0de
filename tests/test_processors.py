"""How many threads and processes there are by default, on each system and version."""

import os

import pytest

from penstock._base.processors import usable
from penstock.cli.threads import chosen

pytestmark = pytest.mark.thread_unsafe(reason="it replaces functions of the module `os`")


def machine(monkeypatch: pytest.MonkeyPatch, **functions: object) -> None:
    """Give `os` these functions and take the others."""
    for name in ("process_cpu_count", "sched_getaffinity", "cpu_count"):
        if name in functions:
            monkeypatch.setattr(os, name, functions[name], raising=False)
        else:
            monkeypatch.delattr(os, name, raising=False)


def test_this_machine() -> None:
    assert 1 <= usable() <= (os.cpu_count() or 1)


def test_what_the_interpreter_says_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def affinity(_pid: int) -> set[int]:
        return {0}

    machine(
        monkeypatch,
        process_cpu_count=lambda: 3,
        sched_getaffinity=affinity,
        cpu_count=lambda: 8,
    )
    assert usable() == 3


def test_then_the_processors_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def affinity(pid: int) -> set[int]:
        return {0, 5} if pid == 0 else {0}

    machine(monkeypatch, sched_getaffinity=affinity, cpu_count=lambda: 8)
    assert usable() == 2


def test_then_all_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, cpu_count=lambda: 8)
    assert usable() == 8


@pytest.mark.parametrize("name", ["process_cpu_count", "cpu_count"])
def test_a_system_that_does_not_know_has_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    machine(monkeypatch, **{name: lambda: None})
    assert usable() == 1


def test_the_command_line_uses_all_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, cpu_count=lambda: 8)
    assert chosen(None) == 8
    assert chosen(2) == 2
