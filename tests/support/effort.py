"""How often a test tries what has no end: `PENSTOCK_LONG=1` asks for all of it."""

import os

LONG = os.environ.get("PENSTOCK_LONG") == "1"


def often(usually: int, long: int) -> int:
    """How many trials: fewer in each run of the suite, and many where somebody waits for them."""
    return long if LONG else usually
