"""Seats get a library only if the wall was seen to stand with it."""

from __future__ import annotations

import pytest

from matchbox.errors import SeatFault
from sandbox.box import open_box
from sandbox.policy import Limits

ENTRY = "sandbox.attacks:serve"


def test_a_box_with_libraries_needs_a_check() -> None:
    with pytest.raises(ValueError, match="needs a check of its wall"):
        open_box("process", preload=(), entry=ENTRY, libraries=("numpy",))


def test_a_library_with_which_the_wall_does_not_stand_is_refused() -> None:
    with open_box(
        "process",
        preload=(),
        entry=ENTRY,
        libraries=("numpy",),
        check=lambda kind, wall, engine, libraries: f"{kind} is open",
    ) as box:
        with pytest.raises(SeatFault, match="does not stand with numpy: process is open") as caught:
            box.seat(Limits(), with_libraries=True)
        assert caught.value.kind == "platform"
        box.seat(Limits()).close()


def test_a_box_that_was_opened_without_libraries_has_none() -> None:
    with (
        open_box("process", preload=(), entry=ENTRY) as box,
        pytest.raises(SeatFault, match="opened without libraries"),
    ):
        box.seat(Limits(), with_libraries=True)
