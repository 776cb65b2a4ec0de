"""What text means: markup in it, white space, encodings, entities, durations and UUIDs."""

from __future__ import annotations

import datetime
import html.entities
import io
import uuid
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import penstock
from penstock import at, plist, separated, xml


@dataclass
class Bold:
    text: Annotated[str, at("text()")]


MIXED = "<p>Hello <b>big</b> wo<u>nd</u>erful world</p>"


def test_730_all_text_below_an_element_is_in_the_order_of_the_document() -> None:
    """`at("//text()")` was an error for `str`, and the text of inner elements came first."""

    @dataclass
    class All:
        text: Annotated[str, at("//text()")]
        lang: Annotated[str, at("@lang")]

    found = xml.decode('<p lang="en">Hello <b>big <i>red</i></b> world</p>', All)
    assert found == All("Hello big red world", "en")
    assert xml.decode(xml.encode(found, root="p"), All) == found

    @dataclass
    class Several:
        text: Annotated[list[str], at("//text()")]

    with pytest.raises(penstock.PlanError, match="all text below the element, one text"):
        xml.decode("<p/>", Several)


def test_731_text_of_unlisted_elements_is_part_of_the_run_around_it() -> None:
    """In mixed content, the text of an element that the mapping does not name was lost."""

    @dataclass
    class Mixed:
        parts: Annotated[list[str | Bold], at({"text()": str, "b": Bold})]

    @dataclass
    class Others:
        parts: Annotated[list[Any], at({"text()": str, "b": Bold, "*": Any})]

    assert xml.decode(MIXED, Mixed).parts == ["Hello ", Bold("big"), " wonderful world"]
    every = ["Hello ", Bold("big"), " wo", "nd", "erful world"]
    assert xml.decode(MIXED, Others).parts == every
    with pytest.raises(penstock.ValidationError, match="no field for the element 'u'"):
        xml.decode(MIXED, Mixed, unknown="error")


def test_733_items_separated_by_any_white_space() -> None:
    """Lists as XML Schema writes them could not be declared."""

    @dataclass
    class Ring:
        x: Annotated[list[float], separated(None)]

    expected = Ring([1.5, 2.5, 3.5])
    assert xml.decode("<r><x>\n 1.5  2.5\t\r\n3.5 </x></r>", Ring) == expected
    assert xml.decode('<r x=" 1.5 2.5  3.5"/>', Ring) == expected
    assert penstock.csv.decode("x\n 1.5  2.5 3.5 \n", Ring) == [expected]
    assert xml.decode("<r><x> </x></r>", Ring) == Ring([])
    assert b"1.5 2.5 3.5" in xml.encode(expected)
    assert penstock.csv.encode([expected]) == b"x\n1.5 2.5 3.5\n"
    assert repr(separated(None)) == "separated(None)"

    @dataclass
    class Words:
        x: Annotated[list[str], separated(None)]

    for words, reason in (["a b"], "white space in it"), ([""], "empty item"):
        with pytest.raises(penstock.EncodeError, match=reason):
            xml.encode(Words(words))


@pytest.mark.parametrize(
    ("declared", "real"), [("utf-16", "utf-8"), ("UTF-8", "latin1"), ("x-none", "utf-8")]
)
def test_734_a_given_encoding_overrules_the_declaration(declared: str, real: str) -> None:
    """`encoding=` had no effect where the document says another one."""
    text = f'<?xml version="1.0" encoding="{declared}"?><r><a>é</a></r>'.encode(real)
    assert list(xml.read([text], str, at="r/a", encoding=real)) == ["é"]
    assert xml.decode(text, encoding=real) == {"r": {"a": "é"}}
    marked = b"\xef\xbb\xbf" + "<r>é</r>".encode()
    assert xml.decode(marked, encoding="latin1") == {"r": "é"}


def test_735_property_lists_in_xml_are_repaired() -> None:
    """`repair=` was not known to `penstock.plist`."""
    text = b"<plist><array><string>a\x05b</string><string>R&D</string></array></plist>"
    with pytest.warns(penstock.RepairWarning, match="2 repairs"):
        assert plist.decode(text, repair=["control_character", "bare_ampersand"]) == ["ab", "R&D"]
    with plist.read([text], str, repair="all") as reader:
        assert list(reader) == ["ab", "R&D"]
    assert reader.repair_counts == {"control_character": 1, "bare_ampersand": 1}
    with pytest.raises(ValueError, match="repair= is for property lists in XML"):
        plist.decode(b"(a)", form="openstep", repair="all")
    with pytest.warns(penstock.RepairWarning, match="2 repairs"):
        assert plist.load(io.BytesIO(text), list[str], repair="all") == ["ab", "R&D"]
    decoder = plist.Decoder(str, at="*", repair="all")
    assert [*decoder.feed(text[:-20]), *decoder.feed(text[-20:]), *decoder.finish()] == [
        "ab",
        "R&D",
    ]
    out = io.BytesIO()
    counts = penstock.convert(
        io.BytesIO(text), out, format="plist", to="json", repair="all"
    ).repair_counts
    assert (out.getvalue(), counts) == (b'["ab","R&D"]', reader.repair_counts)

    found: list[object] = []

    class Handler:
        def k(self, element: penstock.Element) -> None:
            found.append(element.attributes["v"])

    text = b"<plist><dict><key>k</key><dict><key>v</key><string>R&D</string></dict></dict></plist>"
    with pytest.warns(penstock.RepairWarning, match="1 repair"):
        plist.send(io.BytesIO(text), Handler(), repair="all")
    assert found == ["R&D"]


def test_736_entities_of_html_are_repaired() -> None:
    """Feeds with `&nbsp;` and no declaration could not be read."""
    reader = xml.read([b"<r><t a='&eacute;'>it&rsquo;s&nbsp;x</t></r>"], repair="html_entity")
    assert list(reader) == [{"@a": "é", "#text": "it\u2019s\u00a0x"}]
    assert reader.repair_counts == {"html_entity": 3}
    own = "<!DOCTYPE r [<!ENTITY nbsp '_'>]><r>&nbsp;</r>"
    assert xml.decode(own, str, repair="html_entity") == "_"
    with pytest.raises(penstock.MalformedInput, match="'none' is not declared"):
        xml.decode("<r>&none;</r>", repair="html_entity")


def test_737_every_name_of_html_has_its_characters() -> None:
    """As `test_736`: the table is that of the standard."""
    for name, text in html.entities.html5.items():
        if name.endswith(";") and name not in {"lt;", "gt;", "amp;", "quot;", "apos;"}:
            with pytest.warns(penstock.RepairWarning):
                assert xml.decode(f"<r>&{name}</r>", str, repair="html_entity") == text


def test_738_octal_escapes_above_the_encoding_are_refused() -> None:
    r"""`\400` to `\777` are no characters of NEXTSTEP's encoding."""
    for escape in (r"\400", r"\777"):
        with pytest.raises(penstock.MalformedInput, match="no character of the NEXTSTEP encoding"):
            plist.decode(f'"{escape}"')


def test_739_fractions_and_weeks_in_durations() -> None:
    """`PT0.5H` and `P1W2D`, which ISO 8601 has, were refused."""
    for text, expected in [
        ("PT0.5H", datetime.timedelta(minutes=30)),
        ("P1W2D", datetime.timedelta(days=9)),
        ("-P0.5W", datetime.timedelta(days=-3.5)),
    ]:
        assert penstock.json.decode(f'"{text}"', datetime.timedelta) == expected
        assert xml.decode(f"<a>{text}</a>", datetime.timedelta) == expected
    with pytest.raises(penstock.ValidationError, match="only the last unit may have a fraction"):
        penstock.json.decode('"PT0.5H1M"', datetime.timedelta)


def test_740_other_spellings_of_uuids() -> None:
    """`urn:uuid:` and braces, which `uuid.UUID` takes, were refused."""
    expected = uuid.UUID(int=0x1234_5678_9ABC)
    for text in (f"urn:uuid:{expected}", f"{{{expected}}}", str(expected), expected.hex):
        assert penstock.json.decode(f'"{text}"', uuid.UUID) == expected
        assert xml.decode(f"<a>{text}</a>", uuid.UUID) == expected
    assert penstock.json.encode(expected) == f'"{expected}"'.encode()
