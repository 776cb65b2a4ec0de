"""The arithmetic of `make compare`. Nothing is timed here."""

import importlib.util
import itertools
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("verdict", ROOT / "bench/verdict.py")
assert SPEC
assert SPEC.loader
verdict = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(verdict)


def test_every_order_comes_once_in_six_rounds():
    assert {verdict.order(turn) for turn in range(6)} == set(itertools.permutations(verdict.LEGS))


def test_an_order_is_followed_by_its_reverse():
    assert all(verdict.order(turn + 1) == verdict.order(turn)[::-1] for turn in range(0, 20, 2))


def test_the_first_round_begins_with_the_other_commit():
    assert verdict.order(0) == ("before", "again", "today")


def test_the_ratio_is_the_median_of_the_rounds():
    # One round was disturbed, and another one was slow as a whole.
    assert verdict.ratio([100, 100, 300], [100, 100, 300], [110, 500, 330]) == pytest.approx(1.1)


def test_the_ratio_is_held_against_the_mean_of_both_measurements():
    assert verdict.ratio([90], [110], [100]) == pytest.approx(1.0)


def test_equal_measurements_have_no_spread():
    assert verdict.spread([5, 6, 7], [5, 6, 7]) == 0


def test_the_spread_of_one_round_is_its_difference():
    assert verdict.spread([100], [110]) == pytest.approx(0.1)


def test_the_spread_does_not_hang_on_which_measurement_is_called_the_first():
    one, other = [100, 103, 98, 101], [102, 100, 99, 105]
    assert verdict.spread(one, other) == pytest.approx(verdict.spread(other, one))


def test_what_differs_at_random_has_the_spread_of_what_differs_in_one_direction():
    # All rounds may differ in one direction by chance, which is one of the counted choices.
    same = verdict.spread([100] * 5, [104] * 5)
    assert same == pytest.approx(0.04)
    assert verdict.spread([100, 104, 100, 104, 100], [104, 100, 104, 100, 104]) == pytest.approx(
        same
    )


def test_one_disturbed_round_is_not_the_spread():
    quiet = verdict.spread([100] * 9, [101] * 9)
    assert verdict.spread([100] * 9, [101] * 8 + [200]) == pytest.approx(quiet)


def test_many_rounds_are_sampled_and_always_alike():
    one, other = [100.0 + i % 7 for i in range(20)], [100.0 + i % 5 for i in range(20)]
    assert len(list(verdict.choices(one))) == verdict.MOST_CHOICES
    assert verdict.spread(one, other) == verdict.spread(one, other) < 0.06


@pytest.mark.parametrize(
    ("times", "apart", "slower"),
    [
        (0.8, 0.0, False),
        (1.03, 0.0, False),
        (1.031, 0.0, True),
        (1.049, 0.02, False),
        (1.051, 0.02, True),
        (1.2, 0.2, False),
    ],
)
def test_slower_is_what_exceeds_the_spread_and_the_allowed(
    times: float, apart: float, slower: bool
):
    assert verdict.is_slower(times, apart) is slower


def test_what_is_allowed_can_be_said():
    assert not verdict.is_slower(1.09, 0.0, 10)
    assert verdict.is_slower(1.01, 0.0, 0)
