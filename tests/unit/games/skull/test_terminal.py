"""A game in this process, its transcript, and a human at the terminal."""

from __future__ import annotations

import random
from typing import Any

import pytest

from matchbox.games.skull import Agent, Card, HumanPlayer, Move, Player, RandomAgent, play_game
from tests.unit.games.conftest import types
from tests.unit.games.skull.test_rules import ROSE, SKULL, begin, owning, play
from tests.unit.games.skull.test_view import seen

pytestmark = pytest.mark.usefixtures("own_chance")


class Faulty(Agent):
    """A player that raises an exception at its first move."""

    def select_move(self, game_state: Any) -> Any:
        raise KeyError("boom")


class Cheating(Agent):
    """A player that makes an impossible move."""

    def select_move(self, game_state: Any) -> Any:
        return 5


@pytest.mark.parametrize("seats", [2, 4, 6])
@pytest.mark.parametrize("variant", ["published", "challenge", "document"])
def test_a_game_has_a_winner_and_a_transcript(
    seats: int, variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    places = play_game([RandomAgent() for _ in range(seats)], variant=variant)
    assert sorted(places)[0] == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("RandomAgent")
    assert "  - places a card" in lines
    assert "win" in lines[-1] or "come first together" in lines[-1]


def test_the_same_seed_gives_the_same_game(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for _ in range(2):
        random.seed(7)
        play_game([RandomAgent(), RandomAgent(), RandomAgent()])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]


def test_nothing_is_printed_where_no_details_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    play_game([RandomAgent(), RandomAgent()], print_details=False)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("agent, raised", [(Faulty, KeyError), (Cheating, ValueError)])
def test_a_fault_is_raised_to_its_author(agent: type[Agent], raised: type[Exception]) -> None:
    with pytest.raises(raised):
        play_game([agent(), RandomAgent()])


@pytest.mark.parametrize(
    "agent, told",
    [
        (Faulty, "raised an exception and lost: KeyError('boom')"),
        (Cheating, "cheated and lost: select_move() returned 5; return one of legal_moves()"),
    ],
)
def test_the_transcript_names_the_kind_of_a_fault(
    agent: type[Agent], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    play_game([agent(), RandomAgent()], raise_exceptions=False)
    assert f"  - {told}" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("agent", [Faulty, Cheating])
def test_in_a_tournament_the_others_play_on(agent: type[Agent], seats: int) -> None:
    agents = [agent(), *[RandomAgent() for _ in range(seats - 1)]]
    places = play_game(agents, print_details=False, raise_exceptions=False)
    assert places[0] == seats
    assert 1 in places[1:]


@pytest.mark.parametrize(
    "seats, variant, told",
    [
        (1, "published", "skull is played by 2, 3, 4, 5, 6 players, not 1"),
        (7, "published", "skull is played by 2, 3, 4, 5, 6 players, not 7"),
        (2, "poker", "option variant of skull cannot be 'poker'"),
    ],
)
def test_a_table_that_there_is_not_is_refused(seats: int, variant: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        play_game([RandomAgent() for _ in range(seats)], False, False, variant)


def test_only_agents_can_play() -> None:
    with pytest.raises(AssertionError, match="is not an instance of Agent"):
        play_game([RandomAgent(), object()])  # type: ignore[list-item]


# --- A human ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made, typed, move",
    [
        ([], ["s"], Move(place=Card.skull)),
        ([], ["Rose"], Move(place=Card.rose)),
        ([ROSE, ROSE, ROSE], ["2"], Move(bet=2)),
        ([ROSE, ROSE, ROSE, "bet 1"], ["p"], Move.pass_bet()),
        ([ROSE, ROSE, ROSE, "bet 1"], ["3"], Move(bet=3)),
        ([ROSE, ROSE, ROSE, "bet 3"], ["2"], Move(choice=Player.player_2)),
        ([ROSE, ROSE, ROSE, "bet 2"], ["2", "4", "r", "x", "", "-1", "9" * 5000, "3"], Move(bet=3)),
        ([ROSE, ROSE, ROSE, "bet 3"], ["0", "p", "7", "1"], Move(choice=Player.player_1)),
    ],
)
def test_a_human_is_asked_until_the_move_is_legal(
    monkeypatch: pytest.MonkeyPatch, made: list[str], typed: list[str], move: Move
) -> None:
    types(monkeypatch, *typed)
    assert HumanPlayer().select_move(seen(play(begin(3), *made))) == move


def test_a_human_sees_the_table_and_only_what_is_new(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    types(monkeypatch, "s", "1")
    human, state = HumanPlayer(), play(begin(3), ROSE)
    human.select_move(seen(state))
    out = capsys.readouterr().out
    assert "- seat 0 places a card" in out
    assert "you (seat 1): 0 points, 0 placed, 4 in hand" in out
    assert "Your hand: skull, rose, rose, rose." in out
    human.select_move(seen(play(state, SKULL, ROSE, ROSE)))
    out = capsys.readouterr().out
    assert out.count("places a card") == 3
    assert "Your pile, the top last: skull." in out
    assert "Your move: [r]ose, a bid from 1 to 4" in out


def test_a_human_who_may_bid_one_number_only_reads_that(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    types(monkeypatch, "2")
    assert HumanPlayer().select_move(seen(play(begin(2), ROSE, ROSE, "bet 1"))) == Move(bet=2)
    assert "Your move: a bid of 2, [p]ass" in capsys.readouterr().out


def test_a_human_chooses_the_card_to_lose(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    types(monkeypatch, "x", "", "S")
    state = play(begin(2), SKULL, ROSE, "bet 1", "pass")
    assert HumanPlayer().lose_card(seen(state)) is Card.skull
    assert "- the card of seat 0 is a skull" in capsys.readouterr().out


def test_a_human_sees_which_cards_of_its_own_are_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    types(monkeypatch, "s", "r")
    before = play(begin(2), SKULL, ROSE, "bet 1", "pass")
    HumanPlayer().lose_card(seen(before))
    assert "You have lost" not in capsys.readouterr().out
    HumanPlayer().select_move(seen(play(before, "lose skull")))
    assert "You have lost: skull.\n" in capsys.readouterr().out


def test_a_human_who_is_out_names_the_starter(monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "0", "9", "2")
    state = play(owning("skull", "rose", "rose"), SKULL, ROSE, ROSE, "bet 3")
    assert HumanPlayer().name_starter(seen(state)) is Player.player_2


def test_a_human_can_play_a_whole_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lot = random.Random(3)
    monkeypatch.setattr("builtins.input", lambda prompt: lot.choice("srp012345"))
    assert sorted(play_game([HumanPlayer(), RandomAgent(), RandomAgent()])) == [1, 2, 2]
    assert "is not possible now" in capsys.readouterr().out
