"""Faults of conditions on records that were mended, by number."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import penstock
from penstock import at, field

TEXTS = [
    ("a<i>b</i>", "ab"),
    ("ab", "ab"),
    ("a", "a"),
    ("<i>a</i>b<!-- c --><j k='x'>c<k>d</k></j><![CDATA[e]]>", "abcde"),
    ("<i>ab</i>", "ab"),
]
DOCUMENT = "".join(f"<x><s>{text}</s><t>{n}</t></x>" for n, (text, _) in enumerate(TEXTS))


@dataclass
class Text:
    s: str
    t: int


@dataclass
class Inner:
    """It has the element in the text as well."""

    s: str
    i: Annotated[str | None, at("s/i")] = None


@pytest.mark.parametrize("size", [1, 3, 10_000])
@pytest.mark.parametrize("into", [Text, Inner])
def test_796_a_condition_compares_the_text_that_the_class_has(into: Any, size: int) -> None:
    data = f"<r>{DOCUMENT}</r>".encode()
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", penstock.MixedContentWarning)
        every = list(penstock.xml.read(chunks, into))
        assert [record.s for record in every] == [text for _, text in TEXTS]
        for text in {text for _, text in TEXTS}:
            found = list(penstock.xml.read(chunks, into, where=field("s") == text))
            assert found == [record for record in every if record.s == text]
        found = list(penstock.xml.read(chunks, into, where=field("s").contains("b")))
        assert found == [record for record in every if "b" in record.s]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("last", "record"),
    [('{"n": 6, "x": "text"}', 12), ('{"n": 6, "x": 2}\n{"n"', 13)],
    ids=["of another kind", "malformed"],
)
def test_804_columns_are_found_with_the_numbers_of_all_records(
    last: str, record: int, threads: int
) -> None:
    lines = "".join(f'{{"n": {n}}}\n' for n in range(10)) + f'{{"n": 5, "x": 1}}\n{last}\n'
    for where in (None, field("n") >= 5):
        with pytest.raises(penstock.DecodeError) as caught:
            penstock.schema(
                io.BytesIO(lines.encode()), format="ndjson", where=where, threads=threads
            )
        assert caught.value.record == record
