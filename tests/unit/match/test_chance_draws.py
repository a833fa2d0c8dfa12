"""A bout's draws have the right distribution, and are the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from matchbox.match import seeded_random


@pytest.fixture(autouse=True)
def _dispatchers() -> Iterator[None]:
    seeded_random.install()
    yield
    seeded_random.uninstall()


def first_draws(draw: Callable[[], float], bouts: int = 2000) -> list[float]:
    """The first draw of each of so many bouts."""
    drawn = []
    for bout in range(bouts):
        seeded_random.enter(seeded_random.Generator(f"{bout:064x}"))
        drawn.append(draw())
    return drawn


@pytest.mark.parametrize(
    "draw",
    [
        lambda: random.random(),
        lambda: random.randint(0, 9) / 10 + 0.05,
        lambda: random.choice([0.25, 0.75]),
        lambda: [random.random() for _ in range(30)][-1],
        lambda: random.Random().random(),
    ],
)
def test_the_draws_of_many_bouts_are_spread_evenly(draw: Callable[[], float]) -> None:
    drawn = first_draws(draw)
    assert abs(sum(drawn) / len(drawn) - 0.5) < 0.03
    assert 0.45 < sum(one < 0.5 for one in drawn) / len(drawn) < 0.55


def test_the_same_seed_gives_the_same_draws() -> None:
    def draws() -> list[object]:
        seeded_random.enter(seeded_random.Generator("ab" * 32))
        items = list(range(20))
        random.shuffle(items)
        return [random.random(), random.gauss(0, 1), random.sample(range(99), 5), items]

    assert draws() == draws()
