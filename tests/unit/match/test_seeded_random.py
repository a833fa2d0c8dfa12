"""Random numbers inside a seat: one generator per bout, whichever way a bot asks for it."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import pytest

from matchbox.match import seeded_random
from matchbox.match.seeded_random import Generator

SEEDS = ["ab" * 32, "cd" * 32]


@pytest.fixture(autouse=True)
def _installed() -> Iterator[None]:
    seeded_random.install()
    yield
    seeded_random.uninstall()


def draws(seed: str, count: int = 60) -> list[float]:
    """Returns the draws of a bout alone."""
    seeded_random.enter(Generator(seed))
    return [random.random() for _ in range(count)]


def test_the_same_seed_draws_the_same() -> None:
    assert draws(SEEDS[0]) == draws(SEEDS[0])
    assert draws(SEEDS[0]) != draws(SEEDS[1])


def test_interleaved_bouts_draw_as_if_each_were_alone() -> None:
    alone = [draws(seed) for seed in SEEDS]
    generators = [Generator(seed) for seed in SEEDS]
    mixed: list[list[float]] = [[], []]
    for turn in range(120):
        seeded_random.enter(generators[turn % 2])
        mixed[turn % 2].append(random.random())
    assert mixed == alone


def test_a_function_imported_by_name_follows_the_bout() -> None:
    from random import choice, randint

    items = list(range(1000))
    seeded_random.enter(Generator(SEEDS[0]))
    first = [choice(items), randint(0, 10**9)]
    seeded_random.enter(Generator(SEEDS[1]))
    assert [choice(items), randint(0, 10**9)] != first
    seeded_random.enter(Generator(SEEDS[0]))
    assert [choice(items), randint(0, 10**9)] == first


def test_an_unseeded_random_is_seeded_by_the_bout() -> None:
    seeded_random.enter(Generator(SEEDS[0]))
    first = random.Random().random()
    seeded_random.enter(Generator(SEEDS[0]))
    assert random.Random().random() == first
    assert random.Random().random() != first


def test_a_seeded_random_is_what_it_is_everywhere() -> None:
    seeded_random.enter(Generator(SEEDS[0]))
    ours = random.Random(7).random()
    seeded_random.uninstall()
    assert random.Random(7).random() == ours


def test_a_bot_that_seeds_gets_what_it_asked_for() -> None:
    seeded_random.enter(Generator(SEEDS[0]))
    random.seed(7)
    ours = [random.random(), random.randint(0, 99), random.gauss(0, 1)]
    seeded_random.uninstall()
    own = random.Random(7)
    assert ours == [own.random(), own.randint(0, 99), own.gauss(0, 1)]


def test_seeding_without_a_seed_changes_nothing() -> None:
    seeded_random.enter(Generator(SEEDS[0]))
    random.seed()
    assert [random.random() for _ in range(60)] == draws(SEEDS[0])


def test_a_state_can_be_kept_and_put_back() -> None:
    seeded_random.enter(Generator(SEEDS[0]))
    random.random()
    state = random.getstate()
    first = random.random()
    random.setstate(state)
    assert random.random() == first


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("gauss", (0, 1)), ("sample", ([1, 2, 3, 4], 2)), ("choices", ([1, 2],)),
        ("uniform", (1, 2)),
        ("randbytes", (200,)), ("getrandbits", (2000,)), ("randrange", (10**80,)),
        ("normalvariate", (0, 1)), ("shuffle", ([1, 2],)), ("triangular", ()),
    ],
)  # fmt: skip
def test_every_way_to_draw_repeats(name: str, arguments: tuple[object, ...]) -> None:
    twice = []
    for _ in range(2):
        seeded_random.enter(Generator(SEEDS[0]))
        twice.append([getattr(random, name)(*arguments) for _ in range(20)])
    assert twice[0] == twice[1]


class Defined(random.Random):
    """The definition of a bout's draws, in plain code."""

    def __init__(self, seed: str) -> None:
        super().__init__(int(seed, 16))
        self.bits, self.left = int.from_bytes(blake2b(seed.encode()).digest(), "big"), 512

    def random(self) -> float:
        return self.getrandbits(53) * 2.0**-53 if self.left >= 0 else super().random()

    def getrandbits(self, k: int, /) -> int:
        if not 0 <= k <= self.left:
            self.left = -1
            return super().getrandbits(k)
        drawn = self.bits & ((1 << k) - 1)
        self.bits, self.left = self.bits >> k, self.left - k
        return drawn


DRAWS: list[tuple[str, tuple[Any, ...]]] = [
    ("random", ()), ("randint", (-3, 9)), ("randint", (0, 2**32 - 1)), ("randint", (0, 2**62)),
    ("randint", (5, 5)), ("randrange", (7,)), ("randrange", (3, 11)), ("randrange", (0, 90, 4)),
    ("randrange", (10**80,)), ("choice", ([1, 2, 3],)), ("choice", ((4, 5),)), ("choice", ("abc",)),
    ("getrandbits", (0,)), ("getrandbits", (64,)), ("getrandbits", (65,)), ("getrandbits", (300,)),
    ("randint", (2, 1)), ("randint", (1,)), ("randint", (1, 2, 3)), ("randint", ("a", 2)),
    ("randrange", (0,)), ("randrange", ()), ("choice", ([],)), ("choice", ()), ("choice", (5,)),
    ("shuffle", ((1, 2),)), ("sample", ([1, 2, 3], 2)), ("uniform", (1, 2)),
]  # fmt: skip


def outcome(draw: Any, arguments: tuple[Any, ...]) -> object:
    """Returns the result of a draw, or its error: a TypeError as its type, others as their text."""
    try:
        return draw(*arguments)
    except TypeError:  # The text names the function, and a method counts itself as an argument.
        return TypeError
    except (IndexError, ValueError) as error:
        return str(error)


@pytest.mark.parametrize("seed", ["0", "ab" * 32, "7" * 127, "12" * 64, "5" * 129])
def test_every_draw_is_as_it_is_defined(seed: str) -> None:
    order = random.Random(seed).choices(DRAWS, k=200)
    generator, defined = Generator(seed), Defined(seed)
    for name, arguments in order:
        seeded_random.enter(generator)
        ours = outcome(getattr(random, name), arguments)
        assert ours == outcome(getattr(defined, name), arguments), (name, arguments)


@pytest.mark.parametrize("size", [0, 1, 2, 9, 60, 300])
def test_a_list_is_shuffled_as_the_standard_library_shuffles_it(size: int) -> None:
    ours, theirs = list(range(size)), list(range(size))
    seeded_random.enter(Generator(SEEDS[0]))
    random.shuffle(ours)
    Defined(SEEDS[0]).shuffle(theirs)
    assert ours == theirs


@pytest.mark.parametrize("size", [0, 1, 2, 5, 6, 21, 22, 40])
def test_a_sample_is_the_one_that_the_standard_library_draws(size: int) -> None:
    population = list(range(size))
    for number in range(60):
        seed = f"{number:064x}"
        ours, theirs = Generator(seed).get(), Generator(seed).get()
        for many in range(min(size, 8) + 1):
            drawn = ours.sample(population, many)
            assert drawn == random.Random.sample(theirs, population, many)
            assert population == list(range(size))


@pytest.mark.parametrize("many", [-1, 3, 1.0, "1"])
def test_what_cannot_be_sampled_is_refused_as_ever(many: Any) -> None:
    with pytest.raises((ValueError, TypeError)) as theirs:
        random.Random(1).sample([1, 2], many)
    seeded_random.enter(Generator(SEEDS[0]))
    with pytest.raises(type(theirs.value)):
        random.sample([1, 2], many)


def test_a_long_run_of_draws_is_even() -> None:
    seeded_random.enter(Generator(SEEDS[0]))
    counts = [0] * 10
    for _ in range(10_000):
        counts[random.randrange(10)] += 1
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 33.7  # 1 in 10,000 by chance


def test_outside_a_bout_the_module_is_its_own() -> None:
    seeded_random.enter(None)
    random.seed(5)
    ours = random.random()
    seeded_random.uninstall()
    random.seed(5)
    assert random.random() == ours


def test_a_generator_of_a_bot_can_be_pickled_and_copied() -> None:
    own = random.Random(3)
    again = pickle.loads(pickle.dumps(own))
    assert [again.random() for _ in range(3)] == [own.random() for _ in range(3)]
    assert repr(type(own)) == "<class 'random.Random'>"
