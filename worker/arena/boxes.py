"""The box that an arena or a command plays in, by name. Knows what every seat must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matchbox import registry
from matchbox.errors import BadOption

if TYPE_CHECKING:
    from sandbox.box import Box

ENTRY: Final = "matchbox.match.seatside:serve"
"""What answers frames inside a seat."""


def open_named(kind: str) -> Box | None:
    """A warm box of that kind; `auto` is the best that works here, `none` is None: no box at all.

    Raises BadOption for a name that is none, BoxUnavailable with a sentence that says what to do.
    """
    if kind == "none":
        return None
    from sandbox.box import KINDS, best_kind, open_box

    if kind not in ("auto", *KINDS):
        raise BadOption(f"there is no box {kind!r}: choose one of auto, {', '.join(KINDS)}, none")
    chosen = best_kind() if kind == "auto" else kind
    return open_box(chosen, preload=registry.seat_modules(), entry=ENTRY)
