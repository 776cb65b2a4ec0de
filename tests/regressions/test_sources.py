"""Bugs of sources that were fixed, by number."""

from __future__ import annotations

import pytest

import penstock


@pytest.mark.parametrize("size", [1, 3, 100])
def test_32_a_zstd_frame_that_is_shorter_than_it_declares_is_refused(size: int) -> None:
    # One segment of 31 bytes; a raw block of two bytes, and a last one without any.
    frame = b"\x28\xb5\x2f\xfd\x20\x1f" + b"\x10\0\0[]" + b"\x01\0\0"
    chunks = [frame[at : at + size] for at in range(0, len(frame), size)]
    with pytest.raises(penstock.MalformedInput, match="the zstd data is damaged"):
        penstock.json.load(chunks)
