"""What is in a folder."""

from pathlib import Path


def names(folder: Path | str) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(path.name for path in Path(folder).iterdir())
