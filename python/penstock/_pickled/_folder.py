"""What pickles of a `Folder` name."""

from penstock._engines.folder import Folder

__all__ = ["Folder"]
