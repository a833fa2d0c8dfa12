"""A bout with people at the table, played in parts, equals the bout played without a break."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.errors import BadOption, SeatFault
from matchbox.game import Game, Plain, fill_options
from matchbox.match import hosted_bout, replay
from matchbox.match.hosted_bout import bout_so_far, owing, play_on, record_of, resume
from matchbox.match.record import Bout, Fault, Record
from matchbox.match.wire import Entrant, PlayMatch, Said
from tests.fakes import ScriptedPlayer

DEAL = "00000000000000000000000000000003"


def job_of(name: str, seats: int, options: dict[str, str | int | bool]) -> PlayMatch:
    """The bout as a job for the referee."""
    spec = registry.game(name).spec
    return PlayMatch(
        attempt=1,
        token="",
        game=name,
        limits={},
        match="table",
        rules=spec.rules,
        options=fill_options(spec, options),
        deals=[DEAL],
        seats=[Entrant("0" * 64)] * seats,
    )


def test_bots_are_asked_their_earlier_questions_again_and_held_to_their_answers() -> None:
    job, game = job_of("bomb", 2, {}), registry.game("bomb")
    first = ScriptedPlayer(lambda view: "draw")
    said = play_on(game, job, [], lambda seat: None if seat == 1 else first)
    assert [one.moves for one in said] == [["draw"]]
    said.append(Said(1, ["draw"]))
    fickle = ScriptedPlayer(lambda view: "draw" if len(fickle.asked) > 1 else "nonsense")
    new = play_on(game, job, said, lambda seat: None if seat == 1 else fickle)
    assert [one.moves for one in new] == [["draw"]]
    questions = [question for frame in fickle.asked for question in frame]
    assert bytes(questions[0][1]) == bytes(first.asked[0][0][1])
    assert questions[0][2] == first.asked[0][0][2] is not None  # The same seed.
    steady = ScriptedPlayer(lambda _: "draw")
    play_on(game, job, said, lambda seat: None if seat == 1 else steady)
    assert steady.asked[1][0][2] is None
    assert not steady.ended


def test_a_bot_that_answers_otherwise_now_begins_anew_with_the_next_question() -> None:
    job, game = job_of("bomb", 2, {}), registry.game("bomb")
    fickle = ScriptedPlayer(lambda _: "draw" if len(fickle.asked) > 1 else "nonsense")
    said = [Said(0, ["draw"]), Said(1, ["draw"])]
    play_on(game, job, said, lambda seat: None if seat == 1 else fickle)
    assert fickle.ended == [0]
    assert fickle.asked[1][0][2] == fickle.asked[0][0][2] is not None


def test_a_bots_fault_ends_the_bout_as_in_a_match() -> None:
    job, game = job_of("bomb", 2, {}), registry.game("bomb")

    def fails(_: object) -> SeatFault | None:
        return SeatFault("timeout", "no answer")

    new = play_on(game, job, [], lambda seat: ScriptedPlayer(str, fails) if not seat else None)
    assert [(one.seat, one.fault, one.detail) for one in new] == [(0, "timeout", "no answer")]
    live = resume(game, DEAL, 2, job.options, new)
    assert live.over
    assert live.result().places == [2, 1]
    assert live.result().faults[0].kind == "timeout"


def test_an_illegal_move_of_a_bot_is_its_fault() -> None:
    job, game = job_of("bomb", 2, {}), registry.game("bomb")
    new = play_on(game, job, [], lambda seat: ScriptedPlayer(lambda _: "fly") if not seat else None)
    live = resume(game, DEAL, 2, job.options, new)
    assert live.over
    assert live.result().faults[0].kind == "illegal"


def test_a_program_that_breaks_at_an_old_question_forfeits_at_its_next_decision() -> None:
    job, game = job_of("bomb", 2, {}), registry.game("bomb")
    said = [Said(0, ["draw"]), Said(1, ["draw"])]
    broken = ScriptedPlayer(str, lambda _: SeatFault("crash", "it broke"))
    new = play_on(game, job, said, lambda seat: None if seat else broken)
    assert [one.fault for one in new] == ["crash"]
    assert len(broken.asked) == 1
    live = resume(game, DEAL, 2, job.options, [*said, *new])
    assert live.moves == ["draw", "draw"]
    assert live.over


def test_a_fault_of_the_platform_is_nobodys() -> None:
    job, game = job_of("bomb", 2, {}), registry.game("bomb")
    broken = ScriptedPlayer(str, lambda _: SeatFault("platform", "no box"))
    with pytest.raises(SeatFault, match="platform"):
        play_on(game, job, [], lambda seat: None if seat else broken)
    assert broken.closed


def test_three_seats_go_on_without_an_offender() -> None:
    job, game = job_of("skull", 3, {}), registry.game("skull")
    live = resume(game, DEAL, 3, job.options, [])
    (first,) = owing(live)
    live = resume(game, DEAL, 3, job.options, [Said(first, fault="crash")])
    assert not live.over
    assert owing(live) != [first]


def test_simultaneous_answers_wait_for_each_other() -> None:
    job, game = job_of("war", 2, {}), registry.game("war")
    live = resume(game, DEAL, 2, job.options, [])
    assert owing(live) == [0, 1]
    mine = game.legal(live.state, 1)[0]
    live = resume(game, DEAL, 2, job.options, [Said(1, [mine])])
    assert owing(live) == [0]
    assert live.moves == []
    theirs = game.legal(live.state, 0)[0]
    live = resume(game, DEAL, 2, job.options, [Said(1, [mine]), Said(0, [theirs])])
    assert live.moves == [theirs, mine]


def test_a_row_of_moves_is_kept_as_a_row() -> None:
    row = hosted_bout.said_of(0, ("draw",))
    assert hosted_bout.answer_of(row) == ("draw",)
    assert hosted_bout.answer_of(hosted_bout.said_of(0, "draw")) == "draw"
    assert hosted_bout.answer_of(hosted_bout.said_of(0, ["a", "b"])) == ["a", "b"]


@pytest.mark.parametrize("name", ["bomb", "creatures", "skull", "thegame", "war"])
def test_the_answers_before_a_position_lead_to_it(name: str) -> None:
    game = registry.game(name)
    job = job_of(name, 2, {})
    live = resume(game, DEAL, 2, job.options, [])
    while not live.over:
        seat = owing(live)[0]
        live.take(seat, game.legal(live.state, seat)[0])
    bout = live.result()
    record = record_of(game, "match", job.options, DEAL, ["", ""], bout)
    assert len(bout.moves) > 3
    for moves in (0, 1, 3, len(bout.moves) - 1):
        said = hosted_bout.answers_before(game, record, bout, moves)
        there = resume(game, DEAL, 2, job.options, said)
        assert [one.moves for one in said] == [[move] for move in bout.moves[:moves]]
        assert owing(there)
        for seat, move in whole_turns(game, record, bout, moves):
            there.take(seat, move)
        assert there.result() == bout
    with pytest.raises(BadOption, match=f"ends with move {len(bout.moves)}:"):
        hosted_bout.answers_before(game, record, bout, len(bout.moves))


def whole_turns(game: Game, record: Record, bout: Bout, moves: int) -> list[tuple[int, Plain]]:
    """The moves of the bout after the first `moves`, with their seats."""
    made = [one for _, turn in replay.iterate_moves(game, record, bout) for one in turn.items()]
    return made[moves:]


def test_nobody_goes_on_after_a_forfeit() -> None:
    game, job = registry.game("skull"), job_of("skull", 3, {})
    live = resume(game, DEAL, 3, job.options, [])
    for _ in range(2):
        live.take(owing(live)[0], game.legal(live.state, owing(live)[0])[0])
    live.take(owing(live)[0], SeatFault("crash", "it broke"))
    while not live.over:
        live.take(owing(live)[0], game.legal(live.state, owing(live)[0])[0])
    record = record_of(game, "match", job.options, DEAL, ["", "", ""], live.result())
    for moves in (0, 1, 2):  # After two moves the third seat is still in the game.
        said = hosted_bout.answers_before(game, record, live.result(), moves)
        there = resume(game, DEAL, 3, job.options, said)
        assert (len(there.moves), there.faults, there.over) == (moves, [], False)
    with pytest.raises(BadOption, match="forfeits after move 2 of this bout: choose that"):
        hosted_bout.answers_before(game, record, live.result(), 3)


def test_one_goes_on_from_the_position_in_which_a_bot_lost_by_a_fault() -> None:
    game, job = registry.game("bomb"), job_of("bomb", 2, {})
    live = resume(game, DEAL, 2, job.options, [Said(0, ["draw"]), Said(1, fault="timeout")])
    record = record_of(game, "match", job.options, DEAL, ["", ""], live.result())
    said = hosted_bout.answers_before(game, record, live.result(), 1)
    assert owing(resume(game, DEAL, 2, job.options, said)) == [1]
    with pytest.raises(BadOption, match="forfeits after move 1 of this bout: choose that"):
        hosted_bout.answers_before(game, record, live.result(), 2)
    excluded = replace(live.result(), moves=[], faults=[Fault(0, 0, "excluded")], places=[2, 1])
    excluded = replace(excluded, why="excluded")
    assert hosted_bout.answers_before(game, record, excluded, 0) == []


def whole_turn(game: Game, job: PlayMatch) -> tuple[Plain, ...]:
    """The moves of a first turn of several."""
    live, moves = resume(game, DEAL, 2, job.options, []), list[Plain]()
    while owing(live)[0] == 0:
        moves.append(game.legal(live.state, 0)[-1])
        live.take(0, moves[-1])
    assert len(moves) > 1
    return tuple(moves)


def test_a_bot_that_answered_in_a_row_is_not_asked_again_for_those_moves() -> None:
    job, game = job_of("creatures", 2, {}), registry.game("creatures")
    whole = whole_turn(game, job)
    said = [Said(0, [move]) for move in whole]
    at_once, one_by_one = ScriptedPlayer(lambda _: whole), ScriptedPlayer(lambda _: whole[0])
    for bot, questions in ((at_once, 1), (one_by_one, len(said))):
        players = [bot, None]
        assert play_on(game, job, said, players.__getitem__) == []
        assert len(bot.asked) == questions


def test_a_bot_makes_the_rest_of_the_row_in_whose_middle_a_person_goes_on() -> None:
    job, game = job_of("creatures", 2, {}), registry.game("creatures")
    whole = whole_turn(game, job)
    said = [Said(0, [whole[0]])]
    new = play_on(game, job, said, [ScriptedPlayer(lambda _: whole), None].__getitem__)
    assert new == [Said(0, list(whole[1:]), row=True)]


def test_a_bot_that_would_have_gone_on_with_its_row_begins_anew_at_its_next_turn() -> None:
    job, game = job_of("creatures", 2, {}), registry.game("creatures")
    whole = whole_turn(game, job)
    said = [Said(0, [whole[0]]), Said(0, [whole[-1]])]  # The turn ended earlier.
    live = resume(game, DEAL, 2, job.options, said)
    while (seat := owing(live)[0]) == 1:
        said.append(Said(1, [game.legal(live.state, seat)[-1]]))
        live.take(1, said[-1].moves[0])
    longer = (whole[0], whole[-1], *whole)
    bot = ScriptedPlayer(lambda _: longer if len(bot.asked) == 1 else whole[-1])
    assert play_on(game, job, said, [bot, None].__getitem__) == [Said(0, [whole[-1]])]
    assert len(bot.asked) == 2
    assert bot.ended == [0]


def test_an_unfinished_bout_shows_its_steps_and_who_is_to_move() -> None:
    job, game = job_of("bomb", 2, {}), registry.game("bomb")
    live = resume(game, DEAL, 2, job.options, [Said(0, ["draw"])])
    bout = bout_so_far(live)
    assert bout == Bout(0, 0, ["draw"], [], [], "", [])
    record = record_of(game, "table", job.options, DEAL, ["", ""], bout)
    shown = list(replay.steps(game, record, bout, unfinished=True))
    assert [step.line for step in shown] == ["draws the top card", ""]
    assert shown[-1].to_move == [1]
