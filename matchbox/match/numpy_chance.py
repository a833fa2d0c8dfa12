"""numpy's random numbers inside a seat: one global generator per bout, seeded like `random`'s.

Knows the module `numpy.random`. A box has loaded it, or has none; outside a box it is loaded here.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from matchbox.match import libraries, seeded_random

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SECOND_NAMES = {"ranf": "random_sample", "sample": "random_sample", "seed": "seed"}
"""Functions of the module that are not methods of its generator, and the methods that they call."""


def install() -> None:
    """Replaces the functions of `numpy.random` by dispatchers, if it is loaded."""
    if "numpy.random" in sys.modules:
        _replace_functions()


def load_and_install(files: Mapping[str, bytes]) -> None:
    """Loads `numpy.random` if a bot's files name numpy, so that its functions are replaced before
    the bot imports them."""
    if "numpy" in sys.modules or libraries.wanted(files, ["numpy"]):
        with suppress(ImportError):  # The bot's own import tells the author.
            import numpy.random  # noqa: F401
    install()


@cache
def _replace_functions() -> None:
    """Replaces them once. Outside of bouts they draw as before."""
    module: Any = sys.modules["numpy.random"]
    inner = module.mtrand
    own, state_class, default_rng = inner._rand, module.RandomState, module.default_rng

    def current() -> Any:
        now = seeded_random.current()
        if now is None:
            return own
        if now.numpy is None:
            now.numpy = state_class(words(now.seed))
        return now.numpy

    def fresh(seed: Any) -> Any:
        now = seeded_random.current()
        return seed if seed is not None or now is None else now.twister().getrandbits(128)

    def bout_rng(seed: Any = None) -> Any:
        return default_rng(fresh(seed))

    def make_state(self: Any, seed: Any = None) -> None:
        drawn = fresh(seed)
        state_class.__init__(self, seed if drawn is seed else words(f"{drawn}"))

    bout_state = type("RandomState", (state_class,), {"__init__": make_state})
    names = {name: name for name in dir(inner) if _is_of(own, getattr(inner, name))}
    for name, method in (names | _SECOND_NAMES).items():
        dispatcher = _dispatcher(name, method, current)
        if name == "seed":
            dispatcher = _unless_without_a_seed(dispatcher)
        for place in (module, inner):
            if hasattr(place, name):
                setattr(place, name, dispatcher)
    bits = sys.modules["numpy.random.bit_generator"]
    vars(bits)["randbits"] = _entropy_of_bouts(vars(bits)["randbits"])
    module.default_rng = bout_rng
    module.RandomState = inner.RandomState = bout_state


def _entropy_of_bouts(randbits: Callable[[int], int]) -> Callable[[int], int]:
    """The source of the seeds of bit generators that a bot makes without one, as by `PCG64()`."""

    def draw(count: int) -> int:
        now = seeded_random.current()
        return randbits(count) if now is None else now.twister().getrandbits(count)

    return draw


def words(seed: str) -> list[int]:
    """The seed of a numpy generator: eight numbers of 32 bits."""
    digest = blake2b(seed.encode(), digest_size=32, person=b"numpy").digest()
    return [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]


def _is_of(own: object, value: object) -> bool:
    return getattr(value, "__self__", None) is own


def _unless_without_a_seed(seed_with: Callable[..., Any]) -> Callable[..., Any]:
    """`numpy.random.seed()` changes nothing in a bout, like `random.seed()`."""

    def seed(seed: Any = None) -> None:
        if seed is not None or seeded_random.current() is None:
            seed_with(seed)

    return seed


def _dispatcher(name: str, method: str, current: Callable[[], Any]) -> Callable[..., Any]:
    def draw(*args: Any, **named: Any) -> Any:
        return getattr(current(), method)(*args, **named)

    draw.__name__ = draw.__qualname__ = name
    return draw
