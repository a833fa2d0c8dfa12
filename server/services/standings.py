"""Computes the standings of leagues and seasons with matchbox.league, and caches them as rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import blake2b
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import or_, select, update
from sqlalchemy.orm import joinedload

from matchbox import registry
from matchbox.answers import standings as answers
from matchbox.errors import MatchboxError, NotFound
from matchbox.league.line import Line
from matchbox.league.standings import METHOD, standing_of
from server.db.models import (
    UNDER_WAY,
    Bot,
    Entry,
    League,
    Match,
    MatchSeat,
    MatchState,
    Season,
    Standing,
    Version,
)
from server.db.session import count_rows, in_parts
from server.services import board_counts, fields, history, ratings, season_progress
from server.services.events import publish
from server.services.leagues import active_in
from server.services.pair_counts import PairCountCache
from server.times import has_passed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ColumnExpressionArgument
    from sqlalchemy.orm import Session

    from matchbox.league.line import By
    from matchbox.league.transitivity import LackOfFit, Upset

DEBOUNCE_MS: Final = 3_000
"""The least time in ms between two computations of a standing; the next two constants add to it."""
LINE_MS: Final = 5
"""How many ms each line of the standing adds to that time."""
MATCHES_PER_MS: Final = 20
"""How many matches add one ms: the more a standing counts, the less one match can change."""
UPSETS: Final = 5
"""How many upsets of a standing are stored."""
_MARK: Final = "marked:"
"""`Standing.field` begins with it while the standing is to be computed again."""
_QUERY_CHUNK: Final = 1000
"""The number of versions that are read with one query."""
ROUNDS: Final = "rounds"
"""The fact that tells of how many of a season's first rounds the standing has all results."""
OUT: Final = "disqualified"
"""The matches of a disqualified entrant do not count. A suspended one keeps its place."""


@dataclass(frozen=True, slots=True)
class ComputedStanding:
    """A standing that was computed and is not stored yet."""

    scope: str
    rows_digest: str
    lines: list[dict[str, Any]]
    """The fields of each matchbox.league.line.Line that is shown, and `version_id`."""
    matches: int
    field: str
    league_id: int | None
    """The league whose live ratings are set by this standing; None for a season."""
    seats: int
    fitted: Mapping[int, tuple[float, float]]
    """Elo and the half-width of its interval for each rated line, by the version's row number."""
    facts: dict[str, Any]
    """The value of Standing.facts."""
    counts: bytes
    """The counts behind the figures of its pages, packed by `board_counts`."""


def scope_of(what: League | Season) -> str:
    """Returns the key under which a standing is stored: league:<id> or season:<id>."""
    return f"{'league' if isinstance(what, League) else 'season'}:{what.id}"


def refresh(session: Session, scope: str, *, now: int) -> Standing:
    """Computes the scope's standing now, and stores and returns it. Raises NotFound."""
    return store(session, compute(session, scope), now=now)


def mark(session: Session, subject: League | Season) -> None:
    """Marks the stored standing to be computed again soon, even that of a finished season.

    Each mark is another one, so whoever is computing the standing now stores nothing.
    """
    marked = update(Standing).where(Standing.scope == scope_of(subject))
    session.execute(marked.values(field=_MARK + token_hex(8)))


def is_marked(standing: Standing) -> bool:
    """Whether the standing is to be computed again."""
    return standing.field.startswith(_MARK)


def compute(
    session: Session, scope: str, pair_counts: PairCountCache | None = None
) -> ComputedStanding:
    """Computes the scope's standing, without storing it.

    With `pair_counts` it reads only the rows of matches that are not counted there yet. The
    standing is the same to the bit. Raises NotFound.
    """
    subject = _subject(session, scope)
    league = subject if isinstance(subject, League) else subject.league
    shown = _shown(session, subject)
    cooperative, balanced = _nature(session, subject, league.game)
    how = {"seat_term": not balanced, "cooperative": cooperative}
    found = (pair_counts or PairCountCache()).of(session, scope, *_which(subject), **how)
    versions = {**found.versions, **shown}
    settings: dict[str, Any] = {
        "entrants": sorted(shown),
        "listed": sorted(shown),
        "parents": _parents(session, versions),
        **how,
    }
    whole = standing_of(found.counts, before=_before(session, subject), **settings)
    lack = _lack(session, whole.lack, versions)
    facts: dict[str, Any] = {
        "by": whole.by,
        "deals": whole.deals,
        "lack": lack.plain() if lack else None,
        "upsets": [one.plain() for one in _upsets(session, whole.upsets, versions)],
        "method": METHOD,
        "settings": settings,
    }
    if isinstance(subject, Season):
        facts[ROUNDS] = season_progress.rounds_over(session, subject)
    return ComputedStanding(
        scope=scope,
        rows_digest=whole.digest,
        lines=[{**asdict(line), "version_id": versions[line.bot]} for line in whole.lines],
        matches=len(found.counts.matches),
        field=_field_digest(shown),
        league_id=league.id if isinstance(subject, League) else None,
        seats=league.seats,
        fitted=_fitted(whole.lines, versions),
        facts=facts,
        counts=board_counts.pack(found.counts, found.lengths, versions, shown),
    )


def store(session: Session, fresh: ComputedStanding, *, now: int) -> Standing:
    """Stores a computed standing in place of the last one, and sets a league's live ratings."""
    row = session.get(Standing, fresh.scope)
    if row is None:
        row = Standing(scope=fresh.scope)
        session.add(row)
    row.rows_digest, row.field = fresh.rows_digest, fresh.field
    row.lines, row.matches, row.computed_at = fresh.lines, fresh.matches, now
    row.facts = fresh.facts
    board_counts.store(session, fresh.scope, fresh.rows_digest, fresh.counts)
    if fresh.league_id is not None:
        ratings.refit(session, fresh.league_id, fresh.fitted, fresh.seats)
        history.note(session, fresh.league_id, fresh.lines, now=now)
    publish(session, "standing.refreshed", fresh.scope, now=now)
    session.flush()
    return row


def differences(before: Standing, fresh: ComputedStanding) -> dict[str, Any]:
    """Returns the differences between a stored standing and one that was just computed, each before
    and after.

    `method` is the version of the computation: after a change of it, the same rows may give other
    figures. `ranks` holds the ranks of the bots that changed them, by their version's row number.
    """
    old = {"method": before.facts.get("method"), "by": before.facts.get("by")}
    new = {"method": fresh.facts["method"], "by": fresh.facts["by"]}
    pairs: dict[str, Any] = {name: [old[name], new[name]] for name in old if old[name] != new[name]}
    if before.matches != fresh.matches:
        pairs["matches"] = [before.matches, fresh.matches]
    was = {line["version_id"]: line["rank"] for line in before.lines}
    now = {line["version_id"]: line["rank"] for line in fresh.lines}
    ranks = {
        str(one): [was.get(one), now.get(one)]
        for one in sorted(was.keys() | now.keys())
        if was.get(one) != now.get(one)
    }
    return {**pairs, "ranks": ranks}


def open_scopes(session: Session) -> list[str]:
    """Returns the scopes whose standing may still change: those of continuous leagues, of seasons
    under way, and of marked seasons."""
    return [scope_of(one) for one in _open(session)]


def stale(session: Session, *, now: int) -> list[str]:
    """Returns the scopes whose standing is out of date, and may be computed again now."""
    return [scope_of(one) for one in _open(session) if _lags(session, one, now)]


def is_stale(session: Session, scope: str, *, now: int) -> bool:
    """Whether this scope's standing is out of date, and may be computed now. Raises NotFound."""
    return _lags(session, _subject(session, scope), now)


def _open(session: Session) -> list[League | Season]:
    leagues = session.scalars(select(League).where(League.continuous.is_(True))).all()
    marked = session.scalars(select(Standing.scope).where(Standing.field.startswith(_MARK)))
    ids = [int(scope.removeprefix("season:")) for scope in marked if scope.startswith("season:")]
    open_or_marked = or_(Season.state.in_(UNDER_WAY), Season.id.in_(ids))
    seasons = session.scalars(select(Season).where(open_or_marked).order_by(Season.id)).all()
    return [*leagues, *seasons]


def _lags(session: Session, subject: League | Season, now: int) -> bool:
    row = session.get(Standing, scope_of(subject))
    if row is None:
        return True
    rest = DEBOUNCE_MS + LINE_MS * len(row.lines) + row.matches // MATCHES_PER_MS
    if not has_passed(rest, row.computed_at, now):
        return False
    finished = count_rows(session, Match, Match.state == MatchState.FINISHED, *_which(subject))
    return finished != row.matches or _field_digest(_shown(session, subject)) != row.field


def _subject(session: Session, scope: str) -> League | Season:
    kind, _, number = scope.partition(":")
    row = int(number) if number.isdecimal() else 0
    found = session.get(League, row) if kind == "league" else session.get(Season, row)
    if found is None:
        raise NotFound(f"there is no {scope.replace(':', ' ')}")
    return found


def _which(subject: League | Season) -> tuple[ColumnExpressionArgument[bool], ...]:
    if isinstance(subject, Season):
        out = (
            select(MatchSeat.match_id)
            .join(Entry, Entry.version_id == MatchSeat.version_id)
            .where(Entry.season_id == subject.id, Entry.out == OUT)
        )
        return (Match.season_id == subject.id, Match.id.not_in(out))
    return (Match.league_id == subject.id, Match.is_ranked, Match.rules == subject.rules)


def _shown(session: Session, subject: League | Season) -> dict[str, int]:
    """The row number of each entrant that the standing shows.

    It is called at every tick, so it reads names and loads no objects.
    """
    if isinstance(subject, League):
        query = active_in(subject)
    else:
        inside = (Entry.season_id == subject.id, Entry.out != OUT)
        query = select(Version).join(Entry, Entry.version_id == Version.id).where(*inside)
        query = query.join(Version.bot).join(Bot.owner).order_by(Entry.id)
    return {one.entrant: one.version for one in fields.entrants(session, query)}


def _nature(session: Session, subject: League | Season, game: str) -> tuple[bool, bool]:
    """Whether the game is cooperative, and whether its seats are balanced.

    If the game is no longer installed, the last standing says so.
    """
    try:
        spec = registry.game(game).spec
    except MatchboxError:
        row = session.get(Standing, scope_of(subject))
        last = row.facts.get("settings", {}) if row else {}
        return last.get("cooperative", False), not last.get("seat_term", True)
    return spec.cooperative, spec.balanced


def _before(session: Session, subject: League | Season) -> By | None:
    """The figure that ranked last in a league.

    A season's standing follows from its rows alone, whenever it was computed, so it has none.
    """
    row = session.get(Standing, scope_of(subject)) if isinstance(subject, League) else None
    return row.facts.get("by") if row else None


def _parents(session: Session, versions: Mapping[str, int]) -> dict[str, str]:
    """The previous version of the same bot, for each of these versions that has one among them."""
    query = select(Version.bot_id, Version.number, Version.id)
    rows = [
        row
        for part in in_parts(versions.values(), _QUERY_CHUNK)
        for row in session.execute(query.where(Version.id.in_(part)))
    ]
    names = {number: name for name, number in versions.items()}
    newest: dict[int, str] = {}
    parents: dict[str, str] = {}
    for bot, _, number in sorted(rows):
        if bot in newest:
            parents[names[number]] = newest[bot]
        newest[bot] = names[number]
    return parents


def _lack(
    session: Session, lack: LackOfFit | None, versions: Mapping[str, int]
) -> answers.LackOfFit | None:
    """Returns the test of fit; each pair has the bots' names and their versions' numbers."""
    if lack is None:
        return None
    names = {name for pair in lack.worst for name in (pair.first, pair.second)}
    found = _named(session, names, versions)
    pairs = []
    for pair in lack.worst:
        (first, first_version), (second, second_version) = found[pair.first], found[pair.second]
        pairs.append(
            answers.Surprise(
                first=first,
                first_version=first_version,
                second=second,
                second_version=second_version,
                games=pair.bouts,
                share=pair.share,
                expected=pair.expected,
                z=pair.z,
            )
        )
    return answers.LackOfFit(
        chi_square=lack.chi_square, freedom=lack.freedom, p=lack.p, worst=pairs
    )


def _upsets(
    session: Session, upsets: Sequence[Upset], versions: Mapping[str, int]
) -> list[answers.Upset]:
    """Returns the clearest upsets."""
    clearest = upsets[:UPSETS]
    found = _named(
        session, {name for one in clearest for name in (one.winner, one.loser)}, versions
    )
    return [
        answers.Upset(
            winner=found[one.winner][0], loser=found[one.loser][0], games=one.bouts, share=one.share
        )
        for one in clearest
    ]


def _named(
    session: Session, names: Collection[str], versions: Mapping[str, int]
) -> dict[str, tuple[str, int]]:
    """The bot's full name and the version's number for each of these entrants."""
    query = select(Version).where(Version.id.in_([versions[name] for name in names]))
    with_owner = joinedload(Version.bot).joinedload(Bot.owner)
    return {
        one.entrant: (one.bot.full_name, one.number)
        for one in session.scalars(query.options(with_owner))
    }


def _field_digest(shown: Mapping[str, int]) -> str:
    return blake2b("\n".join(sorted(shown)).encode(), digest_size=32).hexdigest()


def _fitted(lines: Sequence[Line], versions: Mapping[str, int]) -> dict[int, tuple[float, float]]:
    return {
        versions[line.bot]: (line.elo, (line.ci95[1] - line.ci95[0]) / 2)
        for line in lines
        if line.elo is not None and line.ci95 is not None
    }
