"""PubMed's records as rows: XML in, a table, CSV or data frames out.

    python examples/pubmed/records.py pubmed26n0001.xml.gz
    python examples/pubmed/records.py --csv articles.csv *.xml.gz
    python examples/pubmed/records.py --years *.xml.gz

The files that PubMed distributes hold 30,000 articles each, of some two hundred elements; the
class below names the ones that we need, and Penstock skips the rest. Records come one at a time,
so any number of files needs the same few megabytes. Columns come in batches, and no object is made
of a record: `--years` hands them to polars and to DuckDB in three lines each. Without a file it
takes the samples among the corpora that PENSTOCK_CORPORA names.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import penstock
from penstock import at

SHOWN = 12
TITLE = 62


@dataclass(slots=True)
class Author:
    """A person or, if `name` is missing, a group."""

    name: Annotated[str | None, at("LastName")] = None
    group: Annotated[str | None, at("CollectiveName")] = None


@dataclass(slots=True)
class Article:
    """The fields of a record that we need."""

    pmid: Annotated[int, at("MedlineCitation/PMID")]
    title: Annotated[str, at("MedlineCitation/Article/ArticleTitle")]
    journal: Annotated[str, at("MedlineCitation/Article/Journal/ISOAbbreviation")] = ""
    year: Annotated[int | None, at("MedlineCitation/Article/Journal/JournalIssue/PubDate/Year")] = (
        None
    )
    authors: Annotated[list[Author], at("MedlineCitation/Article/AuthorList/Author")] = field(
        default_factory=list
    )
    abstract: Annotated[list[str], at("MedlineCitation/Article/Abstract/AbstractText")] = field(
        default_factory=list
    )

    def row(self) -> tuple[int, str, str, str, str, int]:
        """Return the article as a row of a table."""
        names = [author.name or author.group or "?" for author in self.authors]
        words = sum(len(part.split()) for part in self.abstract)
        year = "" if self.year is None else str(self.year)
        return self.pmid, year, self.journal, self.title, "; ".join(names), words


YEARS = """
    select year, count(*), sum(len(authors))::int from articles group by year order by year
"""
HEADER = ("pmid", "year", "journal", "title", "authors", "words")


def articles(paths: list[Path]) -> Iterator[Article]:
    """Yield the articles of all files, in order."""
    for path in paths:
        yield from penstock.xml.read(path, Article, at="PubmedArticleSet/PubmedArticle")


def frame(paths: list[Path]) -> Any:
    """Return the articles as a data frame of polars."""
    import polars as pl  # noqa: PLC0415 - the rest does not need it

    return pl.DataFrame(penstock.columns(paths, Article, at="PubmedArticleSet/PubmedArticle"))


def years(paths: list[Path]) -> list[tuple[int | None, int, int]]:
    """Return for each year how many articles there are, and how many authors, by DuckDB."""
    import duckdb  # noqa: PLC0415 - as above

    articles = penstock.columns(paths, Article, at="PubmedArticleSet/PubmedArticle")  # noqa: F841 - the query names it
    return duckdb.sql(YEARS).fetchall()


def samples() -> list[Path]:
    """Return the sample files."""
    folder = os.environ.get("PENSTOCK_CORPORA")
    if folder is None:
        sys.exit("name a file, or set PENSTOCK_CORPORA to the folder of corpora")
    return sorted((Path(folder) / "xml" / "pubmed").glob("pubmed*.xml"))


def main() -> None:
    """Read the command line, and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--years", action="store_true", help="count the articles of each year")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all rows here")
    options = parser.parse_args()
    paths = options.files or samples()
    if options.years:
        for year, count, authors in years(paths):
            print(f"{year or '?'}  {count} articles  {authors} authors")
        table = frame(paths)
        print(f"{len(table)} articles in {table['journal'].n_unique()} journals")
        return
    found = articles(paths)
    if options.csv is not None:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(HEADER)
            count = 0
            for count, article in enumerate(found, 1):  # noqa: B007 - it is printed below
                writer.writerow(article.row())
        print(f"{count} articles to {options.csv}")
        return
    count = 0
    for count, article in enumerate(found, 1):
        if count <= SHOWN:
            pmid, year, journal, title, _, words = article.row()
            shown = title if len(title) <= TITLE else title[: TITLE - 1] + "\N{HORIZONTAL ELLIPSIS}"
            print(f"{pmid:>9}  {year:4}  {shown:{TITLE}}  {words:>4} words  {journal}")
    print(f"{count} articles")


if __name__ == "__main__":
    main()
