"""Whatever is published says the same: the names, the versions, the links, the workflows.

`pyproject.toml` has the name of the distribution and the address of the repository. Every other
place that needs one of them is compared with it here.
"""

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest

import penstock
from penstock._io import formats as _formats

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
NAME = PROJECT["name"]
URLS = PROJECT["urls"]
SOURCE = URLS["Source"]
README = (ROOT / "README.md").read_text("utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))

# Everything that people read, and the messages of the package.
TEXTS = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff")),
    *(ROOT / name for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", ".pre-commit-hooks.yaml")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / ".github").rglob("*.yml")),
    *sorted((ROOT / "python/penstock").rglob("*.py")),
]
PYTHONS = [
    found[1]
    for line in PROJECT["classifiers"]
    if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_the_distribution_has_one_name(path: Path) -> None:
    text = path.read_text("utf-8")
    extras = re.findall(r"([\w-]*penstock[\w-]*)\[([a-z,]+)\]", text)
    assert {name for name, _ in extras} <= {NAME}
    offered = PROJECT["optional-dependencies"]
    assert {extra for _, found in extras for extra in found.split(",")} <= set(offered)
    installed = re.findall(r"pip install ([^`\n#]+)", text)
    words = {word.strip("'\"").partition("[")[0] for line in installed for word in line.split()}
    assert {word for word in words if re.fullmatch(r"[\w-]*penstock[\w-]*", word)} <= {NAME}
    dependencies = re.findall(r"additional_dependencies: \[([^\]]+)\]", text)
    assert set(dependencies) <= {NAME}
    pages = re.findall(r"pypi\.org/project/([\w-]+)", text)
    assert {name for name in pages if "penstock" in name} <= {NAME}


def test_it_is_installed_under_that_name() -> None:
    assert importlib.metadata.version(NAME) == penstock.__version__
    assert importlib.metadata.metadata(NAME)["Name"] == NAME
    (command,) = importlib.metadata.entry_points(group="console_scripts", name="penstock")
    assert command.dist is not None
    assert command.dist.name == NAME


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_the_repository_has_one_address(path: Path) -> None:
    text = path.read_text("utf-8")
    for owner, name in re.findall(r"github(?:usercontent)?\.com/([\w.-]+)/(penstock)\b", text):
        assert f"https://github.com/{owner}/{name}" == SOURCE
    for found in re.findall(r"https://[\w-]+\.github\.io/penstock/", text):
        assert found == URLS["Documentation"]


def test_addresses_belong_together() -> None:
    owner, name = SOURCE.removeprefix("https://github.com/").split("/")
    assert URLS["Documentation"] == f"https://{owner}.github.io/{name}/"
    assert URLS["Changelog"] == f"{SOURCE}/blob/main/CHANGELOG.md"
    assert URLS["Issues"] == f"{SOURCE}/issues"
    build = (ROOT / "crates/penstock-python/build.rs").read_text("utf-8")
    assert f'"{URLS["Documentation"]}install.html"' in build


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def test_links_of_readme_are_absolute_and_lead_to_files() -> None:
    inline = re.findall(r"\]\(([^)\s]+)\)", README)
    inline += re.findall(r'(?:src|srcset|href)="([^"]+)"', README)
    references = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", README, re.MULTILINE))
    assert len(references) > 5
    raw = SOURCE.replace("https://github.com/", "https://raw.githubusercontent.com/")
    for url in [*inline, *references.values()]:
        assert url.startswith("https://")
        if page := re.fullmatch(rf"{URLS['Documentation']}(\w+)\.html", url):
            assert (ROOT / "docs" / f"{page[1]}.md").is_file(), url
        if not url.startswith((f"{SOURCE}/", f"{raw}/")):
            continue
        found = re.fullmatch(
            rf"(?:{SOURCE}/(?:blob|tree)|{raw})/main/(?P<path>[^#]+)(?:#(?P<anchor>.+))?", url
        )
        assert found, url
        path = ROOT / found["path"]
        assert path.is_dir() if "/tree/" in url else path.is_file(), url
        assert found["anchor"] is None or found["anchor"] in anchors(path), url


def test_references_of_readme_are_named_for_their_files_and_used() -> None:
    references = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", README, re.MULTILINE))
    assert all(url.endswith(f"/main/{name}") for name, url in references.items())
    assert list(references) == sorted(references)
    # Two pairs of brackets in code are no link.
    prose = re.sub(r"`[^`\n]*`|^```.*?^```", "", README, flags=re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"\]\[([^\]]+)\]", prose)) == set(references)


@pytest.mark.parametrize(
    "page", ["docs/install.md", "docs/internals/free_threading.md"], ids=lambda page: page
)
def test_files_of_the_source_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = set(re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:rs|py|yml|toml))`", text))
    assert len(named) > 8
    folders = ("", "crates/penstock-python/src", ".github/workflows")
    for name in named:
        assert any((ROOT / folder / name).is_file() for folder in folders), name


def test_versions_agree() -> None:
    assert penstock.__version__ == CARGO["version"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {CARGO['version']}\n" in citation
    assert re.search(rf"^## \[{re.escape(CARGO['version'])}\]", CHANGELOG, re.MULTILINE)


def test_pages_say_whether_the_version_is_out() -> None:
    version = CARGO["version"]
    heading = re.search(rf"^## \[{re.escape(version)}\] - (.+)$", CHANGELOG, re.MULTILINE)
    assert heading
    is_out = heading[1] != "unreleased"
    for page in ("README.md", "docs/index.md", "docs/install.md"):
        text = (ROOT / page).read_text("utf-8")
        assert ("is not on PyPI yet" not in text) if is_out else (f"{version} is not on" in text)


def test_interpreters_agree() -> None:
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    first, last = PYTHONS[0], PYTHONS[-1]
    assert [f"3.{minor}" for minor in range(11, int(last[2:]) + 1)] == PYTHONS
    assert f"CPython {first} to {last}" in README
    install = (ROOT / "docs/install.md").read_text("utf-8")
    assert f"CPython {', '.join(PYTHONS[:-1])} and {last}" in install
    listed = ", ".join(f'"{python}"' for python in PYTHONS)
    for name in ("ci.yml", "wheels.yml"):
        text = (ROOT / ".github/workflows" / name).read_text("utf-8")
        assert f"python: [{listed}]" in text
    assert f"--interpreter {' '.join(PYTHONS)} " in text
    assert f"for python in {' '.join(PYTHONS)};" in text


def test_the_compiler_that_pages_ask_for_is_the_one_that_is_declared() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "docs/index.md", "docs/install.md"):
        found = re.findall(
            r"Rust (?:\(stable, )?([\d.]+) or newer", (ROOT / page).read_text("utf-8")
        )
        assert found == [CARGO["rust-version"]], page


def test_wheels_are_built_by_the_maturin_that_is_tested() -> None:
    (tested,) = re.findall(
        r"^maturin==(.+)$", (ROOT / "requirements/dev.txt").read_text("utf-8"), re.MULTILINE
    )
    text = (ROOT / ".github/workflows/wheels.yml").read_text("utf-8")
    found = re.findall(r"maturin-version: v(.+)", text)
    assert found == [tested] * text.count("uses: PyO3/maturin-action")


@pytest.mark.parametrize("path", WORKFLOWS, ids=name_of)
def test_actions_are_fixed_by_their_commits(path: Path) -> None:
    text = path.read_text("utf-8")
    for used in re.findall(r"^ *(?:- )?uses: (.+)$", text, re.MULTILINE):
        if not used.startswith("./"):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", used), used
    assert "\npermissions:\n  contents: read\n" in text
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_an_action_has_one_commit_in_all_workflows() -> None:
    commits: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for action, commit in re.findall(r"uses: ([\w./-]+)@(.+)", path.read_text("utf-8")):
            commits.setdefault(action, set()).add(commit)
    assert {action: found for action, found in commits.items() if len(found) > 1} == {}


def test_the_hook_knows_the_suffixes_of_all_formats() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    pattern = re.search(r"^  files: >-\n((?:    .*\n)+)", text, re.MULTILINE)
    assert pattern
    suffixes = set(re.findall(r"\w+", re.sub(r"\(\?x\)", "", pattern[1])))
    assert {f".{suffix}" for suffix in suffixes} == set(_formats._SUFFIXES)
    matches = re.compile(pattern[1].strip())
    assert all(matches.search(f"data/some{suffix}") for suffix in _formats._SUFFIXES)
    assert not matches.search("data/some.jsonx")
    assert not matches.search("data/json")


def test_the_scripts_of_wheels_have_the_name_of_the_distribution() -> None:
    """No gate runs them: wheels for other machines take long."""
    smoke = (ROOT / "scripts/smoke.py").read_text("utf-8")
    assert re.findall(r'version\("([^"]+)"\)', smoke) == [NAME]
    for script in sorted((ROOT / "scripts").glob("*.sh")):
        names = re.findall(r"\b(penstock\w*)-\*", script.read_text("utf-8"))
        assert set(names) <= {NAME.replace("-", "_")}, script
