"""A box: a place where strangers' programs run, one to a seat. Chooses which kind works here.

Knows kinds, zygotes and their retirement. Every seat has a zygote of its own while it is open,
so two bots never share a namespace; a zygote that comes back clean is forked again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from matchbox.errors import BoxUnavailable, SeatFault
from sandbox import bwrap_box, process_box
from sandbox.policy import SEATS_PER_ZYGOTE, Limits, Wall
from sandbox.program import Program
from sandbox.seat import Seat
from sandbox.warm import Warm

_COMMANDS: Final[Mapping[str, Callable[[Program], list[str]]]] = {
    "bwrap": bwrap_box.command,
    "process": process_box.command,
}
KINDS: Final = tuple(_COMMANDS)
"""From the strongest to the weakest."""

_ATTEMPTS: Final = 3


class Box:
    """Seats of one kind for one program, for one thread at a time.

    Close it, or use it in a `with` block. `layers` tells which layers its zygote has raised.
    Its processes run on the processors that the first caller of `open_box` was pinned to.
    """

    def __init__(self, kind: str, program: Program) -> None:
        self.kind = kind
        self._wall = program.wall
        self._command = _COMMANDS[kind](program)
        self._closed = False
        first = Warm(self._command)
        self._idle = [first]
        self._all = {first}
        self.layers: dict[str, bool] = first.raised

    def seat(self, limits: Limits = Limits()) -> Seat:  # noqa: B008 - a frozen value
        """A fresh process that has run no bot. Raises SeatFault of the platform, Unavailable."""
        for attempt in range(1, _ATTEMPTS + 1):
            zygote = self._idle.pop() if self._idle else self._start()
            try:
                return Seat(zygote, limits, self._take_back)
            except SeatFault:
                self._take_back(zygote)
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returns or raises")

    @cached_property
    def walled(self) -> bool:
        """True where the self-test of this kind passes on this machine: strangers may play."""
        from sandbox.selftest import selftest  # It opens a box of its own.

        return selftest(self.kind, self._wall).walled

    def close(self) -> None:
        """Ends every zygote, and with it every seat."""
        self._closed = True
        self._idle.clear()
        while self._all:
            self._all.pop().kill()

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> Warm:
        zygote = Warm(self._command)
        self._all.add(zygote)
        return zygote

    def _take_back(self, zygote: Warm) -> None:
        """Keeps a zygote for the next seat, or retires it."""
        if zygote.healthy and zygote.seats < SEATS_PER_ZYGOTE and not self._closed:
            self._idle.append(zygote)
        else:
            self._all.discard(zygote)
            zygote.kill()


def open_box(
    kind: str,
    *,
    preload: Sequence[str],
    entry: str,
    paths: Sequence[Path] = (),
    wall: Wall = Wall(),  # noqa: B008 - a frozen value
) -> Box:
    """A warm box. Raises BoxUnavailable with a sentence that says what to do.

    `preload` are modules that every seat has loaded, `entry` the "module:function" that serves it
    with `recv` and `send`, `paths` directories to look for both before the installed packages.
    """
    if kind not in _COMMANDS:
        raise BoxUnavailable(f"there is no box {kind!r}: choose one of {', '.join(KINDS)}")
    if sys.platform != "linux":
        raise BoxUnavailable(
            f"boxes need Linux, and this is {sys.platform}: play trusted bots with the box 'none'"
        )
    return Box(kind, Program(tuple(preload), entry, tuple(paths), wall))


def best_kind() -> str:
    """The strongest kind whose self-test passes here; else "process", which is for trusted bots."""
    from sandbox.selftest import selftest  # It opens a box of its own.

    return next((kind for kind in KINDS if selftest(kind).walled), "process")
