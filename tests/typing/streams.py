"""What a checker infers of pipelines. Checked, not run: see `make check`."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_type

import penstock
from penstock.streams import Failure, Pipeline, Place, Stream, Summary, batch, shell, take


@dataclass
class City:
    name: str
    population: int


def large(city: City) -> City | None:
    return city if city.population > 50_000 else None


def letters(city: City) -> Iterator[str]:
    yield from city.name


def name(city: City) -> str:
    return city.name


path = Path("cities.json")
reader = penstock.read(path, City)

# A function says what comes out of it: an item, one or none, or the elements of an iterator.
assert_type(reader | name, Pipeline[str])
assert_type(reader | large, Pipeline[City])
assert_type(reader | letters, Pipeline[str])
assert_type(reader | large | name | str.upper, Pipeline[str])
assert_type(reader | large | letters | len, Pipeline[int])
assert_type(next(iter(reader | large | name)), str)
for text in reader | name:
    assert_type(text, str)

# Stages that are objects take and emit anything, and so do branches.
assert_type(reader | take(3), Pipeline[Any])
assert_type(reader | shell("sort") | batch(10), Pipeline[Any])
assert_type(reader | (name, take(3)), Pipeline[Any])
assert_type([1, 2] | take(3), Pipeline[Any])
assert_type(reader | name | io.BytesIO(), Pipeline[Any])
assert_type(reader | penstock.write(path), Pipeline[Any])

to_list: list[str] = []
pipeline = reader | name | to_list
assert_type(pipeline.run(), Summary)
assert_type(pipeline.run().items, int)
failures: list[Failure] = []
assert_type(reader.into(Pipeline(name, to_list, errors=failures)), Summary)
assert_type(Pipeline(name).process(City("Bern", 1)), list[Any])
assert_type(failures[0].place, Place | None)
assert_type(reader.place.line, int | None)


class Count(Stream):
    def open(self) -> None:
        self.count = 0

    def write(self, obj: City, /) -> bool | None:
        self.count += 1
        assert_type(self.place, Place | None)
        return self.emit(obj)

    def close(self) -> None:
        self.emit(self.count)


@Count.on(City, str)
def counted(stage: Count, city: City) -> bool | None:
    return stage.emit(city)


assert_type(counted(Count(), City("Bern", 1)), bool | None)
assert_type(penstock.describe(reader), str)
assert_type(penstock.describe(reader, depth=None, items=10), str)
penstock.describe(reader, to=io.StringIO())
penstock.describe(reader, to=print)
