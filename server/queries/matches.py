"""Matches: their status and entrants at any time, the rest once the embargo is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypedDict

from sqlalchemy import Select, func, select, tuple_

from matchbox import registry
from matchbox.answers import matches as answers
from matchbox.errors import BadOption, NotFound, quoted
from matchbox.match import record as records
from matchbox.match import replay
from matchbox.match.record import Bout, Record
from server.db.models import (
    UNFINISHED,
    WAITING,
    Bot,
    League,
    Match,
    MatchSeat,
    MatchState,
    Result,
    User,
    Version,
    VersionState,
)
from server.queries import match_lines
from server.queries.match_filters import MatchFilters
from server.queries.pagination import numbers, page_size, sees, split
from server.services import kept_records, walls
from server.services.embargo import embargoed_matches, reason
from server.services.kept_records import removal_note
from server.services.lookup import find_match, whole_id
from server.services.tryouts import TRY_OUT
from server.times import iso

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


_ORDER: Final = (Match.created_at, Match.number, Match.id)
_SEAT_ORDER: Final = (MatchSeat.created_at, MatchSeat.number, MatchSeat.match_id)

_UNFINISHED: Final = (
    select(Match.state, func.count()).where(Match.state.in_(UNFINISHED)).group_by(Match.state)
)
_PLAYING: Final = select(func.count(Match.arena.distinct())).where(
    Match.state == MatchState.RUNNING
)
"""Counts the arenas that hold a match: each plays one at a time, and one whose box does not start
holds several in turn."""
_OLDEST: Final = select(func.min(Match.created_at)).where(Match.state == MatchState.QUEUED)
_WAITING: Final = (
    select(Version.state, func.count()).where(Version.state.in_(WAITING)).group_by(Version.state)
)
_PARKED: Final = select(func.count()).where(TRY_OUT.parked)


def matches(
    session: Session,
    *,
    game: str | None = None,
    bot: str | None = None,
    season: int | None = None,
    comparison: int | None = None,
    state: str | None = None,
    opponent: str | None = None,
    version: int | None = None,
    result: str | None = None,
    fault: bool = False,
    rated: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> answers.Matches:
    """Returns a page of matches, newest first; `bot` and `opponent` are owner/name.

    The arguments from `opponent` to `rated` are the filters of `match_filters.MatchFilters`. Raises
    BadOption.
    """
    filters = MatchFilters(bot, opponent, version, result, fault, rated)
    every: Any = select(*_ORDER)
    query = filters.narrow(_filtered(every, season, state))
    if comparison is not None:
        query = query.where(Match.comparison_id == comparison)
    parts, order = _parts(session, query, game, filters)
    if cursor is not None:
        name = cursor.rpartition(".")[2]
        before = numbers(cursor.removesuffix(f".{name}"), 2)
        parts = [one.where(tuple_(*order) < tuple_(*before, name)) for one in parts]
    newest = _newest(session, parts, order, page_size(limit) + 1)
    found = match_lines.rows_of(session, [name for *_, name in newest])
    shown, following = split(found, limit, lambda one: f"{one.created_at}.{one.number}.{one.id}")
    hidden = embargoed_matches(session, [one.id for one in shown])
    items = match_lines.lines_of(session, shown, hidden)
    return answers.Matches(items=items, next=following)


def match(session: Session, viewer: User | None, name: str) -> answers.Match:
    """Returns the match with that id or those first digits, without its record. Raises NotFound."""
    row = find_match(session, name)
    why = reason(session, row)
    gone = removal_note(row.result, row.id)
    own = _own_seats(session, viewer, row)
    same_rules = row.rules == row.league.rules
    played = _Played(options=row.league.options if same_rules else None)
    if why is None and row.result is not None:
        played |= _played(row, row.result, own, viewer)
    hidden = [] if why is None else [row.id]
    (line,) = match_lines.lines_of(session, match_lines.rows_of(session, [row.id]), hidden)
    return answers.Match(
        **vars(line),
        attempt=row.attempt,
        rules=row.rules,
        width=row.width,
        trouble=row.trouble if viewer is not None and viewer.operator else None,
        embargo=why or (gone and f"{gone}; its result stays"),
        void_why=row.void_why,
        replaces=row.replaces,
        replaced_by=session.scalar(select(Match.id).where(Match.replaces == row.id)),
        mine=bool(own),
        **played,
    )


def record_of(session: Session, name: str) -> Record:
    """Returns the match's record. Raises NotFound, or Forbidden with the reason for the embargo."""
    return kept_records.record_of(session, whole_id(session, name))


def steps(session: Session, name: str, bout: int, seat: int | None = None) -> answers.Steps:
    """Returns a bout step by step, as `seat` saw it; None is a spectator, EVERYBODY sees all hands.

    Raises NotFound, Forbidden or BadRecord.
    """
    record = record_of(session, name)
    if not 0 <= bout < len(record.bouts):
        raise NotFound(
            f"match {name} has no bout {bout}; its bouts are 0 to {len(record.bouts) - 1}"
        )
    if seat is not None and not answers.EVERYBODY <= seat < len(record.seats):
        raise NotFound(
            f"match {name} has no seat {seat}; its seats are 0 to {len(record.seats) - 1}"
        )
    return steps_of(record, bout, seat)


def steps_of(
    record: Record, bout: int = 0, seat: int | None = None, *, unfinished: bool = False
) -> answers.Steps:
    """Returns a bout of a record step by step, as `seat` saw it; None is a spectator.

    A bout that is `unfinished` ends where its moves end. Raises BadRecord if it does not replay, as
    it may if it was played by other rules than those of today.
    """
    shown: list[answers.Step] = []
    made: replay.Step | None = None
    played, game = record.bouts[bout], registry.game(record.game)
    with registry.raising_bad_game(), replay.raising_bad_record(game, record):
        for step in replay.steps(game, record, played, unfinished=unfinished):
            shown.append(_step(made, _view(step, seat)))
            made = step
    shown.append(_step(made, shown[-1].view))
    return answers.Steps(bout=_bout(played, len(record.seats)), steps=shown)


def _step(made: replay.Step | None, view: Any) -> answers.Step:
    """Returns the move that was made, with the view after it; without a move, the start."""
    if made is None:
        return answers.Step(seat=None, text="", move=None, view=view)
    kind = made.fault.kind if made.fault else None
    return answers.Step(seat=made.seat, text=made.line, move=made.move, view=view, fault=kind)


def _view(step: replay.Step, seat: int | None) -> Any:
    if seat == answers.EVERYBODY:
        return step.opened
    return step.table if seat is None else step.views[seat]


def queue(session: Session, *, now: int) -> answers.Queue:
    """Returns the numbers of unfinished matches and try-outs."""
    counts = dict(session.execute(_UNFINISHED).all())
    versions = dict(session.execute(_WAITING).all())
    return answers.Queue(
        queued=counts.get(MatchState.QUEUED, 0),
        running=counts.get(MatchState.RUNNING, 0),
        parked=counts.get(MatchState.PARKED, 0),
        pending_versions=versions.get(VersionState.PENDING, 0),
        parked_versions=session.scalar(_PARKED) or 0,
        quarantined_versions=versions.get(VersionState.QUARANTINED, 0),
        oldest_queued_at=iso(session.scalar(_OLDEST)),
        silent=not walls.reporting_arenas(session, now=now),
        playing=session.scalar(_PLAYING) or 0,
    )


def _filtered(query: Select[Any], season: int | None, state: str | None) -> Select[Any]:
    if season is not None:
        query = query.where(Match.season_id == season)
    if state is not None:
        if state not in set(MatchState):
            states = ", ".join(MatchState)
            raise BadOption(f"there is no state {quoted(state)}; the states: {states}")
        query = query.where(Match.state == state)
    return query


def _parts(
    session: Session, query: Any, game: str | None, filters: MatchFilters
) -> tuple[list[Select[Any]], tuple[Any, ...]]:
    """Returns the query in parts, by league or by seats, and the columns by which rows are ordered.

    An index has the rows of each part in that order, so only the newest of them are read.
    """
    leagues = None
    if game is not None:
        leagues = session.scalars(select(League.id).where(League.game == game)).all()
    seats = filters.seats(session)
    if seats is not None:
        query = query.join(MatchSeat, MatchSeat.match_id == Match.id)
        if leagues is not None:
            of_game = (Match.league_id + 0).in_(leagues)  # + 0: SQLite uses the seats' index
            query = query.where(of_game)
        once = query.with_only_columns(*_SEAT_ORDER).distinct()
        return [once.where(one) for one in seats], _SEAT_ORDER
    if leagues is not None:
        return [query.where(Match.league_id == one) for one in leagues], _ORDER
    return [query], _ORDER


def _newest(
    session: Session, parts: list[Select[Any]], order: tuple[Any, ...], wanted: int
) -> list[tuple[Any, ...]]:
    """Returns the columns `order` of the newest rows of all parts, at most `wanted`, newest first.

    A game may have hundreds of leagues, and each is a part: so of later parts only rows are read
    that are newer than those found so far.
    """
    found: list[tuple[Any, ...]] = []
    for part in parts:
        if len(found) == wanted:
            part = part.where(tuple_(*order) > tuple_(*found[-1]))
        newest = part.order_by(*(column.desc() for column in order)).limit(wanted)
        rows = {tuple(row) for row in session.execute(newest)}
        found = sorted(rows.union(found), reverse=True)[:wanted]
    return found


def _own_seats(session: Session, viewer: User | None, row: Match) -> set[int]:
    """Returns the seats whose details the viewer may see; an operator sees all."""
    if viewer is None:
        return set()
    query = select(MatchSeat.seat, Bot.owner_id).join(MatchSeat.version).join(Version.bot)
    seats = session.execute(query.where(MatchSeat.match_id == row.id))
    return {seat for seat, owner in seats if sees(viewer, owner)}


class _Played(TypedDict, total=False):
    """The fields of a Match that may be shown after it was played, and its options: those of its
    record. Without one, they are the league's, or unknown if the league has other rules by now."""

    digest: str
    options: dict[str, Any] | None
    deals: list[str]
    arena: str | None
    box: str
    seconds: float
    python: str
    libraries: dict[str, str]
    bouts: list[answers.Bout]


def _played(row: Match, result: Result, own: set[int], viewer: User | None) -> _Played:
    """Returns what may be shown of the result; without its record, less."""
    details = {
        (who, deal, rotation, kind): detail
        for who, deal, rotation, kind, detail in result.notes
        if who in own
    }
    if result.record_days is not None:
        return {"digest": result.digest, "box": result.box, "seconds": result.seconds}
    record = records.unpack(result.record)
    trusted = viewer is not None and viewer.operator
    return {
        "digest": result.digest,
        "options": record.options,
        "deals": record.deals,
        "arena": row.arena and (row.arena if trusted else row.arena.partition("@")[0]),
        "box": result.box,
        "seconds": result.seconds,
        "python": record.python,
        "libraries": record.libraries,
        "bouts": [_bout(bout, len(record.seats), details) for bout in record.bouts],
    }


def _bout(
    bout: Bout, seats: int, details: dict[tuple[int, int, int, str], str] | None = None
) -> answers.Bout:
    table = [records.entrant(seat, bout.rotation, seats) for seat in range(seats)]
    known = details or {}
    return answers.Bout(
        deal=bout.deal,
        rotation=bout.rotation,
        places=bout.places,
        scores=bout.scores,
        why=bout.why,
        seats=table,
        moves=len(bout.moves),
        faults=[
            answers.Fault(
                step=one.step,
                seat=one.seat,
                kind=one.kind,
                detail=known.get((table[one.seat], bout.deal, bout.rotation, one.kind)),
            )
            for one in bout.faults
        ],
    )
