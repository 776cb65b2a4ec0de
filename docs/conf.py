"""How Sphinx builds the documentation: `make docs`.

Pages are Markdown, and the reference is generated from the docstrings of the installed package.
Docstrings are written to be read in the source, with names in single backticks. This module adds
whatever Sphinx needs beyond that, so that no docstring has to.
"""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sphinx.ext.autodoc.mock import mock
from sphinx.util.docutils import SphinxDirective

import penstock

if TYPE_CHECKING:
    from docutils.nodes import Element, Node
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

project = "Penstock"
author = "the Penstock authors"
version = release = penstock.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_sitemap",
    "sphinxext.opengraph",
]
exclude_patterns = ["_static"]

# --- The look of the pages

html_theme = "furo"
html_title = "Penstock"
html_static_path = ["_static"]
html_css_files = ["penstock.css"]
# What search engines, previews of links and language models look for.
html_baseurl = "https://penstock-data.github.io/penstock/"
html_extra_path = ["llms.txt"]
sitemap_url_scheme = "{link}"
sitemap_show_lastmod = False
ogp_site_url = html_baseurl
ogp_social_cards = {"enable": False}
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
highlight_language = "none"
default_role = "code"
pygments_style = "friendly"
pygments_dark_style = "github-dark"
# Prompts and results are not copied.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# --- The reference

autodoc_member_order = "bysource"
# Engines stand in environments of their own.
autodoc_mock_imports = ["duckdb", "polars", "pyspark", "ray"]
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_custom_sections = [
    ("Options for reading", "params_style"),
    ("Options for writing", "params_style"),
]

# An exception says by `__module__` where it is public. From 3.13 on it also says in which line it
# begins, which is one of another file, and Sphinx would read that line of the public module.
for _name in penstock.__all__:
    _class = getattr(penstock, _name)
    is_exception = isinstance(_class, type) and issubclass(_class, BaseException)
    if is_exception and "__firstlineno__" in vars(_class):
        del _class.__firstlineno__

HERE = Path(__file__).parent
TYPES = (HERE / "../python/penstock/_base/types.py").read_text("utf-8")
STUB = (HERE / "../python/penstock/_rust.pyi").read_text("utf-8")
# Classes that only other objects create, shown without a signature.
MADE_BY_OTHERS = {
    *("Reader", "Progress", "Element", "Items", "Events", "Repair", "Document", "Records", "Rows"),
    *("Condition", "Field", "Map", "Remote", "Follower", "Changes", "Subscription"),
}
# Types of private functions.
PRIVATE = {"Grammar", "Markup"}
# Names in annotations that are Python's, or type variables, and have no page here.
PYTHON = {
    *("Any", "AsyncGenerator", "AsyncIterable", "Buffer", "Callable", "Iterable", "Iterator"),
    *(
        "E",
        "F",
        "Item",
        "Literal",
        "Mapping",
        "Method",
        "None",
        "PathLike",
        "R",
        "S",
        "Self",
        "Sequence",
        "T",
        "TypeForm",
    ),
    *("bool", "bytearray", "bytes", "dict", "float", "int", "list", "memoryview", "object", "str"),
    *("tuple", "type", "BaseException", "Exception", "ExceptionGroup", "OSError", "RuntimeError"),
    *("TypeError", "UserWarning", "ValueError", "datetime", "NotADirectoryError"),
}
# Names of other libraries in annotations.
THEIRS = {
    *("duckdb.DuckDBPyConnection", "duckdb.DuckDBPyRelation"),
    *("pa.Table", "pd.DataFrame", "pl.DataFrame", "pl.LazyFrame"),
    *("PySparkException", "SparkSession", "StructType"),
    *("datasource.DataSourceArrowWriter", "datasource.DataSourceReader"),
}


def is_public(name: str) -> bool:
    """Whether a dotted name leads to a module, a class or a function."""
    first, *rest = name.split(".")
    value: Any = importlib.import_module(first)
    # A module that needs another library is imported when it is named.
    with mock(autodoc_mock_imports):
        for part in rest:
            value = getattr(value, part, None)
    return isinstance(value, ModuleType) or callable(value)


def link_backticks(
    _app: Sphinx, _what: str, name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Turn a name in single backticks into a link if it is ours, otherwise into code."""
    around = name.split(".")

    def role(match: re.Match[str]) -> str:
        text = match[1]
        if re.fullmatch(r"[A-Za-z_][\w.]*", text):
            # `decode` in a docstring of `penstock.json` means the one of `penstock.json`.
            depths = () if text.startswith("penstock.") else range(len(around), 0, -1)
            inner = (".".join([*around[:depth], text]) for depth in depths)
            for full in (*inner, text):
                if full.startswith("penstock") and full != name and is_public(full):
                    return f":py:obj:`{text} <{full}>`"
        return f"``{text}``"

    for at, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[at] = re.sub(r"(?<!`)`([^`]+)`(?![`_])", role, line)


def typed_methods() -> dict[str, tuple[str, str]]:
    """The types of methods from the stub of the extension, whose objects have none."""
    found = {}
    for class_ in ast.parse(STUB).body:
        if not isinstance(class_, ast.ClassDef):
            continue
        for method in class_.body:
            if isinstance(method, ast.FunctionDef) and method.returns and not method.decorator_list:
                method.args.args = method.args.args[1:] or method.args.args
                method.args.posonlyargs = method.args.posonlyargs[1:]
                taken = ast.unparse(method.args) if method.args.posonlyargs else ""
                returned = ast.unparse(method.returns)
                found[f"{class_.name}.{method.name}"] = (f"({taken})", returned)
    return found


METHODS = typed_methods()


def as_it_is_called(
    _app: Sphinx,
    what: str,
    name: str,
    _obj: object,
    _options: object,
    arguments: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Write a signature with the public names."""
    name = name.removeprefix("penstock.").removeprefix("xml.")
    if name in MADE_BY_OTHERS:
        return "", None
    if what == "method" and name in METHODS:
        arguments, returned = METHODS[name]
    public = [
        text
        and text.replace("PLAIN", "object")
        # `penstock.aio` has one of this name too.
        .replace("_rust.Writer", "penstock.Writer")
        .replace("_rust.", "")
        .replace("T_co", "T")
        .replace("_T", "T")
        for text in (arguments, returned)
    ]
    return public[0], public[1]


def resolve_type(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, text: Element
) -> Element | None:
    """Find a type that a signature names without its module; Python's own need no page here."""
    if node.get("refdomain") != "py":
        return None
    target = node.get("reftarget", "").removeprefix("_rust.")
    for name in (f"penstock.{target}", f"penstock.streams.{target}", f"penstock.xml.{target}"):
        if name in env.domains.python_domain.objects:
            return env.domains.python_domain.resolve_xref(
                env, node["refdoc"], app.builder, "obj", name, node, text
            )
    is_theirs = target in PYTHON | THEIRS or target.startswith(("collections.", "os."))
    return text if is_theirs else None


PICTURE = re.compile(
    r"<picture>\n +<source .*srcset=\"(?P<dark>.+)\">\n"
    r" +<img alt=\"(?P<alt>.*)\" src=\"(?P<light>.+)\">\n</picture>\n"
)


# On GitHub, a link to a name leads to its page. Here it leads to the name.
NAMED = re.compile(r"\[`(?P<text>[^`]+)`\]\(reference/\w+\.md#(?P<name>penstock\.[\w.]+)\)")


def adapt_to_sphinx(_app: Sphinx, _page: str, content: list[str]) -> None:
    """Replace what pages say in the form that GitHub understands.

    A picture for light and dark pages becomes two images, each with a class. By that the theme
    shows the one for the page's scheme, which is not always the system's.
    """

    def images(match: re.Match[str]) -> str:
        return "\n".join(
            f"```{{image}} {match[scheme]}\n:class: only-{scheme}\n:alt: {match['alt']}\n```\n"
            for scheme in ("light", "dark")
        )

    text = PICTURE.sub(images, content[0])
    content[0] = NAMED.sub(r"{py:obj}`\g<text> <\g<name>>`", text)


class TypesInSignatures(SphinxDirective):
    """Lists the types in `penstock._base.types`, with their comments."""

    def run(self) -> list[Node]:
        """Write them as in a page, and parse that."""
        lines = TYPES.splitlines()
        text: list[str] = []
        declared = [part for part in ast.parse(TYPES).body if isinstance(part, ast.If)]
        for part in (inner for outer in declared for inner in outer.body):
            if isinstance(part, ast.ClassDef):
                text += [f".. py:class:: {part.name}", "", f"   {ast.get_docstring(part)}"]
            elif isinstance(part, ast.AnnAssign) and part.value is not None:
                name = ast.unparse(part.target)
                if name in PRIVATE:
                    continue
                written = ast.unparse(part.value).replace("'", '"')
                text += [f".. py:type:: {name}"]
                text += [f"   :canonical: {written}", ""]
                above = part.lineno - 2
                said: list[str] = []
                while lines[above].lstrip().startswith("# "):
                    said.insert(0, "   " + lines[above].lstrip()[2:])
                    above -= 1
                text += said
            text.append("")
        link_backticks(self.env.app, "", "penstock", None, None, text)
        return self.parse_text_to_nodes("\n".join(text))


def setup(app: Sphinx) -> None:
    """Connect the above."""
    app.connect("source-read", adapt_to_sphinx)
    app.connect("autodoc-process-docstring", link_backticks)
    app.connect("autodoc-process-signature", as_it_is_called)
    app.connect("missing-reference", resolve_type)
    app.add_directive("types-in-signatures", TypesInSignatures)
