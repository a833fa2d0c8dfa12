"""The lessons of a bot: its own bouts as its seat saw them, in order and within limits.

Knows records and rules; runs nothing. The callers pass the matches, the deals under embargo and the
season.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from msgspec.json import encode

from matchbox.match.record import Bout, Record, entrant
from matchbox.match.replay import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.game import Game, Plain

MOST_RECORDS: Final = 2000
"""The greatest number of bouts of a round that a bot learns from."""
MOST_BYTES: Final = 16 << 20
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
    """One bout each, as JSON."""
    left_out: int
    """How many bouts were left out because of the limits."""


def round_key(season: str, number: int, version: str) -> str:
    """The key of a version's lesson after that round, 64 hex digits: it seeds chance and names.

    `season` is the season's secret seed: with it one could compute the names.
    """
    text = f"learn:{season}:{number}:{version}"
    return blake2b(text.encode(), digest_size=32).hexdigest()


def stranger(key: str, version: str) -> str:
    """The name that stands for another version in a bot's records of one round: 16 hex digits."""
    return blake2b(version.encode(), key=bytes.fromhex(key), digest_size=8).hexdigest()


def lessons(
    game: Game,
    played: Iterable[Own],
    key: str,
    *,
    closed: Collection[str] = (),
    most_records: int = MOST_RECORDS,
    most_bytes: int = MOST_BYTES,
) -> Lessons:
    """The bot's bouts in the order of match ids, as its seat saw them.

    `key` comes from `round_key`. `closed` are the seeds of deals under embargo: their bouts are
    left out and not counted. Raises BadRecord if a match does not replay.
    """
    ordered = sorted(played, key=lambda own: own.record.match)
    bouts = [
        (number, own, bout)
        for number, own in enumerate(ordered)
        for bout in own.record.bouts
        if own.record.deals[bout.deal] not in closed
    ]
    lessons: list[bytes] = []
    left = most_bytes
    for number, own, bout in bouts[:most_records]:
        text = encode({"match": number, **lesson(game, own, bout, partial(stranger, key))})
        if len(text) > left:
            break
        left -= len(text)
        lessons.append(text)
    return Lessons(lessons, len(bouts) - len(lessons))


def lesson(game: Game, own: Own, bout: Bout, name: Callable[[str], str]) -> dict[str, Any]:
    """One bout as the seat of the bot saw it; `name` names the other versions.

    Keys: deal, rotation, options, seat, players (by seat), places, scores, why, faults ([moves
    made, seat, kind]), steps (seat, move, text, view) and end, the seat's view at the end. Other
    seats' moves appear only as the transcript's text. Raises BadRecord.
    """
    record = own.record
    seats = range(len(record.seats))
    mine = own.entrant
    seat = next(one for one in seats if entrant(one, bout.rotation, len(seats)) == mine)
    versions = [record.seats[entrant(one, bout.rotation, len(seats))] for one in seats]
    steps = list(_seen(game, record, bout, seat))
    return {
        "deal": bout.deal,
        "rotation": bout.rotation,
        "options": record.options,
        "seat": seat,
        "players": [ME if one == record.seats[mine] else name(one) for one in versions],
        "places": bout.places,
        "scores": bout.scores,
        "why": bout.why,
        "faults": bout.faults,
        "steps": steps[:-1],
        "end": steps[-1]["view"],
    }


def _seen(game: Game, record: Record, bout: Bout, seat: int) -> Iterator[dict[str, Any]]:
    """Yields every step as that seat saw it; the last one holds the seat's final view."""
    made: Sequence[tuple[int, Plain, Plain]] = ()
    for live, moves in walk(game, record, bout):
        table = game.view(live.state, None) if made else None
        for mover, move, view in made:
            told = game.describe(move, table)
            own = mover == seat
            yield {"seat": mover, "move": move if own else None, "text": told, "view": view}
        view = game.view(live.state, seat) if seat in moves or not moves else None
        made = [(mover, move, view if mover == seat else None) for mover, move in moves.items()]
    yield {"view": view}
