"""Property lists, and the dicts that are made of them."""

from __future__ import annotations

import plistlib
import sys
from typing import Any, TypedDict

import pytest
from fresh import finished

import penstock

KEYS = ["one", "two", "three", "four", "five", "six", "seven"]


def grown(record: dict[str, int]) -> dict[str, int]:
    """The same dict, to which each key was added."""
    made: dict[str, int] = {}
    for key, value in record.items():
        made[key] = value  # noqa: PERF403 - a comprehension knows how many there are
    return made


def test_470_dicts_of_six_keys_and_more_are_copies() -> None:
    """Their pattern had keys of another layout, so each key was looked up, and they were larger."""
    record = dict.fromkeys(KEYS, 1)
    text = penstock.json.encode([record] * 50)
    made = penstock.json.decode(text)
    assert made == [record] * 50
    assert sys.getsizeof(made[-1]) == sys.getsizeof(grown(record))
    made[-1]["eight"] = 8
    assert list(made[-1]) == [*KEYS, "eight"]
    assert made[-2] == record

    kind: Any = TypedDict("Seven", dict.fromkeys(KEYS, int))  # type: ignore[misc]
    typed = penstock.json.decode(text, list[kind])
    assert typed == [record] * 50
    assert sys.getsizeof(typed[-1]) == sys.getsizeof(grown(record))


def test_471_a_bomb_of_lists_within_an_archived_object() -> None:
    """It took as long as the lists have elements when each is written out: for ever."""
    done = finished("""
        import plistlib
        from penstock import plist
        inner = [1]
        for _ in range(60):
            inner = [inner, inner]
        UID = plistlib.UID
        document = {
            "$archiver": "NSKeyedArchiver",
            "$version": 100000,
            "$top": {"root": UID(1)},
            "$objects": [
                "$null",
                {"$class": UID(2), "inner": inner, "other": {"a": inner}},
                {"$classname": "XYOther", "$classes": ["XYOther", "NSObject"]},
            ],
        }
        data = plistlib.dumps(document, fmt=plistlib.FMT_BINARY)
        assert len(data) < 1_000
        fields = plist.decode(data, archive=True).fields
        print(fields["inner"][0] is fields["inner"][1], fields["inner"] is fields["other"]["a"])
    """)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "True True\n"


def test_472_all_errors_of_an_archive() -> None:
    """It was ignored: the error had one problem, as if there were no other."""
    data = plistlib.dumps({}, fmt=plistlib.FMT_BINARY)
    for verb in (penstock.plist.decode, penstock.plist.load):
        given: Any = data if verb is penstock.plist.decode else [data]
        with pytest.raises(penstock.DecodeError, match="this is no keyed archive"):
            verb(given, archive=True, all_errors=True)
