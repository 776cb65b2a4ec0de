"""What leaves near here: the timetable of a transit feed, in words of 32 bits.

    python examples/timetable/timetable.py feed.zip --near 47.6117,-122.3372 \
        --on 2017-12-04 --between 08:00 08:15

A feed (GTFS) is a folder or a zip archive of tables. Its largest one says when each trip stops
where. All that a question needs of such a row fits into 32 bits: the number of the stop, and that
of the trip. The minute is not stored: the words are in the order of their minutes, and an index
says where each minute begins. Inside of a minute they are in the order of their stops, whose
numbers go from south to north: so the stops near here are in one slice of each minute.

A trip runs on the days of its service: weekdays between two dates, and exceptions. The times of a
trip count from noon of its day minus twelve hours, and go beyond 24:00. So a question about 00:30
is about 24:30 of the day before, too. Trips that are only said to come every so many minutes
(frequencies.txt) and stops without a time are left out.

Without a feed it takes the sample among the corpora that PENSTOCK_CORPORA names. At the end it
asks sqlite3 the same.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import zipfile
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import accumulate
from math import cos, hypot, radians
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import penstock
from penstock import times, via

SAMPLE = "gtfs/seattle-area-2017-11-16"
NEAR = "47.6117,-122.3372"
DAY = timedelta(days=1)
# A departure: when, in minutes since 1970, and the numbers of a stop and of a trip.
Found = tuple[int, int, int]
# A degree of latitude in metres.
DEGREE = 111_195.0
WORD = 32


def minute(text: str) -> int:
    """The minute of a time of day that may be beyond 24:00: `25:07:30` is 1507."""
    hours, minutes, _ = text.strip().split(":")
    return 60 * int(hours) + int(minutes)


Day = Annotated[date, times("%Y%m%d")]


@dataclass(slots=True)
class Agency:
    """Who runs the trips; all agencies of a feed are in one time zone."""

    agency_timezone: str


@dataclass(slots=True)
class Stop:
    """A place where a vehicle stops, or a station (1) that has such places."""

    stop_id: str
    stop_name: str
    stop_lat: float
    stop_lon: float
    location_type: int | None = None


@dataclass(slots=True)
class Route:
    """A line."""

    route_id: str
    route_short_name: str | None = None
    route_long_name: str | None = None


@dataclass(slots=True)
class Trip:
    """One run of a line, on each day of a service."""

    trip_id: str
    route_id: str
    service_id: str
    trip_headsign: str | None = None


@dataclass(slots=True)
class StopTime:
    """When a trip stops where. With a `pickup_type` of 1, nobody may get in."""

    trip_id: str
    stop_id: str
    stop_sequence: int
    departure_time: Annotated[int | None, via(minute)] = None
    pickup_type: int | None = None


@dataclass(slots=True)
class Weekdays:
    """The weekdays of a service, between two dates."""

    service_id: str
    monday: bool
    tuesday: bool
    wednesday: bool
    thursday: bool
    friday: bool
    saturday: bool
    sunday: bool
    start_date: Day
    end_date: Day

    def days(self) -> Iterator[date]:
        """Yield the days."""
        runs = (self.monday, self.tuesday, self.wednesday, self.thursday, self.friday)
        week = (*runs, self.saturday, self.sunday)
        day = self.start_date
        while day <= self.end_date:
            if week[day.weekday()]:
                yield day
            day += DAY


@dataclass(slots=True)
class Exceptional:
    """A day on which a service runs (1), or does not (2), whatever the weekday."""

    service_id: str
    date: Day
    exception_type: int


class Departure(NamedTuple):
    """An answer."""

    at: datetime
    stop: str
    line: str
    to: str


class Feed:
    """The tables of a feed."""

    def __init__(self, path: Path) -> None:
        """Look at the names in a zip archive."""
        self._path = path
        self._names: set[str] | None = None
        if not path.is_dir():
            with zipfile.ZipFile(path) as archive:
                self._names = set(archive.namelist())

    def read(self, name: str, into: type[Any]) -> Iterator[Any]:
        """Yield the rows of a table, and none if there is no such table."""
        if self._names is None:
            if (self._path / name).exists():
                yield from penstock.csv.read(self._path / name, into)
        elif name in self._names:
            yield from penstock.csv.read(self._path, into, member=name)


class Timetable:
    """The departures of a feed.

    Attributes:
        words: A stop and a trip each, in the order of minutes, then of stops.
        starts: For each minute, the number of its first word; then the number of words.
        bits: How many bits of a word are the trip's.
        services: The service of each trip.
        running: For each day, one bit for each service that runs.
        begins: For each of these days, the minute since 1970 from which its times count.
    """

    def __init__(self, feed: Feed) -> None:
        """Read the feed."""
        self.zone = ZoneInfo(next(feed.read("agency.txt", Agency)).agency_timezone)
        self.stops: list[Stop] = sorted(
            (stop for stop in feed.read("stops.txt", Stop) if not stop.location_type),
            key=lambda stop: stop.stop_lat,
        )
        self._latitudes = array("d", (stop.stop_lat for stop in self.stops))
        self._lines = {
            route.route_id: route.route_short_name or route.route_long_name or route.route_id
            for route in feed.read("routes.txt", Route)
        }
        self.trips: list[Trip] = list(feed.read("trips.txt", Trip))
        self._count_days(feed)
        self.bits = len(self.trips).bit_length()
        if self.bits + len(self.stops).bit_length() > WORD:
            raise ValueError(f"{len(self.stops):,} stops and {len(self.trips):,} trips do not fit")
        self._pack(feed)

    def _count_days(self, feed: Feed) -> None:
        numbers: dict[str, int] = {}
        services = (numbers.setdefault(trip.service_id, len(numbers)) for trip in self.trips)
        self.services = array("I", services)
        self.running: dict[date, int] = {}
        for week in feed.read("calendar.txt", Weekdays):
            bit = 1 << numbers.setdefault(week.service_id, len(numbers))
            for day in week.days():
                self.running[day] = self.running.get(day, 0) | bit
        for exception in feed.read("calendar_dates.txt", Exceptional):
            bit = 1 << numbers.setdefault(exception.service_id, len(numbers))
            before = self.running.get(exception.date, 0) & ~bit
            is_added = exception.exception_type == 1
            self.running[exception.date] = before | bit if is_added else before
        self.begins = {day: self._begin(day) for day in self.running}

    def _begin(self, day: date) -> int:
        """Twelve hours before noon, which is another time than midnight when clocks change."""
        noon = datetime.combine(day, time(12), self.zone)
        return int(noon.timestamp()) // 60 - 12 * 60

    def _pack(self, feed: Feed) -> None:
        """Count the departures of each minute, and put their words where they belong."""
        stops = {stop.stop_id: number for number, stop in enumerate(self.stops)}
        trips = {trip.trip_id: number for number, trip in enumerate(self.trips)}
        minutes, words = array("I"), array("I")
        # Nothing leaves at the end of a trip.
        last = [(-1, -1)] * len(self.trips)
        for row in feed.read("stop_times.txt", StopTime):
            trip = trips[row.trip_id]
            leaves = row.departure_time is not None and row.pickup_type != 1
            if leaves:
                minutes.append(row.departure_time)
                words.append(stops[row.stop_id] << self.bits | trip)
            last[trip] = max(last[trip], (row.stop_sequence, len(words) - 1 if leaves else -1))
        ends = {place for _, place in last}
        counts = [0] * (max(minutes, default=0) + 2)
        for place, at in enumerate(minutes):
            counts[at + 1] += place not in ends
        self.starts = array("I", accumulate(counts))
        self.words = array("I", bytes(4 * self.starts[-1]))
        # In the order of the words first: then those of each minute come in that order, too.
        free = self.starts[:]
        for place in sorted(range(len(words)), key=words.__getitem__):
            if place not in ends:
                at = minutes[place]
                self.words[free[at]] = words[place]
                free[at] += 1

    def near(self, latitude: float, longitude: float, metres: float) -> list[int]:
        """The numbers of the stops near a point: of a band of latitudes, those in the circle."""
        around = metres / DEGREE
        first = bisect_left(self._latitudes, latitude - around)
        width = cos(radians(latitude))
        found = []
        for number in range(first, len(self.stops)):
            stop = self.stops[number]
            if stop.stop_lat > latitude + around:
                break
            if hypot(stop.stop_lat - latitude, (stop.stop_lon - longitude) * width) <= around:
                found.append(number)
        return found

    def departures(self, near: Collection[int], since: datetime, until: datetime) -> list[Found]:
        """What leaves from some stops, from one minute to another, which is excluded."""
        found: list[Found] = []
        if not near:
            return found
        bits, words, starts, services = self.bits, self.words, self.starts, self.services
        stops, trip_bits = frozenset(near), (1 << bits) - 1
        lowest, highest = min(near) << bits, max(near) + 1 << bits
        first, end = int(since.timestamp()) // 60, int(until.timestamp()) // 60
        today = since.astimezone(self.zone).date()
        # The trips of the day before go on after midnight, and some go on for two days. When
        # clocks change, the times of a day may begin before its midnight.
        for day in (today + DAY, today, today - DAY, today - 2 * DAY):
            running = self.running.get(day)
            if not running:
                continue
            begin, most = self.begins[day], len(starts) - 1
            for at in range(max(first - begin, 0), min(end - begin, most)):
                low = bisect_left(words, lowest, starts[at], starts[at + 1])
                high = bisect_left(words, highest, low, starts[at + 1])
                found += [
                    (begin + at, word >> bits, word & trip_bits)
                    for word in words[low:high]
                    if word >> bits in stops and running >> services[word & trip_bits] & 1
                ]
        found.sort()
        return found

    def told(self, departures: list[Found]) -> list[Departure]:
        """Departures with names."""
        return [
            Departure(
                datetime.fromtimestamp(60 * at, self.zone),
                self.stops[stop].stop_name,
                self._lines.get(self.trips[trip].route_id, "?"),
                self.trips[trip].trip_headsign or "",
            )
            for at, stop, trip in departures
        ]


class Tables:
    """The same in tables of sqlite3, with an index over stops and minutes."""

    QUERY = """
        select day.begin + stop_time.minute as at, stop_time.stop, stop_time.trip
        from day
        join running on running.day = day.day
        join stop_time on stop_time.stop in ({stops})
            and stop_time.minute >= :since - day.begin and stop_time.minute < :until - day.begin
        join trip on trip.trip = stop_time.trip and trip.service = running.service
        where day.begin < :until and day.begin > :since - 4 * 1440
        order by 1, 2, 3
    """

    def __init__(self, table: Timetable) -> None:
        """Fill the tables from the timetable."""
        self._base = base = sqlite3.connect(":memory:")
        base.executescript("""
            create table stop_time (stop integer, minute integer, trip integer);
            create table trip (trip integer primary key, service integer);
            create table day (day integer primary key, begin integer);
            create table running (day integer, service integer, primary key (day, service));
        """)
        rows = (
            (word >> table.bits, at, word & (1 << table.bits) - 1)
            for at in range(len(table.starts) - 1)
            for word in table.words[table.starts[at] : table.starts[at + 1]]
        )
        base.executemany("insert into stop_time values (?, ?, ?)", rows)
        base.executemany("insert into trip values (?, ?)", enumerate(table.services))
        for day, running in table.running.items():
            number = day.toordinal()
            base.execute("insert into day values (?, ?)", (number, table.begins[day]))
            bits = ((number, n) for n in range(running.bit_length()) if running >> n & 1)
            base.executemany("insert into running values (?, ?)", bits)
        base.executescript("""
            create index stop_minute on stop_time (stop, minute);
            create index begin on day (begin);
            analyze;
        """)

    def departures(self, near: Collection[int], since: datetime, until: datetime) -> list[Found]:
        """As `Timetable.departures`."""
        query = self.QUERY.format(stops=", ".join(map(str, near)))
        minutes = [int(moment.timestamp()) // 60 for moment in (since, until)]
        return self._base.execute(query, {"since": minutes[0], "until": minutes[1]}).fetchall()

    def close(self) -> None:
        """Close the tables."""
        self._base.close()


def timed(ask: Callable[[], object], rounds: int = 200) -> float:
    """The microseconds of a question: the least of several."""
    least = float("inf")
    for _ in range(rounds):
        begun = perf_counter()
        ask()
        least = min(least, perf_counter() - begun)
    return 1e6 * least


def main() -> None:
    """Read the command line and the feed, and print what leaves."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("feed", nargs="?", type=Path, help="a folder or a zip archive")
    parser.add_argument("--near", default=NEAR, metavar="LAT,LON")
    parser.add_argument("--metres", type=float, default=300, metavar="N")
    parser.add_argument("--on", type=date.fromisoformat, default=date(2017, 12, 4), metavar="DATE")
    parser.add_argument("--between", nargs=2, default=("08:00", "08:15"), metavar="TIME")
    options = parser.parse_args()
    if options.feed is None and "PENSTOCK_CORPORA" not in os.environ:
        sys.exit("name a feed, or set PENSTOCK_CORPORA to the folder of corpora")
    begun = perf_counter()
    table = Timetable(Feed(options.feed or Path(os.environ["PENSTOCK_CORPORA"]) / SAMPLE))
    took = perf_counter() - begun
    latitude, longitude = map(float, options.near.split(","))
    since, until = (
        datetime.combine(options.on, time.fromisoformat(text), table.zone)
        for text in options.between
    )
    until += DAY if until <= since else timedelta()
    near = table.near(latitude, longitude, options.metres)
    found = table.departures(near, since, until)
    for at, stop, line, to in table.told(found):
        print(f"{at:%H:%M}  {line:<8}  {stop}  ->  {to}")
    size = 4 * (len(table.words) + len(table.starts))
    print(f"{len(table.words):,} departures in {size:,} bytes, read in {took:.2f} s")
    tables = Tables(table)
    if tables.departures(near, since, until) != found:
        raise SystemExit("sqlite3 does not agree")
    own = timed(lambda: table.departures(near, since, until))
    other = timed(lambda: tables.departures(near, since, until))
    tables.close()
    asked = f"{len(found)} departures near {len(near)} stops"
    print(f"{asked}: {own:.0f} \N{MICRO SIGN}s, and {other:.0f} by sqlite3")


if __name__ == "__main__":
    main()
