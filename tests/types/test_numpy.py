"""Arrays of numpy, and views of memory, as types of fields."""

from __future__ import annotations

import io
import subprocess
import sys
from array import array
from dataclasses import dataclass, make_dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pytest

import penstock
from penstock import PlanError, ValidationError, at, decode, typecode, xml

KINDS: list[tuple[Any, str, list[Any], pa.DataType]] = [
    (np.int8, "[-128, 127]", [-128, 127], pa.int8()),
    (np.uint8, "[0, 255]", [0, 255], pa.uint8()),
    (np.int16, "[-1, 32767]", [-1, 32767], pa.int16()),
    (np.uint16, "[65535]", [65535], pa.uint16()),
    (np.int32, "[-1, 2147483647]", [-1, 2147483647], pa.int32()),
    (np.uint32, "[4294967295]", [4294967295], pa.uint32()),
    (np.int64, "[-1, 9007199254740993]", [-1, 9007199254740993], pa.int64()),
    (np.uint64, "[18446744073709551615]", [18446744073709551615], pa.uint64()),
    (np.float32, "[0.1, 2]", [float(np.float32(0.1)), 2.0], pa.float32()),
    (np.float64, "[0.1, 2]", [0.1, 2.0], pa.float64()),
    (np.bool_, "[true, false]", [True, False], pa.bool_()),
]


def of(kind: Any) -> Any:
    return make_dataclass("Row", [("v", kind)])


@pytest.mark.parametrize(("scalar", "text", "values", "column"), KINDS, ids=lambda it: str(it)[:40])
def test_arrays(scalar: Any, text: str, values: list[Any], column: pa.DataType) -> None:
    into: Any = npt.NDArray[scalar]
    for data, found in ((text, values), ("[]", [])):
        made = decode(data, into)
        assert type(made) is np.ndarray
        assert (made.dtype, made.shape) == (np.dtype(scalar), (len(found),))
        assert made.tolist() == found
        assert made.flags.writeable
        # What is written is read back.
        again = decode(penstock.json.encode(made, into), into)
        assert again.tobytes() == made.tobytes()
        row = of(into)
        record = f'{{"v": {data}}}'.encode()
        table = pa.table(penstock.ndjson.read(io.BytesIO(record), row).columns())
        assert table.schema.field("v").type == pa.list_(pa.field("item", column, nullable=False))
        assert table["v"].to_pylist() == [found]


def test_fields() -> None:
    @dataclass
    class Track:
        name: str
        heights: Annotated[npt.NDArray[np.float64], at("track/heights")]
        marks: npt.NDArray[np.int32] | None = None

    document = '{"name": "x", "track": {"heights": [1.5, 2]}}'
    track = decode(document, Track)
    assert track.heights.tolist() == [1.5, 2.0]
    assert track.marks is None
    assert penstock.json.encode(track) == (
        b'{"name":"x","track":{"heights":[1.5,2.0]},"marks":null}'
    )
    marked = decode('{"name": "x", "track": {"heights": []}, "marks": [1, 2]}', Track)
    assert marked.marks is not None
    assert marked.marks.dtype == np.int32
    assert penstock.json.encode(marked, omit="none").endswith(b'"marks":[1,2]}')


def test_xml() -> None:
    class Track:
        h: npt.NDArray[np.float64]

    made = xml.decode("<t><h>1.5</h><h>NaN</h><h>-INF</h></t>", Track)
    assert str(made.h.tolist()) == "[1.5, nan, -inf]"
    small = make_dataclass("Track", [("h", npt.NDArray[np.float32])])
    assert str(xml.decode("<t><h>1.5</h><h>INF</h></t>", small).h.tolist()) == "[1.5, inf]"


def test_cells() -> None:
    row = of(Annotated[npt.NDArray[np.float64], penstock.separated(";")])
    (made,) = penstock.csv.read(io.BytesIO(b"v\n1.5;2\n"), row)
    assert (made.v.dtype, made.v.tolist()) == (np.float64, [1.5, 2.0])
    table = pa.table(penstock.csv.read(io.BytesIO(b"v\n1.5;2\n"), row).columns())
    assert table["v"].to_pylist() == [[1.5, 2.0]]
    spread = of(Annotated[npt.NDArray[np.int32], penstock.spread("v_*")])
    (made,) = penstock.csv.read(io.BytesIO(b"v_1,v_2\n5,6\n"), spread)
    assert (made.v.dtype, made.v.tolist()) == (np.int32, [5, 6])


def test_views_of_memory() -> None:
    into: Any = Annotated[memoryview, typecode("H")]
    made = decode("[1, 65535]", into)
    assert (type(made), made.format, made.tolist()) == (memoryview, "H", [1, 65535])
    assert penstock.json.encode(made, into) == b"[1,65535]"
    table = pa.table(penstock.ndjson.read(io.BytesIO(b'{"v": [7]}'), of(into)).columns())
    assert table.schema.field("v").type.value_type == pa.uint16()
    assert table["v"].to_pylist() == [[7]]


def test_arrays_of_the_standard_library_as_columns() -> None:
    for code, kind in (
        ("b", pa.int8()),
        ("I", pa.uint32()),
        ("l", pa.int64()),
        ("d", pa.float64()),
    ):
        row = of(Annotated[array, typecode(code)])
        columns = penstock.ndjson.read(io.BytesIO(b'{"v": [1, 2]}\n{"v": []}'), row).columns()
        frame = pl.DataFrame(columns)
        assert frame["v"].to_list() == [[1, 2], []]
        assert frame["v"].to_arrow().type.value_type == kind
    floats = of(Annotated[array, typecode("f")])
    table = pa.table(penstock.ndjson.read(io.BytesIO(b'{"v": [0.5]}'), floats).columns())
    assert table.schema.field("v").type.value_type == pa.float32()
    with pytest.raises(ValidationError, match=r"0.1 would be rounded in an array of typecode 'f'"):
        list(penstock.ndjson.read(io.BytesIO(b'{"v": [0.1]}'), floats).columns())


def test_checks_and_objects() -> None:
    @dataclass
    class Checked:
        v: npt.NDArray[np.int16]

        def __post_init__(self) -> None:
            self.v = self.v + np.int16(1)

    table = pa.table(penstock.ndjson.read(io.BytesIO(b'{"v": [1, 2]}'), Checked).columns())
    assert table["v"].to_pylist() == [[2, 3]]


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (
            npt.NDArray[np.int8],
            "[300]",
            "expected ndarray, got an array of 1: a number is beyond the range of its typecode 'b'",
        ),
        (
            npt.NDArray[np.float32],
            "[1e39]",
            "expected ndarray, got an array of 1: a number is beyond the range of float32",
        ),
        (
            npt.NDArray[np.int64],
            "[1.5]",
            "expected int, got a number with a fraction or an exponent",
        ),
        (npt.NDArray[np.bool_], "[1]", "expected bool, got the integer 1"),
        (npt.NDArray[np.float64], "[[1]]", "expected float, got an array"),
        (npt.NDArray[np.float64], "[null]", "expected float, got null"),
        (npt.NDArray[np.float64], '"x"', "expected ndarray, got a string"),
    ],
)
def test_refused(kind: Any, text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        decode(text, kind)
    assert caught.value.reason == message


def test_columns_refuse_the_same() -> None:
    row = of(npt.NDArray[np.int8])
    with pytest.raises(ValidationError) as caught:
        list(penstock.ndjson.read(io.BytesIO(b'{"v": [1, 300]}'), row).columns())
    assert str(caught.value) == "line 1, column 11: expected int8, got 300 (record 1, at v/1)"


Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Cube = np.ndarray[tuple[int, int, int], np.dtype[np.int16]]


@pytest.mark.parametrize(
    ("into", "text", "shape"),
    [
        (Matrix, "[[1.0,2.0],[3.0,4.5]]", (2, 2)),
        (Matrix, "[[],[]]", (2, 0)),
        (Matrix, "[]", (0, 0)),
        (Cube, "[[[1,2],[3,4],[5,6]]]", (1, 3, 2)),
        (np.ndarray[tuple[int, int], np.dtype[np.bool_]], "[[true],[false]]", (2, 1)),
    ],
)
def test_several_dimensions(into: Any, text: str, shape: tuple[int, ...]) -> None:
    made = decode(text, into)
    assert (type(made), made.shape, made.flags.writeable) == (np.ndarray, shape, True)
    assert made.dtype == np.dtype(into.__args__[1].__args__[0])
    assert penstock.json.encode(made, into) == text.encode()
    assert penstock.make(made.tolist(), into).shape == shape
    assert penstock.plain(made, into) == made.tolist() == decode(text)
    assert decode("null", into | None) is None


@pytest.mark.parametrize(
    ("into", "text", "path", "reason"),
    [
        (
            Matrix,
            '{"v": [[1, 2], [3]]}',
            "v",
            (
                "expected ndarray, got an array of 2: element 1 has the shape (1,), and element 0 has "
                "(2,)"
            ),
        ),
        (
            Cube,
            '{"v": [[[1]], [[1, 2], [1, 2]]]}',
            "v",
            (
                "expected ndarray, got an array of 2: element 1 has the shape (2, 2), and element 0 "
                "has (1, 1)"
            ),
        ),
        (Matrix, '{"v": [[1], 2]}', "v/1", "expected ndarray, got the integer 2"),
        (Matrix, '{"v": [[1], [null]]}', "v/1/0", "expected float, got null"),
    ],
)
def test_ragged_rows(into: Any, text: str, path: str, reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        decode(text, of(into))
    assert (caught.value.path, caught.value.reason) == (path, reason)


def test_an_array_of_other_dimensions_is_not_written() -> None:
    with pytest.raises(penstock.EncodeError, match="expected an array of several dimensions"):
        penstock.json.encode(np.zeros(2), Matrix)
    with pytest.raises(penstock.EncodeError, match="expected float, got list"):
        penstock.json.encode(np.zeros((1, 1, 1)), Matrix)
    with pytest.raises(PlanError, match="v has no column: it is converted by a function"):
        penstock.ndjson.read([b"{}"], of(Matrix)).columns()


@pytest.mark.parametrize(
    "kind",
    [
        np.ndarray,
        npt.NDArray[Any],
        npt.NDArray[np.str_],
        npt.NDArray[np.floating],
        npt.NDArray[np.float16],
        npt.NDArray[np.complex128],
    ],
)
def test_types_of_numbers(kind: Any) -> None:
    with pytest.raises(PlanError) as caught:
        decode("[]", kind)
    assert str(caught.value) == (
        "ndarray does not say the type of its numbers: use numpy.typing.NDArray[numpy.float64], "
        "or another type of numbers"
    )


def test_views_need_a_type() -> None:
    with pytest.raises(PlanError) as caught:
        decode("[]", memoryview)
    assert str(caught.value) == (
        "memoryview does not say the type of its numbers: add typecode(...) beside it"
    )


def test_a_code_beside_an_array() -> None:
    made = decode("[1, 2]", Annotated[np.ndarray, typecode("H")])
    assert (made.dtype, made.tolist()) == (np.uint16, [1, 2])


def test_numpy_is_imported_only_when_it_is_asked_for() -> None:
    code = (
        "import sys, penstock; from array import array; from typing import Annotated\n"
        "penstock.decode('[1]', Annotated[array, penstock.typecode('d')])\n"
        "penstock.decode('[1]', list[int]); print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
