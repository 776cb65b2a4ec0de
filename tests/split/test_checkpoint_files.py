"""A checkpoint of several files: each record comes once, however files grow and come."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import plistlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock

SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

Resume = penstock.Checkpoint | Literal["start"]


@dataclass
class Row:
    n: int


def moved(checkpoint: penstock.Checkpoint) -> penstock.Checkpoint:
    """Return a checkpoint as another process would have it."""
    through_json = penstock.Checkpoint.from_dict(json.loads(json.dumps(checkpoint.as_dict())))
    again = pickle.loads(pickle.dumps(through_json))
    assert again.done == checkpoint.done
    assert len(again.waiting) == len(checkpoint.waiting)
    return again


def lines(numbers: range, end: str = "\n") -> str:
    return "".join(f'{{"n": {n}}}{end}' for n in numbers)


def tabular(numbers: range) -> str:
    return "n\n" + "".join(f"{n}\n" for n in numbers)


def listed(numbers: range) -> str:
    return json.dumps([{"n": n} for n in numbers])


def elements(numbers: range) -> str:
    return "<r>" + "".join(f"<i><n>{n}</n></i>" for n in numbers) + "</r>\n"


def members(numbers: range) -> bytes:
    return plistlib.dumps([{"n": n} for n in numbers], fmt=plistlib.FMT_BINARY)


FORMS: dict[str, Callable[[range], Any]] = {
    "ndjson": lines,
    "csv": tabular,
    "json": listed,
    "xml": elements,
    "plist": members,
}


def write(path: Path, content: str | bytes) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def found(reader: penstock.Reader[Any], most: int = 1 << 30) -> list[Any]:
    """Return the records, and where each stands."""
    records: list[Any] = []
    while len(records) < most:
        try:
            record = next(reader)
        except StopIteration:
            break
        records.append((record, reader.place.source, reader.place.record, reader.place.line))
    return records


@pytest.mark.parametrize("forms", [*([form] for form in FORMS), list(FORMS)], ids=", ".join)
def test_reading_goes_on_behind_each_record(tmp_path: Path, forms: list[str]) -> None:
    for at, count in enumerate((2, 0, 1, 3, 0)):
        form = forms[at % len(forms)]
        write(tmp_path / f"{at}.{form}", FORMS[form](range(10 * at, 10 * at + count)))
    whole = found(penstock.read(tmp_path, Row))
    assert [record.n for record, *_ in whole] == [0, 1, 20, 30, 31, 32]
    for count in range(len(whole) + 1):
        reader = penstock.read(tmp_path, Row, resume="start")
        before = found(reader, count)
        checkpoint = moved(reader.checkpoint())
        rest = penstock.read(tmp_path, Row, resume=checkpoint)
        assert before + found(rest) == whole
        # What has gone on can be kept, too.
        again = moved(rest.checkpoint())
        assert str(again).endswith("; files done: 4")
        assert list(penstock.read(tmp_path, Row, resume=again)) == []


@pytest.mark.parametrize("form", list(FORMS))
def test_each_record_at_a_time(tmp_path: Path, form: str) -> None:
    for at in range(4):
        write(tmp_path / f"{at}.{form}", FORMS[form](range(10 * at, 10 * at + 2)))
    whole = found(penstock.read(tmp_path, Row))
    records: list[Any] = []
    resume: Resume = "start"
    for _ in range(len(whole) + 1):
        reader = penstock.read(tmp_path, Row, resume=resume)
        records += found(reader, 1)
        resume = moved(reader.checkpoint())
    assert records == whole
    assert resume != "start"
    assert (resume.path, resume.waiting) == (str(tmp_path / f"3.{form}"), ())


def new(folder: Path, resume: Resume) -> tuple[list[int], penstock.Checkpoint]:
    with penstock.read(folder, Row, resume=resume) as reader:
        return [row.n for row in reader], moved(reader.checkpoint())


def test_a_folder_day_by_day(tmp_path: Path) -> None:
    (tmp_path / "02.ndjson").write_text(lines(range(2)) + '{"n"')
    rows, kept = new(tmp_path, "start")
    assert rows == [0, 1]
    # The last file has grown, and another has come behind it.
    (tmp_path / "02.ndjson").write_text(lines(range(4)))
    (tmp_path / "03.ndjson").write_text(lines(range(30, 32)) + '{"n": 32')
    rows, kept = new(tmp_path, kept)
    assert rows == [2, 3, 30, 31]
    # One has come before all, and one between them.
    (tmp_path / "01.ndjson").write_text(lines(range(10, 12)))
    (tmp_path / "02b.ndjson").write_text(lines(range(20, 21)))
    with (tmp_path / "03.ndjson").open("a") as file:
        file.write("}\n")
    rows, kept = new(tmp_path, kept)
    assert rows == [10, 11, 20, 32]
    assert new(tmp_path, kept)[0] == []
    # One that is done may be gone.
    (tmp_path / "02.ndjson").unlink()
    rows, kept = new(tmp_path, kept)
    assert rows == []
    # It is still known.
    (tmp_path / "04.csv").write_text(tabular(range(40, 42)))
    rows, kept = new(tmp_path, kept)
    assert rows == [40, 41]


@SETTINGS
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 60), st.integers(0, 7)), max_size=12
    ),
    quoted=st.booleans(),
)
def test_each_record_comes_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int, int]], quoted: bool
) -> None:
    """Files come anywhere, and the last one grows and is torn; a reader takes some records."""
    folder = tmp_path_factory.mktemp("files")
    suffix, make = (".csv", tabular) if quoted else (".ndjson", lines)
    texts: dict[Path, str] = {}
    seen: list[int] = []
    resume: Resume = "start"
    for name, cut, most in [*steps, (9, 0, 1 << 30)]:
        path = folder / f"{name}{suffix}"
        for known, text in texts.items():
            # What is not the last file is whole.
            known.write_text(text) if known.stat().st_size < len(text) else None
        if path not in texts:
            texts[path] = make(range(10 * name, 10 * name + 5))
            path.write_text(
                texts[path][:cut]
                if all(path > other for other in texts if other != path)
                else texts[path]
            )
        reader = penstock.read(folder, Row, resume=resume)
        seen += [record.n for record, *_ in found(reader, most)]
        resume = moved(reader.checkpoint())
    for known, text in texts.items():
        known.write_text(text) if known.stat().st_size < len(text) else None
    seen += new(folder, resume)[0]
    assert sorted(seen) == sorted(
        n for path in texts for n in range(10 * int(path.stem), 10 * int(path.stem) + 5)
    )


def test_a_folder_of_compressed_files(tmp_path: Path) -> None:
    for day in range(3):
        data = gzip.compress(lines(range(10 * day, 10 * day + 2)).encode())
        (tmp_path / f"{day}.ndjson.gz").write_bytes(data)
    rows, kept = new(tmp_path, "start")
    assert rows == [0, 1, 10, 11, 20, 21]
    assert new(tmp_path, kept)[0] == []
    (tmp_path / "3.csv.gz").write_bytes(gzip.compress(tabular(range(30, 32)).encode()))
    rows, kept = new(tmp_path, kept)
    assert rows == [30, 31]
    assert new(tmp_path, kept)[0] == []
    reader = penstock.read(tmp_path, Row, resume="start")
    assert [next(reader).n for _ in range(3)] == [0, 1, 10]
    with pytest.raises(ValueError, match="there is no checkpoint: a gzip file that is not BGZF"):
        reader.checkpoint()


def test_a_place_waits_while_earlier_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "m.ndjson").write_text(lines(range(3)))
    reader = penstock.read(tmp_path, Row, resume="start")
    assert next(reader) == Row(0)
    kept = moved(reader.checkpoint())
    (tmp_path / "a.ndjson").write_text(lines(range(10, 12)))
    reader = penstock.read(tmp_path, Row, resume=kept)
    assert next(reader) == Row(10)
    kept = moved(reader.checkpoint())
    assert (kept.records, [place.records for place in kept.waiting]) == (1, [1])
    (tmp_path / "0.ndjson").write_text(lines(range(20, 22)))
    reader = penstock.read(tmp_path, Row, resume=kept)
    assert next(reader) == Row(20)
    kept = moved(reader.checkpoint())
    assert [Path(place.path).stem for place in kept.waiting] == ["a", "m"]
    assert new(tmp_path, kept)[0] == [21, 11, 1, 2]


def test_only_the_last_file_may_be_torn(tmp_path: Path) -> None:
    (tmp_path / "1.ndjson").write_text('{"n": 1}\n{"n": 2}')
    (tmp_path / "2.csv").write_text("n\n3\n4")
    (tmp_path / "3.csv").write_text("n\n5\n6")
    rows, kept = new(tmp_path, "start")
    assert rows == [1, 2, 3, 4, 5]
    for count in range(6):
        reader = penstock.read(tmp_path, Row, resume="start")
        some = [next(reader).n for _ in range(count)]
        assert some + new(tmp_path, reader.checkpoint())[0] == rows
    (tmp_path / "4.csv").write_text("n\n")
    assert new(tmp_path, kept)[0] == [6]
    (tmp_path / "3.csv").write_text('n\n5\n"6')
    with pytest.raises(penstock.TruncatedInput, match=r"3\.csv"):
        new(tmp_path, kept)


def test_lists_and_patterns(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.ndjson" for name in ("b", "a", "c")]
    for at, path in enumerate(paths):
        path.write_text(lines(range(10 * at, 10 * at + 2)))
    reader = penstock.read(paths[:2], Row, resume="start")
    assert [next(reader).n for _ in range(3)] == [0, 1, 10]
    assert [row.n for row in penstock.read(paths, Row, resume=reader.checkpoint())] == [11, 20, 21]
    reader = penstock.read(tmp_path / "[ab]*", Row, resume="start")
    assert [next(reader).n for _ in range(3)] == [10, 11, 0]
    kept = reader.checkpoint()
    assert [row.n for row in penstock.read(tmp_path / "*", Row, resume=kept)] == [1, 20, 21]
    # A list of one file is one of several.
    reader = penstock.read(paths[:1], Row, resume="start")
    assert next(reader).n == 0
    assert [row.n for row in penstock.read(paths, Row, resume=reader.checkpoint())] == [
        1,
        10,
        11,
        20,
        21,
    ]


def test_what_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "1.ndjson", tmp_path / "2.ndjson"
    one.write_text(lines(range(2)))
    two.write_text(lines(range(2)))
    reader = penstock.read(tmp_path, resume="start")
    for _ in range(3):
        next(reader)
    kept = reader.checkpoint()
    single = penstock.read(one)
    next(single)
    with pytest.raises(ValueError, match="is one of a single file, which is read by its path"):
        penstock.read(tmp_path, resume=single.checkpoint())
    with pytest.raises(ValueError, match="is one of several files, of which the others are miss"):
        penstock.read(two, resume=kept)
    with pytest.raises(ValueError, match=r"each file once, and .*1\.ndjson is there twice"):
        penstock.read([one, two, one], resume="start")
    with pytest.raises(ValueError, match=r"2\.ndjson is missing: the checkpoint has a place in it"):
        penstock.read([one], resume=kept)
    with pytest.raises(ValueError, match="resume must be a Checkpoint or 'start', not 'end'"):
        penstock.read(tmp_path, resume="end")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="encoding= cannot be used with resume="):
        penstock.read(tmp_path, resume="start", encoding="utf-8")
    reason = r'no checkpoint: the reader is one of several files without resume="start"'
    with pytest.raises(ValueError, match=reason):
        penstock.read(tmp_path).checkpoint()
    with one.open("a") as file:
        file.write("3\n")
    reason = r"1\.ndjson has changed since it was read: the checkpoint counts it as done"
    with pytest.raises(ValueError, match=reason):
        penstock.read(tmp_path, resume=kept)
    one.unlink()
    assert list(penstock.read([two], resume=kept)) == [{"n": 1}]
    two.write_text(lines(range(7, 9)))
    with pytest.raises(ValueError, match="is not the file of the checkpoint: other bytes"):
        penstock.read(tmp_path, resume=kept)


def test_a_file_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    one = tmp_path / "1.ndjson"
    one.write_text(lines(range(2)))
    with pytest.raises(FileNotFoundError, match=r"2\.ndjson"):
        penstock.read([one, tmp_path / "2.ndjson"], resume="start")


def test_what_comes_while_a_file_is_read_counts_as_a_change(tmp_path: Path) -> None:
    one = tmp_path / "1.ndjson"
    one.write_text(lines(range(2)))
    (tmp_path / "2.ndjson").write_text(lines(range(2)))
    reader = penstock.read(tmp_path, resume="start")
    next(reader)
    with one.open("a") as file:
        file.write(lines(range(2, 3)))
    for _ in range(2):
        next(reader)
    reader.close()
    reader = penstock.read(tmp_path, resume="start")
    next(reader)
    with one.open("a") as file:
        file.write(lines(range(3, 4)))
    *_, last = reader
    assert last == {"n": 1}
    with pytest.raises(ValueError, match=r"1\.ndjson has changed since it was read"):
        penstock.read(tmp_path, resume=reader.checkpoint())


def test_a_file_that_is_broken_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text('[{"n": 1}, {"n"')
    (tmp_path / "2.json").write_text('[{"n": 2}, {"n": 3}]')
    reader = penstock.read(tmp_path, Row, resume="start")
    assert next(reader) == Row(1)
    kept = reader.checkpoint()
    with pytest.raises(penstock.TruncatedInput):
        next(reader)
    with pytest.raises(ValueError, match="the reader has failed behind the last record"):
        reader.checkpoint()
    assert next(reader) == Row(2)
    assert new(tmp_path, reader.checkpoint())[0] == [3]
    with pytest.raises(penstock.TruncatedInput):
        new(tmp_path, kept)


def test_a_file_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    for at in (1, 2, 3):
        (tmp_path / f"{at}.ndjson").write_text(lines(range(10 * at, 10 * at + 2)))
    reader = penstock.read(tmp_path, Row, resume="start")
    assert [next(reader).n for _ in range(2)] == [10, 11]
    (tmp_path / "2.ndjson").rename(tmp_path / "other")
    with pytest.raises(FileNotFoundError):
        next(reader)
    kept = moved(reader.checkpoint())
    assert (kept.records, kept.done) == (2, "")
    assert next(reader).n == 30
    kept = moved(reader.checkpoint())
    (tmp_path / "other").rename(tmp_path / "2.ndjson")
    assert new(tmp_path, kept)[0] == [20, 21, 31]


def test_errors_are_numbered_on(tmp_path: Path) -> None:
    (tmp_path / "1.ndjson").write_text('{"n": "x"}\n{"n": 1}\n')
    (tmp_path / "2.ndjson").write_text('{"n": 2}\n{"n": "y"}\n{"n": 3}\n{"n": "z"}\n')
    whole = penstock.read(tmp_path, Row, errors="collect", resume="start")
    with pytest.raises(ExceptionGroup) as caught:
        list(whole)
    expected = [str(error) for error in caught.value.exceptions]
    assert len(expected) == 3
    for count in range(4):
        errors: list[Any] = []
        reader = penstock.read(tmp_path, Row, errors=errors.append, resume="start")
        rows = [next(reader).n for _ in range(count)]
        rest = penstock.read(tmp_path, Row, errors=errors.append, resume=moved(reader.checkpoint()))
        assert [*rows, *(row.n for row in rest)] == [1, 2, 3]
        assert [str(error) for error in errors] == expected


def test_tables_of_a_dialect(tmp_path: Path) -> None:
    for at in (1, 2, 3):
        (tmp_path / f"{at}.csv").write_text(f"n;m\n{at};1,5\n{at + 10};2,5\n")
    for dialect in (penstock.csv.Dialect(";"), "infer"):
        reader = penstock.csv.read(tmp_path, dialect=dialect, resume="start")  # type: ignore[call-overload]
        rows = [next(reader)["n"] for _ in range(3)]
        kept = moved(reader.checkpoint())
        assert kept.dialect == {"delimiter": ";"}
        # The checkpoint knows the dialect.
        for rest in (
            penstock.read(tmp_path, resume=kept),
            penstock.csv.read(tmp_path, resume=kept),
            penstock.csv.read(tmp_path, dialect=dialect, resume=kept),  # type: ignore[call-overload]
        ):
            assert [*rows, *(row["n"] for row in rest)] == ["1", "11", "2", "12", "3", "13"]
    with pytest.raises(ValueError, match="the checkpoint is one of another dialect"):
        penstock.csv.read(tmp_path, dialect=penstock.csv.Dialect("|"), resume=kept)


def test_each_table_has_a_dialect_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("n;m\n1;1,5\n2;2,5\n3;2,5\n")
    reader = penstock.csv.read(tmp_path, dialect="infer", resume="start")
    assert next(reader)["n"] == "1"
    kept = moved(reader.checkpoint())
    (tmp_path / "a.csv").write_text("n|m\n11|1,5\n12|2,5\n13|2,5\n")
    reader = penstock.csv.read(tmp_path, dialect="infer", resume=kept)
    assert next(reader)["n"] == "11"
    kept = moved(reader.checkpoint())
    for dialect in (None, "infer"):
        rest = penstock.csv.read(tmp_path, dialect=dialect, resume=kept)  # type: ignore[call-overload]
        assert [row["n"] for row in rest] == ["12", "13", "2", "3"]


def test_many_files_take_little(tmp_path: Path) -> None:
    paths = [tmp_path / f"{at:04}.json" for at in range(1000)]
    for at, path in enumerate(paths):
        path.write_text(f"[{at}]")
    reader = penstock.read(tmp_path, int, resume="start")
    assert [next(reader) for _ in range(999)] == list(range(999))
    kept = reader.checkpoint()
    assert len(json.dumps(kept.as_dict())) < 998 * 16 + 600
    assert list(penstock.read(tmp_path, int, resume=moved(kept))) == [999]


def test_a_folder_that_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="The folder has no file"):
        penstock.read(tmp_path, resume="start")
    os.mkfifo(tmp_path / "pipe.ndjson")
    with pytest.raises(ValueError, match="resume= reads a regular file, and"):
        penstock.read([tmp_path / "pipe.ndjson"], resume="start")
