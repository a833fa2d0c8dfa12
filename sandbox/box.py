"""A box: a place where strangers' programs run, one per seat. Chooses which kind works here.

Knows kinds, zygotes and their retirement. Every open seat has a zygote of its own, so two bots
never share a namespace. A zygote that comes back clean is forked again. A kind whose zygotes are
slow to start always has a spare ready.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

from matchbox.errors import BoxUnavailable, SeatFault
from matchbox.match.seat import PassingChannel
from sandbox import bwrap_box, docker_box, process_box
from sandbox.box_seat import BoxSeat
from sandbox.launch import Launch, launcher
from sandbox.meter import Bank
from sandbox.policy import SEATS_PER_ZYGOTE, Engine, Limits, Wall
from sandbox.program import Program
from sandbox.zygote_client import ZygoteClient

_LAUNCHERS: Final[Mapping[str, Callable[[Program, Engine], Launch]]] = {
    "bwrap": lambda program, _: launcher(bwrap_box.command(program)),
    "docker": docker_box.launcher,
    "process": lambda program, _: launcher(process_box.command(program)),
}
KINDS: Final = tuple(_LAUNCHERS)
"""The kinds, in the order in which `selftest.best_kind` tries them."""
_WITH_SPARE: Final = ("docker",)

_ATTEMPTS: Final = 3

Check = Callable[[str, Wall, Engine, tuple[str, ...]], str]
"""Says why seats of this kind must not hold these libraries; "" if they may."""


class Box:
    """Seats of one kind for one program, for one thread at a time.

    Close it, or use it in a `with` block. `layers` says for each layer by name whether the first
    zygote raised it. A later zygote that lacks one of these is ended. Its processes run on the
    processors that the first caller of `open_box` was pinned to.
    """

    def __init__(
        self,
        kind: str,
        program: Program,
        engine: Engine,
        check: Check | None = None,
        needs: Collection[str] = (),
    ) -> None:
        """Raises BoxUnavailable, or ValueError for libraries without a check.

        `check` is called once, before the first seat with libraries is opened. `needs` are layers
        that every zygote must raise, the first one too.
        """
        if program.libraries and check is None:
            raise ValueError("a box with libraries needs a check of its wall with them")
        self.kind = kind
        self._check = check
        self.libraries = program.libraries
        self._program = program
        self._box_with_libraries: Box | None = None
        self._wall = program.wall
        self._engine = engine
        self._launch = _LAUNCHERS[kind](program, engine)
        self._needs = frozenset(needs)
        first = self._with_whole_wall(ZygoteClient(self._launch))
        self._needs |= {layer for layer, stands in first.raised.items() if stands}
        self._idle = [first]
        self._lent: list[BoxSeat] = []
        """The seats whose zygotes were not taken back."""
        self._all = {first}
        self.layers: dict[str, bool] = first.raised
        self._spare = SpareZygote(self._launch) if kind in _WITH_SPARE else None

    def seat(
        self,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        bank: Bank | None = None,
        *,
        with_libraries: bool = False,
    ) -> BoxSeat:
        """A fresh process that has run no bot.

        Raises SeatFault("platform") if this seat cannot be opened, and BoxUnavailable if none can.

        `bank` is the time that the seat draws on; pass one if its bot has other seats too.
        `with_libraries` asks for a seat with the box's libraries; their zygote starts when the
        first bot wants it.
        """
        if with_libraries:
            return self._open_with_libraries().seat(limits, bank)
        self._take_back()
        for attempt in range(1, _ATTEMPTS + 1):
            zygote = self._next_idle() or self._start()
            try:
                zygote.reserve_memory(limits.memory_mb)
                seat = BoxSeat(zygote, limits, bank)
            except SeatFault:
                self._keep_or_retire(zygote)
                if attempt == _ATTEMPTS:
                    raise
            else:
                self._lent.append(seat)
                return seat
        raise AssertionError("the last attempt returns or raises")

    def renew(self) -> None:
        """Ends every zygote without an open seat; the next seats are forks of fresh ones."""
        self._take_back()
        while self._idle:
            zygote = self._idle.pop()
            self._all.discard(zygote)
            zygote.kill()
        if self._box_with_libraries is not None:
            self._box_with_libraries.renew()

    def close(self) -> None:
        """Ends every zygote, and with it every seat."""
        if self._box_with_libraries is not None:
            self._box_with_libraries.close()
        self._idle.clear()
        self._lent.clear()
        if self._spare is not None:
            self._spare.close()
        while self._all:
            self._all.pop().kill()

    def _open_with_libraries(self) -> Box:
        """The box whose seats have the libraries loaded. Raises SeatFault("platform")."""
        if self._check is None:
            raise SeatFault("platform", "this box was opened without libraries")
        if self._box_with_libraries is None:
            named = ", ".join(self.libraries)
            if why := self._check(self.kind, self._wall, self._engine, self.libraries):
                raise SeatFault("platform", f"the wall does not stand with {named}: {why}")
            try:
                self._box_with_libraries = Box(
                    self.kind, self._program.with_libraries(), self._engine, needs=self._needs
                )
            except BoxUnavailable as error:
                raise SeatFault("platform", f"no box with {named}: {error}") from error
        return self._box_with_libraries

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next_idle(self) -> ZygoteClient | None:
        """An idle zygote, if there is one. Those that have died meanwhile are dropped, so that they
        use up no attempts: an engine that is restarted ends all its containers."""
        while self._idle:
            zygote = self._idle.pop()
            if not zygote.has_died:
                return zygote
            self._all.discard(zygote)
            zygote.kill()
        return None

    def _start(self) -> ZygoteClient:
        """A further zygote. Raises BoxUnavailable, or SeatFault("platform") if another one runs:
        then the box works, and the machine only has no room for so many seats."""
        try:
            started = self._spare.take() if self._spare is not None else ZygoteClient(self._launch)
            zygote = self._with_whole_wall(started)
        except BoxUnavailable as error:
            if any(one.healthy and not one.has_died for one in self._all):
                raise SeatFault("platform", f"no room for a further seat: {error}") from error
            raise
        self._all.add(zygote)
        return zygote

    def _with_whole_wall(self, zygote: ZygoteClient) -> ZygoteClient:
        """The zygote; if it lacks a layer that it needs, ends it and raises BoxUnavailable.

        A kernel may refuse a layer now and then, such as a filter for which it has no room.
        """
        lacking = [
            layer for layer, stands in zygote.raised.items() if not stands and layer in self._needs
        ]
        if lacking:
            zygote.kill()
            raise BoxUnavailable(
                f"the wall did not go up as before: the layer {', '.join(lacking)} is missing"
            )
        return zygote

    def _take_back(self) -> None:
        """Takes the zygotes of closed seats back."""
        closed = [seat for seat in self._lent if seat.closed]
        self._lent = [seat for seat in self._lent if not seat.closed]
        for seat in closed:
            self._keep_or_retire(seat.zygote)

    def _keep_or_retire(self, zygote: ZygoteClient) -> None:
        """Keeps a zygote for the next seat, or ends it."""
        if zygote.healthy and zygote.seats < SEATS_PER_ZYGOTE:
            self._idle.append(zygote)
        else:
            self._all.discard(zygote)
            zygote.kill()


def seat_opener(
    box: Box, limits: Limits, wants_libraries: Callable[[bytes], bool]
) -> Callable[[], BoxSeat | FirstSeat]:
    """Returns a function that opens a bot's seats in the box, which draw on one bank of time.

    `wants_libraries` says of a seat's first answer whether its bot wants the box's libraries. The
    first seat has none. If its bot wants them, the seat is replaced by one that has them, and the
    later seats have them too.
    """
    bank = Bank(limits)
    if not box.libraries:
        return lambda: box.seat(limits, bank)
    return SeatOpener(lambda chosen: box.seat(limits, bank, with_libraries=chosen), wants_libraries)


class SeatOpener:
    """Opens the seats of one bot. The first answer of the first decides about the others."""

    def __init__(
        self, open_seat: Callable[[bool], BoxSeat], wants_libraries: Callable[[bytes], bool]
    ) -> None:
        """`open_seat` opens a seat; its argument says whether with libraries."""
        self._open_seat = open_seat
        self._wants_libraries = wants_libraries
        self._first: FirstSeat | None = None

    def __call__(self) -> BoxSeat | FirstSeat:
        """A seat of the bot."""
        if self._first is None or self._first.with_libraries is None:
            self._first = FirstSeat(self._open_seat, self._wants_libraries)
            return self._first
        return self._open_seat(self._first.with_libraries)


class FirstSeat(PassingChannel):
    """A plain seat, replaced if its bot wants libraries. No line of the bot has run by then."""

    def __init__(
        self, open_seat: Callable[[bool], BoxSeat], wants_libraries: Callable[[bytes], bool]
    ) -> None:
        super().__init__(open_seat(False))
        self._open_seat = open_seat
        self._wants_libraries = wants_libraries
        self.with_libraries: bool | None = None
        """Whether its bot wants libraries; None before it has answered."""
        self.replaced_s = 0.0
        """Seconds that the seat with libraries took to open."""

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """The one frame that answers this one: see BoxSeat.ask."""
        answer = self._channel.ask(frame, decisions, start=start)
        if start and self.with_libraries is None:
            self.with_libraries = self._wants_libraries(answer)
            if self.with_libraries:
                self._channel.close()
                begun = time.monotonic()
                self._channel = self._open_seat(True)
                self.replaced_s = time.monotonic() - begun
                answer = self._channel.ask(frame, decisions, start=True)
        return answer


class SpareZygote:
    """A zygote that is made ready while others are in use."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spare")
        self._next: Future[ZygoteClient] = self._thread.submit(ZygoteClient, launch)

    def take(self) -> ZygoteClient:
        """The spare, or a zygote started now if the spare failed to start. Begins a new spare."""
        try:
            return self._next.result()
        except BoxUnavailable:
            return ZygoteClient(self._launch)
        finally:
            self._next = self._thread.submit(ZygoteClient, self._launch)

    def close(self) -> None:
        """Ends the spare."""
        if not self._next.cancel():
            with suppress(BoxUnavailable):
                self._next.result().kill()
        self._thread.shutdown()


def open_box(
    kind: str,
    *,
    preload: Sequence[str],
    entry: str,
    paths: Sequence[Path] = (),
    wall: Wall = Wall(),  # noqa: B008 - a frozen value
    engine: Engine = Engine(),  # noqa: B008 - a frozen value
    libraries: Sequence[str] = (),
    check: Check | None = None,
    needs: Collection[str] = (),
) -> Box:
    """A warm box. Raises BoxUnavailable with a sentence that says what to do.

    `preload` are modules that every seat has loaded. `entry` is the "module:function" that serves a
    seat with `recv` and `send`. `paths` are directories to search for these before the installed
    packages. `libraries` are names of policy.LIBRARIES that seats may ask for. `check` says whether
    the wall stands with them: `sandbox.selftest.libraries_refusal`. `needs` are the layers of the
    wall that each of its zygotes must raise: those that the self-test found.
    """
    if kind not in KINDS:
        raise BoxUnavailable(f"there is no box {kind!r}: choose one of {', '.join(KINDS)}")
    if sys.platform != "linux":
        raise BoxUnavailable(
            f"boxes need Linux, and this is {sys.platform}: play bots that you trust with --box "
            "none, or use Linux, in a virtual machine if need be"
        )
    program = Program(tuple(preload), entry, tuple(paths), wall, tuple(libraries))
    return Box(kind, program, engine, check, needs)
