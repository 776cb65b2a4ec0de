"""What the interpreter itself does when an allocation fails: each fault without Penstock.

A program, like `starve.py`, for the same reason. It performs the named operation while one
allocation after the other fails, and prints the result: the exception, how many blocks each attempt
leaves behind, or how many references were lost.
"""

import contextvars
import gc
import re
import sys
import zoneinfo
from _testcapi import remove_mem_hooks, set_nomemory
from collections.abc import Callable
from types import CodeType
from typing import TypeVar

T = TypeVar("T")
ITEMS = [1, 2, 3]
GENERIC = list[T]
GENERIC_UNION = T | None


class Numbers(list[int]):
    pass


def capture(argument: object) -> object:
    return lambda: argument


def capture_one(argument: object, _other: object, _third: object) -> object:
    return lambda: argument


FAULTS: dict[str, Callable[[], object]] = {
    # Fails without an exception, and crashes later.
    "compile": lambda: compile("def f(a, *, b):\n  return a[b]", "<text>", "exec"),
    # Crashes.
    "substitute": lambda: GENERIC[int],
    "substitute in a union": lambda: GENERIC_UNION[int],
    # Crashes, the first time; the first `Decimal` of a thread creates a context.
    "context": contextvars.Context,
    # Crash, or fail with other exceptions, the first time; later they are in a cache.
    "regular expression": lambda: re.compile("a+b"),
    "time zone": lambda: zoneinfo.ZoneInfo.no_cache("UTC"),
    # Leaks the argument if there is no memory for its cell.
    "capture": lambda: capture(object()),
    # And all other arguments of the call with it. A comprehension captures too.
    "arguments": lambda: capture_one(object(), object(), object()),
    # Leaks the list from which the new one is made.
    "copy": lambda: Numbers(list(ITEMS)),
}


def attempt(work: Callable[[], object], n: int) -> str:
    """Let the n-th allocation fail; return the name of a wrong exception."""
    try:
        set_nomemory(n, n + 1)
        try:
            work()
        finally:
            remove_mem_hooks()
    except MemoryError:
        pass
    except (RuntimeError, SystemError) as error:
        return type(error).__name__
    return ""


def left(work: Callable[[], object], n: int, times: int) -> int:
    """Return how many more blocks are in use after that many attempts."""
    attempt(work, n)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(times):
        attempt(work, n)
    gc.collect()
    return sys.getallocatedblocks() - before


def references_lost() -> int:
    """Count how often a code object is released if there is no memory for its function."""
    (code,) = (each for each in capture.__code__.co_consts if isinstance(each, CodeType))
    spare = [code] * 1_000
    before = sys.getrefcount(code)
    for _ in range(100):
        attempt(lambda: capture(None), 0)
        attempt(lambda: capture(None), 1)
    lost = before - sys.getrefcount(code)
    del spare
    return lost


def main(name: str) -> None:
    if name == "function":
        sys.stdout.write(f"{references_lost()} references lost\n")
        return
    work = FAULTS[name]
    for n in range(1, 200):
        if raised := attempt(work, n):
            sys.stdout.write(f"{raised}\n")
            sys.stdout.flush()  # It may crash before it ends.
            return
    most = max(left(work, n, 100) for n in range(1, 40))
    sys.stdout.write(f"{(most + 50) // 100} left behind each time\n")


if __name__ == "__main__":
    main(sys.argv[1])
