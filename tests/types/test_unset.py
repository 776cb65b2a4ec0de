"""`UNSET`: a field whose key is not there, beside one that is null."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass

import attrs
import pytest

import penstock
from penstock import UNSET, UnsetType


@dataclass
class Change:
    name: str | UnsetType = UNSET
    phone: str | UnsetType | None = UNSET
    n: int = 0


def test_absent_and_null_are_two_things() -> None:
    assert penstock.decode("{}", Change) == Change()
    change = penstock.decode('{"phone": null}', Change)
    assert change.name is UNSET
    assert change.phone is None
    with pytest.raises(penstock.ValidationError, match="expected str, got null"):
        penstock.decode('{"name": null}', Change)


@pytest.mark.parametrize(
    "change", [Change(), Change("a"), Change("a", None), Change(UNSET, "x", 5), Change(UNSET, None)]
)
def test_what_is_unset_is_left_out(change: Change) -> None:
    text = penstock.json.encode(change)
    assert (b"name" in text, b"phone" in text) == (
        change.name is not UNSET,
        change.phone is not UNSET,
    )
    assert penstock.json.decode(text, Change) == change
    values = penstock.plain(change)
    assert ("name" in values) == (change.name is not UNSET)
    assert penstock.make(values, Change) == change
    assert penstock.make(vars(change), Change) == change
    assert penstock.make(change.__class__(**vars(change)), Change, from_attributes=True) == change


def test_xml_and_property_lists() -> None:
    change = Change("a")
    assert penstock.xml.decode(penstock.xml.encode(change, Change), Change) == change
    assert penstock.plist.decode(penstock.plist.encode(change, Change), Change) == change


def test_other_classes() -> None:
    @attrs.define
    class Attrs:
        a: int | UnsetType = UNSET

    assert penstock.decode("{}", Attrs) == Attrs()
    assert penstock.json.encode(Attrs()) == b"{}"
    assert penstock.json.encode(Attrs(1)) == b'{"a":1}'


def test_there_is_one() -> None:
    assert UnsetType() is UNSET
    assert pickle.loads(pickle.dumps(UNSET)) is UNSET
    assert copy.copy(UNSET) is copy.deepcopy(UNSET) is UNSET
    assert not UNSET
    assert repr(UNSET) == "UNSET"
    with pytest.raises(TypeError, match="no subclasses"):
        type("Other", (UnsetType,), {})
