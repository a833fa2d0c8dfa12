"""One rotation of a match: the seats' players and the bouts in flight, in lockstep.

Every seat gets one frame with every question it owes an answer to. Knows how the bout that
brought a whole program down is found; knows no game and no box.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from matchbox.dice import SeededDice, player_seed, player_seeds
from matchbox.errors import SeatFault
from matchbox.match.frames import Answer, Question
from matchbox.match.wire import ALONE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from matchbox.game import Answers, Batch, Outcome, Plain
    from matchbox.match.bout import LiveBout
    from matchbox.match.wire import PlayMatch

_CULPRITS: Final = 3
"""Behind so many culprits the other bouts of a broken program are forfeited unasked."""


class Player(Protocol):
    """What answers for a seat: a box, the same code in this process, or a script."""

    def answer(self, questions: Sequence[Question]) -> Sequence[Answer]:
        """One answer a question. Raises SeatFault where the whole program is at fault."""

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
    """The players of one rotation, and the bouts that they are playing."""

    def __init__(
        self,
        job: PlayMatch,
        rotation: int,
        players: Sequence[Player],
        bouts: Bouts,
        batch: Batch | None = None,
    ) -> None:
        """What is played in `batch`, where the game has one, is a LiveBout only after a fault."""
        self._job = job
        self._rotation = rotation
        self._players = players
        self._bouts = bouts
        self._batch = batch
        self._alone = job.width == ALONE
        self._batched = 0
        """So many bouts are under way in the batch."""
        self._live: dict[int, LiveBout] = {}
        self._owing: list[list[LiveBout]] = [[] for _ in players]
        self._broken: list[dict[int, SeatFault]] = [{} for _ in players]
        """By seat: the live bouts that broke its program. They are not told to it again."""

    def play(self, deals: Iterable[int]) -> None:
        """Plays these deals; a place is filled again the moment its bout ends."""
        waiting = iter(deals)
        while self._fill(waiting):
            self._step()

    def _fill(self, waiting: Iterator[int]) -> bool:
        while self._batched + len(self._live) < max(1, self._job.width):
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
        return bool(self._batched or self._live)

    def _step(self) -> None:
        """Asks every seat all that it owes, and tells the rules the answers."""
        for seat in range(len(self._owing)):
            if self._batch is not None and (questions := self._batch.ask(seat)):
                self._ask_batch(seat, questions)
                self._bouts.beat()
            if owing := self._owing[seat]:
                self._owing[seat] = []
                self._take(seat, owing, self._ask(seat, owing))
                self._bouts.beat()

    def _take(self, seat: int, owing: Sequence[LiveBout], answers: Sequence[Answer]) -> None:
        for live, answer in zip(owing, answers, strict=True):
            if live.take(seat, answer):
                self._look(live)

    def _look(self, live: LiveBout, told: Collection[int] = ()) -> None:
        """Ends the bout, or sees who owes a move in it; some have been told so."""
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
            if self._broken[seat]:
                self._broken[seat].pop(bout, None)
            if self._alone:
                player.renew()

    def _ask_batch(self, seat: int, questions: Sequence[Question]) -> None:
        """Asks what the batch asks. From a fault on, its bouts are played as any other."""
        assert self._batch is not None
        try:
            answers = self._players[seat].answer(questions)
        except SeatFault as fault:
            if fault.kind == "platform":
                raise
            asked = [bout for bout, *_ in questions]
            for bout, moves, given in self._batch.leave():
                self._resume(bout, moves, given, seat if bout in asked else None)
            owing = [self._live[bout] for bout in asked]
            self._take(seat, owing, self._find_culprits(seat, questions, fault))
        else:
            for bout, moves, given in self._batch.take(seat, answers):
                self._resume(bout, moves, given)
            for bout, moves, outcome in self._batch.over():
                self._batched -= 1
                self._end(bout)
                self._bouts.keep((bout, self._rotation), moves, outcome)

    def _resume(
        self, bout: int, moves: Sequence[Plain], given: Answers, asked: int | None = None
    ) -> None:
        """Goes on with a bout that the batch gave back; `asked` has yet to answer in it."""
        self._batched -= 1
        self._live[bout] = live = self._bouts.restart((bout, self._rotation))
        made = 0
        while made < len(moves):
            for seat in live.owing:
                live.tell(seat)
                live.take(seat, moves[made])
                made += 1
        told = set(given)
        for seat, answer in given.items():
            live.tell(seat)
            if live.take(seat, answer):
                told.clear()
        if asked is not None:
            live.tell(asked)
            told.add(asked)
        self._look(live, told)

    def _ask(self, seat: int, owing: Sequence[LiveBout]) -> Sequence[Answer]:
        if not self._broken[seat]:
            return self._asked(seat, owing)
        known = dict(self._broken[seat])
        whole = [live for live in owing if live.number not in known]
        answers = iter(self._asked(seat, whole) if whole else ())
        return [known[live.number] if live.number in known else next(answers) for live in owing]

    def _asked(self, seat: int, owing: Sequence[LiveBout]) -> Sequence[Answer]:
        questions = [
            (live.number, live.tell(seat), None)
            if live.told[seat]
            else self._question(live, seat, 0)
            for live in owing
        ]
        try:
            return self._players[seat].answer(questions)
        except SeatFault as fault:
            if fault.kind == "platform":
                raise
            return self._find_culprits(seat, questions, fault)

    def _seed(self, deal: int, seat: int) -> str:
        """What seeds that seat's player in that deal."""
        job = self._job
        return player_seed(job.deals[deal], job.match, self._rotation, seat).hex()

    def _question(self, live: LiveBout, seat: int, nth: int) -> Question:
        """The seat's nth question of that bout: a new one, or one told again."""
        told = live.told[seat]
        view = told[nth] if nth < len(told) else live.tell(seat)
        return live.number, view, None if nth else self._seed(live.number, seat)

    def _find_culprits(
        self, seat: int, questions: Sequence[Question], fault: SeatFault
    ) -> list[Answer]:
        """The answers after the program broke: its bouts are told again one by one.

        Replies given before stand. Whichever bout breaks the program again is at fault, also one
        that owed nothing now: it answers for that when it is asked next. One of those that were
        asked is always at fault: where none of them breaks again, the first in the broken frame.
        """
        asked = [bout for bout, *_ in questions]
        suspects = fault.asked or asked
        broken = self._broken[seat]
        answers: dict[int, Answer] = {}
        if len(suspects) == 1:
            broken[suspects[0]] = fault
        while (culprit := self._retell(seat, asked, answers)) is not None:
            bout, again = culprit
            broken[bout] = again
            self._bouts.beat()
        for live in self._live.values():
            if self._is_behind(live.number, seat, answers):
                broken.setdefault(live.number, fault)
        answers |= broken
        if not any(isinstance(answers[bout], SeatFault) for bout in asked):
            first = min(suspects)
            answers[first] = broken[first] = fault
        return [answers[bout] for bout in asked]

    def _is_behind(self, bout: int, seat: int, answers: Mapping[int, Answer]) -> bool:
        """True for a bout behind so many culprits that it is forfeited without being told."""
        guilty = sorted(self._guilty(seat, answers))
        return len(guilty) >= _CULPRITS and bout > guilty[_CULPRITS - 1]

    def _guilty(self, seat: int, answers: Mapping[int, Answer]) -> set[int]:
        """The bouts that are known to be at fault."""
        at_fault = {bout for bout, one in answers.items() if isinstance(one, SeatFault)}
        return at_fault | self._broken[seat].keys()

    def _retell(
        self, seat: int, asked: list[int], answers: dict[int, Answer]
    ) -> tuple[int, SeatFault] | None:
        """Tells a fresh program every bout again; the first that breaks it and how, or None."""
        self._players[seat].renew()
        guilty = self._guilty(seat, answers)
        for live in self._live.values():
            if live.number in guilty or self._is_behind(live.number, seat, answers):
                continue
            for nth in range(len(live.told[seat])):
                question = self._question(live, seat, nth)
                try:
                    answer = self._players[seat].answer([question])[0]
                except SeatFault as again:
                    if again.kind == "platform":
                        raise
                    return live.number, again
                last = nth == len(live.told[seat]) - 1
                if last and live.number in asked:
                    answers.setdefault(live.number, answer)
        return None
