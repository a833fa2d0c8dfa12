"""Leagues: the default one of every game, and those that operators make."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, select, update

from matchbox import registry
from matchbox.bundle import check_name
from matchbox.errors import BadName, BadOption, Conflict, MatchboxError
from matchbox.game import check_seats, fill_options
from server.db.models import (
    Bot,
    League,
    Match,
    MatchState,
    Rating,
    Standing,
    Version,
    VersionState,
)
from server.services.accounts import require_operator

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.orm import Session

    from matchbox.game import Game, Spec
    from matchbox.settings import Settings
    from server.db.models import User

TABLE: Final = 2
"""The ranked queue and seasons pair two entrants."""
TEAM: Final = 3
"""In the default league of a cooperative game, so many seats are one bot's."""
MOST_DEALS: Final = 5000


def create(
    session: Session,
    actor: User,
    *,
    name: str,
    game: str,
    options: Mapping[str, object] | None = None,
    seats: int | None = None,
    deals: int | None = None,
    settings: Settings,
    now: int,
) -> League:
    """A league of an operator's own, for seasons.

    Raises Forbidden, BadName, BadOption, UnknownGame, Conflict.
    """
    require_operator(actor)
    if check_name(name) in registry.packages():
        raise BadName(f"{name!r} is the name of a game; its default league bears it")
    if session.scalar(select(League.id).where(League.name == name)) is not None:
        raise Conflict(f"there is a league {name!r} already; choose another name")
    deals = check_deals(settings.match_deals if deals is None else deals)
    league = _new(registry.game(game).spec, name, deals, now)
    league.options = fill_options(registry.game(game).spec, options or {})
    if seats is not None:
        check_seats(registry.game(game).spec, seats)
        league.seats = seats
    session.add(league)
    session.flush()
    return league


def ensure_default_leagues(
    session: Session, games: Iterable[Game], settings: Settings, *, now: int
) -> list[League]:
    """Every game's continuous league; under new rules its rating begins anew."""
    leagues = []
    for spec in (game.spec for game in games):
        league = session.scalar(select(League).where(League.name == spec.name))
        if league is None:
            league = _new(spec, spec.name, settings.match_deals, now)
            league.continuous = True
            session.add(league)
            session.flush()
        elif league.rules != spec.rules:
            _renew(session, league, spec, now)
        leagues.append(league)
    return leagues


def set_paused(session: Session, actor: User, league: League, paused: bool) -> None:
    """Stops or goes on with a continuous league's queue. Raises Forbidden."""
    require_operator(actor)
    session.execute(update(League).where(League.id == league.id).values(paused=paused))


def field_of(session: Session, league: League) -> Sequence[Version]:
    """The versions that play in the league now: the active one of every bot of its game."""
    playing = (Bot.game == league.game, Bot.retired_at.is_(None))
    query = select(Version).join(Bot).where(*playing, Version.state == VersionState.ACTIVE)
    return session.scalars(query.order_by(Version.id)).all()


def is_cooperative(game: str) -> bool:
    """Whether all seats of the game play together; False where it is not installed."""
    try:
        return registry.game(game).spec.cooperative
    except MatchboxError:
        return False


def check_deals(deals: int) -> int:
    """The number of deals of a match. Raises BadOption."""
    if not 1 <= deals <= MOST_DEALS:
        raise BadOption(f"a match has 1 to {MOST_DEALS} deals, not {deals}")
    return deals


def _new(spec: Spec, name: str, deals: int, now: int) -> League:
    return League(
        name=name,
        game=spec.name,
        rules=spec.rules,
        options=fill_options(spec, {}),
        seats=_seats_of(spec),
        deals=deals,
        seed=secrets.token_hex(16),
        created_at=now,
    )


def _seats_of(spec: Spec) -> int:
    wanted = TEAM if spec.cooperative else TABLE
    return wanted if wanted in spec.seats else spec.seats[0]


def _renew(session: Session, league: League, spec: Spec, now: int) -> None:
    """The league under new rules: what waits under the old ones is void, ratings begin anew."""
    league.rules, league.options = spec.rules, fill_options(spec, {})
    waiting = (MatchState.QUEUED, MatchState.RUNNING, MatchState.PARKED)
    old = (Match.league_id == league.id, Match.season_id.is_(None), Match.state.in_(waiting))
    values: dict[str, Any] = {"state": MatchState.VOID, "deadline": None, "finished_at": now}
    session.execute(update(Match).where(*old).values(trouble="the rules changed", **values))
    session.execute(delete(Rating).where(Rating.league_id == league.id))
    session.execute(delete(Standing).where(Standing.scope == f"league:{league.id}"))
    session.flush()
