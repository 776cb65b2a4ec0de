"""`examples/cluster/pubmed.py` on real records, beside the same class on one machine."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import records
from pyspark.sql import functions as sql

import penstock

EXAMPLE = Path(__file__).parents[3] / "examples/cluster/pubmed.py"


def test_articles_and_authors_of_each_year(
    spark: Any, corpus: Callable[[str], Path], tmp_path: Path
) -> None:
    spec = importlib.util.spec_from_file_location("pubmed", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    pubmed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pubmed)

    # The records of several files, each many times, in two large ones.
    texts = [corpus(f"xml/pubmed/pubmed{n}.xml").read_text("utf-8") for n in (4, 5, 6, 7)]
    found = [re.search(r"<PubmedArticle>.*</PubmedArticle>", text, re.DOTALL) for text in texts]
    all_of_them = "\n".join(match[0] for match in found if match is not None)
    for name, times in (("a.xml", 40), ("b.xml", 25)):
        body = all_of_them * times
        (tmp_path / name).write_text(f"<PubmedArticleSet>{body}</PubmedArticleSet>", "utf-8")

    articles = pubmed.articles(spark, str(tmp_path / "*.xml"), bytes=1 << 20)
    parts = articles.withColumn("part", sql.spark_partition_id()).select("part").distinct().count()
    assert parts > 4
    counts: Counter[int | None] = Counter()
    authors: Counter[int | None] = Counter()
    for article in penstock.read(tmp_path / "*.xml", records.Article, at=pubmed.AT):
        counts[article.year] += 1
        authors[article.year] += len(article.authors)
    assert sum(counts.values()) == 4 * 65
    expected = [(year, counts[year], authors[year]) for year in sorted(counts, key=str)]
    assert pubmed.years(articles) == expected
