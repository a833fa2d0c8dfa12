"""The ranked queue, and the ratings that it changes."""

from __future__ import annotations

from collections import Counter
from functools import partial
from hashlib import blake2b
from math import hypot
from typing import Any

import pytest
from sqlalchemy import select

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import deals_from
from matchbox.errors import Conflict
from matchbox.league.format import Admission, Schedule, given
from matchbox.league.pairwise import compare
from matchbox.league.ratings import PARENT_ELO, fit_strengths, live_scale
from matchbox.league.rows import in_order
from matchbox.match.record import Bout
from matchbox.match.wire import PlayMatch
from server import queries
from server.db.models import Event, League, Match, MatchState, Rating, Role, User, Version
from server.services import accounts, leagues, ranked, ratings, standings, uploads
from server.services.cache import Cache
from tests.books import GAME, SIMPLE, Books, open_books, played, scripted
from tests.plans import explained


def tables(books: Books) -> list[tuple[str, ...]]:
    """Returns the bots of every match, each list sorted by name."""
    with books.read() as session:
        found = session.scalars(select(Match).order_by(Match.number)).all()
        return [tuple(sorted(s.version.bot.full_name for s in match.seats)) for match in found]


def play(books: Books) -> None:
    """Sends the waiting matches, and books their results."""
    for job in books.dispatch():
        assert books.record(played(job))


def begin(books: Books, alice: User, bob: User) -> None:
    """Makes a league of two bots, and plays its first matches."""
    books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    books.refill()
    play(books)


def test_the_queue_is_filled_and_not_overfilled(books: Books, alice: User, bob: User) -> None:
    books.league()
    books.bot(alice, "one")
    assert books.refill() == 0, "nobody to meet"
    books.bot(bob, "two")
    assert books.refill() == books.settings.ranked_backlog
    assert books.refill() == 0
    play(books)
    assert books.refill() == books.settings.ranked_backlog


def test_the_field_is_read_at_once_with_the_names_of_all_its_bots(
    books: Books, alice: User, bob: User
) -> None:
    league = books.league()
    for owner in (alice, bob):
        books.bot(owner, "one")
    with books.read() as session:
        field = leagues.field_of(session, session.get_one(League, league.id))
    assert [version.bot.full_name for version in field] == ["alice/one", "bob/one"]


def test_the_queue_is_filled_without_reading_all_matches(
    books: Books, alice: User, bob: User
) -> None:
    begin(books, alice, bob)
    with books.write() as session, explained(session) as plans:
        assert books.feed(session) > 0
    met = [plan for plan in plans if "ix_match_seat_version_id" in plan and "GROUP BY" in plan]
    assert met, plans
    assert all(plan.startswith("SEARCH match_seat ") for plan in met), met
    assert not [plan for plan in plans if "SCAN match" in plan], plans
    of_league = [plan for plan in plans if "(league_id=? AND season_id=?" in plan]
    assert of_league
    assert not [plan for plan in of_league if "season_id=?)" in plan], "all of a league's matches"


def test_the_field_of_a_game_is_found_without_reading_the_bots_of_others(
    books: Books, alice: User
) -> None:
    league = books.league()
    books.bot(alice, "one")
    with books.read() as session, explained(session) as plans:
        assert len(leagues.field_of(session, session.get_one(League, league.id))) == 1
    (plan,) = [plan for plan in plans if "version" in plan]
    assert plan.startswith("SEARCH bot USING INDEX ix_bot_game"), plan
    assert "INDEX ix_version_state" not in plan, plan


def test_a_field_is_read_again_only_after_a_change(books: Books, alice: User, bob: User) -> None:
    begin(books, alice, bob)

    def read(only: str) -> list[str]:
        with books.write() as session, explained(session, only=only) as plans:
            assert books.feed(session) > 0
        return plans

    assert read("user.role") == []
    play(books)
    (plan,) = read("rating.revision >")
    assert "ix_rating_league_id_revision (league_id=? AND revision>?)" in plan
    play(books)
    books.bot(books.person("dora"), "new")
    assert len(read("user.role")) == 1
    assert "dora/new" in {name for table in tables(books) for name in table}


def test_the_speed_of_those_that_meet_is_read_by_their_matches(
    books: Books, alice: User, bob: User
) -> None:
    begin(books, alice, bob)
    with books.write() as session, explained(session, only="result.cpu_ms") as plans:
        assert books.feed(session) > 0
    assert plans
    for plan in plans:
        assert plan.count(" USING INDEX sqlite_autoindex_") == 3, plan
        assert "SCAN" not in plan, plan


def test_what_is_remembered_of_a_field_chooses_as_what_is_read_anew(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(books, alice, bob)
    for name in ("dora", "emil", "frida"):
        books.bot(books.person(name), "one")
    for _ in range(3):
        books.refill()
        play(books)
    with books.write() as session:
        league = session.scalars(select(League)).one()
        standings.refresh(session, standings.scope_of(league), now=books.clock())
    chosen = []
    for forget in (False, True):
        if forget:
            monkeypatch.setattr(ranked, "_fields", Cache[Any](most=1))
        with books.write() as session:
            books.feed(session)
            new = select(Match).where(Match.state == MatchState.QUEUED).order_by(Match.number)
            chosen.append(
                [[seat.version_id for seat in match.seats] for match in session.scalars(new)]
            )
            session.rollback()
    assert chosen[0] == chosen[1] != []


def test_bots_of_one_owner_do_not_meet_but_those_of_the_house_do(books: Books, alice: User) -> None:
    books.league()
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    books.bot(alice, "one")
    books.bot(alice, "two")
    assert books.refill() == 0
    books.bot(house, "simple")
    books.bot(house, "scared")
    for _ in range(30):
        books.refill()
        play(books)
    met = set(tables(books))
    assert ("alice/one", "alice/two") not in met
    assert ("house/scared", "house/simple") in met


def test_everybody_plays_enough_and_then_rests(books: Books, alice: User, bob: User) -> None:
    books.league()
    few = open_books(books.context.database.url, league_matches=5, ranked_backlog=3)
    for owner, name in ((alice, "one"), (bob, "two"), (books.person("dora"), "three")):
        few.bot(owner, name)
    while few.refill():
        play(few)
    games = Counter(name for table in tables(books) for name in table)
    assert min(games.values()) >= 5
    assert sum(games.values()) <= 2 * 3 * 5
    few.context.close()


def test_the_deals_of_a_match_follow_from_its_first_and_from_no_other_match(
    books: Books, alice: User, bob: User
) -> None:
    books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    books.refill()
    dealt = [job.deals for job in books.dispatch()]
    assert all(deals == deals_from(deals[0], 2) for deals in dealt)
    assert len({deal for deals in dealt for deal in deals}) == 2 * len(dealt) > 2


def test_a_newcomer_is_served_first(books: Books, alice: User, bob: User) -> None:
    begin(books, alice, bob)
    books.bot(books.person("dora"), "new")
    books.refill()
    newest = tables(books)[-books.settings.ranked_backlog :]
    assert sum("dora/new" in table for table in newest) >= books.settings.ranked_backlog // 2


def test_a_match_moves_the_ratings_of_its_players(books: Books, alice: User, bob: User) -> None:
    books.league()
    versions = {books.bot(alice, "one").id, books.bot(bob, "two").id}
    books.refill()
    play(books)
    with books.read() as session:
        rows = {row.version_id: row for row in session.scalars(select(Rating))}
    assert rows.keys() == versions
    assert all(row.matches == books.settings.ranked_backlog for row in rows.values())
    assert all(row.sigma < 25 / 3 for row in rows.values())


def test_a_paused_league_is_neither_fed_nor_sent(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    league = books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    books.refill()
    with books.write() as session:
        row = session.get_one(League, league.id)
        leagues.set_paused(session, charlie, row.name, True, now=books.clock())
    assert not books.dispatch()
    assert books.refill() == 0


def test_a_retired_bot_gets_no_more_matches(books: Books, alice: User, bob: User) -> None:
    books.league()
    one = books.bot(alice, "one")
    books.bot(bob, "two")
    books.bot(books.person("dora"), "three")
    with books.write() as session:
        uploads.retire(session, alice, books.the_bot(one).full_name, now=books.clock())
    books.refill()
    assert all("alice/one" not in table for table in tables(books))


def test_new_rules_begin_a_new_rating(books: Books, alice: User, bob: User) -> None:
    league = books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    books.refill()
    job = books.dispatch()[0]
    books.record(played(job))
    with books.write() as session:
        session.get_one(League, league.id).rules = "0"
    assert books.league().rules == "1"
    with books.read() as session:
        assert session.scalars(select(Rating)).all() == []
        states = Counter((one.state, one.void_why) for one in session.scalars(select(Match)))
        told = session.scalars(select(Event.subject).where(Event.kind == "match.void")).all()
    void = books.settings.ranked_backlog - 1
    assert states == {
        (MatchState.FINISHED, ""): 1,
        (MatchState.VOID, "the rules changed"): void,
    }
    assert len(set(told)) == void


def test_a_game_that_is_gone_has_no_matches_that_wait(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.league()
    for user in (alice, bob):
        books.bot(user, "one")
    assert books.refill()
    installed = registry.packages()
    left = {name: package for name, package in installed.items() if name != GAME}
    for module in (registry, ranked):
        monkeypatch.setattr(module, "packages", lambda: left)
    assert books.refill() == 0
    books.league(game="skull")
    with books.read() as session:
        waiting = {(match.state, match.void_why) for match in session.scalars(select(Match))}
    assert waiting == {(MatchState.VOID, "the game bomb is not installed")}
    for module in (registry, ranked):
        monkeypatch.setattr(module, "packages", lambda: installed)
    assert books.refill()


@pytest.fixture
def fours(books: Books, charlie: User) -> League:
    """An operator's league of skull at tables of four, played without end."""
    with books.write() as session:
        return leagues.create(
            session,
            charlie,
            name="fours",
            game="skull",
            seats=4,
            continuous=True,
            settings=books.settings,
            now=books.clock(),
        )


def at_four(job: PlayMatch, deal: int, rotation: int) -> Bout:
    """Returns a bout whose places depend on the deal and on each seat's bot."""
    order = [job.seats[(seat + rotation) % 4].version for seat in range(4)]
    luck = [blake2b(f"{job.deals[deal]}{one}".encode()).digest()[0] for one in order]
    places = [1 + sum(other > own for other in luck) for own in luck]
    return Bout(deal, rotation, [], places, [0] * 4, "drawn", [])


def test_a_continuous_league_of_larger_tables_is_fed_rated_and_ranked(
    books: Books, fours: League
) -> None:
    books.league(game="skull", paused=True)
    owners = [books.person(name) for name in ("dora", "emil", "fred", "gina")]
    data = b"from matchbox.games.skull import *\n\nclass P(Player): pass\n"
    for number, owner in enumerate([*owners, owners[0]]):
        books.bot(owner, f"bot{number}", data + b"# %d\n" % number, game="skull")
    assert books.refill() == books.settings.ranked_backlog
    for job in books.dispatch():
        assert books.record(played(job, scripted(job, at_four)))
    assert all(len(set(table)) == 4 for table in tables(books))
    assert not any({"dora/bot0", "dora/bot4"} <= set(table) for table in tables(books))
    with books.write() as session:
        scope = standings.scope_of(session.get_one(League, fours.id))
        standings.refresh(session, scope, now=books.clock())
    with books.read() as session:
        board = queries.leaderboard(session, "fours")
        pools = {row.league_id for row in session.scalars(select(Rating))}
    assert pools == {fours.id}, "each league is a rating pool of its own"
    assert (board.game, board.title) == ("skull", "Skull, fours")
    assert len(board.lines) == 5
    assert board.matches == books.settings.ranked_backlog
    assert {line.matches > 0 for line in board.lines} == {True}


def test_new_rules_renew_every_continuous_league_and_keep_its_options(
    books: Books, fours: League
) -> None:
    books.league(game="skull")
    with books.write() as session:
        session.get_one(League, fours.id).rules = "0"
    books.league(game="skull")
    with books.read() as session:
        row = session.get_one(League, fours.id)
    assert (row.rules, row.seats, row.options) == (fours.rules, 4, fours.options)


def test_new_rules_drop_the_options_that_are_gone_or_no_longer_allowed(books: Books) -> None:
    usual, operator = dict(books.league(game="war").options), books.person("olga", Role.OPERATOR)
    with books.write() as session:
        own = leagues.create(
            session, operator, name="own", game="war", continuous=True,
            settings=books.settings, now=books.clock(),
        )  # fmt: skip
        own.options = {**dict.fromkeys(usual, "gone"), "older": 1}
        own.rules = "0"
    books.league(game="war")
    with books.read() as session:
        assert session.get_one(League, own.id).options == usual


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        ({"by": "invitation"}, "by"),
        ({"bots": 2}, "bots"),
        ({"by": "invitation", "bots": 1}, "by and bots"),
    ],
)
def test_a_league_without_end_is_not_made_with_limits_that_its_queue_does_not_heed(
    books: Books, charlie: User, limits: dict[str, Any], named: str
) -> None:
    wanted: dict[str, Any] = {"name": "club", "game": "bomb", "continuous": True}
    known: dict[str, Any] = {"settings": books.settings, "now": books.clock()}
    with books.write() as session, pytest.raises(Conflict, match=f" {named} would limit nobody"):
        leagues.create(session, charlie, **wanted, admission=given(Admission, limits), **known)
    usual = given(Admission, {"by": "open", "bots": None, "everybody": True, "uploads": 3})
    with books.write() as session:
        leagues.create(session, charlie, **wanted, admission=usual, **known)


def test_a_league_without_end_that_limits_its_seasons_plays_every_active_bot(
    books: Books, charlie: User, alice: User, bob: User
) -> None:
    """A league created with limits, before they were refused, plays like any other."""
    books.league()
    books.bot(alice, "one")
    books.bot(alice, "another")
    books.bot(bob, "two")
    with books.write() as session:
        limits = given(Admission, {"by": "invitation", "bots": 1})
        leagues.edit(session, charlie, "bomb", admission=limits, now=books.clock())
    books.refill()
    assert {name for table in tables(books) for name in table} == {
        "alice/one",
        "alice/another",
        "bob/two",
    }


def test_a_league_is_not_played_without_end_and_by_a_schedule(books: Books, charlie: User) -> None:
    wanted: dict[str, Any] = {"name": "both", "game": "bomb", "continuous": True}
    with books.write() as session, pytest.raises(Conflict, match="continuous and scheduled"):
        leagues.create(
            session,
            charlie,
            **wanted,
            schedule=given(Schedule, {"cron": "0 4 * * *"}),
            settings=books.settings,
            now=books.clock(),
        )


def test_a_new_version_begins_near_its_parent_live_and_in_the_standing(
    books: Books, alice: User, bob: User
) -> None:
    league = books.league()
    books.bot(bob, "two")
    books.bot(alice, "one", SIMPLE + b"# first\n")
    for _ in range(6):
        books.refill()
        for job in books.dispatch():
            wins = partial(always, books.version(2).digest)
            assert books.record(played(job, scripted(job, wins)))
    with books.read() as session:
        parent = session.get_one(Rating, (league.id, 2))
    new = books.bot(alice, "one", SIMPLE + b"# second\n")
    with books.read() as session:
        begun = ratings.first_lives(session, session.get_one(League, league.id), [new.id])[new.id]
    assert begun.mu == parent.mu > 25
    assert hypot(parent.sigma, PARENT_ELO / live_scale()) == pytest.approx(begun.sigma)
    books.refill()
    job = books.dispatch()[0]
    assert books.record(played(job, scripted(job, even)))
    with books.write() as session:
        standing = standings.refresh(session, standings.scope_of(league), now=books.clock())
    child = next(line for line in standing.lines if "one" in line["bot"])
    (name, before), *more = standing.facts["settings"]["parents"].items()
    assert (name, more) == (child["bot"], [])
    with books.read() as session:
        rows = ratings.played(session, Match.league_id == league.id).rows
    compared = compare(in_order(rows), seat_term=True)
    related, alone = (fit_strengths(compared, parents=one) for one in ({name: before}, {}))
    assert child["elo"] == related.elo(name)
    gap = related.elo(before) - related.elo(name)
    assert 0 < gap < (alone.elo(before) - alone.elo(name)) / 1.5


def always(winner: str, job: PlayMatch, deal: int, rotation: int) -> Bout:
    """Returns a bout that this version wins."""
    first = job.seats[rotation % 2].version == winner
    return Bout(deal, rotation, [], [1, 2] if first else [2, 1], [0, 0], "won", [])


def even(job: PlayMatch, deal: int, rotation: int) -> Bout:
    """Returns a draw."""
    return Bout(deal, rotation, [], [1, 1], [0, 0], "drawn", [])


def test_an_entrant_s_name_is_the_same_in_every_database(books: Books, alice: User) -> None:
    data = b"from matchbox.games.bomb import *\n"
    version: Version = books.upload(alice, "one", data)
    assert books.version(version.id).entrant == f"alice/one:{digest(data)}"
    assert alice.role == Role.AUTHOR
