"""Text in an element of a class that has no field for it: what `unknown=` says."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Annotated, Any

import pydantic
import pytest

import penstock
from penstock import at


@dataclass
class Inner:
    n: int


@dataclass
class Item:
    inner: Inner | None = None
    deep: Annotated[int | None, at("a/b")] = None


TEXT = "<item>\n  <inner><n>1</n></inner>\n  <a>\n <b>2</b></a>\n</item>"
STRAY = {
    "<item>stray<inner><n>1</n></inner></item>": "Item",
    "<item><inner><n>1</n></inner> <!-- a -->stray </item>": "Item",
    "<item><inner>x<n>1</n></inner></item>": "Inner",
    "<item><a>x<b>2</b></a></item>": "Item",
    "<item><inner><n>1</n><![CDATA[x]]></inner></item>": "Inner",
}


def chunks(text: str, size: int) -> Any:
    data = text.encode()
    return (data[at : at + size] for at in range(0, len(data), size))


def test_white_space_between_elements_is_none() -> None:
    expected = Item(Inner(1), 2)
    assert penstock.xml.decode(TEXT, Item, unknown="error") == expected


@pytest.mark.parametrize("text", STRAY)
def test_as_unknown_says(text: str) -> None:
    assert isinstance(penstock.xml.decode(text, Item), Item)
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.xml.decode(text, Item, unknown="error")
    error = caught.value
    assert error.reason == f"{STRAY[text]} has no field for text: at('text()') is one"
    place = error.offset, error.line, error.column, error.path
    for size in (1, 2, 3, 7):
        with pytest.raises(penstock.ValidationError) as caught:
            penstock.xml.load(chunks(text, size), Item, unknown="error")
        cut = caught.value
        assert (cut.offset, cut.line, cut.column, cut.path) == place
    reader = penstock.xml.read(io.BytesIO(text.encode()), Item, unknown="collect", at="item")
    assert len(list(reader)) == 1
    assert reader.unknown == {f"{STRAY[text]}.text()": 1}


def test_each_element_for_itself() -> None:
    text = f"<r>{''.join(STRAY)}{TEXT}</r>"
    reader = penstock.xml.read([text.encode()], Item, at="r/item", unknown="error", errors="skip")
    assert list(reader) == [Item(Inner(1), 2)]
    assert reader.skipped == len(STRAY)


def test_a_model_that_forbids_more() -> None:
    class Model(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="forbid")
        n: int

    assert penstock.xml.decode("<m> <n>1</n> </m>", Model) == Model(n=1)
    with pytest.raises(penstock.ValidationError, match="Model has no field for text"):
        penstock.xml.decode("<m>x<n>1</n></m>", Model)


def test_a_field_for_it_takes_it() -> None:
    @dataclass
    class Own:
        text: Annotated[str, at("text()")]
        n: int | None = None

    assert penstock.xml.decode("<o>a<n>1</n>b</o>", Own, unknown="error") == Own("ab", 1)
