"""`open`: parts of a property list, of which only that is read which is asked for."""

from __future__ import annotations

import bisect
import datetime
import gc
import gzip
import os
import threading
import warnings
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock import plist

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WORDS = sorted(f"word {number:06d}" for number in range(26_000))
SHARED = [1, 2]
VALUE: dict[str, Any] = {
    "tracks": {str(number): {"name": f"n{number}", "k": number} for number in range(3_000)},
    "words": WORDS,
    "one": SHARED,
    "other": SHARED,
    "a/b": {"": b"x"},
    "when": datetime.datetime(2026, 11, 23, 8, 30, tzinfo=datetime.UTC),
}


@dataclass
class Track:
    name: str
    k: int


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "library.plist"
    path.write_bytes(plist.encode(VALUE, form="binary"))
    return path


def test_dictionaries_are_mappings(file: Path) -> None:
    doc = plist.open(file)
    assert list(doc) == list(VALUE)
    assert len(doc) == len(VALUE)
    assert "tracks" in doc
    assert "nope" not in doc
    assert 3 not in doc
    assert "\ud800" not in doc
    assert doc.get("nope", 7) == 7
    with pytest.raises(KeyError):
        doc["nope"]
    assert doc["when"] == VALUE["when"]
    tracks = doc["tracks"]
    assert [tracks[str(n)]["k"] for n in range(0, 3_000, 7)] == list(range(0, 3_000, 7))
    assert list(tracks.items())[2_999][1] == VALUE["tracks"]["2999"]
    assert isinstance(tracks, plist.Dictionary)
    assert doc == VALUE
    assert doc.to() == VALUE
    assert doc != 1


def test_arrays_are_sequences(file: Path) -> None:
    words = plist.open(file)["words"]
    assert isinstance(words, plist.Array)
    assert (words[0], words[-1], words[1:3]) == (WORDS[0], WORDS[-1], WORDS[1:3])
    assert words[::-9_000] == WORDS[::-9_000]
    assert words == WORDS
    assert words != WORDS[1:]
    assert words.index("word 000003") == 3
    for at in (26_000, -26_001):
        with pytest.raises(IndexError):
            words[at]


def test_a_sorted_array_is_searched_by_reading_little(file: Path) -> None:
    words = plist.open(file)["words"]
    seen = 0

    def key(word: str) -> str:
        nonlocal seen
        seen += 1
        return word

    assert bisect.bisect_left(words, "word 017000", key=key) == 17_000
    assert seen <= 15


def test_parts_are_one_object_each(file: Path) -> None:
    doc = plist.open(file)
    assert doc["one"] is doc["other"]
    assert doc["tracks"] is doc["tracks"]
    assert (doc["tracks"]["7"].path, doc["a/b"].path, doc.path) == ("tracks/7", "a~1b", "")
    name = str(file)
    assert repr(doc) == f"Dictionary({name}, a dictionary of 6)"
    assert repr(doc["other"]) == f"Array({name}, at 'one', an array of 2)"


def test_any_part_as_any_type(file: Path) -> None:
    doc = plist.open(file)
    assert doc["tracks"]["17"].to(Track) == Track("n17", 17)
    assert doc["one"].to(tuple[int, int]) == (1, 2)
    with pytest.raises(penstock.ValidationError) as caught:
        doc["tracks"]["17"].to(dict[str, int])
    assert caught.value.path == "tracks/17/name"
    assert str(caught.value).startswith(f"{file}:byte ")
    with pytest.raises(penstock.ValidationError, match="Track has no field for the key"):
        plist.open(plist.encode({"name": "a", "k": 1, "x": 2})).to(Track, unknown="error")


def test_records(file: Path) -> None:
    tracks = plist.open(file, Track, at="tracks/*")
    assert isinstance(tracks, plist.Items)
    assert len(tracks) == 3_000
    assert (tracks[5], tracks[-1]) == (Track("n5", 5), Track("n2999", 2_999))
    assert tracks[1:3] == [Track("n1", 1), Track("n2", 2)]
    assert [track.k for track in tracks] == list(range(3_000))
    assert plist.open(file, at="one/*")[1] == 2
    assert plist.open(file, bytes, at="a~1b/*")[0] == b"x"
    assert plist.open(plist.encode([3, 4]), int)[0] == 3
    with pytest.raises(penstock.ValidationError) as caught:
        plist.open(file, int, at="tracks/*")[7]
    assert caught.value.path == "tracks/7"
    for at, message in [
        ("tracks", "at='tracks': the path of an open property list ends with '*'"),
        ("x/*", f"at='x/*': there is no 'x' in Dictionary({file}, a dictionary of 6)"),
        ("one/2/*", f"at='one/2/*': there is no '2' in Array({file}, at 'one', an array of 2)"),
    ]:
        with pytest.raises(ValueError) as wrong:  # noqa: PT011 - the whole message is compared
            plist.open(file, int, at=at)
        assert str(wrong.value) == message
    with pytest.raises(ValueError, match="the root is no array: say at='KEY/"):
        plist.open(file, Track)


@pytest.mark.parametrize("form", ["xml", "openstep", "gnustep", "json"])
def test_other_forms_and_sources(form: Any, tmp_path: Path) -> None:
    value = {"a": ["x", {"b": "c"}], "d": {}}
    data = plist.encode(value, form=form)
    path = tmp_path / "a.plist.gz"
    path.write_bytes(gzip.compress(data))
    with path.open("rb") as opened:
        for source in (data, bytearray(data), path, str(path), opened, [data[:9], data[9:]]):
            doc = plist.open(source)
            assert doc == value
            assert doc["a"][1]["b"] == "c"
    assert penstock.open(data, format="plist") == value


def test_a_root_that_is_no_container() -> None:
    assert plist.open(plist.encode("x", form="binary")) == "x"
    assert plist.open(b"<plist><integer>7</integer></plist>") == 7


def test_a_file_that_changes_is_refused(file: Path) -> None:
    doc = plist.open(file)
    assert doc["one"][0] == 1
    with file.open("ab") as other:
        other.write(b"x")
    with pytest.raises(penstock.TruncatedInput) as caught:
        doc.to()
    assert "cannot be read here: it has changed since it was opened" in str(caught.value)
    # A file that is replaced is another one: the old one stays open.
    file.write_bytes(plist.encode(VALUE, form="binary"))
    doc = plist.open(file)
    plist.dump({}, file, form="binary")
    assert doc["one"][0] == 1


def test_damage_is_met_where_it_is() -> None:
    data = bytearray(plist.encode({"a": [1, 2], "b": "good"}, form="binary"))
    at = data.index(b"good") - 1
    data[at] = 0x7F
    doc = plist.open(bytes(data))
    assert doc["a"] == [1, 2]
    with pytest.raises(penstock.MalformedInput) as caught:
        doc["b"]
    assert (caught.value.offset, caught.value.path) == (at, "b")
    # Less is a string of OpenStep's.
    for cut in range(6, len(data)):
        with pytest.raises(penstock.DecodeError):
            plist.open(bytes(data[:cut])).to()


def test_closing(file: Path) -> None:
    with plist.open(file) as doc:
        words = doc["words"]
    doc.close()
    for use in (lambda: doc["one"], lambda: words[0], doc.to, lambda: list(doc)):
        with pytest.raises(ValueError, match=r"^this property list is closed$"):
            use()
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - it counts
    opened = [plist.open(file) for _ in range(20)]
    assert len(os.listdir("/proc/self/fd")) == before + 20  # noqa: PTH208 - as above
    del opened
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - as above


def test_parts_are_collected(file: Path) -> None:
    doc = plist.open(file)
    part = weakref.ref(doc._state.graph) if hasattr(doc._state.graph, "__weakref__") else None
    assert doc["tracks"]["1"]["name"] == "n1"
    count = len(gc.get_objects())
    del doc
    gc.collect()
    assert len(gc.get_objects()) < count
    assert part is None or part() is None


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.plist"
    plist.dump([{"n": f"{n:>90}"} for n in range(200_000)], path, form="binary", stream=True)
    assert path.stat().st_size > 20_000_000

    def read() -> int:
        with open("/proc/self/io", encoding="ascii") as io:  # noqa: PTH123 - it is no file
            return int(io.readline().split()[1])

    before = read()
    with plist.open(path) as doc:
        assert doc[100_000]["n"].strip() == "100000"
    assert read() - before < 500_000


@pytest.mark.thread_unsafe(reason="it starts threads itself")
def test_threads_and_code_that_asks_again(file: Path) -> None:
    doc = plist.open(file)

    @dataclass
    class Asking:
        name: str
        k: int

        def __post_init__(self) -> None:
            assert doc["one"][0] == 1

    found: list[Any] = []
    threads = [
        threading.Thread(
            target=lambda: found.append([doc["tracks"][str(n)].to(Asking).k for n in range(200)])
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [list(range(200))] * 4


def test_every_file(corpus: Callable[[str], Path]) -> None:
    opened = 0
    for path in sorted(corpus("plist").rglob("*.*plist")):
        try:
            value = plist.load(path)
        except penstock.DecodeError:
            continue
        doc = plist.open(path)
        assert doc == value
        assert not isinstance(doc, plist.Dictionary | plist.Array) or doc.to() == value
        opened += 1
    assert opened >= 40


DAMAGED = (
    b"<plist><array><dict><key>Name</key><string>Rock & R\x05oll</string></dict></array></plist>"
)


def test_repairs_of_what_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "Library.xml"
    path.write_bytes(DAMAGED)
    for source in (path, DAMAGED):
        with pytest.raises(penstock.MalformedInput, match=r"&|U\+0005"):
            plist.open(source)
        with pytest.warns(penstock.RepairWarning, match=r"2 repairs \(1 bare_ampersand, 1") as told:
            doc = plist.open(source, repair=("bare_ampersand", "control_character"))
        assert doc == [{"Name": "Rock & Roll"}]
        assert [warning.filename for warning in told] == [__file__]
        assert str(told[0].message).startswith(str(path)) == (source is path)
        with pytest.warns(penstock.RepairWarning):
            items = plist.open(source, dict[str, str], repair="all")
        assert items[0] == {"Name": "Rock & Roll"}
    with pytest.raises(penstock.MalformedInput, match=r"U\+0005"):
        plist.open(DAMAGED, repair="bare_ampersand")


def test_repairs_leave_other_forms_alone() -> None:
    binary = plist.encode([1], form="binary")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plist.open(binary, repair="all") == [1]
    with pytest.raises(ValueError, match="nonsense"):
        plist.open(binary, repair="nonsense")  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(penstock.RepairWarning):
            plist.open(DAMAGED, repair="all")
