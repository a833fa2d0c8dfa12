"""Makes a season in one step: in an existing league, or for a game, with a new league if needed.

A season needs a league of its own if it has a schedule, or other options, seats or entry rules than
the game's league. A format of its own needs no league.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from matchbox import registry
from matchbox.errors import BadOption, Conflict
from server.db.models import League
from server.services import editions, leagues, seasons
from server.services.accounts import require_operator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from matchbox.league.format import Admission, Format, Given, Schedule
    from matchbox.settings import Settings
    from server.db.models import Season, User

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
    options: Mapping[str, object] | None = None,
    seats: int | None = None,
    deals: int | None = None,
    cycles: int | None = None,
    seed: str | None = None,
    draft: bool = False,
    format: Given[Format] | None = None,  # noqa: A002 - it is what the season calls it
    admission: Given[Admission] | None = None,
    schedule: Given[Schedule] | None = None,
    settings: Settings,
    now: int,
) -> Season:
    """Makes a season, open or a draft.

    A season without a name gets the one that `editions.next_name` chooses. Raises what
    `leagues.create` and `seasons.create` raise, and BadOption unless exactly one of `league` and
    `game` is given, or if options of a league are given for one that exists.
    """
    require_operator(actor)
    if (league is None) == (game is None):
        raise BadOption("a season belongs either to a league or to a game: name one of the two")
    own = {"options": options, "seats": seats, "admission": admission, "schedule": schedule}
    needed = [field for field, value in own.items() if value]
    if game is None:
        if needed:
            raise BadOption(f"{' and '.join(needed)} belong to the league {league}; edit that")
    elif needed:
        kind = format.fields.get("kind", "league") if format else "league"
        league = _free_name(session, game, name, kind)
        leagues.create(
            session,
            actor,
            name=league,
            game=game,
            options=options,
            seats=seats,
            deals=deals,
            format=format,
            admission=admission,
            schedule=schedule,
            settings=settings,
            now=now,
        )
    else:
        registry.package_of(game)
        league = game
    assert league is not None
    name = editions.next_name(session, league) if name is None else name
    return seasons.create(
        session,
        actor,
        name=name,
        league=league,
        cycles=cycles,
        deals=deals,
        seed=seed,
        format=format,
        draft=draft,
        now=now,
    )


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
