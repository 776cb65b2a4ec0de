"""`python -m penstock`: the command line."""

from __future__ import annotations

import sys

from penstock.cli.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
