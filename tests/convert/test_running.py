"""How a conversion runs: errors, limits, signals, memory, threads, and what is left behind."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from converting import converted
from folders import names
from fresh import kilobytes
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, LimitExceeded, Limits, MalformedInput, ValidationError

OLD = "old"


def test_the_numbers_and_the_files(tmp_path: Path) -> None:
    source, target = tmp_path / "a.json", tmp_path / "b.ndjson.gz"
    source.write_text('[{"a": 1.10}, 2]')
    done = penstock.convert(source, target)
    assert (done.records, done.skipped, done.bytes_read) == (2, 0, 16)
    assert done.bytes_written == target.stat().st_size
    assert gzip.decompress(target.read_bytes()) == b'{"a":1.10}\n2\n'
    assert repr(done) == (
        f"Converted(records=2, skipped=0, bytes_read=16, bytes_written={done.bytes_written})"
    )
    # The target may be the source.
    assert penstock.convert(target, target, to="json").records == 2
    assert penstock.load(target, format="json") == [{"a": 1.1}, 2]
    assert names(tmp_path) == ["a.json", "b.ndjson.gz"]


def test_what_it_does_not_take(tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    source.write_text("[1]")

    def refused(kind: type[Exception], *arguments: Any, **options: Any) -> str:
        with pytest.raises(kind) as caught:
            penstock.convert(*arguments, **options)
        assert names(tmp_path) == ["a.json"]
        return str(caught.value)

    formats = "pass to='json', 'ndjson', 'xml', 'csv' or 'plist'"
    target = tmp_path / "b"
    assert refused(ValueError, source, target) == f"cannot tell the format of '{target}': {formats}"
    assert refused(ValueError, source, print) == (
        f"cannot tell the format of a target without a path: {formats}"
    )
    assert refused(TypeError, source, target, to="xml", sort_keys=True) == (
        "sort_keys= is no option for a target of the format 'xml'"
    )
    assert refused(TypeError, source, target, to="json", force_list=True) == (
        "force_list= is no option for a source of the format 'json'"
    )
    assert refused(ValueError, source, target, to="json", form="element") == (
        "form='element' is for XML on one side: there is none here"
    )
    assert refused(ValueError, io.BytesIO(), target, format="xml", to="xml", form="element") == (
        "form='element' is for XML on one side: XML to XML loses nothing"
    )
    assert refused(ValueError, source, target, to="xml", form="lists") == (
        "form must be 'plain' or 'element', not 'lists'"
    )
    assert refused(TypeError, b"[1]", target, to="json") == (
        "convert() takes a path or a binary file; for data in memory use decode()"
    )
    assert refused(FileNotFoundError, tmp_path / "none.json", target, to="json").startswith(
        "[Errno 2]"
    )
    assert refused(ValidationError, source, target, to="json", at="x", empty="error") == (
        f'{source}:1:4: there is nothing at "x"'
    )


LINES = '{"a": 1}\n{"a":\n{"b c": 2}\n{"a": 3}\n'


def test_records_in_error(tmp_path: Path) -> None:
    source, target = tmp_path / "a.ndjson", tmp_path / "b.xml"
    source.write_text(LINES)
    target.write_text(OLD)
    with pytest.raises(MalformedInput) as caught:
        penstock.convert(source, target)
    assert str(caught.value) == f"{source}:2:6: the line ends inside a value (record 2, at a)"
    assert target.read_text() == OLD
    good = "<root><item><a>1</a></item><item><a>3</a></item></root>"
    done = penstock.convert(source, target, errors="skip")
    assert (done.records, done.skipped) == (2, 2)
    assert target.read_text().endswith(good)
    target.write_text(OLD)
    errors: list[DecodeError] = []
    assert penstock.convert(source, target, errors=errors.append).skipped == 2
    assert target.read_text().endswith(good)
    assert [str(error) for error in errors] == [
        f"{source}:2:6: the line ends inside a value (record 2, at a)",
        f"{source}:3:2: \"b c\" is no name in XML: no name contains ' ' (record 3, at b c)",
    ]
    target.write_text(OLD)
    with pytest.raises(ExceptionGroup) as group:
        penstock.convert(source, target, errors="collect")
    assert [str(error) for error in group.value.exceptions] == [str(error) for error in errors]
    # The good records are all there.
    assert target.read_text().endswith(good)
    target.write_text(OLD)
    with pytest.raises(ExceptionGroup):
        penstock.convert(source, target, errors="collect", max_errors=1)
    assert target.read_text() == OLD
    with pytest.raises(ZeroDivisionError):
        penstock.convert(source, target, errors=lambda _: 1 // 0)
    assert target.read_text() == OLD
    assert names(tmp_path) == ["a.ndjson", "b.xml"]


@pytest.mark.parametrize(
    ("data", "format", "at"),
    [
        ('{"a": [1, {"b": tru}]}', "json", None),
        ('[{"a": 1}, {"a": [1, 2', "json", "*"),
        ('{"a": 1}\n{"a": {"b": [1 2]}}\n', "ndjson", None),
        ("<r><a><b>x</c></a></r>", "xml", None),
        ("<r><a/><a><b>x&y;</b></a></r>", "xml", "r/a"),
        ("<r><a/><a><b>", "xml", "r/*"),
        ("<r a='1' a='2'/>", "xml", None),
    ],
)
def test_errors_are_those_of_read(data: str, format: Any, at: str | None) -> None:
    reader = penstock.read(io.BytesIO(data.encode()), format=format, at=at)
    with pytest.raises(DecodeError) as expected:
        deque(reader, maxlen=0)
    for to in ("json", "ndjson"):
        with pytest.raises(type(expected.value)) as caught:
            converted(data, format, to, at=at)
        found, wanted = caught.value, expected.value
        assert (found.reason, found.offset, found.line, found.column, found.excerpt) == (
            (wanted.reason, wanted.offset, wanted.line, wanted.column, wanted.excerpt)
        )
        assert found.format == wanted.format
        if at is not None or format == "ndjson":
            assert (found.record, found.path) == (wanted.record, wanted.path)


def test_limits() -> None:
    with pytest.raises(LimitExceeded, match=r"limits\.depth"):
        converted("[" * 20 + "]" * 20, "json", "json", limits=Limits(depth=10))
    # An element is deeper in the element form than in XML.
    deep = "<a>" * 10 + "</a>" * 10
    assert converted(deep, "xml", "xml", limits=Limits(depth=10))
    with pytest.raises(LimitExceeded, match=r"limits\.depth"):
        converted(deep, "xml", "json", form="element", limits=Limits(depth=10))
    with pytest.raises(LimitExceeded) as caught:
        converted(f"<r>{'<a>x</a>' * 1000}</r>", "xml", "json", limits=Limits(memory=10_000))
    assert caught.value.reason == (
        "the record takes more than 10000 bytes of memory (limits.memory)"
    )
    # One record at a time takes less.
    lines = converted(f"<r>{'<a>x</a>' * 1000}</r>", "xml", "ndjson", limits=Limits(memory=10_000))
    assert lines == '"x"\n' * 1000
    data = "[" + ",".join(["1"] * 200_000) + "]\n"
    with pytest.raises(LimitExceeded, match=r"limits\.memory"):
        converted(data, "ndjson", "json", errors="skip", limits=Limits(memory=100_000))


@given(
    st.sampled_from(
        [
            ('[{"a": [1.50, "\\u00e9\\n", {}]}, null]', "json"),
            ('{"a": 1}\n"x"\n\n[]\n', "ndjson"),
            ("<?p?><r xmlns='u' a='1'>t<b/><!--c--><b>é</b></r>", "xml"),
            ("<r><b>1</b><c/><b>2</b>", "xml"),
        ]
    ),
    st.sampled_from(["json", "ndjson", "xml"]),
    st.sampled_from(["plain", "element"]),
    st.lists(st.integers(1, 9), max_size=8),
)
def test_the_cut_of_the_source_does_not_matter(
    document: tuple[str, Any], to: Any, form: Any, sizes: list[int]
) -> None:
    text, kind = document
    if form == "element" and (kind == "xml") == (to == "xml"):
        return
    data = text.encode()

    def chunks() -> Iterator[bytes]:
        at = 0
        for size in [*sizes, len(data)]:
            yield data[at : at + size]
            at += size

    def outcome(source: Any) -> Any:
        target = io.BytesIO()
        try:
            penstock.convert(source, target, format=kind, to=to, form=form)
        except DecodeError as error:
            return str(error), error.offset
        return target.getvalue()

    assert outcome(chunks()) == outcome(io.BytesIO(data))


def test_objects_as_sources_and_targets() -> None:
    taken: list[bytes] = []
    penstock.convert(iter([b"[1", b",2]"]), taken.append, format="json", to="ndjson")
    assert b"".join(taken) == b"1\n2\n"

    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise BufferError("full")

    with pytest.raises(BufferError, match="full"):
        penstock.convert(io.BytesIO(b"[1]"), Full(), format="json", to="json")

    def broken() -> Iterator[bytes]:
        yield b"[1,"
        raise OSError("gone")

    with pytest.raises(DecodeError, match="gone") as caught:
        penstock.convert(broken(), taken.append, format="json", to="json")
    assert isinstance(caught.value.__cause__, OSError)


def test_other_threads_run_meanwhile(tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    source.write_text("[" + ",".join(['{"a": [1, 2, 3]}'] * 400_000) + "]")
    steps = 0
    ended = threading.Event()

    def count() -> None:
        nonlocal steps
        while not ended.is_set():
            steps += 1
            time.sleep(0.000_1)

    thread = threading.Thread(target=count)
    thread.start()
    before = steps
    penstock.convert(source, tmp_path / "b.ndjson")
    assert steps - before > 20
    ended.set()
    thread.join()


@pytest.mark.thread_unsafe(reason="a signal is sent to a process")
def test_an_interrupt_ends_it_at_once(tmp_path: Path) -> None:
    program = """
    import itertools, signal, sys, time, penstock
    # Whoever runs the tests in the background ignores it, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    def chunks():
        yield b"["
        print("begun", flush=True)
        for number in itertools.count():
            yield b'{"a": %d},' % number * 1000
    begun = time.monotonic()
    try:
        penstock.convert(chunks(), "b.json", format="json")
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    """
    (tmp_path / "b.json").write_text(OLD)
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.3)
    sent = time.monotonic()
    os.kill(child.pid, signal.SIGINT)
    ended = float(child.communicate(timeout=30)[0])
    # 50 ms on a machine that does nothing else.
    assert ended - sent < 10
    assert (tmp_path / "b.json").read_text() == OLD
    assert names(tmp_path) == ["b.json"]


MEMORY = """
import penstock

def records(size):
    record = b'<a id="7">' + b'<b>caf\\xc3\\xa9</b>' * 5 + b'<c x="1">text</c></a>'
    yield b'<r>'
    for _ in range(size // (len(record) * 500)):
        yield record * 500
    yield b'</r>'

def lines(size):
    record = b'{"a": 1, "name": "caf\\xc3\\xa9", "tags": ["x", 1.50]}\\n'
    for _ in range(size // (len(record) * 500)):
        yield record * 500

def array(size):
    yield b"["
    for chunk in lines(size):
        yield chunk.replace(b"\\n", b",\\n")
    yield b"1]"

taken = 0
def take(data):
    global taken
    taken += len(data)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the high-water mark")
@pytest.mark.thread_unsafe(reason="what is measured is a process of its own")
@pytest.mark.parametrize(
    "call",
    [
        "records({size}), take, format='xml', to='ndjson'",
        "records({size}), take, format='xml', to='json', form='element'",
        "records({size}), take, format='xml', to='xml', indent=1",
        "records({size}), take, format='xml', to='xml', at='r/a', errors='skip'",
        "lines({size}), take, format='ndjson', to='xml', errors='skip'",
        "array({size}), take, format='json', to='json'",
        "lines({size}), take, format='ndjson', to='json', into=dict[str, object], errors='skip'",
        "array({size}), take, format='json', to='xml', into=object, objects=True",
        "[b'<a>', *[b'x' * 100_000] * ({size} // 100_000), b'</a>'], take, format='xml', to='json', form='element'",
    ],
)
def test_memory_does_not_grow(call: str) -> None:
    bare = kilobytes("")
    small, large = (
        kilobytes(
            f"{MEMORY}\npenstock.convert({call.format(size=size)})\nassert taken > {size} // 4"
        )
        for size in (2_000_000, 20_000_000)
    )
    assert large - bare <= 32 * 1024
    assert abs(large - small) <= 2 * 1024


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    source, target = tmp_path / "a.json", Path("/dev/full")
    source.write_text(json.dumps(list(range(100_000))))
    if not target.exists():
        pytest.skip("no /dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        penstock.convert(source, target, to="ndjson")
    assert caught.value.errno == 28


def test_repairs_and_framing() -> None:
    def run(text: bytes, format: Any, **options: Any) -> tuple[bytes, dict[str, int]]:
        target = io.BytesIO()
        done = penstock.convert(io.BytesIO(text), target, format=format, to="ndjson", **options)
        return target.getvalue(), done.repair_counts

    bare: Any = {"repair": "bare_ampersand", "at": "a/b"}
    assert run(b"<a><b>R&D</b><b>&</b></a>", "xml", **bare) == (
        b'"R&D"\n"&"\n',
        {"bare_ampersand": 2},
    )
    assert run(b"<a><b>x</b></a>", "xml", **bare) == (b'"x"\n', {})
    by_type = run(b"<a><b>R&D</b></a>", "xml", into=str, objects=True, **bare)
    assert by_type == (b'"R&D"\n', {"bare_ampersand": 1})
    external = b"<!DOCTYPE a SYSTEM 'x'><a><b>&x;</b></a>"
    with pytest.raises(penstock.DecodeError):
        run(external, "xml", at="a/b")
    assert run(external, "xml", at="a/b", unresolved="text") == (b'"&x;"\n', {})
    sequence = b"\x1e1\n\x1e2\n"
    assert run(sequence, "ndjson", framing="sequence") == (b"1\n2\n", {})
    assert run(b"1 2", "ndjson", framing="concatenated") == (b"1\n2\n", {})
    message = r"^framing= is no option for a source of the format 'json'$"
    with pytest.raises(TypeError, match=message):
        run(b"[]", "json", framing="sequence")
    with pytest.raises(ValueError, match=r"^repair must be 'all' or some of"):
        run(b"<a/>", "xml", repair="everything")
