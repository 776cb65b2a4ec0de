"""Bugs of writing records that were fixed, by number."""

from typing import Any

import pytest

import penstock
from penstock import EncodeError


@pytest.mark.parametrize("values", [{"n": 1}, "text", b"bytes", bytearray(b"bytes")])
def test_330_one_record_is_not_written_as_the_records_that_it_could_be_taken_for(
    values: Any,
) -> None:
    """A dict was written as its keys, and a text as its letters."""
    kind = type(values).__name__
    with pytest.raises(TypeError) as raised:
        penstock.ndjson.encode(values)
    assert str(raised.value) == f"encode() takes an iterable of records, not {kind}"
    with pytest.raises(TypeError) as raised:
        penstock.ndjson.dump(values, print)
    assert str(raised.value) == f"write_all() takes an iterable of records, not {kind}"


def test_331_an_error_says_which_record_it_is() -> None:
    """Of many lines, only the place in the line was told."""
    with pytest.raises(EncodeError) as raised:
        penstock.ndjson.encode([{"n": 1}, {"n": 2}, {"n": float("nan")}])
    error = raised.value
    assert str(error) == "['n']: JSON has no number for NaN (record 3)"
    assert (error.path, error.record) == ("['n']", 3)
