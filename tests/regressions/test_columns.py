"""Bugs of columns that were fixed, as in `test_regressions.py`."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypedDict

import pyarrow
import pytest

import penstock


@dataclass
class Numbered:
    number: Annotated[int, penstock.at("@number")]
    name: str = ""


@pytest.mark.parametrize(
    ("inside", "path"),
    [
        ("<unknown>&bad;</unknown>", "r/f"),
        ("<name>n</name><unknown>&bad;</unknown>", "r/f"),
        ("<unknown/><name>&bad;</name>", "r/f/name"),
    ],
)
def test_480_a_fault_in_an_unknown_element_is_not_in_the_one_before(inside: str, path: str) -> None:
    """With columns, the path named the element before it."""
    document = f"<r><f number='1'>{inside}</f></r>"
    with pytest.raises(penstock.MalformedInput) as caught:
        list(penstock.xml.read([document.encode()], Numbered, at="r/f").columns())
    assert caught.value.path == path


# The outer reader calls `via`, and there a library releases the interpreter before it asks the
# inner columns for a batch, or lets go of them.
NESTED = """
import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typing_extensions import TypedDict

import {library}
import penstock

@dataclass
class Row:
    n: int

inner = b"".join(b'{{"n": %d}}\\n' % n for n in range(5_000))

def count(_: str) -> int:
    columns = penstock.ndjson.read(io.BytesIO(inner), Row).columns()
    return {expression}

@dataclass
class Outer:
    n: Annotated[int, penstock.via(count)]

print([row.n for row in penstock.ndjson.read(io.BytesIO(b'{{"n": "a"}}\\n' * 3), Outer)])
"""


def run(program: str) -> str:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("library", "expression"),
    [
        ("pyarrow", "pyarrow.table(columns).num_rows"),
        ("pyarrow", "pyarrow.RecordBatchReader.from_stream(columns).read_next_batch().num_rows"),
        ("polars", "polars.DataFrame(columns).height"),
    ],
    ids=["to the end", "left early", "polars"],
)
def test_500_columns_inside_a_function_that_a_reader_calls(library: str, expression: str) -> None:
    """The process was aborted: the columns took the thread for one that holds the interpreter."""
    pytest.importorskip(library)
    assert run(NESTED.format(library=library, expression=expression)) == "[5000, 5000, 5000]\n"


DROPPED = """
import gc
import io
from dataclasses import dataclass

import pyarrow
import penstock

@dataclass
class Row:
    n: int

class Cycle:
    pass

gc.set_threshold(1)
for _ in range(100):
    gc.disable()
    cycle = Cycle()
    cycle.itself = cycle
    columns = penstock.ndjson.read(io.BytesIO(b'{"n": 1}\\n'), Row).columns()
    cycle.reader = pyarrow.RecordBatchReader.from_stream(columns)
    del columns, cycle
    source = io.BytesIO(b'{"n": 1}\\n')
    gc.enable()
    # Our code makes a reader, and the collector runs at that.
    reader = penstock.ndjson.read(source, Row)
print(sum(row.n for row in reader))
"""


def test_501_columns_that_the_collector_drops_while_a_reader_is_made() -> None:
    """The same: pyarrow releases the interpreter to drop a stream."""
    pytest.importorskip("pyarrow")
    assert run(DROPPED) == "1\n"


KEY = '{"a": {"b\\u0000c": 1}}\n'


def test_519_a_key_with_nul_has_no_column(tmp_path: Path) -> None:
    """The schema of a consumer was a RuntimeError: names in Arrow's C interface end with NUL."""
    path = tmp_path / "keys.ndjson"
    path.write_text(KEY)
    reason = r"""^no column can be called "a/b\\0c": a name ends with NUL in Arrow's C interface$"""
    with pytest.raises(penstock.PlanError, match=reason):
        penstock.schema(path)
    with pytest.raises(penstock.PlanError, match=reason):
        penstock.columns(path)
    # Such a name is no Python name, and still one of a field.
    keyed = TypedDict("keyed", {"b\0c": int})  # type: ignore[misc]
    path.write_text(KEY[6:-2])
    assert list(penstock.read(path, keyed)) == [{"b\0c": 1}]
    with pytest.raises(
        penstock.PlanError, match=r'^"keyed\.b\\0c" has no column: a name ends with'
    ):
        penstock.columns(path, keyed)


@pytest.mark.parametrize("suffix", ["ndjson", "csv"])
def test_522_threads_read_no_further_than_a_part(tmp_path: Path, suffix: str) -> None:
    """A thread read a piece in which the part ends: that was said to be a fault of the file."""
    path = tmp_path / f"rows.{suffix}"
    count = 60_000
    if suffix == "csv":
        path.write_text("n,text\n" + "".join(f"{n},{'x' * 80}\n" for n in range(count)))
    else:
        path.write_text("".join(f'{{"n": {n}, "text": "{"x" * 80}"}}\n' for n in range(count)))

    class Row(TypedDict):
        n: int

    parts = penstock.split(path, parts=3)
    assert len(parts) == 3
    seen = [pyarrow.table(part.columns(Row, threads=3))["n"] for part in parts]
    assert [n for each in seen for n in each.to_pylist()] == list(range(count))
    whole = penstock.schema(path)
    first, *others = (part.schema(threads=3) for part in parts)
    assert first.merge(*others) == whole
