"""The rows: each occurs once, can be made, and does what its name says."""

from pathlib import Path

import pytest

from penstock import _rust
from penstock.cli.parser import COSTS
from penstock.costs.given import GIVEN, Missing
from penstock.costs.operation import Statement, made
from penstock.costs.rows import CYCLE, FAULTS, GROUPS, LOOP, ROWS, WRONG, Row, named

ALL = (*ROWS, *WRONG)


def test_every_name_is_one_row():
    assert len({row.name for row in ALL}) == len(ALL)
    assert named(CYCLE) is ROWS[0]
    with pytest.raises(KeyError):
        named("nothing of this name")


def test_the_groups_are_told_in_their_order():
    assert tuple(dict.fromkeys(row.group for row in ROWS)) == GROUPS == COSTS
    assert {row.group for row in WRONG} == {FAULTS}


def test_every_native_operation_is_a_row():
    native = {row.name for row in ALL if not row.statement} | {LOOP}
    assert native == set(_rust.Operation.names())


def test_everything_given_is_used():
    assert {row.given for row in ALL if row.statement} | {"nothing"} == set(GIVEN)


def test_there_is_no_other_operation():
    with pytest.raises(LookupError, match="no operation 'nonsense'"):
        _rust.Operation("nonsense")


def test_names_fit_the_table():
    assert max(len(row.name) for row in ROWS) <= 26


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.name)
def test_a_row_is_made_and_done(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    try:
        operation = made(row)
    except Missing as missing:
        pytest.skip(str(missing))
    assert operation.per_turn >= 1
    for turns in (1, 2):
        time = operation.time(turns)
        assert isinstance(time, int)
        assert time >= 0
    assert operation.per_turn == 1 or not row.statement


def test_a_statement_works_on_what_it_is_given():
    row = named("JSON to object, penstock")
    given = GIVEN[row.given]()
    # The same call as in the row.
    assert row.statement == "decode(data, Record)"
    assert given["decode"](given["data"], given["Record"]) == given["Record"](
        1234567, "Vila Nova", 42.5
    )


def test_what_a_statement_changes_is_as_before_when_it_is_done_again(
    monkeypatch: pytest.MonkeyPatch,
):
    seen: list[int] = []
    monkeypatch.setitem(GIVEN, "seen", lambda: {"number": 0, "see": seen.append})
    operation = Statement("number += 1\nsee(number)", "seen")
    operation.time(2)
    operation.time(3)
    assert seen == [1, 2, 1, 2, 3]


def test_files_are_written_where_it_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    made(named("replace 16 B")).time(1)
    assert (tmp_path / "target").read_bytes() == b"16 bytes of data"
    assert not (tmp_path / "beside").exists()
