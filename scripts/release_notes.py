"""Print the notes of a release: its section of CHANGELOG.md.

    python scripts/release_notes.py v0.1.0

Every place that has a number of its own must have that of the tag, and the section must have a
date. Otherwise there is no release.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Where the number stands, beside the changelog.
NUMBERS = {
    "Cargo.toml": r'^version = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
}
DATE = r"\d{4}-\d{2}-\d{2}"


class NotReadyError(Exception):
    """Why nothing can be released."""


def notes(changelog: str, version: str) -> str:
    """Return the text of a version's section, without its heading."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    for section in sections:
        heading, _, text = section.partition("\n")
        if re.match(rf"\[{re.escape(version)}\]", heading):
            break
    else:
        raise NotReadyError(f"CHANGELOG.md has no section for {version}")
    if not re.fullmatch(rf"\[{re.escape(version)}\] - {DATE}", heading):
        raise NotReadyError(f"CHANGELOG.md: the heading has no date: ## {heading}")
    # Links to versions stand below the last one.
    text = re.sub(r"^\[[^\]]+\]: .*\n?", "", text, flags=re.MULTILINE).strip()
    if not text:
        raise NotReadyError(f"CHANGELOG.md says nothing about {version}")
    return text + "\n"


def check(root: Path, version: str) -> None:
    """Raise unless all files have this number."""
    for name, pattern in NUMBERS.items():
        found = re.findall(pattern, (root / name).read_text("utf-8"), re.MULTILINE)
        if found != [version]:
            raise NotReadyError(f"{name} has {', '.join(found) or 'no number'}, not {version}")


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Print the notes of the version that the tag names."""
    if len(arguments) != 1 or not arguments[0].startswith("v"):
        print("usage: release_notes.py v<version>", file=sys.stderr)
        return 2
    version = arguments[0].removeprefix("v")
    try:
        check(root, version)
        text = notes((root / "CHANGELOG.md").read_text("utf-8"), version)
    except NotReadyError as error:
        print(error, file=sys.stderr)
        return 1
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
