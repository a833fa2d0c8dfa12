"""Writes a season that is over into an archive."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final

from sqlalchemy import or_, select
from sqlalchemy.orm import defer, joinedload, selectinload

from matchbox.errors import BadOption, Conflict, Forbidden, quoted
from matchbox.league import archive
from matchbox.league import archive_layout as layout
from matchbox.league.format import write
from matchbox.match import record as records
from server.db.models import (
    OVER,
    Bot,
    Bundle,
    Entry,
    Lesson,
    LessonState,
    Match,
    MatchSeat,
    MatchState,
    Memory,
    Result,
    Role,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
)
from server.db.session import in_parts
from server.services import divisions, season_progress, standings
from server.services.kept_records import season_removal_note
from server.services.lookup import find_season
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

BUNDLES: Final = ("mine", "allowed", "all")
"""The choices for the files and memories in an archive: those of the viewer; also those of shipped
bots and of owners who share theirs; or everybody's."""
BEFORE: Final = 4
"""The method of a stored standing that names none."""
_QUERY_CHUNK: Final = 200
"""The number of matches that are read with one statement."""


def may_be_archived(session: Session, viewer: User | None, name: int | str, bundles: str) -> Season:
    """Returns the season if this viewer may have its archive.

    Raises NotFound; BadOption if `bundles` is unknown; Conflict while the season, or for the first
    division another one, is not over, or after its records were removed; and Forbidden if a viewer
    who is not an operator asks for everybody's bundles.
    """
    season = find_season(session, name, viewer)
    if bundles not in BUNDLES:
        raise BadOption(f"bundles must be one of {', '.join(BUNDLES)}, not {quoted(bundles)}")
    if bundles == "all" and (viewer is None or not viewer.operator):
        raise Forbidden("everybody's bundles are for operators; ask for mine, or allowed")
    if season.state not in OVER:
        raise Conflict(
            f"season {season.name} is {season.state}; it can be exported once it is over"
        )
    going_on = sum(one.state not in OVER for one in divisions.divisions_of(session, season))
    if divisions.hides_deals(season, going_on):
        raise Conflict(
            f"the seed of season {season.name} gives the deals of all divisions of its edition; it "
            "can be exported once these are over"
        )
    if why := season_removal_note(session, season):
        raise Conflict(f"{why}, so it can no longer be exported")
    return season


def write_archive(
    session: Session, viewer: User | None, name: int | str, bundles: str, file: IO[bytes]
) -> str:
    """Writes the season's archive into the file, and returns the season's name.

    Raises the errors of `may_be_archived`.
    """
    season = may_be_archived(session, viewer, name, bundles)
    entries = [entry for entry in season.entries if entry.version is not None]
    given = [
        entry.version
        for entry in entries
        if entry.version is not None and _may(entry.bot, bundles, viewer)
    ]
    lessons = _lessons(session, season, given)
    archive.write(
        file,
        layout.SeasonFile(
            season=_season(session, season),
            entrants=[_entrant(entry) for entry in entries],
            lessons=[_taught(lesson) for lesson in lessons],
            standing=_standing(session, season),
        ),
        _matches(session, season, {match for lesson in lessons for match, _ in lesson.played}),
        _bundles(session, {version.digest for version in given}),
        _memories(session, season, given, lessons),
    )
    return season.name


def _may(bot: Bot, bundles: str, viewer: User | None) -> bool:
    owner = bot.owner
    if bundles == "all" or (viewer is not None and owner.id == viewer.id):
        return True
    return bundles == "allowed" and (owner.shares or owner.role == Role.HOUSE)


def _season(session: Session, row: Season) -> layout.ArchivedSeason:
    league = row.league
    rules, options = _rules_of(session, row)
    return layout.ArchivedSeason(
        name=row.name,
        league=league.name,
        game=league.game,
        rules=rules,
        options=options,
        seats=league.seats,
        deals=row.deals,
        seed=row.seed,
        format=write(season_progress.format_of(row)),
        edition=row.edition,
        division=row.division,
        rounds=row.round,
        state=row.state,
        started_at=iso(row.started_at),
        finished_at=iso(row.finished_at),
    )


def _rules_of(session: Session, row: Season) -> tuple[str, dict[str, Any]]:
    """The rules and options of the season's matches; its league may have newer ones by now."""
    results = select(Result.record).join(Result.match).where(Match.season_id == row.id)
    first = session.scalar(results.order_by(Match.number).limit(1))
    if first is None:
        return row.league.rules, row.league.options
    record = records.unpack(first)
    return record.rules, record.options


def _entrant(entry: Entry) -> layout.ArchivedEntrant:
    version = entry.version
    assert version is not None
    return layout.ArchivedEntrant(
        name=version.entrant,
        version=version.digest,
        class_name=version.class_name or None,
        out=entry.out,
    )


def _taught(lesson: Lesson) -> layout.ArchivedLesson:
    return layout.ArchivedLesson(
        entrant=lesson.version.entrant,
        round=lesson.round,
        played=dict(lesson.played),
        before=lesson.before,
        after=lesson.after,
        fault=lesson.fault,
    )


def _standing(session: Session, season: Season) -> layout.ArchivedStanding:
    """Returns the stored standing of a finished season.

    Computes it anew if the season was cancelled, if it is marked to be computed again, or if an
    account was deleted since then: its bots have other names now, and names are part of the digest.
    """
    kept = session.get(Standing, standings.scope_of(season))
    found: Standing | standings.ComputedStanding
    if (
        kept is None
        or season.state != SeasonState.FINISHED
        or "settings" not in kept.facts
        or standings.is_marked(kept)
        or _renamed_since(session, season, kept.computed_at)
    ):
        found = standings.compute(session, standings.scope_of(season))
    else:
        found = kept
    return layout.ArchivedStanding(
        digest=found.rows_digest,
        settings=layout.StandingSettings(**found.facts["settings"]),
        lines=[
            {name: value for name, value in line.items() if name != "version_id"}
            for line in found.lines
        ],
        method=found.facts.get("method", BEFORE),
    )


def _renamed_since(session: Session, season: Season, at: int) -> bool:
    """Whether an entrant's owner has deleted the account since that time."""
    owners = select(Entry.id).join(Entry.bot).join(Bot.owner)
    deleted = owners.where(Entry.season_id == season.id, User.deleted_at >= at)
    return session.scalar(deleted.limit(1)) is not None


def _lessons(session: Session, season: Season, given: Sequence[Version]) -> Sequence[Lesson]:
    """The lessons of these versions, without those of versions that do not learn. But a bot may
    have learned once, and later not."""
    learned = or_(Version.learns.is_not(False), Lesson.after.is_distinct_from(Lesson.before))
    query = (
        select(Lesson)
        .join(Lesson.version)
        .where(Lesson.season_id == season.id, Lesson.state != LessonState.WAITING)
        .where(Lesson.version_id.in_([one.id for one in given]), learned)
        .order_by(Lesson.round, Lesson.version_id)
        .options(defer(Lesson.log))
    )
    return session.scalars(query).all()


def _matches(
    session: Session, season: Season, learned: Collection[str]
) -> Iterator[tuple[layout.ArchivedMatch, bytes]]:
    """Yields the records of the finished matches, and of void ones that bots have learned from."""
    names: dict[int, str] = {}
    over = (Match.season_id == season.id, Match.state.in_((MatchState.FINISHED, MatchState.VOID)))
    query = select(Match.id, Match.state).join(Match.result).where(*over).order_by(Match.number)
    ids = [
        match
        for match, state in session.execute(query)
        if state == MatchState.FINISHED or match in learned
    ]
    whole = (
        joinedload(Match.result).load_only(Result.digest, Result.record, Result.bouts),
        selectinload(Match.seats)
        .joinedload(MatchSeat.version)
        .options(defer(Version.report), joinedload(Version.bot)),
    )
    for part in in_parts(ids, _QUERY_CHUNK):
        some = select(Match).where(Match.id.in_(part)).options(*whole)
        for row in session.scalars(some.order_by(Match.number)):
            assert row.result is not None
            yield _played(row, names), row.result.record
            session.expunge(row.result)


def _played(row: Match, names: dict[int, str]) -> layout.ArchivedMatch:
    for seat in row.seats:
        if seat.version_id not in names:
            names[seat.version_id] = seat.version.entrant
    assert row.result is not None
    return layout.ArchivedMatch(
        match=row.id,
        number=row.number,
        round=row.round,
        state="finished" if row.state == MatchState.FINISHED else "void",
        digest=row.result.digest,
        seats=[names[seat.version_id] for seat in row.seats],
        bouts=row.result.bouts,
    )


def _bundles(session: Session, digests: Collection[str]) -> Iterator[bytes]:
    for digest in sorted(digests):
        yield session.get_one(Bundle, digest).data


def _memories(
    session: Session, season: Season, given: Sequence[Version], lessons: Sequence[Lesson]
) -> Iterator[bytes]:
    """Yields the memories that the given versions used in the season's matches or lessons."""
    used = (
        select(MatchSeat.memory)
        .join(Match, Match.id == MatchSeat.match_id)
        .where(Match.season_id == season.id, MatchSeat.memory.is_not(None))
        .where(MatchSeat.version_id.in_([one.id for one in given]))
    )
    digests = set(session.scalars(used.distinct()))
    digests |= {memory for one in lessons for memory in (one.before, one.after)}
    for digest in sorted(filter(None, digests)):
        yield session.get_one(Memory, digest).data
