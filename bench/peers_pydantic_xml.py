"""The records as pydantic-xml needs them: models for each element on the path."""

from __future__ import annotations

from pydantic_xml import BaseXmlModel, attr, element, wrapped


class Author(BaseXmlModel, tag="Author", search_mode="unordered"):
    """An author of an article."""

    last_name: str | None = element(tag="LastName", default=None)


class Inner(BaseXmlModel, tag="Article", search_mode="unordered"):
    """The inner element of an article."""

    title: str | None = element(tag="ArticleTitle", default=None)
    journal: str = wrapped("Journal", element(tag="Title"))
    authors: list[Author] = wrapped("AuthorList", element(tag="Author", default=[]))


class Citation(BaseXmlModel, tag="MedlineCitation", search_mode="unordered"):
    """PubMed's data about an article."""

    status: str = attr(name="Status")
    pmid: int = element(tag="PMID")
    article: Inner = element(tag="Article")


class PubmedArticle(BaseXmlModel, tag="PubmedArticle", search_mode="unordered"):
    """A record."""

    citation: Citation = element(tag="MedlineCitation")


class PubmedArticleSet(BaseXmlModel, tag="PubmedArticleSet", search_mode="unordered"):
    """The document."""

    articles: list[PubmedArticle] = element(tag="PubmedArticle", default=[])


ROOTS = {"pubmed": PubmedArticleSet}
