"""What the tests of addresses share: a server that misbehaves, and a client that is quick."""

from __future__ import annotations

from collections.abc import Iterator

import misbehaving
import pytest

from penstock._io.remote import source as remote_source


@pytest.fixture
def server() -> Iterator[misbehaving.Server]:
    """A server of this test."""
    with misbehaving.Server() as server:
        yield server
        server.shutdown()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once."""
    monkeypatch.setattr(remote_source, "PAUSE", 0.0005)
