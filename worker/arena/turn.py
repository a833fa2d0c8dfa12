"""Takes a turn at a table with people: lets its bots play on in their boxes.

Gives the bots their seats; matchbox/match/hosted_bout.py plays the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from matchbox import registry
from matchbox.match import hosted_bout
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
    match = PlayMatch(
        attempt=job.attempt,
        token=job.token,
        game=job.game,
        limits=job.limits,
        match=job.table,
        rules=job.rules,
        options=job.options,
        deals=[job.deal],
        seats=[seat or _NO_BOT for seat in job.seats],
    )
    check_rules(match)
    seats = MatchSeats(match, bundles, box)

    def open_player(entrant: int) -> Seat | None:
        return seats.open_player(entrant, 0) if job.seats[entrant] is not None else None

    said = hosted_bout.play_on(registry.game(job.game), match, job.said, open_player, watch)
    return TurnTaken(turn=job.turn, attempt=job.attempt, token=job.token, said=said)
