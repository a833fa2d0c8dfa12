"""Tries a version alone, because it was present too often when the platform failed.

If the platform fails again, a control match without the version shows whether the bot is the cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from matchbox.errors import SeatFault
from matchbox.match.wire import TriedOut
from worker.arena.match_seats import box_kind
from worker.arena.tryout import try_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.match.wire import TryOut
    from sandbox.box import Box

_TRIALS: Final = 2


def try_alone(
    job: TryOut,
    bundle: bytes,
    beside: bytes,
    box: Box | None,
    watch: Callable[[], None] = lambda: None,
) -> TriedOut:
    """The verdict on a version in quarantine: it is accepted again, or refused with a reason.

    It is refused if the platform fails twice with it and not without it. Raises
    SeatFault("platform") if the platform fails without it too, or if the bot that plays in its
    place is no measure, since it fails itself; and BadBundle if that is not a bot.
    """
    assert job.beside is not None
    control = replace(job, version=job.beside.version, class_name=job.beside.class_name)
    for _ in range(_TRIALS):
        try:
            return try_out(job, bundle, box, beside, watch)
        except SeatFault as fault:
            why = fault.detail
            if not try_out(control, beside, box, beside, watch).accepted:
                raise
    return TriedOut(
        version=job.version,
        attempt=job.attempt,
        token=job.token,
        accepted=False,
        verdict="platform",
        reasons=[
            f"The platform failed {_TRIALS} times while the bot was tried alone, and not without "
            f"it: {why}. Upload a version that does not interfere with its process."
        ],
        class_name=job.class_name,
        games=0,
        cpu_ms_per_decision=0.0,
        log="",
        box=box_kind(box),
    )
