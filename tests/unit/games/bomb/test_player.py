"""Cards, hands, views in words, and the driver that puts questions to a player."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from matchbox.errors import IllegalMove
from matchbox.games import bomb
from matchbox.games.bomb import (
    Card,
    GameData,
    Hand,
    Player,
    bomb_card,
    bottom_card,
    card_list,
    defuse_card,
    nothing_card,
    see_card,
    shuffle_card,
    skip_card,
)
from matchbox.games.bomb.player import answer

HAND = {"defuse": 1, "skip": 0, "bottom": 0, "shuffle": 1, "see": 2, "nothing": 0}


def a_view(**given: Any) -> dict[str, Any]:
    view = {"ask": "turn", "hand": dict(HAND), "pile": 9, "other": 6, "discard": ["skip"]}
    return view | given


class Asked(Player):
    """A player that takes its turn and defuses as the test says."""

    def __init__(self, turn: Callable[[GameData, Any], Any], place: Any = 0) -> None:
        self._turn, self._place = turn, place

    def name(self) -> str:
        return "Asked"

    def turn(self, game_data: GameData, play_a_card: Any) -> Any:
        return self._turn(game_data, play_a_card)

    def defuse(self, game_data: GameData) -> Any:
        return self._place(game_data) if callable(self._place) else self._place


class Refused(Exception):
    """Stands for the exception that ends the bout when a move is refused."""


def refuse(move: Any) -> Any:
    raise Refused(move)


def test_the_module_offers_every_name_of_the_document() -> None:
    names = (
        "Card bomb_card defuse_card skip_card bottom_card shuffle_card see_card nothing_card "
        "card_list Hand GameData Player play_game SimplePlayer ScaredPlayer MediumPlayer "
        "HumanPlayer"
    )
    assert sorted(names.split()) == sorted(bomb.__all__)


def test_a_card_says_what_it_is() -> None:
    assert skip_card.name() == "skip"
    assert "Ends your turn" in skip_card.description()
    assert str(skip_card) == "a skip card"
    assert str(Card("attack", "")) == "an attack card"
    assert repr(skip_card) == "skip_card"


def test_game_data_is_brought_up_to_date_as_in_the_document() -> None:
    data = bomb.GameData(12, (see_card,), Hand({see_card: 1, skip_card: 2}), 4)
    before = data.my_hand()
    data._update(Hand({skip_card: 2}), (see_card, see_card))
    assert (data.my_hand().num_cards(see_card), data.my_hand().num_cards(skip_card)) == (0, 2)
    assert data.discard_pile() == (see_card, see_card)
    assert (data.draw_pile_size(), data.other_players_hand_count()) == (12, 4)
    assert before.num_cards(see_card) == 1, "a hand obtained earlier is an old copy"


def test_the_cards_are_listed_in_order() -> None:
    names = ["bomb", "defuse", "skip", "bottom", "shuffle", "see", "nothing"]
    assert [card.name() for card in card_list] == names
    assert all(card.description() for card in card_list)


def test_a_hand_counts_its_cards() -> None:
    hand = Hand({see_card: 2, skip_card: 1})
    hand.add_card(skip_card)
    hand.remove_card(see_card)
    assert [hand.num_cards(card) for card in (see_card, skip_card, bomb_card)] == [1, 2, 0]
    assert len(hand) == 3
    assert len(Hand()) == 0


def test_a_card_that_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(ValueError, match=r"^the hand holds no see card$"):
        Hand({skip_card: 1}).remove_card(see_card)


def test_no_hand_holds_the_bomb() -> None:
    with pytest.raises(ValueError, match="cannot hold a bomb card"):
        Hand().add_card(bomb_card)


def test_a_copy_of_a_hand_is_its_own() -> None:
    hand = Hand({see_card: 1})
    hand.copy().remove_card(see_card)
    assert hand.num_cards(see_card) == 1


@pytest.mark.parametrize(
    "cards, words",
    [
        ({}, "no cards"),
        ({see_card: 1}, "1 see card"),
        ({see_card: 2, defuse_card: 1}, "1 defuse card and 2 see cards"),
        (
            {nothing_card: 1, see_card: 3, skip_card: 1, defuse_card: 0},
            "1 skip card, 3 see cards and 1 nothing card",
        ),
    ],
)
def test_a_hand_in_words(cards: dict[Card, int], words: str) -> None:
    assert str(Hand(cards)) == words


def test_the_game_in_words_with_an_empty_discard_pile() -> None:
    assert str(GameData(17, (), Hand({skip_card: 1}), 6)).splitlines() == [
        "The draw pile has 17 cards.",
        "You have 1 skip card.",
        "The other player has 6 cards.",
        "The discard pile is empty.",
    ]


@pytest.mark.parametrize(
    "discard, words",
    [
        ((see_card,), ["The only card on the discard pile is a see card."]),
        (
            (see_card, skip_card),
            ["The discard pile has two cards: a skip card, and below it a see card."],
        ),
        (
            (nothing_card, see_card, skip_card, defuse_card),
            [
                "The discard pile has 4 cards.",
                "Its top three cards, the newest first, are a defuse card, a skip card and a see "
                "card.",
            ],
        ),
    ],
)
def test_the_discard_pile_in_words(discard: tuple[Card, ...], words: list[str]) -> None:
    lines = str(GameData(1, discard, Hand(), 1)).splitlines()
    assert lines[0] == "The draw pile has one card."
    assert lines[2] == "The other player has one card."
    assert lines[3:] == words


def test_the_base_class_asks_for_three_methods() -> None:
    player, game_data = Player(), GameData(1, (), Hand(), 1)
    for call in (
        player.name,
        lambda: player.turn(game_data, refuse),
        lambda: player.defuse(game_data),
    ):
        with pytest.raises(NotImplementedError):
            call()


@pytest.mark.parametrize(
    "returned, move", [(None, "draw"), (skip_card, "skip"), (bottom_card, "bottom")]
)
def test_the_three_answers_of_a_turn(returned: Card | None, move: str) -> None:
    assert answer(Asked(lambda *_: returned), a_view(), refuse) == move


def test_a_player_sees_the_view_as_its_own_cards() -> None:
    seen: list[Any] = []

    def turn(game_data: GameData, _: Any) -> None:
        seen.extend(
            [
                game_data.draw_pile_size(),
                game_data.other_players_hand_count(),
                game_data.discard_pile(),
                game_data.my_hand().num_cards(see_card),
                str(game_data).splitlines()[3],
            ]
        )

    answer(Asked(turn), a_view(discard=["skip"]), refuse)
    assert seen == [9, 6, (skip_card,), 2, "The only card on the discard pile is a skip card."]


def test_cards_played_in_a_turn_bring_the_same_game_data_up_to_date() -> None:
    def turn(game_data: GameData, play_a_card: Any) -> Card:
        old = game_data.my_hand()
        assert play_a_card(see_card) == (bomb_card, see_card)
        assert game_data.my_hand().num_cards(see_card) == 1
        assert old.num_cards(see_card) == 2
        assert game_data.discard_pile() == (skip_card, see_card)
        assert play_a_card(shuffle_card) is None
        return skip_card

    after_see = a_view(hand=HAND | {"see": 1}, discard=["skip", "see"], seen=["bomb", "see"])
    after_shuffle = a_view(hand=HAND | {"see": 1, "shuffle": 0}, discard=["skip", "see", "shuffle"])
    views = {"see": after_see, "shuffle": after_shuffle}
    assert answer(Asked(turn), a_view(), views.__getitem__) == "skip"


@pytest.mark.parametrize(
    "card, told",
    [
        (skip_card, "play_a_card(skip_card)"),
        (nothing_card, "play_a_card(nothing_card)"),
        (5, "play_a_card(5)"),
        ("see", "play_a_card(something of type str)"),
        (Card("see", "a forged one"), "play_a_card(something of type Card)"),
    ],
)
def test_a_card_that_cannot_be_played_is_told_to_the_referee(card: Any, told: str) -> None:
    with pytest.raises(Refused) as refusal:
        answer(Asked(lambda _, play_a_card: play_a_card(card)), a_view(), refuse)
    assert refusal.value.args == (told,)


def test_a_copied_card_is_the_card_itself() -> None:
    for card in card_list:
        assert copy.deepcopy([card])[0] is copy.copy(card) is card
        assert pickle.loads(pickle.dumps(card)) is card
    forged = copy.deepcopy(Card("skip", "a forged one"))
    assert forged is not skip_card
    assert forged.description() == "a forged one"


def test_a_copy_of_the_game_data_knows_the_same_in_its_turn() -> None:
    def turn(game_data: GameData, play_a_card: Any) -> Card:
        play_a_card(see_card)
        for copied in (copy.deepcopy(game_data), pickle.loads(pickle.dumps(game_data))):
            assert str(copied) == str(game_data)
        return copy.deepcopy(skip_card)

    ask = {"see": a_view(discard=["skip", "see"], seen=["bomb", "see"])}
    assert answer(Asked(turn), a_view(), ask.__getitem__) == "skip"


class Everything:
    """An object that equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "returned",
    [5, True, "skip", see_card, defuse_card, Everything(), (skip_card,), Card("skip", "")],
)
def test_any_other_answer_of_a_turn_is_refused_by_identity(returned: Any) -> None:
    with pytest.raises(IllegalMove, match="return None to draw, skip_card or bottom_card"):
        answer(Asked(lambda *_: returned), a_view(), refuse)


@pytest.mark.parametrize("place", [0, 9, np.int64(3), np.uint8(9)])
def test_an_int_in_range_is_a_place(place: Any) -> None:
    got = answer(Asked(lambda *_: None, place), a_view(ask="defuse"), refuse)
    assert type(got) is int
    assert got == place


class Sly(int):
    """An int that claims to be in range."""

    def __le__(self, other: object) -> bool:
        return True


@pytest.mark.parametrize(
    "place",
    [
        -1,
        10,
        True,
        False,
        None,
        1.0,
        "1",
        Sly(99),
        np.bool_(True),
        np.float64(1.0),
        np.int64(10),
        [1],
    ],
)
def test_anything_else_is_no_place(place: Any) -> None:
    with pytest.raises(IllegalMove, match="return an int from 0 to 9"):
        answer(Asked(lambda *_: None, place), a_view(ask="defuse"), refuse)


def test_a_kept_play_a_card_loses_even_when_the_error_is_caught() -> None:
    kept: list[Any] = []
    answer(Asked(lambda _, play_a_card: kept.append(play_a_card)), a_view(), refuse)
    with pytest.raises(Refused, match="outside its turn"):
        kept[0](see_card)
