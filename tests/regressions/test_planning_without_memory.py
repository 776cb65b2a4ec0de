"""A lack of memory while a class is planned: the class was taken for another one."""

from __future__ import annotations

import pytest
from fresh import finished

pytest.importorskip("_testcapi")
pytestmark = pytest.mark.thread_unsafe(reason="what fails is a process of its own")


@pytest.mark.parametrize(
    "of",
    [
        "collections.deque[int]",
        "collections.OrderedDict[str, int]",
        "collections.defaultdict[str, int]",
        "zoneinfo.ZoneInfo",
        "Stack",
    ],
)
def test_300_a_class_whose_module_cannot_be_told(of: str) -> None:
    """It was refused: `collections.deque is not supported yet`."""
    done = finished(f"""
        import collections, gc, zoneinfo
        from _testcapi import remove_mem_hooks, set_nomemory
        import penstock
        from penstock import Plan
        from penstock._annotations import conversions

        class Stack(collections.deque):
            pass

        class Never:
            pass

        def planned():
            return repr(Plan({of}, types={{Never: Never}}))

        expected = planned()
        ended = set()
        for n in range(1_000):
            set_nomemory(n, n + 1)
            try:
                try:
                    made = Plan({of}, types={{Never: Never}})
                finally:
                    remove_mem_hooks()
            except MemoryError:
                ended.add("MemoryError")
            else:
                ended.add("as usual" if repr(made) == expected else repr(made))
        print(sorted(ended))
    """)
    assert (done.returncode, done.stdout) == (0, "['MemoryError', 'as usual']\n"), done.stderr
