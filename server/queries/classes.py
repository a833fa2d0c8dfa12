"""The class of a league: its code, and the results of its authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from matchbox.answers.classes import (
    AuthorResult,
    AuthorResults,
    FreshAccount,
    FreshAccounts,
    Invited,
    JoinCode,
    LeagueClass,
    Membership,
)
from matchbox.errors import NotFound
from server.db.models import Bot, Invitation, Role, Season, SeasonState, Standing, User
from server.queries.pagination import title_of
from server.queries.standings import lines_of
from server.services import classes
from server.services.accounts import require_operator
from server.services.lookup import find_league, find_season
from server.services.standings import scope_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from matchbox.answers.standings import BoardLine
    from matchbox.league.line import By
    from server.db.models import League
    from server.services.classes import Fresh

BEGUN: Final = (SeasonState.RUNNING, SeasonState.PAUSED, SeasonState.FINISHED)
"""The states of a season that has a standing."""


def invited(session: Session, code: str) -> Invited:
    """Returns the league that this code joins. Raises NotFound."""
    league = classes.league_of(session, code)
    assert league.join_code is not None
    return Invited(
        league=league.name, game=league.game, title=title_of(league.game), code=league.join_code
    )


def memberships(session: Session, viewer: User) -> list[Membership]:
    """Returns the leagues whose classes the viewer is in, the last joined first."""
    found = classes.leagues_of(session, viewer)
    waiting = (Season.league_id.in_([one.id for one in found]), Season.state == SeasonState.OPEN)
    seasons = session.scalars(select(Season).where(*waiting).order_by(Season.id)).all()
    return [
        Membership(
            league=league.name,
            game=league.game,
            title=title_of(league.game),
            seasons=[one.name for one in seasons if one.league_id == league.id],
        )
        for league in found
    ]


def league_class(session: Session, name: str, viewer: User, *, url: str) -> LeagueClass:
    """Returns the class of the league; `url` is the platform's address.

    Raises Forbidden unless the viewer is an operator, or NotFound.
    """
    require_operator(viewer)
    league = find_league(session, name)
    return LeagueClass(
        league=league.name,
        game=league.game,
        title=title_of(league.game),
        continuous=league.continuous,
        code=join_code(league, url),
        results=_results(session, league, None),
    )


def join_code(league: League, url: str) -> JoinCode:
    """Returns the league's code, with the address of the page for it on the platform at `url`."""
    code = league.join_code
    link = None if code is None else f"{url.rstrip('/')}/join/{code}"
    return JoinCode(league=league.name, code=code, link=link)


def fresh_accounts(league: str, made: Iterable[Fresh]) -> FreshAccounts:
    """Returns the accounts that were just made, with their passwords."""
    items = [FreshAccount(name=one.name, password=one.password, note=one.note) for one in made]
    return FreshAccounts(league=league, items=items)


def author_results(
    session: Session, name: str, viewer: User, season: int | str | None = None
) -> AuthorResults:
    """Returns the results of the league's class, and of everybody else on its board.

    Without a `season`, they come from the board of a continuous league, or from the newest season
    of another league that has begun. Raises Forbidden unless the viewer is an operator, or
    NotFound.
    """
    require_operator(viewer)
    return _results(session, find_league(session, name), season)


def _results(session: Session, league: League, season: int | str | None) -> AuthorResults:
    subject = _season(session, league, season)
    standing = session.get(Standing, scope_of(subject or league))
    lines = lines_of(session, standing) if standing is not None else []
    by: By = standing.facts.get("by", "elo") if standing is not None else "elo"
    people = _people(session, league, {line.owner for line in lines})
    own = {user.name: [one for one in lines if one.owner == user.name] for user, _, _ in people}
    best = sorted(found[0].rank for found in own.values() if found)
    items = [_result(user, bots, joined, own[user.name], best, by) for user, joined, bots in people]
    items.sort(key=lambda one: (one.rank is None, one.rank or 0, one.author))
    name = subject.name if subject is not None else None
    return AuthorResults(league=league.name, season=name, by=by, items=items, next=None)


def _season(session: Session, league: League, name: int | str | None) -> Season | None:
    if name is not None:
        found = find_season(session, name)
        if found.league_id != league.id:
            raise NotFound(f"season {found.name} is not one of league {league.name}")
        return found
    if league.continuous:
        return None
    begun = (Season.league_id == league.id, Season.state.in_(BEGUN))
    newest = (Season.edition.desc(), Season.division)
    return session.scalars(select(Season).where(*begun).order_by(*newest).limit(1)).first()


def _people(session: Session, league: League, on_board: set[str]) -> list[tuple[User, bool, int]]:
    """The members of the class, and the authors of bots on the board. With each: whether the author
    is a member, and the number of bots."""
    joined = select(Invitation.user_id).where(
        Invitation.league_id == league.id, Invitation.joined.is_(True)
    )
    members = set(session.scalars(joined))
    listed = User.id.in_(members) | User.name.in_(on_board)
    users = session.scalars(
        select(User).where(listed, User.role != Role.HOUSE, User.deleted_at.is_(None))
    ).all()
    own = Bot.owner_id.in_([user.id for user in users])
    playing = func.count().filter(Bot.game == league.game, Bot.retired_at.is_(None))
    count = select(Bot.owner_id, playing).where(own).group_by(Bot.owner_id)
    bots = dict(session.execute(count).all())
    return [(user, user.id in members, bots.get(user.id, 0)) for user in users]


def _result(
    user: User, bots: int, joined: bool, lines: Sequence[BoardLine], ranks: list[int], by: By
) -> AuthorResult:
    """The author's result; `lines` are their bots on the board, `ranks` the authors' best ranks."""
    best = lines[0] if lines else None
    return AuthorResult(
        author=user.name,
        joined=joined,
        closed=user.closed_at is not None,
        rank=1 + ranks.index(best.rank) if best is not None else None,
        best_bot=f"{best.owner}/{best.name}" if best is not None else None,
        board_rank=best.rank if best is not None else None,
        score=_score(best, by),
        matches=sum(line.matches for line in lines),
        bots=bots,
        note=user.note,
    )


def _score(line: BoardLine | None, by: By) -> float | None:
    if line is None:
        return None
    return line.elo if by == "elo" else line.score
