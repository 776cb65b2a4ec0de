"""`examples/timetable` on real feeds, compared with the tables read by the csv module."""

from __future__ import annotations

import csv
import importlib.util
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from math import cos, hypot, radians
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.thread_unsafe(reason="it is about a process of its own")

SCRIPT = Path(__file__).parents[2] / "examples/timetable/timetable.py"
SEATTLE = "gtfs/seattle-area-2017-11-16"
CALTRAIN = "gtfs/caltrain-2017-07-24"


def module() -> ModuleType:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("timetable", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules["timetable"] = found
    spec.loader.exec_module(found)
    return found


def run(*arguments: str | Path) -> list[str]:
    """The output of the example."""
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def rows(feed: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with (feed / name).open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


class Plain:
    """The answers, from the tables as they are."""

    def __init__(self, feed: Path) -> None:
        self.stops = {row["stop_id"]: row for row in rows(feed, "stops.txt")}
        self.trips = {row["trip_id"]: row for row in rows(feed, "trips.txt")}
        self.calendar = rows(feed, "calendar.txt")
        self.exceptions = {
            (row["service_id"], row["date"]): row["exception_type"]
            for row in rows(feed, "calendar_dates.txt")
        }
        self.times = rows(feed, "stop_times.txt")
        self.last: dict[str, int] = {}
        for row in self.times:
            number = int(row["stop_sequence"])
            self.last[row["trip_id"]] = max(number, self.last.get(row["trip_id"], -1))

    def runs(self, service: str, day: date) -> bool:
        exception = self.exceptions.get((service, f"{day:%Y%m%d}"))
        if exception is not None:
            return exception == "1"
        return any(
            week["service_id"] == service
            and week["start_date"] <= f"{day:%Y%m%d}" <= week["end_date"]
            and week[f"{day:%A}".lower()] == "1"
            for week in self.calendar
        )

    def departures(
        self, at: tuple[float, float], metres: float, since: datetime, until: datetime
    ) -> list[tuple[datetime, str, str]]:
        found = []
        days = [since.date() + timedelta(days=n) for n in (-2, -1, 0, 1)]
        for row in self.times:
            stop, trip = self.stops[row["stop_id"]], self.trips[row["trip_id"]]
            lat, lon = float(stop["stop_lat"]), float(stop["stop_lon"])
            far = hypot(lat - at[0], (lon - at[1]) * cos(radians(at[0]))) * 111_195
            if far > metres or int(row["stop_sequence"]) == self.last[row["trip_id"]]:
                continue
            if row.get("pickup_type") == "1" or not row["departure_time"]:
                continue
            hours, minutes, _ = map(int, row["departure_time"].split(":"))
            for day in days:
                noon = datetime(day.year, day.month, day.day, 12, tzinfo=since.tzinfo)
                when = noon.astimezone(UTC) + timedelta(hours=hours - 12, minutes=minutes)
                if since <= when < until and self.runs(trip["service_id"], day):
                    found.append((when, row["stop_id"], row["trip_id"]))
        return sorted(found)


@pytest.mark.parametrize(
    ("name", "place", "moments"),
    [
        (
            SEATTLE,
            (47.6117, -122.3372),
            [
                "2017-12-04T08:00",
                "2017-12-05T00:10",  # of the evening before
                "2017-12-25T08:00",  # a holiday
                "2017-11-23T08:00",
                "2018-01-01T00:05",
                "2017-12-03T17:30",
                "2017-11-18T00:20",  # the first day
                "2018-03-10T00:20",  # the day after the last one
                "2030-01-01T08:00",
            ],
        ),
        (
            CALTRAIN,
            (37.7764, -122.395),
            [
                "2017-09-04T17:00",  # a Monday with Sunday's trains
                "2017-09-05T17:00",
                "2017-07-22T00:00",
                "2017-11-05T00:00",  # the clocks go back
                "2018-03-11T02:30",  # and forward
            ],
        ),
    ],
    ids=["seattle", "caltrain"],
)
def test_departures(
    corpus: Callable[[str], Path], name: str, place: tuple[float, float], moments: list[str]
) -> None:
    feed = corpus(name)
    example = module()
    table: Any = example.Timetable(example.Feed(feed))
    tables: Any = example.Tables(table)
    plain = Plain(feed)
    near = table.near(*place, 400)
    some = 0
    for text in moments:
        since = datetime.fromisoformat(text).replace(tzinfo=table.zone)
        for length in (15, 90):
            until = since + timedelta(minutes=length)
            found = table.departures(near, since, until)
            assert found == tables.departures(near, since, until)
            named = sorted(
                (
                    datetime.fromtimestamp(60 * at, UTC),
                    table.stops[stop].stop_id,
                    table.trips[trip].trip_id,
                )
                for at, stop, trip in found
            )
            assert named == plain.departures(place, 400, since, until)
            some += len(found)
    tables.close()
    assert some > 10
    assert len(table.words) == table.starts[-1] < len(plain.times)


def test_output(corpus: Callable[[str], Path], tmp_path: Path) -> None:
    feed = corpus(SEATTLE)
    archive = tmp_path / "feed.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for table in sorted(feed.iterdir()):
            file.write(table, table.name)
    arguments = ("--on", "2017-12-05", "--between", "00:20", "00:30")
    *lines, size, asked = run(archive, *arguments)
    assert lines[1] == "00:23  522       Union St & 6th Ave  ->  Downtown Seattle"
    assert [line.split()[:2] for line in lines] == [
        ["00:23", "522"],
        ["00:23", "522"],
        ["00:27", "Link"],
        ["00:27", "Link"],
    ]
    assert size.startswith("53,317 departures in 219,372 bytes, read in ")
    assert asked.startswith("4 departures near 13 stops: ")
    assert asked.endswith(" by sqlite3")
    assert run(feed, *arguments)[:-2] == lines


def test_a_feed_of_exceptions_only(tmp_path: Path) -> None:
    tables = {
        "agency.txt": "agency_name,agency_timezone\nx,Europe/Zurich\n",
        "stops.txt": "stop_id,stop_name,stop_lat,stop_lon\na,A,47,8\nb,B,47,9\n",
        "routes.txt": "route_id,route_short_name\nr,R\n",
        "trips.txt": "route_id,service_id,trip_id\nr,s,t\n",
        # The last stop comes first, one stop has no time, and at one nobody gets in.
        "stop_times.txt": "trip_id,stop_id,stop_sequence,departure_time,pickup_type\n"
        "t,a,9,27:00:00,\nt,a,1,23:59:59,0\nt,a,2,,0\nt,a,3,24:30:00,1\nt,a,4,24:45:00,\n",
        "calendar_dates.txt": "service_id,date,exception_type\ns,20260102,1\n",
    }
    for name, text in tables.items():
        (tmp_path / name).write_text(text)
    lines = run(*(tmp_path, "--near", "47,8", "--on", "2026-01-02", "--between", "23:00", "04:00"))
    assert lines[:-2] == ["23:59  R         A  ->  ", "00:45  R         A  ->  "]
    lines = run(*(tmp_path, "--near", "47,8", "--on", "2026-01-03", "--between", "23:00", "04:00"))
    assert lines[:-2] == []
