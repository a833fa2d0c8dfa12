"""The sample: playing a few bouts again, each alone, finds the players that keep state between
bouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from matchbox import registry
from matchbox.errors import BadGame, FaultKind, SeatFault
from matchbox.match.frames import Answer, Question
from matchbox.match.record import Record
from matchbox.match.referee import play
from matchbox.match.sample import Sampled, sample
from matchbox.match.wire import ALONE, PlayMatch
from tests.builders import a_job, local_seats, play_scripted
from tests.fakes import Auction, Race, ScriptedPlayer, by_sum
from tests.unit.worker.bots import COUNTING

MAX_BOUTS = 6
Open = Callable[[int, int], Any]


class Counting(ScriptedPlayer):
    """A player whose first move depends on the number of bouts that this program has begun."""

    def __init__(self) -> None:
        super().__init__(by_sum)
        self._begun = 0

    def answer(self, questions: Sequence[Question]) -> list[Answer]:
        """Answers every question; changes the first answer of every other bout."""
        answers = super().answer(questions)
        for at, (_, _, seed) in enumerate(questions):
            self._begun += seed is not None
            if seed is not None and self._begun % 2 == 0:
                answers[at] = 3
        return answers

    def renew(self) -> None:
        """Starts a fresh program, which has begun no bout."""
        super().renew()
        self._begun = 0


def found(job: PlayMatch, record: Record, open_player: Open, most: int = MAX_BOUTS) -> Sampled:
    """Returns the findings of a race's sample."""
    return sample(Race(), job, record, open_player, most)


def by_entrant(*makers: Callable[[], Any]) -> Open:
    """Opens these players."""
    return lambda entrant, rotation: makers[entrant]()


def honest() -> ScriptedPlayer:
    """A player that plays by the view alone."""
    return ScriptedPlayer(by_sum)


def played(job: PlayMatch, open_player: Open) -> Record:
    """The record of a race between such players."""
    return play(Race(), job, open_player).record


@pytest.mark.parametrize("width", [1, 4])
def test_who_plays_by_the_view_alone_is_not_named(width: int) -> None:
    job = a_job(Race(), deals=8, width=width)
    opened = by_entrant(honest, honest)
    assert found(job, played(job, opened), opened) == Sampled(MAX_BOUTS, [], [])


@pytest.mark.parametrize("entrant", [0, 1])
def test_who_counts_its_bouts_is_named_and_nobody_else(entrant: int) -> None:
    job = a_job(Race(), deals=8, width=4)
    makers: list[Callable[[], Any]] = [honest, honest]
    makers[entrant] = Counting
    opened = by_entrant(*makers)
    assert found(job, played(job, opened), opened) == Sampled(MAX_BOUTS, [entrant], [])


def test_whose_bouts_are_each_played_by_a_fresh_program_answers_as_alone() -> None:
    opened = by_entrant(Counting, honest)
    jobs = [a_job(Race(), deals=8, width=width) for width in (1, ALONE)]
    named = [found(job, played(job, opened), opened).stateful for job in jobs]
    assert named == [[0], []]


def test_who_draws_from_elsewhere_is_called_unrepeatable_and_not_stateful() -> None:
    clock = count()
    job = a_job(Race(), deals=8, width=4)

    def late(_: Any) -> Answer:
        return 1 + next(clock) % 3

    opened = by_entrant(honest, lambda: ScriptedPlayer(late))
    told = found(job, played(job, opened), opened)
    assert (told.stateful, told.unrepeatable) == ([], [1])


def test_simultaneous_moves_are_laid_to_whoever_made_them() -> None:
    game, job = Auction(), a_job(Auction(), seats=3, deals=4)
    same: dict[int, Any] = dict.fromkeys(range(3), lambda _: 3)
    record = play_scripted(game, job, same)[0].record
    bids = by_entrant(*(lambda bid=bid: ScriptedPlayer(lambda _: bid) for bid in (3, 3, 2)))
    assert sample(game, job, record, bids, 4).stateful == [2]


@pytest.mark.parametrize(
    ("kind", "named"),
    [("crash", [1]), ("illegal", [1]), ("memory", []), ("timeout", []), ("protocol", [])],
)
def test_a_fault_among_others_that_does_not_come_alone_counts_unless_the_machine_found_it(
    kind: FaultKind, named: list[int]
) -> None:
    job = a_job(Race(), deals=2, width=2)

    def fails(_: Any) -> Answer:
        return SeatFault(kind, "boom")

    record = play_scripted(Race(), job, {0: by_sum, 1: fails})[0].record
    assert found(job, record, by_entrant(honest, honest)).stateful == named


@pytest.mark.parametrize("kind", ["timeout", "memory"])
def test_what_the_machine_decides_in_the_sample_names_nobody(kind: FaultKind) -> None:
    job = a_job(Race(), deals=4)

    def slow() -> ScriptedPlayer:
        return ScriptedPlayer(lambda _: SeatFault(kind, "too slow today"))

    record = played(job, by_entrant(honest, honest))
    assert found(job, record, by_entrant(honest, slow)) == Sampled(MAX_BOUTS, [], [])


def test_who_times_out_when_a_difference_is_looked_at_again_is_not_named() -> None:
    job = a_job(Race(), deals=1)
    opened = count()

    def other_then_slow() -> ScriptedPlayer:
        slow = next(opened) > 0
        return ScriptedPlayer(lambda _: SeatFault("timeout", "too slow today") if slow else 3)

    record = played(job, by_entrant(honest, honest))
    assert found(job, record, by_entrant(honest, other_then_slow), 1) == Sampled(1, [], [])


def test_the_platform_failing_in_the_sample_ends_it_and_no_more() -> None:
    job = a_job(Race(), deals=4)
    record = played(job, by_entrant(honest, honest))

    def broken() -> ScriptedPlayer:
        return ScriptedPlayer(by_sum, lambda _: SeatFault("platform", "the box has died"))

    assert found(job, record, by_entrant(honest, broken)) == Sampled(0, [], [])


def test_rules_that_do_not_repeat_themselves_are_named_and_no_player() -> None:
    lot = count()

    class Moody(Race):
        def outcome(self, state: Any) -> Any:
            ended = super().outcome(state)
            return ended and replace(ended, scores=(next(lot), 0))

    job = a_job(Moody(), deals=4)
    opened = by_entrant(honest, honest)
    record = play(Moody(), job, opened).record
    with pytest.raises(BadGame, match="the rules of race do not repeat themselves"):
        sample(Moody(), job, record, opened, MAX_BOUTS)


def test_every_program_of_the_sample_plays_one_bout_and_is_closed() -> None:
    opened: list[ScriptedPlayer] = []

    def open_player(entrant: int, rotation: int) -> ScriptedPlayer:
        opened.append(honest())
        return opened[-1]

    job = a_job(Race(), deals=8, width=4)
    record = played(job, by_entrant(honest, honest))
    assert found(job, record, open_player).bouts == MAX_BOUTS
    assert [(len(one.ended), one.closed) for one in opened] == [(1, 1)] * 2 * MAX_BOUTS


def test_a_module_that_counts_is_found_among_bouts_of_bomb() -> None:
    game = registry.game("bomb")
    plain = "from matchbox.games.bomb import *\nclass Bot(SimplePlayer):\n    pass\n"
    job = a_job(game, deals=10, width=5)
    opened = local_seats("bomb", [COUNTING, plain])
    record = play(game, job, opened).record
    assert sample(game, job, record, opened, 20).stateful == [0]
