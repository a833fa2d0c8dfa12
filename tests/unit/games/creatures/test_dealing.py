"""A deck that comes into order as it is drawn is the deck that a shuffle makes."""

from __future__ import annotations

import pytest

from matchbox.dice import SeededDice
from matchbox.games.creatures.dealing import CARDS, FIRST, Deck


@pytest.mark.parametrize("seed", range(50))
def test_it_is_drawn_as_a_shuffled_one(seed: int) -> None:
    late, dice = (SeededDice(bytes([seed] * 16), 0) for _ in range(2))
    for _ in range(3):
        shuffled, deck = bytearray(CARDS), Deck(late)
        dice.shuffle(shuffled)
        assert deck[-FIRST:] == shuffled[-FIRST:]
        assert [deck.pop() for _ in CARDS] == [*reversed(shuffled)]


def test_an_empty_one_gives_no_card() -> None:
    deck = Deck(SeededDice(bytes(16), 0))
    del deck[:]
    with pytest.raises(IndexError):
        deck.pop()
