"""How the tests show that work grows linearly with the input, by the time that the processor needs.

Work is measured at n, 2n and 4n. For four times the input, linear work takes four times as long and
quadratic work sixteen times. `assert_linear` fails above a factor in between, with room on both sides.

Two things would disturb the measurement. The collector walks everything that the process holds, what
other tests left included: it is off. Another process takes the caches: a measurement that shows too
much is made again, and only work that grows too fast each time fails.
"""

import gc
from collections.abc import Callable
from time import process_time

Work = Callable[[], object]

FACTOR = 9
ATTEMPTS = 5


def seconds(work: Work) -> float:
    """Return the processor time of the quickest of three runs."""
    best = float("inf")
    for _ in range(3):
        start = process_time()
        work()
        best = min(best, process_time() - start)
    return best


def assert_linear(make: Callable[[int], Work], n: int) -> None:
    """Assert that the work which `make` prepares for a size takes time in proportion to it."""
    measured = []
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(ATTEMPTS):
            times = [seconds(make(size)) for size in (n, 2 * n, 4 * n)]
            if times[2] < FACTOR * times[0]:
                return
            measured.append(times)
    finally:
        if enabled:
            gc.enable()
    raise AssertionError(f"more than {FACTOR} times as long for 4 times the input: {measured}")
