"""What somebody with XML tries first: feeds, envelopes, tracks, markup in text."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest

import penstock
from penstock import at, times, via, xml

if TYPE_CHECKING:
    from pathlib import Path

ABSTRACT = (
    '<Abstract><AbstractText Label="AIM">In <i>vivo</i> H<sub>2</sub>O</AbstractText>'
    "<AbstractText>More.</AbstractText></Abstract>"
)


@dataclass
class Part:
    text: Annotated[str, at("string()")]
    label: Annotated[str | None, at("@Label")] = None


@dataclass
class OwnText:
    text: Annotated[str, at("text()")]


@dataclass
class Parts:
    parts: Annotated[list[Part], at("AbstractText")]


def test_text_with_markup_keeps_its_words_and_their_order() -> None:
    assert xml.decode(ABSTRACT, Parts).parts == [Part("In vivo H2O", "AIM"), Part("More.")]
    texts = list(xml.read([ABSTRACT.encode()], str, at="Abstract/AbstractText"))
    assert texts == ["In vivo H2O", "More."]


@pytest.mark.thread_unsafe(reason="warnings are the process's")
def test_text_that_is_left_out_is_said() -> None:
    owns = xml.read([ABSTRACT.encode()], OwnText, at="Abstract/AbstractText")
    with pytest.warns(penstock.MixedContentWarning, match=r"at\('string\(\)'\) takes all of it"):
        assert [own.text for own in owns] == ["In  HO", "More."]


@dataclass
class Texts:
    text: Annotated[list[str], at("//text()")]


def test_all_text_is_one_text_and_no_list() -> None:
    with pytest.raises(penstock.PlanError, match="is all text below the element, one text"):
        xml.decode(ABSTRACT, Texts)


@dataclass
class Reference:
    id: str


@dataclass
class Paragraph:
    parts: Annotated[list[str | Reference], at({"text()": str, "xref": Reference})]


@dataclass
class WithAny:
    parts: Annotated[list[str | Reference | Any], at({"text()": str, "xref": Reference, "*": Any})]


def test_markup_that_a_class_does_not_name_stays_as_text_or_as_a_dict() -> None:
    text = '<p>See <italic>x <b>y</b></italic> and <xref id="1"/>.</p>'
    assert xml.decode(text, Paragraph).parts == ["See x y and ", Reference("1"), "."]
    found = xml.decode(text, WithAny).parts
    assert found == ["See ", {"b": "y", "#text": "x"}, " and ", Reference("1"), "."]


MailTime = Annotated[datetime, via(parsedate_to_datetime, str)]


@dataclass
class Entry:
    title: str
    updated: datetime | None = None


@dataclass
class Item:
    title: str
    published: Annotated[MailTime | None, at("pubDate")] = None


def test_rss_and_atom_are_two_kinds_of_records() -> None:
    rss = b"<rss><channel><item><title>A</title><pubDate>Sun, 01 Mar 2026 12:00:00 GMT</pubDate></item>"
    rss += b"<item><title>B</title></item></channel></rss>"
    atom = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>C</title><updated>2026-03-01T12:00:00Z</updated></entry></feed>'
    kinds: Any = {"rss/channel/item": Item, "feed/entry": Entry}
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert list(xml.read([rss], at=kinds)) == [Item("A", noon), Item("B")]
    assert list(xml.read([atom], at=kinds)) == [Entry("C", noon)]
    with pytest.raises(
        TypeError, match="no option namespaces=: it is one of the functions of pens"
    ):
        penstock.read("feed.xml", namespaces={})  # type: ignore[call-overload]


@dataclass
class Answer:
    rate: Annotated[Decimal | None, at("Body/Rate")] = None


def test_a_page_of_html_is_told_from_an_envelope() -> None:
    html = b"<html><body>502</body></html>"
    assert xml.decode(html, Answer) == Answer(None)
    with pytest.raises(penstock.ValidationError, match='there is nothing at "Envelope"'):
        next(xml.read([html], Answer, at="Envelope", empty="error"))
    with pytest.raises(
        penstock.ValidationError, match="expected the root element 'Envelope', found"
    ):
        xml.decode(html, Answer, root="Envelope")


@dataclass
class Track:
    lat: float
    pulse: Annotated[int | None, at("extensions/*:TrackPointExtension/*:hr")] = None


GPX = """<gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:t="urn:t"><trk><trkseg>
<trkpt lat="46.95"><extensions><t:TrackPointExtension><t:hr>61</t:hr></t:TrackPointExtension>
</extensions></trkpt></trkseg></trk></gpx>"""


@pytest.mark.thread_unsafe(reason="warnings are the process's")
def test_a_path_that_matches_nothing_can_be_an_error_or_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "run.gpx.xml"
    path.write_text(GPX)
    assert penstock.columns(path, Track, at="//trkpt").to_polars().rows() == [(46.95, 61)]
    with pytest.warns(penstock.EmptyWarning, match='there is nothing at "gpx/trkpt"'):
        assert list(penstock.read(path, Track, at="gpx/trkpt")) == []
    with pytest.raises(penstock.ValidationError, match='there is nothing at "gpx/trkpt"'):
        list(penstock.read(path, Track, at="gpx/trkpt", empty="error"))
    assert list(penstock.read(path, Track, at="gpx/trkpt", empty="allow")) == []


@dataclass
class Node:
    tags: Annotated[dict[str, str], at("tag", key="@k", value="@v")] = field(default_factory=dict)


def test_elements_of_a_key_and_a_value_are_a_dict() -> None:
    text = b'<osm><node><tag k="name" v="Bern"/></node><node/></osm>'
    nodes = list(xml.read([text], Node, at="osm/node"))
    assert [node.tags for node in nodes] == [{"name": "Bern"}, {}]


XSI = {"xsi": "http://www.w3.org/2001/XMLSchema-instance"}


@dataclass
class Card:
    number: str
    type: Annotated[Literal["Card"], at("@xsi:type")] = "Card"


@dataclass
class Account:
    iban: str
    type: Annotated[Literal["Account"], at("@xsi:type")] = "Account"


@dataclass
class Payment:
    by: Card | Account


def test_xsi_type_tells_classes_apart_by_a_literal_field() -> None:
    text = f'<Payment xmlns:x="{XSI["xsi"]}"><by x:type="Account"><iban>CH93</iban></by></Payment>'
    assert xml.decode(text, Payment, namespaces=XSI) == Payment(Account("CH93"))
    with pytest.raises(penstock.PlanError, match="'xsi' is not among the namespaces"):
        xml.decode(text, Payment)


@dataclass
class Health:
    begin: Annotated[datetime, at("@startDate"), times("%Y-%m-%d %H:%M:%S %z")]


def test_faults_of_other_programs_are_named_and_can_be_repaired() -> None:
    for fault, message in [
        ("R&D", "a '&' itself is written '&amp;'"),
        ("1&nbsp;kg", "'nbsp' is not declared; repair='html_entity' takes those of HTML"),
        ("\x01", r"the character U\+0001 is not allowed in XML"),
    ]:
        with pytest.raises(penstock.MalformedInput, match=message):
            xml.decode(f"<a>{fault}</a>", str)
    lax: Any = ["bare_ampersand", "html_entity", "control_character"]
    reader = xml.read([b"<r><a>R&D</a><a>1&nbsp;kg</a><a>\x01</a></r>"], str, repair=lax)
    assert list(reader)[:2] == ["R&D", "1\xa0kg"]
    assert reader.repair_counts == dict.fromkeys(lax, 1)
    record = b'<HealthData><Record startDate="2026-03-01 08:00:00 +0000"/></HealthData>'
    begins = [each.begin for each in xml.read([record], Health, at="HealthData/Record")]
    assert begins == [datetime(2026, 3, 1, 8, tzinfo=UTC)]
