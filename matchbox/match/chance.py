"""Chance inside a seat: `random`'s functions draw from one generator per bout.

Knows the standard library's `random`; knows no bout but the one that is entered.
"""

from __future__ import annotations

import random
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_Plain: Final = random.Random
_OWN: Final = random._inst
_FUNCTIONS: Final = tuple(
    name
    for name in (
        "betavariate", "binomialvariate", "choice", "choices", "expovariate", "gammavariate",
        "gauss", "getrandbits", "getstate", "lognormvariate", "normalvariate", "paretovariate",
        "randbytes", "randint", "random", "randrange", "sample", "seed", "setstate", "shuffle",
        "triangular", "uniform", "vonmisesvariate", "weibullvariate",
    )
    if hasattr(_Plain, name)
)  # fmt: skip


_FEW: Final = 5
"""So many of a list are sampled here,"""
_POOL: Final = 21
"""out of a copy, as `random` does, where the list is not longer than this."""


class Generator:
    """A bout's generator, seeded at first use.

    Its first draws come out of one hash, for seeding a Mersenne Twister takes as long as a few
    decisions, and most bots draw once or twice in a bout.
    """

    __slots__ = ("numpy", "seed", "source")

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.source: random.Random | None = None
        self.numpy: Any = None
        """What numpy's global functions draw from, where a seat has numpy."""

    def get(self) -> random.Random:
        """What to draw from."""
        if self.source is None:
            self.source = _FirstDraws(self)
        return self.source

    def twister(self) -> random.Random:
        """The bout's Mersenne Twister; from now on all draws are its own."""
        if self.source is None or isinstance(self.source, _FirstDraws):
            self.source = _Plain(int(self.seed, 16))
        return self.source


_Drawn: Final[type[Any]] = type(
    "_Drawn",
    (),
    {"__slots__": ()} | {name: vars(_Plain)[name] for name in _FUNCTIONS if name in vars(_Plain)},
)
"""What `random.Random` makes of draws, without a Mersenne Twister of its own."""


class _FirstDraws(_Drawn):  # type: ignore[misc]
    """As many draws as 512 bits allow, then those of the generator's Mersenne Twister."""

    __slots__ = ("_bits", "_generator", "_left", "gauss_next")

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._bits = int.from_bytes(blake2b(generator.seed.encode()).digest(), "big")
        self._left = 512
        self.gauss_next = None

    def random(self) -> float:
        return self.getrandbits(53) * 2.0**-53

    def _randbelow(self, n: int) -> int:
        """What choices, samples and whole numbers draw by, as in `random`, without a call a try."""
        k = n.bit_length()
        left, stored = self._left, self._bits
        mask = (1 << k) - 1
        while 0 < k <= left:
            left -= k
            bits = stored & mask
            stored >>= k
            if bits < n:
                self._left, self._bits = left, stored
                return bits
        self._left, self._bits = left, stored
        bits = self.getrandbits(k)
        while bits >= n:
            bits = self.getrandbits(k)
        return bits

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        """A few out of a list as `random` draws them; all else it can do is left to it."""
        few = type(population) is list and type(k) is int and counts is None
        if not few or not 0 <= k <= min(len(population), _FEW):
            drawn: list[Any] = super().sample(population, k, counts=counts)
            return drawn
        size = len(population)
        if size <= _POOL:
            pool, chosen = population.copy(), []
            for left in range(size, size - k, -1):
                place = self._randbelow(left)
                chosen.append(pool[place])
                pool[place] = pool[left - 1]
            return chosen
        places: list[int] = []
        while len(places) < k:
            place = self._randbelow(size)
            if place not in places:
                places.append(place)
        return [population[place] for place in places]

    def getrandbits(self, k: int, /) -> int:
        if not 0 <= k <= self._left:
            self._left = 0
            return self._generator.twister().getrandbits(k)
        self._left -= k
        bits = self._bits & ((1 << k) - 1)
        self._bits >>= k
        return bits


class Here:
    """What the dispatchers draw from: there is one thread, and one bout at a time."""

    __slots__ = ("generator",)

    def __init__(self) -> None:
        self.generator: Generator | None = None


HERE: Final = Here()


class BoutRandom(random.Random):
    """`random.Random`, but unseeded it is seeded from the bout's generator."""

    __qualname__ = "Random"

    def __init__(self, x: Any = None) -> None:
        super().__init__(x)

    def seed(self, a: Any = None, version: int = 2) -> None:
        if a is None and (now := HERE.generator) is not None:
            a = now.twister().getrandbits(256)
        super().seed(a, version)


def install() -> None:
    """Puts the dispatchers in place of `random`'s functions; call it before bot code runs."""
    for name, dispatcher in _DISPATCHERS.items():
        setattr(random, name, dispatcher)
    random.Random = BoutRandom  # type: ignore[misc]


def enter(generator: Generator | None) -> None:
    """From now on the dispatchers draw from this generator; None is the module's own."""
    HERE.generator = generator


def current() -> Generator | None:
    """The generator of the bout that was entered."""
    return HERE.generator


def seed_own() -> None:
    """Makes the generator that no bout draws from the same in every seat, for who looks for it."""
    _OWN.seed(0)


def uninstall() -> None:
    """Gives the module its own functions back, for play inside this process."""
    enter(None)
    for name in _FUNCTIONS:
        setattr(random, name, getattr(_OWN, name))
    random.Random = _Plain  # type: ignore[misc]


def _dispatcher(name: str) -> Callable[..., Any]:
    def draw(*args: Any, **named: Any) -> Any:
        now = HERE.generator
        source = _OWN if now is None else now.source or now.get()
        return getattr(source, name)(*args, **named)

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = getattr(_Plain, name).__doc__
    return draw


def _seed(a: Any = None, version: int = 2) -> None:
    """Seeds the bout's generator; without a seed it stays as it is."""
    now = HERE.generator
    if now is None:
        _OWN.seed(a, version)
    elif a is not None:
        now.twister().seed(a, version)


def _twister() -> random.Random:
    now = HERE.generator
    return _OWN if now is None else now.twister()


def _getstate() -> tuple[Any, ...]:
    """The state of the bout's generator, for setstate."""
    return _twister().getstate()


def _setstate(state: tuple[Any, ...]) -> None:
    """Puts the bout's generator back into a state."""
    _twister().setstate(state)


_DISPATCHERS: Final = {name: _dispatcher(name) for name in _FUNCTIONS} | {
    "seed": _seed,
    "getstate": _getstate,
    "setstate": _setstate,
}
