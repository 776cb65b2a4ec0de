"""Property lists to other formats and back, and every form to every form."""

from __future__ import annotations

import datetime
import itertools
import plistlib
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock import plist

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock._base.types import PlistForm

MOMENT = datetime.datetime(2026, 11, 23, 8, 30)  # noqa: DTZ001 - plistlib's are naive
VALUE: dict[str, Any] = {
    "name": "Bär & Co",
    "sizes": [1, -(2**63), 2**64 - 1, 2.5],
    "open": True,
    "seen": MOMENT,
    "key": b"\x00\xff",
    "nested": {"a": {"b": []}, "": ""},
}
TEXT: dict[str, Any] = {"name": "Bär", "of": ["a b", "", {"k": "v"}], "raw": b"\x01\x02"}
TYPED: list[PlistForm] = ["binary", "xml", "gnustep"]


def converted(data: bytes, form: PlistForm | None, **options: Any) -> bytes:
    """The data in another form."""
    out: list[bytes] = []
    penstock.convert([data], out.append, format="plist", to="plist", to_form=form, **options)
    return b"".join(out)


@pytest.mark.parametrize(("one", "other"), list(itertools.product(TYPED, TYPED)))
def test_forms_with_types(one: PlistForm, other: PlistForm) -> None:
    there = converted(plist.encode(VALUE, form=one), other)
    assert there == plist.encode(VALUE, form=other)
    assert plist.decode(converted(there, one)) == plist.decode(plist.encode(VALUE))


@pytest.mark.parametrize("other", [*TYPED, "openstep"])
def test_openstep_has_strings_and_data(other: PlistForm) -> None:
    there = converted(plist.encode(TEXT, form="openstep"), other)
    assert there == plist.encode(TEXT, form=other)
    assert converted(there, "openstep") == plist.encode(TEXT, form="openstep")


def test_every_file(corpus: Callable[[str], Path]) -> None:
    done = 0
    for path in sorted(corpus("plist").rglob("*")):
        if path.suffix not in {".plist", ".bplist", ".xml"} or path.is_dir():
            continue
        data = path.read_bytes()
        try:
            value = plist.decode(data)
        except penstock.DecodeError:
            continue
        binary, xml = converted(data, "binary"), converted(data, "xml")
        assert plist.decode(binary) == plist.decode(xml) == value, path.name
        # That file has a key twice, and a conversion keeps both.
        assert xml == plist.encode(value) or path.name == "empty_keys.plist", path.name
        done += 1
    assert done >= 45


def test_sorted_keys_are_those_of_plistlib() -> None:
    data = plist.encode(VALUE, form="binary")
    assert converted(data, "xml", sort_keys=True) == plistlib.dumps(VALUE)


def test_what_a_form_cannot_hold_has_its_place() -> None:
    with pytest.raises(penstock.ValidationError) as caught:
        converted(plist.encode({"a": [True]}), "openstep")
    assert str(caught.value) == (
        "line 7, column 3: an OpenStep property list has no booleans (at a/0)"
    )
    out: list[bytes] = []
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.convert([b'{"a": [1, null]}'], out.append, format="json", to="plist")
    assert str(caught.value) == "line 1, column 11: a property list has no null (at a/1)"


def test_options_are_those_of_the_target(tmp_path: Path) -> None:
    source, target = tmp_path / "a.json", tmp_path / "b.strings.gz"
    source.write_text('{"a": "b c"}')
    penstock.convert(source, target)
    assert penstock.load(target) == {"a": "b c"}
    with pytest.raises(TypeError, match="to_form= is no option for a target of the format 'json'"):
        penstock.convert(source, tmp_path / "c.json", to_form="xml")
    with pytest.raises(ValueError, match="form must be 'binary', 'xml', 'openstep', "):
        penstock.convert(source, tmp_path / "c.plist", to_form="yaml")  # type: ignore[arg-type]
