"""The messages for bad XML, as `test_messages.py` has them for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

import pytest
from shapes import Circle, Size, Square

import penstock
from penstock import (
    DecodeError,
    LimitExceeded,
    Limits,
    MalformedInput,
    TruncatedInput,
    ValidationError,
)


@dataclass
class City:
    name: str
    latitude: float
    tags: list[str] = field(default_factory=list)
    size: Size | None = None


NAMES = {
    "Annotated": Annotated,
    "Any": Any,
    "Circle": Circle,
    "City": City,
    "Limits": Limits,
    "Size": Size,
    "Square": Square,
    "date": date,
    "decode": penstock.xml.decode,
}

MALFORMED = r"""
<a>Tom & Jerry</a>
       ^ expected a reference after '&': a '&' itself is written '&amp;' (at a)

<a>&nbsp;</a>
   ^ the entity 'nbsp' is not declared; repair='html_entity' takes those of HTML (at a)

<a>&#;</a>
     ^ expected the digits of a character reference (at a)

<a>&#x110000;</a>
   ^ the reference means no character of Unicode (at a)

<a>&#0;</a>
   ^ the reference means U+0000, which is not allowed in XML (at a)

<a>&amp</a>
       ^ expected ';' at the end of the reference: a '&' itself is written '&amp;' (at a)

<a b="&lt"/>
      ^ the attribute's value ends inside a reference

<a b="<"/>
      ^ '<' is not allowed in an attribute's value: write '&lt;'

<a b=c/>
     ^ expected an attribute's value in quotes

<a b/>
    ^ expected '=' after the attribute's name

<a b = 'c'd="e"/>
          ^ expected white space, '>' or '/>' after the attribute

<a b="1" b="2"/>
         ^ the attribute 'b' occurs more than once

<a></b>
   ^ the end tag of 'b', but 'a' is open (at a)

<a><b></a></b>
      ^ the end tag of 'a', but 'b' is open (at a/b)

<a></a><b/>
       ^ an element after the root element

<a/>text
    ^ text after the root element

text<a/>
^ text before the root element: this is not XML

< a/>
 ^ expected a name

<a:b/>
 ^ the prefix 'a' is not declared

<a a:b="1"/>
   ^ the prefix 'a' is not declared

<a xmlns:xml="x"/>
   ^ the prefix 'xml' may not be bound to another namespace

<a xmlns:b=""/>
   ^ a prefix may not be bound to no namespace

<a:b:c xmlns:a="x"/>
    ^ a name has at most one colon, with a name on either side of it

</a>
^ an end tag before the root element

<a><!-- x -- y --></a>
          ^ '--' is not allowed in a comment (at a)

<a><!x></a>
   ^ expected a comment or a CDATA section after '<!' (at a)

<a>]]></a>
   ^ ']]>' is not allowed in text: write ']]&gt;' (at a)

<a><?x</a>
      ^ expected white space or '?>' after the target (at a)

 <?xml version="1.0"?><a/>
 ^ the XML declaration is only allowed at the very beginning

<?xml version="2.0"?><a/>
               ^ the version of XML must be '1.0'

<?xml version="1.0" standalone="maybe"?><a/>
                                ^ standalone must be 'yes' or 'no'

<!DOCTYPE a [<!ENTITY e "&e;">]><a>&e;</a>
                                   ^ the entity 'e' refers to itself (at a)

<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>
                                                         ^ the entity 'e' is in another file, and no other file is opened (at a)

<!DOCTYPE a SYSTEM "a.dtd"><a>&e;</a>
                              ^ the entity 'e' is declared elsewhere, and no other file is opened (at a)

<!DOCTYPE a [<!ENTITY e "<b>">]><a>&e;</b></a>
                                   ^ the entity 'e' ends inside the element 'b' (at a/b)

<!DOCTYPE a [<!ENTITY e "</a>">]><a>&e;
                                    ^ the entity 'e' ends an element that began outside of it (at a)

<!DOCTYPE a [<!ENTITY e 3>]><a/>
                        ^ expected SYSTEM or PUBLIC

<!DOCTYPE a [<!ELEMENT>]><a/>
                      ^ expected white space after '<!ELEMENT'

<!DOCTYPE a [<b/>]><a/>
             ^ an element is not allowed in a document type declaration

<a/><!DOCTYPE a>
    ^ a document type declaration is only allowed once, before the root element

<a>&#8;</a>
   ^ the reference means U+0008, which only XML 1.1 allows (at a)
"""

TRUNCATED = r"""
<a
  ^ the input ends inside a tag

<a b="1
       ^ the input ends inside a tag

<a>
   ^ the input ends inside the element 'a' (at a)

<a></a
      ^ the input ends inside an end tag (at a)

<a><![CDATA[x</a>
                 ^ the input ends inside a CDATA section (at a)

<a><!-- x</a>
             ^ the input ends inside a comment (at a)

<!-- x -->
          ^ the input ends before the root element
"""

LIMITS = r"""
decode(_, limits=Limits(depth=2))
<a><b><c/></b></a>
      ^ nested deeper than 2 levels (limits.depth) (at a/b)

decode(_, int, limits=Limits(number=5))
<a>123456789012345678901</a>
^ an integer of more than 5 digits (limits.number) (at a)

decode(_, limits=Limits(attributes=1))
<a b="1" c="2"/>
         ^ more than 1 attributes of one element (limits.attributes)

decode(_, limits=Limits(name=3))
<abcd/>
 ^ a name longer than 3 bytes (limits.name)
"""

VALUES = r"""
decode(_, int)
<a>x</a>
^ expected int, got "x" (at a)

decode(_, int)
<a/>
^ expected int, got "" (at a)

decode(_, int)
<a><b/></a>
^ expected int, got an element with child elements (at a)

decode(_, bool)
<a>yes</a>
^ expected bool, got "yes" (at a)

decode(_, date)
<a>2020</a>
^ expected date, got "2020": expected '-' after the year (at a)

decode(_, Size)
<a>s</a>
^ expected Size ("S" or "L"), got "s" (at a)

decode(_, tuple[int, int])
<a><b>1</b></a>
           ^ expected 2 child elements, got 1 (at a)

decode(_, list[int])
<a><b>1</b><b>x</b></a>
           ^ expected int, got "x" (at a/b)

decode(_, dict[int, int])
<a><b>1</b></a>
   ^ expected int, got the key "b" (at a/b)

decode(_, City)
<c><name>Bern</name></c>
                    ^ City lacks the required element or attribute 'latitude' (at c)

decode(_, City)
<c name="Bern" latitude="x"/>
                        ^ expected float, got "x" (at c/@latitude)

decode(_, City)
<c name="Bern"><latitude/></c>
               ^ expected float, got "" (at c/latitude)

decode(_, City)
<c><name>Bern</name><name>Chur</name></c>
                    ^ the element 'name' is repeated; ask for list[str] or say repeated='first' (at c/name)

decode(_, City)
<c name="Bern" latitude="1"><size>M</size></c>
                            ^ expected Size ("S" or "L") | None, got "M" (at c/size)

decode(_, City, unknown="error")
<c nmae="Bern"/>
   ^ City has no field for the attribute 'nmae'; did you mean 'name'? (at c/@nmae)

decode(_, City, unknown="error")
<c><Latitude>1</Latitude></c>
   ^ City has no field for the element 'Latitude'; did you mean 'latitude'? (at c/Latitude)

decode(_, City, unknown="error")
<c><mayor/></c>
   ^ City has no field for the element 'mayor' (at c/mayor)

decode(_, City, unknown="error")
<c><name lang="de">Bern</name></c>
         ^ str has no place for the attribute 'lang' (at c/name)

decode(_, list[Circle | Square])
<s><shape kind="crcle"/></s>
               ^ the attribute 'kind' is "crcle", expected "circle" or "square" (at s/shape/@kind)

decode(_, list[Circle | Square])
<s><shape/></s>
         ^ expected Circle | Square, got an element without the attribute 'kind' ("circle" or "square") (at s/shape)
"""


def cases(kind: type[DecodeError], texts: str) -> Iterator[Any]:
    for case in texts.strip("\n").split("\n\n"):
        *call, data, message = case.split("\n")
        caret = message.index("^")
        report = [
            f"line 1, column {caret + 1}: {message[caret + 2 :]}",
            "  |",
            f"1 | {data}",
            f"  | {message[: caret + 1]}",
        ]
        calls = call or ["decode(_)"]
        yield pytest.param(*calls, data, kind, report, id=" ".join([*call, data]))


@pytest.mark.parametrize(
    ("call", "data", "kind", "report"),
    [
        *cases(MalformedInput, MALFORMED),
        *cases(TruncatedInput, TRUNCATED),
        *cases(LimitExceeded, LIMITS),
        *cases(ValidationError, VALUES),
    ],
)
def test_one_line(call: str, data: str, kind: type[DecodeError], report: list[str]) -> None:
    for given in (data, data.encode()):
        with pytest.raises(DecodeError) as caught:
            eval(call, NAMES, {"_": given})
        assert type(caught.value) is kind
        assert caught.value.report().split("\n") == report
        assert caught.value.format == "xml"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<r><c><x>q</x></c></r> junk", "1:24: text after the root element"),
        ("<r><c><x>q</x></c></r><b/>", "1:23: an element after the root element"),
        ("<r><c><x>q</x></c> &no; </r>", "1:20: the entity 'no' is not declared (at r)"),
        ("<r><c><x>q</x></c></s>", "1:19: the end tag of 's', but 'r' is open (at r)"),
        ("<r><c><x>q</x></c>", "1:19: the input ends inside the element 'r' (at r)"),
        ("<r><c><x>q</x>", "1:15: the input ends inside the element 'c' (at r/c)"),
        ("<r><c><x>q", "1:11: the input ends inside the element 'x' (at r/c/x)"),
        ("<r><c><x>q</x></c><d><e>", "1:25: the input ends inside the element 'e' (at r)"),
    ],
)
def test_a_path_has_no_element_that_is_closed(document: str, expected: str) -> None:
    @dataclass
    class Around:
        x: Annotated[list[int], penstock.at("c/x")]

    for read in (
        lambda: penstock.xml.decode(document, Around, all_errors=True),
        lambda: penstock.xml.load([document.encode()], Around, all_errors=True),
    ):
        with pytest.raises(penstock.DecodeError) as caught:
            read()
        error = caught.value.problems[-1]
        path = f" (at {error.path})" if error.path else ""
        assert f"{error.line}:{error.column}: {error.reason}{path}" == expected
