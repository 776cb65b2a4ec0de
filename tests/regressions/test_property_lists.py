"""Property lists."""

from __future__ import annotations

import plistlib
from typing import Any

import pytest
from fresh import finished

import penstock


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
    message = "all_errors= is not for archive=True, which reports the first problem"
    for verb in (penstock.plist.decode, penstock.plist.load):
        given: Any = data if verb is penstock.plist.decode else [data]
        with pytest.raises(ValueError, match=f"^{message}$"):
            verb(given, archive=True, all_errors=True)
