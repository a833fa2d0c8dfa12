"""Random numbers inside a seat: `random`'s functions draw from one generator per bout.

Knows the standard library's `random`; knows no bout but the one that is entered.
"""

from __future__ import annotations

import random
from hashlib import blake2b
from operator import index
from typing import TYPE_CHECKING, Any, Final

from matchbox import limbs

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


_PLAIN: Final[dict[str, Any]] = {
    name: vars(_Plain)[name] for name in _FUNCTIONS if name in vars(_Plain)
}
"""Methods of `random.Random` that work on any source of draws, without its Mersenne Twister."""
_IN_LIMBS: Final = limbs.COMPILED
"""Whether the first draws are kept in limbs."""
_FIRST: Final = 512
"""The number of bits of the first draws."""
_ALL: Final = 1 << _FIRST
"""A marker bit above the unused bits, which tells how many of them there are."""
_NONE_LEFT: Final = 1
_DRAWS: Final = "draws"
"""The source of a generator while it still uses the first draws."""
_WORD: Final = 1 << 62
_FEW: Final = 5
"""Up to this many items of a list are sampled here."""
_POOL: Final = 21
"""A list no longer than this is copied and sampled, as `random` does."""


class Generator:
    """A bout's generator, seeded at first use.

    Its first draws come from one hash of 512 bits: seeding a Mersenne Twister takes as long as a
    few decisions, and most bots draw only once or twice in a bout. Once these bits are used up,
    draws come from a Mersenne Twister.
    """

    __slots__ = ("_bits", "_left", "_limbs", "gauss_next", "numpy", "seed", "source")
    _limbs: Any

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.source: Any = None
        """A Mersenne Twister, or `_DRAWS`; None before the first draw."""
        self.numpy: Any = None
        """The generator of numpy's global functions, if a seat has numpy."""

    def get(self) -> Any:
        """Returns the object to draw from."""
        if self.source is None:
            self._begin()
        return self if self.source is _DRAWS else self.source

    def twister(self) -> Any:
        """Returns the bout's Mersenne Twister; from now on it makes all draws."""
        if self.source is None or self.source is _DRAWS:
            self.source = _Plain(int(self.seed, 16))
        return self.source

    def _begin(self) -> None:
        digest = blake2b(self.seed.encode()).digest()
        if _IN_LIMBS:
            limbs.read(self._limbs, digest)
            self._left = _FIRST
        else:
            self._bits = _ALL | int.from_bytes(digest, "big")
        self.gauss_next = None
        self.source = _DRAWS

    def random(self) -> float:
        if _IN_LIMBS:
            left = self._left - 53
            if left >= 0:
                self._left = left
                return limbs.bits(self._limbs, _FIRST - 53 - left, 53) * 2.0**-53
        else:
            bits = self._bits
            rest = bits >> 53
            if rest:
                self._bits = rest
                return (bits & 0x1FFFFFFFFFFFFF) * 2.0**-53
        return self.getrandbits(53) * 2.0**-53

    def _randbelow(self, n: int) -> int:
        """Draws for choices, samples and integers, as `random` does, with one call less for each
        try."""
        if _IN_LIMBS and 0 < n < _WORD:
            return self._below(n)
        k = n.bit_length()
        if not _IN_LIMBS:
            stored, mask = self._bits, (1 << k) - 1
            rest = stored >> k
            while rest:
                bits = stored & mask
                if bits < n:
                    self._bits = rest
                    return bits
                stored, rest = rest, rest >> k
            self._bits = stored
        bits = self.getrandbits(k)
        while bits >= n:
            bits = self.getrandbits(k)
        return bits

    def _below(self, n: int) -> int:
        """The same as `_randbelow` from limbs, as long as they last."""
        k = 0
        while n >> k:
            k += 1
        while k <= self._left:
            bits = limbs.bits(self._limbs, _FIRST - self._left, k)
            self._left -= k
            if bits < n:
                return bits
        twister = self.twister()
        self._left = 0
        drawn: int = twister._randbelow(n)
        return drawn

    def getrandbits(self, k: int, /) -> int:
        k = index(k)
        if _IN_LIMBS:
            if 0 <= k <= self._left:
                return self._more_bits(k)
            self._left = 0
        else:
            bits = self._bits
            self._bits = bits >> k if k >= 0 else 0
            if self._bits:
                return bits & ((1 << k) - 1)
            self._bits = _NONE_LEFT
        drawn: int = self.twister().getrandbits(k)
        return drawn

    def _more_bits(self, count: int) -> int:
        """Returns that many bits from the limbs, which must have enough."""
        found, got = 0, 0
        bits: int
        while got < count:
            part = min(count - got, 32)
            bits = limbs.bits(self._limbs, _FIRST - self._left, part)
            found |= bits << got
            self._left -= part
            got += part
        return found

    def sample(self, *args: Any, **named: Any) -> list[Any]:
        """A sample as `random` draws it; only the simple case is implemented here."""
        drawn = self.few(*args) if len(args) == 2 and not named else None
        return _PLAIN["sample"](self, *args, **named) if drawn is None else drawn

    def few(self, population: Any, k: Any) -> list[Any] | None:
        """A sample of a few items from a list; None if the arguments are not of this kind."""
        if type(population) is not list or type(k) is not int or not 0 <= k <= _FEW:
            return None
        size = len(population)
        if k > size:
            return None
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

    betavariate = _PLAIN["betavariate"]
    binomialvariate = _PLAIN.get("binomialvariate")
    choice = _PLAIN["choice"]
    choices = _PLAIN["choices"]
    expovariate = _PLAIN["expovariate"]
    gammavariate = _PLAIN["gammavariate"]
    gauss = _PLAIN["gauss"]
    lognormvariate = _PLAIN["lognormvariate"]
    normalvariate = _PLAIN["normalvariate"]
    paretovariate = _PLAIN["paretovariate"]
    randbytes = _PLAIN["randbytes"]
    randint = _PLAIN["randint"]
    randrange = _PLAIN["randrange"]
    shuffle = _PLAIN["shuffle"]
    triangular = _PLAIN["triangular"]
    uniform = _PLAIN["uniform"]
    vonmisesvariate = _PLAIN["vonmisesvariate"]
    weibullvariate = _PLAIN["weibullvariate"]


class Here:
    """The generator of the current bout: there is one thread, and one bout at a time."""

    __slots__ = ("generator",)

    def __init__(self) -> None:
        self.generator: Generator | None = None


HERE: Final = Here()
_here: Here = HERE


class BoutRandom(random.Random):
    """`random.Random`; without a seed it is seeded from the bout's generator."""

    __module__ = "random"  # Its pickles name it so, too.
    __qualname__ = "Random"

    def __init__(self, x: Any = None) -> None:
        super().__init__(x)

    def seed(self, a: Any = None, version: int = 2) -> None:
        if a is None and (now := HERE.generator) is not None:
            a = now.twister().getrandbits(256)
        super().seed(a, version)


def install() -> None:
    """Replaces `random`'s functions by the dispatchers; call it before bot code runs."""
    for name, dispatcher in _DISPATCHERS.items():
        setattr(random, name, dispatcher)
    random.Random = BoutRandom  # type: ignore[misc]


def enter(generator: Generator | None) -> None:
    """Makes the dispatchers draw from this generator; None stands for the module's own."""
    HERE.generator = generator


def current() -> Generator | None:
    """The generator of the current bout."""
    return HERE.generator


def seed_own() -> None:
    """Seeds the module's own generator, which no bout uses, alike in every seat."""
    _OWN.seed(0)


def uninstall() -> None:
    """Restores the module's own functions, for play inside this process."""
    enter(None)
    for name in _FUNCTIONS:
        setattr(random, name, getattr(_OWN, name))
    random.Random = _Plain  # type: ignore[misc]


def _source() -> Any:
    """Returns the object to draw from now."""
    now = _here.generator
    return _OWN if now is None else now.get()


def _below(n: int) -> int:
    """A whole number from 0 to n - 1; n is positive."""
    now = _here.generator
    if now is not None and now.source is _DRAWS:
        return now._randbelow(n)
    drawn: int = _source()._randbelow(n)
    return drawn


def _dispatcher(name: str) -> Callable[..., Any]:
    def draw(*args: Any, **named: Any) -> Any:
        now = HERE.generator
        source = _OWN if now is None else now if now.source is _DRAWS else now.get()
        return getattr(source, name)(*args, **named)

    return draw


def _random() -> float:
    now = _here.generator
    if now is not None and now.source is _DRAWS:
        return now.random()
    drawn: float = _source().random()
    return drawn


def _randint(a: Any, b: Any) -> Any:
    if type(a) is int and type(b) is int and a <= b:
        return a + _below(b - a + 1)
    return _source().randint(a, b)


def _randrange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    if type(start) is int and type(step) is int and step == 1:
        if stop is None:
            if start > 0:
                return _below(start)
        elif type(stop) is int and start < stop:
            return start + _below(stop - start)
    return _source().randrange(start, stop, step)


def _choice(seq: Any) -> Any:
    if (type(seq) is list or type(seq) is tuple) and seq:
        now = _here.generator
        if now is not None and now.source is _DRAWS:
            return seq[now._randbelow(len(seq))]
        return seq[_below(len(seq))]
    return _source().choice(seq)


def _sample(population: Any, k: Any, *, counts: Any = None) -> Any:
    now = _here.generator
    if now is not None and now.source is _DRAWS and counts is None:
        drawn = now.few(population, k)
        if drawn is not None:
            return drawn
    return _source().sample(population, k, counts=counts)


def _shuffle(x: Any) -> None:
    if type(x) is list:
        _shuffle_list(x)
    else:
        _source().shuffle(x)


def _shuffle_list(items: list[Any]) -> None:
    for last in range(len(items) - 1, 0, -1):
        other = _below(last + 1)
        items[last], items[other] = items[other], items[last]


def _seed(a: Any = None, version: int = 2) -> None:
    """Seeds the bout's generator; without a seed it does nothing."""
    now = HERE.generator
    if now is None:
        _OWN.seed(a, version)
    elif a is not None:
        now.twister().seed(a, version)


def _twister() -> random.Random:
    now = HERE.generator
    return _OWN if now is None else now.twister()


def _getstate() -> tuple[Any, ...]:
    """Returns the state of the bout's generator, for setstate."""
    return _twister().getstate()


def _setstate(state: tuple[Any, ...]) -> None:
    """Restores a state of the bout's generator."""
    _twister().setstate(state)


_DISPATCHERS: Final[dict[str, Callable[..., Any]]] = {
    name: _dispatcher(name) for name in _FUNCTIONS
} | {
    "choice": _choice,
    "randint": _randint,
    "random": _random,
    "randrange": _randrange,
    "sample": _sample,
    "shuffle": _shuffle,
    "seed": _seed,
    "getstate": _getstate,
    "setstate": _setstate,
}
for _name in _FUNCTIONS:
    if _name not in ("seed", "getstate", "setstate"):
        _DISPATCHERS[_name].__name__ = _DISPATCHERS[_name].__qualname__ = _name
        _DISPATCHERS[_name].__doc__ = getattr(_Plain, _name).__doc__
