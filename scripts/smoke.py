"""A first look at an installed wheel: does each part of it work on this machine?

    python scripts/smoke.py

It needs only the wheel and takes seconds. `scripts/wheels.sh` runs it for each wheel that this
machine can run. The tests of the project are `make test`; for 64-bit ARM, `make test-aarch64`.
"""

import platform
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

import penstock

# Long enough for the vectors of every processor, in characters of one to four bytes.
NAMES = ["Bern", 'Zürich "am See" ' * 8, "Владивосток " * 8, "東京都千代田区" * 8, "🗻 " * 40]


@dataclass(slots=True)
class City:
    """A record."""

    name: str
    population: int
    founded: date | None = None


CITIES = [City(name, 10 ** (3 * n), date(1191, 5, n + 1)) for n, name in enumerate(NAMES)]


def objects() -> None:
    """Decode and encode each format."""
    text = penstock.json.encode(CITIES)
    assert penstock.decode(text, list[City]) == CITIES
    assert penstock.decode(text.decode(), list[City]) == CITIES
    assert penstock.decode(b'<c name="Chur"><population>37424</population></c>', City) == City(
        "Chur", 37424
    )
    assert penstock.csv.decode("name,population\nChur,37424\n", City) == [City("Chur", 37424)]
    for form in (penstock.ndjson, penstock.csv, penstock.plist):
        assert (
            form.decode(form.encode(CITIES), list[City] if form is penstock.plist else City)
            == CITIES
        )


def message() -> str:
    """Return what is said about a document in error."""
    try:
        penstock.decode('[{"name": "Bern", "population": "many"}]', list[City])
    except penstock.DecodeError as error:
        return str(error)
    return "no error"


def errors() -> None:
    """An error has its place."""
    assert message() == "line 1, column 33: expected int, got a string (at 0/population)", message()


def files(folder: Path) -> None:
    """Write, read, count and convert compressed files."""
    for suffix in ("ndjson", "ndjson.gz", "ndjson.zst", "ndjson.bz2", "ndjson.xz"):
        path = folder / f"cities.{suffix}"
        with penstock.write(path, City) as writer:
            writer.write_all(CITIES * 1000)
        assert sum(city.population for city in penstock.read(path, City)) == 1_001_001_001_001_000
        assert penstock.convert(path, folder / "cities.csv").records == 5000
    assert list(penstock.read(folder / "cities.csv", City)) == CITIES * 1000
    target = BytesIO()
    penstock.convert(BytesIO(b"<a><b>1</b><b>2</b></a>"), target, format="xml", to="json")
    assert target.getvalue() == b'{"a":{"b":["1","2"]}}', target.getvalue()


def counted(cities: Iterable[City]) -> int:
    """Return how many records there are; called in another process."""
    return sum(1 for _ in cities)


def columns(folder: Path) -> None:
    """Read columns, objects out of columns, and a file by another process."""
    path = folder / "cities.ndjson"
    found = penstock.columns(path, City)
    assert repr(found) == "Columns(name: Utf8, population: Int64, founded: Date32 | null)", found
    assert list(penstock.read(found, City)) == CITIES * 1000
    assert list(penstock.map(path, City, counted, processes=1)) == [5000]


def main() -> None:
    """Run all of it, and say on what."""
    assert penstock.__version__ == version("penstock-data")
    with tempfile.TemporaryDirectory() as folder:
        objects()
        errors()
        files(Path(folder))
        columns(Path(folder))
    machine = f"Python {platform.python_version()}, {platform.machine()}, {sys.platform}"
    print(f"penstock {penstock.__version__} works: {machine}")


if __name__ == "__main__":
    main()
