"""Notifies the owners of a season's bots of its start, of changed ranks, and of its end.

Reads only the season's state in the database. `Season.announced` stores the last stage for which
notices were sent, so that none is sent twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import selectinload

from server.db.models import (
    OVER,
    UNDER_WAY,
    Bot,
    Entry,
    Match,
    Season,
    SeasonState,
    Standing,
    Version,
)
from server.db.session import compare_and_set
from server.services.notices import MAX_CHARACTERS, notify_accounts
from server.services.season_progress import rounds_over
from server.services.standings import ROUNDS, scope_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

END: Final = -1
START: Final = 1


class Rank(NamedTuple):
    """A version's rank in a standing, and the best and worst rank that it may truly hold."""

    rank: int
    low: int
    high: int


Ranks = dict[int, Rank]
"""The ranks of a standing, by the row number of the version."""


def due(session: Session) -> list[int]:
    """Returns the numbers of the seasons for which notices are due."""
    known = (Season.state.in_((*UNDER_WAY, *OVER)), Season.announced != END)
    seasons = session.scalars(select(Season).where(*known).order_by(Season.id))
    return [season.id for season in seasons if _stage(session, season) != season.announced]


def announce(session: Session, number: int, *, now: int) -> bool:
    """Sends the notices that are due for that season; returns False if none was due."""
    season = session.get_one(Season, number)
    before, stage = season.announced, _stage(session, season)
    if stage == before or not compare_and_set(
        session, season, {"announced": stage}, Season.announced == before
    ):
        return False
    ranks = _ranks(session, season) if season.state != SeasonState.CANCELLED else {}
    if stage == END:
        about = _result(ranks, season.places)
        _notify_each(session, season, "season-end", _end(season), about, now)
    elif before < START:
        _notify_each(
            session, season, "season-start", f"Season {season.name} has begun.", _plays, now
        )
    else:
        _notify_of_ranks(session, season, ranks, stage - START, now)
    return True


def _stage(session: Session, season: Season) -> int:
    """The value of `Season.announced` after all notices that are due now."""
    if season.state in OVER:
        return END
    if season.announced < START:
        return START
    over = rounds_over(session, season)
    told = START + over <= season.announced
    return season.announced if told or not _is_rated(session, season, over) else START + over


def _is_rated(session: Session, season: Season, rounds: int) -> bool:
    """Whether the standing includes all results of the first `rounds` rounds.

    A standing of an older release does not say so; then the time of its computation decides.
    """
    kept = select(Standing.computed_at, Standing.facts).where(Standing.scope == scope_of(season))
    standing = session.execute(kept).one_or_none()
    if standing is None:
        return False
    rated, facts = standing
    if ROUNDS in facts:
        return bool(facts[ROUNDS] >= rounds)
    played = select(func.max(Match.finished_at)).where(Match.season_id == season.id)
    newest = session.scalar(played.where(Match.round < rounds))
    return newest is not None and rated >= newest


def _ranks(session: Session, season: Season) -> Ranks:
    standing = session.get(Standing, scope_of(season))
    lines = standing.lines if standing is not None else []
    return {one["version_id"]: Rank(one["rank"], *one["rank_range"]) for one in lines}


def _notify_of_ranks(session: Session, season: Season, ranks: Ranks, rounds: int, now: int) -> None:
    """Sends a notice for each bot whose rank has changed since the last notices of a round."""
    told: list[tuple[int, str]] = []
    for entry in _entries(session, season):
        rank = ranks.get(entry.version_id or 0)
        if rank is None:
            continue
        before, entry.rank = entry.rank, rank.rank
        if before is not None and before != entry.rank:
            way = "rose" if entry.rank < before else "fell"
            text = (
                f"{entry.bot.full_name} {way} from rank {before} to {_place(rank, ranks)} after "
                f"round {rounds} of season {season.name}."
            )
            told.append((entry.bot.owner_id, text))
    notify_accounts(session, told, "rank-change", f"season:{season.id}", now=now)
    session.flush()


def _notify_each(
    session: Session, season: Season, kind: str, head: str, about: Callable[[Entry], str], now: int
) -> None:
    """Sends each owner one notice: `head`, and a sentence about each of the owner's bots."""
    owned: dict[int, list[Entry]] = {}
    for entry in _entries(session, season):
        owned.setdefault(entry.bot.owner_id, []).append(entry)
    told = [
        (owner, _fitted(head, [*filter(None, map(about, entries))]))
        for owner, entries in owned.items()
    ]
    notify_accounts(session, told, kind, f"season:{season.id}", now=now)


def _fitted(head: str, sentences: Sequence[str]) -> str:
    """The head, and as many of the sentences as fit into a notice; then how many are left out."""
    text = head
    for at, sentence in enumerate(sentences):
        rest = f" And {len(sentences) - at} more: see the page of the season."
        if len(text) + 1 + len(sentence) + len(rest) > MAX_CHARACTERS:
            return text + rest
        text += f" {sentence}"
    return text


def _entries(session: Session, season: Season) -> Sequence[Entry]:
    """Returns the season's entries with their bots, owners and versions."""
    whole = (
        selectinload(Entry.bot).joinedload(Bot.owner),
        selectinload(Entry.version).defer(Version.report),
    )
    entered = select(Entry).where(Entry.season_id == season.id).order_by(Entry.id)
    return session.scalars(entered.options(*whole)).all()


def _plays(entry: Entry) -> str:
    if entry.out:
        return f"{entry.bot.full_name} was {entry.out}."
    version = f"version {entry.version.number}" if entry.version else "no version"
    return f"{entry.bot.full_name} plays with {version}."


def _end(season: Season) -> str:
    over = season.state == SeasonState.FINISHED
    return f"Season {season.name} {'is over' if over else 'was cancelled'}."


def _result(ranks: Ranks, order: Sequence[int]) -> Callable[[Entry], str]:
    """A sentence about each entry; `order` has the versions of a knock-out, best first."""
    places = {one: at for at, one in enumerate((one for one in order if one in ranks), 1)}

    def sentence(entry: Entry) -> str:
        rank, place = ranks.get(entry.version_id or 0), places.get(entry.version_id or 0)
        if place is not None:
            return f"{entry.bot.full_name} came to place {place} of {len(places)}."
        if rank is not None:
            return f"{entry.bot.full_name} came to rank {_place(rank, ranks)}."
        return f"{entry.bot.full_name} was {entry.out}." if entry.out else ""

    return sentence


def _place(rank: Rank, ranks: Ranks) -> str:
    truly = f"{rank.low}" if rank.low == rank.high else f"{rank.low} to {rank.high}"
    return f"{rank.rank} of {len(ranks)} (it may truly be {truly})"
