"""What stands for what: XML in JSON, JSON in XML, records in lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import converted, documents
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, ValidationError

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def test_plain_xml_is_what_decode_makes_of_it(corpus: Callable[[str], Path]) -> None:
    compared = 0
    for path in documents(corpus, ["xml/xmlconf", "xml/attacks", "xml/pubmed", "xml/real"]):
        try:
            expected = penstock.load(path, format="xml")
        except DecodeError:
            with pytest.raises(DecodeError):
                converted(path.read_bytes(), "xml", "json")
            continue
        text = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
        assert converted(path.read_bytes(), "xml", "json") == text, path
        lists = penstock.xml.load(path, force_list=True)
        text = json.dumps(lists, ensure_ascii=False, separators=(",", ":"))
        assert converted(path.read_bytes(), "xml", "json", force_list=True) == text, path
        compared += 1
    assert compared > 350


def test_records_of_xml_are_what_read_makes_of_them(corpus: Callable[[str], Path]) -> None:
    path = corpus("xml/pubmed") / "pubmed1.xml"
    at = "PubmedArticleSet/PubmedArticle"
    expected = [*penstock.read(path, at=at)]
    assert len(expected) > 1
    lines = converted(path.read_bytes(), "xml", "ndjson", at=at).splitlines()
    assert [json.loads(line) for line in lines] == expected
    array = converted(path.read_bytes(), "xml", "json", at=at)
    assert json.loads(array) == expected
    # Without a path, they are the children of the root.
    assert [
        json.loads(line) for line in converted(path.read_bytes(), "xml", "ndjson").splitlines()
    ] == [*penstock.read(path)]


def refusal(data: bytes) -> DecodeError | None:
    try:
        penstock.decode(data, format="json")
    except DecodeError as error:
        return error
    return None


def test_json_of_the_corpus(corpus: Callable[[str], Path]) -> None:
    compared = 0
    for path in documents(corpus, ["json/JSONTestSuite", "json/examples"]):
        data = path.read_bytes()
        if path.suffix != ".json":
            continue
        expected = refusal(data)
        if isinstance(expected, ValidationError):
            # A number that is no double: its digits stay.
            assert json.loads(converted(data, "json", "json"), parse_float=str)
            continue
        if expected is not None:
            with pytest.raises(type(expected)) as caught:
                converted(data, "json", "json")
            # The same place, and the same reason.
            assert (caught.value.reason, caught.value.offset) == (expected.reason, expected.offset)
            continue
        text = converted(data, "json", "json")
        # `parse_float` shows the digits.
        digits = {"parse_float": str, "parse_int": str}
        assert json.loads(text, **digits) == json.loads(data, **digits), path
        assert converted(text, "json", "json") == text
        assert converted(converted(data, "json", "json", indent=2), "json", "json") == text
        compared += 1
    assert compared > 100


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.lists(VALUES), st.booleans())
def test_lines_and_arrays(values: list[Any], ascii: bool) -> None:
    def dump(value: Any, **options: Any) -> str:
        return json.dumps(value, ensure_ascii=ascii, separators=(",", ":"), **options)

    lines = "".join(dump(value) + "\n" for value in values)
    array = f"[{','.join(dump(value) for value in values)}]"
    assert converted(array, "json", "ndjson") == lines
    assert converted(lines, "ndjson", "json") == array
    assert converted(lines, "ndjson", "ndjson") == lines
    assert json.loads(converted(array, "json", "json", ascii=not ascii)) == values
    in_order = converted(array, "json", "json", sort_keys=True)
    assert json.dumps(json.loads(in_order)) == json.dumps(values, sort_keys=True)


@pytest.mark.parametrize(
    ("text", "xml"),
    [
        (
            '{"a": null}',
            '<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>',
        ),
        ('{"a": {"@b": 1.50, "#text": "x"}}', '<a b="1.50">x</a>'),
        ('{"a": {"b": ["1", true], "c": [], "d": {}}}', "<a><b>1</b><b>true</b><d/></a>"),
        ("[1, {}]", "<root><item>1</item><item/></root>"),
        ('{"p:a": {"@xmlns:p": "urn:p"}}', '<p:a xmlns:p="urn:p"/>'),
    ],
)
def test_members_in_xml(text: str, xml: str) -> None:
    found = converted(text, "json", "xml")
    if "nil" in xml:
        assert penstock.xml.decode(found) == penstock.xml.decode(xml)
    else:
        assert found == HEAD + xml


def test_options_of_xml() -> None:
    lines = '{"a":1}\n{"a":null}\n'
    assert converted(
        lines, "ndjson", "xml", null="omit", root="rows", record="row", declaration=False
    ) == ("<rows><row><a>1</a></row><row/></rows>")
    assert converted(lines, "ndjson", "xml", null="empty", indent=1) == (
        HEAD + "<root>\n <item>\n  <a>1</a>\n </item>\n <item>\n  <a/>\n </item>\n</root>\n"
    )
    xml = "<x:r xmlns:x='u'><x:a/></x:r>"
    assert converted(xml, "xml", "ndjson", at="y:r/y:a", namespaces={"y": "u"}, form="element") == (
        '["x:a",{"xmlns:x":"u"}]\n'
    )
    assert converted("<p:a><q/></p:a>", "xml", "json", namespaces=False) == '{"p:a":{"q":null}}'
    assert converted("<p:a><q/></p:a>", "xml", "xml", namespaces=False) == HEAD + "<p:a><q/></p:a>"


@given(
    st.recursive(
        st.text("ab<&]>\"' \n\t\u00e9\U0001d11e", min_size=1),
        lambda inner: st.dictionaries(
            st.sampled_from(["a", "b", "é", "c-d"]), inner | st.lists(inner, min_size=2), min_size=1
        ),
    )
)
def test_members_go_to_xml_and_back(value: Any) -> None:
    def stripped(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: stripped(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [stripped(inner) for inner in value]
        return value.strip() or None

    xml = converted(json.dumps({"r": value}), "json", "xml")
    assert json.loads(converted(xml, "xml", "json")) == {"r": stripped(value)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"a": {"b c": 1}}',
            "<stream>:1:8: \"b c\" is no name in XML: no name contains ' ' (at a/b c)",
        ),
        (
            '{"a": 1, "b": 2}',
            "a second root element: XML has one, so name an element around them with root",
        ),
        ('{"a": [[1]]}', "a list in a list: XML has no form for it"),
        ('{"a": "\\u0000"}', ""),
        (
            '{"a": {"x": 1, "@y": 2}}',
            'the attribute "y" comes after content of its element: attributes must come first',
        ),
        ("{}", "there is no root element"),
    ],
)
def test_values_without_a_form(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        converted(text, "json", "xml")
    assert message.removeprefix("<stream>:1:8: ") in str(caught.value)
    assert caught.value.line == 1


@pytest.mark.parametrize(
    "markup", ["a><b", "a b='1'", "a/", "!--", "?x", "a\nb", "a\u0000", "", "1", "a'", ":", "p:"]
)
def test_no_key_is_markup(markup: str) -> None:
    with pytest.raises(ValidationError):
        converted(json.dumps({"r": {markup: "x"}}), "json", "xml")
    with pytest.raises(ValidationError):
        converted(json.dumps({"r": {f"@{markup}": "x"}}), "json", "xml")
    with pytest.raises(ValidationError):
        converted(json.dumps([markup]), "json", "xml", form="element")
    with pytest.raises(ValidationError):
        converted(json.dumps(["r", {markup: "x"}]), "json", "xml", form="element")
