"""One format to another: everything is written to `/dev/null`.

`convert-xml` makes lines of PubMed records; `convert-lines` makes an array of lines, and
`convert-array` lines of an array. `two threads` is Penstock with two threads.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import shutil
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import inputs
import markup
from model import OURS, Bar, Case, Input, Row, Variant, below, faster

from rows.streams import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from model import Call, Medians

NOWHERE = "/dev/null"
TWO = "two threads"
AT = "PubmedArticleSet/PubmedArticle"
SIZES = {"200 MB": 200, "1 GB": 1_000}
VARIANTS = (Variant("200 MB", most=3), Variant("1 GB", most=1, quick=False))


def articles(size: str) -> Input:
    """Return the path of PubMed records of a size."""
    return Input(markup.grown("pubmed", SIZES[size]))


def cities(shape: str, size: str) -> Input:
    """Return the path of city records."""
    return Input(inputs.grown(SIZES[size], shape))


def converting(to: str, at: str | None, threads: int) -> Call:
    """Penstock."""
    import penstock

    def call(path: Path) -> Iterable[object]:
        done = penstock.convert(path, NOWHERE, to=to, at=at, threads=threads)  # type: ignore[arg-type]
        return iter([done])

    return call


def penstock_xml(threads: int, _: str) -> Call:
    """Penstock, in xmltodict's convention."""
    return converting("ndjson", AT, threads)


def penstock_element(_: str) -> Call:
    """Penstock, in the form that loses nothing, without records."""
    import penstock

    def call(path: Path) -> Iterable[object]:
        return iter([penstock.convert(path, NOWHERE, to="json", form="element")])

    return call


def check(_: str) -> Call:
    """Penstock, with a path that matches no record: the check alone, from the file."""
    import penstock.xml

    def call(path: Path) -> Iterable[object]:
        deque(penstock.xml.read(path, at="no/such/element"), 0)
        return iter([None])

    return call


def by_xmltodict(_: str) -> Call:
    """Xmltodict record by record, and orjson."""
    import orjson
    import xmltodict

    def call(path: Path) -> Iterable[object]:
        with path.open("rb") as file, Path(NOWHERE).open("wb") as target:

            def write(_: Any, record: Any) -> bool:
                target.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
                return True

            xmltodict.parse(file, item_depth=2, item_callback=write)
        return iter([None])

    return call


def penstock_json(to: str, threads: int, _: str) -> Call:
    """Penstock, from JSON to lines or back, or to rows."""
    return converting(to, None, threads)


def orjson_lines(_: str) -> Call:
    """Orjson line by line into an array."""
    import orjson

    def call(path: Path) -> Iterable[object]:
        between = b"["
        with path.open("rb") as file, Path(NOWHERE).open("wb") as target:
            for line in file:
                target.write(between + orjson.dumps(orjson.loads(line)))
                between = b","
            target.write(b"]")
        return iter([None])

    return call


def orjson_array(_: str) -> Call:
    """Orjson, which needs the whole array in memory."""
    import orjson

    def call(path: Path) -> Iterable[object]:
        with Path(NOWHERE).open("wb") as target:
            target.writelines(
                orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
                for record in orjson.loads(path.read_bytes())
            )
        return iter([None])

    return call


def jq(*words: str) -> Any:
    """Jq, in a process of its own, whose memory is not counted."""

    def make(_: str) -> Call:
        import subprocess

        def call(path: Path) -> Iterable[object]:
            with Path(NOWHERE).open("wb") as target:
                subprocess.run(["jq", "-c", *words, str(path)], stdout=target, check=True)
            return iter([None])

        return call

    return make


def jq_cases(*words: str) -> tuple[Case, ...]:
    """Jq, if it is installed."""
    return (Case("jq -c", jq(*words)),) if shutil.which("jq") else ()


def of_the_check(median: Medians) -> float:
    """How much of the speed of the check the conversion has."""
    return median("check only", "200 MB") / median(OURS, "200 MB")


ROWS = (
    Row(
        "convert-xml",
        "PubMed records to NDJSON",
        VARIANTS,
        (
            Case(OURS, partial(penstock_xml, 1), (OURS,)),
            Case(TWO, partial(penstock_xml, 2), (OURS,)),
            Case("element form", penstock_element, (OURS,)),
            Case("check only", check, (OURS,)),
            Case("xmltodict + orjson", by_xmltodict, ("xmltodict", "orjson")),
        ),
        articles,
        None,
        (
            Bar("of the speed of the check", of_the_check, 0.2, at_least=True),
            below(32, "MiB", "200 MB", "MiB"),
            below(32, "MiB", "1 GB", "MiB"),
        ),
        measure="stream",
        metrics=METRICS,
    ),
    *(
        Row(
            f"convert-{shape}",
            f"city records: {shape} to {other}",
            VARIANTS,
            (
                Case(OURS, partial(penstock_json, to, 1), (OURS,)),
                Case(TWO, partial(penstock_json, to, 2), (OURS,)),
                Case("orjson", peer, ("orjson",)),
                *jq_cases(*words),
            ),
            partial(cities, shape),
            None,
            (faster("orjson", "200 MB", 2), below(32, "MiB", "1 GB", "MiB")),
            measure="stream",
            metrics=METRICS,
        )
        for shape, other, to, peer, words in (
            ("lines", "array", "json", orjson_lines, ("-n", "[inputs]")),
            ("array", "lines", "ndjson", orjson_array, (".[]",)),
        )
    ),
)
