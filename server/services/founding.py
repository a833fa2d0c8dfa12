"""Makes a season in one step: in an existing league, or for a game, with a new league if needed.

A season needs a league of its own if it has a schedule, or other options, seats or entry rules than
the game's league. A format of its own needs no league.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from matchbox import registry
from matchbox.errors import BadOption, Conflict
from server.db.models import League
from server.services import editions, leagues, seasons
from server.services.accounts import require_operator

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.settings import Settings
    from server.db.models import Season, User
    from server.services.leagues import Fields

LONGEST: Final = 32
"""The most characters of a league's name."""
_OTHERS: Final = re.compile(r"[^a-z0-9]+")


def found(
    session: Session,
    actor: User,
    *,
    name: str | None = None,
    league: str | None = None,
    game: str | None = None,
    options: Fields | None = None,
    seats: int | None = None,
    deals: int | None = None,
    admission: Fields | None = None,
    schedule: Fields | None = None,
    settings: Settings,
    now: int,
    **season: Any,
) -> Season:
    """Makes a season, open or a draft; `season` holds further arguments of `seasons.create`.

    A season without a name gets the one that `editions.next_name` chooses. Raises what
    `leagues.create` and `seasons.create` raise, and BadOption unless exactly one of `league` and
    `game` is given, or if options of a league are given for one that exists.
    """
    require_operator(actor)
    if (league is None) == (game is None):
        raise BadOption("a season belongs either to a league or to a game: name one of the two")
    own = {"options": options, "seats": seats, "admission": admission, "schedule": schedule}
    given = {field: value for field, value in own.items() if value}
    if game is None:
        if given:
            raise BadOption(f"{' and '.join(given)} belong to the league {league}; edit that")
    elif given:
        form = season.get("format")
        league = _free_name(session, game, name, (form or {}).get("kind", "league"))
        knobs: dict[str, Any] = {**given, "deals": deals, "settings": settings, "now": now}
        leagues.create(session, actor, name=league, game=game, format=form, **knobs)
    else:
        registry.package_of(game)
        league = game
    assert league is not None
    name = editions.next_name(session, league) if name is None else name
    return seasons.create(session, actor, name=name, league=league, deals=deals, now=now, **season)


def _free_name(session: Session, game: str, season: str | None, kind: str) -> str:
    """The name of the new league, made from the season's name.

    If that makes no valid name, it is made from the game and the kind of format. Raises Conflict if
    a league of that name exists.
    """
    name = _OTHERS.sub("-", (season or "").lower())[:LONGEST].strip("-")
    if len(name) < 2 or name in registry.packages():
        name = f"{game}-{kind}"[:LONGEST]
    if session.scalar(select(League.id).where(League.name == name)) is not None:
        raise Conflict(
            f"there is a league {name!r} already; make the season of that league, or give it "
            "another name"
        )
    return name
