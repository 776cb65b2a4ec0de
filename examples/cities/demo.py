"""Penstock on real data: a quarter of a million cities, into a plain dataclass.

    make demo                                   or
    .venv/bin/python examples/cities/demo.py

It decodes a file as a whole, reads it again a record at a time under a progress bar, answers a
question about the world, shows what an error looks like, and does the job once more beside other
libraries. It takes less than a minute and leaves nothing behind.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import cities
import contest
from cities import Answer, City
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

import penstock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

WRONG_AT = 79_000_000
ZONES = 10
POLL = 2_048
"""Records between two updates of the progress: often enough for the eye, and almost free."""

out = Console(highlight=False)
err = Console(stderr=True)


def heading(text: str) -> None:
    """Print the title of a part."""
    out.print(f"\n[bold]{text}[/bold]\n")


def show(part: RenderableType) -> None:
    """Print something with a margin."""
    out.print(Padding(part, (0, 0, 0, 2), expand=False))


def code(source: str) -> None:
    """Print a piece of Python in the terminal's own colours."""
    for line in source.splitlines():
        show(Syntax(line, "python", theme="ansi_dark", background_color="default"))


def decode(path: Path) -> None:
    """Decode the whole file into a dict of cities."""
    heading("1  Your class, as it is")
    code(re.sub(r'    """.*"""\n\n', "", inspect.getsource(City)))
    start = time.perf_counter()
    found = penstock.json.load(path, dict[str, City])
    seconds = time.perf_counter() - start
    out.print()
    code('found = penstock.json.load("cities500.json", dict[str, City])')
    show(f"[bold]{len(found):,}[/bold] cities in [bold]{seconds:.2f} s[/bold]; one of them:")
    show(Text(repr(next(iter(found.values()))), style="dim"))


def watched(reader: penstock.Reader[City]) -> Iterator[City]:
    """Pass the cities on and show the progress on stderr, if that is a terminal."""
    columns = (TextColumn("  reading"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("", total=reader.progress.bytes_total)
        for number, city in enumerate(reader):
            if number % POLL == 0:
                bar.update(task, completed=reader.progress.bytes_read)
            yield city


def stream(path: Path) -> Answer:
    """Read the file one city at a time and keep only the data for the answer."""
    heading("2  A record at a time, in constant memory")
    answer = Answer()
    start = time.perf_counter()
    reader = penstock.json.read(path, City, at="*")
    for city in watched(reader):
        if not answer.places:
            first = time.perf_counter() - start
        answer.add(city)
    progress = reader.progress
    code('for city in penstock.json.read("cities500.json", City, at="*"): ...')
    show(
        f"[bold]{progress.records:,}[/bold] cities, {progress.bytes_read / 1e6:.1f} MB in"
        f" [bold]{progress.elapsed:.2f} s[/bold], counting included; the first after"
        f" [bold]{first * 1e3:.1f} ms[/bold]"
    )
    return answer


def tell(answer: Answer) -> None:
    """Print the answer about the world."""
    heading("3  The ten time zones with the most places, and the largest of each")
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 3, 0, 0))
    table.add_column("time zone")
    table.add_column("places", justify="right")
    table.add_column("largest")
    table.add_column("inhabitants", justify="right")
    for zone, places in answer.zones.most_common(ZONES):
        inhabitants, name = answer.largest[zone]
        table.add_row(zone, f"{places:,}", name, f"{inhabitants:,}")
    show(table)
    (name, times), (count, named) = answer.names.most_common(1)[0], answer.most_named
    out.print()
    show(f"The name given most often is [bold]{name}[/bold], to {times} places.")
    show(f"The place with the most names is [bold]{named}[/bold]: it has {count}.")


def spoil(path: Path, target: Path) -> None:
    """Copy the file, with one population, far inside, as a word."""
    data = bytearray(path.read_bytes())
    number = re.compile(rb'(?<="population": )\d+').search(data, WRONG_AT)
    if number is None:
        raise SystemExit("the file has changed: nothing to spoil")
    data[number.start() : number.end()] = b'"many"'
    target.write_bytes(data)


def fail(path: Path) -> None:
    """Show the error of a record that does not fit."""
    heading("4  One wrong value, 79 million bytes into the same line")
    with tempfile.TemporaryDirectory() as folder:
        spoiled = Path(folder) / path.name
        spoil(path, spoiled)
        try:
            penstock.json.load(spoiled, dict[str, City])
        except penstock.ValidationError as error:
            # The folder is temporary, and its name would only distract.
            message, _, excerpt = error.report().replace(f"{folder}/", "").partition("\n")
            show(Text(message, style="yellow"))
            show(Text(excerpt, style="yellow", no_wrap=True))
        else:
            raise SystemExit("the wrong value was not found")
        reader = penstock.json.read(spoiled, City, at="*", errors="skip")
        good = sum(1 for _ in reader)
    out.print()
    code('reader = penstock.json.read("cities500.json", City, at="*", errors="skip")')
    show(f"gives the other [bold]{good:,}[/bold], and reader.skipped is {reader.skipped}.")


def compare() -> None:
    """Do the same job beside other libraries."""
    heading("5  The same job, side by side")
    with err.status("  each in a fresh process, in turn, three rounds ..."):
        results = list(contest.hold(lambda name: importlib.util.find_spec(name) is not None))
    ranking("file to objects", results)
    out.print()
    show(f"All of them counted the same {results[0].inhabitants:,} inhabitants.")
    note = "Medians of three fresh processes each; the memory is over the bare interpreter."
    show(Text(note, style="dim"))


def from_xml() -> None:
    """Read the same places from XML, with the same class, beside other XML libraries."""
    heading("6  The same class, from the same cities written as XML")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cities.xml"
        with err.status("  writing the same cities as XML ..."):
            cities.write_xml(path)
        code('for city in penstock.xml.read("cities.xml", City, at="cities/city"): ...')
        first = next(iter(penstock.xml.read(path, City, at="cities/city")))
        show(Text(repr(first), style="dim", no_wrap=True, overflow="ellipsis"))
        out.print()
        with err.status("  each in a fresh process, in turn, three rounds ..."):
            found = contest.hold(lambda name: importlib.util.find_spec(name) is not None, path)
            ranking(f"{path.stat().st_size / 1e6:.1f} MB of XML to objects", list(found))
        show(Text(f"Whoever takes more than {contest.SLOW} s has one turn.", style="dim"))


def ranking(title: str, results: list[contest.Result]) -> None:
    """Print the time and memory of the contestants."""
    best = results[0]
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 3, 0, 0))
    table.add_column(title)
    for column in ("time", "", "peak memory"):
        table.add_column(column, justify="right")
    for result in results:
        table.add_row(
            result.name,
            f"{result.seconds:.2f} s",
            f"{result.seconds / best.seconds:.1f}x",
            f"{result.mib:,.0f} MiB",
            style="bold" if result.name.startswith("penstock") else "",
        )
    show(table)
    if len({result.inhabitants for result in results}) > 1:
        raise SystemExit("the libraries disagree about the number of inhabitants")


def main() -> None:
    """Run the demo."""
    path = cities.path()
    size = path.stat().st_size / 1e6
    out.print(f"[bold]Penstock {penstock.__version__}[/bold]  {path.name}, {size:.1f} MB of JSON")
    decode(path)
    tell(stream(path))
    fail(path)
    compare()
    from_xml()
    out.print()


def stop() -> NoReturn:
    """End quietly if the user has asked for it."""
    err.print("stopped")
    sys.exit(130)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        stop()
