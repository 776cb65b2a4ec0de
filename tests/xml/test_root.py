"""`root=`: the root element that a document must have."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import penstock
from penstock import at

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
TEXT = f'<s:Envelope xmlns:s="{SOAP}"><s:Body><rate>1.5</rate></s:Body></s:Envelope>'


@dataclass
class Envelope:
    rate: Annotated[float | None, at("*:Body/rate")] = None


@pytest.mark.parametrize("root", [f"{{{SOAP}}}Envelope", "*:Envelope", "s:Envelope"])
def test_the_root_is_that(root: str) -> None:
    options: dict[str, Any] = {"root": root, "namespaces": {"s": SOAP}}
    assert penstock.xml.decode(TEXT, Envelope, **options) == Envelope(1.5)
    assert penstock.xml.load(io.BytesIO(TEXT.encode()), Envelope, **options) == Envelope(1.5)
    assert list(penstock.xml.decode(TEXT, **options)) == ["s:Envelope"]


@pytest.mark.parametrize("into", [Envelope, object])
def test_the_root_is_another(into: Any) -> None:
    page = "<html><body>502 Bad Gateway</body></html>"
    assert penstock.xml.decode(page, Envelope) == Envelope(None)
    for call in (
        penstock.xml.decode,
        lambda data, *rest, **named: penstock.xml.load([data.encode()], *rest, **named),
    ):
        with pytest.raises(penstock.ValidationError) as caught:
            call(page, into, root="*:Envelope")
        assert caught.value.reason == "expected the root element '*:Envelope', found 'html'"
        assert (caught.value.line, caught.value.column) == (1, 1)
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.xml.decode(TEXT, into, root="Envelope")
    assert caught.value.reason == (
        "expected the root element 'Envelope', found 's:Envelope' (root='*:Envelope' is one in any namespace)"
    )


@pytest.mark.parametrize("root", ["a/b", "@a", "//a", "", "text()", "p:a", "a b", "*"])
def test_what_names_no_element(root: str) -> None:
    with pytest.raises(ValueError, match="it is the name of an element, as a path has it"):
        penstock.xml.decode("<a/>", root=root)
    with pytest.raises(TypeError, match="root must be"):
        penstock.xml.decode("<a/>", root=1)  # type: ignore[call-overload]


def test_a_dialect_with_a_root_can_be_pickled() -> None:
    from penstock import _rust

    dialect = pickle.loads(pickle.dumps(_rust.Dialect("xml", {"root": "a"})))
    with pytest.raises(penstock.ValidationError, match="expected the root element 'a'"):
        _rust.decode(dialect, "<b/>", object, "last", "skip", False, None, None)
