"""A box whose further processes do not start, or lack a layer of the wall."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from errno import EAGAIN

import pytest

from matchbox.errors import BoxUnavailable, SeatFault
from sandbox import box as boxes
from sandbox.box import Box, open_box
from sandbox.launch import Launch, Launched, launcher
from sandbox.policy import Engine, Wall
from sandbox.process_box import command
from sandbox.program import Program

ENTRY = "sandbox.attacks:serve"


class Refusing:
    """Starts processes without the layers in `refused`, and none while the machine is full."""

    def __init__(self) -> None:
        self.refused: tuple[str, ...] = ()
        self.full = False
        self.started: list[Launched] = []

    def launcher(self, program: Program, _: Engine) -> Launch:
        """A function that starts the program, as for a box of the kind `process`."""

        def launch() -> Launched:
            if self.full:
                raise BlockingIOError(EAGAIN, "Resource temporarily unavailable")
            wall = Wall(self.refused)
            lacking = Program(program.preload, program.entry, program.paths, wall)
            self.started.append(launcher(command(lacking))())
            return self.started[-1]

        return launch


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    refusing = Refusing()
    monkeypatch.setitem(boxes._LAUNCHERS, "process", refusing.launcher)
    return refusing


@pytest.fixture
def box(kernel: Refusing) -> Iterator[Box]:
    with open_box("process", preload=(), entry=ENTRY) as opened:
        yield opened


def test_a_later_process_that_lacks_a_layer_of_the_first_is_ended(
    box: Box, kernel: Refusing
) -> None:
    with closing(box.seat()) as first:
        kernel.refused = ("seccomp",)
        with pytest.raises(SeatFault, match="the layer seccomp is missing"):
            box.seat()
        assert kernel.started[-1].control.fileno() == -1, "it is ended"
        kernel.refused = ()
        with closing(box.seat()) as second:
            for seat in (first, second):
                assert seat.ask(b"open a network socket").startswith(b"refused")


def test_the_first_process_must_have_what_the_self_test_found(kernel: Refusing) -> None:
    kernel.refused = ("seccomp", "landlock")
    found = ("seccomp", "landlock", "descriptors", "clock")
    with pytest.raises(BoxUnavailable, match="the layer landlock, seccomp is missing"):
        open_box("process", preload=(), entry=ENTRY, needs=found)
    assert kernel.started[-1].control.fileno() == -1, "it is ended"


def test_a_layer_that_the_machine_never_has_is_not_missed(kernel: Refusing) -> None:
    kernel.refused = ("own_clock", "landlock")
    with (
        open_box("process", preload=(), entry=ENTRY, needs=("seccomp", "clock")) as box,
        closing(box.seat()) as first,
        closing(box.seat()) as second,
    ):
        assert first.zygote.raised == second.zygote.raised
        assert not second.zygote.raised["own_clock"]


def test_a_seat_for_which_there_is_no_room_is_the_platform_s_fault(
    box: Box, kernel: Refusing
) -> None:
    with closing(box.seat()):
        kernel.full = True
        with pytest.raises(SeatFault, match="no room for a further seat") as caught:
            box.seat()
    assert caught.value.kind == "platform"
    box.seat().close()


def test_a_box_in_which_nothing_runs_any_more_is_unavailable(box: Box, kernel: Refusing) -> None:
    kernel.full = True
    kernel.started[0].end()
    with pytest.raises(BoxUnavailable, match="the box did not start"):
        box.seat()
    kernel.full = False
    box.seat().close()
