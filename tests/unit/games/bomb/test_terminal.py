"""The notebook's `play_game`, its transcript, and a human at the terminal."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import bench.plain.bomb as plain
from matchbox.games.bomb import (
    GameData,
    Hand,
    HumanPlayer,
    MediumPlayer,
    Player,
    ScaredPlayer,
    SimplePlayer,
    bottom_card,
    play_game,
    see_card,
    shuffle_card,
    skip_card,
)

pytestmark = pytest.mark.usefixtures("own_chance")


def plain_game(first: type[Player], second: type[Player]) -> Any:
    """A game of the plain loop between its own players of these names."""
    loop: Any = plain
    one, two = (getattr(loop, player.__name__)() for player in (first, second))
    return loop.play_game(one, two, False)


PAIRS = [
    (SimplePlayer, ScaredPlayer), (MediumPlayer, SimplePlayer), (ScaredPlayer, MediumPlayer),
    (MediumPlayer, MediumPlayer),
]  # fmt: skip


class Drawing(SimplePlayer):
    """A player that draws, and does what a test adds."""

    def __init__(self, turn: Any = None, place: Any = 0) -> None:
        self._turn, self._place = turn, place

    def name(self) -> str:
        return "Drawing"

    def turn(self, game_data: GameData, play_a_card: Any) -> Any:
        return self._turn(game_data, play_a_card) if self._turn else None

    def defuse(self, game_data: GameData) -> Any:
        if isinstance(self._place, Exception):
            raise self._place
        return self._place


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Sets the lines that the human types. After the last, the human draws, and puts the bomb at
    0."""
    typed = iter(lines)

    def type_it(prompt: str) -> str:
        print(prompt)
        return next(typed, "0" if "Where" in prompt else "")

    monkeypatch.setattr("builtins.input", type_it)


# --- The game --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("first, second", PAIRS)
def test_the_same_seed_gives_the_game_of_a_plain_loop(
    first: type[Player], second: type[Player], seed: int
) -> None:
    random.seed(seed)
    ours = [play_game(first(), second(), False) for _ in range(5)]
    random.seed(seed)
    loop = [plain_game(first, second) for _ in range(5)]
    assert ours == loop


def test_two_hundred_games_come_near_the_figures() -> None:
    wins = sum(play_game(SimplePlayer(), ScaredPlayer(), False) == 0 for _ in range(600))
    assert 0.14 < wins / 600 < 0.28


def test_a_transcript_tells_every_event(capsys: pytest.CaptureFixture[str]) -> None:
    winner = play_game(MediumPlayer(), ScaredPlayer())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Medium:"
    assert lines[-1] == f"{['Medium', 'Scared'][winner]} wins."
    told = {line for line in lines if line.startswith("  - ")}
    assert {"  - draws the top card", "  - it is the bomb", "  - blows up"} <= told
    assert {"  - plays a defuse card", "  - puts the bomb back"} <= told
    headings = [line for line in lines[:-1] if not line.startswith("  - ")]
    assert set(headings) == {"Medium:", "Scared:"}
    assert all(one != two for one, two in itertools.pairwise(headings))


def test_players_of_one_name_get_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    play_game(SimplePlayer(), SimplePlayer())
    out = capsys.readouterr().out
    assert out.startswith("Simple0:\n")
    assert "Simple1:\n" in out


def test_nothing_is_printed_where_no_details_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    play_game(SimplePlayer(), SimplePlayer(), print_details=False)
    assert capsys.readouterr().out == ""


def test_only_players_can_play() -> None:
    with pytest.raises(AssertionError, match="is not an instance of Player"):
        play_game(SimplePlayer(), object())  # type: ignore[arg-type]


# --- Faults: the table of the rules ----------------------------------------------------------


def boom(*_: Any) -> Any:
    raise KeyError("boom")


def illegal_and_caught(game_data: GameData, play_a_card: Any) -> None:
    try:
        play_a_card(skip_card)
    except ValueError:
        return


def too_many_shuffles(game_data: GameData, play_a_card: Any) -> None:
    for _ in range(5):
        play_a_card(shuffle_card)


class Storing(Drawing):
    """A player that calls an old `play_a_card` out of turn, and catches the exception."""

    old: Any = None

    def turn(self, game_data: GameData, play_a_card: Any) -> Any:
        if self.old is not None:
            try:
                self.old(see_card)
            except ValueError:
                return
        self.old = play_a_card


FAULTS: dict[str, tuple[Any, type[Exception], str]] = {
    "an exception in turn": (lambda: Drawing(boom), KeyError, "raised an exception and lost"),
    "a wrong answer of turn": (lambda: Drawing(lambda *_: 5), ValueError, "cheated and lost"),
    "too many cards": (lambda: Drawing(too_many_shuffles), ValueError, "cheated and lost"),
    "an illegal card, caught": (
        lambda: Drawing(illegal_and_caught),
        ValueError,
        "cheated and lost",
    ),
    "an old play_a_card, caught": (Storing, ValueError, "cheated and lost"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_turn_is_raised_after_the_transcript(
    fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make, raised, told = FAULTS[fault]
    with pytest.raises(raised):
        play_game(make(), SimplePlayer())
    lines = capsys.readouterr().out.splitlines()
    assert told in lines[-2]
    assert lines[-1] == "Simple wins."


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_turn_just_loses_in_a_tournament(fault: str) -> None:
    assert play_game(FAULTS[fault][0](), SimplePlayer(), False, raise_exceptions=False) == 1
    assert play_game(SimplePlayer(), FAULTS[fault][0](), False, raise_exceptions=False) == 0


@pytest.mark.parametrize("place", [-1, 99, None, True, "0", KeyError("boom")])
def test_a_fault_in_defuse_loses(place: Any) -> None:
    """A player who never defuses wins only if the other draws the bomb twice or more."""
    defused: list[bool] = []

    class Watched(Drawing):
        def defuse(self, game_data: GameData) -> Any:
            defused.append(True)
            return super().defuse(game_data)

    for _ in range(20):
        defused.clear()
        winner = play_game(Watched(None, place), SimplePlayer(), False, raise_exceptions=False)
        assert winner == 1 or not defused
        assert len(defused) <= 1


@pytest.mark.parametrize(
    "place, raised", [(99, ValueError), (None, ValueError), (KeyError(), KeyError)]
)
def test_a_fault_in_defuse_is_raised(place: Any, raised: type[Exception]) -> None:
    with pytest.raises(raised):
        for _ in range(50):
            play_game(Drawing(None, place), SimplePlayer(), False)


def test_a_card_that_is_not_held_is_not_told_as_played(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="you hold no skip card"):
        for _ in range(50):
            capsys.readouterr()
            play_game(Drawing(lambda *_: skip_card), SimplePlayer())
    assert "plays a skip card" not in capsys.readouterr().out.splitlines()[-2]


# --- A human ---------------------------------------------------------------------------------


def test_a_human_can_draw_and_win_or_lose(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch)
    winner = play_game(HumanPlayer(), SimplePlayer())
    out = capsys.readouterr().out
    assert "The draw pile has 17 cards." in out
    assert out.splitlines()[-1] == f"{['Human', 'Simple'][winner]} wins."


def human_turn(
    monkeypatch: pytest.MonkeyPatch, typed: list[str], seen: Any = None, **given: Any
) -> tuple[Any, list[Any]]:
    """Returns the result of a human's turn with these typed lines, and the cards played in it."""
    answers(monkeypatch, *typed)
    played: list[Any] = []

    def play_a_card(card: Any) -> Any:
        played.append(card)
        return seen if card is see_card else None

    cards = {see_card: 1, shuffle_card: 1, skip_card: 1, bottom_card: 0} | given.pop("cards", {})
    game_data = GameData(5, given.pop("discard", ()), Hand(cards), 3)
    return HumanPlayer().turn(game_data, play_a_card), played


@pytest.mark.parametrize("typed, card", [("", None), ("k", skip_card), ("KICK", skip_card)])
def test_the_first_letter_counts_in_either_case(
    monkeypatch: pytest.MonkeyPatch, typed: str, card: Any
) -> None:
    assert human_turn(monkeypatch, [typed]) == (card, [])


def test_a_card_that_a_human_does_not_have_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert human_turn(monkeypatch, ["b", "x", "k"]) == (skip_card, [])
    out = capsys.readouterr().out
    assert "You do not have a bottom card." in out
    assert "'x' is not one of the letters." in out
    assert out.count("Play s[h]uffle, [s]ee or s[k]ip, or press Enter to draw: ") == 3


def test_a_human_who_holds_no_card_to_play_is_only_asked_to_draw(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = {see_card: 0, shuffle_card: 0, skip_card: 0}
    assert human_turn(monkeypatch, [""], cards=nothing) == (None, [])
    assert capsys.readouterr().out.splitlines()[-1] == "Press Enter to draw: "


@pytest.mark.parametrize(
    "seen, words",
    [
        ((see_card,), "You see one card, from the top: a see card."),
        ((see_card, skip_card), "You see two cards, from the top: a see card and a skip card."),
        (
            (see_card, skip_card, see_card),
            "You see three cards, from the top: a see card, a skip card and a see card.",
        ),
    ],
)
def test_a_human_sees_cards_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seen: Any, words: str
) -> None:
    assert human_turn(monkeypatch, ["h", "s"], seen) == (None, [shuffle_card, see_card])
    assert words in capsys.readouterr().out


def test_a_human_is_told_what_the_other_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    human_turn(monkeypatch, [""], discard=(skip_card, see_card))
    out = capsys.readouterr().out
    assert "Since your last turn the other player has played a skip card and a see card." in out


def test_a_human_is_told_only_what_is_new(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "k", "")
    human = HumanPlayer()
    human.turn(GameData(5, (see_card,), Hand({skip_card: 1}), 3), None)  # type: ignore[arg-type]
    capsys.readouterr()
    human.turn(GameData(5, (see_card, skip_card), Hand(), 3), None)  # type: ignore[arg-type]
    assert "Since your last turn" not in capsys.readouterr().out


def test_a_human_is_asked_for_a_place_until_there_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "top", "7", "-1", "2")
    assert HumanPlayer().defuse(GameData(5, (), Hand(), 3)) == 2
    out = capsys.readouterr().out
    assert "From 0 (the top) to 5 (the bottom)" in out
    assert "'top' is not a whole number." in out
    assert "7 is not a place" in out


class Nameless(SimplePlayer):
    """A player whose name fails."""

    def name(self) -> str:
        raise KeyError("no name")


@pytest.mark.parametrize("place", [0, 1])
def test_a_player_whose_name_fails_loses(place: int, capsys: pytest.CaptureFixture[str]) -> None:
    players = [SimplePlayer(), SimplePlayer()]
    players[place] = Nameless()
    one, two = players
    assert play_game(one, two, print_details=True, raise_exceptions=False) == 1 - place
    assert "Nameless" in capsys.readouterr().out
    with pytest.raises(KeyError, match="no name"):
        play_game(one, two)
