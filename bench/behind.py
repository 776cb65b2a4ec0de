"""A server with a round trip: it waits before each answer, and gives ranges of one file.

`address` starts it in a process of its own, which ends with the one that measures. `asked` says
how many ranges it has given.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.request import urlopen

TRIP = 0.045
"""Seconds that each answer waits."""

SERVERS: list[subprocess.Popen[str]] = []
PORTS: list[str] = []
PIECE = 256 << 10
"""A link of limited width takes so many bytes at a time."""

COUNT = "/asked"


class Handler(BaseHTTPRequestHandler):
    """Answers a request for a range."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20
    data: bytes | mmap.mmap = b""
    rate: int | None = None
    free = 0.0
    lock = threading.Lock()
    asked: ClassVar[list[None]] = []

    def do_GET(self) -> None:
        """Wait, and give the range."""
        if self.path == COUNT:
            return self.give(200, str(len(self.asked)).encode())
        self.asked.append(None)
        time.sleep(TRIP)
        first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
        begin, end = int(first), min(int(last) + 1, len(self.data))
        return self.give(206, self.data[begin:end], f"bytes {begin}-{end - 1}/{len(self.data)}")

    def give(self, status: int, body: bytes, which: str = "") -> None:
        """Answer."""
        self.send_response(status)
        if which:
            self.send_header("ETag", '"1"')
            self.send_header("Content-Range", which)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for at in range(0, len(body), PIECE):
            piece = body[at : at + PIECE]
            self.wait(len(piece))
            self.wfile.write(piece)
        self.wfile.flush()

    def wait(self, count: int) -> None:
        """Wait until the link, which all answers share, has taken so many bytes."""
        if self.rate is None:
            return
        with self.lock:
            Handler.free = max(self.free, time.perf_counter()) + count / self.rate
            until = self.free
        time.sleep(max(0, until - time.perf_counter()))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@cache
def address(path: Path, rate: int | None = None) -> str:
    """Return the address of a file behind a server, whose link has so many bytes a second."""
    command = [sys.executable, __file__, str(path), str(rate or "")]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, text=True)
    assert server.stdout is not None
    port = server.stdout.readline().strip()
    # The pipe to it is open as long as this process is there.
    SERVERS.append(server)
    PORTS.append(port)
    return f"http://127.0.0.1:{port}/{path.name}"


def asked() -> int:
    """Return how many ranges the servers of this process have given."""
    count = 0
    for port in PORTS:
        with urlopen(f"http://127.0.0.1:{port}{COUNT}") as response:
            count += int(response.read())
    return count


if __name__ == "__main__":
    with Path(sys.argv[1]).open("rb") as file:
        Handler.rate = int(sys.argv[2]) if sys.argv[2] else None
        Handler.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(server.server_port, flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # It ends when whoever measures has ended, in whatever way.
        sys.stdin.read()
        os._exit(0)
