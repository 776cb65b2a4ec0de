"""Objects of stores that end too early, through each client of `docs/object_stores.md`.

The server gives what is before a byte, however often it is asked, and then closes the connection.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import penstock

LINES = b"".join(b'{"id": %d}\n' % n for n in range(30_000))
LINE = LINES.index(b"\n", len(LINES) // 2) + 1
CUTS = {"no byte": 0, "in a record": LINE + 5, "at the end of a line": LINE, "nowhere": len(LINES)}
KEY = "rows.ndjson"


@dataclass(slots=True)
class Row:
    id: int


class Cutting(BaseHTTPRequestHandler):
    """Answers as S3, Google Cloud Storage and Azure do."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self.give(with_body=False)

    def do_GET(self) -> None:
        self.give(with_body=True)

    def give(self, *, with_body: bool) -> None:
        cut: int = self.server.cut  # type: ignore[attr-defined]
        asked = self.headers.get("Range") or self.headers.get("x-ms-range")
        begin, end = 0, len(LINES)
        if asked:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            begin, end = int(first), min(int(last) + 1 if last else end, end)
        if begin >= len(LINES):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(LINES)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(LINES)}")
        for name, value in {
            "Content-Length": str(end - begin),
            "Content-Type": "application/octet-stream",
            "ETag": '"1"',
            "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT",
            "x-ms-blob-type": "BlockBlob",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(LINES[begin : min(end, max(begin, cut))])
            self.close_connection = end > cut


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Cutting) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


# --- The clients: each yields the records -----------------------------------------------------

# Each of them tries again and again, with pauses. That is not what is tested.
ANYBODY = {"aws_access_key_id": "anybody", "aws_secret_access_key": "anything"}


def read(source: Any) -> Iterator[Row]:
    return iter(penstock.ndjson.read(source, Row))


def s3(address: str) -> Any:
    boto3 = pytest.importorskip("boto3")
    return boto3.client("s3", endpoint_url=address, region_name="us-east-1", **ANYBODY)


def boto3_body(address: str) -> Iterator[Row]:
    yield from read(s3(address).get_object(Bucket="bucket", Key=KEY)["Body"])


def s3fs_file(address: str) -> Iterator[Row]:
    s3fs = pytest.importorskip("s3fs")
    files = s3fs.S3FileSystem(
        endpoint_url=address, key="anybody", secret="anything", skip_instance_cache=True
    )
    files.retries = 1
    with files.open(f"bucket/{KEY}", "rb") as file:
        yield from read(file)


def google_blob(address: str) -> Iterator[Row]:
    storage = pytest.importorskip("google.cloud.storage")
    credentials = pytest.importorskip("google.auth.credentials").AnonymousCredentials()
    client = storage.Client("project", credentials, client_options={"api_endpoint": address})
    with client.bucket("bucket").blob(KEY).open("rb", retry=None) as file:
        yield from read(file)


def azure_chunks(address: str) -> Iterator[Row]:
    blobs = pytest.importorskip("azure.storage.blob")
    with blobs.BlobClient(f"{address}/account", "bucket", KEY, retry_total=0) as blob:
        yield from read(blob.download_blob().chunks())


def smart_file(address: str) -> Iterator[Row]:
    smart_open = pytest.importorskip("smart_open")
    with smart_open.open(f"{address}/{KEY}", "rb", compression="disable") as file:
        yield from read(file)


def smart_file_of_s3(address: str) -> Iterator[Row]:
    smart_open = pytest.importorskip("smart_open")
    options = {"transport_params": {"client": s3(address)}, "compression": "disable"}
    with smart_open.open(f"s3://bucket/{KEY}", "rb", **options) as file:
        yield from read(file)


CLIENTS: dict[str, Callable[[str], Iterator[Row]]] = {
    "boto3": boto3_body,
    "s3fs": s3fs_file,
    "google-cloud-storage": google_blob,
    "azure-storage-blob": azure_chunks,
    "smart_open": smart_file,
    "smart_open of S3": smart_file_of_s3,
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("client", CLIENTS)
def test_an_object_that_is_cut(
    server: ThreadingHTTPServer, client: str, cut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    server.cut = CUTS[cut]  # type: ignore[attr-defined]
    found: list[Row] = []
    error: Exception | None = None
    try:
        found.extend(CLIENTS[client](f"http://127.0.0.1:{server.server_port}"))
    except Exception as raised:  # noqa: BLE001 - the client's own comes before the first record
        error = raised
    assert found == [Row(n) for n in range(len(found))]
    if cut == "nowhere":
        assert (len(found), error) == (30_000, None)
    else:
        assert error is not None
        assert len(found) <= LINES[: CUTS[cut]].count(b"\n")
        # Once a record has come, the error is Penstock's, with the client's as its cause.
        if found:
            assert isinstance(error, penstock.DecodeError)
            assert error.__cause__ is not None
