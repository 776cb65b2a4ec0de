"""What somebody with files of Apple tries first."""

from __future__ import annotations

import plistlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import pytest

import penstock
from penstock import at, plist

if TYPE_CHECKING:
    from pathlib import Path

LIBRARY = {"Tracks": {"17": {"Name": "Fog"}, "23": {"Name": "Rain"}}}


@dataclass
class Track:
    number: Annotated[str, at("key()")]
    name: Annotated[str, at("Name")]


def test_a_library_named_xml_is_a_property_list_for_every_verb(tmp_path: Path) -> None:
    path = tmp_path / "iTunes Library.xml"
    path.write_bytes(plistlib.dumps(LIBRARY))
    assert penstock.load(path) == penstock.decode(path.read_bytes()) == LIBRARY
    assert list(penstock.read(path, at="Tracks/*")) == [{"Name": "Fog"}, {"Name": "Rain"}]
    frame = penstock.columns(path, Track, at="Tracks/*").to_polars()
    assert frame.rows() == [("17", "Fog"), ("23", "Rain")]
    with path.open("rb") as file:
        assert penstock.load(file) == LIBRARY


def test_a_binary_file_becomes_xml_unless_its_form_is_said(tmp_path: Path) -> None:
    path = tmp_path / "Info.plist"
    path.write_bytes(plistlib.dumps({"Version": "7"}, fmt=plistlib.FMT_BINARY))
    binary = path.read_bytes()
    plist.dump(plist.load(path), path, form="binary")
    assert path.read_bytes() == binary
    penstock.dump(penstock.load(path), path)
    assert plistlib.loads(path.read_bytes()) == {"Version": "7"}
    assert path.read_bytes().startswith(b"<?xml")


def test_a_signed_profile_leads_to_openssl(tmp_path: Path) -> None:
    path = tmp_path / "wifi.mobileconfig"
    signed = bytes.fromhex("308205790609 2a864886f70d010702 a082056a") + b"\0" * 40
    path.write_bytes(signed)
    with pytest.raises(ValueError, match=r"wifi\.mobileconfig' is signed: 'openssl cms -verify"):
        penstock.load(path)
    with pytest.raises(
        penstock.MalformedInput, match=r"^line 1, column 1: this is signed data: 'openssl cms"
    ):
        plist.decode(signed)
    with pytest.raises(penstock.MalformedInput, match=r"this is signed data"):
        list(plist.read([signed[:1], signed[1:]]))


def test_an_archive_is_opened_by_the_module_of_its_format(tmp_path: Path) -> None:
    path = tmp_path / "state.plist"
    uid = plistlib.UID
    archive = {
        "$archiver": "NSKeyedArchiver",
        "$version": 100000,
        "$top": {"root": uid(1)},
        "$objects": ["$null", "Fog"],
    }
    path.write_bytes(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY))
    assert plist.load(path, archive=True) == "Fog"
    with pytest.raises(TypeError, match=r"no option archive=: it is one of the functions of penst"):
        penstock.load(path, archive=True)  # type: ignore[call-overload]


def test_strings_in_utf_16_are_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "Localizable.strings"
    path.write_bytes('"greeting" = "Grüezi";\n'.encode("utf-16"))
    assert penstock.load(path, dict[str, str], encoding="utf-16") == {"greeting": "Grüezi"}
    penstock.dump({"greeting": "Ciao"}, path)
    assert path.read_text() == '"greeting" = "Ciao";\n'
