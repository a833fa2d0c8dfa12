"""A game by its name: its drawing of a view, its README and the example in it.

Knows where a game keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from markupsafe import Markup

from dashboard.documentation import read_game, read_readme, readme_text
from dashboard.source import Source
from matchbox.answers.games import Game
from matchbox.errors import NotFound, quoted
from matchbox.game import Plain
from matchbox.registry import broken_game, draw_module

_NO_DRAWING: Final = Markup('<p class="note warning">No drawing: {}.</p>')
_EXAMPLE: Final = re.compile(r"^## A player\n.*?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find(source: Source, name: str) -> Game:
    """Returns the game with this name. Raises NotFound."""
    game = next((one for one in source.games() if one.name == name), None)
    if game is None:
        raise NotFound(f"there is no game {quoted(name)} here; the first page lists them")
    return game


def drawing(game: str, view: Plain) -> Markup | None:
    """Returns the board as SVG, or None if the game has no drawing. Raises UnknownGame.

    If the drawing fails, returns a note with the reason: the rest of the page does not need it.
    """
    module = draw_module(game)
    if module is None:
        return None
    try:
        drawn = module.draw(view)
    except Exception as error:
        if broken := broken_game(error):
            return _NO_DRAWING.format(broken)
        raise
    if not isinstance(drawn, str) or not 1 <= drawn.count("<svg") == drawn.count("</svg>"):
        # An element without an end would swallow the rest of the page.
        return _NO_DRAWING.format(f"draw of the game {game} returned no whole SVG element")
    return Markup(drawn)  # The text of an installed game; scripts in it do not run.


def is_event(game: str, text: str) -> bool:
    """Whether a line of this text contains one of the phrases in EVENTS of the game's drawing."""
    phrases: Sequence[str] = getattr(draw_module(game), "EVENTS", ())
    return any(phrase in text for phrase in phrases)


def ending(game: str, why: str) -> str:
    """Returns the reason why a bout ended, in the words of ENDINGS of the game's drawing, if it has
    them."""
    words: Mapping[str, str] = getattr(draw_module(game), "ENDINGS", {})
    return words.get(why, why)


@cache
def summary(game: str) -> str:
    """Returns the first paragraph of the game's README; "" if it has none. Raises UnknownGame."""
    _, _, text = (readme_text(game) or "").partition("\n\n")
    first = text.partition("\n\n")[0].strip()
    return "" if first.startswith(("#", "|", "`", "-")) else " ".join(first.split())


@cache
def readme(game: str) -> Markup | None:
    """Returns the game's README as HTML, or None if it has none. Raises UnknownGame."""
    page = read_game(game)
    return page.html if page else None


@cache
def rules(game: str) -> Markup | None:
    """Returns the README's rules as HTML: the part before the section "A player".

    None if the game has no README. Raises UnknownGame.
    """
    text = readme_text(game)
    if text is None:
        return None
    return read_readme(game, text.partition("\n## A player\n")[0]).html


def example(game: str) -> str:
    """Returns the first player of the README's section "A player"; "" if there is none.

    Raises UnknownGame.
    """
    found = _EXAMPLE.search(readme_text(game) or "")
    return found[1] if found else ""
