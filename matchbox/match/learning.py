"""The lessons of a bot: its own bouts as its seat saw them, in order and within limits.

Knows records and rules; runs nothing. The callers pass the matches and the season.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.json import encode

from matchbox.match.record import Bout, Fault, Record, entrant, seat_of
from matchbox.match.replay import described, iterate_moves

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.game import Game, Plain, State

MAX_RECORDS: Final = 2000
"""The greatest number of bouts of a round that a bot learns from."""
MAX_BYTES: Final = 16 << 20
"""The most bytes of JSON in all records of a lesson together."""
ME: Final = "me"
"""A bot's name in its own records."""


@dataclass(frozen=True, slots=True)
class Own:
    """A match that the bot has played."""

    record: Record
    entrant: int
    """The entrant that the bot was, by number."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """The bouts that a bot learns from after a round."""

    records: list[bytes]
    """One `LessonBout` each, as JSON."""
    left_out: int
    """How many bouts were left out because of the limits."""


class LessonStep(Struct, frozen=True):
    """A move of a bout, as the seat of the bot saw it."""

    seat: int
    """The seat that moved."""
    move: Plain
    """The move of the bot's own seat; None for another seat, whose move only `text` shows."""
    text: str
    """The move as the transcript describes it."""
    view: Plain
    """The view of the bot's seat when it made the move; None for another seat's move."""


class LessonBout(Struct, frozen=True):
    """A bout of the bot, as `learn` gets it: as the seat of the bot saw it.

    Its JSON is part of the interface for authors: the names of the fields and their order stay.
    """

    match: int
    """The number of its match among those of the lesson, from 0."""
    deal: int
    rotation: int
    options: Mapping[str, str | int | bool]
    seat: int
    """The bot's seat."""
    players: list[str]
    """By seat: ME, or the name that stands for another version in this lesson."""
    places: list[int]
    """By seat; 1 is best."""
    scores: list[int]
    why: str
    """How the bout ended."""
    faults: list[Fault]
    """As JSON, each is [moves made before it, seat, kind]."""
    steps: list[LessonStep]
    end: Plain
    """The view of the bot's seat at the end."""


def round_key(season: str, number: int, version: str) -> str:
    """The key of a version's lesson after that round, 64 hex digits: it seeds chance and names.

    `season` is the season's seed. Keep it secret: it reveals the other bots' names.
    """
    text = f"learn:{season}:{number}:{version}"
    return blake2b(text.encode(), digest_size=32).hexdigest()


def stranger(key: str, version: str) -> str:
    """The name that stands for another version in a bot's records of one round: 16 hex digits."""
    return blake2b(version.encode(), key=bytes.fromhex(key), digest_size=8).hexdigest()


def lessons(game: Game, played: Iterable[Own], key: str) -> Lessons:
    """The bot's bouts in the order of match ids, as its seat saw them.

    `key` comes from `round_key`. Raises BadRecord if a match does not replay.
    """
    ordered = sorted(played, key=lambda own: own.record.match)
    bouts = [(number, own, bout) for number, own in enumerate(ordered) for bout in own.record.bouts]
    texts: list[bytes] = []
    left = MAX_BYTES
    for number, own, bout in bouts[:MAX_RECORDS]:
        text = encode(lesson_bout(game, own, bout, number, partial(stranger, key)))
        if len(text) > left:
            break
        left -= len(text)
        texts.append(text)
    return Lessons(texts, len(bouts) - len(texts))


def lesson_bout(
    game: Game, own: Own, bout: Bout, match: int, name: Callable[[str], str]
) -> LessonBout:
    """One bout as the seat of the bot saw it. `match` is the number of its match; `name` names the
    other versions. Raises BadRecord."""
    record = own.record
    seats, mine = len(record.seats), own.entrant
    seat = seat_of(mine, bout.rotation, seats)
    versions = [record.seats[entrant(one, bout.rotation, seats)] for one in range(seats)]
    steps, end = _steps_of_seat(game, record, bout, seat)
    return LessonBout(
        match=match,
        deal=bout.deal,
        rotation=bout.rotation,
        options=record.options,
        seat=seat,
        players=[ME if one == record.seats[mine] else name(one) for one in versions],
        places=bout.places,
        scores=bout.scores,
        why=bout.why,
        faults=bout.faults,
        steps=steps,
        end=end,
    )


def _steps_of_seat(
    game: Game, record: Record, bout: Bout, seat: int
) -> tuple[list[LessonStep], Plain]:
    """Every step as that seat saw it, and the seat's view at the end."""
    steps: list[LessonStep] = []
    made: Sequence[tuple[int, Plain, Plain]] = ()
    led_to: list[Plain] = []
    """The spectator's view after the moves in `made`, if chance or a fault has followed them."""
    view: Plain = None

    def before(state: State, _: Fault | None) -> None:
        if made and not led_to:
            led_to.append(game.view(state, None))

    for live, moves in iterate_moves(game, record, bout, before):
        table = led_to.pop() if led_to else game.view(live.state, None) if made else None
        for mover, move, seen in made:
            own_move = move if mover == seat else None
            steps.append(LessonStep(mover, own_move, described(game, move, table), seen))
        view = game.view(live.state, seat) if seat in moves or not moves else None
        made = [(mover, move, view if mover == seat else None) for mover, move in moves.items()]
    return steps, view
