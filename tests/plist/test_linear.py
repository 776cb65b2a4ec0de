"""Time grows linearly with a text property list that comes byte by byte, for each kind of token."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pytest
from linear import assert_linear

import penstock
from penstock import plist

N = 10_000
BYTES = [bytes([byte]) for byte in range(256)]

Make = Callable[[], penstock.Decoder[Any]]


@dataclass
class Row:
    name: str = ""


@dataclass
class Dot:
    kind: Literal["dot"]
    name: str = ""


@dataclass
class Dash:
    kind: Literal["dash"]
    dots: list[Any]


def text(into: Any = Any, **options: Any) -> Make:
    limits = penstock.Limits(depth=1 << 24)
    return lambda: plist.Decoder(into, limits=limits, **options)


TOKENS: dict[str, tuple[Make, Callable[[int], bytes]]] = {
    "wanted string": (text(), lambda n: b'("' + b"x" * n + b'")'),
    "wanted string with escapes": (text(), lambda n: b'("' + b"ab\\U00e9\\n" * (n // 10) + b'")'),
    "wanted string without quotes": (text(), lambda n: b"(" + b"x/" * (n // 2) + b"x)"),
    "wanted string in a class": (text(Row), lambda n: b'{"name" = "' + b"x" * n + b'";}'),
    "wanted data": (text(), lambda n: b"(<" + b"0f" * (n // 2) + b">)"),
    "wanted base64": (text(), lambda n: b"(<[" + b"Zm9v" * (n // 4) + b"]>)"),
    "skipped string": (text(Row), lambda n: b'{no = "' + b"x" * n + b'";}'),
    "skipped string without quotes": (text(Row), lambda n: b"{no = " + b"x" * n + b";}"),
    "skipped data": (text(Row), lambda n: b"{no = <" + b"0f" * (n // 2) + b">;}"),
    "skipped array": (text(Row), lambda n: b"{no = (" + b"a, " * (n // 3) + b");}"),
    "white space": (text(), lambda n: b"(" + b" " * n + b")"),
    "comment": (text(), lambda n: b"(/*" + b"*" * n + b"*/)"),
    "comments": (text(), lambda n: b"(" + b"/**/" * (n // 4) + b")"),
    "comment behind the first key": (text(), lambda n: b"a /*" + b"x" * n + b"*/ = b;"),
    "comment behind a key": (text(Row), lambda n: b"{name /*" + b"x" * n + b"*/;}"),
    "lone string": (text(), lambda n: b'"' + b"x" * n + b'"'),
    "nested arrays": (text(), lambda n: b"(" * n + b")" * n),
    "nested dictionaries": (text(), lambda n: b"{a=" * (n // 3) + b"b" + b"}" * (n // 3)),
    "nested where it is skipped": (text(Row), lambda n: b"{no = " + b"(" * n + b")" * n + b"}"),
    "long key": (text(Row), lambda n: b'{"' + b"x" * n + b'" = 1;}'),
    "looked over string": (text(Dot | Dash), lambda n: b"{name = " + b"x" * n + b"; kind = dot;}"),
    "looked over array": (
        text(Dot | Dash),
        lambda n: b"{dots = (" + b"{kind = 1;}," * (n // 12) + b"0); kind = dash;}",
    ),
    "looked over strings": (text(Dot | Dash), lambda n: b"x = 1;" * (n // 6) + b"kind = dot;"),
    "many records": (text(), lambda n: b"(" + b"1," * (n // 2) + b"1)"),
    "entries": (text(), lambda n: b"{" + b"a = b;" * (n // 6) + b"}"),
}


def feed(make: Make, pieces: list[bytes]) -> None:
    decoder = make()
    for piece in pieces:
        decoder.feed(piece)
    decoder.finish()


@pytest.mark.parametrize("token", TOKENS)
def test_linear(token: str) -> None:
    make, document = TOKENS[token]
    assert_linear(lambda n: partial(feed, make, [BYTES[byte] for byte in document(n)]), N)
