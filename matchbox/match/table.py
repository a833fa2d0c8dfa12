"""One rotation of a match: the seats' players and the bouts in flight, in lockstep.

Every seat gets one frame with every question it owes an answer to, until a program breaks: then
the bouts go on one at a time. Knows which of them is at fault; knows no game and no box.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from matchbox.dice import SeededDice, player_seed, player_seeds
from matchbox.errors import SeatFault
from matchbox.match.frames import Answer, Question
from matchbox.match.wire import ALONE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from matchbox.game import Answers, Batch, Outcome, Plain
    from matchbox.match.bout import LiveBout
    from matchbox.match.wire import PlayMatch

_CULPRITS: Final = 3
"""Behind so many culprits the other bouts of a broken program are forfeited unasked."""
_OTHERS: Final = -1
"""Stands for the bouts that a program was asked about when several were in flight."""


class Player(Protocol):
    """What answers for a seat: a box, the same code in this process, or a script."""

    def answer(self, questions: Sequence[Question]) -> Sequence[Answer]:
        """One answer a question. Raises SeatFault where the whole program is at fault, or lacked
        memory in one of them."""

    def end(self, bout: int) -> None:
        """The bout is over."""

    def renew(self) -> None:
        """A fresh program, which remembers nothing."""

    def close(self) -> None:
        """The end of the rotation."""


class Bouts(Protocol):
    """The bouts of a rotation, as the match keeps them. A bout is known by (deal, rotation)."""

    def free(self, order: tuple[int, int]) -> bool:
        """Whether nobody is banned from it, or has a fault in it that is given."""

    def start(self, order: tuple[int, int]) -> LiveBout:
        """The bout at its beginning."""

    def restart(self, order: tuple[int, int]) -> LiveBout:
        """The bout at its beginning, with nobody banned and no fault given."""

    def finish(self, live: LiveBout) -> None:
        """Keeps a bout that is over."""

    def keep(self, order: tuple[int, int], moves: list[Plain], outcome: Outcome) -> None:
        """Keeps a bout that is over, in which nobody was at fault."""

    def beat(self) -> None:
        """Called after every frame, and whenever a program has broken once more."""


class Table:
    """The players of one rotation, and the bouts that they are playing.

    Where a program breaks among several bouts, all of them are put aside and finished one at a
    time, and so are those that follow. What the broken program had been told is told again to a
    fresh one, and replies given before stand. A bout is at fault that breaks a program which is
    asked about nothing else; where others may have brought it about, only if it held no other one.
    """

    def __init__(
        self,
        job: PlayMatch,
        rotation: int,
        players: Sequence[Player],
        bouts: Bouts,
        batch: Batch | None = None,
        *,
        narrow: bool = False,
    ) -> None:
        """What is played in `batch`, where the game has one, is a LiveBout only after a fault."""
        self._job = job
        self._rotation = rotation
        self._players = players
        self._bouts = bouts
        self._batch = batch
        self._alone = job.width == ALONE
        self._width = 1 if narrow else max(1, job.width)
        self.narrow = self._width == 1
        """Whether one bout is played at a time."""
        self._batched = 0
        """So many bouts are under way in the batch."""
        self._live: dict[int, LiveBout] = {}
        self._aside: list[LiveBout] = []
        """Those that wait for their turn."""
        self._owing: list[list[LiveBout]] = [[] for _ in players]
        self._broken: list[dict[int, SeatFault]] = [{} for _ in players]
        """By seat: the bouts that broke its program. They are not told to it again."""
        self._lost: list[set[int]] = [set() for _ in players]
        """By seat: the bouts that only a program knew which is gone."""
        self._held: list[set[int]] = [set() if self.narrow else {_OTHERS} for _ in players]
        """By seat: the bouts that its program was asked about."""
        self._doubt: tuple[int, Sequence[int], SeatFault] | None = None
        """The seat whose program broke when it was asked about several bouts, those, and how."""

    def play(self, deals: Iterable[int]) -> None:
        """Plays these deals; a place is filled again the moment its bout ends."""
        waiting = iter(deals)
        while self._fill(waiting):
            self._step()

    def _fill(self, waiting: Iterator[int]) -> bool:
        """Starts bouts while there is room; whether any is under way."""
        self._start(waiting)
        while self._end_batched():  # Where chance alone moves, a bout is over when it has begun.
            self._start(waiting)
        return bool(self._batched or self._live)

    def _start(self, waiting: Iterator[int]) -> None:
        while self._batched + len(self._live) < self._width:
            if self._aside:
                live = self._aside.pop(0)
                self._live[live.number] = live
                self._look(live, live.answered)
                continue
            deal = next(waiting, None)
            if deal is None:
                break
            order = (deal, self._rotation)
            if self._batch is not None and self._bouts.free(order):
                seed = bytes.fromhex(self._job.deals[deal])
                seats = len(self._players)
                seeds = player_seeds(seed, self._job.match, self._rotation, seats)
                self._batch.start(deal, SeededDice(seed, 0), seeds)
                self._batched += 1
            else:
                self._live[deal] = live = self._bouts.start(order)
                self._look(live)

    def _step(self) -> None:
        """Asks every seat all that it owes, and tells the rules the answers."""
        for seat in range(len(self._owing)):
            if self._batch is not None and (questions := self._batch.ask(seat)):
                self._ask_batch(seat, questions)
                self._bouts.beat()
            if owing := self._owing[seat]:
                self._owing[seat] = []
                self._ask(seat, owing)
                self._bouts.beat()

    def _take(self, seat: int, owing: Sequence[LiveBout], answers: Sequence[Answer]) -> None:
        for live, answer in zip(owing, answers, strict=True):
            if live.take(seat, answer):
                self._look(live)

    def _look(self, live: LiveBout, told: Collection[int] = ()) -> None:
        """Ends the bout, or sees who owes a move in it; some have made theirs."""
        if live.over:
            del self._live[live.number]
            self._end(live.number)
            self._bouts.finish(live)
        for mover in live.owing:
            if mover not in told:
                self._owing[mover].append(live)

    def _end(self, bout: int) -> None:
        for seat in range(len(self._owing)):
            player = self._players[seat]
            player.end(bout)
            if self._alone:
                player.renew()
                self._held[seat].clear()

    def _ask_batch(self, seat: int, questions: Sequence[Question]) -> None:
        """Asks what the batch asks. From a fault on, its bouts are played as any other."""
        assert self._batch is not None
        try:
            if self.narrow:
                self._held[seat].update(bout for bout, *_ in questions)
            answers = self._players[seat].answer(questions)
        except SeatFault as fault:
            if fault.kind == "platform":
                raise
            self._break(seat, [bout for bout, *_ in questions], fault)
        else:
            for bout, moves, given in self._batch.take(seat, answers):
                self._resume(bout, moves, given)
            self._end_batched()

    def _end_batched(self) -> bool:
        """Keeps the bouts of the batch that are over; whether there are any."""
        over = self._batch.over() if self._batch is not None else []
        for bout, moves, outcome in over:
            self._batched -= 1
            self._end(bout)
            self._bouts.keep((bout, self._rotation), moves, outcome)
        return bool(over)

    def _resume(self, bout: int, moves: Sequence[Plain], given: Answers) -> None:
        """Goes on with a bout that the batch gave back."""
        self._batched -= 1
        self._live[bout] = live = self._bouts.restart((bout, self._rotation))
        made = 0
        while made < len(moves):
            for seat in live.owing:
                live.tell(seat)
                live.take(seat, moves[made])
                made += 1
        for seat, answer in given.items():
            live.tell(seat)
            live.take(seat, answer)
        self._look(live, live.answered)

    def _ask(self, seat: int, owing: Sequence[LiveBout]) -> None:
        """Asks about these bouts, which is one only where play is narrow."""
        if self.narrow and (known := self._known(seat, owing[0].number)) is not None:
            self._take(seat, owing, [known])
            return
        questions = [
            (live.number, live.tell(seat), None)
            if live.told[seat]
            else self._question(live, seat, 0)
            for live in owing
        ]
        try:
            if self.narrow:
                self._tell_again(seat, owing[0])
            answers = self._players[seat].answer(questions)
        except SeatFault as fault:
            if fault.kind == "platform":
                raise
            for live in owing:
                live.told[seat].pop()
            self._break(seat, [live.number for live in owing], fault)
        else:
            self._take(seat, owing, answers)

    def _seed(self, deal: int, seat: int) -> str:
        """What seeds that seat's player in that deal."""
        job = self._job
        return player_seed(job.deals[deal], job.match, self._rotation, seat).hex()

    def _question(self, live: LiveBout, seat: int, nth: int) -> Question:
        """The seat's nth question of that bout: a new one, or one told again."""
        told = live.told[seat]
        view = told[nth] if nth < len(told) else live.tell(seat)
        return live.number, view, None if nth else self._seed(live.number, seat)

    def _tell_again(self, seat: int, live: LiveBout) -> None:
        """Tells the bout, up to the question that is new, to a program that does not know it."""
        self._held[seat].add(live.number)
        if live.number in self._lost[seat]:
            self._lost[seat].remove(live.number)
            for nth in range(len(live.told[seat]) - 1):
                self._players[seat].answer([self._question(live, seat, nth)])
                self._bouts.beat()

    def _break(self, seat: int, asked: Sequence[int], fault: SeatFault) -> None:
        """The seat's program broke when it was asked about these bouts: all are put aside."""
        suspects = fault.asked or asked
        if not fault.shared or self._held[seat] == {asked[0]}:
            if len(suspects) == 1:
                self._broken[seat][suspects[0]] = fault
            else:
                self._doubt = seat, suspects, fault
        for bout, moves, given in self._batch.leave() if self._batch is not None else ():
            self._resume(bout, moves, given)
        self._players[seat].renew()
        self._held[seat].clear()
        self._aside = sorted([*self._live.values(), *self._aside], key=self._turn)
        self._lost[seat] = {live.number for live in self._aside if live.told[seat]}
        self._live = {}
        self._owing = [[] for _ in self._players]
        self._width = 1
        self.narrow = True

    def _turn(self, live: LiveBout) -> tuple[bool, int]:
        """What tells when a bout is taken up again: the first in doubt behind all others."""
        doubtful = self._doubt is not None and live.number == min(self._doubt[1])
        return doubtful, live.number

    def _known(self, seat: int, bout: int) -> SeatFault | None:
        """The fault of a bout that the seat need not be asked about; else None.

        One of those that were in doubt is always at fault: where no other one has broken the
        program again, the first. And after so many culprits the bouts behind are forfeited.
        """
        broken = self._broken[seat]
        if self._doubt is not None and self._doubt[0] == seat and bout == min(self._doubt[1]):
            _, suspects, fault = self._doubt
            self._doubt = None
            if not any(one in broken for one in suspects):
                broken[bout] = fault
        guilty = sorted(broken)
        if len(guilty) >= _CULPRITS and bout > guilty[_CULPRITS - 1]:
            return broken[guilty[_CULPRITS - 1]]
        return broken.get(bout)
