"""Reruns a few bouts, each alone in fresh programs, to find bots that keep state between bouts.

Tells such a bot from one that never repeats itself. The caller opens the players and acts on the
result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from matchbox.dice import SeededDice
from matchbox.errors import BoxUnavailable, SeatFault
from matchbox.match import record as records
from matchbox.match.record import entrant
from matchbox.match.referee import play_alone
from matchbox.match.replay import POSSIBLY_MACHINE_FAULTS, iterate_moves, unrepeatable_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.game import Game
    from matchbox.match.record import Bout, Record
    from matchbox.match.rotation_runner import Player
    from matchbox.match.wire import PlayMatch

RERUNS: Final = 2
"""A bout with a different result is rerun alone this many times more before a bot is named."""
_SKIPPED: Final = POSSIBLY_MACHINE_FAULTS | {"excluded"}
"""A bout with one of these faults is not sampled. "excluded" is the result of other bouts."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """The result of the rerun bouts. The entrants are in ascending order."""

    bouts: int
    stateful: list[int]
    """The entrants that answer differently alone than among other bouts."""
    unrepeatable: list[int]
    """The entrants that answer differently each time."""


def sample(
    game: Game,
    job: PlayMatch,
    record: Record,
    open_player: Callable[[int, int], Player],
    most: int,
    on_progress: Callable[[], None] = lambda: None,
) -> Sampled:
    """Reruns up to `most` bouts of the job's record alone and compares them; calls `on_progress`
    after every frame.

    The record's digest decides which bouts, so no bot can know them. Of each bout only the entrant
    with the first different answer is named, since it may have changed the others' answers. If the
    platform fails, the sample ends early without an error: the record is valid without it. Raises
    BadGame or BadRecord if the rules do not repeat themselves.
    """
    found: dict[str, set[int]] = {"stateful": set(), "unrepeatable": set()}
    done = 0
    try:
        for bout in _chosen(record, most):
            difference = _compare(game, job, record, bout, open_player, on_progress)
            if difference is not None:
                found[difference[0]].add(difference[1])
            done += 1
    except (SeatFault, BoxUnavailable):
        pass
    by_state = found["stateful"] - found["unrepeatable"]
    return Sampled(done, sorted(by_state), sorted(found["unrepeatable"]))


def _chosen(record: Record, most: int) -> list[Bout]:
    if not most:
        return []
    fit = [bout for bout in record.bouts if not (bout.faults and _SKIPPED & _kinds(bout))]
    SeededDice(bytes.fromhex(records.digest(record)), 0).shuffle(fit)
    return fit[:most]


def _kinds(bout: Bout) -> set[str]:
    return {fault.kind for fault in bout.faults}


def _compare(
    game: Game,
    job: PlayMatch,
    record: Record,
    bout: Bout,
    open_player: Callable[[int, int], Player],
    on_progress: Callable[[], None],
) -> tuple[str, int] | None:
    """The kind of difference and the entrant at fault; None if there is none that counts."""
    order = bout.deal, bout.rotation
    alone = play_alone(game, job, order, open_player, on_progress)
    if alone == bout or POSSIBLY_MACHINE_FAULTS & _kinds(alone):
        return None
    kind, other = "stateful", bout
    for _ in range(RERUNS):
        again = play_alone(game, job, order, open_player, on_progress)
        if POSSIBLY_MACHINE_FAULTS & _kinds(again):
            return None
        if again != alone:
            kind, other = "unrepeatable", again
            break
    seat = _first_to_differ(game, record, alone, other)
    return kind, entrant(seat, bout.rotation, len(job.seats))


def _first_to_differ(game: Game, record: Record, one: Bout, other: Bout) -> int:
    """The seat of the first move or fault that is in only one of two different bouts. Raises
    BadGame if there is none."""
    pairs = zip(one.moves, other.moves, strict=False)
    step = next((at for at, (mine, yours) in enumerate(pairs) if mine != yours), None)
    if step is None:
        step = min(len(one.moves), len(other.moves))
    faults = [fault for fault in (*one.faults, *other.faults) if fault.step <= step]
    odd = [fault for fault in faults if (fault in one.faults) != (fault in other.faults)]
    if odd:
        return min(odd, key=lambda fault: fault.step).seat
    if one.moves == other.moves:
        raise unrepeatable_rules(game)
    longer = max(one, other, key=lambda bout: len(bout.moves))
    movers = [seat for _, moves in iterate_moves(game, record, longer) for seat in moves]
    return movers[step]
