"""Skull players as files in seats: the document's, the shipped ones, and every fault."""

from __future__ import annotations

import random

import pytest

import bench.plain.skull as plain
from matchbox.games.skull.draw import draw
from matchbox.games.skull.rules import GAME
from matchbox.match import record as records
from matchbox.match.referee import Played, play
from matchbox.match.replay import replay
from matchbox.match.transcript import narrate
from tests.builders import CHECKOUT, a_job, local_seats, shipped
from tests.unit.games.skull.test_rules import ROSE, SKULL, begin
from tests.unit.games.skull.test_rules import play as made

RANDOM = shipped("skull", "random")
FILE = """
import random
from matchbox.games.skull import *

class Mine(Agent):
    def select_move(self, game_state):
        {move}

    def lose_card(self, game_state):
        {lose}

    def name_starter(self, game_state):
        {start}
"""
ANY = "return random.choice(game_state.legal_moves())"
BAD = {
    "a number": ("return len(game_state.legal_moves())", None, "illegal", "returned 2"),
    "a huge number": ("return 10**5000", None, "illegal", "returned a huge int"),
    "no move": ("return None", None, "illegal", "select_move() returned None"),
    "a card in place of a move": ("return Card.rose", None, "illegal", "type Card"),
    "a bid of nothing": ("return Move(bet=0)", None, "illegal", "Move(bet=0), a move that "),
    "a bid that is too high": ("return Move(bet=24)", None, "illegal", "bet 24 is not possible"),
    "a choice of somebody who is not there": (
        "return Move(choice=Player.player_5)", None, "illegal", "choose 5 is not possible",
    ),
    "a move that cannot be looked up": (
        "move = Move(bet=1); object.__setattr__(move, 'bet', []); return move",
        None, "illegal", "a move that there is not",
    ),
    "a crash": ("raise KeyError('boom')", None, "crash", "KeyError: 'boom'"),
    "a card to lose that is none": (ANY, "return 'rose'", "illegal", "lose_card() returned"),
}  # fmt: skip


def played(*sources: bytes | str, deals: int = 6, width: int = 8, **given: object) -> Played:
    """A match of these files in this process."""
    job = a_job(GAME, seats=len(sources), deals=deals, width=width, **given)
    return play(GAME, job, local_seats("skull", sources))


def document(bot: str) -> bytes:
    return (CHECKOUT / "tests/documents/skull" / f"{bot}.py").read_bytes()


@pytest.mark.parametrize("fault", BAD)
@pytest.mark.parametrize("seats", [2, 4])
def test_whoever_is_at_fault_comes_last_and_is_told_why(fault: str, seats: int) -> None:
    move, lose, kind, told = BAD[fault]
    source = FILE.format(move=move, lose=lose or "return None", start="return None")
    match = played(source, *[RANDOM] * (seats - 1), deals=10)
    notes = [note for note in match.notes if note.kind != "excluded"]
    assert notes
    for note in notes:
        assert (note.entrant, note.kind) == (0, kind)
        assert told in note.detail
        bout = match.record.bouts[seats * note.deal + note.rotation]
        assert bout.places[bout.faults[0].seat] == seats
        assert min(bout.places) == 1
        assert list(narrate(GAME, match.record, bout, ["a"] * seats))
    replay(GAME, match.record)


def test_the_optional_decisions_may_be_made() -> None:
    source = FILE.format(
        move=ANY,
        lose="assert game_state.board.last_chosen is Card.skull\n        return Card.rose",
        start="assert game_state.me not in game_state.players\n"
        "        return game_state.players[-1]",
    )
    match = played(*[source] * 4, deals=20)
    assert not match.notes
    moves = [move for bout in match.record.bouts for move in bout.moves]
    assert "lose rose" in moves
    assert any(str(move).startswith("start ") and move != "start any" for move in moves)


@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("variant", ["published", "challenge", "document"])
def test_the_documents_agents_run_unchanged(seats: int, variant: str) -> None:
    bots = [document("random_bot"), document("careful_bot")]
    sources = (bots * 3)[:seats]
    match = played(*sources, deals=4, options={"variant": variant})
    assert not match.notes
    replay(GAME, match.record)


def test_the_documents_random_agent_plays_the_shipped_ones_game() -> None:
    theirs = played(document("random_bot"), RANDOM, RANDOM)
    ours = played(RANDOM, RANDOM, RANDOM)
    assert records.digest(theirs.record) == records.digest(ours.record)


def test_the_lines_under_which_a_documents_agent_is_pasted_are_its_own() -> None:
    assert "from agent.base import Agent\nfrom skullboard import" in document("random_bot").decode()
    assert document("careful_bot").startswith(b"from dlskull import agent\nfrom dlskull.skullboard")


def test_a_player_is_new_in_every_bout() -> None:
    source = FILE.format(
        move="assert len(game_state.rounds) >= getattr(self, 'known', 0)\n"
        f"        self.known = len(game_state.rounds)\n        {ANY}",
        lose="return None",
        start="return None",
    )
    assert not played(source, RANDOM, RANDOM, width=1).notes


@pytest.mark.parametrize("seats", [2, 5])
def test_a_match_is_the_same_whatever_the_width(seats: int) -> None:
    bouts = [played(*[RANDOM] * seats, deals=3, width=width).record.bouts for width in (1, 4, 64)]
    assert bouts[0] == bouts[1] == bouts[2]


@pytest.mark.parametrize("seats, least", [(2, 0.6), (4, 0.35)])
def test_the_shipped_bluffer_clearly_beats_random_players(seats: int, least: float) -> None:
    bluffer = shipped("skull", "bluffer")
    match = played(bluffer, *[RANDOM] * (seats - 1), deals=200 // seats, width=64)
    assert not match.notes
    bouts = match.record.bouts
    won = [bout.places[-bout.rotation % seats] == 1 for bout in bouts]
    assert sum(won) / len(won) > least


def test_the_figures_come_out_in_seats_too() -> None:
    match = played(*[RANDOM] * 3, deals=60, width=64)
    bouts = match.record.bouts
    assert abs(sum(bout.why == "two points" for bout in bouts) / len(bouts) - 0.86) < 0.1
    assert abs(sum(GAME.turns(bout.moves) for bout in bouts) / len(bouts) - 51.6) < 6


def test_a_plain_loop_written_apart_agrees() -> None:
    state = random.getstate()
    random.seed(1)
    games = [plain.play_game([plain.RandomAgent() for _ in range(3)]) for _ in range(500)]  # type: ignore[no-untyped-call]
    random.setstate(state)
    assert abs(sum(game.why == "two points" for game in games) / 500 - 0.86) < 0.06
    assert abs(sum(game.rounds for game in games) / 500 - 8.26) < 0.6


# --- Pictures --------------------------------------------------------------------------------


def test_a_picture_shows_a_seat_only_its_own_cards() -> None:
    state = made(begin(2), SKULL)
    assert ">skull<" not in draw(GAME.view(state, None))
    assert draw(GAME.view(state, 0)).count(">skull<") == 1
    assert draw(GAME.view(state, 1)).count(">skull<") == 1, "its own one, in the hand"


def test_a_picture_says_in_words_what_it_shows() -> None:
    state = made(begin(3), ROSE, ROSE, ROSE, "bet 2")
    assert "Seat 1 is to move." in draw(GAME.view(state, None))
    assert "It is your turn." in draw(GAME.view(state, 1))
    assert "seat 0 bids 2 of 3" in draw(GAME.view(state, 2))
    assert "seat 0 has 1 of 2 roses" in draw(GAME.view(made(state, "pass", "pass"), None))
    over = begin(3, "challenge")
    assert "Won by seat 1 and seat 2." in draw(
        GAME.view(made(over, SKULL, ROSE, ROSE, "bet 1", "pass", "pass"), None)
    )
