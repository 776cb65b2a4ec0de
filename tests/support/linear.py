"""How the tests show that work grows linearly with the input, by the time that the processor needs.

Work is measured at n and 4n. For four times the input, linear work takes four times as long and
quadratic work sixteen times. `assert_linear` fails above a factor in between, with room on both sides.

Two things would disturb the measurement. The collector walks everything that the process holds, what
other tests left included: it is off. Another process takes the caches, which only makes work seem slower:
so of the small size the quickest of three runs counts, and of the large one the first that is quick enough.
"""

import gc
from collections.abc import Callable
from time import process_time

Work = Callable[[], object]

FACTOR = 9
ATTEMPTS = 5
# So often is the large size run in each attempt, unless a run before was quick enough.
RUNS = 3


def seconds(work: Work) -> float:
    """Return the processor time of a run."""
    start = process_time()
    work()
    return process_time() - start


def assert_linear(make: Callable[[int], Work], n: int) -> None:
    """Assert that the work which `make` prepares for a size takes time in proportion to it."""
    measured = []
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(ATTEMPTS):
            small = make(n)
            least = min(seconds(small) for _ in range(RUNS))
            del small
            large = make(4 * n)
            for _ in range(RUNS):
                took = seconds(large)
                if took < FACTOR * least:
                    return
                measured.append((least, took))
            del large
    finally:
        if enabled:
            gc.enable()
    raise AssertionError(f"more than {FACTOR} times as long for 4 times the input: {measured}")
