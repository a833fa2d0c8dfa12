"""A season: entered, started with fixed versions, played, paused, finished, cancelled."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select, update

from matchbox.dice import deals_from
from matchbox.errors import BadName, BadOption, Conflict, Forbidden, NotFound
from matchbox.league.format import Format, given
from matchbox.match.wire import MatchPlayed, PlayMatch
from server import queries
from server.db.models import (
    Audit,
    Bot,
    Event,
    Match,
    MatchState,
    Result,
    Role,
    Season,
    SeasonState,
    Standing,
    User,
    Version,
)
from server.services import accounts, entries, leagues, seasons, standings, tick, uploads
from server.services.bootstrap import prepare
from tests.books import SIMPLE, Books, lost, open_books, play_out, played, season_of, start


@pytest.fixture
def versions(books: Books, alice: User, bob: User) -> list[Version]:
    """Four active versions of two owners."""
    books.league(paused=True)
    return [books.bot(owner, name) for owner in (alice, bob) for name in ("one", "two")]


def create(books: Books, user: User, **asked: object) -> Season:
    """Creates an open season."""
    plan = {"name": "spring", "league": "bomb", **asked}
    with books.write() as session:
        return seasons.create(session, user, **plan, now=books.clock())  # type: ignore[arg-type]


def enter(books: Books, user: User, season: Season, version: Version) -> None:
    """Enters the version's bot."""
    with books.write() as session:
        found = session.get_one(Season, season.id)
        bot = session.get_one(Bot, version.bot_id)
        entries.enter(session, user, found.id, bot.full_name, now=books.clock())


def leave(books: Books, user: User, season: Season, version: Version) -> None:
    """Takes the version's bot out."""
    with books.write() as session:
        found = session.get_one(Season, season.id)
        bot = session.get_one(Bot, version.bot_id)
        entries.leave(session, user, found.id, bot.full_name, now=books.clock())


def order(books: Books, what: str, user: User, season: Season) -> None:
    """Lets an operator pause, resume or cancel the season."""
    with books.write() as session:
        service = {
            "pause": seasons.pause,
            "resume": seasons.resume,
            "cancel": seasons.cancel,
        }[what]
        service(session, user, season.id, now=books.clock())


def told(books: Books, season: Season) -> tuple[str, list[str]]:
    """Returns the digests of a season's standing and of its records, by number."""
    with books.read() as session:
        standing = session.get_one(Standing, f"season:{season.id}")
        digests = select(Result.digest).join(Result.match).order_by(Match.number)
        own = digests.where(Match.season_id == season.id)
        return standing.rows_digest, list(session.scalars(own))


def test_everybody_meets_everybody_twice_a_cycle(
    books: Books, versions: list[Version], charlie: User
) -> None:
    season = season_of(books, charlie, versions, cycles=2)
    with books.read() as session:
        found = session.scalars(select(Match).where(Match.season_id == season.id)).all()
        tables = Counter(tuple(seat.version_id for seat in match.seats) for match in found)
        dealt = [match.deals for match in found]
    assert len(tables) == 4 * 3
    assert set(tables.values()) == {2}
    assert len({deal for deals in dealt for deal in deals}) == 24 * 2
    assert all(deals == deals_from(deals[0], 2) for deals in dealt)


def test_a_season_is_played_to_its_end(
    books: Books, versions: list[Version], charlie: User
) -> None:
    season = season_of(books, charlie, versions)
    play_out(books)
    finished = books.season(season)
    assert finished.state == SeasonState.FINISHED
    assert finished.finished_at is not None
    with books.read() as session:
        board = queries.season_standings(session, None, season.id)
        records = list(queries.season_records(books.read, season.id))
    assert board.matches == len(records) == 12
    assert [line.matches for line in board.lines] == [6] * 4
    assert sorted(line.bot for line in board.lines) == [
        "alice/one", "alice/two", "bob/one", "bob/two",
    ]  # fmt: skip


def test_a_season_in_which_a_match_is_parked_is_not_over(
    books: Books, versions: list[Version], charlie: User
) -> None:
    season = season_of(books, charlie, versions)

    def bring(jobs: list[PlayMatch]) -> Iterable[MatchPlayed]:
        for job in jobs:
            if books.match(job.match).number == 3:
                books.lose(lost(job))
            else:
                yield played(job)

    play_out(books, bring)
    assert books.season(season).state == SeasonState.RUNNING
    with books.read() as session:
        assert queries.queue(session, now=books.clock()).parked == 1
        assert list(queries.season_records(books.read, season.id)) == []


def test_results_in_any_order_and_twice_tell_the_same_season(
    books: Books, versions: list[Version], charlie: User
) -> None:
    season = season_of(books, charlie, versions)
    late: list[MatchPlayed] = []

    def shuffled(jobs: list[PlayMatch]) -> list[MatchPlayed]:
        messages = [played(job) for job in jobs]
        late.extend(messages)
        return random.Random(len(late)).sample(messages * 2, 2 * len(messages))

    play_out(books, shuffled)
    first = told(books, season)
    for message in late:
        assert not books.record(message)
    assert books.count(Result) == len(late)
    assert told(books, season) == first
    with books.write() as session:
        again = standings.refresh(session, f"season:{season.id}", now=books.clock())
        assert again.rows_digest == first[0]


def test_a_seed_tells_the_same_season_in_another_database(
    empty_database: Path, tmp_path: Path
) -> None:
    stories = []
    for turn, step in enumerate((1, -1)):
        path = shutil.copy(empty_database, tmp_path / f"{turn}.db")
        books = open_books(f"sqlite:///{path}")
        books.wall()
        books.league(paused=True)
        people = [books.person(name) for name in ("zoe", "alice", "bob")[::step]]
        versions = [books.bot(person, "bot") for person in people]
        season = season_of(books, books.person("charlie", Role.OPERATOR), versions)
        play_out(books)
        stories.append(told(books, season))
        books.context.close()
    assert stories[0] == stories[1]


def test_another_seed_tells_another_season(
    books: Books, versions: list[Version], charlie: User
) -> None:
    one = season_of(books, charlie, versions)
    other = season_of(books, charlie, versions, name="autumn", seed="another seed for tests")
    play_out(books)
    assert not set(told(books, one)[1]) & set(told(books, other)[1])


def test_versions_are_fixed_at_the_start(
    books: Books, versions: list[Version], charlie: User, alice: User
) -> None:
    season = season_of(books, charlie, versions)
    newer = books.bot(alice, "one", SIMPLE + b"# newer\n")
    with books.read() as session:
        entrants = queries.season(session, None, season.id).entrants
    assert newer.id not in [entrant.version_id for entrant in entrants]
    assert {job.seats[0].version for job in books.dispatch()} == {one.digest for one in versions}


def test_only_an_operator_creates_starts_and_stops(
    books: Books, versions: list[Version], alice: User, charlie: User
) -> None:
    with pytest.raises(Forbidden):
        create(books, alice)
    season = create(books, charlie)
    with pytest.raises(Forbidden):
        start(books, alice, season)
    for what in ("pause", "resume", "cancel"):
        with pytest.raises(Forbidden):
            order(books, what, alice, season)


def test_an_owner_enters_and_leaves_with_her_own_bots(
    books: Books, versions: list[Version], alice: User, bob: User, charlie: User
) -> None:
    season = create(books, charlie)
    enter(books, alice, season, versions[0])
    with pytest.raises(Conflict, match="already"):
        enter(books, alice, season, versions[0])
    with pytest.raises(Forbidden):
        enter(books, bob, season, versions[1])
    with pytest.raises(Forbidden):
        leave(books, bob, season, versions[0])
    leave(books, alice, season, versions[0])
    with pytest.raises(NotFound, match="not in season"):
        leave(books, alice, season, versions[0])


def test_the_log_says_whose_bots_an_operator_entered_and_took_out(
    books: Books, versions: list[Version], alice: User, charlie: User
) -> None:
    with books.write() as session:
        house = accounts.house(session, now=books.clock())
    shipped = books.bot(house, "simple")
    season = create(books, charlie)
    enter(books, alice, season, versions[0])
    enter(books, charlie, season, shipped)
    leave(books, charlie, season, shipped)
    with books.read() as session:
        mine = select(Audit).where(Audit.subject == f"season:{season.id}").order_by(Audit.id)
        lines = [(line.actor_id, line.action, line.detail) for line in session.scalars(mine)]
    assert lines[1:] == [
        (charlie.id, "season.enter", {"bot": "house/simple"}),
        (charlie.id, "season.leave", {"bot": "house/simple"}),
    ]


def test_nobody_enters_or_leaves_a_running_season(
    books: Books, versions: list[Version], alice: User, charlie: User
) -> None:
    season = season_of(books, charlie, versions[1:])
    with pytest.raises(Conflict, match="is running"):
        enter(books, alice, season, versions[0])
    with pytest.raises(Conflict, match="is running"):
        leave(books, alice, season, versions[1])
    with pytest.raises(Conflict, match="starts once"):
        start(books, charlie, season)


def test_a_retired_bot_does_not_enter(
    books: Books, versions: list[Version], alice: User, charlie: User
) -> None:
    season = create(books, charlie)
    with books.write() as session:
        uploads.retire(session, alice, books.the_bot(versions[0]).full_name, now=books.clock())
    with pytest.raises(Conflict, match="is retired"):
        enter(books, alice, season, versions[0])


def test_an_open_season_tells_of_a_bot_that_retires(
    books: Books, versions: list[Version], alice: User, charlie: User
) -> None:
    season, other = create(books, charlie), create(books, charlie, name="autumn")
    for one in (season, other):
        enter(books, alice, one, versions[1])
    enter(books, alice, season, versions[0])
    with books.write() as session:
        uploads.retire(session, alice, books.the_bot(versions[0]).full_name, now=books.clock())
        left = select(Event.subject).where(Event.kind == "season.left")
        assert session.scalars(left).all() == [f"{season.id}"]


def test_it_does_not_start_with_one_bot_or_with_one_that_has_no_active_version(
    books: Books, versions: list[Version], alice: User, charlie: User
) -> None:
    season = create(books, charlie)
    enter(books, alice, season, versions[0])
    with pytest.raises(Conflict, match="fewer than 2 bots"):
        start(books, charlie, season)
    for name in ("pending", "fresh"):
        enter(books, alice, season, books.upload(alice, name))
    with pytest.raises(Conflict, match="no active version: alice/fresh, alice/pending; take them"):
        start(books, charlie, season)
    assert books.season(season).state == SeasonState.OPEN


def test_a_season_whose_bots_do_not_fill_a_table_stays_open(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    make(books, charlie, "cup", game="skull", seats=3)
    season = create(books, charlie, league="cup")
    for owner in (alice, bob):
        enter(books, owner, season, books.bot(owner, "one", game="skull"))
    with books.write() as session, pytest.raises(Conflict, match="fewer than 3 bots; enter more"):
        seasons.freeze(session, charlie, season.id, now=books.clock())
    assert books.season(season).state == SeasonState.OPEN


def test_a_paused_season_sends_nothing_and_goes_on(
    books: Books, versions: list[Version], charlie: User
) -> None:
    season = season_of(books, charlie, versions)
    (job, *_) = books.dispatch()
    order(books, "pause", charlie, season)
    assert books.record(played(job)), "what is under way ends"
    books.clock.pass_by(minutes=6)
    tick.tick(books.context)
    assert not [one for one in books.postman.take() if season_of_job(books, one) == season.id]
    order(books, "resume", charlie, season)
    with pytest.raises(Conflict, match="is running"):
        order(books, "resume", charlie, season)
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED


def season_of_job(books: Books, job: object) -> int | None:
    """Returns the id of the season that a job's match belongs to."""
    return books.match(job.match).season_id if isinstance(job, PlayMatch) else None


def test_a_cancelled_season_voids_what_was_not_played(
    books: Books, versions: list[Version], charlie: User
) -> None:
    season = season_of(books, charlie, versions)
    (done, under_way, *_) = books.dispatch()
    tick.tick(books.context)
    books.record(played(done))
    order(books, "cancel", charlie, season)
    assert not books.record(played(under_way))
    with books.read() as session:
        states = Counter(session.scalars(select(Match.state).where(Match.season_id == season.id)))
        assert len(list(queries.season_records(books.read, season.id))) == 1
        void = (Match.season_id == season.id, Match.state == MatchState.VOID)
        reasons = session.execute(select(Match.id, Match.void_why).where(*void)).all()
        told = session.scalars(select(Event.subject).where(Event.kind == "match.void")).all()
        assert queries.season(session, None, season.id).matches == 12
    assert states == {MatchState.FINISHED: 1, MatchState.VOID: 11}
    assert {why for _, why in reasons} == {"the season was cancelled"}
    assert sorted(told) == sorted(match for match, _ in reasons)
    with books.read() as session:
        assert queries.season_standings(session, None, season.id).matches == 0
    books.clock.pass_by(seconds=30)
    tick.tick(books.context)
    with books.read() as session:
        assert queries.season_standings(session, None, season.id).matches == 1
    with pytest.raises(Conflict, match="is cancelled; nothing is left to resume"):
        order(books, "resume", charlie, season)
    with pytest.raises(Conflict, match="is cancelled; nothing is left to cancel"):
        order(books, "cancel", charlie, season)


@pytest.mark.parametrize(
    "asked, error",
    [
        ({"name": ""}, BadName),
        ({"name": "12"}, BadName),
        ({"name": "bomb"}, BadName),
        ({"name": "2026/27"}, BadName),
        ({"name": ".."}, BadName),
        ({"name": "a\nb"}, BadName),
        ({"league": "nowhere"}, NotFound),
        ({"cycles": 0}, BadOption),
        ({"cycles": 2, "format": given(Format, {"cycles": 3})}, BadOption),
        ({"deals": 0}, BadOption),
        ({"seed": "2026"}, BadOption),
        ({"seed": "x" * 65}, BadOption),
    ],
)
def test_a_season_that_makes_no_sense_is_refused(
    asked: dict[str, object],
    error: type[Exception],
    books: Books,
    versions: list[Version],
    charlie: User,
) -> None:
    with pytest.raises(error):
        create(books, charlie, **asked)


@pytest.mark.parametrize("kind", ["swiss", "knock-out"])
@pytest.mark.parametrize(("game", "seats"), [("thegame", None), ("skull", 4)])
def test_a_format_that_pairs_two_rivals_is_refused_where_tables_seat_others(
    books: Books, charlie: User, game: str, seats: int | None, kind: str
) -> None:
    pairs = given(Format, {"kind": kind})
    more: dict[str, Any] = {"settings": books.settings, "now": books.clock()}
    with pytest.raises(BadOption, match="pairs two rivals"), books.write() as session:
        leagues.create(session, charlie, name="cup", game=game, seats=seats, format=pairs, **more)
    with books.write() as session:
        leagues.create(session, charlie, name="cup", game=game, seats=seats, **more)
    with pytest.raises(BadOption, match="pairs two rivals"), books.write() as session:
        leagues.edit(session, charlie, "cup", format=pairs, now=books.clock())
    with pytest.raises(BadOption, match="placement matches pair"), books.write() as session:
        newcomers = given(Format, {"placement": 3})
        leagues.edit(session, charlie, "cup", format=newcomers, now=books.clock())
    with pytest.raises(BadOption, match="pairs two rivals"):
        create(books, charlie, league="cup", format=pairs)


def test_neither_a_name_nor_a_seed_is_used_twice(
    books: Books, versions: list[Version], charlie: User
) -> None:
    create(books, charlie, seed="a seed for tests")
    with pytest.raises(Conflict, match="already"):
        create(books, charlie, seed="another seed for tests")
    with pytest.raises(Conflict, match="another season has this seed"):
        create(books, charlie, name="autumn", seed="a seed for tests")


def test_a_league_of_an_operator_s_own_holds_seasons(
    books: Books, versions: list[Version], alice: User, charlie: User
) -> None:
    make(books, charlie, "short", deals=1)
    with pytest.raises(Forbidden):
        make(books, alice, "other")
    with pytest.raises(Conflict):
        make(books, charlie, "short")
    with pytest.raises(BadName):
        make(books, charlie, "bomb")
    with pytest.raises(BadOption):
        make(books, charlie, "long", deals=9999)
    with pytest.raises(BadOption):
        make(books, charlie, "long", seats=7)
    season_of(books, charlie, versions[::2], league="short")
    assert {len(job.deals) for job in books.dispatch()} == {1}


def test_strong_separation_goes_with_every_match_of_its_league(
    books: Books, versions: list[Version], charlie: User
) -> None:
    make(books, charlie, "apart", separation="strong")
    with pytest.raises(BadOption, match="none, strong"):
        make(books, charlie, "other", separation="some")
    season_of(books, charlie, versions[::2], league="apart")
    assert {job.separation for job in books.dispatch()} == {"strong"}
    season_of(books, charlie, versions[::2], name="beside", seed="another seed for tests")
    assert {job.separation for job in books.dispatch()} == {"none"}


def make(books: Books, user: User, name: str, **asked: Any) -> None:
    """Makes a league, by default of bomb."""
    with books.write() as session:
        knobs = {"game": "bomb", "settings": books.settings, "now": books.clock(), **asked}
        leagues.create(session, user, name=name, **knobs)


def test_a_league_in_which_players_decide_nothing_is_refused(books: Books, charlie: User) -> None:
    with pytest.raises(BadOption, match="players decide nothing in Addition War"):
        make(books, charlie, "dealt", game="war", options={"play": "dealt"})
    make(books, charlie, "chosen", game="war", options={"play": "choose"})


def test_a_start_asks_the_books_no_more_often_for_more_bots(books: Books, charlie: User) -> None:
    books.league(paused=True)
    asked: list[str] = []
    watched = books.context.database._writers
    event.listen(watched, "before_cursor_execute", lambda *told: asked.append(told[2]))
    spent = []
    for few, name in ((3, "a"), (9, "b")):
        people = [books.person(f"{name}{number}") for number in range(few)]
        versions = [books.bot(person, "bot") for person in people]
        with books.write() as session:
            now = books.clock()
            season = seasons.create(session, charlie, name=name, league="bomb", now=now)
            for version in versions:
                bot = session.get_one(Bot, version.bot_id)
                entries.enter(session, charlie, season.id, bot.full_name, now=now)
        asked.clear()
        start(books, charlie, season)
        spent.append(len(asked))
    assert spent[0] == spent[1]


def test_a_season_under_new_rules_has_every_option_of_the_game(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    rules = books.league(game="war", paused=True).rules
    entrants = [books.bot(owner, "one", game="war") for owner in (alice, bob)]
    with books.write() as session:
        cup = leagues.create(
            session, charlie, name="cup", game="war", settings=books.settings, now=books.clock()
        )
        usual, cup.options, cup.rules = dict(cup.options), {}, "0"
    season = create(books, charlie, league="cup")
    for version in entrants:
        enter(books, version.bot.owner, season, version)
    start(books, charlie, season)
    books.wall()
    tick.tick(books.context)
    (job, *_) = books.sent(PlayMatch)
    assert usual
    assert (job.options, job.rules) == (usual, rules)


@pytest.mark.parametrize(
    ("game", "rules", "why"),
    [("bomb", "0", "the rules of Bomb have changed since it began"),
     ("gone", "1", "the game gone is not installed any more")],
)  # fmt: skip
def test_a_start_pauses_a_season_that_no_arena_can_play(
    books: Books, alice: User, bob: User, charlie: User, game: str, rules: str, why: str
) -> None:
    books.league(paused=True)
    entrants = [books.bot(owner, "one") for owner in (alice, bob)]
    season = create(books, charlie)
    for version in entrants:
        enter(books, version.bot.owner, season, version)
    start(books, charlie, season)

    def begin() -> Season:
        with books.write() as session:
            prepare(session, books.settings, [], now=books.clock())
            return session.get_one(Season, season.id)

    assert (begin().state, begin().trouble) == (SeasonState.RUNNING, "")
    with books.write() as session:
        league = session.get_one(Season, season.id).league
        league.name, league.game = "cup", game
        session.execute(update(Match).values(rules=rules))
    assert (begin().state, begin().trouble) == (SeasonState.PAUSED, why)
    with books.write() as session, pytest.raises(Conflict, match=f"{why}; cancel it"):
        seasons.resume(session, charlie, season.id, now=books.clock())
    assert begin().state == SeasonState.PAUSED
    with books.write() as session:
        seasons.cancel(session, charlie, season.id, now=books.clock())
