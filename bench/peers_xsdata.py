"""The records as xsdata needs them: dataclasses that spell the whole path to each field."""

# ruff: noqa: RUF009 - the functions return fields
from __future__ import annotations

from dataclasses import dataclass, field


def element(name: str, **more: object) -> object:
    """Return a field for a child element."""
    return field(default=None, metadata={"name": name, "type": "Element", **more})


def elements(name: str) -> object:
    """Return a field for repeated child elements."""
    return field(default_factory=list, metadata={"name": name, "type": "Element"})


def attribute(name: str) -> object:
    """Return a field for an attribute."""
    return field(default="", metadata={"name": name, "type": "Attribute"})


@dataclass
class Author:
    """An author of an article."""

    last_name: str | None = element("LastName")


@dataclass
class AuthorList:
    """The authors of an article."""

    authors: list[Author] = elements("Author")


@dataclass
class Title:
    """A title with markup in it: a `str` would be refused."""

    content: list[object] = field(
        default_factory=list,
        metadata={"type": "Wildcard", "namespace": "##any", "mixed": True},
    )


@dataclass
class Journal:
    """The journal of an article."""

    title: str | None = element("Title")


@dataclass
class Inner:
    """The inner element of an article."""

    title: Title | None = element("ArticleTitle")
    journal: Journal | None = element("Journal")
    authors: AuthorList | None = element("AuthorList")


@dataclass
class Citation:
    """PubMed's data about an article."""

    pmid: int | None = element("PMID")
    article: Inner | None = element("Article")
    status: str = attribute("Status")


@dataclass
class PubmedArticle:
    """A record."""

    citation: Citation | None = element("MedlineCitation")


@dataclass
class PubmedArticleSet:
    """The document."""

    articles: list[PubmedArticle] = elements("PubmedArticle")


ROOTS = {"pubmed": PubmedArticleSet}
