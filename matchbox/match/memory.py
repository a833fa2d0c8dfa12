"""A bot's memory from round to round: bytes that its `learn` makes of its own bouts.

Knows how a player gets its memory and how a class learns, inside the box; knows no game. Runs on
the standard library alone.
"""

from __future__ import annotations

import gc
import json
from binascii import b2a_base64
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

MEMORY_BYTES: Final = 64 << 10
"""The longest memory, in bytes."""


class NotLearned(Exception):
    """The value that `learn` returned is not a memory."""


def learner_of(chosen: type[Any]) -> Callable[[bytes, list[Any]], object] | None:
    """The class's `learn(memory, records)`, or None."""
    learn: Callable[[bytes, list[Any]], object] | None = getattr(chosen, "learn", None)
    return learn if callable(learn) else None


def learns(
    chosen: type[Any], base: type[Any], files: Mapping[str, bytes], kept: Iterable[str]
) -> bool:
    """Whether the class learns between rounds.

    A class with a `learn` of its own learns. A class that inherits the `learn` of `base`, the
    game's class of players, learns only if a file of its bundle names one of the `kept` files.
    """
    learn = learner_of(chosen)
    if learn is None or learn is not learner_of(base):
        return learn is not None
    names = [name.encode() for name in kept]
    return any(name in data for data in files.values() for name in names)


def give_memory(player: Any, memory: bytes) -> None:
    """Gives a new player its bot's memory, if it has a method `remember`; b"" is an empty one."""
    remember = getattr(player, "remember", None)
    if callable(remember):
        remember(memory)


def run_learn(chosen: type[Any], memory: bytes, records: Sequence[bytes]) -> str:
    """The new memory in base64; `records` are JSON. Raises NotLearned, and what `learn` raises."""
    learn = learner_of(chosen)
    if learn is None:
        raise NotLearned(f"the class {chosen.__name__} has no learn(memory, records)")
    new = learn(memory, _read(records))
    if not isinstance(new, bytes):
        raise NotLearned(f"learn() returned {type(new).__name__:.40}; it must return bytes")
    if len(new) > MEMORY_BYTES:
        raise NotLearned(f"learn() returned {len(new)} bytes; a memory has at most {MEMORY_BYTES}")
    return b2a_base64(new, newline=False).decode()


def _read(records: Sequence[bytes]) -> list[Any]:
    """The decoded records. All of them stay alive, so the garbage collector is off meanwhile."""
    gc.disable()
    try:
        return [json.loads(record) for record in records]
    finally:
        gc.enable()
