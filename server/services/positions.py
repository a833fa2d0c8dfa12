"""Finds the positions of finished matches from which people can go on at a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matchbox import registry
from matchbox.errors import Conflict, NotFound
from matchbox.match import hosted_bout
from server.services.kept_records import record_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.wire import Said


@dataclass(frozen=True, slots=True)
class Place:
    """A position of a match: which bout, counted from 0, and how many of its moves are made."""

    match: str
    bout: int
    moves: int


@dataclass(frozen=True, slots=True)
class Position:
    """All that a table needs to go on from a position."""

    game: str
    options: dict[str, str | int | bool]
    deal: str
    seats: int
    rotation: int
    said: list[Said]
    """The answers that lead to it."""


def find(session: Session, place: Place) -> Position:
    """Returns the position at that place.

    Raises NotFound, Forbidden with the reason for the embargo, Conflict if the match was played by
    other rules, and BadOption if nobody can go on from there.
    """
    record = record_of(session, place.match)
    game = registry.game(record.game)
    if record.rules != game.spec.rules:
        raise Conflict(
            f"match {place.match} was played by rules {record.rules} of {game.spec.title}, and the "
            f"rules here are {game.spec.rules}; choose a newer match"
        )
    if not 0 <= place.bout < len(record.bouts):
        raise NotFound(f"match {place.match} has no bout {place.bout + 1}")
    bout = record.bouts[place.bout]
    said = hosted_bout.answers_before(game, record, bout, place.moves)
    return Position(
        game=record.game,
        options=dict(record.options),
        deal=record.deals[bout.deal],
        seats=len(record.seats),
        rotation=bout.rotation,
        said=said,
    )
