"""`examples/pubmed` on real records, compared with a tree parser."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.thread_unsafe(reason="it is about a process of its own")

SCRIPT = Path(__file__).parents[2] / "examples/pubmed/records.py"


def run(*arguments: str | Path) -> list[str]:
    """The output of the example."""
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def expected(path: Path) -> list[list[str]]:
    """The rows of a file, by a tree parser."""
    rows = []
    for citation in ET.parse(path).getroot().iterfind("PubmedArticle/MedlineCitation"):
        article = citation.find("Article")
        assert article is not None
        title = article.find("ArticleTitle")
        assert title is not None
        names = [
            author.findtext("LastName") or author.findtext("CollectiveName") or "?"
            for author in article.iterfind("AuthorList/Author")
        ]
        parts = ["".join(part.itertext()) for part in article.iterfind("Abstract/AbstractText")]
        rows.append(
            [
                citation.findtext("PMID", ""),
                article.findtext("Journal/JournalIssue/PubDate/Year", ""),
                article.findtext("Journal/ISOAbbreviation", ""),
                "".join(title.itertext()),
                "; ".join(names),
                str(sum(len(part.split()) for part in parts)),
            ]
        )
    return rows


def test_rows(corpus: Callable[[str], Path], tmp_path: Path) -> None:
    names = ["pubmed4.xml", "pubmed5.xml", "pubmed6.xml", "pubmed7.xml"]
    files = [corpus(f"xml/pubmed/{name}") for name in names]
    rows = [row for file in files for row in expected(file)]
    target = tmp_path / "articles.csv"
    assert run("--csv", target, *files) == [f"{len(rows)} articles to {target}"]
    with target.open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["pmid", "year", "journal", "title", "authors", "words"],
            *rows,
        ]
    assert len(rows) == 4


def test_data_frames(corpus: Callable[[str], Path]) -> None:
    names = ["pubmed4.xml", "pubmed5.xml", "pubmed6.xml", "pubmed7.xml"]
    files = [corpus(f"xml/pubmed/{name}") for name in names]
    rows = [row for file in files for row in expected(file)]
    *found, last = run("--years", *files)
    counts: Counter[str] = Counter()
    authors: Counter[str] = Counter()
    for _, year, _, _, people, _ in rows:
        counts[year or "?"] += 1
        authors[year or "?"] += len(people.split("; ")) if people else 0
    assert found == [
        f"{year}  {counts[year]} articles  {authors[year]} authors" for year in sorted(counts)
    ]
    journals = {journal for _, _, journal, *_ in rows}
    assert last == f"{len(rows)} articles in {len(journals)} journals"


def test_table(corpus: Callable[[str], Path]) -> None:
    line, count = run(corpus("xml/pubmed/pubmed7.xml"))
    assert line.split()[:2] == ["29963580", "2018"]
    assert line.endswith("196 words  J Med Imaging (Bellingham)")
    assert count == "1 articles"
