"""Memory: what a small input could make Penstock take, and what happened when there was none."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import sys
import tracemalloc
import zipfile
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from fresh import finished

import penstock
from penstock import LimitExceeded, Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass
class Row:
    number: float = 0.0
    text: str = ""


def ndjson(rows: int) -> bytes:
    return b'{"number": 1.5, "text": "%s"}\n' % (b"a" * 40) * rows


def whole(rows: int) -> bytes:
    return b"[" + ndjson(rows).strip().replace(b"\n", b",") + b"]"


def markup(rows: int) -> bytes:
    return b"<r>" + b"<row><number>1.5</number><text>aaaaaaaa</text></row>" * rows + b"</r>"


# What is kept as a whole, by each verb and format that does so.
KEEPING: dict[str, Callable[[int, Limits], Any]] = {
    "decode": lambda n, limits: penstock.json.decode(whole(n), limits=limits),
    "decode a class": lambda n, limits: penstock.json.decode(whole(n), list[Row], limits=limits),
    "decode a buffer": lambda n, limits: penstock.json.decode(bytearray(whole(n)), limits=limits),
    "load": lambda n, limits: penstock.json.load([whole(n)], limits=limits),
    "load lines": lambda n, limits: penstock.ndjson.load([ndjson(n)], Row, limits=limits),
    "load markup": lambda n, limits: penstock.xml.load([markup(n)], limits=limits),
    "load markup into a class": lambda n, limits: penstock.xml.load(
        [markup(n)], list[Row], limits=limits
    ),
    "open": lambda n, limits: penstock.json.open([whole(n)], limits=limits),
    "open bytes": lambda n, limits: penstock.json.open(whole(n), limits=limits),
    "one record": lambda n, limits: next(
        penstock.json.read([b'{"rows": ' + whole(n) + b"}"], limits=limits)
    ),
}


@pytest.mark.parametrize("name", KEEPING)
def test_100_what_is_kept_is_bounded(name: str) -> None:
    """Nothing bounded it, so that a small compressed document took all memory."""
    keep = KEEPING[name]
    limits = Limits(memory=1_000_000)
    keep(1_000, limits)
    with pytest.raises(LimitExceeded) as caught:
        keep(20_000, limits)
    assert caught.value.reason == (
        "the objects take more than 1000000 bytes of memory (limits.memory)"
    )
    assert caught.value.offset is not None
    # It is noticed when the bound is passed, and not at the end.
    assert caught.value.offset < 1_000_000
    keep(20_000, Limits(memory=None))


def test_100_streams_are_free() -> None:
    limits = Limits(memory=10_000)
    data = ndjson(20_000)
    assert sum(1 for _ in penstock.ndjson.read([data], Row, limits=limits)) == 20_000
    assert sum(1 for _ in penstock.json.read([whole(20_000)], limits=limits)) == 20_000
    assert sum(1 for _ in penstock.xml.read([markup(20_000)], limits=limits)) == 20_000
    decoder = penstock.Decoder(Row, format="ndjson", limits=limits)
    assert len(decoder.feed(data)) == 20_000


def test_100_what_is_skipped_does_not_count() -> None:
    @dataclass
    class Head:
        title: str

    data = b'{"rows": ' + whole(20_000) + b', "title": "x"}'
    assert penstock.json.load([data], Head, limits=Limits(memory=1_000)) == Head("x")
    assert penstock.json.decode(data, Head, limits=Limits(memory=1_000)) == Head("x")


def test_100_each_document_is_counted_by_itself() -> None:
    limits = Limits(memory=1_000)
    decoder = penstock.Decoder(list[int], limits=limits)
    for _ in range(100):
        assert decoder.decode(b"[1, 2, 3]") == [1, 2, 3]
    with pytest.raises(LimitExceeded):
        decoder.decode(b"[" + b"1," * 100 + b"2]")


def least(work: Callable[[Limits], object]) -> int:
    """Return the smallest limit under which the work ends."""
    low, high = 1, 1 << 24
    while low < high:
        middle = (low + high) // 2
        try:
            work(Limits(memory=middle))
        except LimitExceeded:
            low = middle + 1
        else:
            high = middle
    return low


@pytest.mark.thread_unsafe(reason="it measures the memory of the process")
@pytest.mark.parametrize(
    ("item", "into"),
    [
        (b"{}", list[Any]),
        (b"[]", list[Any]),
        (b"{}", list[Row]),
        (b'{"a":1.5}', list[Any]),
        (b"1.5", list[Any]),
        (b"123456789", list[Any]),
        (b'"' + b"text " * 50 + b'"', list[Any]),
        (('"' + "é漢" * 100 + '"').encode(), list[Any]),
        (b"1" * 4_000, list[Any]),
        (b'{"number":1.5,"text":"some text that is not short"}', list[Row]),
        (b'[{"a":[{}]}]', list[Any]),
    ],
)
def test_100_the_estimate_is_of_the_size_of_the_objects(item: bytes, into: Any) -> None:
    data = b"[" + b",".join([item] * 500) + b"]"
    tracemalloc.start()
    try:
        result = penstock.json.decode(data, into)
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(result) == 500
    estimate = least(lambda limits: penstock.json.decode(data, into, limits=limits))
    assert estimate / 4 < taken < 3 * estimate


@pytest.mark.parametrize("verb", ["load", "open", "read"])
def test_101_a_bomb_of_deflate_is_refused(verb: str) -> None:
    """The ratio that was allowed was one that deflate cannot reach."""
    packed = gzip.compress(b"[" + (b'"' + b"a" * (1 << 20) + b'",') * 20 + b"1]")
    assert len(packed) < 50_000
    with pytest.raises(LimitExceeded, match=r"more than 500 times its size \(limits\.ratio\)"):
        list(getattr(penstock.json, verb)([packed]))
    lifted = getattr(penstock.json, verb)([packed], limits=Limits(ratio=None))
    assert sum(1 for _ in lifted) == 21


PACKS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("body", [b"", b" "], ids=["empty", "small"])
@pytest.mark.parametrize("name", PACKS)
def test_102_any_number_of_small_members_is_read(name: str, body: bytes) -> None:
    """For each of bzip2's, megabytes were cleared: 273 KiB took four seconds.

    `allocator.rs` tests that large memory is cleared without being touched.
    """
    pack = PACKS[name]
    data = pack(b"[") + pack(body) * 2_000 + pack(b"1]")
    assert penstock.json.load([data]) == [1]
    assert list(penstock.json.read([data])) == [1]
    assert penstock.json.open([data]).to(list[int]) == [1]


@pytest.mark.parametrize("verb", ["load", "read", "open", "send", "events"])
@pytest.mark.parametrize("name", ["gzip, then zeros", "empty members", "nothing at all"])
def test_103_a_source_that_never_ends_can_be_interrupted(verb: str, name: str) -> None:
    """It went on for ever, and answered no signal, while nothing was decompressed."""
    done = finished(
        f"""
        import gzip, itertools, signal
        import penstock

        class Late(Exception): pass
        def late(*_): raise Late
        signal.signal(signal.SIGALRM, late)

        class Handler:
            def a(self, element): pass

        packed = gzip.compress(b"<a/>" if {verb!r} == "events" else b"[1]")
        endless = {{
            "gzip, then zeros": itertools.chain([packed], itertools.repeat(bytes(65536))),
            "empty members": itertools.repeat(gzip.compress(b"") * 3000),
            "nothing at all": itertools.repeat(b""),
        }}[{name!r}]
        signal.setitimer(signal.ITIMER_REAL, 0.3, 0.3)
        try:
            if {verb!r} == "send":
                penstock.json.send(endless, Handler())
            elif {verb!r} == "events":
                list(penstock.xml.events(endless))
            else:
                list(getattr(penstock.json, {verb!r})(endless))
        except Late:
            print("interrupted")
        """
    )
    assert done.stdout == "interrupted\n", done.stderr[-1000:]


def zipped(data: bytes, method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("a.json", data)
    return file.getvalue()


METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("method", METHODS)
def test_104_a_damaged_zip_is_a_decode_error(method: int, tmp_path: Path) -> None:
    """One changed byte made an OSError, a ValueError about a seek, or an IndexError."""
    good = zipped(b"[1, 2, 3]", method)
    path = tmp_path / "a.zip"
    outcomes: Counter[str] = Counter()
    messages: set[str] = set()
    for at, byte in itertools.product(range(len(good)), (0x00, 0x01, 0x7F, 0x80, 0xFF)):
        data = good[:at] + bytes([byte]) + good[at + 1 :]
        path.write_bytes(data)
        for source in (path, io.BytesIO(data)):
            try:
                value = penstock.json.load(source, member="a.json")
            except penstock.DecodeError:
                outcomes["refused"] += 1
            except ValueError as error:
                messages.add(str(error))
            else:
                outcomes["read"] += 1
                assert value == [1, 2, 3]
    assert all("exactly once; it holds" in it or "holds no file" in it for it in messages)
    assert outcomes["refused"] > 400
    assert outcomes["read"] > 400


def test_104_an_error_of_the_file_stays_one(tmp_path: Path) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            # The data comes behind a header of 30 bytes and the name.
            if self.tell() == 36:
                raise PermissionError(13, "no")
            return super().read(size)

    data = zipped(b"[1]", zipfile.ZIP_STORED)
    with pytest.raises(penstock.DecodeError, match="reading failed") as caught:
        penstock.json.load(Failing(data), member="a.json")
    assert isinstance(caught.value.__cause__, PermissionError)
    closed = io.BytesIO(zipped(b"[1]", zipfile.ZIP_STORED))
    closed.close()
    with pytest.raises(ValueError, match="closed file"):
        penstock.json.load(closed, member="a.json")
    with pytest.raises(FileNotFoundError):
        penstock.json.load(tmp_path / "no.zip")


def test_104_the_window_of_a_zip_is_limited() -> None:
    """`zipfile` allocated as much as the data asked for, up to 4 GiB."""
    good = zipped(b"[1, 2, 3]", zipfile.ZIP_LZMA)
    assert penstock.json.load(io.BytesIO(good), member="a.json") == [1, 2, 3]
    at = good.index(b"\x05\x00\x5d") + 3
    large = good[:at] + (129 << 20).to_bytes(4, "little") + good[at + 4 :]
    with pytest.raises(LimitExceeded) as caught:
        penstock.json.load(io.BytesIO(large), member="a.json")
    assert caught.value.reason == (
        "the zip data asks for a window of more than 134217728 bytes (limits.window)"
    )
    limits = Limits(window=1 << 20)
    with pytest.raises(LimitExceeded, match=r"limits\.window"):
        penstock.json.load(io.BytesIO(good), member="a.json", limits=limits)


@pytest.mark.parametrize("duplicates", ["last", "first"])
@pytest.mark.parametrize("into", [Any, dict[str, int], dict[int, int]])
def test_105_a_repeated_key_takes_no_room(duplicates: Any, into: Any) -> None:
    """The dict had room for each repetition: 2.6 MB for one key."""
    repeated = b'"1":1,' * 50_000
    data = b"{" + repeated + b'"2":3,"1":2}'
    value: Any = penstock.json.decode(data, into, duplicates=duplicates)
    one = 1 if duplicates == "first" else 2
    keys = (1, 2) if into == dict[int, int] else ("1", "2")
    assert value == dict(zip(keys, (one, 3), strict=True))
    assert list(value) == list(keys)
    assert sys.getsizeof(value) < 1_000
    kept = penstock.json.open(data, duplicates=duplicates).to(into)
    assert sys.getsizeof(kept) < 1_000


STARVED = """
    import resource
    import penstock
    from dataclasses import dataclass

    @dataclass
    class Row:
        number: int = 0
        text: str = ""

    def pieces(data):
        return (data[at:at + 65536] for at in range(0, len(data), 65536))

    rows = b",".join(b'{{"number": %d, "text": "some text"}}' % n for n in range(100_000))
    array = b"[" + rows + b"]"
    lines = rows.replace(b"}},", b"}}\\n")
    numbers = b"[" + b"1," * 5_000_000 + b"1]"
    escapes = b'["' + b"a\\\\n" * 5_000_000 + b'"]'
    markup = b"<r>" + b"<row><text>some text</text></row>" * 100_000 + b"</r>"
    prose = b"<a>" + b"a&lt;" * 4_000_000 + b"</a>"
    with open("/proc/self/statm") as statm:
        taken = int(statm.read().split()[0]) * 4096
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (taken + ({megabytes} << 20), most))
    try:
        {work}
    except MemoryError:
        print("MemoryError")
    else:
        print("result")
    # With no address space left the stack cannot grow either, and that is a SIGSEGV.
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    assert {work} is not None
    print("works")
"""


@pytest.mark.parametrize("backtrace", ["0", "1"])
@pytest.mark.parametrize(
    "work",
    [
        "penstock.json.decode(array)",
        "penstock.json.decode(numbers)",
        "penstock.json.decode(escapes)",
        "penstock.json.load(pieces(array), list[Row])",
        "penstock.json.open(pieces(array)).to(list[Row])",
        "penstock.ndjson.load(pieces(lines), Row)",
        "penstock.xml.load(pieces(markup))",
        "penstock.xml.load(pieces(prose), str)",
    ],
)
def test_106_without_memory_there_is_a_memory_error(work: str, backtrace: str) -> None:
    """The process ended: "memory allocation of 240 bytes failed". With a backtrace it could hang."""
    for megabytes in (1, 6):
        script = STARVED.format(work=work, megabytes=megabytes)
        done = finished(script, RUST_BACKTRACE=backtrace)
        assert (done.returncode, done.stdout) == (0, "MemoryError\nworks\n"), done.stderr[-1000:]
