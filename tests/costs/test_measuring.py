"""Measuring with operations that only pretend to take time."""

from collections.abc import Callable
from random import Random

import pytest

from penstock.costs import worker
from penstock.costs.rows import FAULTS, WRONG, Row
from penstock.costs.statistics import Cost, Times, cost
from penstock.costs.worker import MOST_TURNS, doubled, enough_turns, measured

Took = Callable[[int], float]


class Pretended:
    """Takes the time that a function returns, and more at the first call."""

    def __init__(self, took: Took, per_turn: int = 1, first: int = 0) -> None:
        self.took = took
        self.per_turn = per_turn
        self.first = first
        self.asked: list[int] = []

    def time(self, turns: int, /) -> int:
        extra, self.first = self.first, 0
        self.asked.append(turns)
        return int(self.took(turns)) + extra


def times(operation: Pretended, epoch: int = 1_000) -> Times:
    """The times that a process would find for it, without interruptions."""
    found = measured({"it": operation}, epoch, 1e9, Random(7), interrupted=lambda: 0)
    return Times(**found["it"].told())


def judged(
    took: Took,
    *,
    per_turn: int = 1,
    native: bool = True,
    waits: bool = False,
    least: float = 0.0,
) -> Cost:
    """The cost of an operation in a loop that takes a nanosecond."""
    runs = [times(Pretended(took, per_turn)) for _ in range(3)]
    loops = [times(Pretended(lambda turns: turns)) for _ in range(3)]
    empties = [[20, 20, 20]] * 3
    return cost(runs, loops, empties, native=native, waits=waits, least=least)


def test_turns_are_doubled_until_they_take_long_enough():
    operation = Pretended(lambda turns: 3 * turns)
    assert enough_turns(operation, 1_000) == 512
    assert operation.asked == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512]


def test_an_interruption_is_not_taken_for_enough():
    late = iter([0, 0, 2_000])
    operation = Pretended(lambda turns: 3 * turns + next(late, 0))
    assert enough_turns(operation, 1_000) == 512


def test_what_takes_no_time_comes_to_an_end():
    operation = Pretended(lambda _turns: 20)
    assert enough_turns(operation, 1_000) == MOST_TURNS


def test_what_takes_long_is_done_once():
    operation = Pretended(lambda turns: 100_000 * turns)
    assert enough_turns(operation, 1_000) == 1
    assert operation.asked == [1]


@pytest.mark.parametrize("larger_first", [False, True])
def test_a_measurement_and_its_double(larger_first: bool):
    operation = Pretended(lambda turns: 5 * turns)
    found = doubled(operation, 100, larger_first, lambda: 0)
    assert sorted(found) == [(100, 500, True), (200, 1_000, True)]
    # The first only warms the caches.
    assert operation.asked == ([100, 200, 100] if larger_first else [100, 100, 200])


def test_an_interruption_is_noted_where_it_was():
    counts = iter([4, 4, 4, 5])
    found = doubled(
        Pretended(lambda turns: turns), 8, larger_first=False, interrupted=lambda: next(counts)
    )
    assert found == [(8, 8, True), (16, 16, False)]


def test_all_rows_take_part_until_the_time_is_over():
    clock = iter(range(1_000_000))
    operations = {name: Pretended(lambda turns: 50 * turns) for name in ("one", "two", "three")}
    found = measured(
        operations, 1_000, 30.0, Random(7), now=lambda: next(clock), interrupted=lambda: 0
    )
    counts = {len(row.times) for row in found.values()}
    # Two in each round, and no operation is more than a round ahead.
    assert max(counts) - min(counts) <= 2
    assert min(counts) >= 2 * worker.FEWEST_ROUNDS


def test_what_takes_long_has_fewer_rounds():
    clock = iter(range(1_000_000))
    operations = {
        "quick": Pretended(lambda turns: 50 * turns),
        "slow": Pretended(lambda turns: 50_000 * turns),
    }
    found = measured(
        operations, 1_000, 0.0, Random(7), now=lambda: next(clock), interrupted=lambda: 0
    )
    assert len(found["slow"].times) == 2
    assert len(found["quick"].times) == 2 * worker.FEWEST_ROUNDS


def test_there_is_an_end_without_a_clock():
    found = times(Pretended(lambda turns: 3 * turns))
    assert len(found.times) == 2 * worker.ENOUGH_ROUNDS


def test_the_first_time_is_kept_apart():
    found = times(Pretended(lambda turns: 20 + 3 * turns, first=5_000))
    assert found.first == 5_023
    assert all(time < 5_000 for _, time, _ in found.times)


# --- Costs


def test_the_loop_is_taken_off():
    found = judged(lambda turns: 16 * turns, native=False)
    assert found.time == (15.0, 15.0, 15.0)
    assert found.growth == (2.0, 2.0, 2.0)
    assert found.fault is None


def test_a_native_loop_may_have_cost_nothing():
    found = judged(lambda turns: 17 * turns, per_turn=4)
    assert found.time == (4.0, 4.0, 4.25)


def test_what_is_not_known_of_the_loop_is_not_known_of_the_row():
    runs = [times(Pretended(lambda turns: 16 * turns)) for _ in range(3)]
    loops = [times(Pretended(lambda turns, ns=ns: ns * turns)) for ns in (1, 2, 3)]
    found = cost(runs, loops, [[0]] * 3, native=False)
    # 13 to 15 by the loops; each may be off by one more.
    assert found.time == (12.0, 14.0, 16.0)


def test_no_time_is_an_interval_and_never_zero_or_less():
    runs = [times(Pretended(lambda turns, ns=ns: ns * turns)) for ns in (0.9, 1.0, 1.1)]
    loops = [times(Pretended(lambda turns: turns)) for _ in range(3)]
    low, middle, high = cost(runs, loops, [[0]] * 3, native=True).time
    assert low == 0.0
    assert middle == pytest.approx(0.0, abs=0.01)
    assert high == pytest.approx(1.1, abs=0.01)


def test_what_seems_faster_than_the_loop_is_zero_at_least():
    runs = [times(Pretended(lambda turns: turns)) for _ in range(3)]
    loops = [times(Pretended(lambda turns, ns=ns: ns * turns)) for ns in (2, 3, 4)]
    # The cost is known only to be below the uncertainty of the loop.
    assert cost(runs, loops, [[0]] * 3, native=False).time == (0.0, 0.0, 1.0)


def test_the_upper_end_is_never_zero():
    found = judged(lambda turns: turns, native=False).time
    # One nanosecond in all measured turns.
    assert found == (0.0, 0.0, 1 / 1024)


def test_the_first_time_without_the_clock():
    runs = [times(Pretended(lambda turns: 3 * turns, first=first)) for first in (300, 400, 500)]
    loops = [times(Pretended(lambda turns: turns)) for _ in range(3)]
    found = cost(runs, loops, [[18, 20, 22]] * 3, native=True)
    assert found.first == (281.0, 383.0, 485.0)


def test_no_first_time_where_the_turn_has_several():
    assert judged(lambda turns: 16 * turns, per_turn=4).first is None


def test_interruptions_are_left_out():
    peaceful = (10, 100, True)
    late = (10, 9_000, False)
    assert Times(10, 1, 0, [peaceful, late, (10, 120, True), late]).turn(waits=False) == 11.0
    # Such a row waits by its nature.
    assert Times(10, 1, 0, [peaceful, late, late]).turn(waits=True) == 900.0
    # Every measurement was interrupted: the shortest one was disturbed least.
    assert Times(10, 1, 0, [late, (10, 200, False)]).turn(waits=False) == 20.0


# --- Faults


def test_a_row_that_was_optimised_away_is_caught():
    found = judged(lambda _turns: 20)
    assert found.fault == "twice the work took 1.00 times as long"


def test_a_row_whose_loop_is_all_that_is_left_is_caught():
    found = judged(lambda turns: 1.1 * turns, per_turn=8, least=0.25)
    assert found.fault == "faster than the processor can be"


def test_a_quadratic_row_is_caught():
    found = judged(lambda turns: turns * turns, native=False)
    assert found.fault == "twice the work took 4.00 times as long"


def test_a_quadratic_row_is_caught_though_it_waits():
    assert judged(lambda turns: turns * turns, waits=True).fault is not None


@pytest.mark.parametrize("least", [0.0, 2.0])
def test_an_honest_row_is_believed(least: float):
    assert judged(lambda turns: 50 + 3 * turns, least=least).fault is None


def test_a_row_is_only_refused_if_no_process_speaks_for_it():
    runs = [
        times(Pretended(lambda turns: turns * turns)),
        times(Pretended(lambda turns: 3 * turns)),
    ]
    loops = [times(Pretended(lambda turns: turns)) for _ in range(2)]
    assert cost(runs, loops, [[0]] * 2, native=True).fault is None


def test_a_row_is_not_refused_for_few_bad_measurements():
    loops = [times(Pretended(lambda turns: turns)) for _ in range(2)]
    # The larger measurement of the first two was disturbed; that of the third shows it.
    few = [
        Times(1, 1, 900, [(1, 1_000, True), (2, 3_100, True)]),
        Times(1, 1, 900, [(1, 1_010, True), (2, 2_900, True)]),
        Times(1, 1, 900, [(1, 1_500, True), (2, 2_050, True)]),
    ]
    assert cost(few[:2], loops, [[0]] * 2, native=True).fault is not None
    assert cost(few, [*loops, loops[0]], [[0]] * 3, native=True).fault is None


def test_rows_that_are_wrong_on_purpose_say_what_catches_them():
    assert all(isinstance(row, Row) and row.group == FAULTS and row.catches for row in WRONG)
