"""Bomb players as files in seats: the document's, the shipped ones, and every fault."""

from __future__ import annotations

import itertools

import pytest

from matchbox.games.bomb.draw import draw
from matchbox.games.bomb.rules import GAME
from matchbox.games.bomb.steps import holding
from matchbox.match import record as records
from matchbox.match.referee import Played, play
from matchbox.match.replay import replay
from matchbox.match.seat import Seat
from tests.builders import CHECKOUT, a_job, local_seats, shipped
from tests.fakes import LeastDice

BOTS = ("simple", "scared", "medium")

FILE = """
from matchbox.games.bomb import *
import numpy

class Mine(Player):
    def name(self):
        return "Mine"

    def turn(self, game_data, play_a_card):
        {turn}

    def defuse(self, game_data):
        {defuse}
"""
FAULTS = {
    "an exception in turn": ("raise KeyError('boom')", "return 0", "crash", "KeyError: 'boom'"),
    "a wrong answer": ("return 5", "return 0", "illegal", "turn() returned 5"),
    "a card in place of an answer": ("return see_card", "return 0", "illegal", "see_card"),
    "a skip card not held": (
        "return skip_card if not game_data.my_hand().num_cards(skip_card) else None",
        "return 0", "illegal", "you hold no skip card",
    ),
    "a bottom card not held": (
        "return bottom_card if not game_data.my_hand().num_cards(bottom_card) else None",
        "return 0", "illegal", "you hold no bottom card",
    ),
    "playing a skip card": (
        "play_a_card(skip_card)", "return 0", "illegal", "play_a_card(skip_card) is not a move",
    ),
    "playing a nothing card, caught": (
        "\n        try: play_a_card(nothing_card)\n        except BaseException: pass",
        "return 0", "illegal", "play_a_card(nothing_card) is not a move",
    ),
    "playing no card at all": ("play_a_card(None)", "return 0", "illegal", "play_a_card(None)"),
    "a see card not held, caught": (
        "\n        try:\n            for _ in range(9): play_a_card(see_card)"
        "\n        except Exception: pass",
        "return 0", "illegal", "you hold no see card",
    ),
    "a method that is none": (
        "game_data.my_hands()", "return 0", "crash", "'GameData' object has no attribute",
    ),
    "an exception in defuse": ("return None", "raise OSError()", "crash", "OSError"),
    "no place": ("return None", "return None", "illegal", "defuse() returned None"),
    "a place out of range": (
        "return None", "return game_data.draw_pile_size() + 1", "illegal", "return an int from 0",
    ),
    "a huge place": ("return None", "return 10**5000", "illegal", "returned a huge int"),
    "True as a place": ("return None", "return True", "illegal", "defuse() returned True"),
    "a float as a place": ("return None", "return 1.0", "illegal", "type float"),
    "an old play_a_card in defuse, caught": (
        "self.old = play_a_card",
        "\n        try: self.old(see_card)\n        except BaseException: pass\n        return 0",
        "illegal", "play_a_card() outside its turn",
    ),
    "an old play_a_card in a later turn, caught": (
        "\n        if hasattr(self, 'old'):"
        "\n            try: self.old(see_card)\n            except BaseException: pass"
        "\n        self.old = play_a_card",
        "return 0", "illegal", "play_a_card() outside its turn",
    ),
    "leaving the interpreter": ("raise SystemExit(0)", "return 0", "crash", "SystemExit: 0"),
    "running out of memory": ("raise MemoryError()", "return 0", "memory", "MemoryError"),
}  # fmt: skip


def played(*sources: bytes | str, deals: int = 6, width: int = 8) -> Played:
    """A match of these files in this process."""
    job = a_job(GAME, deals=deals, width=width)
    return play(GAME, job, local_seats("bomb", sources))


@pytest.mark.parametrize("fault", FAULTS)
def test_whoever_is_at_fault_loses_its_bout_and_is_told_why(fault: str) -> None:
    turn, defuse, kind, told = FAULTS[fault]
    match = played(FILE.format(turn=turn, defuse=defuse), shipped("bomb", "simple"), deals=10)
    notes = [note for note in match.notes if note.kind != "excluded"]
    assert len(notes) == 3, "after three faults the other bouts are forfeited"
    for note in notes:
        assert (note.entrant, note.kind) == (0, kind)
        assert told in note.detail
        bout = match.record.bouts[2 * note.deal + note.rotation]
        assert bout.places[note.rotation] == 2
        assert bout.why == kind
    replay(GAME, match.record)


def test_numpys_integers_are_places() -> None:
    source = FILE.format(
        turn="return None", defuse="return numpy.int64(game_data.draw_pile_size())"
    )
    assert not played(source, shipped("bomb", "simple")).notes


def test_a_player_is_new_in_every_bout() -> None:
    source = FILE.format(
        turn="assert len(game_data.discard_pile()) >= getattr(self, 'known', 0)"
        "\n        self.known = len(game_data.discard_pile())",
        defuse="return 0",
    )
    assert not played(source, shipped("bomb", "simple"), width=1).notes


@pytest.mark.parametrize("bot", BOTS)
def test_the_documents_players_load_unchanged_and_play_the_shipped_ones_game(bot: str) -> None:
    text = (CHECKOUT / "tests/documents/bomb" / f"{bot}.py").read_bytes()
    lines = text.decode().splitlines()
    assert lines[:2] == ["import random as random_number", "from matchbox.games.bomb import *"]
    theirs = played(text, shipped("bomb", "medium"))
    ours = played(shipped("bomb", bot), shipped("bomb", "medium"))
    assert not theirs.notes
    assert records.digest(theirs.record) == records.digest(ours.record)


@pytest.mark.parametrize("bot", BOTS)
def test_a_shipped_bot_says_what_it_does_and_is_found(bot: str) -> None:
    opened: list[Seat] = []
    job = a_job(GAME, deals=1)
    play(GAME, job, local_seats("bomb", [shipped("bomb", bot)] * 2, opened))
    assert {seat.class_name for seat in opened} == {f"{bot.capitalize()}Player"}
    assert shipped("bomb", bot).startswith(b'"""')


@pytest.mark.parametrize("pair", list(itertools.product(BOTS, repeat=2)), ids="-".join)
def test_a_match_is_the_same_whatever_the_width(pair: tuple[str, str]) -> None:
    sources = [shipped("bomb", bot) for bot in pair]
    bouts = [played(*sources, deals=20, width=width).record.bouts for width in (1, 4, 64)]
    assert bouts[0] == bouts[1] == bouts[2]


def test_the_figures_come_out_in_seats_too() -> None:
    match = played(shipped("bomb", "simple"), shipped("bomb", "scared"), deals=500, width=64)
    first = [bout for bout in match.record.bouts if bout.rotation == 0]
    share = sum(bout.places[0] == 1 for bout in first) / len(first)
    assert 0.14 < share < 0.28
    turns = sum(GAME.turns(bout.moves) for bout in match.record.bouts) / len(match.record.bouts)
    assert 15 < turns < 21


def test_a_human_cannot_sit_in_a_seat_but_its_file_loads() -> None:
    source = FILE.format(turn="return None", defuse="return 0") + "\nhuman = HumanPlayer()\n"
    assert not played(source, shipped("bomb", "simple"), deals=1).notes


def test_a_picture_shows_a_seat_only_its_own_cards() -> None:
    state = holding(bytearray(17), bytearray((6, *bytes(6))), bytearray((0, 0, 0, 6, *bytes(3))))
    assert ">shuffle<" not in draw(GAME.view(state, 0))
    assert ">defuse<" in draw(GAME.view(state, 0))
    table = draw(GAME.view(state, None))
    assert ">shuffle<" not in table
    assert ">defuse<" not in table


def test_a_picture_says_in_words_what_it_shows() -> None:
    state = GAME.start(2, LeastDice(), {})
    assert "It is your turn." in draw(GAME.view(state, 0))
    assert "The other player is to move." in draw(GAME.view(state, 1))
    assert "Seat 0 is to move." in draw(GAME.view(state, None))
