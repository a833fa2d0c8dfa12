"""A bout with people at the table, played in parts. Knows no game and no box.

The answers so far are the whole state of such a bout. The server replays them by the rules alone.
An arena reruns them with the bots: it asks each bot the same questions again, with the same seeds.
So no program has to wait while a person thinks.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from matchbox import registry
from matchbox.dice import derive_deals
from matchbox.errors import BadGame, BadMessage, BadOption, SeatFault
from matchbox.match.bout import LiveBout
from matchbox.match.frames import readable
from matchbox.match.record import Bout, Record, seat_of
from matchbox.match.referee import play
from matchbox.match.replay import iterate_moves
from matchbox.match.wire import Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matchbox.game import Game, Options, Plain
    from matchbox.match.frames import Answer, Question
    from matchbox.match.rotation_runner import Player
    from matchbox.match.wire import PlayMatch

PERSON = "person"
"""In a record, the seat of a person has this in place of a version's digest."""
DEALS: Final = 3
"""If all of this many deals are over before anybody is asked, players decide nothing."""


class PersonOwes(Exception):
    """A person has to answer before the bout can go on."""


def resume(game: Game, deal: str, seats: int, options: Options, said: Iterable[Said]) -> LiveBout:
    """Returns the bout after these answers, by the rules alone.

    Raises BadMessage if there are more answers than questions; BadGame if a function of the game
    fails or breaks the contract.
    """
    try:
        with registry.raising_bad_game():
            live = LiveBout(game, deal, (0, 0), seats, options)
            scripts = _scripts(seats, said)
            while ready := [seat for seat in owing(live) if scripts[seat]]:
                live.take(ready[0], answer_of(scripts[ready[0]].popleft()))
    except SeatFault as fault:
        raise BadGame(f"{game.spec.title} cannot be played with these options: {fault}") from fault
    if any(scripts):
        raise BadMessage("the table has answers that nobody asked for")
    return live


def find_deal(game: Game, seats: int, options: Options, deals: Iterable[str]) -> str:
    """Returns the first of these deals whose bout is not over before anybody is asked.

    Raises BadOption if there is none: then players decide nothing under these options, as in dealt
    war. Raises BadGame if a function of the game fails or breaks the contract.
    """
    for deal in deals:
        if not resume(game, deal, seats, options, []).over:
            return deal
    raise BadOption(f"with these options players decide nothing in {game.spec.title}")


def check_decisions(game: Game, seats: int, options: Options) -> None:
    """Raises as `find_deal` does, for deals that are always the same."""
    find_deal(game, seats, options, derive_deals(game.spec.name, DEALS))


def answers_before(game: Game, record: Record, bout: Bout, moves: int) -> list[Said]:
    """The answers that lead to the position of a recorded bout after this many moves.

    The position just before a forfeit is allowed. Raises BadOption if nobody can go on from
    there, because the bout is over by then or a seat has forfeited; BadRecord if the record does
    not replay.
    """
    said: list[Said] = []
    for live, made in iterate_moves(game, record, bout):
        if live.faults:  # The first one comes after the moves so far.
            if len(said) == moves:
                return said
            raise BadOption(
                f"a bot forfeits after move {len(said)} of this bout: choose that position or an "
                "earlier one"
            )
        for seat, move in made.items():
            if len(said) == moves:
                return said
            said.append(Said(seat, [move]))
    raise BadOption(f"the bout ends with move {len(said)}: choose an earlier position")


def owing(live: LiveBout) -> list[int]:
    """The seats whose answer the bout waits for."""
    return [seat for seat in live.owing if seat not in live.answered]


def bout_so_far(live: LiveBout) -> Bout:
    """The bout as it is recorded; without places and scores if it is not over."""
    if live.over:
        return live.result()
    return Bout(*live.order, live.moves, [], [], "", live.faults)


def record_of(
    game: Game, table: str, options: Mapping[str, str | int | bool], deal: str,
    seats: Sequence[str], bout: Bout,
) -> Record:  # fmt: skip
    """The record of a table's only bout; `seats` are digests of versions, or PERSON."""
    return Record(
        match=table, game=game.spec.name, rules=game.spec.rules, options=dict(options),
        deals=[deal], seats=list(seats), width=1, bouts=[bout],
    )  # fmt: skip


def play_on(
    game: Game,
    job: PlayMatch,
    said: Sequence[Said],
    open_player: Callable[[int], Player | None],
    on_progress: Callable[[], None] = lambda: None,
    *,
    rotation: int = 0,
) -> list[Said]:
    """Lets the bots play until a person owes an answer or the bout is over. Returns their answers
    after those in `said`.

    The job's entrants take their seats by the rotation. `open_player` opens the player of an
    entrant; None is a person. `on_progress` is called after every frame. Raises
    SeatFault("platform") if the platform failed.
    """
    seats = len(job.seats)
    scripts, table = _scripts(seats, said), _Answers()

    def hosted(entrant: int, _: int) -> _HostedSeat:
        seat = seat_of(entrant, rotation, seats)
        return _HostedSeat(seat, open_player(entrant), scripts[seat], table)

    with suppress(PersonOwes):
        play(game, job, hosted, on_progress=lambda _: on_progress(), rotations=[rotation])
    return table.new


def answer_of(said: Said) -> Answer:
    """The answer as the referee takes it."""
    if said.fault is not None:
        return SeatFault(said.fault, said.detail)
    return tuple(said.moves) if said.row or len(said.moves) != 1 else said.moves[0]


def said_of(seat: int, answer: Answer) -> Said:
    """The answer in the form in which a table stores it."""
    if isinstance(answer, SeatFault):
        return Said(seat, fault=answer.kind, detail=readable(answer.detail))
    if isinstance(answer, tuple):
        return Said(seat, list(answer), row=True)
    return Said(seat, [answer])


def _scripts(seats: int, said: Iterable[Said]) -> list[deque[Said]]:
    scripts: list[deque[Said]] = [deque() for _ in range(seats)]
    for one in said:
        scripts[one.seat].append(one)
    return scripts


class _Answers:
    """The answers that all seats of a table share."""

    def __init__(self) -> None:
        self.new: list[Said] = []
        """The bots' answers after the earlier ones."""
        self.last: int | None = None
        """The seat that was asked last."""


class _HostedSeat:
    """A seat that repeats its earlier answers. After them its bot answers, or PersonOwes is raised.

    A bot is asked the earlier questions too, to bring its own state up to date, but the earlier
    answers stand. If it answers otherwise now, it remembers what was not played, so its next
    question goes to a new player. A program that breaks at an earlier question forfeits at its next
    decision.
    """

    def __init__(
        self, seat: int, player: Player | None, script: deque[Said], table: _Answers
    ) -> None:
        self._seat = seat
        self._player = player
        self._script = script
        self._table = table
        self._broken: SeatFault | None = None
        self._seed: str | None = None
        """The seed of the bot's player; None before the first question."""
        self._is_new = False
        """Whether the next question goes to a new player."""
        self._ahead: list[Plain] = []
        """The moves that the bot has answered in a row, and that are still to be made."""

    def answer(self, questions: Sequence[Question]) -> list[Answer]:
        """The answer to the bout's question. Raises PersonOwes, or SeatFault("platform")."""
        if self._ahead and self._table.last != self._seat:  # The turn was over before the row was.
            self._begin_again()
        self._table.last = self._seat
        if self._script:
            known = self._script.popleft()
            if self._player is not None and self._broken is None and known.fault is None:
                self._repeat(questions, known.moves)
            return [answer_of(known)]
        if self._player is None:
            raise PersonOwes
        answer = self._broken or tuple(self._ahead) or self._ask(questions)
        self._ahead = []
        self._table.new.append(said_of(self._seat, answer))
        return [answer]

    def _repeat(self, questions: Sequence[Question], moves: list[Plain]) -> None:
        """Lets the bot answer an earlier question, which was answered with these moves."""
        if not self._ahead:
            answer = self._ask(questions)
            if not isinstance(answer, SeatFault):
                self._ahead = list(answer) if isinstance(answer, tuple) else [answer]
        if self._ahead[: len(moves)] == moves:
            del self._ahead[: len(moves)]
        else:
            self._begin_again()

    def _begin_again(self) -> None:
        self._ahead = []
        self._is_new = True

    def _ask(self, questions: Sequence[Question]) -> Answer:
        assert self._player is not None
        ((bout, view, seed),) = questions
        if self._is_new:
            self._player.end(bout)
            seed, self._is_new = self._seed, False
        self._seed = self._seed or seed
        try:
            return self._player.answer([(bout, view, seed)])[0]
        except SeatFault as fault:
            if fault.kind == "platform":
                raise
            self._broken = fault
            return fault

    def end(self, bout: int) -> None:
        """Tells the bot that the bout is over."""
        if self._player is not None:
            self._player.end(bout)

    def renew(self) -> None:
        """Gives the bot a fresh program."""
        if self._player is not None:
            self._player.renew()

    def close(self) -> None:
        """Ends the program."""
        if self._player is not None:
            self._player.close()
