"""PubMed on Spark, with the class of the laptop: articles and authors of each year.

    spark-submit examples/cluster/pubmed.py /data/pubmed/*.xml.gz --rows /data/articles

The class is that of `examples/pubmed/records.py`, and so is the place of the records. The parts of
large files are found in a job; PubMed's own files are gzip, of which each is one part, so that as
many tasks read as there are files. Any session does: a JVM's, or one of Sail.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import penstock.spark

HERE = Path(__file__).resolve().parent
CLASS = HERE.parent / "pubmed/records.py"
AT = "PubmedArticleSet/PubmedArticle"


def articles(spark: Any, files: str | list[str], bytes: int = 64 << 20) -> Any:
    """Return the articles of all files as a data frame."""
    spark.dataSource.register(penstock.spark.DataSource)
    splits = penstock.spark.plan(spark, files, at=AT, bytes=bytes)
    return (
        spark.read.format("penstock")
        .option("into", "records:Article")
        .option("splits", splits)
        .load()
    )


def years(found: Any) -> list[tuple[int | None, int, int]]:
    """Return for each year how many articles there are, and how many authors."""
    from pyspark.sql import functions as sql  # noqa: PLC0415 - tests bring their own

    counts = found.groupBy("year").agg(sql.count("*"), sql.sum(sql.size("authors")))
    return [tuple(row) for row in counts.orderBy("year").collect()]


def session() -> Any:
    """Return a session whose workers can import the class."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - tests bring their own

    spark = SparkSession.builder.appName("pubmed").getOrCreate()
    spark.sparkContext.addPyFile(str(CLASS))
    return spark


def main() -> None:
    """Read the command line, count, and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rows", metavar="FOLDER", help="write all articles here")
    options = parser.parse_args()
    found = articles(session(), options.files)
    for year, count, authors in years(found):
        print(f"{year or '?'}  {count} articles  {authors} authors")
    if options.rows is not None:
        rows = found.select("pmid", "year", "journal", "title")
        writer = rows.write.format("penstock").option("compression", "zstd")
        writer.mode("overwrite").save(options.rows)


if __name__ == "__main__":
    main()
