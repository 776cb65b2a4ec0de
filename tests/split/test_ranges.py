"""A file that is scanned in ranges, side by side, has the parts that one pass over it finds."""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock
from penstock import _rust
from penstock._engines import tasks as _tasks
from penstock._parts import ranges as _ranges
from penstock._parts import split as _split

SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

# What looks like the beginning of a record where none begins.
TEXTS = ["", "é", '}, {"n": 1, "name": "', '\n1,"', '",\n"', "x\r\ny", '""']
MARKUP = [
    "",
    "é",
    "<item n='0'/>",
    "<!-- <item n='0'> </item> -->",
    "<![CDATA[</list><item n='0'>]]>",
    "<item><item n='1'/></item>",
    "\n",
]


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def table(records: list[Any]) -> str:
    name = [record["name"].replace('"', '""') for record in records]
    return "\n".join(["n,name,m", *(f'{n},"{each}",{n}' for n, each in enumerate(name))])


def elements(records: list[Any]) -> str:
    inside = [f"<item n='{each['n']}'>{MARKUP[each['n'] % len(MARKUP)]}</item>" for each in records]
    half = len(inside) // 2
    parts = ["".join(inside[:half]), "\n".join(inside[half:])]
    return (
        f"<?xml version='1.0'?>\n<list>{''.join(f'<part>{part}</part>' for part in parts)}</list>"
    )


def lists(records: list[Any]) -> str:
    half = len(records) // 2
    return json.dumps({"a": records[:half], "b": 7, "c": records[half:]}, indent=len(records) % 3)


FORMS: dict[str, Any] = {
    "lines.ndjson": (lines, None),
    "array.json": (json.dumps, None),
    "lists.json": (lists, "*/*"),
    "table.csv": (table, None),
    "list.xml": (elements, "list/*/item"),
}
each = pytest.mark.parametrize("name", list(FORMS))


def some(count: int) -> list[Any]:
    def record(n: int) -> dict[str, Any]:
        return {"n": n, "name": TEXTS[n % len(TEXTS)] * (n % 5)}

    return [
        {**record(n), "in": [{"n": 1, "name": "a"}, {"n": 2}]} if n % 7 == 3 else record(n)
        for n in range(count)
    ]


def written(folder: Path, name: str, count: int) -> tuple[Path, Any]:
    make, at = FORMS[name]
    (folder / name).write_text(make(some(count)), encoding="utf-8")
    return folder / name, at


@each
@SETTINGS
@given(data=st.data())
def test_any_ranges(name: str, tmp_path: Path, data: st.DataObject) -> None:
    path, at = written(tmp_path, name, data.draw(st.integers(0, 200)))
    ranges = data.draw(st.integers(1, 8))
    size = data.draw(st.integers(1, 2_000))
    expected = penstock.split(path, bytes=size, at=at)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ranges, "SIZE", max(1, path.stat().st_size // ranges))
        for threads in (2, 3):
            assert penstock.split(path, bytes=size, at=at, threads=threads) == expected
        patch.setattr(_tasks, "LARGE", max(1, path.stat().st_size // (4 * ranges)))
        patch.setattr(_tasks, "HERE", data.draw(st.sampled_from([0, 100, 1_000])))
        patch.setattr(_tasks, "LEAST", data.draw(st.integers(1, 4)))
        found = _tasks.plan([str(path)], in_tasks, None, size, None, at)
        assert found == list(expected)


@each
@pytest.mark.parametrize("suffix", ["", ".bgz", ".zst"])
def test_large_files(
    name: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, at = written(tmp_path, name, 20_000)
    if suffix:
        penstock.recompress(path, path := tmp_path / f"{name}{suffix}")
    expected = penstock.split(path, bytes=30_000, at=at)
    assert len(expected) > 15
    monkeypatch.setattr(_ranges, "SIZE", 100_000)
    for threads in (2, 4):
        assert penstock.split(path, bytes=30_000, at=at, threads=threads) == expected
        assert penstock.split(path, parts=3, at=at, threads=threads) == penstock.split(
            path, parts=3, at=at
        )
    kept = penstock.split(path, bytes=30_000, at=at, threads=2, index=True)
    Path(f"{path}.penstock-splits").unlink()
    assert penstock.split(path, bytes=30_000, at=at, index=True) == kept


def test_most_guesses_are_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []
    real = _ranges.Points.take

    def take(self: Any, asked: Any, answer: Any) -> bool:
        told.append(real(self, asked, answer))
        return told[-1]

    monkeypatch.setattr(_ranges.Points, "take", take)
    monkeypatch.setattr(_ranges, "SIZE", 40_000)
    for name in FORMS:
        path, at = written(tmp_path, name, 8_000)
        penstock.split(path, parts=2, at=at, threads=2)
        assert len(told) >= path.stat().st_size // 40_000
        assert sum(told) >= 0.9 * len(told)
        told.clear()


def test_one_pass_finds_what_ranges_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ranges, "SIZE", 1_000)
    path = tmp_path / "lists.json"
    # Each list has two records, so that other things are open in almost all ranges.
    path.write_text(json.dumps([[{"n": n}, {"n": -n}] for n in range(9_000)]))
    expected = penstock.split(path, bytes=5_000, at="*/*")
    assert penstock.split(path, bytes=5_000, at="*/*", threads=2) == expected
    # These have no ranges: the records are numbers, or are found by their positions, or entities
    # may be among them, or a limit ends the text.
    numbers = tmp_path / "numbers.json"
    numbers.write_text(json.dumps(list(range(9_000))))
    assert len(penstock.split(numbers, parts=5, threads=2)) == 5
    third = penstock.split(path, parts=5, at="*/0")
    assert penstock.split(path, parts=5, at="*/0", threads=2) == third
    declared = tmp_path / "declared.xml"
    declared.write_text(
        "<!DOCTYPE list [<!ENTITY e '<item/>'>]><list>" + "<item>&e;</item>" * 900 + "</list>"
    )
    assert penstock.split(declared, parts=5, threads=2) == penstock.split(declared, parts=5)
    limits = penstock.Limits(total=20_000)
    ended = penstock.split(path, bytes=5_000, at="*/*", limits=limits)
    assert penstock.split(path, bytes=5_000, at="*/*", limits=limits, threads=2) == ended


def test_a_record_of_several_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ranges, "SIZE", 1_000)
    for name, text in [
        ("a.json", json.dumps([{"n": 1}, {"n": 2}, {"n": "x" * 20_000}, *some(100)])),
        ("a.csv", "a,b\n1,2\n" + '3,"' + "x,\n" * 6_000 + '"\n' + "4,5\n" * 900),
        ("a.csv", "a,b\n1,2\n3,4\n" + '5,"6\n' + "7,8\n" * 2_000),
        ("a.xml", f"<l><i>1</i><i>2</i><i>{'<i/>' * 6_000}</i>{'<i>3</i>' * 900}</l>"),
        ("a.xml", f"<l>{'<i>3</i>' * 900}<!-- {'<i>' * 3_000} -->{'<i>3</i>' * 900}</l>"),
    ]:
        path = tmp_path / name
        path.write_text(text)
        for size in (100, 700, 9_000):
            alone = penstock.split(path, bytes=size)
            assert penstock.split(path, bytes=size, threads=2) == alone


@pytest.mark.parametrize("name", ["array.json", "list.xml"])
def test_a_fault_in_any_range(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ranges, "SIZE", 2_000)
    path, at = written(tmp_path, name, 900)
    text = path.read_text(encoding="utf-8")

    def told(parts: Any) -> tuple[list[Any], Any]:
        records: list[Any] = []
        try:
            for part in parts:
                with part.read() as reader:
                    records.extend(reader)
        except penstock.DecodeError as error:
            return records, (error.offset, error.line, error.column, error.record, error.reason)
        return records, None

    for place in range(500, len(text), len(text) // 9):
        path.write_text(text[:place] + "\0" + text[place:], encoding="utf-8")
        alone = told(penstock.split(path, bytes=900, at=at))
        assert alone[1] is not None
        assert told(penstock.split(path, bytes=900, at=at, threads=2)) == alone


def test_a_file_that_changes(tmp_path: Path) -> None:
    path, at = written(tmp_path, "array.json", 900)
    dialect = _split.dialect_of("json", str(path), None)
    source = _rust.Source(str(path), str(path), None, "infer")
    size = path.stat().st_size
    points = _ranges.of(dialect, source, at, None, size, lambda text: range(500, text, 500), 1)
    assert points is not None
    path.write_text("[]")
    with pytest.raises(ValueError, match=r"^the file has changed while it was split$"):
        points.finish()


def in_tasks(work: list[dict[str, Any]]) -> list[Any]:
    """Do the work of tasks here, through JSON."""
    return [json.loads(json.dumps(_tasks.work(json.loads(json.dumps(one))))) for one in work]


@each
def test_tasks_find_the_parts_of_large_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, at = written(tmp_path, name, 9_000)
    small = tmp_path / f"small-{name}"
    small.write_text(FORMS[name][0](some(50)), encoding="utf-8")
    packed = tmp_path / f"packed-{name}.bgz"
    penstock.recompress(path, packed)
    files = [str(path), str(small), str(packed)]
    monkeypatch.setattr(_tasks, "LARGE", 40_000)
    rounds: list[int] = []

    def run(work: list[dict[str, Any]]) -> list[Any]:
        rounds.append(len(work))
        return in_tasks(work)

    sizes: list[tuple[int | None, int | None]] = [(None, 9_000), (20, None)]
    for parts, size in sizes:
        expected = penstock.split(files, at=at, parts=parts, bytes=size)
        found = _tasks.plan(files, run, parts, size, None, at)
        assert found == list(expected)
        assert rounds[0] >= path.stat().st_size // 40_000
        # In the second list, other things are open.
        assert len(rounds) == (2 if name == "lists.json" else 1)
        rounds.clear()


class Scanning:
    """Ranges of a file, and how many bytes the driver has scanned of it."""

    def __init__(self, ranges: Any, text: int) -> None:
        self.ranges, self.text = ranges, text
        self.scanned = 0

    def chain(self, offsets: Any) -> Any:
        return self.ranges.chain(offsets)

    def scan(self, start: Any, place: None, offsets: Any, until: int | None) -> Any:
        self.scanned += (self.text if until is None else until) - start[0]
        return self.ranges.scan(start, place, offsets, until)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> list[Scanning]:
    """What the driver scans, of each file."""
    real = _ranges.Points.__init__
    scanning: list[Scanning] = []

    def init(self: Any, ranges: Any, text: int, *rest: Any) -> None:
        scanning.append(Scanning(ranges, text))
        real(self, scanning[-1], text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(_ranges.Points, "__init__", init)
    return scanning


def numbered(count: int) -> list[Any]:
    return [{"n": n, "name": "x" * 30} for n in range(count)]


ORDERS = json.dumps([{"customer": n, "orders": numbered(5)} for n in range(4_000)])
FOUR = json.dumps({f"k{n}": numbered(6_000) for n in range(4)})
LATE = json.dumps({"few": numbered(3), "many": numbered(24_000)})
GIANT = json.dumps([*numbered(5_000), {"in": numbered(9_000)}, *numbered(5_000)])
# Many ranges begin in a list that looks like the outer one, and fail where it ends.
NESTED = json.dumps([{"n": n, "in": numbered(90 if n % 20 == 7 else 1)} for n in range(3_000)])


@pytest.mark.parametrize(
    ("name", "text", "at", "tasks"),
    [
        # The tasks of each round. Of many short lists, no guess is right.
        ("orders.json", ORDERS, "*/orders/*", [40, 8, 8, 1]),
        # Each list has a sixth of the ranges, and ends in one that the next round begins with.
        # The first range of each list begins in the list before it.
        ("four.json", FOUR, "*/*", [40, 20, 20, 10]),
        # After the first list, each round has more ranges.
        ("late.json", LATE, "*/*", [40, 8, 16, 15]),
        # Where the record begins, and where it ends.
        ("giant.json", GIANT, None, [40, 20, 11]),
        ("nested.json", NESTED, None, [40, 8, 8, 1]),
    ],
    ids=["orders", "four", "late", "giant", "nested"],
)
def test_tasks_scan_what_was_guessed_wrong(
    name: str,
    text: str,
    at: Any,
    tasks: list[int],
    tmp_path: Path,
    driver: list[Scanning],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / name
    path.write_text(text)
    monkeypatch.setattr(_tasks, "LARGE", -(-len(text) // 40))
    monkeypatch.setattr(_tasks, "HERE", len(text) // 80)
    rounds: list[int] = []

    def run(work: list[dict[str, Any]]) -> list[Any]:
        rounds.append(len(work))
        return in_tasks(work)

    found = _tasks.plan([str(path)], run, 30, None, None, at)
    assert found == list(penstock.split(path, parts=30, at=at))
    (scanning,) = driver
    # It asks for the second record.
    assert (rounds, scanning.scanned) == (tasks, 1)


def test_the_driver_leaves_wrong_guesses_to_tasks(
    tmp_path: Path, driver: list[Scanning], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many points a range has told, with none of which anybody else meets."""
    path = tmp_path / "quoted.csv"
    # Whoever begins with the second line of a row finds rows as well, and never meets the others.
    rows = (f'{n},",\n{n},",\n' for n in range(200_000))
    path.write_text("a,b,c\n" + "".join(rows))
    size = path.stat().st_size
    monkeypatch.setattr(_tasks, "LARGE", size // 40)
    monkeypatch.setattr(_tasks, "HERE", size // 1_000)
    found = _tasks.plan([str(path)], in_tasks, 2_000, None, None, None)
    assert found == list(penstock.split(path, parts=2_000))
    (scanning,) = driver
    assert scanning.scanned < size // 20


def bytes_read() -> int:
    return int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])


@pytest.mark.thread_unsafe(reason="it counts what the process reads")
@pytest.mark.parametrize(("suffix", "share"), [("bgz", 0.5), ("zst", 1), ("xz", 1)])
def test_tasks_read_their_own_pieces(
    suffix: str, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, path = tmp_path / "rows.ndjson", tmp_path / f"rows.ndjson.{suffix}"
    state = random.Random(suffix)
    rows = (f'{{"n": {n}, "name": "{state.random()}"}}\n' for n in range(200_000))
    plain.write_text("".join(rows))
    if suffix == "xz":
        text = plain.read_bytes()
        blocks = (text[at : at + 500_000] for at in range(0, len(text), 500_000))
        path.write_bytes(b"".join(lzma.compress(block, preset=0) for block in blocks))
    else:
        penstock.recompress(plain, path)
    expected = list(penstock.split(path, parts=20))
    monkeypatch.setattr(_tasks, "LARGE", plain.stat().st_size // 15)
    read: list[int] = []

    def run(work: list[dict[str, Any]]) -> list[Any]:
        assert len(work) == 15
        assert all(len(json.dumps(one)) < 2_000 for one in work)
        before = bytes_read()
        answers = in_tasks(work)
        read.append(bytes_read() - before)
        return answers

    # The second time, no table is short enough, so that each task looks for all pieces.
    for longest in (_tasks.TABLE, 0):
        monkeypatch.setattr(_tasks, "TABLE", longest)
        assert _tasks.plan([str(path)], run, 20, None, None, None) == expected
    assert read[0] < share * read[1]


def test_tasks_that_come_too_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tasks, "LARGE", 1_000)
    path, _ = written(tmp_path, "array.json", 900)

    def run(work: list[dict[str, Any]]) -> list[Any]:
        path.write_text("[]")
        return in_tasks(work)

    with pytest.raises(ValueError, match=r"array\.json has changed while it was split"):
        _tasks.plan([str(path)], run, None, 500, None, None)
    with pytest.raises(ValueError, match=r"^bytes must be at least 1, not 0$"):
        _tasks.plan([str(path)], run, None, 0, None, None)
