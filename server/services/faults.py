"""Counts the forfeits of versions, notifies their owners, and suspends versions with too many.

Counts the bouts that a version forfeited in ranked and season matches that are not void. Faults of
the platform do not count, and the house's bots are never suspended. Plays and rates nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import case, func, select

from matchbox.errors import Conflict
from matchbox.match import record as records
from matchbox.registry import is_cooperative
from server.db.models import (
    UNDER_WAY,
    Entry,
    Match,
    MatchSeat,
    MatchState,
    Role,
    Season,
    SeasonState,
    Version,
    VersionState,
    VoidCause,
)
from server.db.session import compare_and_set
from server.services import audit, exclusions, fault_counts, fields, notices, season_progress
from server.services.events import publish, storable
from server.services.fault_counts import EXCLUDED, PLATFORM
from server.services.lookup import active_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

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
        if first and not _forfeited_before(session, match, version):
            _notify_of_first_fault(session, version, match, record, now)
        why = _too_many(version.rated_matches, version.rated_bouts, version.forfeits, settings)
        if why:
            _suspend(session, version, why + _kinds(session, version), now)


def forfeiters(session: Session, season: Season, *, settings: Settings) -> list[tuple[int, str]]:
    """Returns the numbers of the entries with too many forfeits in a season, with the reasons,
    which also tell a version's own faults from the bouts that it was excluded from.

    Only the season's own matches count, so that the same results always lead to the same season.
    For a reinstated version, only matches scheduled since then count.
    """
    forfeited = _forfeited(session, season)
    return [
        (entry.id, why + _kinds(session, version))
        for entry in season.entries
        if (version := entry.version) is not None
        and not entry.out
        and entry.bot.owner.role != Role.HOUSE
        and (why := _too_many(*forfeited.get(version.id, (0, 0, 0)), settings))
    ]


def _forfeited(session: Session, season: Season) -> dict[int, tuple[int, int, int]]:
    """The numbers of matches, bouts and forfeited bouts, by the version's row number."""
    seats = season.league.seats
    rotations: Any = seats
    if is_cooperative(season.league.game):  # A team of copies plays each deal once.
        rotations = case((func.count() == seats, 1), else_=seats)
    played = (Match.state == MatchState.FINISHED, *season_progress.unreplaced_matches(season))
    own = (
        select(
            MatchSeat.version_id,
            (Match.deal_count * rotations).label("bouts"),
            func.sum(MatchSeat.forfeits).label("forfeits"),
        )
        .join(MatchSeat.match)
        .join(MatchSeat.version)
        .where(*played, Match.created_at >= func.coalesce(Version.counted_from, 0))
        .group_by(MatchSeat.version_id, Match.id, Match.deal_count)
        .subquery()
    )
    sums = (func.count(), func.sum(own.c.bouts), func.sum(own.c.forfeits))
    query = select(own.c.version_id, *sums).group_by(own.c.version_id)
    return {
        version: (matches, int(bouts), int(lost or 0))
        for version, matches, bouts, lost in session.execute(query)
    }


def subtract_counts(match: Match) -> None:
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


def _forfeited_before(session: Session, match: Match, version: Version) -> bool:
    """Whether the version forfeited a bout of another ranked or season match, also of a void one.

    Its counts do not say so: they begin anew when it is reinstated.
    """
    own = (MatchSeat.version_id == version.id, MatchSeat.forfeits > 0)
    other = (Match.id != match.id, Match.comparison_id.is_(None))
    query = select(MatchSeat.match_id).join(MatchSeat.match).where(*own, *other)
    return session.scalar(query.limit(1)) is not None


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


def _kinds(session: Session, version: Version) -> str:
    """The end of that reason: the version's faults by kind, if it lost bouts because of others.

    The counts are not those of the forfeits: they have the faults of all its matches, also of
    comparisons, and begin with an hour.
    """
    kinds = fault_counts.kinds(session, version)
    if EXCLUDED not in kinds:
        return ""
    own = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if kind != EXCLUDED)
    return (
        f" (faults of the last days: {own}; {kinds[EXCLUDED]} bouts were lost because a bot is out "
        "of a match after three faults)"
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

    Between two rounds, `leavers` in `rounds.py` decides whether it also leaves a season.
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


def take_out(session: Session, entry: Entry, why: str, *, now: int) -> None:
    """Takes an entrant out of its season for its forfeits, between two rounds."""
    season, bot, version = entry.season, entry.bot, entry.version
    assert version is not None
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
