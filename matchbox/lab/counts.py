"""A job's bouts as numbers, small enough to send from process to process.

Knows records and the facts that a game reports; does not know what the numbers are for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from msgspec import Struct
from msgspec.structs import replace

from matchbox.errors import BadGame, BadRecord, quoted
from matchbox.lab.facts import Facts, check_facts
from matchbox.match.record import entrant
from matchbox.match.replay import iterate_moves, last_state, unrepeatable_rules

if TYPE_CHECKING:
    from matchbox.game import Game
    from matchbox.lab.plan import Sitting
    from matchbox.match.record import Bout, Record
    from matchbox.match.wire import Note

FaultKey = tuple[int, str, str]
"""A kind of fault: (bot, kind, detail)."""


class CountedBout(Struct, frozen=True, gc=False):
    """One bout, without its deal."""

    bots: tuple[int, ...]
    """The plan's bot of each seat."""
    entrants: tuple[int, ...]
    """For each seat, the seat that its bot held in rotation 0."""
    places: tuple[int, ...]
    scores: tuple[int, ...]
    turns: int
    facts: Facts = {}


class Counts(Struct, frozen=True):
    """All bouts of a job."""

    bouts: Sequence[CountedBout]
    """Many are the same object, which is sent to another process only once."""
    deals: Sequence[int]
    """For each bout, the index of its deal among the deals of its job."""
    faults: Mapping[FaultKey, int]
    """The number of bouts with each."""
    places: Mapping[FaultKey, str] = {}
    """Where the first one happened in the bot's files, if that is known: " (player.py, line 3)"."""

    def kinds(self) -> Iterable[tuple[CountedBout, int]]:
        """Bouts, each with how often that object occurs; equal bouts may come more than once."""
        kinds = {id(bout): bout for bout in self.bouts}
        return ((kinds[kind], times) for kind, times in Counter(map(id, self.bouts)).items())


def count(game: Game, sitting: Sitting, record: Record, notes: Iterable[Note]) -> Counts:
    """Counts the bouts of a sitting, which were just played. Raises BadGame if they do not replay,
    and for facts or turns that cannot be added up."""
    try:
        return _count(game, sitting, record, notes)
    except BadRecord as error:
        raise unrepeatable_rules(game) from error


def _count(game: Game, sitting: Sitting, record: Record, notes: Iterable[Note]) -> Counts:
    """See `count`. Raises BadRecord if a bout does not replay."""
    turns, facts = getattr(game, "turns", len), getattr(game, "facts", None)
    seats = range(len(sitting.bots))
    seated = {}
    for rotation in sitting.rotations:
        entrants = tuple(entrant(seat, rotation, len(seats)) for seat in seats)
        seated[rotation] = tuple(sitting.bots[one] for one in entrants), entrants
    known: dict[tuple[Any, ...], CountedBout] = {}
    bouts = []
    for bout in record.bouts:
        places, scores = tuple(bout.places), tuple(bout.scores)
        decided = bout.moves or bout.faults
        taken = turns(bout.moves) if decided else _steps_of_chance(game, record, bout)
        if type(taken) is not int:
            raise BadGame(
                f"turns of {game.spec.name} returned {quoted(taken)}; it returns a whole number"
            )
        alike = bout.rotation, places, scores, taken
        counted = known.get(alike)
        if counted is None:
            counted = CountedBout(*seated[bout.rotation], places, scores, taken)
            known[alike] = counted
        if facts is not None:
            found = facts(last_state(game, record, bout))
            counted = replace(counted, facts=check_facts(game.spec.name, found))
        bouts.append(counted)
    faults = Counter((sitting.bots[note.entrant], str(note.kind), note.detail) for note in notes)
    return Counts(bouts, [bout.deal for bout in record.bouts], faults)


def _steps_of_chance(game: Game, record: Record, bout: Bout) -> int:
    """How often chance moved in a bout. Raises BadRecord if it does not replay."""
    steps: list[object] = []
    for _ in iterate_moves(game, record, bout, lambda state, fault: steps.append(fault)):
        pass
    return steps.count(None)


class FaultRow(TypedDict):
    """How many bouts of a bot ended with a fault of this kind."""

    bot: str
    kind: str
    games: int
    detail: str
    place: str
    """As in `Counts`."""


class Faults:
    """The faults of an experiment so far."""

    def __init__(self) -> None:
        self._games: Counter[FaultKey] = Counter()
        self._places: dict[FaultKey, str] = {}

    def add(self, counts: Counts) -> None:
        """Adds the faults of a job."""
        self._games.update(counts.faults)
        self._places = {**counts.places, **self._places}

    def rows(self, names: Sequence[str]) -> list[FaultRow]:
        """The faults in the form of the experiment's result."""
        return [
            {
                "bot": names[key[0]],
                "kind": key[1],
                "games": games,
                "detail": key[2],
                "place": self._places.get(key, ""),
            }
            for key, games in sorted(self._games.items())
        ]
