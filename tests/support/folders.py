"""What is in a folder."""

import os
from pathlib import Path


def names(folder: Path | str) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(path.name for path in Path(folder).iterdir())


def has_nameless_files(folder: Path) -> bool:
    """Whether the file system has files without a name."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except (AttributeError, OSError):
        return False
    return True
