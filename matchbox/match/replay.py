"""Replays the moves of a record by the rules, or reruns the match with its bots and compares.

Knows records and rules; the caller opens the players.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from matchbox.errors import BadGame, BadRecord, quoted
from matchbox.game import CHANCE
from matchbox.match import record as records
from matchbox.match.bout import LiveBout
from matchbox.match.record import Bout, Fault, Record
from matchbox.match.referee import play
from matchbox.match.wire import Entrant, PlayMatch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from matchbox.game import Game, Plain, State
    from matchbox.match.rotation_runner import Player

RerunVerdict = Literal["same", "different", "unrepeatable"]


class MoveIndex(NamedTuple):
    """Where a move is in a match."""

    bout: int
    """The bout's index in the record."""
    move: int
    """How many moves of the bout come before it."""


class RerunResult(NamedTuple):
    """The result of a rerun."""

    verdict: RerunVerdict
    differs: MoveIndex | None = None
    """The first move that is not the recorded one; None if all bouts are the same."""


FAULT_LINES: Final[dict[str, str]] = {
    "crash": "raised an exception and lost",
    "excluded": "lost, because it had forfeited three earlier bouts of this match",
    "illegal": "cheated and lost",
    "memory": "used too much memory and lost",
    "platform": "was stopped by a fault of the platform",
    "protocol": "gave no valid answer and lost",
    "timeout": "took too long and lost",
}
"""Each kind of fault as the transcript has it, after the seat's name."""
MACHINE_FAULTS = ("timeout", "memory", "platform")
"""Faults that depend on a machine's clock or memory. A rerun takes them from the record."""
POSSIBLY_MACHINE_FAULTS: Final = frozenset((*MACHINE_FAULTS, "protocol"))
"""Faults that prove nothing about a bot. A move at a time when it is not the bot's turn breaks the
protocol, but only a clock detects it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One position of a bout: everybody's view, and the next move."""

    views: list[Plain]
    """Each seat's view, in seat order."""
    table: Plain
    """The spectator's view."""
    to_move: list[int]
    seat: int | None
    """The seat that moved, CHANCE for a step of chance, or None at the end of the bout."""
    move: Plain
    line: str
    """The move as the transcript has it, one event per line; at the end, how the bout ended."""
    fault: Fault | None = None
    """The fault of `seat`, which made no move here."""

    @property
    def opened(self) -> Plain:
        """The spectator's view with every seat's view under "seats", for `draw`: all hands open."""
        return {**self.table, "seats": self.views} if isinstance(self.table, dict) else self.table


def steps(game: Game, record: Record, bout: Bout, *, unfinished: bool = False) -> Iterator[Step]:
    """Every position of the bout, with steps of chance and faults, the last one without a move.

    A fault stands after the move before it, and before its effect. A bout that is `unfinished` ends
    where its moves end. Raises BadRecord.
    """
    passed: list[_Position] = []
    made: _Position | None = None

    def position_at(state: State, moves: dict[int, Plain], fault: Fault | None = None) -> _Position:
        views = [game.view(state, one) for one in range(len(record.seats))]
        return _Position(views, game.view(state, None), moves, fault)

    def before(state: State, fault: Fault | None) -> None:
        passed.append(position_at(state, {CHANCE if fault is None else fault.seat: None}, fault))

    for live, moves in iterate_moves(game, record, bout, before, unfinished=unfinished):
        for position in [*passed, position_at(live.state, moves)]:
            if made is not None:
                yield from _steps_after(game, made, position.table)
            made = position
        passed.clear()
    assert made is not None
    line = "" if unfinished else _ending(bout)
    yield Step(made.views, made.table, list(live.owing), None, None, line)


def _steps_after(game: Game, made: _Position, after: Plain) -> Iterator[Step]:
    """Yields the steps that led from that position to the spectator's view `after`."""
    for seat, move in made.moves.items():
        line = FAULT_LINES[made.fault.kind] if made.fault else described(game, move, after)
        yield Step(made.views, made.table, list(made.moves), seat, move, line, made.fault)


def described(game: Game, move: Plain, table: Plain) -> str:
    """The game's line for a move that led to this view of a spectator.

    Raises BadGame if it is not a str.
    """
    line = game.describe(move, table)
    if not isinstance(line, str):
        raise BadGame(
            f"describe of the game {game.spec.name} returned {quoted(line)}; it must return a str"
        )
    return line


class _Position(NamedTuple):
    """The views of a position, and the moves, the step of chance or the fault that come next."""

    views: list[Plain]
    table: Plain
    moves: dict[int, Plain]
    fault: Fault | None


@contextmanager
def raising_bad_record(game: Game, record: Record) -> Iterator[None]:
    """Raises BadRecord with the reason if the block fails for a record of other rules than ours."""
    try:
        yield
    except Exception as error:  # Other rules may fail at any line.
        ours = game.spec.rules
        if record.rules == ours:
            raise
        raise BadRecord(
            f"it was played by rules {record.rules} of {record.game}, and the rules here, {ours}, "
            "do not replay it"
        ) from error


def replay(game: Game, record: Record) -> None:
    """Replays every bout's moves by the rules. Raises BadRecord if an outcome differs."""
    if record.rules != game.spec.rules:
        raise BadRecord(
            f"the record was played by rules {record.rules} of {game.spec.name}; "
            f"these are rules {game.spec.rules}"
        )
    for bout in record.bouts:
        for _ in iterate_moves(game, record, bout):
            pass


def last_state(game: Game, record: Record, bout: Bout) -> State:
    """The state in which the bout ended. Raises BadRecord if it does not replay."""
    for live, _ in iterate_moves(game, record, bout):
        state = live.state
    return state


def unrepeatable_rules(game: Game) -> BadGame:
    """The error of a game whose rules lead from the same deal and moves to different ends."""
    return BadGame(
        f"the rules of {game.spec.name} do not repeat themselves: the same deal and moves led to "
        "different ends; all chance must come from `dice`, and a refused move must change nothing"
    )


def check_rules(game: Game, played: Iterable[Record]) -> None:
    """Raises BadGame if one of these records, which were just played, does not replay."""
    try:
        for record in played:
            replay(game, record)
    except BadRecord as error:
        raise unrepeatable_rules(game) from error


def compare(
    game: Game,
    record: Record,
    open_player: Callable[[int, int], Player],
    order: Callable[[Iterable[int]], Iterable[int]] = iter,
    on_progress: Callable[[int], None] = lambda bouts: None,
) -> RerunResult:
    """Lets the bots of a record that replays play the match again, and compares the digests.

    `order` gets the rotations and returns them in the order of play. `on_progress` is called with
    the number of bouts that have ended since last time.

    Faults that depend on a machine's clock or memory are taken from the record; breaches of the
    protocol only if the bot does not repeat them. If the result differs, the match is rerun once
    more: if the two reruns differ too, a bot is unrepeatable. A bot that exceeds a limit here but
    not in the record also counts as unrepeatable. Releases up to 0.3.14 sometimes blamed the
    wrong bout for a crash (see `RotationRunner._known`), so a rerun that makes the same mistake
    counts as well.
    """
    rerun = partial(_rerun, game, record, open_player, order, on_progress)
    wanted, again = records.digest(record), rerun()
    if records.digest(again) == wanted:
        return RerunResult("same")
    kinds = {fault.kind for bout in record.bouts for fault in bout.faults}
    forced = POSSIBLY_MACHINE_FAULTS if "protocol" in kinds else MACHINE_FAULTS
    if "protocol" in kinds and records.digest(rerun(forced)) == wanted:
        return RerunResult("same")
    blames_first = "crash" in kinds and record.width > 1
    if blames_first and records.digest(rerun(forced, earlier=True)) == wanted:
        return RerunResult("same")
    third, found = records.digest(rerun()), first_difference(record, again)
    repeated = third == records.digest(again) and not _is_slower(record, again, found)
    return RerunResult("different" if repeated else "unrepeatable", found)


def _is_slower(record: Record, again: Record, found: MoveIndex | None) -> bool:
    """Whether the second record first differs by a fault that this machine's clock or memory may
    have caused: a bot near its limit is within it on one machine, and beyond it on another."""
    if found is None:
        return False
    known, new = record.bouts[found.bout].faults, again.bouts[found.bout].faults
    return any(fault.kind in POSSIBLY_MACHINE_FAULTS for fault in new if fault not in known)


def first_difference(record: Record, again: Record) -> MoveIndex | None:
    """The first move or fault at which the second record differs from the first; None if their
    bouts are equal."""
    for number, (one, other) in enumerate(zip(record.bouts, again.bouts, strict=False)):
        if one != other:
            pairs = enumerate(zip(one.moves, other.moves, strict=False))
            moves = min(len(one.moves), len(other.moves))
            steps = [next((at for at, (was, now) in pairs if was != now), moves)]
            steps += [fault.step for fault in one.faults if fault not in other.faults]
            steps += [fault.step for fault in other.faults if fault not in one.faults]
            return MoveIndex(number, min(steps))
    return None


def seats_at(game: Game, record: Record, place: MoveIndex) -> set[int]:
    """The seats whose move or fault has this index: at most one made the move, and any number may
    have forfeited just before it. Empty if the bout was over.

    Raises BadRecord if the bout does not replay.
    """
    bout = record.bouts[place.bout]
    movers = [seat for _, moves in iterate_moves(game, record, bout) for seat in moves]
    forfeited = {fault.seat for fault in bout.faults if fault.step == place.move}
    return {*forfeited, *movers[place.move : place.move + 1]}


def job_of(record: Record) -> PlayMatch:
    """The job that led to the record."""
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


def _rerun(
    game: Game,
    record: Record,
    open_player: Callable[[int, int], Player],
    order: Callable[[Iterable[int]], Iterable[int]],
    on_progress: Callable[[int], None],
    forced_kinds: Collection[str] = MACHINE_FAULTS,
    *,
    earlier: bool = False,
) -> Record:
    forced_faults = {
        (bout.deal, bout.rotation): faults
        for bout in record.bouts
        if (faults := {at: one for at, one in enumerate(bout.faults) if one.kind in forced_kinds})
    }
    job = job_of(record)
    return play(
        game,
        job,
        open_player,
        forced_faults=forced_faults,
        order=order,
        on_progress=on_progress,
        earlier=earlier,
    ).record


def iterate_moves(
    game: Game,
    record: Record,
    bout: Bout,
    before: Callable[[State, Fault | None], object] | None = None,
    *,
    unfinished: bool = False,
) -> Iterator[tuple[LiveBout, dict[int, Plain]]]:
    """Yields the bout before each move, with the moves by seat; then its end.

    A bout that is `unfinished` ends where its moves end. `before` is called with the state before
    every step of chance, and before every fault takes effect, with the fault. Raises BadRecord.
    """
    recorded = iter(bout.moves)
    live = _start(game, record, bout, before)
    while not live.over and not (unfinished and len(live.moves) == len(bout.moves)):
        moves = {seat: next(recorded, None) for seat in live.owing}
        yield live, moves
        for seat, move in moves.items():
            live.take(seat, move)
    ended = bout if unfinished else live.result()
    if ended != bout:
        raise BadRecord(
            f"bout {bout.deal}/{bout.rotation} of match {record.match} does not replay: "
            f"{ended.why!r} {ended.places} {ended.scores} instead of "
            f"{bout.why!r} {bout.places} {bout.scores}"
        )
    yield live, {}


def _start(
    game: Game,
    record: Record,
    bout: Bout,
    before: Callable[[State, Fault | None], object] | None,
) -> LiveBout:
    return LiveBout(
        game,
        record.deals[bout.deal],
        (bout.deal, bout.rotation),
        len(record.seats),
        record.options,
        forced_faults={
            at: fault for at, fault in enumerate(bout.faults) if fault.kind != "excluded"
        },
        excluded=[fault.seat for fault in bout.faults if fault.kind == "excluded"],
        before=before,
    )


def _ending(bout: Bout) -> str:
    if bout.faults:
        return "; ".join(f"seat {fault.seat}: {fault.kind}" for fault in bout.faults)
    return bout.why
