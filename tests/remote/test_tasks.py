"""A large file behind an address is split in several tasks, as one by its path is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock._engines import tasks as _tasks

if TYPE_CHECKING:
    import misbehaving

pytest.importorskip("obstore")

COUNT = 10_000
FORMS = {
    "rows.ndjson": b"".join(b'{"n": %d}\n' % n for n in range(COUNT)),
    "rows.json": json.dumps([{"n": n} for n in range(COUNT)]).encode(),
    "rows.csv": b"n,m\n" + b"".join(b'%d,"a\nb"\n' % n for n in range(COUNT)),
    "rows.xml": b"<r>" + b"".join(b"<i><n>%d</n></i>" % n for n in range(COUNT)) + b"</r>",
}


def in_tasks(work: list[dict[str, Any]]) -> list[Any]:
    """Do work as tasks elsewhere do it, which get values through JSON."""
    return [json.loads(json.dumps(_tasks.work(json.loads(json.dumps(each))))) for each in work]


@pytest.mark.parametrize("suffix", ["", ".bgz", ".zst"])
@pytest.mark.parametrize("name", FORMS)
def test_a_large_file(
    server: misbehaving.Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    suffix: str,
) -> None:
    path = tmp_path / f"{name}{suffix}"
    (tmp_path / name).write_bytes(FORMS[name])
    if suffix:
        penstock.recompress(tmp_path / name, path)
    address, served = server.add(f"/{path.name}", path.read_bytes())
    monkeypatch.setattr(_tasks, "LARGE", path.stat().st_size // 4)
    local = penstock.split(path, bytes=10_000)
    expected = penstock.split(penstock.remote(address), bytes=10_000)
    rounds: list[int] = []

    def run(work: list[dict[str, Any]]) -> list[Any]:
        rounds.append(len(work))
        return in_tasks(work)

    found = _tasks.plan([penstock.remote(address)], run, None, 10_000, None, None)
    assert found == list(expected)
    assert [(it.begin, it.end, it.start) for it in found] == [
        (it.begin, it.end, it.start) for it in local
    ]
    assert rounds[0] >= 4
    rows = [row for part in found[1:] for row in part.read()]
    assert rows == list(penstock.read(path))[found[1].records_before :]
    served.tag = '"2"'
    with pytest.raises((OSError, ValueError), match="has changed"):
        list(found[-1].read())


def test_a_file_that_changes_between_tasks(
    server: misbehaving.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = FORMS["rows.ndjson"]
    address, served = server.add("/rows.ndjson", data)
    monkeypatch.setattr(_tasks, "LARGE", len(data) // 4)

    def changed(work: list[dict[str, Any]]) -> list[Any]:
        served.tag = '"2"'
        return in_tasks(work)

    with pytest.raises((OSError, ValueError), match="has changed"):
        _tasks.plan([penstock.remote(address)], changed, None, 10_000, None, None)


def test_each_task_asks_for_its_range(
    server: misbehaving.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = FORMS["rows.ndjson"] * 8
    address, served = server.add("/rows.ndjson", data)
    monkeypatch.setattr(_tasks, "LARGE", len(data) // 3)

    def run(work: list[dict[str, Any]]) -> list[Any]:
        answers = []
        for each in work:
            served.asked.clear()
            answers += in_tasks([each])
            _, place, _, until = each["asked"]
            asked = (text.removeprefix("bytes=").split("-") for text in served.asked if text)
            ranges = [(int(first), int(last)) for first, last in asked]
            # It looks at the beginning of the file, and a little before and behind its own range.
            mine = [each for each in ranges if each[0]]
            assert min(first for first, _ in mine) >= (place or 0) - 1_024
            assert max(last for _, last in mine) <= (until or len(data)) + (64 << 10)
            assert sum(last for first, last in ranges if not first) <= 2 * (64 << 10)
        return answers

    _tasks.plan([penstock.remote(address)], run, None, 100_000, None, None)
