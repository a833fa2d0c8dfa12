"""The checks of the platform's health that concern its arenas. Each yields its findings."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from server.services import stopped_arenas, walls
from server.services.arena_lines import GONE_MS, may_start
from server.services.findings import bad, duration, warning
from server.times import MINUTE_MS, parse_time_ms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matchbox.answers.health import Finding
    from server.services.findings import State

FAULTS: Final = 3
"""An arena fails if the platform failed at this many of its jobs lately."""


def arenas_report(state: State) -> Iterator[Finding]:
    """Finds silent arenas, and whether any arena plays matches."""
    begins = state.up_ms <= walls.SILENT_MS
    silent = [one for one in state.arenas if one.state == "silent" and not begins]
    remedy = "See its log; if its host is gone, start another arena. Others get its job soon."
    for one in silent:
        seconds = (state.now - parse_time_ms(one.seen_at)) // 1000
        text = f"Arena {one.name} has not reported for {duration(seconds)}."
        yield bad("arenas", text, remedy, one.full_name)
    reporting = [one for one in state.arenas if one.state == "reports"]
    playing = [one for one in reporting if not one.express]
    if not playing and (begins or may_start(state.arenas, state.now)):
        return
    if all(one.stopped or one.key_state == "draining" for one in playing):
        before = "No arena reports any more" if state.arenas else "No arena has reported yet"
        if playing:
            before = "Every arena that reports is stopped or draining"
        elif reporting:
            before = "Only the express arena reports"
        remedy = "Start an arena; see its log."
        if len(silent) > 1:
            remedy += " If all fell silent at once, restart `internal`, which takes their reports."
        yield bad("arenas", f"{before}, so no match is played.", remedy)


def arenas_go_on(state: State) -> Iterator[Finding]:
    """Finds arenas that were stopped, until they go on or are gone."""
    own = stopped_arenas.stopped(state.session)
    for one in state.arenas:
        away = one.key_state == "removed" or state.now - parse_time_ms(one.seen_at) > GONE_MS
        if one.full_name in own and not away:
            text = f"Arena {one.name} is stopped and gets no jobs: {one.stopped}."
            if own[one.full_name].match:
                remedy = "Find out why, make its matches void if they may be wrong, then let it go "
                remedy += "on: all on its page. Once its key is removed, this is no longer shown."
                yield bad("stopped", text, remedy, one.full_name)
            else:
                remedy = "An operator has stopped it. Once that is put right, let it go on: on its "
                remedy += "page. Once its key is removed, this is no longer shown."
                yield warning("stopped", text, remedy, one.full_name)


def walls_hold(state: State) -> Iterator[Finding]:
    """Finds arenas without a wall around bots."""
    for one in state.arenas:
        if one.state == "reports" and not one.walled:
            text = f"Arena {one.name} has no wall around bots: {one.why}."
            remedy = (
                "Until it has one, matches of authors' bots wait. Install bubblewrap or run it in "
                "a container, or shut this arena down; `matchbox doctor` says what is missing."
            )
            yield bad("walls", text, remedy, one.full_name)


def jobs_succeed(state: State) -> Iterator[Finding]:
    """Finds arenas at whose jobs the platform fails."""
    for one in state.arenas:
        if one.state == "reports" and not one.stopped and one.faults >= FAULTS:
            text = (
                f"Arena {one.name} has failed at least {one.faults} times at a job in the last "
                f"{walls.FAULTS_MS // MINUTE_MS} minutes. The last cause: {one.fault.rstrip('.')}."
            )
            remedy = (
                "See its log, and what its host lacks: memory, processes, rights. If you cannot "
                "fix it now, stop this arena on its page, and others get its jobs."
            )
            yield warning("faults", text, remedy, one.full_name)


def releases_agree(state: State) -> Iterator[Finding]:
    """Finds arenas with another release than the server."""
    own = version("matchbox")
    for one in state.arenas:
        if one.state == "reports" and one.release not in ("", own):
            text = f"Arena {one.name} has release {one.release}, and the server has {own}."
            remedy = "Install the server's release there, and start it again."
            yield warning("releases", text, remedy, one.full_name)
