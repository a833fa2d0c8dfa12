"""The code of a bot's main file: compiled in a seat that runs none of it, and kept for other seats.

The time of compiling counts as the bot's: its seats have that much less for loading. If a bot
exploits a hole in the compiler, a seat may answer anything. So the code is never read here, and is
given only to seats of the same source.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from matchbox.bundle import FILE_BYTES
from matchbox.errors import SeatFault
from matchbox.match import frames
from matchbox.match.loading import CODE_BYTES

if TYPE_CHECKING:
    from sandbox.box import Box
    from sandbox.policy import Limits

SHORTEST_BYTES: Final = 2 << 10
"""Shorter sources, in bytes, are compiled in every seat, which is faster than using another one."""
KEPT_BYTES: Final = 4 << 20
"""Bytes of sources and their code that are kept for a box."""


@dataclass(frozen=True, slots=True)
class Bytecode:
    """The code that a seat is given to load beside the source."""

    data: bytes = b""
    """Empty if the seat compiles the source itself."""
    cpu_ms: float = 0.0
    """Processor time of compiling. A seat that is given the code has that much less for loading."""

    def remaining_limits(self, limits: Limits) -> Limits:
        """The limits of a seat that is given this code: the time of compiling counts as time of
        loading."""
        spent = int(self.cpu_ms) if self.data else 0
        return replace(limits, start_cpu_ms=max(1, limits.start_cpu_ms - spent))


NO_BYTECODE: Final = Bytecode()


class BytecodeCache:
    """The code of the bots that have played in a box."""

    def __init__(self) -> None:
        self._kept: dict[bytes, Bytecode] = {}
        self.spent_ms = 0.0
        """Processor time of all compiling so far, in ms."""

    def get(self, main: bytes, box: Box, limits: Limits) -> Bytecode:
        """The code of this main file, for seats of the box with these limits.

        Raises SeatFault("platform"), Unavailable.
        """
        if not SHORTEST_BYTES <= len(main) <= FILE_BYTES:
            return NO_BYTECODE
        code = self._kept.get(main)
        if code is None:
            code = self._kept[main] = self._compiled(main, box, limits)
            while sum(map(_entry_bytes, self._kept.items())) > KEPT_BYTES:
                del self._kept[next(iter(self._kept))]
        return code

    def _compiled(self, main: bytes, box: Box, limits: Limits) -> Bytecode:
        room = replace(limits, answer_bytes=CODE_BYTES, frame_bytes=CODE_BYTES)
        with closing(box.seat(room)) as seat:
            try:
                data = seat.ask(frames.compile_frame(main), start=True)
            except SeatFault as fault:
                if fault.kind == "platform":  # It says nothing about the file.
                    raise
                data = b""  # The bot's own seats compile it, and report its errors.
            code = Bytecode(data, seat.cpu_ms)
        self.spent_ms += seat.cpu_ms
        return code


_CACHES: Final[WeakKeyDictionary[Box, BytecodeCache]] = WeakKeyDictionary()


def bytecode_cache_of(box: Box) -> BytecodeCache:
    """The code that is kept for this box's bots."""
    return _CACHES.setdefault(box, BytecodeCache())


def _entry_bytes(kept: tuple[bytes, Bytecode]) -> int:
    main, code = kept
    return len(main) + len(code.data)
