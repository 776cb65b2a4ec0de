"""The form of dates and times: `times(...)`, `Plan(times=)`, and `unix(cut=True)`."""

# ruff: noqa: DTZ001 - some of them are naive

from __future__ import annotations

import datetime as dt
import json as plain_json
import pickle
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Plan, PlanError, ValidationError, decode, times, unix, xml

UTC = dt.UTC
Moment = dt.datetime | dt.date | dt.time
Iso = Annotated[dt.datetime, times("iso")]
VECTORS: dict[str, list[str | None]] = plain_json.loads(
    (Path(__file__).parents[2] / "testdata/times/isoformat.json").read_text("utf-8")
)
KINDS: list[Any] = [dt.datetime, dt.date, dt.time]


def read(text: str, into: Any) -> Moment | None:
    """The value of a string, or None if it is refused."""
    try:
        value: Moment = decode(plain_json.dumps(text), into)
    except ValidationError:
        return None
    return value


def refused(text: str, into: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        decode(text, into)
    return caught.value.reason


def of_xml(text: str, into: Any, **options: Any) -> Any:
    plan: Any = TypedDict("Doc", {"v": into})
    return xml.decode(f"<d><v>{text}</v></d>", Plan(plan, **options))["v"]


# Python reads offsets of less than a second as none.
OFFSETS = st.timedeltas(dt.timedelta(hours=-23), dt.timedelta(hours=23)).filter(
    lambda offset: not offset or abs(offset) >= dt.timedelta(seconds=1)
)

# Texts that `fromisoformat` reads, though ISO 8601 gives them no meaning, or another one.
OTHERWISE = {
    # A fraction of a minute or an hour, read as one of a second.
    "12.5",
    "12:30.5",
    "2026-03-01T12.5",
    "2026-03-01T12:30.5",
    # A date, read as a time with a fraction, though no point precedes it.
    "20260301",
    "20240229",
    # Minute 60 of an offset.
    "12:30+00:60",
    "2026-03-01T12:30:59.25+00:60",
    "20260301T1230+00:60",
    # Some character before the offset.
    "12:30 +01:00",
    "20260301T1230 +01:00",
    # A sign, which begins an offset, or a digit between date and time.
    *(
        f"{day}{mark}{time}"
        for day, time in (("2026-03-01", "12:30"), ("2026-W09", "12:30"))
        for mark in "+-5"
    ),
    *(f"2026W09{mark}1230" for mark in "+-5"),
}


def test_iso_is_what_python_3_13_reads() -> None:
    otherwise = set()
    for text, expected in VECTORS.items():
        for cls, written in zip(KINDS, expected, strict=True):
            got = read(text, Plan(cls, times=times("iso", cut=True)))
            if got is None and written is not None:
                otherwise.add(text)
            else:
                assert (got and got.isoformat()) == written, (cls, text)
            finer = ".1234567" in text or ".0000001" in text
            assert read(text, Plan(cls, times="iso")) == (None if finer else got)
            assert read(text, Annotated[cls, times("iso")]) == (None if finer else got)
    # "2026-03-01-12:30" is a date to a `date`.
    assert otherwise == OTHERWISE & VECTORS.keys()


@given(
    st.datetimes(timezones=st.none() | OFFSETS.map(dt.timezone)),
    st.sampled_from(["auto", "hours", "minutes", "seconds", "milliseconds", "microseconds"]),
    st.sampled_from("T _é"),
)
def test_what_isoformat_writes_is_read(value: dt.datetime, spec: str, between: str) -> None:
    text = value.isoformat(between, spec)
    got: Any = read(text, Iso)
    assert (got, got.utcoffset()) == (dt.datetime.fromisoformat(text), value.utcoffset())
    assert of_xml(text, Iso) == got
    assert read(value.date().isoformat(), Annotated[dt.date, times("iso")]) == value.date()
    clock = value.timetz()
    assert read(clock.isoformat(spec), Annotated[dt.time, times("iso")]) == dt.time.fromisoformat(
        clock.isoformat(spec)
    )


@given(st.text("0123456789-+:.,WTZ ", max_size=30))
def test_what_is_read_as_iso_is_what_python_reads(text: str) -> None:
    for cls in KINDS:
        got: Any = read(text, Plan(cls, times=times("iso", cut=True)))
        if got is not None and not re.search("[+-]0[0:]*[.,]", text):
            assert got == cls.fromisoformat(text)


@pytest.mark.parametrize(
    ("into", "text", "value"),
    [
        (Iso, "2026-03-01T12:30", dt.datetime(2026, 3, 1, 12, 30)),
        (
            Iso,
            "1890-01-01T00:00:00+00:34:08",
            dt.datetime.fromisoformat("1890-01-01T00:00:00+00:34:08"),
        ),
        (Annotated[dt.date, times("iso")], "2026W097", dt.date(2026, 3, 1)),
        (
            Annotated[dt.datetime, times("%d.%m.%Y %H:%M")],
            "1.3.2026 12:30",
            dt.datetime(2026, 3, 1, 12, 30),
        ),
        (Annotated[dt.date, times("%d %b %y")], "01 Mar 26", dt.date(2026, 3, 1)),
        (Annotated[dt.time, times("%I:%M %p")], "12:30 am", dt.time(0, 30)),
        (
            Annotated[dt.datetime, times("%d/%b/%Y:%H:%M:%S %z")],
            "01/Mar/2026:12:30:00 +0100",
            dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.timezone(dt.timedelta(hours=1))),
        ),
        (
            Annotated[dt.datetime, times("%Y-%m-%dT%H:%M:%S.%fZ", cut=True)],
            "2026-03-01T12:30:00.123456789Z",
            dt.datetime(2026, 3, 1, 12, 30, 0, 123456),
        ),
        (
            Annotated[dt.datetime, times(cut=True)],
            "2026-03-01T12:30:00.123456789Z",
            dt.datetime(2026, 3, 1, 12, 30, 0, 123456, UTC),
        ),
        (Annotated[dt.time, times(cut=True)], "12:30:00.9999999", dt.time(12, 30, 0, 999999)),
    ],
)
def test_forms(into: Any, text: str, value: Moment) -> None:
    assert read(text, into) == value
    assert of_xml(f" {text}\n", into) == value
    assert decode(plain_json.dumps({text: 1}), dict[into, int]) == {value: 1}
    assert [decode(plain_json.dumps([text]), list[into])] == [[value]]


@pytest.mark.parametrize(
    ("into", "text", "reason"),
    [
        (dt.datetime, "2026-03-01T12:30", "the seconds are missing"),
        (dt.datetime, "2026-03-01T12:30:00.1234567Z", "the fraction is finer than a microsecond"),
        (Iso, "2026-W60", "week 60 is not in 1..53"),
        (Iso, "2026-03-01T12:30:00.1234567Z", "the fraction is finer than a microsecond"),
        (
            Annotated[dt.datetime, times("%a %d.%m.%Y")],
            "Mon 1.3.2026",
            "the date is another day of the week",
        ),
    ],
)
def test_what_does_not_fit(into: Any, text: str, reason: str) -> None:
    assert refused(plain_json.dumps(text), into).endswith(f'got "{text}": {reason}')


@dataclass
class Log:
    at: dt.datetime
    day: dt.date | None = None
    clock: Annotated[dt.time, times()] = dt.time(0)


def test_a_form_for_all_of_a_plan() -> None:
    plan = Plan(list[Log], times="iso")
    text = '[{"at": "20260301T12", "day": "20260301", "clock": "12:30:00"}]'
    assert decode(text, plan) == [
        Log(dt.datetime(2026, 3, 1, 12), dt.date(2026, 3, 1), dt.time(12, 30))
    ]
    with pytest.raises(ValidationError, match='got "12:30": the seconds are missing'):
        decode('[{"at": "20260301T12", "clock": "12:30"}]', plan)
    assert repr(plan).splitlines()[0] == "Plan(list[Log], times='iso')"
    assert repr(Plan(Log, times=times("iso", cut=True))).startswith(
        "Plan(Log, times=times('iso', cut=True))"
    )
    assert decode('"20260301"', Plan(Plan(dt.date, times="iso"), strict=False)) == dt.date(
        2026, 3, 1
    )
    assert decode('"2026-03-01"', Plan(dt.date, times="rfc3339")) == dt.date(2026, 3, 1)
    with pytest.raises(PlanError, match="differ in times="):
        Plan(Plan(dt.date, times="iso"), times="rfc3339")


def test_numbers() -> None:
    stamp = dt.datetime(2026, 1, 1, 0, 0, 0, 250_000, UTC)
    seconds = Annotated[dt.datetime, unix("s")]
    assert decode('"1767225600.25"', seconds) == stamp
    assert decode('"2026-01-01T00:00:00.25Z"', seconds) == stamp
    nano = Annotated[dt.datetime, unix("ns", cut=True)]
    assert decode("1767225600250000999", nano) == stamp
    assert decode('"1767225600250000999"', nano) == stamp
    assert of_xml("1767225600250000999", nano) == stamp
    assert decode("-1", nano) == dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)
    assert decode("-1000", nano) == dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)
    assert decode("0.9e-6", Annotated[dt.datetime, unix("s", cut=True)]) == dt.datetime(
        1970, 1, 1, tzinfo=UTC
    )
    assert refused("1767225600250000999", Annotated[dt.datetime, unix("ns")]).endswith(
        "it is finer than a microsecond"
    )
    # In a string, the digits are in the form of text.
    both = Plan(dt.datetime, unix="s", times="iso")
    assert decode("20260301", both) == dt.datetime(1970, 8, 23, 11, 51, 41, tzinfo=UTC)
    assert decode('"20260301"', both) == dt.datetime(2026, 3, 1)
    in_union = Annotated[dt.datetime, times("iso")] | int | str
    assert decode('["20260301", 7, "x"]', list[in_union]) == [dt.datetime(2026, 3, 1), 7, "x"]


def test_constraints() -> None:
    pydantic = pytest.importorskip("pydantic")
    late = Annotated[dt.date, times("iso"), pydantic.Field(ge=dt.date(2026, 1, 1))]
    assert decode('"20260301"', late) == dt.date(2026, 3, 1)
    with pytest.raises(ValidationError, match="expected date >= 2026-01-01"):
        decode('"20250301"', late)


@pytest.mark.parametrize(
    ("into", "reason"),
    [
        (Annotated[int, times("iso")], "times(...) is only for a datetime, date or time"),
        (Annotated[list[dt.date], times("iso")], "times(...) is only for a datetime, date or time"),
        (Annotated[dt.date, times("%Q")], "the pattern of times(...): %Q is no directive"),
        (
            Annotated[dt.date, times("%d.%m.")],
            "the pattern of times(...): it lacks the year, the month or the day",
        ),
        (
            Annotated[dt.date, times("%d.%m.%Y %H")],
            "the pattern of times(...): a date cannot keep a time",
        ),
        (
            Annotated[dt.time, times("%Y %H")],
            "the pattern of times(...): a time cannot keep a date",
        ),
    ],
)
def test_refused(into: Any, reason: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    assert str(caught.value) == reason


def test_numbers_and_forms_where_all_is_text() -> None:
    with pytest.raises(PlanError, match="exclude each other where numbers are text"):
        of_xml("20260301", Annotated[dt.datetime, unix("s"), times("iso")])


def test_the_words() -> None:
    word = times("iso", cut=True)
    assert (repr(word), word.form, word.cut) == ("times('iso', cut=True)", "iso", True)
    assert repr(times()) == "times('rfc3339')"
    assert (repr(unix("ns", cut=True)), unix("s").cut) == ("unix('ns', cut=True)", False)
    assert word == times("iso", cut=True) != times("iso")
    assert pickle.loads(pickle.dumps(word)) == word
    assert pickle.loads(pickle.dumps(unix("ns", cut=True))) == unix("ns", cut=True)
    assert penstock.times is times
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"^times\(\) takes a str, not int$"):
        times(wrong)
    with pytest.raises(ValueError, match="takes 'rfc3339', 'iso' or a pattern with %, not 'epoch'"):
        times("epoch")
    wrong = "epoch"
    with pytest.raises(ValueError, match=r"^times must be 'iso' or 'rfc3339', not 'epoch'$"):
        Plan(dt.date, times=wrong)
    with pytest.raises(ValueError, match="times= takes no pattern"):
        Plan(dt.date, times=times("%d.%m.%Y"))
    wrong = 3
    with pytest.raises(TypeError, match=r"^times must be a str or a times\(...\), not int$"):
        Plan(dt.date, times=wrong)
