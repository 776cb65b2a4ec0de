"""The class of each file of the corpora reads that file; the code is formatted, and has types."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import csv
from tests.infer.modules import executed
from tests.support.effort import LONG

KINDS: list[Any] = ["dataclass", "attrs", "pydantic", "msgspec", "typeddict"]
# Of larger files, most records are as those before.
LARGEST = 1 << 22 if LONG else 150_000
SUITES = [
    *(
        "json/JSONTestSuite",
        "json/examples",
        "xml/xmlconf",
        "xml/attacks",
        "xml/pubmed",
        "xml/real",
    ),
    *("plist", "csv", "gtfs"),
]
EXECUTABLES = Path(sys.executable).parent


def files(folder: Path) -> Iterator[Path]:
    """The data files of a folder; of very many, every third one."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in paths[:: 3 if len(paths) > 300 and not LONG else 1]:
        if path.stat().st_size <= LARGEST and path.suffix != ".md":
            yield path


def read(path: Path, into: Any = object) -> penstock.Reader[Any]:
    """A reader of a file; those of a transit feed are tables."""
    if path.suffix == ".txt":
        return csv.read(path, into, empty="allow")
    return penstock.read(path, into, empty="allow")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suite", SUITES)
def test_the_class_reads_its_file(corpus: Callable[[str], Path], suite: str):
    tried = 0
    for number, path in enumerate(files(corpus(suite))):
        try:
            plain = sum(1 for _ in read(path))
        except (penstock.PenstockError, ValueError):
            # It is no file that Penstock reads.
            continue
        for kind in KINDS if LONG else [KINDS[number % len(KINDS)]]:
            code = penstock.infer(read(path), kind=kind)
            made = executed(code)
            assert sum(1 for _ in read(path, made.Record)) == plain, (path, kind)
            tried += 1
    assert tried > 0


NAMES = ["amazon_cellphones.ndjson", "github_events.json", "apache_builds.json"]


@pytest.mark.parametrize("name", NAMES)
def test_the_class_writes_what_it_has_read(corpus: Callable[[str], Path], name: str):
    path = corpus("json/examples") / name
    record = executed(penstock.infer(path)).Record
    for plain, made in zip(penstock.read(path), penstock.read(path, record), strict=True):
        again = json.loads(penstock.json.encode(made, record, omit="none"))
        assert again == without_none(plain)


def without_none(value: Any) -> Any:
    """A value without the members that are null."""
    if isinstance(value, dict):
        return {key: without_none(inner) for key, inner in value.items() if inner is not None}
    return [without_none(inner) for inner in value] if isinstance(value, list) else value


def modules(corpus: Callable[[str], Path], folder: Path) -> list[str]:
    """Write the code for some files, of each kind, into a folder."""
    paths = [
        corpus("json/examples") / "github_events.json",
        corpus("xml/pubmed") / "pone.0046493.nxml",
        corpus("plist") / "iTunes-Library.xml",
        corpus("gtfs") / "caltrain-2017-07-24" / "trips.txt",
    ]
    written = []
    for number, path in enumerate(paths):
        for kind in KINDS:
            module = folder / f"m{number}_{kind}.py"
            module.write_text(penstock.infer(read(path), kind=kind))
            written.append(str(module))
    return written


@pytest.mark.filterwarnings("ignore")
def test_the_code_is_formatted_and_sorted(corpus: Callable[[str], Path], tmp_path: Path):
    written = modules(corpus, tmp_path)
    ruff = str(EXECUTABLES / "ruff")
    for words in (["format", "--check"], ["check", "--select", "E4,E7,E9,F,I"]):
        done = subprocess.run(
            [ruff, *words, "--isolated", *written], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.skipif(not LONG, reason="type checkers take seconds: PENSTOCK_LONG=1")
@pytest.mark.filterwarnings("ignore")
def test_the_code_has_types(corpus: Callable[[str], Path], tmp_path: Path):
    written = modules(corpus, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    for words in (
        [
            *("mypy", "--strict", "--follow-imports", "silent"),
            *("--python-executable", sys.executable, *written),
        ],
        ["pyright", "--pythonpath", sys.executable, "-p", str(tmp_path)],
    ):
        done = subprocess.run(
            [str(EXECUTABLES / words[0]), *words[1:]], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
