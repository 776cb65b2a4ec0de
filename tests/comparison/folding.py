"""How the pages fold their tables: a line says who is right how often, and opens the table."""

from collections.abc import Iterable, Iterator, Sequence


def folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield lines of a page that are shown when the summary is clicked."""
    yield "<details>"
    yield f"<summary>{summary}</summary>\n"
    yield from lines
    yield "\n</details>"


def score(names: Sequence[str], answers: Sequence[Sequence[bool]], what: str) -> str:
    """Return how many answers of each library are right."""
    right = [sum(column) for column in zip(*answers, strict=True)]
    plain = (name.replace("`", "").replace(",", "") for name in names)
    said = ", ".join(f"{name} {count}" for name, count in zip(plain, right, strict=True))
    return f"{len(answers)} {what}{'' if len(answers) == 1 else 's'}. Right: {said}"
