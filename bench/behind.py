"""A server with a round trip: it waits before each answer, and gives ranges of one file.

`address` starts it in a process of its own, which ends with the one that measures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TRIP = 0.045
"""Seconds that each answer waits."""

SERVERS: list[subprocess.Popen[str]] = []


class Handler(BaseHTTPRequestHandler):
    """Answers a request for a range."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20
    data = b""

    def do_GET(self) -> None:
        """Wait, and give the range."""
        time.sleep(TRIP)
        first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
        begin, end = int(first), min(int(last) + 1, len(self.data))
        self.send_response(206)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(self.data)}")
        self.send_header("Content-Length", str(end - begin))
        self.end_headers()
        self.wfile.write(self.data[begin:end])
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@cache
def address(path: Path) -> str:
    """Return the address of a file behind a server."""
    command = [sys.executable, __file__, str(path)]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, text=True)
    assert server.stdout is not None
    port = server.stdout.readline().strip()
    # The pipe to it is open as long as this process is there.
    SERVERS.append(server)
    return f"http://127.0.0.1:{port}/{path.name}"


if __name__ == "__main__":
    Handler.data = Path(sys.argv[1]).read_bytes()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(server.server_port, flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # It ends when whoever measures has ended, in whatever way.
        sys.stdin.read()
        os._exit(0)
