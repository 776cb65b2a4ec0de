"""Values by references, in memory, in files, and behind addresses; and stores made of stores.

All stores have the same five methods: `get`, `put`, `delete`, `list` and `version`. So a test puts
a `Memory` where the program has a `Folder`, and each store stands on any other. The page on stores
explains them.

    from penstock.stores import Folder, Memory, WriteBehind

    with WriteBehind(Memory(), Folder("tasks", Task)) as tasks:
        tasks.put("list/7", Task("milk"))
"""

from __future__ import annotations

from penstock._stores.base import Memory, Store
from penstock._stores.behind import Undrained, WriteBehind
from penstock._stores.changes import Changes, Subscription
from penstock._stores.files import Folder, Remote
from penstock._stores.stacked import Cached, Logged, Mapped, Operation, Overlay

__all__ = [
    "Cached",
    "Changes",
    "Folder",
    "Logged",
    "Mapped",
    "Memory",
    "Operation",
    "Overlay",
    "Remote",
    "Store",
    "Subscription",
    "Undrained",
    "WriteBehind",
]
