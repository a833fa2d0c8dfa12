"""The class of a league: its code, and the results of its authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload, load_only

from matchbox.answers.classes import (
    AuthorResult,
    AuthorResults,
    FreshAccount,
    FreshAccounts,
    FullSeason,
    Invited,
    JoinCode,
    LeagueClass,
    Membership,
)
from matchbox.errors import NotFound
from server.db.models import (
    Bot,
    Invitation,
    Role,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
    VersionState,
)
from server.queries.pagination import title_of
from server.queries.standings import lines_of
from server.services import admission, classes
from server.services.accounts import require_operator
from server.services.lookup import find_league, find_season
from server.services.standings import scope_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from matchbox.answers.standings import BoardLine
    from matchbox.league.line import By
    from server.db.models import League
    from server.services.classes import NewAccount

DivisionRank: TypeAlias = tuple[int, int]
"""A division, the highest first, and a rank in it."""
BEGUN: Final = (SeasonState.RUNNING, SeasonState.PAUSED, SeasonState.FINISHED)
"""The states of a season that has a standing."""
ACCEPTED: Final = (
    VersionState.ACTIVE,
    VersionState.ACCEPTED,
    VersionState.QUARANTINED,
    VersionState.SUSPENDED,
)
"""The states of a version that has passed a try-out."""


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
    inside = {one.id: admission.places_taken(session, one, viewer) for one in seasons}
    return [
        Membership(
            league=league.name,
            game=league.game,
            title=title_of(league.game),
            seasons=[one.name for one in seasons if one.league_id == league.id],
            full=[
                FullSeason(id=one.id, name=one.name, bots=inside[one.id])
                for one in seasons
                if one.league_id == league.id and inside[one.id]
            ],
        )
        for league in found
    ]


def league_class(session: Session, viewer: User, name: str, *, url: str) -> LeagueClass:
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
        results=_results(session, viewer, league, None),
    )


def join_code(league: League, url: str) -> JoinCode:
    """Returns the league's code, with the address of the page for it on the platform at `url`."""
    code = league.join_code
    link = None if code is None else f"{url.rstrip('/')}/join/{code}"
    return JoinCode(league=league.name, code=code, link=link)


def fresh_accounts(league: str, made: Iterable[NewAccount]) -> FreshAccounts:
    """Returns the accounts that were just made, with their passwords."""
    items = [FreshAccount(name=one.name, password=one.password, note=one.note) for one in made]
    return FreshAccounts(league=league, items=items)


def author_results(
    session: Session, viewer: User, name: str, season: int | str | None = None
) -> AuthorResults:
    """Returns the results of the league's class, and of everybody else on its board.

    Without a `season`, they come from the board of a continuous league, or from the newest season
    of another league that has begun, with all its divisions. Raises Forbidden unless the viewer is
    an operator, or NotFound.
    """
    require_operator(viewer)
    return _results(session, viewer, find_league(session, name), season)


def _results(
    session: Session, viewer: User, league: League, season: int | str | None
) -> AuthorResults:
    subjects = _seasons(session, viewer, league, season)
    scopes = [scope_of(one) for one in subjects] or [scope_of(league)]
    found = [session.get(Standing, scope) for scope in scopes]
    orders = [one.places for one in subjects] or [[]]
    lines = [lines_of(session, one) if one is not None else [] for one in found]
    boards = [_ranked(some, order) for some, order in zip(lines, orders, strict=True)]
    figures: set[By] = {one.facts.get("by", "elo") for one in found if one is not None}
    by: By = figures.pop() if len(figures) == 1 else "elo"  # Every rival has an Elo.
    people = _people(session, league, {line.owner for some in lines for line in some})
    newest = _newest(session, league, [user.id for user, _, _ in people])
    own = {user.name: _placed(boards, user.name) for user, _, _ in people}
    best = sorted(placed[0][0] for placed in own.values() if placed)
    items = [
        _result(user, bots, joined, own[user.name], best, by, newest.get(user.id))
        for user, joined, bots in people
    ]
    items.sort(key=lambda one: (one.rank is None, one.rank or 0, one.author))
    name = subjects[0].name if subjects else None
    return AuthorResults(
        league=league.name, season=name, by=by, items=items, next=None, divisions=len(scopes)
    )


def _ranked(lines: Sequence[BoardLine], order: Sequence[int]) -> list[tuple[int, BoardLine]]:
    """The lines of a board that has matches of them, best first, each with its rank.

    Where a knock-out is over, `order` has its versions, best first, and they rank by that.
    """
    if not order:
        return [(line.rank, line) for line in lines if line.matches]
    final = {version: at for at, version in enumerate(order)}
    ordered = sorted(lines, key=lambda line: final.get(line.version_id, len(order)))
    return list(enumerate(ordered, 1))


def _placed(
    boards: Sequence[Sequence[tuple[int, BoardLine]]], owner: str
) -> list[tuple[DivisionRank, BoardLine]]:
    """The owner's lines, best first, each with its place on these boards of divisions."""
    return [
        ((division, rank), line)
        for division, lines in enumerate(boards)
        for rank, line in lines
        if line.owner == owner
    ]


def _seasons(
    session: Session, viewer: User, league: League, name: int | str | None
) -> Sequence[Season]:
    """The season of that name, or all divisions of the newest edition that has begun, the highest
    first; nothing for the board of a continuous league."""
    if name is not None:
        found = find_season(session, name, viewer)
        if found.league_id != league.id:
            raise NotFound(f"season {found.name} is not one of league {league.name}")
        return [found]
    if league.continuous:
        return []
    begun = (Season.league_id == league.id, Season.state.in_(BEGUN))
    newest = select(func.max(Season.edition)).where(*begun).scalar_subquery()
    divisions = select(Season).where(*begun, Season.edition == newest).order_by(Season.division)
    return session.scalars(divisions).all()


def _people(session: Session, league: League, on_board: set[str]) -> list[tuple[User, bool, int]]:
    """The members of the class, and the authors of bots on the board. With each: whether the author
    is a member, and the number of bots with an accepted version."""
    joined = select(Invitation.user_id).where(
        Invitation.league_id == league.id, Invitation.joined.is_(True)
    )
    members = set(session.scalars(joined))
    listed = User.id.in_(members) | User.name.in_(on_board)
    users = session.scalars(
        select(User).where(listed, User.role != Role.HOUSE, User.deleted_at.is_(None))
    ).all()
    own = Bot.owner_id.in_([user.id for user in users])
    accepted = select(Version.id).where(Version.bot_id == Bot.id, Version.state.in_(ACCEPTED))
    of_game = (Bot.game == league.game, Bot.retired_at.is_(None))
    playing = func.count().filter(*of_game, accepted.exists())
    count = select(Bot.owner_id, playing).where(own).group_by(Bot.owner_id)
    bots = dict(session.execute(count).all())
    return [(user, user.id in members, bots.get(user.id, 0)) for user in users]


def _newest(session: Session, league: League, owners: Sequence[int]) -> dict[int, Version]:
    """The newest upload of each of these authors for the league's game, if there is one."""
    mine = (Bot.owner_id.in_(owners), Bot.game == league.game, Bot.retired_at.is_(None))
    last = select(func.max(Version.id)).join(Version.bot).where(*mine).group_by(Bot.owner_id)
    shown = joinedload(Version.bot).load_only(Bot.name, Bot.owner_id)
    found = select(Version).where(Version.id.in_(last))
    found = found.options(shown, load_only(Version.number, Version.state))
    return {version.bot.owner_id: version for version in session.scalars(found)}


def _result(
    user: User,
    bots: int,
    joined: bool,
    own: Sequence[tuple[DivisionRank, BoardLine]],
    places: Sequence[DivisionRank],
    by: By,
    newest: Version | None,
) -> AuthorResult:
    """The author's result; `own` are the lines of their bots, `places` the authors' best places."""
    place, best = own[0] if own else (None, None)
    return AuthorResult(
        author=user.name,
        joined=joined,
        closed=user.closed_at is not None,
        rank=1 + places.index(place) if place is not None else None,
        best_bot=f"{best.owner}/{best.name}" if best is not None else None,
        board_rank=place[1] if place is not None else None,
        score=_score(best, by),
        matches=sum(line.matches for _, line in own),
        bots=bots,
        note=user.note,
        newest_bot=f"{user.name}/{newest.bot.name}" if newest is not None else None,
        newest_version=newest.number if newest is not None else None,
        newest_state=VersionState(newest.state).value if newest is not None else None,
    )


def _score(line: BoardLine | None, by: By) -> float | None:
    if line is None:
        return None
    return line.elo if by == "elo" else line.score
