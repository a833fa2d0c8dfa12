"""The two proofs of a record: its moves through the rules again, and its bots played again.

Knows records and rules; what answers for a seat in a verification is handed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from matchbox.errors import BadRecord
from matchbox.match import record as records
from matchbox.match.bout import LiveBout
from matchbox.match.record import Bout, Fault, Record
from matchbox.match.referee import play
from matchbox.match.wire import Entrant, PlayMatch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from matchbox.game import Game, Plain, State
    from matchbox.match.table import Player

Verdict = Literal["same", "different", "unrepeatable"]

_TAKEN_FROM_RECORD = ("timeout", "memory", "platform")
_PERHAPS_BY_A_CLOCK = (*_TAKEN_FROM_RECORD, "protocol")
"""Thinking off turn breaks the protocol, and it is a clock that finds it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One position of a bout: what everybody saw, and the move that came next."""

    views: list[Plain]
    """What each seat saw, in seat order."""
    table: Plain
    """What a spectator saw."""
    to_move: list[int]
    seat: int | None
    """Who moved, or None where the bout is over."""
    move: Plain
    line: str
    """The move as the transcript has it, one event a line; or how the bout ended."""


def steps(game: Game, record: Record, bout: Bout) -> Iterator[Step]:
    """Every position of the bout, the last one without a move. Raises BadRecord."""
    seats = range(len(record.seats))
    made: list[tuple[list[Plain], Plain, list[int], int, Plain]] = []
    for live, moves in walk(game, record, bout):
        table = game.view(live.state, None)
        for views, before, movers, seat, move in made:
            yield Step(views, before, movers, seat, move, game.describe(move, table))
        views = [game.view(live.state, one) for one in seats]
        made = [(views, table, list(moves), seat, move) for seat, move in moves.items()]
    yield Step(views, table, [], None, None, _ending(bout))


def replay(game: Game, record: Record) -> None:
    """Plays every bout's moves through the rules again. Raises BadRecord where one differs."""
    if record.rules != game.spec.rules:
        raise BadRecord(
            f"the record was played by rules {record.rules} of {game.spec.name}; "
            f"these are rules {game.spec.rules}"
        )
    for bout in record.bouts:
        for _ in walk(game, record, bout):
            pass


def last_state(game: Game, record: Record, bout: Bout) -> State:
    """The state in which the bout ended. Raises BadRecord where it does not replay."""
    for live, _ in walk(game, record, bout):
        state = live.state
    return state


def verify(
    game: Game,
    record: Record,
    open_player: Callable[[int, int], Player],
    order: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Verdict:
    """The record's match played again by its bots, against the digest of the record.

    `order` is given the rotations each time and returns them in the order of play.

    Faults that a machine's clock or memory decides are taken from the record, breaches of the
    protocol only where the bot does not repeat them. A bot that differs is played once more:
    where the two new matches differ as well, it is the bot that does not repeat itself. Raises
    BadRecord where the record was played on another Python minor version, or does not replay.
    """
    if record.python and record.python != records.python_minor():
        raise BadRecord(
            f"the record was played on Python {record.python} and this is "
            f"{records.python_minor()}; verify it there"
        )
    replay(game, record)
    wanted = records.digest(record)
    again = records.digest(_play_again(game, record, open_player, order))
    if again == wanted:
        return "same"
    if any(fault.kind == "protocol" for bout in record.bouts for fault in bout.faults):
        bound = _play_again(game, record, open_player, order, _PERHAPS_BY_A_CLOCK)
        if records.digest(bound) == wanted:
            return "same"
    third = records.digest(_play_again(game, record, open_player, order))
    return "different" if third == again else "unrepeatable"


def job_of(record: Record) -> PlayMatch:
    """The job that the record is the result of."""
    return PlayMatch(
        attempt=0,
        token="",
        game=record.game,
        limits={},
        match=record.match,
        rules=record.rules,
        options=record.options,
        deals=record.deals,
        seats=[
            Entrant(version, memory=memory or None)
            for version, memory in zip(record.seats, memories(record), strict=True)
        ],
        width=record.width,
    )


def memories(record: Record) -> list[str]:
    """The digest of each entrant's memory, "" for none."""
    return record.memories or [""] * len(record.seats)


def _play_again(
    game: Game,
    record: Record,
    open_player: Callable[[int, int], Player],
    order: Callable[[Iterable[int]], Iterable[int]],
    given: Collection[str] = _TAKEN_FROM_RECORD,
) -> Record:
    binding = {
        (bout.deal, bout.rotation): faults
        for bout in record.bouts
        if (faults := [fault for fault in bout.faults if fault.kind in given])
    }
    return play(game, job_of(record), open_player, binding=binding, order=order).record


def walk(game: Game, record: Record, bout: Bout) -> Iterator[tuple[LiveBout, dict[int, Plain]]]:
    """The bout before each of its moves, by seat, and at its end. Raises BadRecord."""
    recorded = iter(bout.moves)
    live = _start(game, record, bout)
    while not live.over:
        moves = {seat: next(recorded, None) for seat in live.owing}
        yield live, moves
        for seat, move in moves.items():
            live.take(seat, move)
    ended = live.result()
    if ended != bout:
        raise BadRecord(
            f"bout {bout.deal}/{bout.rotation} of match {record.match} does not replay: "
            f"{ended.why!r} {ended.places} instead of {bout.why!r} {bout.places}"
        )
    yield live, {}


def _start(game: Game, record: Record, bout: Bout) -> LiveBout:
    excluded = [fault for fault in bout.faults if fault.kind == "excluded"]
    return LiveBout(
        game,
        record.deals[bout.deal],
        (bout.deal, bout.rotation),
        len(record.seats),
        record.options,
        given=_given(bout, excluded),
        excluded=[fault.seat for fault in excluded],
    )


def _given(bout: Bout, excluded: list[Fault]) -> list[Fault]:
    return [fault for fault in bout.faults if fault not in excluded]


def _ending(bout: Bout) -> str:
    if bout.faults:
        return "; ".join(f"seat {fault.seat}: {fault.kind}" for fault in bout.faults)
    return bout.why
