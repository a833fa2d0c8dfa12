"""Strategies as files in seats: the document's, the shipped ones, and every fault."""

from __future__ import annotations

from typing import Any

import pytest

from cli.named_bots import shipped_names
from matchbox.game import fill_options
from matchbox.games.thegame.draw import draw
from matchbox.games.thegame.rules import GAME
from matchbox.match import record as records
from matchbox.match.referee import Played, play
from matchbox.match.replay import replay
from matchbox.match.seat import Seat
from matchbox.match.transcript import narrate
from tests.builders import CHECKOUT, a_job, local_seats, shipped
from tests.fakes import LeastDice

DOCUMENT = ("random", "minimal", "trick")
LINES = {
    "random": ["import random"],
    "minimal": [],
    "trick": ["import random", "from simulation import random_strategy"],
}
"""The document's own import lines."""
FAULTS = {
    "an exception": ("raise KeyError('boom')", "crash", "KeyError: 'boom'"),
    "no answer": ("return None", "illegal", "the strategy returned None"),
    "one number": ("return 3", "illegal", "the strategy returned 3"),
    "True as a pile": ("return True, 0", "illegal", "the strategy returned (True, 0)"),
    "an array as a pile": (
        "import numpy; return numpy.arange(2), 0",
        "illegal",
        "return (pile_index, card_index), two",
    ),
    "leaving the interpreter": ("raise SystemExit(0)", "crash", "SystemExit: 0"),
    "running out of memory": ("raise MemoryError()", "memory", "MemoryError"),
}
MANY = """
from simulation import *

class Mine(LegalMinimalPlayer):
    def hint(self, table):
        assert table.seat != table.mover
        return [WORDS[1], *SILENCE[1:]]

    def more(self, table):
        steps = {table.step(p, table.hand[c]): (p, c) for p, c in table.plays()}
        return steps.get(-10) or steps.get(1)
"""


def played(
    source: bytes | str, seats: int = 3, deals: int = 4, width: int = 4, **options: Any
) -> Played:
    """A match of this file, in all seats, in this process."""
    given = fill_options(GAME.spec, options)
    job = a_job(GAME, seats=seats, deals=deals, width=width, options=given)
    return play(GAME, job, local_seats("thegame", [source] * seats))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_the_bout_for_all_and_its_maker_is_told_why(fault: str) -> None:
    answer, kind, told = FAULTS[fault]
    match = played(f"def strategy(game, hand):\n    {answer}\n", deals=1)
    assert {note.kind for note in match.notes} <= {kind, "excluded"}
    assert told in match.notes[0].detail
    for bout in match.record.bouts:
        assert bout.scores == [0, 0, 0]
        assert bout.forfeit == 0
    replay(GAME, match.record)


@pytest.mark.parametrize("seats", [1, 2, 7])
@pytest.mark.parametrize("bot", DOCUMENT)
def test_the_documents_strategies_load_unchanged_and_play_the_shipped_ones_game(
    bot: str, seats: int
) -> None:
    text = (CHECKOUT / "tests/documents/thegame" / f"{bot}.py").read_bytes()
    lines = text.decode().splitlines()
    assert [line for line in lines if "import" in line] == LINES[bot]
    theirs = played(text, seats)
    assert not theirs.notes
    ours = played(shipped("thegame", bot), seats)
    assert records.digest(theirs.record) == records.digest(ours.record)
    replay(GAME, theirs.record)


@pytest.mark.parametrize("bot", shipped_names("thegame"))
def test_a_shipped_bot_says_what_it_does_and_makes_no_fault(bot: str) -> None:
    assert shipped("thegame", bot).startswith(b'"""')
    for rules in ("article", "backwards", "published"):
        assert not played(shipped("thegame", bot), rules=rules, hints=True).notes


def test_a_strategy_is_named_by_its_function() -> None:
    opened: list[Seat] = []
    job = a_job(GAME, seats=1, deals=1)
    play(GAME, job, local_seats("thegame", [shipped("thegame", "minimal")], opened))
    assert {seat.class_name for seat in opened} == {"minimal_distance_strategy"}


def test_a_lambda_can_be_named_as_the_bot() -> None:
    source = "import simulation\nBOT = lambda game, hand: simulation.random_strategy(game, hand)\n"
    assert not played(source, deals=1).notes


def test_an_invalid_play_is_no_fault_and_its_cards_count() -> None:
    match = played("def strategy(game, hand):\n    return -1, 0\n", seats=2)
    assert not match.notes
    assert {(tuple(bout.scores), bout.why) for bout in match.record.bouts} == {((0, 0), "invalid")}


@pytest.mark.parametrize("rules", ["article", "backwards", "published"])
@pytest.mark.parametrize("seats", [1, 3])
def test_a_match_is_the_same_whatever_the_width(seats: int, rules: str) -> None:
    bouts = [
        played(MANY, seats, 2, width, rules=rules, hints=True).record.bouts for width in (1, 64)
    ]
    assert bouts[0] == bouts[1]


def test_hints_are_moves_of_the_record_and_lines_of_the_transcript() -> None:
    match = played(MANY, 3, deals=1, rules="published", hints=True)
    assert not match.notes
    bout = match.record.bouts[0]
    assert ["please leave it", "none", "none", "none"] in bout.moves
    lines = list(narrate(GAME, match.record, bout, ["one", "two", "three"]))
    assert '  - hints: pile 0 "please leave it"' in lines
    assert lines[-1] == f"Together they score {bout.scores[0]} ({bout.why})."
    replay(GAME, match.record)


def test_the_figures_come_out_in_seats_too() -> None:
    match = played(shipped("thegame", "random"), 3, deals=200, width=64)
    scores = [bout.scores[0] for bout in match.record.bouts if bout.rotation == 0]
    assert 11.5 < sum(scores) / len(scores) < 14


# --- Pictures --------------------------------------------------------------------------------


def test_a_picture_shows_a_seat_only_its_own_cards() -> None:
    state = GAME.start(2, LeastDice(), {})
    mine = draw(GAME.view(state, 0))
    assert ">99<" in mine
    assert ">98<" not in mine
    table = draw(GAME.view(state, None))
    assert ">99<" not in table
    assert ">98<" not in table


def test_a_picture_says_in_words_what_it_shows() -> None:
    state = GAME.start(2, LeastDice(), {"hints": True})
    assert "Hints before the turn of seat 0" in draw(GAME.view(state, None))
    GAME.apply(state, 1, ["I can go close", "none", "none", "none"], LeastDice())
    picture = draw(GAME.view(state, 0))
    assert "The piles show 1, 1, 100, 100; 0 of 98 cards are laid." in picture
    assert "You hold 87, 89, 91, 93, 95, 97, 99." in picture
    assert ">Seat 1: 0 close<" in picture
    GAME.apply(state, 0, "invalid", LeastDice())
    assert "The game is over: invalid" in draw(GAME.view(state, None))
