"""One rotation of a match: the seats' players and the bouts in flight, in lockstep.

Every seat gets one frame with every question it owes an answer to. Knows how the bout that
brought a whole program down is found; knows no game and no box.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from matchbox.dice import player_seed
from matchbox.errors import SeatFault
from matchbox.match.frames import Answer, Question
from matchbox.match.wire import ALONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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


class Table:
    """The players of one rotation, and the bouts that they are playing."""

    def __init__(
        self,
        job: PlayMatch,
        players: Sequence[Player],
        finish: Callable[[LiveBout], None],
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        """`finish` is given every bout that is over; `beat` is called after every frame."""
        self._job = job
        self._players = players
        self._finish = finish
        self._beat = beat
        self._live: dict[int, LiveBout] = {}
        self._owing: list[list[LiveBout]] = [[] for _ in players]
        self._broken: list[dict[int, SeatFault]] = [{} for _ in players]
        """By seat: the live bouts that broke its program. They are not told to it again."""

    def play(self, bouts: Iterable[LiveBout]) -> None:
        """Plays the bouts; a place is filled again the moment its bout ends."""
        waiting = iter(bouts)
        while self._fill(waiting):
            self._step()

    def _fill(self, waiting: Iterator[LiveBout]) -> bool:
        while len(self._live) < max(1, self._job.width):
            live = next(waiting, None)
            if live is None:
                break
            self._live[live.number] = live
            if live.over:
                self._end(live)
            for mover in live.owing:
                self._owing[mover].append(live)
        return bool(self._live)

    def _step(self) -> None:
        """Asks every seat all that it owes, and tells the rules the answers."""
        for seat, owing in enumerate(self._owing):
            if owing:
                self._owing[seat] = []
                for live, answer in zip(owing, self._ask(seat, owing), strict=True):
                    if live.take(seat, answer):
                        if live.over:
                            self._end(live)
                        for mover in live.owing:
                            self._owing[mover].append(live)
                self._beat()

    def _end(self, live: LiveBout) -> None:
        del self._live[live.number]
        for player, broken in zip(self._players, self._broken, strict=True):
            player.end(live.number)
            broken.pop(live.number, None)
            if self._job.width == ALONE:
                player.renew()
        self._finish(live)

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

    def _question(self, live: LiveBout, seat: int, nth: int) -> Question:
        """The seat's nth question of that bout: a new one, or one told again."""
        told = live.told[seat]
        view = told[nth] if nth < len(told) else live.tell(seat)
        if nth:
            return live.number, view, None
        deal, rotation = live.order
        seed = player_seed(self._job.deals[deal], self._job.match, rotation, seat)
        return live.number, view, seed.hex()

    def _find_culprits(
        self, seat: int, questions: Sequence[Question], fault: SeatFault
    ) -> list[Answer]:
        """The answers after the program broke: its bouts are told again one by one.

        Replies given before stand. Whichever bout breaks the program again is at fault, also one
        that owed nothing now: it answers for that when it is asked next. One of those that were
        asked is always at fault: where none of them breaks again, the first.
        """
        asked = [bout for bout, *_ in questions]
        broken = self._broken[seat]
        answers: dict[int, Answer] = {}
        if len(asked) == 1:
            broken[asked[0]] = fault
        while (culprit := self._retell(seat, asked, answers)) is not None:
            bout, again = culprit
            broken[bout] = again
        for live in self._live.values():
            if self._is_behind(live.number, seat, answers):
                broken.setdefault(live.number, fault)
        answers |= broken
        if not any(isinstance(answers[bout], SeatFault) for bout in asked):
            answers[min(asked)] = broken[min(asked)] = fault
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
