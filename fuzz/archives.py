"""Write random graphs as keyed archives, read them back, and read damaged ones.

A run is a graph of lists, dicts and objects, with shared ones and cycles. What is written must be
read back as the same graph. Then values of the archive are replaced, and bytes of the file: what
comes of it is an error that the documentation names, or values that are written and read again as
the same. The same seed and number of runs is the same test.

    python fuzz/archives.py [--runs N] [--seed S] [--seconds T | --only RUN]
"""

from __future__ import annotations

import copy
import plistlib
import sys
from pathlib import Path
from random import Random
from typing import Any

from campaign import campaign

import penstock
from penstock import plist

sys.path.append(str(Path(__file__).parent.parent / "tests" / "support"))

from keyed_archives import CLASSES, Archive, any_graph, everything, same

REFUSALS = (penstock.MalformedInput, penstock.ValidationError, penstock.LimitExceeded)
OPTIONS: list[dict[str, Any]] = [{}, {"classes": CLASSES}, {"classes": CLASSES, "unknown": "error"}]
KEYS = ("$class", "NS.objects", "NS.keys", "NS.string", "NS.time", "NS.base", "NS.relative", "name")
NAMES = (
    *("NSArray", "NSSet", "NSDictionary", "NSString", "NSNumber", "NSDate", "NSData", "NSUUID"),
    *("NSURL", "NSNull", "NSOrderedSet", "NSAttributedString", "NSDecimalNumber", "NSValue"),
    *CLASSES,
)


def junk(rng: Random, count: int) -> Any:
    """Return a value that does not belong where it is put."""
    refer = [plistlib.UID(rng.randrange(count + 2)) for _ in range(3)]
    return rng.choice(
        [*refer, refer, None, 5, -1.5, 1e300, "x", "{1, 2}", b"", bytes(16), [], {}, True, {"a": 5}]
    )


def damaged(document: dict[str, Any], rng: Random) -> dict[str, Any]:
    """Return a copy of an archive with other values in some places."""
    changed = copy.deepcopy(document)
    objects = changed["$objects"]
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(objects))
        stored = objects[at]
        if isinstance(stored, dict) and rng.random() < 0.9:
            key = rng.choice([*stored, *KEYS])
            if key == "$classname":
                stored[key] = rng.choice(NAMES)
                stored["$classes"] = [stored[key], "NSObject"]
            elif isinstance(stored.get(key), list) and stored[key] and rng.random() < 0.7:
                stored[key][rng.randrange(len(stored[key]))] = junk(rng, len(objects))
            else:
                stored[key] = junk(rng, len(objects))
        else:
            objects[at] = junk(rng, len(objects))
    return changed


def read(data: bytes, options: dict[str, Any]) -> None:
    """Read an archive; what is in it is written and read again."""
    try:
        found = plist.decode(data, archive=True, **options)
    except REFUSALS:
        return
    except penstock.TruncatedInput:
        return
    classes = options.get("classes")

    def again(value: Any) -> Any:
        written = plist.encode(value, form="binary", archive=True, classes=classes)
        return plist.decode(written, archive=True, classes=classes)

    try:
        # The tuples of structures become lists, and lists of enum members lists of their values.
        plain = again(found)
    except (penstock.EncodeError, penstock.ValidationError):
        return
    if not same(again(plain), plain):
        raise AssertionError(f"{found!r}: {data!r}")


def run(seed: str) -> None:
    """Make one graph, write it, and damage what is written."""
    rng = Random(seed)
    graph = any_graph(rng)
    data = plist.encode(graph, form="binary", archive=True, classes=CLASSES)
    if not same(plist.decode(data, archive=True, classes=CLASSES), graph):
        raise AssertionError(f"{graph!r}: {data!r}")
    archive = Archive()
    others = archive.document(archive.array(everything(archive), everything(archive)))
    for document in (plist.decode(data), others):
        for _ in range(10):
            changed = damaged(document, rng)
            try:
                data = plist.encode(changed, form="binary")
            except penstock.EncodeError:
                continue
            read(data, rng.choice(OPTIONS))
        torn = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            torn[rng.randrange(len(torn))] = rng.randrange(256)
        read(bytes(torn), rng.choice(OPTIONS))


if __name__ == "__main__":
    sys.exit(campaign("archives", __doc__ or "", run))
