"""The notes of a release are its section of the changelog, and nothing is released by mistake."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("release_notes", ROOT / "scripts/release_notes.py")
assert SPEC
assert SPEC.loader
release_notes = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(release_notes)

CHANGELOG = """\
# Changelog

About this file.

## [Unreleased]

- Not yet.

## [0.2.0] - 2031-02-03

### Added

- A thing, and [a link](https://example.org).

### Fixed

- Another thing.

## [0.1.1] - unreleased

- Nobody has this.

## [0.1.0] - 2030-01-01

- The first.

## [0.0.9] - 2029-01-01

[Unreleased]: https://example.org/compare
[0.2.0]: https://example.org/0.2.0
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository at version 0.2.0."""
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / "Cargo.toml").write_text(
        '[workspace.package]\nversion = "0.2.0"\nrust-version = "1.95"\n'
    )
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 0.2.0\n")
    return tmp_path


def test_the_section_of_the_tag_is_printed(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release_notes.main(["v0.2.0"], tree) == 0
    assert capsys.readouterr().out == (
        "### Added\n\n- A thing, and [a link](https://example.org).\n\n"
        "### Fixed\n\n- Another thing.\n"
    )


def test_the_last_section_ends_before_the_links() -> None:
    assert release_notes.notes(CHANGELOG, "0.1.0") == "- The first.\n"


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("0.1.1", "CHANGELOG.md: the heading has no date: ## [0.1.1] - unreleased"),
        ("0.3.0", "CHANGELOG.md has no section for 0.3.0"),
        ("0.2", "CHANGELOG.md has no section for 0.2"),
        ("0.0.9", "CHANGELOG.md says nothing about 0.0.9"),
    ],
)
def test_a_version_without_notes_is_not_released(version: str, reason: str) -> None:
    with pytest.raises(release_notes.NotReadyError, match=f"^{re.escape(reason)}$"):
        release_notes.notes(CHANGELOG, version)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("Cargo.toml", 'version = "0.1.0"\n', "Cargo.toml has 0.1.0, not 0.2.0\n"),
        ("CITATION.cff", "cff-version: 1.2.0\n", "CITATION.cff has no number, not 0.2.0\n"),
    ],
)
def test_a_tag_of_another_version_is_not_released(
    tree: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, reason: str
) -> None:
    (tree / name).write_text(text)
    assert release_notes.main(["v0.2.0"], tree) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", reason)


@pytest.mark.parametrize("arguments", [[], ["0.2.0"], ["v0.2.0", "v0.1.0"]])
def test_the_tag_is_asked_for(
    tree: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert release_notes.main(arguments, tree) == 2
    assert capsys.readouterr().err == "usage: release_notes.py v<version>\n"


def test_the_places_that_have_a_number_are_found_in_this_repository() -> None:
    for name, pattern in release_notes.NUMBERS.items():
        assert len(re.findall(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)) == 1
