"""Bugs of columns that were fixed, as in `test_regressions.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

import penstock


@dataclass
class Numbered:
    number: Annotated[int, penstock.at("@number")]
    name: str = ""


@pytest.mark.parametrize(
    ("inside", "path"),
    [
        ("<unknown>&bad;</unknown>", "r/f"),
        ("<name>n</name><unknown>&bad;</unknown>", "r/f"),
        ("<unknown/><name>&bad;</name>", "r/f/name"),
    ],
)
def test_480_a_fault_in_an_unknown_element_is_not_in_the_one_before(inside: str, path: str) -> None:
    """With columns, the path named the element before it."""
    document = f"<r><f number='1'>{inside}</f></r>"
    with pytest.raises(penstock.MalformedInput) as caught:
        list(penstock.xml.read([document.encode()], Numbered, at="r/f").columns())
    assert caught.value.path == path
