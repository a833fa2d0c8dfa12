"""A game's drawing of a view, and its README. Knows where a game keeps them."""

from __future__ import annotations

from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec

from markupsafe import Markup

from dashboard import markdown
from dashboard.documentation import site_address
from matchbox.game import Plain
from matchbox.registry import package_of


def drawing(game: str, view: Plain) -> Markup | None:
    """Returns the board as SVG, or None if the game has no drawing. Raises UnknownGame."""
    module = f"{package_of(game)}.draw"
    if find_spec(module) is None:
        return None
    svg: str = import_module(module).draw(view)
    return Markup(svg)  # the text of an installed game; scripts in it do not run


@cache
def readme(game: str) -> Markup | None:
    """Returns the game's README as HTML, or None if it has none. Raises UnknownGame."""
    page = resources.files(package_of(game)) / "README.md"
    if not page.is_file():
        return None
    folder = package_of(game).replace(".", "/")
    text = page.read_text("utf-8")
    return markdown.read(text, lambda address: site_address(folder, address)).html
