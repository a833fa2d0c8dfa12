"""The docs on the site: an index, a page for each file of docs/, and a search.

Knows where the files are, and the readers of each page. A wheel contains them too, because
`dashboard/docs` is a link to `docs`. If they are missing, the index says so.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from flask import redirect, render_template, request, url_for

from dashboard import markdown
from dashboard.responses import PageResponse
from matchbox.errors import NotFound, quoted
from matchbox.registry import games, package_of, packages

FOLDER: Final = Path(__file__).parent / "docs"
READERS: Final = {
    "For authors": {
        "write-a-bot": "from a file to a rating, limits, faults",
        "commands": "every command",
        "bots": "the shipped bots, and how each does against every other",
        "api": "the HTTP API",
    },
    "For operators": {
        "operate": "installation, proxy, accounts, mail, backups, upgrades, monitoring",
        "scale": "the size of a machine, cores, several ledgers, arenas on other hosts",
        "seasons": "a class, leagues and their seasons, leaderboards, corrections",
        "symptoms": "what you see, why it is so, what to do",
        "settings": "every setting of the platform, a league, the containers",
        "threat-model": "what the wall promises, the attacks, what cannot be stopped",
    },
    "For builders": {
        "add-a-game": "a whole game on one page",
        "league": "what ratings and seasons promise, measured",
        "figures": "the figures of the source documents, and ours",
        "performance": "how fast isolated play is, compared with a plain loop",
        "storms": "whole seasons while everything is killed, or busy",
        "protocol": "every message, with examples",
        "decisions": "design decisions and their reasons",
    },
}
"""The readers and the subject of each page, as in the README."""
MAX_WORDS: Final = 8
"""The largest number of words that a search uses."""
MAX_HITS: Final = 30
STOP_WORDS: Final = frozenset({
    "a", "an", "and", "are", "can", "do", "does", "for", "from", "how", "i", "in", "is", "it", "my",
    "of", "on", "or", "the", "to", "what", "when", "where", "which", "why", "with", "you", "your",
})  # fmt: skip
EXCERPT: Final = 240
"""The approximate length of an excerpt, in characters."""

_GAME: Final = re.compile(r"matchbox/games/([a-z0-9-]+)/README\.md")
_DECISIONS: Final = "/docs/decisions"
_PAGE: Final = re.compile(r"docs/([\w-]+)\.md")


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that a search found."""

    address: str
    title: str
    section: markdown.Section
    words: list[str]
    """The words that were searched for."""

    def excerpt(self) -> list[tuple[str, bool]]:
        """Returns pieces of the section's text, each with True if it matches the search."""
        return excerpt(self.section.paragraphs, self.words)


def rules() -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""
    yield "/docs/", docs
    yield "/docs/<page>", docs_page


def docs() -> str:
    """Returns the index, or the results of a search."""
    query = request.args.get("q", "").strip()
    titles = {name: read(name).title for name in names()}
    readers = {
        reader: {name: (titles[name], line) for name, line in lines.items() if name in titles}
        for reader, lines in READERS.items()
    }
    found = search(query) if query else []
    return render_template(
        "docs.html",
        query=query,
        hits=found[:MAX_HITS],
        found=len(found),
        readers=readers,
        games={name: game.spec.title for name, game in games().items()},
    )


def docs_page(page: str) -> PageResponse:
    """Returns one page. A file's name, such as write-a-bot.md, redirects to its page."""
    name = page.removesuffix(".md")
    if name not in names():
        lists = url_for("pages.docs")
        raise NotFound(f"the docs have no page {quoted(page)}; {lists} lists them all")
    if name != page:
        return redirect(url_for("pages.docs_page", page=name))
    return render_template("docs_page.html", page=read(name))


@cache
def names() -> list[str]:
    """Returns the names of the installed pages, without suffix; empty if no docs are installed."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


@cache
def read(name: str) -> markdown.Page:
    """Returns the page with that name, which must be one of `names()`."""
    text = (FOLDER / f"{name}.md").read_text("utf-8")
    return markdown.read(text, lambda address: site_address("docs", address))


@cache
def read_game(game: str) -> markdown.Page | None:
    """Returns the game's README, or None if it has none. Raises UnknownGame."""
    text = readme_text(game)
    return None if text is None else read_readme(game, text)


def read_readme(game: str, text: str) -> markdown.Page:
    """Returns the text of the game's README, or a part of it, as a page."""
    folder = package_of(game).replace(".", "/")
    return markdown.read(text, lambda address: site_address(folder, address))


@cache
def readme_text(game: str) -> str | None:
    """Returns the text of the game's README, or None if it has none. Raises UnknownGame."""
    page = resources.files(package_of(game)) / "README.md"
    return page.read_text("utf-8") if page.is_file() else None


def site_address(folder: str, address: str) -> str | None:
    """Returns the address on the site for a link in a file of that folder.

    Returns None for a link that leads elsewhere. The folder is relative to the checkout's root:
    "docs", or "matchbox/games/bomb".
    """
    place, mark, anchor = address.partition("#")
    if not place or place.startswith("/"):
        return markdown.own_address(address)
    file = posixpath.normpath(posixpath.join(folder, place))
    if (page := _PAGE.fullmatch(file)) and page[1] in names():
        return f"/docs/{page[1]}{mark}{anchor}"
    if game := _GAME.fullmatch(file):
        return f"/games/{game[1]}{mark}{anchor}"
    return None


def search(query: str) -> list[Hit]:
    """Returns the sections that contain every word of the query; STOP_WORDS do not count.

    Sections with more of the words in their heading come first; then those of pages for authors,
    then the rules of games. Design decisions come last.
    """
    typed = [word for word in (word.strip("?!.,:;") for word in query.lower().split()) if word]
    words = ([word for word in typed if word not in STOP_WORDS] or typed)[:MAX_WORDS]
    hits = []
    for address, page in _pages() if words else ():
        for section in page.sections:
            text = _text(page, section)
            if all(word in text for word in words):
                hits.append(Hit(address, page.title, section, words))
    return sorted(
        hits, key=lambda hit: (hit.address == _DECISIONS, -_count(hit.section.heading, words))
    )


def _pages() -> Iterator[tuple[str, markdown.Page]]:
    """Yields each page with its address: those for authors, the games' rules, then the others."""
    authors, *others = READERS.values()
    for name in (name for name in authors if name in names()):
        yield f"/docs/{name}", read(name)
    for game in packages():
        if page := read_game(game):
            yield f"/games/{game}", page
    for name in (name for lines in others for name in lines if name in names()):
        yield f"/docs/{name}", read(name)


def excerpt(paragraphs: list[str], words: list[str]) -> list[tuple[str, bool]]:
    """Returns the piece of a paragraph that contains the most words.

    The piece is cut into the words and the texts between them.
    """
    paragraph = max(paragraphs, key=lambda text: _count(text, words), default="")
    wanted = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    first = wanted.search(paragraph)
    start = max(0, first.start() - EXCERPT // 3) if first else 0
    start = paragraph.rfind(" ", 0, start) + 1 if start else 0
    shown = paragraph[start : start + EXCERPT]
    pieces, at = [("… ", False)] if start else [], 0
    for match in wanted.finditer(shown):
        pieces += [(shown[at : match.start()], False), (match[0], True)]
        at = match.end()
    rest = shown[at:] + (" …" if start + EXCERPT < len(paragraph) else "")
    return [piece for piece in [*pieces, (rest, False)] if piece[0]]


def _text(page: markdown.Page, section: markdown.Section) -> str:
    """Returns the text that a search looks through, in lower case."""
    return "\n".join([page.title, section.heading, *section.paragraphs]).lower()


def _count(text: str, words: list[str]) -> int:
    """Returns how many of the words the text contains."""
    return sum(word in text.lower() for word in words)
