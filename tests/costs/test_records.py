"""Records: stored, read again, compared."""

import copy
import json

import pytest

from penstock.costs import compare
from penstock.costs.record import NoRecord, Record, Span
from penstock.costs.statistics import Interval


def test_a_record_is_read_as_it_was_written(record: Record):
    assert Record.read(record.text().encode()) == record


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda found: found.pop("rows"), "rows"),
        (lambda found: found["rows"][0].update(time=7), "rows/0/time"),
        (lambda found: found["rows"][0]["time"].update(low=-1.0), "rows/0/time"),
        (lambda found: found["rows"][0]["time"].update(high=0.1), "its ends must be around it"),
        (lambda found: found["machine"].update(load=[]), "machine/load"),
        (lambda found: found.update(penstock_costs=2), "it has form 2, and only 1 is known"),
    ],
)
def test_what_is_no_record_is_refused(record: Record, change, reason: str):  # noqa: ANN001 - a lambda
    found = json.loads(record.text())
    change(found)
    with pytest.raises(NoRecord) as caught:
        Record.read(json.dumps(found).encode())
    assert reason in str(caught.value)


def test_intervals_that_touch_meet():
    assert Interval(1.0, 2.0, 3.0).meets(Interval(3.0, 4.0, 5.0))
    assert Interval(3.0, 4.0, 5.0).meets(Interval(1.0, 2.0, 3.0))
    assert Interval(1.0, 2.0, 9.0).meets(Interval(3.0, 4.0, 5.0))
    assert not Interval(1.0, 2.0, 2.9).meets(Interval(3.0, 4.0, 5.0))


def test_a_record_agrees_with_itself(record: Record):
    changes = compare.compared(record, record)
    assert [change.verdict for change in changes] == [
        *("same", "same", "same", "same", "unknown", "same", "unknown", "same")
    ]
    assert compare.agreement(changes) == (6, 6)
    assert compare.summary(changes, record, record) == (
        "6 of 6 rows (100%) agree within their spread, 0 are faster, 0 slower."
    )


def test_what_changed_is_told_with_its_factor(record: Record):
    then = copy.deepcopy(record)
    then.rows[0].time = Span(0.50, 0.49, 0.51)
    then.rows[2].time = Span(8.0, 7.9, 8.1)
    then.rows[3].time = Span(0.3, 0.29, 0.32)
    del then.rows[5]
    changes = compare.compared(record, then)
    assert [(change.verdict, change.told()) for change in changes] == [
        ("faster", "x2 faster"),
        ("same", "same (x1.00)"),
        ("slower", "x2.06 slower"),
        ("same", "same (x0.07)"),
        ("unknown", "failed its check"),
        ("new", "not measured then"),
        ("unknown", "failed its check"),
        ("same", "same (x1.00)"),
    ]
    assert compare.summary(changes, record, then) == (
        "3 of 5 rows (60%) agree within their spread, 1 are faster, 1 slower."
    )


def test_records_without_a_common_row(record: Record):
    then = Record(record.machine, [])
    assert (
        compare.summary(compare.compared(record, then), record, then)
        == "No row was measured in both."
    )


def test_another_clock_of_the_processor_is_told(record: Record):
    then = copy.deepcopy(record)
    then.machine.cycle_ns = 0.31
    told = compare.summary(compare.compared(record, then), record, then)
    assert told.endswith("\nOne cycle of the processor took 0.31 ns then, and 0.25 now.")
