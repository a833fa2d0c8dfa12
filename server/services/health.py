"""Judges whether the platform is well, for the operators' page, readiness and commands.

Each check yields what it finds wrong, as sentences. To judge something new, write a check and add
it to CHECKS. Changes nothing but the ledger's sign of life.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from kombu import Connection
from kombu.exceptions import OperationalError
from sqlalchemy import ColumnElement, and_, func, or_, select

from matchbox.answers.health import ArenaLine, Finding, Health, JobsLine, Level
from matchbox.answers.queue import JobName
from matchbox.errors import BrokerUnavailable, Forbidden
from server.db.models import Delivery, Match, Setting
from server.queries.pagination import iso
from server.services import walls
from server.services.job_kinds import KINDS
from server.services.jobs import JobKind

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import User

SILENT_MS: Final = 45_000
"""An arena reports every 15 s; one that has missed three reports is silent."""
GONE_MS: Final = 3_600_000
"""Nobody waits for an arena that has been silent for an hour."""
BEAT: Final = "ledger"
"""The name under which the ledger's sign of life is stored."""
BEAT_MS: Final = 10_000
LATE_MS: Final = 45_000
"""The ledger is behind if its last sign of life is older than this, or than 10 ticks."""
STALLED_MS: Final = 600_000
"""Matches stand still if they wait and none has ended for so long."""
OLDEST_MS: Final = {
    "try-out": 300_000,
    "lesson": 1_800_000,
    "turn": 60_000,
    "verification": 3_600_000,
}
"""The age from which a job of this kind has waited too long. Matches of a season may wait long."""
FEW_BYTES: Final = 1 << 30
NO_BYTES: Final = 200 << 20
TRIES: Final = 2
"""Mail is failing if a delivery has been tried this many times without success."""
BROKER_S: Final = 2
"""The seconds to wait for the broker."""


class State(NamedTuple):
    """What the checks look at."""

    session: Session
    settings: Settings
    now: int
    arenas: list[ArenaLine]
    jobs: list[JobsLine]


Check: TypeAlias = Callable[[State], Iterator[Finding]]


def judge(session: Session, settings: Settings, *, now: int) -> Health:
    """Returns what is wrong now, with the arenas and the jobs. Takes 2 s if the broker is away."""
    state = State(session, settings, now, arenas(session, now), job_lines(session, now))
    return Health(
        checked_at=iso(now),
        findings=[finding for check in CHECKS for finding in check(state)],
        arenas=state.arenas,
        jobs=state.jobs,
    )


def judge_for(session: Session, viewer: User | None, settings: Settings, *, now: int) -> Health:
    """Returns the judgement for an operator. Raises Forbidden for others."""
    if viewer is None or not viewer.operator:
        raise Forbidden("only operators may see this")
    return judge(session, settings, now=now)


def beat(session: Session, *, now: int) -> None:
    """Stores the ledger's sign of life. Call it if `is_due` says so."""
    session.merge(Setting(name=BEAT, value={}, changed_at=now))


def is_due(session: Session, *, now: int) -> bool:
    """Whether the last sign of life is so old that the next one should be stored."""
    last = _last_beat(session)
    return last is None or now - last >= BEAT_MS


def ledger_is_late(session: Session, settings: Settings, now: int) -> bool:
    """Whether the ledger's last sign of life is too old, or there is none."""
    last = _last_beat(session)
    return last is None or now - last > max(LATE_MS, 10_000 * settings.tick_seconds)


def reach_broker(url: str) -> None:
    """Connects to the broker once. Raises BrokerUnavailable."""
    options = {"socket_connect_timeout": BROKER_S, "socket_timeout": BROKER_S, "max_retries": 0}
    try:
        with Connection(url, connect_timeout=BROKER_S, transport_options=options) as connection:
            connection.ensure_connection(max_retries=1, timeout=BROKER_S)
    except (OperationalError, OSError) as error:
        raise BrokerUnavailable("the queue cannot be reached; is the broker running?") from error


def _arenas_report(state: State) -> Iterator[Finding]:
    silent = [one for one in state.arenas if one.state == "silent"]
    reporting = [one for one in state.arenas if one.state == "reports"]
    remedy = (
        "See the log of that arena; if its host is gone, start another one. A job that it held is "
        "given to another arena when its lease ends."
    )
    for one in silent:
        seconds = (state.now - _ms(one.seen_at)) // 1000
        text = f"Arena {one.name} has not reported for {_for(seconds)}."
        yield _bad("arenas", text, remedy)
    if not reporting:
        before = "No arena reports any more" if state.arenas else "No arena has reported yet"
        yield _bad("arenas", f"{before}, so nothing is played.", "Start an arena; see its log.")


def _walls_hold(state: State) -> Iterator[Finding]:
    for one in state.arenas:
        if one.state == "reports" and not one.walled:
            text = f"Arena {one.name} has no wall around bots: {one.why}."
            remedy = (
                "Until it has one, matches of authors' bots wait. Install bubblewrap or run it in "
                "a container, or stop this arena; `matchbox doctor` says what is missing."
            )
            yield _bad("walls", text, remedy)


def _ledger_beats(state: State) -> Iterator[Finding]:
    if not ledger_is_late(state.session, state.settings, state.now):
        return
    last = _last_beat(state.session)
    since = (
        "has not started yet"
        if last is None
        else f"has given no sign of life for {_for((state.now - last) // 1000)}"
    )
    text = f"The ledger {since}: results wait, and nothing new is scheduled."
    remedy = "See the logs of the ledger and of beat, and restart the one that hangs."
    yield _bad("ledger", text, remedy)


def _jobs_move(state: State) -> Iterator[Finding]:
    for line in state.jobs:
        most = OLDEST_MS.get(line.kind)
        age = state.now - _ms(line.oldest_at) if line.oldest_at else 0
        if most is not None and age > most:
            text = f"The oldest {line.kind} has waited for {_for(age // 1000)}."
            yield _warning("jobs", text, "See whether arenas report, and what they are at.")
        if line.parked:
            many = f"{line.parked} {line.kind} jobs are" if line.parked > 1 else f"A {line.kind} is"
            text = f"{many} parked: the platform failed at it again and again."
            yield _warning("parked", text, "Play it again or make it void on the page Operate.")
        if line.kind == "match" and line.queued + line.running and age > STALLED_MS:
            ended = state.session.scalar(select(func.max(Match.finished_at))) or 0
            still = min(age, state.now - ended)
            if still > STALLED_MS:
                text = f"Matches wait, and none has ended for {_for(still // 1000)}."
                remedy = "See whether arenas report, and whether the league or season is paused."
                yield _bad("jobs", text, remedy)


def _broker_answers(state: State) -> Iterator[Finding]:
    if state.settings.broker_url:
        try:
            reach_broker(state.settings.broker_url)
        except BrokerUnavailable:
            text = "The broker cannot be reached, so arenas get no jobs. Nothing is lost."
            remedy = "Start it again, and see its log; waiting jobs follow by themselves."
            yield _bad("broker", text, remedy)


def _disk_has_room(state: State) -> Iterator[Finding]:
    try:
        free = shutil.disk_usage(state.settings.data).free
    except OSError:
        return
    if free < FEW_BYTES:
        text = f"The disk of the data folder has only {free >> 20:,} MB left."
        remedy = (
            "Free some space: old logs and backups first. When it is full, nothing can be stored."
        )
        yield (_bad if free < NO_BYTES else _warning)("disk", text, remedy)


def _mail_leaves(state: State) -> Iterator[Finding]:
    stuck = select(func.count()).where(Delivery.webhook_id.is_(None), Delivery.attempts >= TRIES)
    count = state.session.scalar(stuck) or 0
    if count:
        many = "A mail" if count == 1 else f"{count:,} mails"
        text = f"{many} could not be sent, even after several tries."
        yield _warning("mail", text, "Check the mail server and the MATCHBOX_SMTP settings.")


CHECKS: Final[tuple[Check, ...]] = (
    _arenas_report,
    _walls_hold,
    _ledger_beats,
    _jobs_move,
    _broker_answers,
    _disk_has_room,
    _mail_leaves,
)


def arenas(session: Session, now: int) -> list[ArenaLine]:
    """Returns the arenas that have reported, with what each is at."""
    return [
        ArenaLine(
            name=name.partition("@")[0],
            state=_state_of(one, now),
            box=one.box,
            walled=one.walled,
            why=one.why,
            cores=one.cores,
            load=one.load,
            doing=one.doing,
            seen_at=iso(one.at),
        )
        for name, one in sorted(walls.reports(session).items())
    ]


def _state_of(one: walls.ArenaWall, now: int) -> Any:
    if one.left:
        return "left"
    age = now - one.at
    return "gone" if age > GONE_MS else "silent" if age > SILENT_MS else "reports"


def job_lines(session: Session, now: int) -> list[JobsLine]:
    """Returns the numbers of the jobs that are not done, by kind."""
    return [
        job_line(session, "try-out" if name == "version" else name, kind, now)
        for name, kind in KINDS.items()
    ]


def job_line(session: Session, name: JobName, kind: JobKind[Any], now: int) -> JobsLine:
    """Returns the numbers of the jobs of one kind that are not done."""
    unfinished = or_(kind.queued, kind.leased)
    running = and_(kind.leased, kind.model.deadline > now)
    count = partial(_count, session, kind)
    oldest = session.scalar(select(func.min(kind.model.created_at)).where(unfinished))
    under_way = count(running)
    return JobsLine(
        kind=name,
        queued=count(unfinished) - under_way,
        running=under_way,
        parked=count(kind.parked),
        oldest_at=None if oldest is None else iso(oldest),
    )


def _count(session: Session, kind: JobKind[Any], which: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).select_from(kind.model).where(which)) or 0


def _last_beat(session: Session) -> int | None:
    return session.scalar(select(Setting.changed_at).where(Setting.name == BEAT))


def _bad(kind: str, text: str, remedy: str) -> Finding:
    return _finding(kind, "bad", text, remedy)


def _warning(kind: str, text: str, remedy: str) -> Finding:
    return _finding(kind, "warning", text, remedy)


def _finding(kind: str, level: Level, text: str, remedy: str) -> Finding:
    return Finding(kind=kind, level=level, text=text, remedy=remedy)


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def _for(seconds: int) -> str:
    """Returns a length of time in words: "50 s", "3 min", "2 h"."""
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"
