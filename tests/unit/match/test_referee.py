"""The referee: rotations, faults and their price, and a width that changes nothing."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence, Set
from types import FrameType
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import derive_deals
from matchbox.errors import SeatFault
from matchbox.games.bomb.cards import SHUFFLE
from matchbox.games.bomb.rules import GAME
from matchbox.match import record as records
from matchbox.match import referee
from matchbox.match.bout import LiveBout
from matchbox.match.bouts import Order
from matchbox.match.frames import Answer, Question
from matchbox.match.record import Bout, Fault
from matchbox.match.referee import Played, play
from matchbox.match.replay import replay
from matchbox.match.wire import Entrant
from tests.builders import a_job, play_scripted, without_batches
from tests.fakes import Auction, Decide, Race, ScriptedPlayer, by_sum, crash


def one(view: Any) -> Answer:
    return 1


def three(view: Any) -> Answer:
    return 3


def faults(played: Played) -> list[tuple[int, int, int, str]]:
    """(deal, rotation, seat, kind) of every fault."""
    return [
        (bout.deal, bout.rotation, fault.seat, fault.kind)
        for bout in played.record.bouts
        for fault in bout.faults
    ]


# --- The course of a match -------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3])
def test_every_deal_is_played_in_every_rotation_and_recorded_in_order(seats: int) -> None:
    job = a_job(Race(), seats=seats, deals=3)
    played, opened = play_scripted(Race(), job, dict.fromkeys(range(seats), one))
    orders = [(bout.deal, bout.rotation) for bout in played.record.bouts]
    assert orders == [(deal, rotation) for deal in range(3) for rotation in range(seats)]
    assert sorted(opened) == [(who, turn) for who in range(seats) for turn in range(seats)]
    assert played.record.seats == [seat.version for seat in job.seats]
    assert not played.notes


def shuffles_of(brief: bytes) -> int:
    """Returns the number of shuffle cards in the hand of this view of bomb; none while it
    defuses."""
    return 0 if brief[0] else brief[4 + SHUFFLE]


def test_moves_in_a_row_are_taken_as_if_each_had_been_asked_for() -> None:
    job = a_job(GAME, deals=40)

    def singly(brief: bytes) -> Answer:
        return 0 if brief[0] else "shuffle" if shuffles_of(brief) else "draw"

    def in_a_row(brief: bytes) -> Answer:
        return (0,) if brief[0] else (*["shuffle"] * shuffles_of(brief), "draw")

    one_by_one, _ = play_scripted(GAME, job, {0: singly, 1: singly})
    rows, _ = play_scripted(GAME, job, {0: singly, 1: in_a_row})
    assert rows.record == one_by_one.record
    assert any("shuffle" in bout.moves for bout in rows.record.bouts)


@pytest.mark.parametrize(
    "row, kind, made",
    [
        (("draw", "draw"), "protocol", ["draw"]),
        (("shuffle",) * 5 + ("draw",), "illegal", None),
        (("see", 3, "draw"), "illegal", None),
    ],
)
def test_a_row_that_goes_wrong_is_a_fault_where_it_does(
    row: tuple[Any, ...], kind: str, made: list[Any] | None
) -> None:
    job = a_job(GAME, deals=1)
    played, _ = play_scripted(GAME, job, {0: lambda _: row, 1: lambda _: "draw"}, rotations=[0])
    (bout,) = played.record.bouts
    assert [(fault.seat, fault.kind) for fault in bout.faults] == [(0, kind)]
    assert bout.faults[0].step == len(bout.moves)
    assert bout.moves == (list(row[: len(bout.moves)]) if made is None else made)
    replay(GAME, played.record)


@pytest.mark.parametrize("seats", [2, 3])
def test_a_row_that_goes_on_after_its_turn_replays(seats: int) -> None:
    deciders = dict.fromkeys(range(1, seats), one) | {0: lambda _: (1, 1)}
    played, _ = play_scripted(Race(), a_job(Race(), seats=seats, deals=1), deciders, rotations=[0])
    (bout,) = played.record.bouts
    assert bout.faults == [Fault(1, 0, "protocol")]
    replay(Race(), played.record)


def test_faults_after_the_same_move_replay_in_their_order() -> None:
    answers: list[Answer] = [1, SeatFault("crash", "boom")]
    deciders = {0: lambda _: answers.pop(0), 1: one, 2: crash}
    played, _ = play_scripted(Race(), a_job(Race(), seats=3, deals=1), deciders, rotations=[0])
    (bout,) = played.record.bouts
    assert bout.faults == [Fault(2, 2, "crash"), Fault(2, 0, "crash")]
    replay(Race(), played.record)


def test_moves_in_a_row_are_a_fault_where_all_move_at_once() -> None:
    job = a_job(Auction(), deals=1)
    played, _ = play_scripted(Auction(), job, {0: lambda _: (9, 9), 1: lambda _: 0}, rotations=[0])
    assert faults(played) == [(0, 0, 0, "protocol")]


def test_a_deal_is_the_same_in_all_its_rotations() -> None:
    played, _ = play_scripted(Race(), a_job(Race(), deals=4), {0: one, 1: one})
    moves: dict[int, list[int]] = {}
    for bout in played.record.bouts:
        moves.setdefault(bout.deal, []).append(len(bout.moves))
    assert all(len(set(lengths)) == 1 for lengths in moves.values())


def test_entrants_take_turns_at_the_seats() -> None:
    played, _ = play_scripted(
        Auction(), a_job(Auction(), deals=1), {0: lambda _: 9, 1: lambda _: 0}
    )
    assert [bout.places for bout in played.record.bouts] == [[1, 2], [2, 1]]


def test_a_seat_is_told_its_own_view_and_its_seed_once_a_bout() -> None:
    job = a_job(Race(), deals=2)
    _, opened = play_scripted(Race(), job, {0: one, 1: one})
    for (entrant, rotation), players in opened.items():
        questions: list[Any] = [question for frame in players[0].asked for question in frame]
        assert {view["seat"] for _, view, _ in questions} == {(entrant - rotation) % 2}
        seeds = [(bout, seed) for bout, _, seed in questions if seed]
        assert [bout for bout, _ in seeds] == [0, 1]
        assert len({seed for _, seed in seeds}) == 2


def test_every_seat_of_every_bout_has_a_seed_of_its_own() -> None:
    _, opened = play_scripted(Race(), a_job(Race(), deals=1), {0: one, 1: one})
    seeds = {players[0].asked[0][0][2] for players in opened.values()}
    assert len(seeds) == 4, "two seats in two rotations"


def test_every_program_is_told_which_bouts_are_over_and_closed_at_the_end() -> None:
    _, opened = play_scripted(Race(), a_job(Race(), deals=3, width=2), {0: one, 1: one})
    for players in opened.values():
        assert sorted(players[0].ended) == [0, 1, 2]
        assert players[0].closed == 1


def test_programs_are_closed_even_when_the_platform_fails() -> None:
    opened: list[ScriptedPlayer] = []

    def open_player(entrant: int, rotation: int) -> ScriptedPlayer:
        opened.append(ScriptedPlayer(one, lambda _: SeatFault("platform", "the box is gone")))
        return opened[-1]

    with pytest.raises(SeatFault, match="platform: the box is gone"):
        play(Race(), a_job(Race()), open_player)
    assert [player.closed for player in opened] == [1, 1]


def test_progress_is_reported() -> None:
    heard: list[int] = []
    play_scripted(Race(), a_job(Race(), deals=5), {0: one, 1: one}, on_progress=heard.append)
    assert sum(heard) == 10


def test_progress_tells_of_bouts_that_nobody_was_asked_in() -> None:
    heard: list[int] = []
    played, _ = play_scripted(
        Race(), a_job(Race(), deals=5), {0: crash, 1: crash}, on_progress=heard.append
    )
    assert sum(heard) >= len(played.record.bouts) == 10


def test_rotations_may_be_played_in_any_order() -> None:
    job = a_job(Race(), deals=3)
    one_way, other_way = (
        play_scripted(Race(), job, {0: one, 1: one}, rotations=rotations)[0]
        for rotations in ([0, 1], [1, 0])
    )
    assert one_way.record == other_way.record


def test_a_frame_holds_as_many_questions_as_there_are_bouts_in_flight() -> None:
    _, opened = play_scripted(Auction(), a_job(Auction(), deals=10, width=4), {0: one, 1: one})
    assert max(len(frame) for frame in opened[0, 0][0].asked) == 4


def test_a_game_that_does_not_end_is_the_platforms_fault() -> None:
    class Endless(Race):
        def to_move(self, state: Any) -> Any:
            return (0,)

    with pytest.raises(SeatFault, match="a bout of race does not end"):
        play_scripted(Endless(), a_job(Race()), {0: one, 1: one})


# --- What a fault costs ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad, kind",
    [
        (crash, "crash"),
        (lambda _: 7, "illegal"),
        (lambda _: "x", "illegal"),
        (lambda _: SeatFault("protocol", "no"), "protocol"),
    ],
)
def test_a_fault_loses_its_bout_at_a_table_of_two(bad: Any, kind: str) -> None:
    played, _ = play_scripted(Race(), a_job(Race(), deals=1), {0: one, 1: bad})
    assert faults(played) == [(0, 0, 1, kind), (0, 1, 0, kind)]
    assert [bout.places for bout in played.record.bouts] == [[1, 2], [2, 1]]
    assert [bout.why for bout in played.record.bouts] == [kind] * 2
    assert [bout.moves for bout in played.record.bouts] == [[1], []]
    assert [note.entrant for note in played.notes] == [1, 1]


def test_at_a_table_of_three_play_goes_on_without_the_offender() -> None:
    job = a_job(Race(), seats=3, deals=1)
    played, _ = play_scripted(Race(), job, {0: one, 1: crash, 2: three})
    for bout in played.record.bouts:
        offender = (1 - bout.rotation) % 3
        assert bout.places[offender] == 3
        assert bout.why == "goal"
        assert sorted(bout.places) == [1, 2, 3]


def test_at_a_table_of_three_two_offenders_leave_a_winner() -> None:
    job = a_job(Race(), seats=3, deals=1)
    played, _ = play_scripted(Race(), job, {0: one, 1: crash, 2: crash})
    first = played.record.bouts[0]
    assert first.places == [1, 3, 2], "who was at fault first comes last"
    assert first.why == "crash"


def test_simultaneous_faults_both_count_and_the_lower_seat_is_first() -> None:
    played, _ = play_scripted(Auction(), a_job(Auction(), deals=1), {0: crash, 1: crash})
    bout = played.record.bouts[0]
    assert bout.faults == [Fault(0, 0, "crash")]
    assert bout.places == [2, 1]


def test_a_fault_comes_before_the_moves_that_were_made_with_it() -> None:
    job = a_job(Auction(), seats=3, deals=1)
    played, _ = play_scripted(Auction(), job, {0: lambda _: 5, 1: crash, 2: lambda _: 99})
    bout = played.record.bouts[0]
    assert [(fault.step, fault.seat, fault.kind) for fault in bout.faults] == [
        (0, 1, "crash"), (0, 2, "illegal"),
    ]  # fmt: skip
    assert bout.moves == []
    assert bout.places == [1, 3, 2]


def test_a_team_of_one_version_plays_a_deal_once() -> None:
    game = Race()
    game.spec = dataclasses.replace(game.spec, cooperative=True)
    seats = [Entrant("00" * 32)] * 3
    played, _ = play_scripted(game, a_job(game, deals=2, seats=3), dict.fromkeys(range(3), one))
    assert len(played.record.bouts) == 6
    job = msgspec.structs.replace(a_job(game, deals=2, seats=3), seats=seats)
    played, _ = play_scripted(game, job, dict.fromkeys(range(3), one))
    assert [(bout.deal, bout.rotation) for bout in played.record.bouts] == [(0, 0), (1, 0)]


def test_a_cooperative_bout_ends_with_a_fault() -> None:
    game = Race()
    game.spec = dataclasses.replace(game.spec, cooperative=True)
    played, _ = play_scripted(game, a_job(game, seats=3, deals=1), {0: one, 1: crash, 2: one})
    assert [bout.why for bout in played.record.bouts] == ["crash"] * 3


def test_after_three_faults_the_other_bouts_are_forfeited() -> None:
    played, _ = play_scripted(Race(), a_job(Race(), deals=4), {0: one, 1: crash})
    kinds = [bout.faults[0].kind for bout in played.record.bouts]
    assert kinds == ["crash"] * 3 + ["excluded"] * 5
    assert all(bout.moves == [] for bout in played.record.bouts[3:])
    assert "three bouts" in played.notes[-1].detail


def test_faults_are_counted_in_the_order_of_bouts_whatever_order_they_are_played_in() -> None:
    """The fault of rotation 1 is found after all of rotation 0, but counts before most of its
    faults."""

    def fails_sometimes(view: Any) -> Answer:
        return SeatFault("crash", "boom") if view["seat"] == 0 else 1

    played, _ = play_scripted(Race(), a_job(Race(), deals=6), {0: one, 1: fails_sometimes})
    kinds = [bout.faults[0].kind if bout.faults else "" for bout in played.record.bouts]
    assert kinds == ["", "crash", "", "crash", "", "crash"] + ["excluded"] * 6


ORDERS = [(deal, rotation) for deal in range(6) for rotation in range(2)]


def faults_in_order(bad: Sequence[Set[Order]]) -> list[tuple[int, int, int, str]]:
    """The faults of a match whose bouts are played one after another, if each entrant crashes in
    these bouts."""
    found: list[tuple[int, int, int, str]] = []
    count = [0, 0]
    for order in ORDERS:
        entrants = [(seat + order[1]) % 2 for seat in range(2)]
        excluded = [seat for seat in range(2) if count[entrants[seat]] == 3]
        crashes = [seat for seat in range(2) if order in bad[entrants[seat]]]
        if excluded:
            found.append((*order, excluded[0], "excluded"))
        elif crashes:
            found.append((*order, crashes[0], "crash"))
            count[entrants[crashes[0]]] += 1
    return found


class Crashing(ScriptedPlayer):
    """A player that crashes in these deals."""

    def __init__(self, decide: Decide, deals: Set[int]) -> None:
        super().__init__(decide)
        self._deals = deals

    def answer(self, questions: Sequence[Question]) -> list[Answer]:
        answers = zip(questions, super().answer(questions), strict=True)
        return [crash(view) if bout in self._deals else said for (bout, view, _), said in answers]


def crashing(bad: Sequence[Set[Order]], decide: Decide) -> Callable[[int, int], Crashing]:
    """Opens players that crash in these bouts of each entrant."""
    return lambda entrant, rotation: Crashing(
        decide, {deal for deal, turn in bad[entrant] if turn == rotation}
    )


SOME_ORDERS = st.sets(st.sampled_from(ORDERS))


@given(st.tuples(SOME_ORDERS, SOME_ORDERS), st.sampled_from([1, 4]))
def test_the_faults_of_a_match_are_those_of_one_bout_after_another(
    bad: tuple[set[Order], set[Order]], width: int
) -> None:
    played = play(Race(), a_job(Race(), deals=6, width=width), crashing(bad, one))
    assert faults(played) == faults_in_order(bad)


@given(st.tuples(SOME_ORDERS, SOME_ORDERS))
def test_the_faults_of_a_match_that_is_played_in_batches_are_those_of_one_bout_after_another(
    bad: tuple[set[Order], set[Order]],
) -> None:
    players = crashing(bad, lambda brief: 0 if brief[0] else "draw")
    job = a_job(GAME, deals=6, width=4)
    with without_batches():
        alone = play(GAME, job, players)
    assert play(GAME, job, players).record == alone.record


def test_an_excluded_bout_costs_the_referee_as_much_in_a_long_match() -> None:
    def lines(deals: int) -> int:
        """Returns the number of the referee's own lines that run in a match of this many deals."""
        run = 0

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal run
            run += event == "line"
            return trace if frame.f_code.co_filename == referee.__file__ else None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            play_scripted(Race(), a_job(Race(), deals=deals, width=16), {0: one, 1: crash})
        finally:
            sys.settrace(before)
        return run

    assert lines(200) < 2.1 * lines(100)


def test_an_excluded_bout_at_a_table_of_three_goes_on() -> None:
    job = a_job(Race(), seats=3, deals=3)
    played, _ = play_scripted(Race(), job, {0: one, 1: crash, 2: three})
    last = played.record.bouts[-1]
    assert last.faults[0].kind == "excluded"
    assert last.why == "goal"
    assert last.moves


def test_a_bout_that_does_not_end_is_a_fault_of_the_platform() -> None:
    class Endless(Race):
        def apply(self, state: Any, seat: int, move: Any, dice: Any) -> Any:
            made = super().apply(state, seat, move, dice)
            return {**made, "goal": made["sum"] + 10}

    with pytest.raises(SeatFault, match="a bout of race does not end") as raised:
        play_scripted(Endless(), a_job(Race(), deals=1), {0: one, 1: one})
    assert raised.value.kind == "platform"


def test_a_view_that_the_game_changes_later_is_kept_as_it_was() -> None:
    class Reusing(Race):
        def __init__(self) -> None:
            super().__init__()
            self._kept = bytearray(1)

        def brief(self, state: Any, seat: int) -> bytearray:
            self._kept[0] = state["sum"]
            return self._kept

    live = LiveBout(Reusing(), derive_deals("a test", 1)[0], (0, 0), 2, {})
    first = live.next_view(0)
    live.take(0, 3)
    assert (first, live.next_view(1)) == (b"\0", b"\3")


# --- A broken program ------------------------------------------------------------------------


def breaks_at(total: int, kind: Any = "timeout") -> Any:
    """Breaks the whole program wherever it sees this sum."""

    def breaks(question: Question) -> SeatFault | None:
        view: Any = question[1]
        return SeatFault(kind, "too long") if view["sum"] == total else None

    return breaks


@pytest.mark.parametrize("width", [1, 4, 64])
def test_the_bout_that_breaks_a_program_is_found_and_the_others_go_on(width: int) -> None:
    """Deals end at different sums, so that only the long ones get as far as 16."""
    job = a_job(Race(), deals=6, width=width)
    played, opened = play_scripted(Race(), job, {0: one, 1: one}, {1: breaks_at(16)})
    alone, _ = play_scripted(Race(), a_job(Race(), deals=6), {0: one, 1: one}, {1: breaks_at(16)})
    assert played.record.bouts == alone.record.bouts
    assert {kind for *_, kind in faults(played)} <= {"timeout", "excluded"}
    assert 0 < len(faults(played)) < 12
    assert any(players[0].renewed for players in opened.values())


def test_what_a_fresh_program_is_told_again_is_what_was_told_before() -> None:
    job = a_job(Race(), deals=4, width=4)
    _, opened = play_scripted(Race(), job, {0: by_sum, 1: by_sum}, {1: breaks_at(7)})
    for players in opened.values():
        told: dict[tuple[int, int], Any] = {}
        frames: list[list[Any]] = list(players[0].asked)
        for frame in frames:
            for bout, view, seed in frame:
                assert told.setdefault((bout, view["sum"]), (view, seed)) == (view, seed)


def test_a_program_that_breaks_once_costs_one_bout_alone() -> None:
    broken: list[int] = []

    def breaks(question: Any) -> SeatFault | None:
        if broken or question[1]["sum"] < 4:
            return None
        broken.append(question[0])
        return SeatFault("crash", "gone")

    job = a_job(Race(), deals=4, width=4)
    played, _ = play_scripted(Race(), job, {0: one, 1: one}, {1: breaks})
    assert faults(played) == [(0, 0, 1, "crash")]


@pytest.mark.parametrize("part", [[2, 3], [3]])
def test_it_is_laid_on_a_bout_of_the_frame_that_broke(part: list[int]) -> None:
    broken: list[int] = []

    def breaks(question: Any) -> SeatFault | None:
        if broken or question[1]["sum"] < 4:
            return None
        broken.append(question[0])
        fault = SeatFault("crash", "gone")
        fault.bouts = part
        return fault

    job = a_job(Race(), deals=4, width=4)
    played, _ = play_scripted(Race(), job, {0: one, 1: one}, {1: breaks})
    assert faults(played) == [(part[0], 0, 1, "crash")]


def test_a_rotation_in_which_a_program_broke_is_replayed_one_bout_at_a_time() -> None:
    """Entrant 2 has its third fault in rotation 1, so its later bouts of rotation 0 are replayed
    without it."""
    broken: list[int] = []

    def breaks(question: Any) -> SeatFault | None:
        if broken or question[1]["sum"] < 2:
            return None
        broken.append(question[0])
        return SeatFault("crash", "gone")

    def crash_in_the_middle(view: Any) -> Answer:
        return crash(view) if view["seat"] == 1 else 1

    job = a_job(Race(), seats=3, deals=8, width=4)
    decide = {0: one, 1: one, 2: crash_in_the_middle}
    _, opened = play_scripted(Race(), job, decide, {1: breaks})
    first, again = opened[0, 0]
    assert (max(map(len, first.asked)), max(map(len, again.asked))) == (4, 1)
    unbroken = opened[0, 2]
    assert max(map(len, unbroken[-1].asked)) == 4


def test_a_platform_fault_while_searching_is_the_platforms() -> None:
    calls: list[int] = []

    def breaks(question: Question) -> SeatFault | None:
        calls.append(1)
        if len(calls) == 3:
            return SeatFault("crash", "gone")
        return SeatFault("platform", "no box") if len(calls) > 3 else None

    with pytest.raises(SeatFault, match="platform"):
        play_scripted(Race(), a_job(Race(), deals=4, width=4), {0: one, 1: one}, {0: breaks})


# --- A width that changes nothing ------------------------------------------------------------


@pytest.mark.parametrize("game", [Race(), Auction()], ids=["in turn", "simultaneous"])
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("bad", [by_sum, crash], ids=["honest", "at fault"])
def test_the_digest_is_the_same_at_every_width(game: Any, seats: int, bad: Any) -> None:
    def decide(view: Any) -> Answer:
        return 1 + len(str(view)) % 3

    deciders = dict.fromkeys(range(seats - 1), decide) | {
        seats - 1: bad if bad is crash else decide
    }
    digests = set()
    for width in (1, 4, 64):
        job = a_job(game, seats=seats, deals=20, width=width)
        played, _ = play_scripted(game, job, deciders)
        as_if = {"width": 1}
        record = records.Record(**{**_fields(played.record), **as_if})
        digests.add(records.digest(record))
    assert len(digests) == 1


def _fields(record: records.Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


# --- Given faults ----------------------------------------------------------------------------


def test_a_given_fault_is_taken_instead_of_asking() -> None:
    job = a_job(Race(), deals=1)
    forced = {(0, 0): {0: Fault(2, 0, "timeout")}}
    played, opened = play_scripted(Race(), job, {0: one, 1: one}, forced_faults=forced)
    bout: Bout = played.record.bouts[0]
    assert (bout.faults, bout.moves, bout.places) == ([Fault(2, 0, "timeout")], [1, 1], [2, 1])
    assert len(opened[0, 0][0].asked) == 1


def test_only_the_rotations_asked_for_are_played() -> None:
    played, _ = play_scripted(Race(), a_job(Race(), deals=2), {0: one, 1: one}, rotations=[1])
    assert [(bout.deal, bout.rotation) for bout in played.record.bouts] == [(0, 1), (1, 1)]
