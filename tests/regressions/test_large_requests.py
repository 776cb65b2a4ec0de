"""Buffers whose size the input decides: without memory for them, the process ended."""

from __future__ import annotations

import gzip
from bz2 import compress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from fresh import finished

import penstock
from penstock import _rust
from penstock._io import formats as _formats

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.thread_unsafe(reason="requests of all threads are counted together")


@dataclass
class Row:
    number: int = 0


def failing(work: Callable[[], object]) -> list[str]:
    """Let the large requests of some work fail one by one; return how each attempt ended."""
    ended: list[str] = []
    for n in range(1, 1_000):
        _rust.fail_request(n, 4096)
        said = "result"
        try:
            work()
        except MemoryError:
            said = "MemoryError"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at
            said = repr(error)
        finally:
            seen = _rust.fail_request(0, 0)
        if seen < n:
            return ended
        ended.append(said)
    return [*ended, "no end"]


@pytest.mark.parametrize("pack", [gzip.compress, compress], ids=["gzip", "bzip2"])
def test_270_a_decoder_for_which_there_is_no_memory(
    pack: Callable[[bytes], bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    """It was reported as a fault of Penstock, or as damaged data."""
    data = pack(b"[1, 2]")
    ended = failing(lambda: penstock.json.load([data]))
    assert len(ended) > 1
    assert set(ended) == {"MemoryError"}
    assert penstock.json.load([data]) == [1, 2]
    # Nor does the decoder's panic print anything.
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "work",
    [
        'penstock.json.open([b"[" * 900 + b"]" * 900])',
        'penstock.json.open(b"{" + b",".join(b\'"name%d": 1\' % n for n in range(5000)) + b"}")',
        'penstock.xml.decode(b"<some-name>" * 900 + b"</some-name>" * 900)',
        'penstock.json.decode(("[" + "1," * 9000 + "1]").encode("utf-16"), encoding="utf-16")',
    ],
    ids=["depth", "keys", "elements", "encoding"],
)
def test_271_no_memory_for_what_grows_with_the_input(work: str) -> None:
    """It ended the process."""
    done = finished(f"""
        import penstock
        from penstock import _rust
        for n in range(1, 100):
            _rust.fail_request(n, 4096)
            try:
                {work}
            except MemoryError:
                ended = "MemoryError"
            else:
                ended = "result"
            if _rust.fail_request(0, 0) < n:
                break
            assert ended == "MemoryError", (n, ended)
        print(n > 1, ended)
    """)
    assert (done.returncode, done.stdout) == (0, "True result\n"), done.stderr


def test_272_unknown_keys_are_bounded_in_bytes() -> None:
    """A thousand keys of any length were kept."""
    lines = b"".join(b'{"%d%s": 1}\n' % (n, b"k" * 200_000) for n in range(10))
    short = b'{"short": 1}\n' * 2
    huge = b'{"%s": 1}\n' % (b"h" * 2_000_000)
    reader = penstock.ndjson.read([lines + short + huge], Row, unknown="collect")
    assert len(list(reader)) == 13
    assert reader.unknown == {
        **{f"Row.{n}{'k' * 200_000}": 1 for n in range(5)},
        "Row.short": 2,
        "...": 6,
    }


def test_273_prefixes_of_an_outline_are_shortened() -> None:
    """Names were, and what stands before the colon was kept as it is."""
    data = b"<%s:a xmlns:%s='u'/>" % (b"p" * 5_000, b"p" * 5_000)
    source = _rust.Source([data], None, None, "infer")
    policy = _rust.Policy("raise", 1, "last", "skip", False, "allow")
    rows, omitted, _ = _rust.outline(_formats.dialect("xml"), source, policy)
    assert rows[0][0] == "p" * 60 + "\u2026:a"
    assert omitted == 0
