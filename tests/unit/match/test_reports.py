"""Players' reports on their moves leave the seat beside the answers, as far as they are wanted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from matchbox.errors import SeatFault
from matchbox.match import frames
from matchbox.match.frames import MAX_DECISIONS, REPORT_LENGTH, Reports, read_answers
from matchbox.match.seat import LocalChannel, Seat
from tests.unit.worker.conftest import a_match, by_digest
from worker.arena.play import play_job

PACKAGE = "matchbox.games.skull"
VIEW = {
    "ask": "move", "me": 0, "mover": 0, "starter": 0, "phase": "placing", "variant": "published",
    "points": [0, 0], "cards": [4, 4], "piles": [0, 0], "bids": [0, 0], "lost": [],
    "pile": [], "hand": {"skull": 1, "rose": 3}, "log": "", "rounds": "",
}  # fmt: skip


def asked(report: str, *, wanted: bool = True, bouts: int = 1, times: int = 1) -> Seat:
    """A seat whose agent makes this report after its moves, asked `times` times in each bout."""
    source = (
        "from matchbox.games.skull import *\nclass Bot(RandomAgent):\n"
        f"    def diagnostics(self):\n        return {report}\n"
    )
    frame = frames.load_frame(PACKAGE, {"player.py": source.encode()}, None, "00", reports=wanted)
    seat = Seat(LocalChannel, frame, reports=wanted)
    for _ in range(times):
        answers = seat.answer([(bout, VIEW, f"{bout:02x}") for bout in range(bouts)])
        assert all(str(answer).startswith("place") for answer in answers), answers
    seat.close()
    return seat


def test_reports_come_by_bout_and_decision() -> None:
    told = '{"n":1.5,"list":["a",null]}'
    seat = asked('{"n": 1.5, "list": ["a", None]}', bouts=2, times=2)
    assert seat.reports == dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], told)


def test_nothing_is_sent_where_there_is_nothing_to_report_or_nobody_asks() -> None:
    assert asked("{}").reports == {}
    assert asked('{"n": 1}', wanted=False).reports is None


@pytest.mark.parametrize(
    "report, told",
    [
        ('{"card": Card.rose}', '{"card":"<Card.rose: 2>"}'),
        ('{"bad": float("nan")}', json.dumps("{'bad': nan}")),
        ('{(1, 2): "key"}', json.dumps("{(1, 2): 'key'}")),
        ('{"é": "\\u202e"}', '{"\\u00e9":"\\u202e"}'),
        ('{"n": 10**5000}', '"something of type dict"'),
        (
            'type("Odd", (), {"__bool__": lambda self: 1 / 0, "__repr__": lambda self: "odd"})()',
            '"odd"',
        ),
        ('type("Odd", (), {"__repr__": lambda self: 1 / 0})()', '"something of type Odd"'),
    ],
)
def test_what_json_does_not_know_is_told_in_pythons_words(report: str, told: str) -> None:
    assert asked(report).reports == {(0, 0): told}


def test_a_long_report_is_cut_and_none_is_left_out() -> None:
    seat = asked('{"x": "y" * 5000}', bouts=250)
    assert seat.reports is not None
    assert {len(text) for text in seat.reports.values()} == {REPORT_LENGTH}
    assert set(seat.reports) == {(bout, 0) for bout in range(250)}


def test_a_report_that_draws_a_number_leaves_the_same_moves_wanted_or_not() -> None:
    source = (
        "import random\nfrom matchbox.games.skull import *\n"
        "class Lucky:\n    def __repr__(self):\n        return str(random.random())\n"
        "class Bot(RandomAgent):\n    def diagnostics(self):\n        return Lucky()\n"
    )
    files = {"player.py": source.encode()}
    moves = []
    for wanted in (True, False):
        frame = frames.load_frame(PACKAGE, files, None, "00", reports=wanted)
        seat = Seat(LocalChannel, frame, reports=wanted)
        moves.append([seat.answer([(bout, VIEW, f"{bout:02x}")]) for bout in [0] * 12])
        seat.close()
    assert moves[0] == moves[1]


@pytest.mark.parametrize("report", ["Odd()", "[Odd()]", "{}"])
def test_a_report_of_another_game_s_player_costs_nothing_either(report: str) -> None:
    source = (
        "from matchbox.games.bomb import *\nclass Odd:\n"
        "    def __bool__(self):\n        raise ValueError\n    __repr__ = __bool__\n"
        "class Bot(SimplePlayer):\n    def report(self):\n        return " + report
    )
    played = play_job(a_match(source.encode(), source.encode()), by_digest(source.encode()), None)
    assert played.notes == []


def test_an_exception_in_diagnostics_is_the_bots_fault() -> None:
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        asked("1 / 0")


@pytest.mark.parametrize(
    "more",
    [
        [[[0, 0, "fine"]], "more"],
        ["text"],
        [[[0, "0", "text"]]],
        [[[-1, 0, "text"]]],
        [[[0, 0, 5]]],
        [[5]],
        [[[False, 0, "text"]]],
        [[[True, 0, "text"]]],
        [[[0, False, "text"]]],
        [[[0.0, 0, "text"]]],
        [[[2**70, 0, "text"]]],
        [[[0, 2**70, "text"]]],
        [[[1, 0, "of a bout that was not asked"]]],
        [[[0, MAX_DECISIONS, "of a decision that nobody makes"]]],
        [[[0, 0, "one"], [0, 0, "and another one"]]],
        [[[0, 0, "x" * (REPORT_LENGTH + 1)]]],
    ],
)
def test_forged_reports_are_a_fault(more: list[Any]) -> None:
    frame = json.dumps(["say", 1, ["pass"], [], [], *more]).encode()
    kept: Reports = {}
    with pytest.raises(SeatFault, match="protocol"):
        read_answers(frame, 1, 1, kept, [(0, VIEW, None)])
    assert not kept


def test_a_report_may_follow_moves_in_a_row() -> None:
    questions: list[Any] = [(0, VIEW, None)]
    kept: Reports = {}
    row = json.dumps(["say", 1, [["a", "b", "c"]], [], [0], [[0, 0, "first"]]]).encode()
    assert read_answers(row, 1, 1, kept, questions) == [("a", "b", "c")]
    more = json.dumps(["say", 2, ["d"], [], [], [[0, 3, "second"]]]).encode()
    assert read_answers(more, 2, 1, kept, questions) == ["d"]
    assert kept == {(0, 0): "first", (0, 3): "second"}


def test_reports_that_nobody_asked_for_are_a_fault() -> None:
    frame = json.dumps(["say", 1, ["pass"], [], [], [[0, 0, "text"]]]).encode()
    assert read_answers(frame, 1, 1, {}, [(0, VIEW, None)]) == ["pass"]
    with pytest.raises(SeatFault, match="protocol"):
        read_answers(frame, 1, 1)
