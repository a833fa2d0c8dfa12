"""The dice: even, repeatable, and with a new stream for every step."""

from __future__ import annotations

from collections import Counter, UserList
from collections.abc import Callable, MutableSequence
from hashlib import blake2b
from itertools import permutations, product
from math import perm
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchbox.dice import SeededDice, deals_from, derive_deals, player_seed, player_seeds

SEED = bytes(range(16))
# This seed's first step drew these numbers when the test was written. Records of old matches depend
# on them.
GOLDEN = ([4, 3, 5, 6, 1, 2, 7, 0], [709, 941, 192])


def counts_are_even(counts: Counter[object], cells: int, limit: float) -> bool:
    """Returns whether the chi-square of the counts against an even spread lies below the limit."""
    expected = counts.total() / cells
    missing = (cells - len(counts)) * expected
    return sum((n - expected) ** 2 / expected for n in counts.values()) + missing < limit


def test_a_draw_is_even() -> None:
    dice = SeededDice(SEED, 0)
    assert counts_are_even(Counter(dice.below(12) for _ in range(24_000)), 12, 37.4)


def test_an_order_is_even() -> None:
    counts: Counter[object] = Counter()
    for step in range(4800):
        items = [1, 2, 3, 4]
        SeededDice(SEED, step).shuffle(items)
        counts[tuple(items)] += 1
    assert set(counts) == set(permutations([1, 2, 3, 4]))
    assert counts_are_even(counts, 24, 57.0)


def test_a_long_list_is_shuffled_in_every_place() -> None:
    first: Counter[object] = Counter()
    for step in range(3000):
        items = list(range(100))
        SeededDice(SEED, step).shuffle(items)
        assert sorted(items) == list(range(100))
        first[items[0] // 10] += 1
        assert items != list(range(100))
    assert counts_are_even(first, 10, 33.7)


def test_the_same_step_draws_the_same_and_another_step_does_not() -> None:
    def drawn(step: int) -> list[int]:
        dice = SeededDice(SEED, step)
        return [dice.below(1000) for _ in range(100)]

    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)


def test_a_step_does_not_depend_on_what_was_drawn_before() -> None:
    dice = SeededDice(SEED, 0)
    dice.shuffle(list(range(70)))
    assert dice.at(5).below(10**9) == SeededDice(SEED, 5).below(10**9)


def test_the_draws_of_a_step_stay_what_they_are() -> None:
    dice = SeededDice(SEED, 1)
    items = list(range(8))
    dice.shuffle(items)
    drawn = [dice.below(1000) for _ in range(3)]
    assert (items, drawn) == GOLDEN


class Defined:
    """The definition of a step's draws, in plain code. Records of old matches depend on it."""

    def __init__(self, seed: bytes, step: int) -> None:
        self.seed, self.step, self.begun = seed, step, 0
        self.value = self.room = 0

    def below(self, n: int) -> int:
        if self.room < n << 64:
            self.value, self.room = 0, 1
        while self.room < n << 64:
            number = self.step.to_bytes(8, "big") + self.begun.to_bytes(8, "big")
            digest = blake2b(number, key=self.seed).digest()
            self.value = self.value << 512 | int.from_bytes(digest, "big")
            self.room <<= 512
            self.begun += 1
        self.room //= n
        self.value, drawn = divmod(self.value, n)
        return drawn

    def shuffle(self, items: MutableSequence[Any]) -> None:
        size = len(items)
        while size > 1:
            last = max(1, size - 40)
            order = self.below(perm(size, size - last))
            for place in range(size, last, -1):
                order, other = divmod(order, place)
                items[place - 1], items[other] = items[other], items[place - 1]
            size = last


def draws(dice: Any, seed: int) -> list[object]:
    """Returns draws of all kinds and sizes, several in a step."""
    chance, drawn = Random(seed), list[object]()
    kinds: tuple[Callable[[Any], MutableSequence[int]], ...] = (bytearray, list, UserList)
    for _ in range(chance.choice((1, 2, 5, 12))):
        if chance.random() < 0.5:
            drawn.append(dice.below(chance.randint(1, 2 << chance.choice((6, 64, 447, 448, 1500)))))
        else:
            items = chance.choice(kinds)(range(chance.randint(0, 200)))
            dice.shuffle(items)
            drawn.append(list(items))
    return drawn


def test_every_draw_is_as_it_is_defined() -> None:
    dice = SeededDice(SEED, 0)
    for number in range(1000):
        step = number**5
        assert draws(dice.at(step), number) == draws(Defined(SEED, step), number)


@pytest.mark.parametrize("size", [0, 1, 16, 63, 64])
def test_every_draw_is_as_it_is_defined_whatever_the_seed(size: int) -> None:
    seed = bytes(range(7, 7 + size))
    for step in range(20):
        assert draws(SeededDice(seed, step), step) == draws(Defined(seed, step), step)


def test_as_many_draws_as_448_bits_allow_come_out_of_one_number() -> None:
    dice, defined = SeededDice(SEED, 3), Defined(SEED, 3)
    assert [dice.below(2) for _ in range(900)] == [defined.below(2) for _ in range(900)]
    assert [dice.below(2**32 - 1) for _ in range(50)] == [
        defined.below(2**32 - 1) for _ in range(50)
    ]


@given(st.integers(1, 2**600), st.integers(0, 1000))
def test_a_draw_lies_below(n: int, step: int) -> None:
    assert 0 <= SeededDice(SEED, step).below(n) < n


@given(st.lists(st.integers(), max_size=60))
def test_a_shuffle_loses_nothing(items: list[int]) -> None:
    shuffled = list(items)
    SeededDice(SEED, 1).shuffle(shuffled)
    assert sorted(shuffled) == sorted(items)


@pytest.mark.parametrize("n", [0, -1])
def test_there_is_no_draw_below_nothing(n: int) -> None:
    with pytest.raises(ValueError, match="there is no number from 0"):
        SeededDice(SEED, 0).below(n)


def test_there_is_no_choice_from_nothing() -> None:
    with pytest.raises(ValueError):
        SeededDice(SEED, 0).choice([])


def test_a_choice_is_one_of_the_items() -> None:
    dice = SeededDice(SEED, 0)
    assert {dice.choice("abc") for _ in range(100)} == set("abc")


@pytest.mark.parametrize("match", ["", "m", "m" * 100, "m" * 113, "m" * 114, "é" * 300])
def test_the_seeds_of_all_seats_are_those_of_each(match: str) -> None:
    deal = derive_deals("x", 1)[0]
    told = player_seeds(bytes.fromhex(deal), match, 2, 12)
    texts = [f"{match}:2:{seat}:player".encode() for seat in range(12)]
    key = bytes.fromhex(deal)
    assert told == [blake2b(text, key=key, digest_size=32).hexdigest() for text in texts]
    assert told == [player_seed(deal, match, 2, seat).hex() for seat in range(12)]


def test_players_have_seeds_of_their_own() -> None:
    deal = "00" * 16
    places = product(("a", "b"), (0, 1), (0, 1))
    seeds = {player_seed(deal, match, rotation, seat) for match, rotation, seat in places}
    assert len(seeds) == 8
    assert {len(seed) for seed in seeds} == {32}


def test_deals_are_derived_from_a_text_one_by_one() -> None:
    deals = derive_deals("seed", 5)
    assert len(set(deals)) == 5
    assert all(len(deal) == 32 for deal in deals)
    assert derive_deals("seed", 2, start=3) == deals[3:]
    assert derive_deals("other", 1)[0] not in deals


def test_the_deals_of_a_match_follow_from_the_first() -> None:
    first, other = derive_deals("seed", 2)
    deals = deals_from(first, 5)
    assert deals[0] == first
    assert len({*deals, *deals_from(other, 5)}) == 10
    assert {len(deal) for deal in deals} == {32}
    assert [deals_from(first, count) for count in (1, 4)] == [deals[:1], deals[:4]]


def test_the_deals_that_follow_stay_what_they_are() -> None:
    """Stored records of old matches hold the first deal alone."""
    assert deals_from("ab" * 16, 3)[1:] == [
        "85685e5f2e107d4331438aea88ce59db",
        "d7f4278d32c0ac8c1f66298676a480b3",
    ]
