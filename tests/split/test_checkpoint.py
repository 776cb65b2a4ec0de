"""A checkpoint: what is read up to it and behind it is what is read in one go."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import plistlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock

SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass
class Row:
    n: int


def binary(value: Any) -> bytes:
    """Return a binary property list, whose dictionaries keep their order."""
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)


SHARED = {"n": 7, "of": [1, 2]}

FILES: dict[str, tuple[str | bytes, Any]] = {
    "lines.ndjson": ('{"a":1}\n\n{"a":2} \r\n[3]\n"x"\n12\nnull\n', None),
    "array.json": ('[1, {"a":[2]} , "x",\n 4, null]', None),
    "inside.json": ('{"x": 5, "items": [1,\n2,[3],4], "y": [7]}', "items/*"),
    "members.json": ('{"p":{"a":1,"b":{"c":2},"d":3},"q":{"e":5}}', "*/*"),
    "one.json": ('{"p": 1}', None),
    "empty.json": ("[]", None),
    "root.xml": (
        '<r xmlns:p="urn:p">\n<i id="1"/>t<i>2</i><!-- c --><j/><p:i>3</p:i>\n<i>4</i></r>\n',
        None,
    ),
    "inside.xml": ("<r><g><i>1</i><i>2</i></g>\n<g/><g><i>3</i></g></r>\n", "r/g/i"),
    "windows.csv": ('a,b\r\n1,"x\r\ny"\r\n\r\n2,3\r\n4,""\r\n', None),
    "quotes.csv": ('a,b\n1,"x""\ny"\n2,3\n', None),
    "header.csv": ("a,b\n", None),
    "empty.ndjson": ("", None),
    "list.plist": (binary([1, {"a": [2]}, "x", "né", [], 4]), None),
    "inside.plist": (binary({"x": 5, "items": [1, [2, 3], 4], "y": [7]}), "items/*"),
    "members.plist": (
        binary({"p": {"a": 1, "b": {"c": 2}, "d": 3}, "q": {}, "r": {"e": 5}}),
        "*/*",
    ),
    "groups.plist": (binary({"g": [{"r": [1, 2]}, {}, {"r": []}, {"o": 1, "r": [3]}]}), "g/*/r/*"),
    "named.plist": (binary([{"row": 1, "other": 2}, {}, {"other": 3, "row": 4}]), "*/row"),
    "shared.plist": (binary([SHARED, [SHARED, SHARED], SHARED]), None),
    "one.plist": (binary({"p": 1}), None),
    "none.plist": (binary([]), None),
}

Mode = Literal["start"] | None
each = pytest.mark.parametrize("name", list(FILES))
modes = pytest.mark.parametrize("mode", [None, "start"])


def written(folder: Path, name: str) -> tuple[Path, Any]:
    text, at = FILES[name]
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder / name, at


def numbered(reader: penstock.Reader[Any], most: int = 1 << 30) -> list[Any]:
    """Return the records, and where each stands."""
    found: list[Any] = []
    while len(found) < most:
        try:
            record = next(reader)
        except StopIteration:
            break
        found.append((record, reader.place.record, reader.place.line))
    return found


def moved(checkpoint: penstock.Checkpoint) -> penstock.Checkpoint:
    """Return a checkpoint as another process would have it."""
    through_json = penstock.Checkpoint.from_dict(json.loads(json.dumps(checkpoint.as_dict())))
    return pickle.loads(pickle.dumps(through_json))


@each
@modes
def test_reading_goes_on_behind_each_record(tmp_path: Path, name: str, mode: Mode) -> None:
    path, at = written(tmp_path, name)
    whole = numbered(penstock.read(path, at=at))
    for count in range(len(whole) + 1):
        reader = penstock.read(path, at=at, resume=mode)
        before = numbered(reader, count)
        checkpoint = moved(reader.checkpoint())
        assert checkpoint.records == count
        with penstock.read(path, at=at, resume=checkpoint) as rest:
            assert before + numbered(rest) == whole
            # What has gone on can be kept, too.
            again = moved(rest.checkpoint())
        assert again.records == len(whole)
        assert list(penstock.read(path, at=at, resume=again)) == []


@each
@modes
def test_there_is_nothing_behind_the_end(tmp_path: Path, name: str, mode: Mode) -> None:
    path, at = written(tmp_path, name)
    reader = penstock.read(path, at=at, resume=mode)
    count = len(list(reader))
    checkpoint = moved(reader.checkpoint())
    assert (checkpoint.records, checkpoint.ended) == (
        count,
        path.suffix in {".json", ".xml", ".plist"},
    )
    again = penstock.read(path, at=at, resume=checkpoint)
    assert moved(again.checkpoint()) == checkpoint
    assert list(again) == []
    assert again.checkpoint() == checkpoint


def some_rows(count: int) -> list[Any]:
    names = ["plain", 'with "quotes"', "two\nlines", "", "tail\r\n"]
    return [{"n": n, "name": names[n % len(names)]} for n in range(count)]


@SETTINGS
@given(
    count=st.integers(0, 12),
    cuts=st.lists(st.integers(0, 400), max_size=6),
    quoted=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_a_growing_file_is_read_once(
    tmp_path: Path, count: int, cuts: list[int], quoted: bool, end: str
) -> None:
    """However a file grows, and wherever it is torn, each record comes once."""
    rows = some_rows(count)
    if quoted:
        path = tmp_path / "rows.csv"
        lines = [f'{row["n"]},"{row["name"].replace(chr(34), chr(34) * 2)}"' for row in rows]
        text = end.join(["n,name", *lines, ""]).encode()
        expected = [{"n": str(row["n"]), "name": row["name"]} for row in rows]
    else:
        path = tmp_path / "rows.ndjson"
        text = "".join(json.dumps(row) + end for row in rows).encode()
        expected = rows
    found: list[Any] = []
    resume: penstock.Checkpoint | Literal["start"] = "start"
    for cut in [*sorted(min(cut, len(text)) for cut in cuts), len(text)]:
        path.write_bytes(text[:cut])
        with penstock.read(path, resume=resume) as reader:
            found += reader
            resume = moved(reader.checkpoint())
        assert resume.records == len(found)
    assert found == expected


def test_records_in_error_are_numbered_on(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text('{"n": 1}\n{"n": "x"}\n{"n": 3}\n{"n": 4}\n{"n": []}\n')
    reader = penstock.read(path, Row, errors="skip")
    assert [next(reader), next(reader)] == [Row(1), Row(3)]
    checkpoint = reader.checkpoint()
    assert checkpoint.records == 3
    rest = penstock.read(path, Row, resume=checkpoint)
    assert next(rest) == Row(4)
    with pytest.raises(penstock.DecodeError) as caught:
        next(rest)
    assert (caught.value.record, caught.value.line) == (5, 5)
    with pytest.raises(ValueError, match="the reader has failed behind the last record"):
        rest.checkpoint()


def test_collected_errors_do_not_forbid_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text('{"n": 1}\n{"n": "x"}\n{"n": 3')
    reader = penstock.read(path, Row, errors="collect", resume="start")
    assert next(reader) == Row(1)
    with pytest.raises(ExceptionGroup) as caught:
        next(reader)
    assert len(caught.value.exceptions) == 1
    checkpoint = reader.checkpoint()
    assert (checkpoint.records, checkpoint.offset) == (2, 20)
    with path.open("a") as file:
        file.write("}\n")
    assert list(penstock.read(path, Row, resume=checkpoint)) == [Row(3)]


@pytest.mark.parametrize("name", ["rows.ndjson", "rows.csv"])
def test_a_last_line_without_an_end_is_left(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = "n\n1\n2\n3" if name.endswith(".csv") else "1\n2\n3"
    path.write_text(text)
    reader = penstock.read(path)
    assert len(list(reader)) == 3
    with pytest.raises(ValueError, match="the last line has no line feed"):
        reader.checkpoint()
    with penstock.read(path, resume="start") as reader:
        assert len(list(reader)) == 2
        checkpoint = reader.checkpoint()
    path.write_text(text + "4\n")
    (last,) = penstock.read(path, resume=checkpoint)
    assert last in (34, {"n": "34"})


def test_a_carriage_return_ends_rows_and_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_bytes(b'{"n":\r1}\r\n{"n":\r')
    with penstock.read(path, resume="start") as reader:
        assert list(reader) == [{"n": 1}]
        assert reader.checkpoint().offset == 10
    path = tmp_path / "rows.csv"
    path.write_bytes(b"n\r1\r2\r")
    with penstock.read(path, resume="start") as reader:
        assert list(reader) == [{"n": "1"}]
        checkpoint = reader.checkpoint()
    with path.open("ab") as file:
        file.write(b"3\r")
    assert list(penstock.read(path, resume=checkpoint)) == [{"n": "2"}]


def test_an_open_quote_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('a\nx\n"one\ntwo\n')
    with penstock.read(path, resume="start") as reader:
        assert list(reader) == [{"a": "x"}]
        checkpoint = reader.checkpoint()
    assert checkpoint.offset == 4
    with path.open("a") as file:
        file.write('three"\ny\n')
    assert list(penstock.read(path, resume=checkpoint)) == [{"a": "one\ntwo\nthree"}, {"a": "y"}]


def test_a_file_that_was_renamed_is_read_on(tmp_path: Path) -> None:
    path, turned = tmp_path / "log.ndjson", tmp_path / "log.1.ndjson"
    path.write_text("1\n2\n")
    with penstock.read(path, resume="start") as reader:
        assert list(reader) == [1, 2]
        checkpoint = reader.checkpoint()
    with path.open("a") as file:
        file.write("3\n")
    path.rename(turned)
    path.write_text("7\n8\n9\n10\n")
    with pytest.raises(ValueError, match="is not the file of the checkpoint: other bytes"):
        penstock.read(path, resume=checkpoint)
    assert list(penstock.read(turned, resume=checkpoint)) == [3]


@pytest.mark.parametrize(
    "dialect",
    [
        penstock.csv.Dialect(";"),
        penstock.csv.Dialect("||", quote=None, comment="#"),
        penstock.csv.Dialect("\t", escape="\\", header=["n", "name"]),
        penstock.csv.Dialect("|", terminator=";\n", skip_rows=1),
        penstock.csv.Dialect(header=None, terminator="any"),
    ],
    ids=repr,
)
def test_a_table_of_any_dialect_is_read_on(tmp_path: Path, dialect: penstock.csv.Dialect) -> None:
    path = tmp_path / "rows.csv"
    end = "\n" if dialect.terminator in {None, "any"} else dialect.terminator
    rows = [dialect.delimiter.join([str(n), "x"]) for n in range(9)]
    whole = "".join(f"{row}{end}" for row in rows)
    path.write_text(whole, encoding="utf-8", newline="")
    expected = numbered(penstock.csv.read(path, dialect=dialect))
    assert len(expected) > 6
    resume: penstock.Checkpoint | Literal["start"] = "start"
    found: list[Any] = []
    for cut in (*range(1, len(whole), 7), len(whole)):
        path.write_text(whole[:cut], encoding="utf-8", newline="")
        with penstock.csv.read(path, dialect=dialect, resume=resume) as reader:
            found += numbered(reader)
            resume = moved(reader.checkpoint())
    assert found == expected
    # The checkpoint knows the dialect.
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(rows[-1] + str(end))
    assert [row for row, *_ in numbered(penstock.read(path, resume=resume))] == [expected[-1][0]]
    with pytest.raises(ValueError, match="the checkpoint is one of another dialect"):
        penstock.csv.read(path, dialect=penstock.csv.Dialect(":"), resume=resume)


def test_an_inferred_dialect_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("name;size\nBern;1,5\nChur;0,4\n")
    with penstock.csv.read(path, dialect="infer", resume="start") as reader:
        assert next(reader) == {"name": "Bern", "size": "1,5"}
        checkpoint = moved(reader.checkpoint())
    assert checkpoint.dialect == {"delimiter": ";"}
    (row,) = penstock.csv.read(path, dialect="infer", resume=checkpoint)
    assert row == {"name": "Chur", "size": "0,4"}


def test_rows_that_end_otherwise_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("n|1|")
    with pytest.raises(ValueError, match=r"rows that end with a line feed, not with '\|'"):
        penstock.csv.read(path, dialect=penstock.csv.Dialect(terminator="|"), resume="start")


def test_a_renamed_table_keeps_its_delimiter(tmp_path: Path) -> None:
    path, turned = tmp_path / "log.tsv", tmp_path / "log.tsv.1"
    path.write_text("a\tb\n1\t2\n3\t4\n")
    reader = penstock.read(path)
    assert next(reader) == {"a": "1", "b": "2"}
    checkpoint = reader.checkpoint()
    path.rename(turned)
    assert list(penstock.read(turned, resume=checkpoint)) == [{"a": "3", "b": "4"}]


def test_a_file_that_was_cut_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_text("1\n2\n")
    reader = penstock.read(path)
    list(reader)
    checkpoint = reader.checkpoint()
    path.write_text("1\n")
    reason = "is not the file of the checkpoint: it has 2 bytes, and 4 were read of that"
    with pytest.raises(ValueError, match=reason):
        penstock.read(path, resume=checkpoint)


def test_a_file_that_was_replaced_while_it_is_read_has_no_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_text("1\n2\n")
    reader = penstock.read(path)
    next(reader)
    (tmp_path / "other").write_text("3\n4\n")
    (tmp_path / "other").replace(path)
    with pytest.raises(ValueError, match="was replaced while it was read"):
        reader.checkpoint()


@pytest.mark.parametrize("name", ["list.json", "list.xml"])
def test_a_document_must_be_as_it_was(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("[1, 2]" if name.endswith("json") else "<r><i>1</i><i>2</i></r>")
    reader = penstock.read(path)
    next(reader)
    checkpoint = reader.checkpoint()
    os.utime(path, ns=(1, 1))
    with pytest.raises(ValueError, match="has changed since the checkpoint was made"):
        penstock.read(path, resume=checkpoint)


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@SETTINGS
@given(
    groups=st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=5),
    named=st.booleans(),
    bad=st.sets(st.integers(0, 8)),
    data=st.data(),
)
def test_a_property_list_goes_on_behind_any_record(
    tmp_path: Path, groups: list[list[int]], named: bool, bad: set[int], data: Any
) -> None:
    count = sum(map(len, groups))
    rows = iter([{"n": "x" if n in bad else n} for n in range(count)])
    lists: list[Any] = [[next(rows) for _ in group] for group in groups]
    if named:
        lists = [{f"k{n}": row for n, row in enumerate(group)} for group in lists]
    path = tmp_path / "groups.plist"
    path.write_bytes(binary({"before": [{"n": 1}], "groups": lists, "behind": [[{"n": 1}]]}))

    def read(place: Any) -> tuple[penstock.Reader[Row], list[Any]]:
        errors: list[Any] = []
        where = "groups/*/*"
        return penstock.read(path, Row, at=where, resume=place, errors=errors.append), errors

    def said(errors: list[Any]) -> list[Any]:
        return [(error.record, str(error)) for error in errors]

    reader, errors = read(None)
    whole = (list(reader), said(errors))
    found: list[Row] = []
    met: list[Any] = []
    place: Any = "start"
    while place == "start" or not place.ended:
        reader, errors = read(place)
        for _ in range(data.draw(st.integers(1, 4))):
            found += [row for row in [next(reader, None)] if row is not None]
        met += said(errors)
        place = moved(reader.checkpoint())
    assert (found, met) == whole


@pytest.mark.parametrize("name", ["text.plist", "markup.plist", "packed.plist.bgz"])
def test_other_property_lists_have_places_at_their_ends_only(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"(1, 2)" if name == "text.plist" else plistlib.dumps([1, 2]))
    if name == "packed.plist.bgz":
        (tmp_path / "bare.plist").write_bytes(binary([1, 2]))
        penstock.recompress(tmp_path / "bare.plist", path)
    reader = penstock.read(path, resume="start")
    assert reader.checkpoint().records == 0
    whole = [next(reader)]
    reason = (
        "there is no checkpoint: of property lists, only a binary one that is not compressed can be"
        " read from the middle"
    )
    with pytest.raises(ValueError, match=f"^{reason}$"):
        reader.checkpoint()
    whole += reader
    assert len(whole) == 2
    checkpoint = moved(reader.checkpoint())
    assert (checkpoint.records, checkpoint.ended) == (2, True)
    assert list(penstock.read(path, resume=checkpoint)) == []


def test_a_place_in_another_property_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.plist"
    path.write_bytes(binary([[1, 2], [3]]))
    reader = penstock.read(path, at="*/*")
    assert next(reader) == 1
    checkpoint = reader.checkpoint()
    assert str(checkpoint) == f"{path}, behind record 1"
    counts = checkpoint.start[:4]
    opened = checkpoint.start[5]
    for places in ([0], [0, 1, 1]):
        wrong = replace(checkpoint, start=(*counts, places, opened))
        with pytest.raises(ValueError, match="the checkpoint is none of this file"):
            penstock.read(path, at="*/*", resume=wrong)
    wrong = replace(checkpoint, start=(*counts, [0, 3], opened))
    with pytest.raises(penstock.DecodeError, match="has no member 3, where a part begins"):
        list(penstock.read(path, at="*/*", resume=wrong))
    path.write_bytes(binary([[1, 2], [3, 4]]))
    with pytest.raises(ValueError, match="has changed since the checkpoint was made"):
        penstock.read(path, at="*/*", resume=checkpoint)


def test_records_elsewhere_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    path.write_text('{"a": [1, 2], "b": [3, 4]}')
    reader = penstock.read(path, at="a/*")
    next(reader)
    checkpoint = reader.checkpoint()
    with pytest.raises(ValueError, match="the checkpoint is one of other records"):
        penstock.read(path, at="b/*", resume=checkpoint)
    with pytest.raises(ValueError, match="the checkpoint is one of json, not of ndjson"):
        penstock.read(path, at="a/*", format="ndjson", resume=checkpoint)


def test_pieces_of_compressed_files_are_read_on(tmp_path: Path) -> None:
    path, packed = tmp_path / "rows.ndjson", tmp_path / "rows.ndjson.gz"
    path.write_text("".join(f'{{"n": {n}}}\n' for n in range(20_000)))
    penstock.recompress(path, packed)
    reader = penstock.read(packed, Row)
    first = [next(reader) for _ in range(12_345)]
    rest = list(penstock.read(packed, Row, resume=moved(reader.checkpoint())))
    assert first + rest == [Row(n) for n in range(20_000)]


def test_a_file_compressed_as_a_whole_has_checkpoints_at_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson.gz"
    path.write_bytes(gzip.compress(b"1\n2\n"))
    reader = penstock.read(path)
    next(reader)
    with pytest.raises(ValueError, match="there is no checkpoint: a gzip file that is not BGZF"):
        reader.checkpoint()
    # It has one at its beginning and at its end.
    reader = penstock.read(path)
    begin = moved(reader.checkpoint())
    assert list(reader) == list(penstock.read(path, resume=begin)) == [1, 2]
    end = moved(reader.checkpoint())
    assert (end.records, end.ended) == (2, True)
    assert list(penstock.read(path, resume=end)) == []
    path.write_bytes(gzip.compress(b"1\n2\n3\n"))
    for place in (begin, end):
        with pytest.raises(ValueError, match="has changed since the checkpoint was made"):
            penstock.read(path, resume=place)


def test_other_readers_have_no_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a;b\n1;2\n")
    reason = (
        r"there is no checkpoint: the reader is none of penstock.read\(\) of files by their paths"
    )
    with path.open("rb") as file:
        for reader in (
            penstock.csv.read(path, dialect="infer"),
            penstock.csv.read(path, repair="short_rows"),
            penstock.split(path)[0].read(),
            penstock.read(file, format="csv"),
        ):
            with pytest.raises(ValueError, match=reason):
                reader.checkpoint()
    reason = "there is no checkpoint: the reader was told the encoding or the compression"
    with pytest.raises(ValueError, match=reason):
        penstock.read(path, encoding="latin-1").checkpoint()
    reader = penstock.read(path)
    reader.close()
    with pytest.raises(ValueError, match="there is no checkpoint: this Reader is closed"):
        reader.checkpoint()


def test_options_that_a_checkpoint_rules_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text("1\n")
    with pytest.raises(TypeError, match="encoding= cannot be used with resume="):
        penstock.read(path, resume="start", encoding="utf-8")
    with pytest.raises(TypeError, match="resume= reads files by their paths, not list"):
        penstock.read([b"1"], resume="start")
    with pytest.raises(ValueError, match="resume must be a Checkpoint or 'start', not 'end'"):
        penstock.read(path, resume="end")  # type: ignore[call-overload]


def test_only_a_regular_file_is_read_on(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ndjson")
    with pytest.raises(ValueError, match="resume= reads a regular file, and"):
        penstock.read(tmp_path / "pipe.ndjson", resume="start")


def test_a_batch_can_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps(list(range(100))))
    reader = penstock.read(path, int)
    batch = next(reader.batches(30))
    rest = list(penstock.read(path, int, resume=reader.checkpoint()))
    assert batch + rest == list(range(100))


def test_the_place_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text("[1, 2]")
    reader = penstock.read(path)
    next(reader)
    assert str(reader.checkpoint()) == f"{path}, behind record 1 at byte 2"
