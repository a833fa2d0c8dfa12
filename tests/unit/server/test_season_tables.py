"""Seasons of larger tables, at which no owner sits twice, and of teams on the same deals."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest
from sqlalchemy import select

from matchbox.errors import Conflict
from matchbox.league.format import Admission, given
from matchbox.match.record import Bout
from matchbox.match.wire import PlayMatch
from server import queries
from server.db.models import Match, SeasonState, User, Version
from server.services import leagues, rounds
from tests.books import Books, play_out, played, really_played, scripted, season_of


@pytest.fixture
def owners(books: Books) -> list[User]:
    """Four authors."""
    return [books.person(name) for name in ("dora", "emil", "fred", "gina")]


def enter(books: Books, owner: User, game: str, bot: str, checkout: Path) -> Version:
    """Uploads a shipped bot's file for the owner."""
    data = (checkout / "bots" / game / f"{bot}.py").read_bytes()
    return books.bot(owner, f"{owner.name}-{bot}", data, game=game)


def league(books: Books, operator: User, game: str, seats: int) -> None:
    """Makes a league for such tables, beside the game's own, which takes any number of an author's
    bots."""
    books.league(game=game, paused=True)
    any_bots = given(Admission, {"bots": None})
    with books.write() as session:
        knobs = {"settings": books.settings, "now": books.clock(), "admission": any_bots}
        leagues.create(session, operator, name="wide", game=game, seats=seats, deals=1, **knobs)  # type: ignore[arg-type]


def test_a_season_of_three_seats_is_played_to_its_end(
    books: Books, charlie: User, owners: list[User], checkout: Path
) -> None:
    league(books, charlie, "skull", 3)
    bots = [enter(books, owner, "skull", "random", checkout) for owner in owners]
    bots.append(enter(books, owners[0], "skull", "bluffer", checkout))
    season = season_of(books, charlie, bots, league="wide", name="tables")
    with books.read() as session:
        matches = session.scalars(select(Match).where(Match.season_id == season.id)).all()
        tables = [[seat.version for seat in match.seats] for match in matches]
    whose = {bot.id: bot.bot.owner.name for bot in bots}
    assert all(len({whose[one.id] for one in table}) == 3 for table in tables)
    met = {two for table in tables for two in combinations(sorted(one.id for one in table), 2)}
    assert len(met) == 10 - 1, "all have met but the two of one owner"
    play_out(books, lambda jobs: (really_played(books, job) for job in jobs))
    assert books.season(season).state == SeasonState.FINISHED
    with books.read() as session:
        board = queries.season_standings(session, None, season.id)
    assert len(board.lines) == 5
    assert board.matches == len(tables)
    assert sum(line.p_champion or 0 for line in board.lines) == pytest.approx(1)


def test_the_tables_of_a_long_season_are_seated_part_by_part_and_stay_even(
    books: Books, charlie: User, owners: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "MAX_PER_TRANSACTION", 5)
    league(books, charlie, "skull", 3)
    bots = [books.bot(owner, f"{owner.name}-bot", game="skull") for owner in owners]
    season = season_of(books, charlie, bots, league="wide", name="long", format={"cycles": 3})
    assert books.count(Match) == 5

    def by_seat(job: PlayMatch, deal: int, rotation: int) -> Bout:
        return Bout(deal, rotation, ["draw"], [1, 2, 3], [2, 1, 0], "somebody won")

    play_out(books, lambda jobs: (played(job, scripted(job, by_seat)) for job in jobs))
    assert books.season(season).state == SeasonState.FINISHED
    with books.read() as session:
        tables = [[one.version_id for one in row.seats] for row in session.scalars(select(Match))]
    met = Counter(two for table in tables for two in combinations(sorted(table), 2))
    assert (len(tables), set(met.values())) == (12, {6})


def test_in_a_cooperative_season_all_teams_of_a_cycle_play_the_same_deals(
    books: Books, charlie: User, owners: list[User], checkout: Path
) -> None:
    books.league(game="thegame", paused=True)
    shipped = [path.stem for path in (checkout / "bots" / "thegame").glob("[a-z]*.py")][:2]
    bots = [
        enter(books, owner, "thegame", bot, checkout)
        for owner, bot in zip(owners, shipped, strict=False)
    ]
    season = season_of(books, charlie, bots, league="thegame", name="teams", cycles=2, deals=2)
    by_deals: defaultdict[tuple[str, ...], list[set[int]]] = defaultdict(list)
    with books.read() as session:
        for match in session.scalars(select(Match).where(Match.season_id == season.id)):
            deals = tuple(match.deals)
            by_deals[deals].append({seat.version_id for seat in match.seats})
    assert len(by_deals) == 2
    for teams in by_deals.values():
        assert sorted(next(iter(team)) for team in teams) == sorted(bot.id for bot in bots)
    play_out(books, lambda jobs: (really_played(books, job) for job in jobs))
    with books.read() as session:
        board = queries.season_standings(session, None, season.id)
    assert board.cooperative
    assert [line.matches for line in board.lines] == [2, 2]
    assert all(line.score is not None for line in board.lines)


def test_a_season_without_a_full_table_does_not_start(
    books: Books, charlie: User, owners: list[User], checkout: Path
) -> None:
    league(books, charlie, "skull", 3)
    few = [enter(books, owner, "skull", "random", checkout) for owner in owners[:2]]
    with pytest.raises(Conflict, match="has fewer than 3 bots"):
        season_of(books, charlie, few, league="wide", name="few")
    few.append(enter(books, owners[0], "skull", "bluffer", checkout))
    with pytest.raises(Conflict, match="without two bots of one owner"):
        season_of(books, charlie, few, league="wide", name="mine", seed="another seed of a test")
