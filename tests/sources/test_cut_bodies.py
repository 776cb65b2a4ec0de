"""Responses that end too early, at every kind of place, through each client of `docs/http.md`."""

import asyncio
import gzip
import hashlib
import io
import socketserver
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, unquote
from urllib.request import Request, urlopen

import pytest

import penstock
from penstock import DecodeError


@dataclass(slots=True)
class Level:
    id: int
    key: str


# Digests keep the compressed body as long as several chunks.
WANTED = [Level(n, hashlib.sha256(b"%d" % n).hexdigest()) for n in range(300)]
LINES = penstock.ndjson.encode(WANTED)
PACKED = gzip.compress(LINES, mtime=0)
CHUNK = 1_000


def chunked(body: bytes) -> list[bytes]:
    pieces = [body[at : at + CHUNK] for at in range(0, len(body), CHUNK)]
    return [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces] + [b"0\r\n\r\n"]


@dataclass
class Form:
    head: bytes
    body: bytes
    # Where the body may be cut: the name of the place, and how many bytes come.
    cuts: dict[str, int]

    def response(self, cut: str) -> bytes:
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n%s\r\n" % self.head
        return head + self.body[: self.cuts[cut]]


def forms() -> Iterator[tuple[str, Form]]:
    line = LINES.index(b"\n", len(LINES) // 2) + 1
    plain = {"no byte": 0, "in a record": line + 9, "at the end of a line": line}
    packed = {"no byte": 0, "in gzip's data": len(PACKED) // 2, "in gzip's end": len(PACKED) - 5}
    for name, text, places, encoding in [
        ("plain", LINES, plain, b""),
        ("gzip", PACKED, packed, b"Content-Encoding: gzip\r\n"),
    ]:
        length = b"Content-Length: %d\r\n%s" % (len(text), encoding)
        yield f"{name}, with a length", Form(length, text, {**places, "nowhere": len(text)})
        yield f"{name}, until it closes", Form(encoding, text, {**places, "nowhere": len(text)})
        chunks = chunked(text)
        some = sum(map(len, chunks[:3]))
        cuts = {
            "no byte": 0,
            "in a chunk": some - CHUNK // 2,
            "after a chunk": some,
            "in the head of a chunk": some + 2,
            "before the last chunk": sum(map(len, chunks[:-1])),
            "nowhere": sum(map(len, chunks)),
        }
        head = b"Transfer-Encoding: chunked\r\n" + encoding
        yield f"{name}, in chunks", Form(head, b"".join(chunks), cuts)


FORMS = dict(forms())


class Cutting(socketserver.StreamRequestHandler):
    """Answers `/form/cut` with so much of a response, and closes the connection."""

    def handle(self) -> None:
        verb, address, _ = self.rfile.readline().decode().split(" ")
        while self.rfile.readline().strip():
            pass
        _, form, cut = unquote(address).split("/")
        answer = FORMS[form].response(cut)
        head = answer.index(b"\r\n\r\n") + 4
        self.wfile.write(answer if verb == "GET" else answer[:head])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Cutting) as server:
        threading.Thread(target=server.serve_forever, args=[0.01]).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


# --- The clients: each yields the records -----------------------------------------------------


def read(source: Any) -> Iterator[Level]:
    return iter(penstock.ndjson.read(source, Level))


def urllib(url: str) -> Iterator[Level]:
    with urlopen(Request(url, headers={"Accept-Encoding": "gzip"})) as response:
        yield from read(response)


def urllib_within(wrap: Callable[[Any], Any]) -> Callable[[str], Iterator[Level]]:
    def client(url: str) -> Iterator[Level]:
        with urlopen(url) as response:
            yield from read(wrap(response))

    return client


def gzip_file(response: Any) -> Any:
    return gzip.GzipFile(fileobj=response)


def gzip_file_of_a_buffer(response: Any) -> Any:
    return io.BufferedReader(gzip.GzipFile(fileobj=io.BufferedReader(response)))  # type: ignore[type-var]


def http_client(url: str) -> Iterator[Level]:
    host, path = url.removeprefix("http://").split("/", 1)
    connection = HTTPConnection(host)
    connection.request("GET", f"/{path}")
    yield from read(connection.getresponse())
    connection.close()


def requests_content(url: str) -> Iterator[Level]:
    requests = pytest.importorskip("requests")
    with requests.get(url, stream=True, timeout=10) as response:
        response.raise_for_status()
        yield from read(response.iter_content(65_536))


def requests_raw(url: str) -> Iterator[Level]:
    requests = pytest.importorskip("requests")
    with requests.get(url, stream=True, timeout=10) as response:
        yield from read(response.raw)


def urllib3_with(**options: bool) -> Callable[[str], Iterator[Level]]:
    def client(url: str) -> Iterator[Level]:
        urllib3 = pytest.importorskip("urllib3")
        with urllib3.PoolManager() as pool:
            yield from read(pool.request("GET", url, preload_content=False, **options))

    return client


def httpx_bytes(url: str) -> Iterator[Level]:
    httpx = pytest.importorskip("httpx2")
    with httpx.stream("GET", url) as response:
        response.raise_for_status()
        yield from read(response.iter_bytes())


def awaited(rows: Callable[[str], AsyncIterator[Level]]) -> Callable[[str], Iterator[Level]]:
    """Gives what came before an error, as a loop does."""

    def client(url: str) -> Iterator[Level]:
        seen: list[Level] = []

        async def run() -> None:
            async for row in rows(url):
                seen.append(row)  # noqa: PERF401

        try:
            asyncio.run(run())
        finally:
            yield from seen

    return client


def httpx_async(chunks: str) -> Callable[[str], Iterator[Level]]:
    @awaited
    async def client(url: str) -> AsyncIterator[Level]:
        httpx = pytest.importorskip("httpx2")
        async with httpx.AsyncClient() as client, client.stream("GET", url) as response:
            source = getattr(response, chunks)()
            async for row in penstock.aio.read(source, Level, format="ndjson"):
                yield row

    return client


def aiohttp(**options: bool) -> Callable[[str], Iterator[Level]]:
    @awaited
    async def client(url: str) -> AsyncIterator[Level]:
        aiohttp = pytest.importorskip("aiohttp")
        async with aiohttp.ClientSession(**options) as session, session.get(url) as response:
            source = response.content.iter_any()
            async for row in penstock.aio.read(source, Level, format="ndjson"):
                yield row

    return client


def fsspec_file(url: str) -> Iterator[Level]:
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with fsspec.open(url, "rb") as file:
        yield from read(file)


# Penstock undoes the compression, from the bytes as they came.
AS_IT_CAME = {
    "urllib": urllib,
    "a buffer": urllib_within(io.BufferedReader),
    "http.client": http_client,
    "requests, raw": requests_raw,
    "urllib3, as it came": urllib3_with(decode_content=False, enforce_content_length=False),
    "httpx, asynchronous, raw": httpx_async("aiter_raw"),
    "aiohttp, raw": aiohttp(auto_decompress=False),
}
# They undo it, and most of them do not notice that the compressed data breaks off.
DECOMPRESSED = {
    "GzipFile": urllib_within(gzip_file),
    "GzipFile and buffers": urllib_within(gzip_file_of_a_buffer),
    "requests": requests_content,
    "urllib3": urllib3_with(),
    "httpx": httpx_bytes,
    "httpx, asynchronous": httpx_async("aiter_bytes"),
    "aiohttp": aiohttp(),
    "fsspec": fsspec_file,
}
CLIENTS = AS_IT_CAME | DECOMPRESSED


def read_all(rows: Iterator[Level]) -> tuple[list[Level], DecodeError | None]:
    """The records that came, and the error after them."""
    seen: list[Level] = []
    try:
        seen.extend(rows)
    except DecodeError as error:
        return seen, error
    return seen, None


def whole_without_an_error(client: str, form: str, cut: str) -> list[Level] | None:
    """The records of a body that nobody can tell from a whole one. None if it can be told."""
    if cut == "nowhere":
        return WANTED
    if not form.endswith("until it closes"):
        return None
    if cut == "no byte":
        return []
    if cut == "at the end of a line":
        return WANTED[: LINES[: FORMS[form].cuts[cut]].count(b"\n")]
    if cut == "in gzip's end" and client in DECOMPRESSED:
        return WANTED
    return None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_body_that_is_cut(address: str, client: str, form: str) -> None:
    if client.startswith("GzipFile") and form.startswith("plain"):
        pytest.skip("not compressed")
    for cut in FORMS[form].cuts:
        rows, error = read_all(CLIENTS[client](f"{address}/{quote(form)}/{quote(cut)}"))
        assert rows == WANTED[: len(rows)], cut
        whole = whole_without_an_error(client, form, cut)
        if whole is None:
            assert error is not None, (cut, len(rows))
        elif error is None or cut == "nowhere":
            assert (rows, error) == (whole, None), cut
