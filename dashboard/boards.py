"""A game's own pages: its drawing of a view, and its README. Knows where a game keeps them."""

from __future__ import annotations

from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec

from markdown_it import MarkdownIt
from markupsafe import Markup

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
    return from_markdown(page.read_text("utf-8")) if page.is_file() else None


def from_markdown(text: str) -> Markup:
    """The text as HTML without its title; addresses outside our own stay text."""
    tokens = _READER.parse(text)
    if tokens and tokens[0].tag == "h1":
        del tokens[:3]
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{max(2, int(token.tag[1]))}"
    html: str = _READER.renderer.render(tokens, _READER.options, {})
    return Markup(html.replace("<pre>", '<pre tabindex="0">'))  # the reader escapes HTML


class _Reader(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        """Links and pictures lead to our own pages or nowhere."""
        return url.startswith(("/", "#")) and not url.startswith("//")


_READER = _Reader("commonmark", {"html": False}).enable("table")
