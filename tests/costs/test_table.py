"""The table, for a terminal of any width."""

import dataclasses
import re

import pytest

from penstock.costs import table
from penstock.costs.compare import compared
from penstock.costs.record import Record, Span

EIGHTY = """\
A Processor, 4 cores, one cycle 0.250 ns, 8.0 GiB, governor performance,
clock tsc, huge pages madvise, files on ext4, Linux 6.1, glibc 2.36,
CPython 3.11.7, penstock 0.1.0, load 0.1 to 1.05, stolen 0.0%,
7 processes in 44.5 s, 2026-01-02

arithmetic                        time    ±    first 1/60 s  ratio   ns µs  ms s
  integer add, latency        0.250 ns   2%            67 M      1  ▌
  float divide, latency        3.44 ns   1%           4.8 M     14  █▊

calls
  Python function                17 ns  10%   590 ns  1.0 M     66  ██▌ ·
  call, direct               < 0.31 ns       < 44 ns > 54 M  < 1.2  ▌ ·
  call, virtual              twice the work took 1.00 times as long

files
  write 16 B                    6.2 ms  x16   8.0 ms      2   25 M  ████████▋·

processes
  process, true              not measured: no 'true'
  process, Python              53.5 ms   1%    60 ms    < 1  210 M  █████████▋·

2 of 8 rows failed their own check
"""


def test_in_eighty_columns(record: Record):
    assert "\n".join(table.lines(record, 80)) + "\n" == EIGHTY


@pytest.mark.parametrize("width", [1, 72, 80, 100, 120, 500])
def test_no_line_is_longer_than_the_terminal(record: Record, width: int):
    shown = min(max(width, table.NARROWEST), table.WIDEST)
    assert shown - 12 < max(map(len, table.lines(record, width))) <= shown


def test_colour_is_all_that_colour_changes(record: Record):
    coloured = list(table.lines(record, 120, colour=True))
    assert [re.sub(r"\x1b\[\d+m", "", line).rstrip() for line in coloured] == list(
        table.lines(record, 120)
    )
    assert any("\x1b[36m█" in line for line in coloured)
    # A row of Python.
    assert any("\x1b[33m█" in line for line in coloured)
    assert any("\x1b[31mtwice the work took" in line for line in coloured)


def test_changes_stand_in_place_of_the_bars(record: Record):
    then = dataclasses.replace(record, rows=[dataclasses.replace(row) for row in record.rows])
    then.rows[1].time = Span(6.9, 6.8, 7.0)
    then.rows[2].time = Span(8.0, 7.9, 8.1)
    del then.rows[7]
    lines = list(table.lines(record, 100, changes=compared(record, then)))
    told = {line[2:28].strip(): line[66:].strip() for line in lines if line.startswith("  ")}
    assert told["integer add, latency"] == "same (x1.00)"
    assert told["float divide, latency"] == "x2.01 faster"
    assert told["Python function"] == "x2.06 slower"
    assert told["process, Python"] == "not measured then"


def test_ratios_are_to_the_first_row_that_is_known(record: Record):
    known = dataclasses.replace(record, rows=record.rows[2:])
    line = next(line for line in table.lines(known, 80) if "process, Python" in line)
    assert line.split()[-2:-1] == ["M"]
    assert " 3.2 M " in line


@pytest.mark.parametrize(
    ("span", "told", "spread"),
    [
        (Span(0.2634, 0.26, 0.27), "0.263 ns", "3%"),
        (Span(0.2634, 0.25, 0.27), "0.26 ns", "5%"),
        (Span(999.96, 999.9, 1000.0), "1.00 µs", "1%"),
        (Span(1.0, 0.2, 1.5), "1.0 ns", "80%"),
        (Span(1.0, 0.5, 40.0), "1.0 ns", "x40"),
        (Span(0.1, 0.0, 0.3), "< 0.30 ns", ""),
        (Span(0.0, 0.0, 2.5e9), "< 2.5 s", ""),
    ],
)
def test_a_time_and_its_spread(span: Span, told: str, spread: str):
    assert (table.told(span), table.spread(span)) == (told, spread)


@pytest.mark.parametrize("ns", [0.0, 1e-9, 0.1, 1.0, 1e3, 1e6, 1e9, 1e15])
@pytest.mark.parametrize("width", [4, 13, 40])
def test_a_bar_is_as_wide_as_its_room(ns: float, width: int):
    assert len(table.bar(ns, None, width)) == width
    assert len(table.bar(ns, 1e7, width)) == width


def test_a_bar_grows_with_the_logarithm():
    lengths = [len(table.bar(10.0**decade, None, 40).rstrip()) for decade in range(10)]
    assert lengths == [4, 8, 12, 16, 20, 24, 28, 32, 36, 40]


def test_doubts_are_told(record: Record):
    where = record.machine
    where.build, where.governor, where.load = "debug", "powersave", (0.1, 9.5)
    where.stolen, where.file_system = 0.25, "tmpfs"
    notes = [line for line in table.lines(record, 80) if line.startswith("note: ")]
    assert notes == [
        "note: penstock is a debug build: what is native is slow",
        "note: the governor is powersave: the processor's clock may have changed",
        "note: the load was 9.5 on 4 cores: other work was running",
        "note: 25% of the processor's time went to other machines",
        "note: files were in memory: TMPDIR says which folder to use instead",
    ]
