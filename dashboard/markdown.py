"""Turns Markdown into HTML: the READMEs of games, and the docs.

The caller maps the links, but not the pictures. HTML in the text is shown as text, and an address
outside the site becomes neither a link nor a picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

Resolve = Callable[[str], str | None]
"""Maps an address in the text to one on this site; returns None if there is none."""

_READER: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
_ACCESSIBLE: Final = {
    "<pre>": '<pre tabindex="0">',  # wide ones need a tab stop to scroll
    "<table>": '<table tabindex="0">',
    "<th></th>": "<td></td>",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text below it, up to the next heading."""

    level: int
    """1 for the page's title, otherwise 2 to 6."""
    heading: str
    anchor: str
    paragraphs: list[str] = field(default_factory=list)
    """The text of each paragraph, table cell and listing, without markup."""


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed text."""

    title: str
    """The heading at the very top; "" if the text does not begin with one."""
    html: Markup
    """The HTML of everything except the title."""
    sections: list[Section]
    """The sections in order; the first holds the text before any other heading."""


def own_address(address: str) -> str | None:
    """Returns the address if it leads to this site or this page, else None."""
    return address if address.startswith(("/", "#")) and not address.startswith("//") else None


def read(text: str, resolve: Resolve = own_address) -> Page:
    """Parses the text. Its headings get anchors like those of GitHub."""
    tokens = list(_without_comments(_READER.parse(text)))
    sections = _sections(tokens)
    if tokens and tokens[0].tag == "h1":
        del tokens[:3]
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{max(2, int(token.tag[1]))}"
        if token.children is not None:
            token.children = list(_with_own_addresses(token.children, resolve))
        # The content policy forbids inline styles.
        if token.attrs.pop("style", "") == "text-align:right":
            token.attrSet("class", "number")
    html: str = _READER.renderer.render(tokens, _READER.options, {})
    for plain, accessible in _ACCESSIBLE.items():
        html = html.replace(plain, accessible)
    return Page(sections[0].heading, Markup(html), sections)


def _without_comments(tokens: list[Token]) -> Iterator[Token]:
    """Yields the tokens, without paragraphs that are an HTML comment."""
    skipped = 0
    for place, token in enumerate(tokens):
        if token.type == "paragraph_open" and _is_comment(tokens[place + 1].content):
            skipped = 3  # the beginning of the paragraph, its text and its end
        if skipped:
            skipped -= 1
        else:
            yield token


def _is_comment(text: str) -> bool:
    return text.startswith("<!--") and text.endswith("-->")


def _sections(tokens: list[Token]) -> list[Section]:
    """Returns the sections of the page, and gives each heading below the title its anchor."""
    sections = [Section(1, "", "")]
    taken: dict[str, int] = {}
    in_heading = False
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            in_heading = True
            heading = _plain(tokens[place + 1])
            if place == 0 and token.tag == "h1":
                sections = [Section(1, heading, "")]
                continue
            anchor = _anchor(heading, taken)
            token.attrSet("id", anchor)
            sections.append(Section(max(2, int(token.tag[1])), heading, anchor))
        elif token.type == "heading_close":
            in_heading = False
        elif token.type in ("inline", "fence", "code_block") and not in_heading:
            sections[-1].paragraphs.append(_plain(token))
    return sections


def _anchor(heading: str, taken: dict[str, int]) -> str:
    """Returns the heading's anchor; later headings with the same text get "-1", "-2", ..."""
    anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    number = taken.get(anchor, 0)
    chosen = anchor
    while chosen in taken:
        number += 1
        chosen = f"{anchor}-{number}"
    taken[anchor] = number
    taken[chosen] = 0
    return chosen


def _plain(token: Token) -> str:
    """Returns the token's text without markup."""
    if token.children is None:
        return token.content
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in token.children
    )


def _with_own_addresses(tokens: list[Token], resolve: Resolve) -> Iterator[Token]:
    """Yields the tokens; links have the addresses that `resolve` returns.

    A link that leads nowhere on this site stays as text, followed by its address if that is
    absolute. A picture from elsewhere becomes its description.
    """
    dropped: list[str | None] = []  # For each open link its address, or None if the link stays.
    for token in tokens:
        if token.type == "link_open":
            address = str(token.attrs["href"])
            resolved = resolve(address)
            dropped.append(None if resolved else address)
            if resolved:
                token.attrSet("href", resolved)
                yield token
        elif token.type == "link_close":
            unresolved = dropped.pop()
            if unresolved is None:
                yield token
            elif "://" in unresolved:
                yield Token("text", "", 0, content=f" ({unresolved})")
        elif token.type == "image" and not own_address(str(token.attrs["src"])):
            yield Token("text", "", 0, content=token.content)
        else:
            yield token
