"""What a bot's own faults cost its version: counted, told to its owner, and at last suspended.

Counts the bouts that a version forfeited in ranked and season matches that stand. Platform faults
leave no forfeit, and the house's bots are never suspended. Plays and rates nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import select

from matchbox.errors import Conflict
from matchbox.match import record as records
from server.db.models import (
    UNFINISHED,
    Entry,
    Match,
    Role,
    Season,
    SeasonState,
    Version,
    VersionState,
)
from server.db.session import compare_and_set
from server.services import audit, exclusions, notices
from server.services.news import storable, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.match.record import Record
    from matchbox.settings import Settings

log = structlog.get_logger(__name__)

BEGUN: Final = (SeasonState.FROZEN, SeasonState.RUNNING, SeasonState.PAUSED)
_PLAYING: Final = (VersionState.ACTIVE, VersionState.ACCEPTED)


def count(session: Session, match: Match, record: Record, *, settings: Settings, now: int) -> None:
    """Holds a match that was just recorded against its versions, and does what follows.

    The first forfeit is told to the owner. Once a version has played enough matches, too large a
    share of its bouts forfeited suspends it.
    """
    for version, forfeits in _forfeits(match, record).items():
        first = forfeits > 0 and version.forfeits == 0
        version.rated_matches += 1
        version.rated_bouts += len(record.bouts)
        version.forfeits += forfeits
        if first:
            _tell_first(session, version, match, record, now)
        if _too_many(version, settings):
            _suspend(session, version, settings, now)
    session.flush()


def uncount(session: Session, match: Match) -> None:
    """Takes a finished match that is void now off the counts of its versions."""
    assert match.result is not None
    record = records.unpack(match.result.record)
    for version, forfeits in _forfeits(match, record).items():
        if version.counted_from is None or (match.finished_at or 0) >= version.counted_from:
            version.rated_matches -= 1
            version.rated_bouts -= len(record.bouts)
            version.forfeits -= forfeits
    session.flush()


def lift(session: Session, version: Version, *, now: int) -> list[Match]:
    """The season matches of a suspended version that it plays after all; its counts begin anew.

    It becomes the bot's active version, unless another one is. Raises Conflict where it is not
    suspended.
    """
    active = (Version.bot_id == version.bot_id, Version.state == VersionState.ACTIVE)
    other = session.scalar(select(Version.id).where(*active))
    values: dict[str, Any] = {
        "state": VersionState.ACTIVE if other is None else VersionState.ACCEPTED,
        "trouble": "",
        "rated_matches": 0,
        "rated_bouts": 0,
        "forfeits": 0,
        "counted_from": now,
    }
    if not compare_and_set(session, version, values, Version.state == VersionState.SUSPENDED):
        raise Conflict(
            f"version {version.number} of {version.bot.full_name} is {version.state}; only one "
            "that is suspended can be reinstated"
        )
    tell(session, "version.reinstated", version.id, now=now)
    made: list[Match] = []
    for entry in _entries(session, version, "suspended"):
        made += exclusions.bring_back(session, entry, now=now)
    return made


def _forfeits(match: Match, record: Record) -> dict[Version, int]:
    """How many bouts each version that may be suspended forfeited; of a comparison, none at all."""
    if match.comparison_id is not None:
        return {}
    bouts: Counter[int] = Counter()
    for bout in record.bouts:
        at_fault = [fault.seat for fault in bout.faults if fault.kind != "platform"]
        bouts.update({_sitting(match, seat, bout.rotation).id for seat in at_fault})
    versions = {seat.version.id: seat.version for seat in match.seats}
    return {
        versions[row]: bouts[row]
        for row in sorted(versions)
        if versions[row].bot.owner.role != Role.HOUSE
    }


def _sitting(match: Match, seat: int, rotation: int) -> Version:
    return match.seats[records.entrant(seat, rotation, len(match.seats))].version


def _too_many(version: Version, settings: Settings) -> bool:
    if version.rated_matches < settings.forfeit_matches:
        return False
    return 100 * version.forfeits > settings.forfeit_percent * version.rated_bouts


def _tell_first(session: Session, version: Version, match: Match, record: Record, now: int) -> None:
    kind = next(
        fault.kind
        for bout in record.bouts
        for fault in bout.faults
        if fault.kind != "platform" and _sitting(match, fault.seat, bout.rotation) is version
    )
    text = (
        f"{version.bot.full_name} v{version.number} has forfeited a bout for the first time "
        f"({kind}), in match {match.id}. A forfeited bout is lost. The match's page says what "
        "your bot printed, once its deals are open."
    )
    subject = f"match:{match.id}"
    notices.tell_owner(session, version.bot.owner_id, "first-fault", subject, text, now=now)


def _suspend(session: Session, version: Version, settings: Settings, now: int) -> None:
    share = 100 * version.forfeits / version.rated_bouts
    why = (
        f"{version.forfeits} of {version.rated_bouts} bouts in {version.rated_matches} matches "
        f"were forfeited: {share:.1f}%, and more than {settings.forfeit_percent}% suspends a "
        f"version after {settings.forfeit_matches} matches"
    )
    values = {"state": VersionState.SUSPENDED, "trouble": storable(why, 500)}
    if not compare_and_set(session, version, values, Version.state.in_(_PLAYING)):
        return
    name = f"{version.bot.full_name} v{version.number}"
    for entry in _entries(session, version, ""):
        exclusions.take_out(session, entry, "suspended", why, now=now)
    waiting = (Match.season_id.is_(None), Match.comparison_id.is_(None))
    its_own = (Match.state.in_(UNFINISHED), exclusions.sat_in(version.id))
    exclusions.make_void(session, f"{name} was suspended", *waiting, *its_own, now=now)
    log.warning("version.suspended", version=version.id, bot=version.bot.full_name, why=why)
    tell(session, "version.suspended", version.id, now=now)
    audit.note(session, None, "version.suspend", f"version:{version.id}", {"why": why}, now=now)
    text = (
        f"{name} is suspended and plays no more: {why}. Submit a new version; once it has passed "
        "its try-out, your bot plays again."
    )
    subject = f"version:{version.id}"
    notices.tell_owner(session, version.bot.owner_id, "suspension", subject, text, now=now)


def _entries(session: Session, version: Version, out: str) -> Sequence[Entry]:
    """Its places in seasons that have begun and are not over."""
    mine = (Entry.version_id == version.id, Entry.out == out)
    query = select(Entry).join(Season).where(*mine, Season.state.in_(BEGUN))
    return session.scalars(query.order_by(Entry.id)).all()
