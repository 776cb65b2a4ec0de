"""A server that misbehaves as it is told, and counts."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Served:
    """A file, and how the server gives it.

    Attributes:
        data: Its bytes.
        tag: Its entity tag; None if the server says none.
        ranges: Whether it gives ranges.
        cut: After how many bytes of a body the connection ends, for the first `cuts` bodies.
        cuts: See `cut`.
        fail: How many of the first requests get this status instead.
        status: See `fail`.
        wait: How many seconds each response waits.
        chunked: Whether a body comes in chunks, without a length.
        headers: More headers.
        changes: A tag and data from the n-th request on.
    """

    data: bytes = b""
    tag: str | None = '"1"'
    ranges: bool = True
    cut: int | None = None
    cuts: int = 0
    fail: int = 0
    status: int = 503
    wait: float = 0
    chunked: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    changes: tuple[int, str | None, bytes] | None = None
    to: str | None = None
    asked: list[str | None] = field(default_factory=list)
    most: int = 0
    now: int = 0
    given: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self.send_error(405)

    def do_GET(self) -> None:
        served = self.server.files.get(self.path)  # type: ignore[attr-defined]
        if served is None:
            return self._nothing(404)
        with served.lock:
            served.asked.append(self.headers.get("Range"))
            number = len(served.asked)
            served.now += 1
            served.most = max(served.most, served.now)
        time.sleep(served.wait)
        # From here on, the client may have all that it wants before this thread goes on.
        with served.lock:
            served.now -= 1
        try:
            self._give(served, number)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        return None

    def _give(self, served: Served, number: int) -> None:
        if served.to is not None:
            return self._nothing(302, {"Location": served.to})
        if number <= served.fail:
            return self._nothing(served.status)
        data, tag = served.data, served.tag
        if served.changes is not None and number >= served.changes[0]:
            _, tag, data = served.changes
        match = self.headers.get("If-Match")
        if match is not None and tag is not None and match != tag:
            return self._nothing(412)
        headers = {} if tag is None else {"ETag": tag}
        asked, body, status = self.headers.get("Range"), data, 200
        if asked is not None and served.ranges:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            begin, end = int(first), min(int(last or len(data)), len(data) - 1)
            if begin >= len(data):
                return self._nothing(416, {"Content-Range": f"bytes */{len(data)}"})
            body, status = data[begin : end + 1], 206
            headers["Content-Range"] = f"bytes {begin}-{end}/{len(data)}"
        self.send_response(status)
        for name, value in {**headers, **served.headers}.items():
            self.send_header(name, value)
        cuts = served.cut is not None and len(body) > served.cut
        with served.lock:
            cuts = cuts and served.given < served.cuts
            served.given += cuts
        if served.chunked and status == 200:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            pieces = [body[at : at + 1000] for at in range(0, len(body), 1000)]
            text = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
            self.wfile.write(text[: served.cut] if cuts else text + b"0\r\n\r\n")
        else:
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: served.cut] if cuts else body)
        self.wfile.flush()
        if cuts:
            self.close_connection = True
        return None

    def _nothing(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": "0", **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()


class Server(ThreadingHTTPServer):
    """Serves files by their paths."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self) -> None:
        self.files: dict[str, Served] = {}
        self.open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def add(self, path: str, data: bytes, **how: Any) -> tuple[str, Served]:
        """Serve a file; return its address, and how it is served."""
        self.files[path] = served = Served(data, **how)
        return f"http://127.0.0.1:{self.server_port}{path}", served

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection."""
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection."""
        self.open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        """End the connections that clients keep open, and wait for their threads."""
        for request in tuple(self.open):
            with contextlib.suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, *_: Any) -> None:
        """A client that has gone is none."""
