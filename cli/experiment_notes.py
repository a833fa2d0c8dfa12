"""The notes of `simulate` and `compare` on stderr: faults, bots that keep state, and the box of the
experiment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cli import output

if TYPE_CHECKING:
    from matchbox.lab.counts import FaultRow


def print_faults(faults: Sequence[FaultRow], game: str) -> None:
    """Prints one line for each bot and kind of fault, with the place of the first one. If one has
    no place, also prints how to see more of it."""
    from worker.arena.verdict_messages import fault_line

    for fault in faults:
        line = fault_line(fault["kind"], fault["detail"], fault["place"])
        output.note(f"{fault['bot']}: {fault['games']} x {line}")
    if any(not fault["place"] and fault["kind"] != "excluded" for fault in faults):
        output.note(f"`matchbox check FILE --game {game}` names the line of a fault")


def print_stateful(bots: Sequence[str], alone: Sequence[str] = ()) -> None:
    """Names the bots that keep state, and says what `simulate` did about it or what the user can
    do."""
    for bot in bots:
        if bot in alone:
            remedy = ", so each of its games was played again by a fresh process"
        else:
            remedy = (
                ". These games were played side by side; with --width 0 a fresh process plays each "
                "game, as in a league"
            )
        output.note(f"{bot} keeps state: it plays differently when alone{remedy}")


def wall_text(box: str) -> str:
    """The wall around the bots: a box of that kind, or none."""
    return "no box: trusted bots only" if box == "none" else f"box {box}"
