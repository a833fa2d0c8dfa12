"""A job's bouts as numbers, small enough to send from process to process.

Knows records and what a game tells of its bouts; does not know what the numbers are for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from matchbox.lab.facts import Facts
from matchbox.match.record import entrant
from matchbox.match.replay import last_state

if TYPE_CHECKING:
    from matchbox.game import Game
    from matchbox.lab.plan import Batch
    from matchbox.match.record import Record
    from matchbox.match.wire import Note

FaultCounts = Mapping[tuple[int, str, str], int]
"""How many bouts, by (bot, kind, detail)."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One bout."""

    deal: int
    """Index into the deals of its job."""
    bots: tuple[int, ...]
    """The plan's bot of each seat."""
    entrants: tuple[int, ...]
    """Which of the table's places each seat was: the seat that it had in rotation 0."""
    places: tuple[int, ...]
    scores: tuple[int, ...]
    turns: int
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Counts:
    """All bouts of a job."""

    bouts: Sequence[Counted]
    faults: FaultCounts


def count(game: Game, batch: Batch, record: Record, notes: Iterable[Note]) -> Counts:
    """The bouts of a batch as numbers. Raises BadRecord where they do not replay."""
    turns, facts = getattr(game, "turns", len), getattr(game, "facts", None)
    seats = range(len(batch.who))
    bouts = []
    for bout in record.bouts:
        entrants = tuple(entrant(seat, bout.rotation, len(seats)) for seat in seats)
        bouts.append(
            Counted(
                deal=bout.deal,
                bots=tuple(batch.who[one] for one in entrants),
                entrants=entrants,
                places=tuple(bout.places),
                scores=tuple(bout.scores),
                turns=turns(bout.moves),
                facts={} if facts is None else facts(last_state(game, record, bout)),
            )
        )
    faults = Counter((batch.who[note.entrant], str(note.kind), note.detail) for note in notes)
    return Counts(bouts, faults)


def fault_rows(names: Sequence[str], faults: FaultCounts) -> list[dict[str, Any]]:
    """The faults of an experiment as its result lists them."""
    return [
        {"bot": names[bot], "kind": kind, "games": games, "detail": detail}
        for (bot, kind, detail), games in sorted(faults.items())
    ]
