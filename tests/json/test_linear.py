"""Time grows linearly with the input when a token comes byte by byte, for each kind of token."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import pytest
from linear import assert_linear

import penstock

N = 40_000
BYTES = [bytes([byte]) for byte in range(256)]

Make = Callable[[], penstock.Decoder[Any]]


@dataclass
class Row:
    name: str = ""


@dataclass
class Two:
    """Its members are read in one go."""

    name: str = ""
    count: int = 0


@dataclass
class Dot:
    kind: Literal["dot"]
    name: str = ""


@dataclass
class Dash:
    kind: Literal["dash"]
    dots: list[Any]


def json(into: Any = Any, **options: Any) -> Make:
    limits = penstock.Limits(number=1 << 24, depth=1 << 24)
    return lambda: penstock.json.Decoder(into, limits=limits, **options)


def ndjson(**options: Any) -> Make:
    return lambda: penstock.ndjson.Decoder(**options)


TOKENS: dict[str, tuple[Make, Callable[[int], bytes]]] = {
    "wanted string": (json(), lambda n: b'["' + b"x" * n + b'"]'),
    "wanted string, not ASCII": (json(), lambda n: '["{}"]'.format("é" * (n // 2)).encode()),
    "wanted string with escapes": (json(), lambda n: b'["' + b"ab\\u00e9\\n" * (n // 10) + b'"]'),
    "wanted string in a class": (json(Row), lambda n: b'{"name": "' + b"x" * n + b'"}'),
    "skipped string": (json(Row), lambda n: b'{"no": "' + b"x" * n + b'"}'),
    "skipped string with escapes": (json(Row), lambda n: b'{"no": "' + b"a\\n\\\\" * (n // 5) + b'"}'),
    "skipped list": (json(Row), lambda n: b'{"no": [' + b'"a", ' * (n // 5) + b"1]}"),
    "string that no path leads to": (json(at="a/*"), lambda n: b'{"no": "' + b"x" * n + b'"}'),
    "wanted number": (json(float), lambda n: b"[0." + b"7" * n + b"]"),
    "wanted number, all digits kept": (json(Decimal), lambda n: b"[0." + b"7" * n + b"]"),
    "skipped number": (json(Row), lambda n: b'{"no": ' + b"7" * n + b"}"),
    "second string of several members": (
        json(Two),
        lambda n: b'{"count": 1, "name": "' + b"x" * n + b'"}',
    ),
    "white space behind an object made at once": (
        partial(penstock.ndjson.Decoder, Two),
        lambda n: b'{"name": "' + b"x" * (n // 2) + b'", "count": 1}' + b" " * (n // 2) + b"\n",
    ),
    "white space": (json(), lambda n: b"[" + b" " * n + b"]"),
    "white space at the start": (json(), lambda n: b" \n" * (n // 2) + b"1"),
    "white space where it is skipped": (json(Row), lambda n: b'{"no": [' + b"\t" * n + b"]}"),
    "nested lists": (json(), lambda n: b"[" * n + b"]" * n),
    "nested objects": (json(), lambda n: b'{"":' * (n // 4) + b"1" + b"}" * (n // 4)),
    "nested where it is skipped": (json(Row), lambda n: b'{"no": ' + b"[" * n + b"]" * n + b"}"),
    "nested where a path looks": (json(at="//x"), lambda n: b"[" * n + b"]" * n),
    "wanted key": (json(), lambda n: b'{"' + b"x" * n + b'": 1}'),
    "unknown key": (json(Row), lambda n: b'{"' + b"x" * n + b'": 1}'),
    "unknown key that begins as a known": (json(Row), lambda n: b'{"name' + b"x" * n + b'": 1}'),
    "skipped key": (json(Row), lambda n: b'{"no": {"' + b"x" * n + b'": 1}}'),
    "key outside the records": (json(at="a/*"), lambda n: b'{"' + b"x" * n + b'": 1}'),
    "looked over string": (
        json(Dot | Dash),
        lambda n: b'{"name": "' + b"x" * n + b'", "kind": "dot"}',
    ),
    "looked over list": (
        json(Dot | Dash),
        lambda n: b'{"dots": [' + b'{"kind": 1},' * (n // 12) + b'0], "kind": "dash"}',
    ),
    "looked over keys": (
        json(Dot | Dash),
        lambda n: b"{" + b'"x": 1,' * (n // 7) + b'"kind": "dot"}',
    ),
    "many records": (json(), lambda n: b"[" + b"1," * (n // 2) + b"1]"),
    "line with spaces at its end": (ndjson(), lambda n: b"1" + b" " * n + b"\n"),
    "string line with spaces at its end": (
        ndjson(),
        lambda n: b'"' + b"x" * (n // 2) + b'"' + b" " * (n // 2) + b"\n",
    ),
    "list line with spaces at its end": (ndjson(), lambda n: b"[1]" + b"\r" * n + b"\n"),
    "blank lines": (ndjson(), lambda n: b"\r\n" * (n // 2) + b"1"),
    "line in error": (ndjson(errors="skip"), lambda n: b"x" * n + b"\n1"),
    "line of bytes that are no text": (ndjson(errors="skip"), lambda n: b"\xff" * n + b"\n1"),
}  # fmt: skip


def feed(make: Make, pieces: list[bytes]) -> None:
    decoder = make()
    for piece in pieces:
        decoder.feed(piece)
    decoder.finish()


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@pytest.mark.parametrize("token", TOKENS)
def test_linear(token: str) -> None:
    make, document = TOKENS[token]
    assert_linear(lambda n: partial(feed, make, [BYTES[byte] for byte in document(n)]), N)
