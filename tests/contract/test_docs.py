"""The pages are true: everything that they name exists, and everything that exists is named."""

from __future__ import annotations

import re
import shlex
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from dashboard import markdown
from matchbox import registry
from matchbox.errors import FAULT_KINDS
from matchbox.match.replay import RerunVerdict
from matchbox.settings import NOT_SETTINGS, PREFIX, SECRET_FILES, Settings
from sandbox.attacks import ATTACKS as WITHIN
from sandbox.policy import LAYERS
from tests.contract import sources, tables
from tests.hostile import table as attacks

LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:\.venv/bin/)?matchbox [a-z][^`\n]*)`")
VARIABLE = re.compile(rf"\b{PREFIX}[A-Z][A-Z_]*[A-Z]\b")
PATH = re.compile(rf"`((?:{'|'.join((*sources.HOUSE, 'tests', 'docs'))})/[\w./-]+)`")
TARGET = re.compile(r"^([a-z][a-z-]*):.*?(?:## (.+))?$", re.MULTILINE)


def pages(checkout: Path) -> list[Path]:
    """Every page in Markdown."""
    return [path for path in sources.kept_files(checkout) if path.suffix == ".md"]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, in the form that renderers use."""
    headings = re.findall(r"^#+ +(.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page: Path) -> list[str]:
    """The links of a page to our own files that do not exist."""
    dead = []
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        place, _, anchor = link.partition("#")
        target = page.parent / place if place else page
        if "://" in link or link.startswith("mailto:"):
            continue
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            dead.append(link)
    return dead


def test_every_link_leads_somewhere(checkout: Path) -> None:
    dead = {str(page): dead_links(page) for page in pages(checkout)}
    assert not {page: links for page, links in dead.items() if links}


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n[a](#one) [b](#two) [c](gone.md) [d](page.md#one)\n```\n[e](no)\n```\n")
    assert dead_links(page) == ["#two", "gone.md"]


def test_every_make_target_that_a_page_names_exists(checkout: Path) -> None:
    targets = dict(TARGET.findall((checkout / "Makefile").read_text()))
    for page in pages(checkout):
        named = re.findall(r"(?:^|`)make ([a-z][a-z-]*)", page.read_text(), re.MULTILINE)
        assert set(named) <= targets.keys(), page


def test_every_make_target_says_what_it_does(checkout: Path) -> None:
    targets = dict(TARGET.findall((checkout / "Makefile").read_text()))
    assert targets
    assert not [name for name, meaning in targets.items() if not meaning]


def test_every_decision_is_dated(checkout: Path) -> None:
    sections = markdown.read((checkout / "docs/decisions.md").read_text()).sections
    decided = [section for section in sections if section.level == 3]
    assert decided
    for section in decided:
        assert re.match(r"\d{4}-\d\d-\d\d\. \w", section.paragraphs[0]), section.heading
    assert len({section.heading for section in decided}) == len(decided)


def test_the_version_has_its_section_in_the_changelog(checkout: Path) -> None:
    text = (checkout / "CHANGELOG.md").read_text()
    first, newest, *_ = re.findall(r"^## (.+)$", text, re.MULTILINE)
    version = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]["version"]
    assert first == "Unreleased"
    assert re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", newest)


def test_every_setting_is_in_the_example_with_its_default(checkout: Path) -> None:
    text = (checkout / ".env.example").read_text()
    shown = dict(re.findall(rf"^#?{PREFIX}(\w+)=(.*)$", text, re.MULTILINE))
    defaults = {knob.name.upper(): knob.default for knob in fields(Settings)}
    wanted = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in defaults.items()
    }
    assert shown == wanted


def test_every_setting_says_in_the_example_what_it_means(checkout: Path) -> None:
    text = " ".join((checkout / ".env.example").read_text().replace("\n# ", " ").split())
    for knob in fields(Settings):
        assert knob.metadata["meaning"] in text


def test_every_game_of_ours_has_a_page(checkout: Path) -> None:
    for package in registry.packages().values():
        if package.startswith("matchbox.games."):
            page = checkout / package.replace(".", "/") / "README.md"
            assert page.is_file(), f"{page} is missing"


def test_every_room_is_on_the_map(checkout: Path) -> None:
    text = (checkout / "ARCHITECTURE.md").read_text()
    rooms = set(re.findall(r"^\| `([a-z/]+)/` \|", text, re.MULTILINE))
    assert set(sources.HOUSE) - {"worker"} <= rooms
    assert all((checkout / room).is_dir() for room in rooms)


# --- Everything that exists is named ---------------------------------------------------------


def test_a_docstring_whose_first_line_ends_no_sentence_is_refused() -> None:
    with pytest.raises(ValueError, match="must end a sentence: 'Lists bots; for'"):
        tables.first_line("Lists bots; for\noperators.")
    assert tables.first_line("Lists bots.\n\nThe oldest first.") == "Lists bots."


@pytest.mark.parametrize("name", tables.TABLES)
def test_every_table_of_the_pages_is_up_to_date(name: str, checkout: Path) -> None:
    page, table = tables.TABLES[name]
    text = (checkout / page).read_text()
    assert tables.with_table(text, name, table()) == text, f"run `{tables.COMMAND}`"


def test_the_table_of_attacks_is_up_to_date() -> None:
    text = attacks.PAGE.read_text()
    assert attacks.with_table(text) == text, "run `python -m tests.hostile.table`"


def test_a_table_that_is_out_of_date_is_seen() -> None:
    text = f"a\n<!-- x: written by `{tables.COMMAND}` -->\nold\n<!-- x: end -->\nb\n"
    assert "\nnew\n" in tables.with_table(text, "x", "new")
    with pytest.raises(ValueError, match="must hold the lines"):
        tables.with_table("a page without marks", "x", "new")


def test_every_layer_of_the_wall_is_explained(checkout: Path) -> None:
    text = (checkout / "docs/threat-model.md").read_text()
    named = set(re.findall(r"^\| `(\w+)` \|", text.partition("## Layers")[2], re.MULTILINE))
    parts = {part for part, _ in WITHIN.values()}
    assert set(LAYERS) | {part.partition(":")[0] for part in parts} <= named


def test_every_kind_of_fault_is_in_the_table_for_authors(checkout: Path) -> None:
    page = (checkout / "docs/write-a-bot.md").read_text()
    named = re.findall(r"^\| `(\w+)` \| \w", page, re.MULTILINE)
    assert named == list(FAULT_KINDS)


def test_every_game_has_its_page_linked(checkout: Path) -> None:
    linked = LINK.findall((checkout / "README.md").read_text())
    for package in registry.packages().values():
        if package.startswith("matchbox.games."):
            assert f"{package.replace('.', '/')}/README.md" in linked


def test_every_verdict_of_a_verification_is_explained(checkout: Path) -> None:
    text = (checkout / "docs/protocol.md").read_text()
    for verdict in get_args(RerunVerdict):
        assert f"`{verdict}`" in text


def test_every_page_is_linked_from_the_front(checkout: Path) -> None:
    linked = LINK.findall((checkout / "README.md").read_text())
    pages_of_docs = {f"docs/{page.name}" for page in (checkout / "docs").glob("*.md")}
    assert pages_of_docs <= set(linked)


# --- Everything that is named exists ---------------------------------------------------------


def commands_shown(page: Path) -> list[list[str]]:
    """Every call of `matchbox` on the page, in a block of its own or within a line, alone or in a
    container."""
    text = page.read_text()
    shown = [block for language, block in BLOCK.findall(text) if not language]
    lines = [line for block in shown for line in block.splitlines()]
    called = [*lines, *INLINE.findall(text)]
    words = [shlex.split(line, comments=True) for line in called if "matchbox " in f"{line} "]
    found = []
    for line in words:
        at = [
            at
            for at, word in enumerate(line)
            if Path(word).name == "matchbox"
            and (at == 0 or (line[0] == "docker" and not line[at - 1].startswith("-")))
        ]
        found += [line[at[0] + 1 :]] if at else []
    return [line for line in found if line]


def command_named(words: list[str]) -> str:
    """The longest name of a command or group that these words begin with."""
    names = [name.split() for name, _ in tables.cli_commands()]
    prefixes = [name[:length] for name in names for length in range(1, len(name) + 1)]
    fitting = [prefix for prefix in prefixes if words[: len(prefix)] == prefix]
    return " ".join(sorted(fitting, key=len)[-1]) if fitting else ""


def test_every_command_that_a_page_shows_exists(checkout: Path) -> None:
    known = dict(tables.cli_commands())
    for page in pages(checkout):
        for words in commands_shown(page):
            name = command_named(words)
            assert name in known or name == " ".join(words), (page, words)
            if name in known:
                options = {option for one in known[name].params for option in one.opts}
                named = {word.partition("=")[0] for word in words if word.startswith("--")}
                assert named - {"--help"} <= options, (page, words)


def test_a_command_that_is_none_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("`matchbox fly now`\n```\n.venv/bin/matchbox season start cup\n```\n")
    assert [command_named(words) for words in commands_shown(page)] == ["season start", ""]


def test_every_setting_that_a_page_names_exists(checkout: Path) -> None:
    known = {PREFIX + knob.name.upper() for knob in fields(Settings)} | NOT_SETTINGS
    known |= SECRET_FILES.keys()
    for page in pages(checkout):
        assert set(VARIABLE.findall(page.read_text())) <= known, page


def test_every_sentence_of_the_symptoms_is_one_that_the_code_says(checkout: Path) -> None:
    page = (checkout / "docs/symptoms.md").read_text()
    tables_of_sentences = re.findall(
        r"^\| what it says \|.*\n\|.*\n((?:\|.*\n)+)", page, re.MULTILINE
    )
    rows = "".join(tables_of_sentences)
    quoted = re.findall(r"^\| `([^`]+)` \|", rows, re.MULTILINE)
    assert len(tables_of_sentences) == 2
    assert len(quoted) > 12
    code = "".join(
        path.read_text()
        for path in sources.kept_files(checkout)
        if path.suffix == ".py" and path.relative_to(checkout).parts[0] != "tests"
    )
    said = re.sub(r'"\s+f?"', "", code)
    pieces = "...".join(quoted).split("...")
    wanted = [piece.removeprefix("_FILE").strip(" ?") for piece in pieces]
    assert not [piece for piece in wanted if piece not in said]


def test_every_file_that_a_page_names_exists(checkout: Path) -> None:
    for page in pages(checkout):
        if page.name == "add-a-game.md":
            continue
        missing = [
            name for name in PATH.findall(page.read_text()) if not (checkout / name).exists()
        ]
        assert not missing, page
