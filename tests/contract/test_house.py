"""The house rules that a machine can count: sizes, names, docstrings, addresses and locks."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.contract import sources

LONGEST_FILE = 400
LONGEST_FUNCTION = 50
NAMES_THAT_NAME_NOTHING = {"utils", "util", "helpers", "common", "base", "manager", "handler"}

# Written so that this file itself does not match.
ADDRESSES = re.compile(
    r"py[p]i\.org|python[h]osted|registry\.[n]pmjs|npm[j]s\.(?:com|org)|[.]debian[.]o[r]g"
    r"|/wor[k]/|/roo[t]/\w|/hom[e]/\w|/Use[r]s/\w|/farm[/]"
)
LEFT_UNDONE = re.compile(
    r"\b(?:TO[D]O|FIX[M]E|XX[X])\b|pytest\.(?:mark\.)?(?:s[k]ip|x[f]ail)|@s[k]ip"
)
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==([^ ;\\]+)", re.MULTILINE)
LOCKS = ("requirements.lock", "requirements-openid.lock", "requirements-dev.lock")

BESIDE = {
    *("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
    *("Dockerfile", "Makefile", "docker-compose.secrets.yml", "docker-compose.yml"),
    *("pyproject.toml", "setup.py", *LOCKS),
}
"""The visible files of the checkout's first folder; a test that writes there leaves others."""


def text_of(path: Path) -> str:
    """The file's text; a picture or a font has none."""
    data = path.read_bytes()
    return "" if b"\0" in data else data.decode("utf-8")


def pins(text: str) -> dict[str, str]:
    """Every pinned version of a lock file, by the package's name."""
    return dict(PIN.findall(text))


def test_only_known_files_lie_beside_the_rooms(checkout: Path) -> None:
    beside = [path.name for path in sources.kept_files(checkout) if path.parent == checkout]
    assert {name for name in beside if not name.startswith(".")} == BESIDE


def test_no_file_is_too_long(checkout: Path) -> None:
    lengths = {
        p: len(p.read_text().splitlines()) for p in sources.modules(checkout, *sources.HOUSE)
    }
    assert not {str(path): n for path, n in lengths.items() if n > LONGEST_FILE}


def test_no_function_is_too_long(checkout: Path) -> None:
    long = [
        f"{path}:{function.lineno} {function.name}: {sources.lines_of(function)} lines"
        for path in sources.modules(checkout, *sources.HOUSE)
        for function in sources.functions(sources.tree_of(path))
        if sources.lines_of(function) > LONGEST_FUNCTION
    ]
    assert not long


def test_every_module_says_what_it_is(checkout: Path) -> None:
    for path in sources.modules(checkout, *sources.HOUSE):
        assert ast.get_docstring(sources.tree_of(path)), f"{path} has no docstring"


def test_every_name_names_something(checkout: Path) -> None:
    for path in sources.modules(checkout, *sources.HOUSE):
        names = {path.stem, *path.relative_to(checkout).parent.parts}
        assert not names & NAMES_THAT_NAME_NOTHING, path


def test_no_file_holds_an_address_of_a_registry_or_of_one_machine(checkout: Path) -> None:
    for path in sources.kept_files(checkout):
        found = ADDRESSES.search(text_of(path))
        assert found is None, f"{path} holds {found and found.group()!r}"


def test_nothing_is_left_undone(checkout: Path) -> None:
    for path in sources.modules(checkout, *sources.HOUSE, "tests"):
        found = LEFT_UNDONE.search(path.read_text())
        place = path.relative_to(checkout)
        allowed = place == Path("tests/services.py") or sources.is_somebody_elses(place)
        assert allowed or found is None, f"{path} holds {found and found.group()!r}"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_hashes_and_no_addresses(lock: str, checkout: Path) -> None:
    text = (checkout / lock).read_text()
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)
    for entry in filter(PIN.match, entries):
        assert "--hash=sha256:" in entry, entry.splitlines()[0]
    assert not re.search(r"://|\bfile:|--(?:extra-)?index-url|--find-links| @ ", text)
    unpinned = [entry for entry in entries if entry[:1].isalnum() and not PIN.match(entry)]
    assert not unpinned


def test_the_locks_agree(checkout: Path) -> None:
    plain, openid, full = (pins((checkout / lock).read_text()) for lock in LOCKS)
    assert plain.items() <= openid.items() <= full.items()


def test_the_locks_hold_every_dependency(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"], extras["openid"], extras["dev"]
    for lock, requirements in zip(LOCKS, wanted, strict=True):
        names = {re.split(r"[\[<>=;]", requirement)[0] for requirement in requirements}
        assert names <= pins((checkout / lock).read_text()).keys()


@pytest.mark.parametrize("text", ["see /hom" + "e/alice/x", "https://py" + "pi.org/simple"])
def test_an_address_is_seen(text: str) -> None:
    assert ADDRESSES.search(text)


FORMS = ("bug.yml", "idea.yml")
KINDS_OF_FIELD = {"markdown", "input", "textarea", "dropdown", "checkboxes"}


@pytest.mark.parametrize("name", FORMS)
def test_an_issue_form_is_one_that_github_takes(name: str, checkout: Path) -> None:
    form = yaml.safe_load((checkout / ".github/ISSUE_TEMPLATE" / name).read_text())
    assert form.keys() >= {"name", "description", "body"}
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert fields
    assert {field["type"] for field in form["body"]} <= KINDS_OF_FIELD
    assert all(field["attributes"]["label"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)


def test_a_public_form_sends_holes_in_the_wall_elsewhere(checkout: Path) -> None:
    folder = checkout / ".github/ISSUE_TEMPLATE"
    assert {path.name for path in folder.iterdir()} == {*FORMS, "config.yml"}
    assert "SECURITY.md" in (folder / "bug.yml").read_text()
    assert yaml.safe_load((folder / "config.yml").read_text())["blank_issues_enabled"] is False
