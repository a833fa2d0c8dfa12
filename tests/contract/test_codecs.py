"""Only a game's `codec.py` knows the places of the numbers in a brief."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract import sources

CODEC = "codec"
BRIEFS = {"brief", "_brief"}


def is_of_codec(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == CODEC


def layout_known(tree: ast.AST) -> Iterator[str]:
    """The knowledge of the layout in a module beside the codec: a private name, or a place in a
    brief."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(f".{CODEC}"):
            yield from (alias.name for alias in node.names if alias.name.startswith("_"))
        elif isinstance(node, ast.Attribute) and is_of_codec(node.value):
            if node.attr.startswith("_"):
                yield node.attr
        elif isinstance(node, ast.Subscript):
            name = node.value.attr if isinstance(node.value, ast.Attribute) else ""
            name = node.value.id if isinstance(node.value, ast.Name) else name
            if name in BRIEFS:
                yield ast.unparse(node)


def public_places(tree: ast.Module) -> set[str]:
    """The public constants with which a codec looks up or cuts bytes."""
    constants: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            constants |= {
                name.id
                for target in targets
                for name in ast.walk(target)
                if isinstance(name, ast.Name) and not name.id.startswith("_")
            }
    places = (node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript))
    names = (name for place in places for name in ast.walk(place))
    return {name.id for name in names if isinstance(name, ast.Name)} & constants


def codecs(checkout: Path) -> list[Path]:
    return sorted((checkout / "matchbox/games").glob(f"*/{CODEC}.py"))


def test_no_module_of_a_game_but_its_codec_knows_the_layout_of_a_brief(checkout: Path) -> None:
    beside = [
        file
        for codec in codecs(checkout)
        for file in codec.parent.rglob("*.py")
        if file.name != codec.name
    ]
    assert beside
    found = {file: [*layout_known(sources.tree_of(file))] for file in beside}
    assert not {str(file): names for file, names in found.items() if names}


def test_no_place_in_a_brief_is_public(checkout: Path) -> None:
    found = {codec.parent.name: public_places(sources.tree_of(codec)) for codec in codecs(checkout)}
    assert not {game: names for game, names in found.items() if names}


@pytest.mark.parametrize(
    "line",
    [
        "from matchbox.games.skull.codec import _PHASE",
        "number = codec._PHASE",
        "number = brief[0]",
        "card = self._brief[PLACE + seat]",
        "rest = brief[4:]",
    ],
)
def test_a_module_that_knows_the_layout_is_seen(line: str) -> None:
    assert [*layout_known(ast.parse(line))]


@pytest.mark.parametrize(
    "line",
    [
        "from matchbox.games.skull.codec import read_phase",
        "phase = codec.read_phase(self._brief)",
        "cards = read_cards(brief)[seat]",
    ],
)
def test_a_module_that_asks_the_codec_passes(line: str) -> None:
    assert not [*layout_known(ast.parse(line))]


@pytest.mark.parametrize(
    "source",
    [
        "PHASE = 0\ndef read_phase(brief): return brief[PHASE]",
        "PHASE, SEATS = range(2)\ndef read_seats(brief): return brief[SEATS]",
        "HEAD: Final = 4\ndef read_rest(brief): return brief[HEAD:]",
    ],
)
def test_a_public_place_is_seen(source: str) -> None:
    assert public_places(ast.parse(source))
