"""Players of Addition War as files in seats: the shipped ones, every fault, and the pictures."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest

from matchbox.games.war import HighestPlayer, Player, Position, RandomPlayer
from matchbox.games.war.draw import draw
from matchbox.games.war.rules import GAME
from matchbox.games.war.state import CHOOSE, DEALT, begin
from matchbox.match.referee import Played, play
from matchbox.match.replay import compare, replay
from matchbox.match.transcript import narrate
from tests.builders import CHECKOUT, a_job, local_seats, shipped
from tests.fakes import LeastDice

BOTS = ("random", "highest", "reader", "dealt")

FILE = """
from matchbox.games.war import *
import numpy

class Mine(Player):
    def lay(self, position):
        {lay}
"""
FAULTS = {
    "an exception": ("raise KeyError('boom')", "crash", "KeyError: 'boom'"),
    "nothing": ("return None", "illegal", "lay() returned None"),
    "a number": ("return 13", "illegal", "lay() returned 13"),
    "a huge card": ("return 10**5000, 1", "illegal", "lay() returned a huge int as a card"),
    "one card": ("return position.hand[:1]", "illegal", "lay() returned 1 cards"),
    "three cards": ("return position.hand[:3]", "illegal", "lay() returned 3 cards"),
    "a card not held": ("return 14, 1", "illegal", "there is no card 14; the cards are 1 to 13"),
    "two cards that do not exist": ("return 14, 15", "illegal", "there is no card 15"),
    "a text as a card": ("return 'ab', 1", "illegal", "type str as a card"),
    "True as a card": ("return True, 1", "illegal", "lay() returned True as a card"),
    "a float as a card": ("return 1.0, 2.0", "illegal", "type float as a card"),
    "a list of its own kind": (
        "\n        class Own(list): pass\n        return Own(position.hand[:2])",
        "illegal", "something of type Own",
    ),
}  # fmt: skip


def played(*sources: bytes | str, deals: int = 6, width: int = 8, mode: str = CHOOSE) -> Played:
    """A match of these files in this process."""
    job = a_job(GAME, deals=deals, width=width, options={"play": mode})
    return play(GAME, job, local_seats("war", sources))


@pytest.mark.parametrize("fault", FAULTS)
def test_whoever_is_at_fault_loses_its_bout_and_is_told_why(fault: str) -> None:
    lay, kind, told = FAULTS[fault]
    match = played(FILE.format(lay=lay), shipped("war", "random"))
    notes = [note for note in match.notes if note.kind != "excluded"]
    assert len(notes) == 3, "after three faults the other bouts are forfeited"
    for note in notes:
        assert (note.entrant, note.kind) == (0, kind)
        assert told in note.detail
        bout = match.record.bouts[2 * note.deal + note.rotation]
        assert bout.places[note.rotation] == 2
    replay(GAME, match.record)


def test_of_two_faults_at_once_the_lower_seats_counts() -> None:
    wrong = FILE.format(lay="return 14, 1")
    match = played(wrong, wrong, deals=1)
    assert [bout.places for bout in match.record.bouts] == [[2, 1], [2, 1]]
    assert [note.entrant for note in match.notes] == [0, 1]
    replay(GAME, match.record)


def test_any_order_and_numpys_integers_are_cards() -> None:
    lay = "return [numpy.int64(position.hand[-1]), position.hand[0]]"
    assert not played(FILE.format(lay=lay), shipped("war", "random")).notes


def test_a_position_tells_what_a_player_needs() -> None:
    lay = (
        "\n        assert sum(position.hand) + sum(position.other_hand) + position.points"
        " + position.other_points + position.open_points == 364"
        "\n        assert len(position.plays) == 13 - len(position.hand) // 2"
        "\n        assert all(len(play.own) == len(play.other) == 2 for play in position.plays)"
        "\n        position.hand.sort(); position.other_hand.clear()"
        "\n        return position.hand[0], position.hand[-1]"
    )
    assert not played(FILE.format(lay=lay), shipped("war", "random"), deals=20).notes


@pytest.mark.parametrize("bot", BOTS)
def test_a_shipped_bot_says_what_it_does(bot: str) -> None:
    assert shipped("war", bot).startswith(b'"""')


@pytest.mark.parametrize("pair", list(itertools.product(BOTS, repeat=2)), ids="-".join)
def test_a_match_is_the_same_whatever_the_width(pair: tuple[str, str]) -> None:
    sources = [shipped("war", bot) for bot in pair]
    bouts = [played(*sources, deals=4, width=width).record.bouts for width in (1, 4, 64)]
    assert bouts[0] == bouts[1] == bouts[2]


def test_a_match_verifies_and_its_transcript_tells_both_pairs() -> None:
    sources = [shipped("war", bot) for bot in ("random", "highest")]
    record = played(*sources, deals=3).record
    assert compare(GAME, record, local_seats("war", sources)).verdict == "same"
    lines = list(narrate(GAME, record, record.bouts[0], ["Random", "Highest"]))
    assert sum("lays " in line for line in lines) == 26
    assert any("takes " in line for line in lines)
    assert any("the totals are " in line for line in lines)


def test_a_dealt_match_asks_nobody_and_turns_round_with_the_seats() -> None:
    record = played(*[FILE.format(lay="raise OSError()")] * 2, deals=10, mode=DEALT).record
    replay(GAME, record)
    for first, second in zip(record.bouts[::2], record.bouts[1::2], strict=True):
        assert not first.moves
        assert not first.faults
        assert first.scores == second.scores
        assert sum(first.scores) == 364


@pytest.mark.parametrize(
    "first, second, least, most",
    [("highest", "random", 0.58, 0.8), ("reader", "random", 0.64, 0.86),
     ("reader", "highest", 0.9, 1.0)],
)  # fmt: skip
def test_a_better_bot_wins_its_share(first: str, second: str, least: float, most: float) -> None:
    record = played(shipped("war", first), shipped("war", second), deals=60, width=64).record
    places = [bout.places[bout.rotation] for bout in record.bouts]
    assert least < places.count(1) / len(places) <= most


def test_the_player_on_the_games_page_plays() -> None:
    page = (CHECKOUT / "matchbox/games/war/README.md").read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    assert "class ThriftyPlayer(Player)" in code
    assert not played(code, shipped("war", "highest")).notes


def test_the_base_class_asks_for_its_method() -> None:
    with pytest.raises(NotImplementedError, match="lay"):
        Player().lay(Position(a_view("5 4", "3 2", 0)))


def test_the_plain_players_lay_what_they_say() -> None:
    position = Position(a_view("13 9 9 2", "12 12 3 1", 0))
    assert HighestPlayer().lay(position) == (13, 9)
    assert all(card in position.hand for card in RandomPlayer().lay(position))


def test_a_position_counts_the_points_out_of_the_plays() -> None:
    view = a_view("13 2 9 1 5 5 3 3", "12 4 8 2 7 3 2 1", 0, "13 2", "12 4", "9 1", "8 2")
    position = Position(view)
    assert [position.points, position.other_points] == view["points"] == [0, 31]
    assert (position.open_plays, position.open_points) == (view["open"], 20) == (1, 20)
    assert [play.taken for play in position.plays] == view["took"]


def test_a_position_stays_as_its_owner_has_changed_it() -> None:
    position = Position(a_view("13 9 9 2", "12 12 3 1", 0))
    position.points = 7
    position.other_hand.remove(12)
    assert (position.points, position.other_points) == (7, 0)
    assert position.other_hand == [12, 3, 1]


def test_a_position_can_be_copied_with_what_its_owner_has_put_there() -> None:
    position: Any = Position(a_view("13 9 9 2", "12 12 3 1", 0, "13 2", "12 1"))
    position.mine = ["a guess"]
    other = copy.deepcopy(position)
    other.hand.clear()
    other.mine.clear()
    assert (position.hand, position.mine) == ([9, 9], ["a guess"])
    assert (other.other_hand, other.plays) == (position.other_hand, position.plays)


# --- Pictures --------------------------------------------------------------------------------


def a_view(first: str, second: str, seat: int | None, *moves: str) -> Any:
    """Returns the seat's view at a table with these hands, after these moves, seat 0's first."""
    state = begin(([*map(int, first.split())], [*map(int, second.split())]), CHOOSE)
    for number, move in enumerate(moves):
        state = GAME.apply(state, number % 2, move, LeastDice())
    return GAME.view(state, seat)


def test_a_picture_does_not_show_what_lies_face_down() -> None:
    hidden = draw(a_view("13 2 1 1", "12 4 3 3", 1, "13 1"))
    assert hidden == draw(a_view("13 2 1 1", "12 4 3 3", 1, "2 1"))
    begin = draw(a_view("13 2 1 1", "12 4 3 3", None, "13 1"))
    assert begin == draw(a_view("13 2 1 1", "12 4 3 3", None, "2 1"))
    assert "laid face down" in begin
    assert "laid face down" in draw(a_view("13 2 1 1", "12 4 3 3", 0, "13 1"))


def test_a_picture_marks_who_owes_cards() -> None:
    assert draw(a_view("13 2 1 1", "12 4 3 3", None)).count("to lay") == 2
    assert draw(a_view("13 2 1 1", "12 4 3 3", None, "13 1")).count("to lay") == 1
    assert draw(a_view("13 2 1 1", "12 4 3 3", 0)).count("to lay") == 1
    assert "to lay" not in draw(a_view("13 2 1 1", "12 4 3 3", 0, "13 1"))


def test_a_picture_shows_who_took_the_last_play() -> None:
    hands = ("13 2 1 1", "12 4 3 3")
    assert "16 takes all" in draw(a_view(*hands, None, "13 2", "12 4"))
    assert "16 takes all" in draw(a_view(*hands, 0, "13 2", "12 4"))
    assert "16 takes all" in draw(a_view(*hands, 1, "13 2", "12 4"))


def test_a_picture_tells_of_a_tie() -> None:
    picture = draw(a_view("9 1 2 2", "8 2 3 3", 0, "9 1", "8 2"))
    assert "A tie: 20 points wait for the next winner" in picture
    picture = draw(a_view("9 1", "8 2", None, "9 1", "8 2"))
    assert "A tie: 20 points taken back" in picture
    assert "The game is over." in picture


def test_a_picture_says_in_words_what_it_shows() -> None:
    picture = draw(a_view("13 2 1 1", "12 4 3 3", 1, "13 2", "12 4"))
    assert "You: 31 points, holding 3 3." in picture
    assert "The other player: 0 points, holding 1 1." in picture
    assert "1 of 13 plays." in picture


def test_two_that_lay_as_dealt_come_near_the_documents_figures() -> None:
    match = played(*[shipped("war", "dealt")] * 2, deals=1500, width=250)
    assert not match.notes
    finals = [max(bout.scores) for bout in match.record.bouts if bout.scores[0] != bout.scores[1]]
    assert sum(finals) / len(finals) == pytest.approx(226.1, abs=3)
