"""Checks the platform's health, for the operators' page, readiness and commands.

Each check yields its findings, as sentences. To check something new, write a function and add it to
CHECKS. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from matchbox.answers.health import Finding, Health
from server.services import (
    arena_checks,
    backup_schedule,
    disk,
    editions,
    health_figures,
    seasons,
    signs,
    supervision,
)
from server.services.accounts import require_operator_to_see
from server.services.arena_lines import arena_lines
from server.services.findings import State, bad, duration, warning
from server.services.job_lines import job_lines, last_ended, stalled_ms
from server.times import HOUR_MS, MINUTE_MS, iso, parse_time_ms

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User

BOARDS_MS: Final = 600_000
"""Boards are old if they were last up to date this many ms ago."""
STALLED_MS: Final = 600_000
"""Matches stand still if they wait and none has ended for this long."""
OLDEST_MS: Final = {
    "try-out": 300_000,
    "draft": 300_000,
    "lesson": 1_800_000,
    "turn": MINUTE_MS,
    "verification": HOUR_MS,
}
"""The age in ms from which a job of this kind has waited too long. Matches of a season may wait
long."""
PARKED: Final = {
    "match": "Play it again or make it void on the page Operate.",
    "try-out": "Try it out again on the page Operate.",
    "lesson": "Give it again on the page Operate, or let the bot keep its memory.",
    "draft": "See the logs of the arenas. Its author is told, and can try the file again.",
}
"""The remedy for a parked job of each kind that stays parked."""
FEW_BYTES: Final = 1 << 30
"""The operator is warned if the disk has less room than this."""
RESULTS: Final = 500
"""The ledger is behind if more results than this wait for it."""
Check: TypeAlias = Callable[[State], Iterator[Finding]]


def judge(session: Session, settings: Settings, *, now: int) -> Health:
    """Returns the findings, with the arenas and the jobs. Takes 2 s if the broker cannot be
    reached."""
    measured = health_figures.measure(session, settings, now=now)
    lines = arena_lines(session, now), job_lines(session, now)
    state = State(session, settings, now, *lines, measured, now - signs.begun_at(session))
    return Health(
        checked_at=iso(now),
        findings=[finding for check in CHECKS for finding in check(state)],
        arenas=state.arenas,
        jobs=state.jobs,
        figures=measured,
    )


def judge_for(session: Session, viewer: User | None, settings: Settings, *, now: int) -> Health:
    """Returns the platform's health for an operator. Raises Forbidden for others."""
    require_operator_to_see(viewer)
    return judge(session, settings, now=now)


def _ledger_beats(state: State) -> Iterator[Finding]:
    if not signs.ledger_is_late(state.session, state.settings, state.now):
        return
    last = signs.last(state.session, signs.TICK)
    remedy = "See the logs of the ledger and of beat, and restart the one that hangs."
    if last is None:
        text = "The ledger has not started yet: results wait, and nothing new is scheduled."
        yield bad("ledger", text, remedy)
        return
    since = f"has given no sign of life for {duration((state.now - last) // 1000)}"
    ended = last_ended(state.session, state.now)
    goes_on = max(ended, signs.last_of_ledgers(state.session)) > last + signs.LATE_MS
    works = goes_on and signs.ledgers_work(state.session, state.now)
    if works and state.figures.broker is not False:
        text = f"Beat {since}: nothing new is scheduled. The ledger itself goes on."
        remedy = "See the log of beat, and restart it; if that does not help, restart the ledger."
        yield bad("ledger", text, remedy)
    else:
        text = f"The ledger {since}: results wait, and nothing new is scheduled."
        yield bad("ledger", text, remedy)


def _processes_live(state: State) -> Iterator[Finding]:
    silent = signs.silent(state.session)
    since = {
        name: f"has given no sign of life for {duration((state.now - at) // 1000)}"
        for name, at in silent.items()
    }
    if signs.WEB in silent:
        text = f"`web` {since[signs.WEB]}: pages may not be answered."
        yield bad("web", text, "See the log of `web`, and restart it.")
    if signs.INTERNAL in silent:
        text = (
            f"`internal` {since[signs.INTERNAL]}: it takes no reports and results of arenas, which "
            "seem to be silent then."
        )
        yield bad("internal", text, "See the log of `internal`, and restart it.")
    ledgers = {name for name in signs.processes(state.session) if signs.is_ledger(name)}
    if ledgers <= silent.keys():  # Then the check of the ledgers reports it.
        return
    for name in sorted(ledgers & silent.keys()):
        worker = signs.worker_of(name)
        text = f"The ledger {worker} {since[name]}. Others record results meanwhile."
        yield warning("ledger", text, "See the log of that ledger, and restart it.", worker)


def _standings_follow(state: State) -> Iterator[Finding]:
    if signs.ledger_is_late(state.session, state.settings, state.now):
        return
    last = signs.last(state.session, signs.STANDINGS)
    if last is not None and min(state.now - last, state.up_ms) > BOARDS_MS:
        text = f"Standings were last brought up to date {duration((state.now - last) // 1000)} ago."
        remedy = (
            "After a start, those of a large league take minutes. If they never end, see the "
            "ledger's log, and restart the ledger."
        )
        yield warning("standings", text, remedy)


def _supervisor_lives(state: State) -> Iterator[Finding]:
    silent = supervision.silence(state.settings.data, now=state.now)
    if silent is not None:
        since = f"has given no sign of life for {duration(silent.ms // 1000)}"
        text = f"`matchbox up` {since}: a process that dies is not started again."
        remedy = (
            f"If it was suspended with Ctrl-Z, let it go on: `kill -CONT {silent.pid}`. If it "
            f"hangs, end it with `kill -KILL {silent.pid}`, which ends the whole platform, and "
            "start it again; nothing is lost."
        )
        yield warning("supervisor", text, remedy)


def _jobs_move(state: State) -> Iterator[Finding]:
    for line in state.jobs:
        most = OLDEST_MS.get(line.kind)
        age = state.now - parse_time_ms(line.oldest_at) if line.oldest_at else 0
        if most is not None and min(age, state.up_ms) > most:
            text = f"The oldest {line.kind} has waited for {duration(age // 1000)}."
            remedy = "See whether arenas report, and what they are doing."
            yield warning("jobs", text, remedy, line.kind)
        if line.parked:
            many = f"{line.parked} {line.kind} jobs are" if line.parked > 1 else f"A {line.kind} is"
            text = f"{many} parked: the platform failed at it again and again."
            remedy = PARKED.get(line.kind, "See the logs of the arenas.")
            yield warning("parked", text, remedy, line.kind)
        if line.kind == "match" and min(age, state.up_ms) > STALLED_MS:
            still = stalled_ms(state.session, state.now)
            if still > STALLED_MS:
                text = f"Matches wait, and none has ended for {duration(min(age, still) // 1000)}."
                remedy = "See whether arenas report, and what they are doing."
                yield bad("jobs", text, remedy, line.kind)


def _results_are_booked(state: State) -> Iterator[Finding]:
    if (state.figures.results or 0) > RESULTS:
        text = f"{state.figures.results:,} results wait for the ledger."
        remedy = (
            "See the ledger's log. If it is well, give matches more deals, so that there are fewer."
        )
        yield warning("results", text, remedy)


def _broker_answers(state: State) -> Iterator[Finding]:
    if state.figures.broker is False:
        text = "The broker cannot be reached, so arenas get no jobs. Nothing is lost."
        remedy = "Start it again, and see its log; waiting jobs follow by themselves."
        yield bad("broker", text, remedy)


def _disk_has_room(state: State) -> Iterator[Finding]:
    for folder in disk.missing_folders(state.settings):
        text = f"The disk of {folder} is not watched: there is no such folder."
        yield warning("disk", text, "Mount it, or correct MATCHBOX_DISKS.", folder)
    room = disk.least_room(state.settings)
    if room is None or room.free >= max(FEW_BYTES, state.settings.least_free_mb << 20):
        return
    text = f"The disk of {room.of} has only {room.free >> 20:,} MB left."
    remedy = "Free some space: old backups first."
    if disk.is_full(state.settings):
        text += " No matches are sent and no uploads are taken until there is more."
        yield bad("disk", text, remedy)
    else:
        yield warning("disk", text, remedy)


def _mail_leaves(state: State) -> Iterator[Finding]:
    count = state.figures.mails_failing
    if count:
        many = "A mail" if count == 1 else f"{count:,} mails"
        text = f"{many} could not be sent, even after several tries. No mail has left since then."
        remedy = (
            "Check the mail server and MATCHBOX_SMTP settings; the ledger's log has the reasons."
        )
        yield warning("mail", text, remedy)


def _backups_are_made(state: State) -> Iterator[Finding]:
    if not state.settings.backup_every_hours:
        return
    kept = backup_schedule.backups(state.session)
    late = backup_schedule.overdue_ms(state.session, state.settings, now=state.now)
    remedy = (
        "See the ledger's log; give the folder MATCHBOX_BACKUP_FOLDER room and the right to write. "
        "It is tried again every 15 minutes; `matchbox admin backup FILE` makes one now."
    )
    if kept is not None and kept.trouble:
        text = f"The last backup on the schedule failed: {kept.trouble}."
        yield (warning if late is None else bad)("backups", text, remedy)
    elif late is not None:
        text = f"The last backup on the schedule is {duration(late // 1000)} old."
        if kept is not None and kept.done_at is None:
            text = f"No backup on the schedule was made for {duration(late // 1000)}."
        yield bad("backups", text, remedy)


def _leagues_go_on(state: State) -> Iterator[Finding]:
    for name, why in editions.broken_schedules(state.session, now=state.now):
        text = f"League {name} opens no further seasons: {why}."
        remedy = (
            "Update the time zones of the ledger's machine, such as Debian's package tzdata, or "
            "correct the schedule on the league's page."
        )
        yield bad("schedule", text, remedy, name)


def _seasons_start(state: State) -> Iterator[Finding]:
    if signs.ledger_is_late(state.session, state.settings, state.now):
        return
    if state.up_ms <= editions.OVERDUE_MS:
        return
    for name, since in editions.overdue(state.session, now=state.now):
        ago = duration((state.now - since) // 1000)
        text = f"Season {name} could have started {ago} ago, and has not."
        remedy = "The ledger tries again and again; see its log. Or start the season on its page."
        yield bad("starts", text, remedy, name)


def _seasons_go_on(state: State) -> Iterator[Finding]:
    for name, why in seasons.stopped(state.session):
        text = f"Season {name} is paused, since it cannot go on: {why.rstrip('.')}."
        yield bad("seasons", text, "Put that right and resume it, or cancel it.", name)


CHECKS: Final[tuple[Check, ...]] = (
    arena_checks.arenas_report,
    arena_checks.arenas_go_on,
    arena_checks.walls_hold,
    arena_checks.jobs_succeed,
    arena_checks.releases_agree,
    _ledger_beats,
    _processes_live,
    _standings_follow,
    _supervisor_lives,
    _jobs_move,
    _results_are_booked,
    _broker_answers,
    _disk_has_room,
    _mail_leaves,
    _backups_are_made,
    _leagues_go_on,
    _seasons_start,
    _seasons_go_on,
)
