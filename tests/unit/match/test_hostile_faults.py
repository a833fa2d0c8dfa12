"""Deliberate faults: breaking the program never gets a losing bout played again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from matchbox.dice import Dice
from matchbox.errors import FaultKind, SeatFault
from matchbox.games.creatures.rules import GAME as CREATURES
from matchbox.match.frames import Answer, Question
from matchbox.match.record import Bout
from matchbox.match.referee import play
from matchbox.match.wire import Note
from tests.builders import a_job, play_scripted
from tests.fakes import Auction, Race, ScriptedPlayer

Breaks = Callable[[Question], SeatFault | None]
KINDS: tuple[FaultKind, ...] = ("crash", "timeout", "protocol", "memory")


class Uneven(Race):
    """A race in which a seat moves twice in some deals, so that bouts fall out of step."""

    def apply(self, state: dict[str, Any], seat: int, move: Any, dice: Dice) -> dict[str, Any]:
        after = super().apply(state, seat, move, dice)
        again = seat >= 0 and (state["goal"] + state["sum"]) % 3 == 0
        return {**after, "mover": seat} if again else after


def one(view: Any) -> Answer:
    return 1


def chosen(*facts: object) -> int:
    """Returns a number from 0 to 99 that depends on the facts alone but looks random."""
    return sum(ord(letter) * 31**place for place, letter in enumerate(repr(facts))) % 100


class Escaper(ScriptedPlayer):
    """A player that breaks in a frame of several bouts and, told again, in a bout that owes
    nothing."""

    def __init__(self, frames: int) -> None:
        super().__init__(one)
        self._left = frames
        self._owing: list[int] = []

    def answer(self, questions: Any) -> list[Answer]:
        bouts = [bout for bout, *_ in questions]
        self._left -= 1
        if self._left == 0:
            self._owing = bouts
            raise SeatFault("crash", "all of them")
        if self._owing and len(bouts) == 1 and bouts[0] not in self._owing:
            self._owing = []
            raise SeatFault("crash", "one that had answered")
        return super().answer(questions)


@pytest.mark.parametrize("frames", range(1, 9))
def test_a_program_that_breaks_costs_a_bout_whichever_it_breaks_when_told_again(
    frames: int,
) -> None:
    made: list[Escaper] = []

    def open_player(entrant: int, rotation: int) -> ScriptedPlayer:
        if entrant or rotation:
            return ScriptedPlayer(one)
        made.append(Escaper(frames))
        return made[-1]

    played = play(Uneven(), a_job(Uneven(), deals=12, width=5), open_player)
    guilty = [bout for bout in played.record.bouts if bout.faults]
    assert made[0].renewed
    assert guilty
    assert all(fault.seat == 0 for bout in guilty for fault in bout.faults)


@settings(max_examples=150, deadline=None)
@given(
    seats=st.integers(2, 3),
    game=st.sampled_from([Race(), Uneven(), Auction()]),
    bad=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=3, max_size=3),
    salt=st.integers(0, 1000),
    turns=st.permutations(range(3)),
)
@example(seats=3, game=Auction(), bad=[(0, 6), (16, 0), (0, 21)], salt=1, turns=[1, 0, 2])
@example(seats=3, game=Uneven(), bad=[(0, 4), (0, 6), (1, 38)], salt=46, turns=[0, 1, 2])
def test_however_many_bouts_are_in_flight_and_in_any_order_the_same_bouts_are_lost(
    seats: int, game: Any, bad: list[tuple[int, int]], salt: int, turns: list[int]
) -> None:
    """Each entrant breaks its program or answers badly by chance, but always at the same place."""

    def decide(entrant: int) -> Callable[[Any], Answer]:
        def move(view: Any) -> Answer:
            if chosen(salt, "bad", entrant, view) < bad[entrant][0]:
                return (SeatFault("crash", "raised"), "nonsense", 99)[chosen(view) % 3]
            return 1 + chosen(salt, view) % 3

        return move

    def breaks(entrant: int) -> Breaks:
        def broken(question: Question) -> SeatFault | None:
            bout, view, _ = question
            if chosen(salt, "breaks", entrant, bout, view) < bad[entrant][1]:
                return SeatFault(KINDS[chosen(bout) % 4], "broke")
            return None

        return broken

    def played(width: int, order: Sequence[int]) -> tuple[list[Bout], list[Note]]:
        job = a_job(game, seats=seats, deals=7, width=width)
        who = range(seats)
        done, _ = play_scripted(
            game,
            job,
            {one: decide(one) for one in who},
            {one: breaks(one) for one in who},
            rotations=[turn for turn in order if turn < seats],
        )
        return done.record.bouts, done.notes

    alone, _ = played(1, range(seats))
    assert played(3, range(seats))[0] == alone
    assert played(16, range(seats))[0] == alone
    assert played(1, turns) == played(1, range(seats))
    assert played(3, turns)[0] == alone
    assert played(16, turns)[0] == alone


def test_the_platform_hears_that_the_match_goes_on_each_time_a_program_breaks() -> None:
    heard: list[str] = []

    class Broken(ScriptedPlayer):
        def answer(self, questions: Any) -> list[Answer]:
            heard.append("asked")
            raise SeatFault("timeout", "no answer")

    def open_player(entrant: int, rotation: int) -> ScriptedPlayer:
        return ScriptedPlayer(one) if entrant else Broken(one)

    job = a_job(Race(), deals=9, width=9)
    play(Race(), job, open_player, on_progress=lambda bouts: heard.append("beat"))
    assert "asked asked asked" not in " ".join(heard)


def test_a_refused_move_cannot_steer_the_terminal_or_turn_a_line_around() -> None:
    def evil(view: Any) -> Answer:
        return "red \x1b[31m, turned \u202e round"

    job = a_job(CREATURES, deals=1)
    played, _ = play_scripted(CREATURES, job, {0: evil, 1: evil})
    for note in played.notes:
        assert note.detail.startswith("red \\x1b[31m, turned \\u202e round is not a move here")
    assert len(played.notes) == 2
