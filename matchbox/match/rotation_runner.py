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

    from matchbox.game import Answers, Batch, Plain
    from matchbox.match.bout import LiveBout
    from matchbox.match.bouts import Bouts
    from matchbox.match.wire import PlayMatch

MAX_BREAKING_BOUTS: Final = 3
"""If this many bouts broke a program, it forfeits the later bouts without being asked."""
_NO_ENTRANT: Final = -1
"""Added to the banned entrants of a bout that was forfeited so. No bout bans it, so the bout is
rerun: see `Bouts.stale`."""
_MANY_BOUTS: Final = -1
"""Stands for all bouts that a program was asked about while several were in progress; no bout has
this number."""


class Player(Protocol):
    """The program behind a seat: a box, the same code in this process, or a script."""

    def answer(self, questions: Sequence[Question]) -> Sequence[Answer]:
        """Returns one answer per question. Raises SeatFault if the whole program is at fault, or
        lacked memory in one of the bouts."""

    def end(self, bout: int) -> None:
        """Tells the program that the bout is over."""

    def renew(self) -> None:
        """Replaces the program by a fresh one, which remembers nothing."""

    def close(self) -> None:
        """Ends the program at the end of the rotation."""


class RotationRunner:
    """The players of one rotation, and the bouts that they are playing.

    If a program breaks while several bouts are in progress, they and all later bouts are played one
    at a time. The questions of the broken program are sent again to a fresh one; answers already
    given stand. A bout is at fault if it breaks a program that was asked about no other bout. If
    other bouts may have caused the fault, the bout is at fault only if the program held no other.
    """

    def __init__(
        self,
        job: PlayMatch,
        rotation: int,
        players: Sequence[Player],
        bouts: Bouts,
        batch: Batch | None = None,
        *,
        one_at_a_time: bool = False,
        earlier: bool = False,
    ) -> None:
        """With a `batch`, a bout becomes a LiveBout only after a fault. `earlier` repeats a mistake
        of releases up to 0.3.14: see `_known`."""
        self._job = job
        self._rotation = rotation
        self._players = players
        self._bouts = bouts
        self._batch = batch
        self._earlier = earlier
        self._alone = job.width == ALONE
        self._width = 1 if one_at_a_time else max(1, job.width)
        self.one_at_a_time = self._width == 1
        """Whether one bout is played at a time."""
        self._batched = 0
        """How many bouts are in progress in the batch."""
        self._live: dict[int, LiveBout] = {}
        self._aside: list[LiveBout] = []
        """Bouts that are put aside: they are played one at a time."""
        self._owing: list[list[LiveBout]] = [[] for _ in players]
        self._broken: list[dict[int, SeatFault]] = [{} for _ in players]
        """By seat: the bouts that broke its program. The program is not asked about them again."""
        self._lost: list[set[int]] = [set() for _ in players]
        """By seat: the bouts that only its former program knew."""
        self._held: list[set[int]] = [
            set() if self.one_at_a_time else {_MANY_BOUTS} for _ in players
        ]
        """By seat: the bouts that its program was asked about."""
        self._suspicion: tuple[int, Sequence[int], SeatFault] | None = None
        """The seat whose program broke when asked about several bouts, these bouts, and the
        fault."""

    def play(self, deals: Iterable[int]) -> None:
        """Plays these deals; as soon as a bout ends, the next one starts."""
        waiting = iter(deals)
        while self._fill(waiting):
            self._step()

    def _fill(self, waiting: Iterator[int]) -> bool:
        """Starts bouts while there is room; returns whether any is in progress."""
        self._start(waiting)
        while self._end_batched():  # If only chance moves, a bout is over as soon as it starts.
            self._start(waiting)
        return bool(self._batched or self._live)

    def _start(self, waiting: Iterator[int]) -> None:
        while self._batched + len(self._live) < self._width:
            if self._aside:
                live = self._aside.pop(0)
                self._live[live.number] = live
                self._note(live, live.answered)
                continue
            deal = next(waiting, None)
            if deal is None:
                break
            order = (deal, self._rotation)
            if self._batch is not None and self._bouts.is_plain(order):
                seed = bytes.fromhex(self._job.deals[deal])
                seats = len(self._players)
                seeds = player_seeds(seed, self._job.match, self._rotation, seats)
                self._batch.start(deal, SeededDice(seed, 0), seeds)
                self._batched += 1
            else:
                self._live[deal] = live = self._bouts.start(order)
                self._note(live)

    def _step(self) -> None:
        """Asks every seat all its questions, and passes the answers to the rules."""
        for seat in range(len(self._owing)):
            if self._batch is not None and (questions := self._batch.ask(seat)):
                self._ask_batch(seat, questions)
                self._bouts.report_progress()
            if owing := self._owing[seat]:
                self._owing[seat] = []
                self._ask(seat, owing)
                self._bouts.report_progress()

    def _take(self, seat: int, owing: Sequence[LiveBout], answers: Sequence[Answer]) -> None:
        for live, answer in zip(owing, answers, strict=True):
            if live.take(seat, answer):
                self._note(live)

    def _note(self, live: LiveBout, answered: Collection[int] = ()) -> None:
        """Stores an ended bout, or notes the seats that owe a move; those in `answered` owe
        none."""
        if live.over:
            del self._live[live.number]
            self._end(live.number)
            self._bouts.finish(live)
        for mover in live.owing:
            if mover not in answered:
                self._owing[mover].append(live)

    def _end(self, bout: int) -> None:
        for seat in range(len(self._owing)):
            player = self._players[seat]
            player.end(bout)
            if self._alone:
                player.renew()
                self._held[seat].clear()

    def _ask_batch(self, seat: int, questions: Sequence[Question]) -> None:
        """Asks the batch's questions. After a fault its bouts are played like all others."""
        assert self._batch is not None
        try:
            if self.one_at_a_time:
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
        """Stores the ended bouts of the batch; returns whether there were any."""
        over = self._batch.over() if self._batch is not None else []
        for bout, moves, outcome in over:
            self._batched -= 1
            self._end(bout)
            self._bouts.keep((bout, self._rotation), moves, outcome)
        return bool(over)

    def _resume(self, bout: int, moves: Sequence[Plain], given: Answers) -> None:
        """Continues a bout that the batch has handed back."""
        self._batched -= 1
        self._live[bout] = live = self._bouts.restart((bout, self._rotation))
        made = 0
        while made < len(moves):
            for seat in live.owing:
                live.next_view(seat)
                live.take(seat, moves[made])
                made += 1
        for seat, answer in given.items():
            live.next_view(seat)
            live.take(seat, answer)
        self._note(live, live.answered)

    def _ask(self, seat: int, owing: Sequence[LiveBout]) -> None:
        """Asks about these bouts; there is only one if bouts are played one at a time."""
        if self.one_at_a_time and (known := self._known(seat, owing[0])) is not None:
            self._take(seat, owing, [known])
            return
        questions = [
            (live.number, live.next_view(seat), None)
            if live.sent_views[seat]
            else self._question(live, seat, 0)
            for live in owing
        ]
        try:
            if self.one_at_a_time:
                self._repeat_questions(seat, owing[0])
            answers = self._players[seat].answer(questions)
        except SeatFault as fault:
            if fault.kind == "platform":
                raise
            for live in owing:
                live.sent_views[seat].pop()
            self._break(seat, [live.number for live in owing], fault)
        else:
            self._take(seat, owing, answers)

    def _seed(self, deal: int, seat: int) -> str:
        """The seed of that seat's player in that deal."""
        job = self._job
        return player_seed(job.deals[deal], job.match, self._rotation, seat).hex()

    def _question(self, live: LiveBout, seat: int, nth: int) -> Question:
        """The seat's nth question of that bout, either new or sent before."""
        sent = live.sent_views[seat]
        view = sent[nth] if nth < len(sent) else live.next_view(seat)
        return live.number, view, None if nth else self._seed(live.number, seat)

    def _repeat_questions(self, seat: int, live: LiveBout) -> None:
        """Sends all questions of the bout except the newest to a program that does not know it."""
        self._held[seat].add(live.number)
        if live.number in self._lost[seat]:
            self._lost[seat].remove(live.number)
            for nth in range(len(live.sent_views[seat]) - 1):
                self._players[seat].answer([self._question(live, seat, nth)])
                self._bouts.report_progress()

    def _break(self, seat: int, bouts: Sequence[int], fault: SeatFault) -> None:
        """Handles a program that broke over these bouts: all bouts in progress are put aside."""
        suspects = fault.bouts or bouts
        if not fault.shared or self._held[seat] == {bouts[0]}:
            if len(suspects) == 1:
                self._broken[seat][suspects[0]] = fault
            else:
                self._suspicion = seat, suspects, fault
        for bout, moves, given in self._batch.leave() if self._batch is not None else ():
            self._resume(bout, moves, given)
        self._players[seat].renew()
        self._held[seat].clear()
        self._aside = sorted([*self._live.values(), *self._aside], key=self._turn)
        self._lost[seat] = {live.number for live in self._aside if live.sent_views[seat]}
        self._live = {}
        self._owing = [[] for _ in self._players]
        self._width = 1
        self.one_at_a_time = True

    def _turn(self, live: LiveBout) -> tuple[bool, int]:
        """The sort key of waiting bouts: it puts the first suspected bout last."""
        doubtful = self._suspicion is not None and live.number == min(self._suspicion[1])
        return doubtful, live.number

    def _known(self, seat: int, live: LiveBout) -> SeatFault | None:
        """The fault of a bout if the seat need not be asked about it; else None.

        One of the suspected bouts is always at fault: if none has broken the program again, the
        first one is, unless another one was not asked about again. Releases up to 0.3.14 found the
        first one at fault then, too. After `MAX_BREAKING_BOUTS` all later bouts are forfeited for
        now and rerun later: a breaking bout may not count in the end, if another seat's fault has
        ended it.
        """
        broken, bout = self._broken[seat], live.number
        if (
            self._suspicion is not None
            and self._suspicion[0] == seat
            and bout == min(self._suspicion[1])
        ):
            _, suspects, fault = self._suspicion
            self._suspicion = None
            unasked = [] if self._earlier else self._unasked(seat, suspects)
            if not unasked and not any(one in broken for one in suspects):
                broken[bout] = fault
        if self._unasked(seat, [bout]):
            live.banned |= {_NO_ENTRANT}
            return broken[sorted(broken)[MAX_BREAKING_BOUTS - 1]]
        return broken.get(bout)

    def _unasked(self, seat: int, bouts: Sequence[int]) -> list[int]:
        """Those of the bouts that the seat is not asked about, since so many earlier ones broke its
        program."""
        breaking = sorted(self._broken[seat])[:MAX_BREAKING_BOUTS]
        full = len(breaking) == MAX_BREAKING_BOUTS
        return [bout for bout in bouts if full and bout > breaking[-1]]
