"""A box that the tests of this folder share, and jobs for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import derive_deals
from matchbox.errors import SeatFault
from matchbox.match.wire import Entrant, PlayMatch, TryOut
from sandbox.box import Box
from sandbox.box_seat import BoxSeat
from sandbox.meter import Bank
from sandbox.policy import Limits
from tests.builders import open_box

LIMITS = {
    "cpu_ms": 2000,
    "start_cpu_ms": 4000,
    "bank_ms": 60_000,
    "wall_factor": 4,
    "memory_mb": 64,
    "log_bytes": 4096,
}
BRIEF = LIMITS | {"cpu_ms": 100, "start_cpu_ms": 200}
"""Limits for tests in which a bot runs out of time. A machine may be slow, so other tests do not
use them."""


@pytest.fixture(scope="session")
def box() -> Iterator[Box]:
    """The best box of this machine, already started."""
    with open_box("auto") as opened:
        yield opened


class DeadBox:
    """A box whose zygote has died."""

    kind = "bwrap"
    libraries = ()

    def seat(self, limits: Limits, bank: Bank) -> BoxSeat:
        raise SeatFault("platform", "the box of the bot has died")


def a_match(*bundles: bytes, deals: int = 2, **given: Any) -> PlayMatch:
    """A match of bomb between these bundles."""
    values: dict[str, Any] = {
        "attempt": 1,
        "token": "token",
        "game": "bomb",
        "limits": LIMITS,
        "match": "match",
        "rules": registry.game("bomb").spec.rules,
        "options": {},
        "deals": derive_deals("a test", deals),
        "seats": [Entrant(digest(bundle)) for bundle in bundles],
    }
    return PlayMatch(**values | given)


def a_try_out(bundle: bytes, **given: Any) -> TryOut:
    """The try-out of this bundle."""
    values: dict[str, Any] = {
        "attempt": 1,
        "token": "token",
        "game": "bomb",
        "limits": LIMITS,
        "version": digest(bundle),
        "deals": derive_deals("a test", 2),
    }
    return TryOut(**values | given)


def by_digest(*bundles: bytes) -> dict[str, bytes]:
    """Returns the bundles by digest, as an arena passes them on."""
    return {digest(bundle): bundle for bundle in bundles}
