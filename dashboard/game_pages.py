"""A game's own pages: its drawing of a view, and its README. Knows where a game keeps them."""

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
    """The board as SVG, or None where the game does not draw. Raises UnknownGame."""
    module = f"{package_of(game)}.draw"
    if find_spec(module) is None:
        return None
    svg: str = import_module(module).draw(view)
    return Markup(svg)  # an installed game's own text, and scripts in it do not run


@cache
def readme(game: str) -> Markup | None:
    """The game's README as HTML, or None where it has none. Raises UnknownGame."""
    page = resources.files(package_of(game)) / "README.md"
    if not page.is_file():
        return None
    folder = package_of(game).replace(".", "/")
    text = page.read_text("utf-8")
    return markdown.read(text, lambda address: site_address(folder, address)).html
