"""Takes a turn at a table with people: lets its bots play on in their boxes.

Gives the bots their seats; matchbox/match/hosted_bout.py plays the turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from matchbox import registry
from matchbox.match import hosted_bout
from matchbox.match.record import seat_of
from matchbox.match.wire import Entrant, PlayMatch, TurnTaken
from worker.arena.match_seats import MatchSeats
from worker.arena.play import check_rules

if TYPE_CHECKING:
    from matchbox.match.seat import Seat
    from matchbox.match.wire import TakeTurn
    from sandbox.box import Box

_NO_BOT: Final = Entrant("0" * 64)
"""Stands at a person's seat, which is never opened."""


def take_turn(
    job: TakeTurn,
    bundles: Mapping[str, bytes],
    box: Box | None,
    watch: Callable[[], None] = lambda: None,
) -> TurnTaken:
    """Returns the bots' answers up to the point where a person owes a move or the bout is over.

    `watch` is called after every frame. Raises SeatFault("platform") if the platform failed,
    BadBundle, and BadMessage if this installation cannot play the job.
    """
    seats = len(job.seats)
    entrants = [job.seats[seat_of(entrant, job.rotation, seats)] for entrant in range(seats)]
    match = PlayMatch(
        attempt=job.attempt,
        token=job.token,
        game=job.game,
        limits=job.limits,
        match=job.table,
        rules=job.rules,
        options=job.options,
        deals=[job.deal],
        seats=[one or _NO_BOT for one in entrants],
    )
    check_rules(match)
    opened = MatchSeats(match, bundles, box)

    def open_player(entrant: int) -> Seat | None:
        return None if entrants[entrant] is None else opened.open_player(entrant, job.rotation)

    game, started = registry.game(job.game), time.monotonic()
    said = hosted_bout.play_on(game, match, job.said, open_player, watch, rotation=job.rotation)
    seconds = round(time.monotonic() - started, 3)
    return TurnTaken(
        turn=job.turn, attempt=job.attempt, token=job.token, said=said, seconds=seconds
    )
