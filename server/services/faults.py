"""Counts the forfeits of versions, notifies their owners, and suspends versions with too many.

Counts the bouts that a version forfeited in ranked and season matches that are not void. Faults of
the platform do not count, and the house's bots are never suspended. Plays and rates nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import select

from matchbox.errors import Conflict
from matchbox.match import record as records
from matchbox.registry import is_cooperative
from server.db.models import (
    UNDER_WAY,
    Entry,
    Match,
    Role,
    Season,
    SeasonState,
    Version,
    VersionState,
    VoidCause,
)
from server.db.session import compare_and_set
from server.services import audit, exclusions, fields, notices, ratings, season_progress
from server.services.events import publish, storable
from server.services.fault_counts import PLATFORM
from server.services.lookup import active_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from matchbox.league.rows import Row
    from matchbox.match.record import Record
    from matchbox.settings import Settings

log = structlog.get_logger(__name__)

BEGUN: Final = (SeasonState.FROZEN, *UNDER_WAY)
_PLAYING: Final = (VersionState.ACTIVE, VersionState.ACCEPTED)


def count(session: Session, match: Match, record: Record, *, settings: Settings, now: int) -> None:
    """Counts the forfeits of a match that was just recorded.

    Notifies the owner of a version's first forfeit. Suspends a version that has played enough
    matches and forfeited too large a share of its bouts.
    """
    for version, forfeits in _forfeits(match, record).items():
        first = forfeits > 0 and version.forfeits == 0
        version.rated_matches += 1
        version.rated_bouts += len(record.bouts)
        version.forfeits += forfeits
        if first:
            _notify_of_first_fault(session, version, match, record, now)
        why = _too_many(version.rated_matches, version.rated_bouts, version.forfeits, settings)
        if why:
            _suspend(session, version, why, now)


def take_out(session: Session, season: Season, *, settings: Settings, now: int) -> None:
    """Takes the entrants that have forfeited too many bouts of a season out of it.

    Called between two rounds. Only the season's own matches count, so that the same results always
    lead to the same season. For a reinstated version, only matches scheduled since then count.
    """
    stands = season_progress.unreplaced_matches(season)
    scheduled = dict(session.execute(select(Match.id, Match.created_at).where(*stands)).all())
    own: defaultdict[str, list[Row]] = defaultdict(list)
    for row in ratings.played(session, *stands).rows:
        for name in set(row.seats):
            own[name].append(row)
    for entry in season.entries:
        version = entry.version
        if entry.out or version is None or entry.bot.owner.role == Role.HOUSE:
            continue
        name, since = version.entrant, version.counted_from or 0
        rows = [row for row in own[name] if scheduled[row.match] >= since]
        lost = sum(row.forfeit is not None and row.seats[row.forfeit] == name for row in rows)
        why = _too_many(len({row.match for row in rows}), len(rows), lost, settings)
        if why:
            _take_out(session, entry, version, why, now)


def subtract_counts(session: Session, match: Match) -> None:
    """Subtracts a finished match that is now void from the counts of its versions.

    A match whose record was removed no longer says which bouts they forfeited, and stays counted.
    """
    assert match.result is not None
    if match.result.record_days is not None:
        return
    record = records.unpack(match.result.record)
    for version, forfeits in _forfeits(match, record).items():
        if version.counted_from is None or (match.finished_at or 0) >= version.counted_from:
            version.rated_matches -= 1
            version.rated_bouts -= len(record.bouts)
            version.forfeits -= forfeits
    session.flush()


def lift_suspension(session: Session, version: Version, *, now: int) -> None:
    """Lets a suspended version play again, also in seasons that have begun; sets its counts to 0.

    It becomes the bot's active version, or an accepted one if the bot has another active version.
    Raises Conflict if it is neither suspended nor out of a season as suspended.
    """
    entries = _suspended(session, version)
    if version.state != VersionState.SUSPENDED and not entries:
        raise Conflict(
            f"version {version.number} of {version.bot.full_name} is {version.state}; only one "
            "that is suspended can be reinstated"
        )
    fresh: dict[str, Any] = dict.fromkeys(("rated_matches", "rated_bouts", "forfeits"), 0)
    fresh["counted_from"] = now
    if version.state == VersionState.SUSPENDED:
        other = active_version(session, version.bot_id)
        fresh["state"] = VersionState.ACTIVE if other is None else VersionState.ACCEPTED
        fresh["trouble"] = ""
    if not compare_and_set(session, version, fresh, Version.state == version.state):
        raise Conflict(f"{version.bot.full_name} has just changed; look at it again")
    fields.change(session, version.game)
    publish(session, "version.reinstated", version.id, now=now)
    for entry in entries:
        entry.out, entry.out_at, entry.out_why = "", None, ""
        publish(session, "season.reinstate", entry.season_id, now=now)
    session.flush()


def _forfeits(match: Match, record: Record) -> dict[Version, int]:
    """The number of bouts that each version forfeited, without versions of the house.

    Empty for a match of a comparison, whose forfeits do not count.
    """
    if match.comparison_id is not None:
        return {}
    bouts: Counter[int] = Counter()
    for bout in record.bouts:
        at_fault = [fault.seat for fault in bout.faults if fault.kind != PLATFORM]
        bouts.update({_version_in(match, seat, bout.rotation).id for seat in at_fault})
    versions = {seat.version.id: seat.version for seat in match.seats}
    return {
        versions[row]: bouts[row]
        for row in sorted(versions)
        if versions[row].bot.owner.role != Role.HOUSE
    }


def _version_in(match: Match, seat: int, rotation: int) -> Version:
    """The version that holds this seat of the table in this rotation."""
    return match.seats[records.entrant(seat, rotation, len(match.seats))].version


def _too_many(matches: int, bouts: int, forfeits: int, settings: Settings) -> str:
    """The reason why these forfeits are too many; empty if they are not."""
    most = settings.forfeit_percent
    if matches < settings.forfeit_matches or 100 * forfeits <= most * bouts:
        return ""
    fewest = settings.forfeit_matches
    return (
        f"{forfeits} of {bouts} bouts in {matches} {'match' if matches == 1 else 'matches'} were "
        f"forfeited: {100 * forfeits / bouts:.1f}%, and more than {most}% suspends a version after "
        f"{fewest} {'match' if fewest == 1 else 'matches'}"
    )


def _notify_of_first_fault(
    session: Session, version: Version, match: Match, record: Record, now: int
) -> None:
    kind = next(
        fault.kind
        for bout in record.bouts
        for fault in bout.faults
        if fault.kind != PLATFORM and _version_in(match, fault.seat, bout.rotation) is version
    )
    result = "scores 0" if is_cooperative(record.game) else "is lost"
    text = (
        f"{version.bot.full_name} v{version.number} has forfeited a bout for the first time "
        f"({kind}), in match {match.id}. A forfeited bout {result}. The match's page says what "
        "your bot printed, once its deals are open."
    )
    subject = f"match:{match.id}"
    notices.notify_account(session, version.bot.owner_id, "first-fault", subject, text, now=now)


def _suspend(session: Session, version: Version, why: str, now: int) -> None:
    """Suspends the version, and makes its unfinished ranked matches void.

    Between two rounds, `take_out` decides whether it also leaves a season.
    """
    values = {"state": VersionState.SUSPENDED, "trouble": storable(why, 500)}
    if not compare_and_set(session, version, values, Version.state.in_(_PLAYING)):
        return
    fields.change(session, version.game)
    name = f"{version.bot.full_name} v{version.number}"
    its_own = (Match.is_ranked, exclusions.has_seat_of(version.id))
    exclusions.make_void(session, VoidCause.SUSPENDED, f"{name} was suspended", *its_own, now=now)
    log.warning("version.suspended", version=version.id, bot=version.bot.full_name, why=why)
    publish(session, "version.suspended", version.id, now=now)
    audit.note(session, None, "version.suspend", f"version:{version.id}", {"why": why}, now=now)
    playing = active_version(session, version.bot_id)
    after = "Submit a new version; once it has passed its try-out, your bot plays again."
    if playing is not None:
        after = f"Your bot plays on with version {playing.number}."
    text = (
        f"{name} is suspended: {why}. It gets no new ranked matches. In a season under way it "
        f"plays on, and may be taken out between two rounds. {after}"
    )
    subject = f"version:{version.id}"
    notices.notify_account(session, version.bot.owner_id, "suspension", subject, text, now=now)


def _take_out(session: Session, entry: Entry, version: Version, why: str, now: int) -> None:
    season, bot = entry.season, version.bot
    exclusions.exclude_entry(session, entry, "suspended", why, now=now)
    subject = f"season:{season.id}"
    publish(session, "season.suspend", season.id, now=now)
    audit.note(
        session, None, "season.suspend", subject, {"bot": bot.full_name, "why": why}, now=now
    )
    text = (
        f"{bot.full_name} v{version.number} is out of season {season.name}: {why}. The matches "
        "that it has played there still count."
    )
    notices.notify_account(session, bot.owner_id, "suspension", subject, text, now=now)


def _suspended(session: Session, version: Version) -> Sequence[Entry]:
    """The version's suspended entries in seasons that have begun and are not over.

    There are none if its author has deleted the account.
    """
    if version.bot.owner.deleted_at is not None:
        return []
    mine = (Entry.version_id == version.id, Entry.out == "suspended")
    query = select(Entry).join(Season).where(*mine, Season.state.in_(BEGUN))
    return session.scalars(query.order_by(Entry.id)).all()
