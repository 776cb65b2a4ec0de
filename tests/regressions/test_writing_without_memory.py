"""A lack of memory while something is written, or an index is made: it ended the process."""

from __future__ import annotations

import pytest
from fresh import finished

pytestmark = pytest.mark.thread_unsafe(reason="requests of all threads are counted together")


@pytest.mark.parametrize(
    "work",
    [
        "json.encode(NESTED)",
        "json.encode({f'{n:05}': n for n in range(2_500, 0, -1)}, sort_keys=True)",
        "json.encode(dict.fromkeys(range(2_500)))",
        "appended(None)",
        "appended('gzip')",
        "appended('bzip2')",
        "opened(None)",
        "opened(True)",
    ],
    ids=["depth", "sorted", "keys", "append", "gzip", "bzip2", "lines", "index"],
)
def test_301_no_memory_for_what_is_written(work: str, tmp_path: object) -> None:
    """The process ended, or the compressor's panic was told as a fault of Penstock."""
    done = finished(f"""
        import penstock
        from penstock import _rust, json, ndjson
        from penstock._base import sidecar
        from penstock._io import targets
        from penstock._parts import rows
        NESTED = 1
        for _ in range(900):
            NESTED = [NESTED]
        PATH = {str(tmp_path)!r} + "/lines.ndjson"
        with open(PATH, "wb") as file:
            file.write(b'{{"number": 1}}\\n' * 40_000)

        def appended(compression):
            path = PATH + "." + str(compression)
            for append in (False, True):
                with ndjson.write(path, append=append, compression=compression) as writer:
                    writer.write(1)

        def opened(index):
            with ndjson.open(PATH, index=index) as rows:
                return rows[39_999], list(rows[5:9])

        {work}
        for n in range(1, 200):
            _rust.fail_request(n, 4096)
            try:
                {work}
            except MemoryError:
                ended = "MemoryError"
            else:
                ended = "result"
            if _rust.fail_request(0, 0) < n:
                break
            {work}
        print(n > 1, ended)
    """)
    assert (done.returncode, done.stdout) == (0, "True result\n"), done.stderr
