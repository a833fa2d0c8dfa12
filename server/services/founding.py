"""Makes a season in one step: in an existing league, or for a game, with a new league if needed.

A season needs a league of its own if it has a schedule, or other options, seats or entry rules than
the game's league. A format of its own needs no league.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
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


@dataclass(frozen=True, kw_only=True)
class OwnTerms:
    """The settings with which a season needs a league of its own, named as for `leagues.create`."""

    options: Mapping[str, object] | None = None
    seats: int | None = None
    admission: Given[Admission] | None = None
    schedule: Given[Schedule] | None = None

    @property
    def given(self) -> list[str]:
        """The names of the settings that are given."""
        return [field.name for field in fields(self) if getattr(self, field.name)]


NO_TERMS: Final = OwnTerms()
MAX_NAME: Final = 32
"""The most characters of a league's name."""
_OTHERS: Final = re.compile(r"[^a-z0-9]+")


def found_season(
    session: Session,
    actor: User,
    *,
    name: str | None = None,
    league: str | None = None,
    game: str | None = None,
    own: OwnTerms = NO_TERMS,
    deals: int | None = None,
    cycles: int | None = None,
    seed: str | None = None,
    draft: bool = False,
    format: Given[Format] | None = None,  # noqa: A002 - it is what the season calls it
    settings: Settings,
    now: int,
) -> Season:
    """Makes a season, open or a draft, and a league for it if it needs one.

    A season without a name gets the one that `editions.next_name` chooses. Raises the errors of
    `leagues.create` and `seasons.create`. Raises BadOption unless exactly one of `league` and
    `game` is given, or if settings of a league are given together with an existing league.
    """
    require_operator(actor)
    if (league is None) == (game is None):
        more = ", not both" if game is not None else ""
        raise BadOption(f"name a league or a game{more}")
    if game is None:
        if own.given:
            raise BadOption(f"{' and '.join(own.given)} belong to the league {league}; edit that")
    elif own.given:
        kind = format.fields.get("kind", "league") if format else "league"
        league = _free_name(session, game, name, kind)
        terms = vars(own) | {"deals": deals, "format": format}
        leagues.create(session, actor, name=league, game=game, **terms, settings=settings, now=now)
    else:
        registry.package_of(game)
        league = game
    assert league is not None
    return seasons.create(
        session,
        actor,
        name=editions.next_name(session, league) if name is None else name,
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
    name = _OTHERS.sub("-", (season or "").lower())[:MAX_NAME].strip("-")
    if len(name) < 2 or name in registry.packages():
        name = f"{game}-{kind}"[:MAX_NAME]
    if session.scalar(select(League.id).where(League.name == name)) is not None:
        raise Conflict(
            f"there is a league {name!r} already; make the season of that league, or give it "
            "another name"
        )
    return name
