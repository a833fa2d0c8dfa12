"""The two proofs: the moves through the rules again, and the bots played again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.errors import BadGame, BadRecord, SeatFault
from matchbox.game import CHANCE, fill_options
from matchbox.match.batch import batch_of
from matchbox.match.frames import Answer, Question
from matchbox.match.record import Bout, Fault, Record
from matchbox.match.referee import play
from matchbox.match.replay import MoveIndex, compare, job_of, replay, seats_at, steps
from matchbox.match.rotation_runner import Player
from matchbox.match.transcript import Transcript, narrate
from tests.builders import a_job, local_seats, play_scripted, shipped
from tests.contract.test_every_batch import Unbatched
from tests.fakes import Auction, Race, ScriptedPlayer, by_sum, crash

BATCH = ("ask", "take", "over", "leave")


def a_record(game: Any = None, seats: int = 2, **deciders: Any) -> Record:
    game = game or Race()
    job = a_job(game, seats=seats, deals=3, width=2)
    decide = dict.fromkeys(range(seats), deciders.pop("all", by_sum))
    decide |= {int(name[1:]): one for name, one in deciders.items()}
    return play_scripted(game, job, decide)[0].record


def reopened(*decide: Callable[[Any], Answer]) -> Callable[[int, int], ScriptedPlayer]:
    return lambda entrant, rotation: ScriptedPlayer(decide[entrant])


# --- Replay ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("game, move", [(Race(), by_sum), (Auction(), lambda _: 3)])
def test_a_record_replays(game: Any, move: Any, seats: int) -> None:
    replay(game, a_record(game, seats, all=move))


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("game, move", [(Race(), by_sum), (Auction(), lambda _: 3)])
def test_a_record_with_faults_and_exclusions_replays(game: Any, move: Any, seats: int) -> None:
    record = a_record(game, seats, all=move, e1=crash)
    assert {fault.kind for bout in record.bouts for fault in bout.faults} == {"crash", "excluded"}
    replay(game, record)


def test_a_forfeit_is_not_taken_for_the_move_after_it() -> None:
    game = Race()
    record = a_record(game, 3, all=by_sum, e1=crash)
    (number, at) = next(
        (number, fault.step)
        for number, bout in enumerate(record.bouts)
        for fault in bout.faults
        if fault.step < len(bout.moves)
    )
    bout = record.bouts[number]
    at_fault = {fault.seat for fault in bout.faults if fault.step == at}
    found = seats_at(game, record, MoveIndex(number, at))
    assert at_fault < found
    assert len(found) == len(at_fault) + 1
    assert seats_at(game, record, MoveIndex(number, len(bout.moves) + 1)) == set()


@pytest.mark.parametrize(
    "change",
    [
        lambda bout: {"moves": bout.moves[:-1]},
        lambda bout: {"moves": [*bout.moves, 1]},
        lambda bout: {"moves": [7, *bout.moves[1:]]},
        lambda bout: {"places": bout.places[::-1]},
        lambda bout: {"scores": [9, 9]},
        lambda bout: {"why": "luck"},
        lambda bout: {"faults": [Fault(0, 0, "crash")]},
    ],
)
def test_a_bout_that_was_changed_does_not_replay(change: Callable[[Bout], dict[str, Any]]) -> None:
    record = a_record()
    bouts = [replace(record.bouts[0], **change(record.bouts[0])), *record.bouts[1:]]
    with pytest.raises(BadRecord, match="bout 0/0 of match match does not replay"):
        replay(Race(), replace(record, bouts=bouts))


def test_a_record_of_other_rules_is_refused() -> None:
    with pytest.raises(BadRecord, match="played by rules 9 of race; these are rules 1"):
        replay(Race(), replace(a_record(), rules="9"))


def test_a_game_whose_describe_returns_nothing_is_named() -> None:
    class Silent(Race):
        def describe(self, move: Any, view: Any) -> Any:
            return None

    played, _ = play_scripted(Race(), a_job(Race(), deals=1), {0: by_sum, 1: by_sum})
    with pytest.raises(
        BadGame, match="describe of the game race returned None; it must return a str"
    ):
        list(steps(Silent(), played.record, played.record.bouts[0]))


def test_the_steps_of_a_bout_are_its_moves_and_its_end() -> None:
    record = a_record()
    bout = record.bouts[0]
    chance, *made = steps(Race(), record, bout)
    assert (chance.seat, chance.line) == (CHANCE, "hides the goal")
    assert [step.move for step in made[:-1]] == bout.moves
    assert [step.seat for step in made[:2]] == [0, 1]
    assert made[0].views == [{"sum": 0, "seat": 0}, {"sum": 0, "seat": 1}]
    assert made[0].to_move == [0]
    assert made[0].line == f"adds {bout.moves[0]}"
    assert (made[-1].seat, made[-1].to_move, made[-1].line) == (None, [], "goal")


def test_the_steps_of_simultaneous_moves_start_from_one_position() -> None:
    record = a_record(Auction(), all=lambda view: len(view["bids"][0]))
    made = list(steps(Auction(), record, record.bouts[0]))
    assert [(step.seat, step.table) for step in made[:2]] == [
        (0, made[0].table),
        (1, made[0].table),
    ]
    assert made[0].to_move == [0, 1]


def test_the_end_of_a_forfeited_bout_names_the_fault() -> None:
    record = a_record(e1=crash)
    *_, fault, end = steps(Race(), record, record.bouts[0])
    assert end.line == "seat 1: crash"
    assert (fault.seat, fault.line) == (1, "raised an exception and lost")
    assert fault.fault == record.bouts[0].faults[0]
    assert fault.table == end.table


def test_a_move_before_a_crash_is_told_as_it_was_seen_before_the_crash() -> None:
    class Telling(Race):
        def describe(self, move: Any, view: Any) -> str:
            return f"with {len(view['inside'])} inside"

        def view(self, state: Any, seat: int | None) -> Any:
            return {"sum": state["sum"], "seat": seat, "inside": list(state["in"])}

    record = a_record(Telling(), seats=3, e1=crash)
    bout = next(one for one in record.bouts if one.rotation == 0)
    first, fault, then, *_ = (one for one in steps(Telling(), record, bout) if one.seat != CHANCE)
    assert (first.seat, first.line) == (0, "with 3 inside")
    assert (fault.seat, fault.fault) == (1, bout.faults[0])
    assert (then.seat, then.line) == (2, "with 2 inside")


# --- Transcript ------------------------------------------------------------------------------


def test_a_transcript_has_a_heading_a_turn_and_a_bullet_an_event() -> None:
    record = a_record(all=lambda _: 3)
    lines = list(narrate(Race(), record, record.bouts[0], ["alice", "bob"]))
    assert lines[:2] == ["Chance:", "  - hides the goal"]
    assert lines[2:6] == ["alice:", "  - adds 3", "bob:", "  - adds 3"]
    assert lines[-1] in ("alice wins.", "bob wins.")


def test_a_transcript_tells_a_fault_where_it_happened() -> None:
    record = a_record(seats=3, e1=crash)
    lines = list(narrate(Race(), record, record.bouts[0], ["alice", "bob", "bob"]))
    assert lines[4:7] == ["bob1:", "  - raised an exception and lost", "bob2:"]


def test_chance_of_which_a_game_says_nothing_has_no_heading() -> None:
    class Silent(Race):
        def describe(self, move: Any, view: Any) -> str:
            return "" if move is None else super().describe(move, view)

    record = a_record(all=lambda _: 3)
    assert next(narrate(Silent(), record, record.bouts[0], ["alice", "bob"])) == "alice:"


def test_those_who_tie_come_first_together() -> None:
    assert Transcript(["a", "b", "c"]).ended([1, 1, 1]) == ["a, b and c come first together."]


def test_those_who_play_together_are_told_their_score() -> None:
    assert Transcript(["a", "b"]).scored(12, "blocked") == ["Together they score 12 (blocked)."]
    assert Transcript(["a"]).scored(98, "won") == ["a scores 98 (won)."]


# --- Verify ----------------------------------------------------------------------------------


def test_a_match_of_the_same_bots_is_the_same() -> None:
    assert compare(Race(), a_record(), reopened(by_sum, by_sum)).verdict == "same"


def test_a_match_of_other_bots_is_different() -> None:
    assert compare(Race(), a_record(), reopened(by_sum, lambda _: 1)).verdict == "different"


def test_a_bot_that_does_not_repeat_itself_is_told_apart() -> None:
    drawn = count()
    bot: Callable[[Any], Answer] = lambda _: 1 + next(drawn) * 7 % 11 % 3  # noqa: E731
    assert compare(Race(), a_record(), reopened(by_sum, bot)).verdict == "unrepeatable"


def test_a_bot_that_repeats_itself_only_the_second_time_is_told_apart() -> None:
    opened = count()

    def open_player(entrant: int, rotation: int) -> ScriptedPlayer:
        first_time = next(opened) < 4  # two entrants in two rotations
        return ScriptedPlayer((lambda _: 1) if first_time else by_sum)

    assert compare(Race(), a_record(), open_player).verdict == "unrepeatable"


@pytest.mark.parametrize("kind", ["timeout", "memory"])
def test_endings_by_time_and_memory_are_taken_from_the_record(kind: Any) -> None:
    record = a_record(e1=lambda view: SeatFault(kind, "over") if view["sum"] > 5 else by_sum(view))
    assert any(fault.kind == kind for bout in record.bouts for fault in bout.faults)
    assert compare(Race(), record, reopened(by_sum, by_sum)).verdict == "same"


@pytest.mark.parametrize("kind", ["timeout", "memory"])
def test_a_machine_that_is_slower_calls_nobody_wrong(kind: Any) -> None:
    slow: Callable[[Any], Answer] = lambda view: (  # noqa: E731
        SeatFault(kind, "over") if view["sum"] > 5 else by_sum(view)
    )
    found = compare(Race(), a_record(), reopened(by_sum, slow))
    assert found.verdict == "unrepeatable"
    crash: Callable[[Any], Answer] = lambda view: (  # noqa: E731
        SeatFault("crash", "over") if view["sum"] > 5 else by_sum(view)
    )
    assert compare(Race(), a_record(), reopened(by_sum, crash)).verdict == "different"


def test_all_bouts_but_those_that_a_clock_has_ended_are_played_side_by_side_again() -> None:
    seats = local_seats("bomb", [shipped("bomb", "medium")] * 2)
    started: list[int] = []

    class Slow:
        """Entrant 1 is late in the fifth bout."""

        def __init__(self, entrant: int, player: Player) -> None:
            self.entrant, self.player = entrant, player
            self.end, self.renew, self.close = player.end, player.renew, player.close

        def answer(self, questions: Sequence[Question]) -> list[Answer]:
            """Returns one answer for each question."""
            asked = zip(questions, self.player.answer(questions), strict=True)
            late = SeatFault("timeout", "late")
            return [late if self.entrant and one[0] == 4 else move for one, move in asked]

    def batch(seats: int, options: Any) -> Any:
        made = batch_of(game, seats, options)

        def start(bout: int, *given: Any) -> None:
            started.append(bout)
            made.start(bout, *given)

        return SimpleNamespace(start=start, **{name: getattr(made, name) for name in BATCH})

    game: Any = registry.game("bomb")
    bomb: Any = Unbatched(game)
    bomb.batch = batch
    job = a_job(bomb, deals=6, width=6, options=fill_options(bomb.spec, {}))
    record = play(bomb, job, lambda who, turn: Slow(who, seats(who, turn))).record
    assert [fault.kind for bout in record.bouts for fault in bout.faults] == ["timeout"] * 2
    started.clear()
    assert compare(bomb, record, seats).verdict == "same"
    assert sorted(started) == sorted([0, 1, 2, 3, 5] * 2)


def test_a_breach_of_the_protocol_that_a_clock_found_is_taken_from_the_record() -> None:
    late = SeatFault("protocol", "thought for 600 ms while it was not asked")
    record = a_record(e1=lambda view: late if view["sum"] > 5 else by_sum(view))
    assert compare(Race(), record, reopened(by_sum, by_sum)).verdict == "same"
    assert compare(Race(), record, reopened(by_sum, lambda _: 1)).verdict == "different"


def test_a_breach_of_the_protocol_that_comes_again_is_the_same() -> None:
    breach = SeatFault("protocol", "the move is not plain data")
    bot: Callable[[Any], Answer] = lambda view: breach if view["sum"] > 5 else by_sum(view)  # noqa: E731
    assert compare(Race(), a_record(e1=bot), reopened(by_sum, bot)).verdict == "same"


def test_a_crash_must_come_again() -> None:
    record = a_record(e1=crash)
    assert compare(Race(), record, reopened(by_sum, crash)).verdict == "same"
    assert compare(Race(), record, reopened(by_sum, by_sum)).verdict == "different"


def test_the_job_of_a_record_is_the_one_it_came_from() -> None:
    record = a_record()
    job = job_of(record)
    assert (job.match, job.deals, job.width) == (record.match, record.deals, record.width)
    assert [seat.version for seat in job.seats] == record.seats


# --- Chance ----------------------------------------------------------------------------------


def test_steps_of_chance_are_steps_of_a_replay_and_not_of_the_record() -> None:
    game = registry.game("war")
    record = play_scripted(
        game, a_job(game, deals=1, options={"play": "dealt"}), dict.fromkeys(range(2), by_sum)
    )[0].record
    bout = record.bouts[0]
    assert bout.moves == []
    *made, end = steps(game, record, bout)
    assert [(step.seat, step.move, step.to_move) for step in made] == [
        (CHANCE, None, [CHANCE])
    ] * 13
    assert (end.seat, end.to_move) == (None, [])
    tables: list[Any] = [step.table for step in (*made, end)]
    assert [len(table["played"][0]) for table in tables] == [*range(0, 27, 2)]
    assert all("lays" in step.line for step in made)
    lines = list(narrate(game, record, bout, ["ann", "bob"]))
    assert lines[0] == "Chance:"
    assert lines[1].startswith("  - ann lays ")
    assert sum("lays" in line for line in lines) == 26
    assert lines.count("Chance:") == 1
