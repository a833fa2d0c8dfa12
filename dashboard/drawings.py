"""A bout's drawings and lines with the bots' names in them, and its drawings in few bytes. Pure.

A game names seats by number, and the viewer "You". This module puts the bots' names in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from dashboard import wording
from dashboard.figures import marks
from matchbox.answers.matches import Bout, Match

MAX_NAME: Final = 22
"""A name in a drawing is cut at this many characters."""
_SEAT: Final = re.compile(r"\b[Ss]eat (\d+)\b")
_VIEWER: Final = re.compile(r"^(You|The other player)(?=:)")
_WORDS: Final = re.compile(r"(<title>[^<]*|>[^<]+)")
_PIECES: Final = re.compile(r"<g .*?</g>|<text.*?</text>|<title.*?</title>|<[^<]*|[^<]+", re.DOTALL)


def names_of(match: Match, bout: Bout) -> list[str]:
    """Returns a name for each seat: the bot's own, with its owner or seat where two are alike."""
    return distinct_names([match.entrants[entrant].bot for entrant in bout.seats])


def distinct_names(players: Sequence[str]) -> list[str]:
    """Returns a short name for each of the players, who are bots as owner/name, or people.

    A player that sits in several seats has the number of the seat behind the name, from 1.
    """
    short = [full.rpartition("/")[2] for full in players]
    return [
        (wording.bot(full) if short.count(name) > players.count(full) else name)
        + (f" ({seat})" if players.count(full) > 1 else "")
        for seat, (full, name) in enumerate(zip(players, short, strict=True), 1)
    ]


def tints(players: Sequence[str]) -> dict[str, str]:
    """Returns a colour for each player, as a figure gives them to its bots.

    With more players than colours, some share one.
    """
    looks = marks(players)
    return {player: looks[player].colour for player in players}


def tints_of(match: Match) -> dict[str, str]:
    """Returns the colour of each of the match's bots, by its name."""
    return tints([entrant.bot for entrant in match.entrants])


def named(text: str, names: Sequence[str]) -> str:
    """Returns a line of the transcript with names in place of "seat 1"."""
    return _SEAT.sub(lambda seat: _name(seat, names), text)


def named_drawing(svg: str, names: Sequence[str], tints: Sequence[str], viewer: int | None) -> str:
    """Returns the drawing with each bot's name and colour in place of "Seat 1".

    In the view of the seat `viewer`, "You" and "The other player" get names, too.
    """
    short = [name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…" for name in names]

    def put(found: re.Match[str]) -> str:
        words = found[0]
        if words.startswith("<title>"):
            return "<title>" + _SEAT.sub(lambda seat: escape(_name(seat, names)), words[7:])
        text = words[1:]
        if viewer is not None:
            text = _VIEWER.sub(lambda who: f"Seat {_seat_of(who[1], viewer, len(names))}", text)
        return ">" + _SEAT.sub(lambda seat: _tinted(seat, short, tints), text)

    return _WORDS.sub(put, svg)


def pieces(drawings: Iterable[str | None]) -> tuple[list[str], list[list[int] | None]]:
    """Returns the different parts of the drawings, and each drawing as the numbers of its parts.

    A drawing is the sequence of its parts. Most parts of a board do not change from step to step,
    so each is sent only once.
    """
    numbers: dict[str, int] = {}
    rows: list[list[int] | None] = [
        None
        if svg is None
        else [numbers.setdefault(part, len(numbers)) for part in _PIECES.findall(svg)]
        for svg in drawings
    ]
    return list(numbers), rows


def _seat_of(word: str, viewer: int, seats: int) -> int | str:
    """The seat that the word means. At a table of two, "The other player" is known."""
    if word == "You":
        return viewer
    return 1 - viewer if seats == 2 else word


def _name(seat: re.Match[str], names: Sequence[str]) -> str:
    number = int(seat[1])
    return names[number] if number < len(names) else seat[0]


def _tinted(seat: re.Match[str], names: Sequence[str], tints: Sequence[str]) -> str:
    number = int(seat[1])
    if number >= len(names):
        return seat[0]
    return f'<tspan fill="{tints[number]}">\N{BLACK CIRCLE}</tspan> {escape(names[number])}'
