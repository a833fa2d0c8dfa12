"""The dice of the module `random`: what a game at the terminal draws."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from matchbox.match import seeded_random
from matchbox.match.module_dice import MODULE_DICE


@pytest.fixture
def _installed() -> Iterator[None]:
    seeded_random.install()
    yield
    seeded_random.uninstall()


def draws() -> list[object]:
    """A draw of each kind."""
    items = list(range(20))
    MODULE_DICE.shuffle(items)
    return [MODULE_DICE.below(1000), items, MODULE_DICE.choice(range(1000))]


def test_it_draws_what_the_module_draws() -> None:
    random.seed(7)
    found = draws()
    random.seed(7)
    items = list(range(20))
    random.shuffle(items)
    assert found == [random.randrange(1000), items, random.choice(range(1000))]


@pytest.mark.usefixtures("_installed")
def test_a_game_that_a_bot_plays_in_its_seat_is_repeatable_though_it_was_imported_before() -> None:
    found = []
    for _ in range(2):
        seeded_random.enter(seeded_random.Generator("5e" * 32))
        found.append(draws())
    assert found[0] == found[1]
