"""Scheduled leagues: editions that the tick opens and starts, their divisions, and missed
starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import delete, select

from matchbox.errors import Conflict
from matchbox.league.format import Format, Schedule, given
from matchbox.match.record import Bout
from matchbox.match.wire import MatchPlayed, PlayMatch, TryOut
from server import queries
from server.db.models import (
    Audit,
    Bot,
    Entry,
    League,
    Match,
    MatchState,
    Notice,
    Season,
    SeasonState,
    Setting,
    User,
    Version,
    VersionState,
)
from server.queries import courses
from server.services import classes, entries, leagues, operations, seasons, signs, uploads
from server.services.tick import tick
from server.times import DAY_MS
from tests.books import (
    SIMPLE,
    Books,
    given_parts,
    play_out,
    played,
    scripted,
    season_of,
    tried_out,
)

MINUTE = 60_000
TEN = given(Schedule, {"cron": "*/10 * * * *"})


@pytest.fixture
def league(books: Books, charlie: User) -> League:
    """A league of bomb that starts every ten minutes, with the default leagues at rest."""
    books.league(paused=True)
    return a_league(books, charlie)


def a_league(books: Books, charlie: User, name: str = "cup", **asked: Any) -> League:
    """A league of bomb that starts every ten minutes."""
    with books.write() as session:
        knobs: dict[str, Any] = {"game": "bomb", "deals": 1, "schedule": TEN, **given_parts(asked)}
        return leagues.create(
            session, charlie, name=name, settings=books.settings, now=books.clock(), **knobs
        )


def editions(books: Books, league: League) -> list[tuple[str, str, str]]:
    """Returns name, state and start time of every season of the league, oldest first."""
    with books.read() as session:
        rows = session.scalars(select(Season).where(Season.league_id == league.id))
        return [(row.name, row.state, clock(row.starts_at)) for row in rows.all()]


def clock(at: int | None) -> str:
    """Returns the time as hour and minute."""
    return "" if at is None else f"{datetime.fromtimestamp(at / 1000, UTC):%H:%M}"


def entrants(books: Books, name: str) -> list[str]:
    """The names of the bots in the season of that name."""
    with books.read() as session:
        entries = select(Entry).join(Entry.season).where(Season.name == name)
        return [entry.bot.name for entry in session.scalars(entries.order_by(Entry.id))]


def wait_until(books: Books, text: str) -> None:
    """Moves the clock on to that hour and minute, and ticks just once."""
    hour, minute = map(int, text.split(":"))
    now = datetime.fromtimestamp(books.clock() / 1000, UTC)
    books.clock.now = round(now.replace(hour=hour, minute=minute, second=1).timestamp() * 1000)
    tick(books.context)


def by_name(winners: Sequence[str], books: Books) -> Any:
    """Returns results in which the earlier of these names always wins."""

    def bring(jobs: list[PlayMatch]) -> list[MatchPlayed]:
        with books.read() as session:
            query = select(Version.digest, Bot.name).join(Version.bot)
            names = {row[0]: row[1] for row in session.execute(query)}

        def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
            seats = [winners.index(names[seat.version]) for seat in job.seats]
            first, second = seats[rotation % 2], seats[1 - rotation % 2]
            places, scores = ([1, 2], [1, 0]) if first < second else ([2, 1], [0, 1])
            return Bout(deal, rotation, ["draw"], places, scores, "the better wins", [])

        return [played(job, scripted(job, bout)) for job in jobs]

    return bring


def all_level(jobs: list[PlayMatch]) -> list[MatchPlayed]:
    """Results in which every bout is drawn."""

    def bout(_: PlayMatch, deal: int, rotation: int) -> Bout:
        return Bout(deal, rotation, ["draw"], [1, 1], [0, 0], "nobody wins", [])

    return [played(job, scripted(job, bout)) for job in jobs]


def test_the_next_edition_opens_starts_at_its_time_and_the_one_after_it_opens(
    books: Books, league: League, alice: User, bob: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)  # 22:13:20
    assert editions(books, league) == [("cup 1", "open", "22:20")]
    wait_until(books, "22:19")
    assert editions(books, league) == [("cup 1", "open", "22:20")]
    wait_until(books, "22:20")
    assert editions(books, league) == [("cup 1", "running", "22:20"), ("cup 2", "open", "22:30")]
    assert entrants(books, "cup 1") == ["alices", "bobs"]
    play_out(books)
    assert editions(books, league) == [("cup 1", "finished", "22:20"), ("cup 2", "open", "22:30")]
    assert entrants(books, "cup 2") == ["alices", "bobs"]
    with books.read() as session:
        told = session.execute(select(Notice.kind, Notice.user_id)).all()
        log = session.execute(select(Audit.action, Audit.actor_id)).all()
    assert {("season-start", alice.id), ("season-end", bob.id)} <= set(told)
    assert {("season.create", None), ("season.start", None)} <= set(log)


def test_a_season_that_an_operator_makes_while_an_edition_waits_has_no_time(
    books: Books, league: League, charlie: User
) -> None:
    tick(books.context)
    with books.write() as session:
        seasons.create(session, charlie, name="extra", league=league.name, now=books.clock())
    assert editions(books, league) == [("cup 1", "open", "22:20"), ("extra", "open", "")]


def test_what_was_missed_is_caught_up_once(
    books: Books, league: League, alice: User, bob: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    wait_until(books, "23:07")
    assert editions(books, league) == [("cup 1", "running", "22:20"), ("cup 2", "open", "23:10")]
    play_out(books)
    assert editions(books, league)[1:] == [("cup 2", "open", "23:10")]


def test_an_edition_waits_for_the_one_before_and_then_starts_at_once(
    books: Books, league: League, alice: User, bob: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    wait_until(books, "22:20")
    wait_until(books, "22:45")
    assert editions(books, league)[1:] == [("cup 2", "open", "22:30")]
    play_out(books)
    assert [state for _, state, _ in editions(books, league)][:2] == ["finished", "finished"]
    assert editions(books, league)[2:] == [("cup 3", "open", "22:50")]


def test_with_too_few_bots_it_says_so_and_waits_for_the_next_time(
    books: Books, league: League, alice: User, bob: User
) -> None:
    books.bot(alice, "alices")
    tick(books.context)
    wait_until(books, "22:20")
    assert editions(books, league) == [("cup 1", "open", "22:30")]
    with books.read() as session:
        trouble = session.scalars(select(Season.trouble)).one()
    assert trouble == "season cup 1 has fewer than 2 bots; enter more"
    assert entrants(books, "cup 1") == []
    books.bot(bob, "bobs")
    wait_until(books, "22:30")
    assert [state for _, state, _ in editions(books, league)] == ["running", "open"]
    with books.read() as session:
        assert set(session.scalars(select(Season.trouble))) == {""}


def test_a_paused_league_opens_and_starts_nothing_and_catches_nothing_up(
    books: Books, league: League, alice: User, bob: User, charlie: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    pause(books, charlie, league, paused=True)
    wait_until(books, "22:44")
    assert editions(books, league) == [("cup 1", "open", "22:20")]
    pause(books, charlie, league, paused=False)
    tick(books.context)
    assert editions(books, league) == [("cup 1", "open", "22:50")]


def test_a_league_that_was_not_paused_keeps_its_due_edition_when_it_is_resumed(
    books: Books, league: League, alice: User, bob: User, charlie: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    wait_until(books, "22:20")
    wait_until(books, "22:34")
    pause(books, charlie, league, paused=False)
    assert editions(books, league)[1:] == [("cup 2", "open", "22:30")]


def test_a_pause_leaves_its_turn_to_the_edition_that_waits_for_the_one_before(
    books: Books, league: League, alice: User, bob: User, charlie: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    wait_until(books, "22:20")
    wait_until(books, "22:34")
    for paused in (True, False):
        pause(books, charlie, league, paused=paused)
    assert editions(books, league)[1:] == [("cup 2", "open", "22:30")]
    play_out(books)
    assert editions(books, league)[1:2] == [("cup 2", "finished", "22:30")]


def test_a_start_is_told_only_if_it_will_come(books: Books, league: League, charlie: User) -> None:
    def told() -> tuple[str | None, str | None, str | None]:
        with books.read() as session:
            found = queries.league(session, charlie, "cup")
            (line,) = found.seasons
            season = queries.season(session, None, line.id)
            return found.next_start, line.starts_at, season.starts_at

    tick(books.context)
    assert told() == 3 * ("2023-11-14T22:20:00.000Z",)
    pause(books, charlie, league, paused=True)
    assert told() == (None, None, None)


def test_a_draft_is_nobody_s_next_season(books: Books, league: League, charlie: User) -> None:
    with books.write() as session:
        seasons.create(session, charlie, name="Autumn", league="cup", draft=True, now=books.clock())
    assert editions(books, league) == [("Autumn", "draft", "22:20")]
    with books.read() as session:
        assert queries.league(session, None, "cup").next_start is None


def test_the_page_of_a_season_hears_that_it_was_put_off(books: Books, league: League) -> None:
    def stamp() -> str:
        with books.read() as session:
            return courses.stamp(session, None, session.scalars(select(Season.id)).one()).course

    tick(books.context)
    first = stamp()
    wait_until(books, "22:20")
    assert editions(books, league) == [("cup 1", "open", "22:30")]
    assert stamp() != first


def pause(books: Books, charlie: User, league: League, *, paused: bool) -> None:
    """Pauses the league, or resumes it."""
    with books.write() as session:
        row = session.get_one(League, league.id)
        leagues.set_paused(session, charlie, row.name, paused, now=books.clock())


def test_a_new_schedule_moves_the_edition_to_come_and_none_leaves_it_to_the_operator(
    books: Books, league: League, charlie: User
) -> None:
    tick(books.context)
    for fields, wanted in (
        ({"zone": "Asia/Kolkata", "cron": "0 5 * * *"}, "23:30"),
        ({"cron": None}, ""),
    ):
        with books.write() as session:
            row = session.get_one(League, league.id)
            changed = given(Schedule, fields)
            leagues.edit(session, charlie, row.name, schedule=changed, now=books.clock())
        tick(books.context)
        assert editions(books, league) == [("cup 1", "open", wanted)]


def test_a_cancelled_edition_leaves_its_time_out(
    books: Books, league: League, charlie: User
) -> None:
    tick(books.context)
    with books.write() as session:
        season = session.scalars(select(Season)).one()
        seasons.cancel(session, charlie, season.id, now=books.clock())
    tick(books.context)
    assert editions(books, league)[1:] == [("cup 2", "open", "22:30")]


@pytest.mark.parametrize("draft", [True, False])
def test_a_season_beside_the_schedule_that_never_began_is_not_the_last_edition(
    draft: bool, books: Books, league: League, alice: User, bob: User, charlie: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    wait_until(books, "22:20")
    play_out(books)
    with books.write() as session:
        knobs: dict[str, Any] = {"league": "cup", "draft": draft, "now": books.clock()}
        made = seasons.create(session, charlie, name="try 7", **knobs)
        if not draft:
            seasons.cancel(session, charlie, made.id, now=books.clock())
    wait_until(books, "22:30")
    names = [name for name, _, _ in editions(books, league)]
    assert names == ["cup 1", "cup 2", "try 7", "cup 3"]
    assert entrants(books, "cup 3") == ["alices", "bobs"]


def test_an_edition_that_was_opened_while_the_clock_was_ahead_keeps_to_the_schedule(
    books: Books, league: League, charlie: User, alice: User, bob: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    right = books.clock()
    tick(books.context)
    books.clock.pass_by(minutes=60 * 24 * 400)
    tick(books.context)
    play_out(books)
    assert editions(books, league)[0][:2] == ("cup 1", "finished")
    books.clock.now = right + MINUTE
    with books.write() as session:
        signs.note(session, signs.BEGUN, now=books.clock())
        session.merge(Setting(name=signs.PROCESSES, value={"web": right}, changed_at=right))
    tick(books.context)
    with books.read() as session:
        waiting = session.scalars(select(Season).where(Season.state == "open")).one()
        assert (waiting.starts_at or 0) > books.clock() + 300 * DAY_MS
    with books.write() as session:  # An hour later the clock seems to be right.
        session.execute(delete(Setting).where(Setting.name == signs.PROCESSES))
    wait_until(books, "23:20")
    assert editions(books, league)[1:] == [("cup 2", "open", "23:30")]
    wait_until(books, "23:30")
    assert editions(books, league)[1:] == [
        ("cup 2", "running", "23:30"),
        ("cup 3", "open", "23:40"),
    ]


def test_a_clock_that_is_ahead_for_a_moment_starts_no_season(
    books: Books, league: League, alice: User, bob: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    signs.give(books.context, signs.WEB)
    right = books.clock()
    books.clock.pass_by(minutes=60 * 24 * 40)
    for _ in range(8):  # within the two minutes after what looks like a stop
        tick(books.context)
        signs.give(books.context, signs.WEB)
        books.clock.pass_by(seconds=12)
    assert [state for _, state, _ in editions(books, league)] == ["open"]
    books.clock.now = right + MINUTE
    tick(books.context)
    assert [state for _, state, _ in editions(books, league)] == ["open"]
    for _ in range(60):
        books.clock.pass_by(seconds=15)
        signs.give(books.context, signs.WEB)
        tick(books.context)
    assert editions(books, league)[0][1] == "running"


def test_an_edition_does_not_take_the_time_of_one_that_was_started_early(
    books: Books, league: League, charlie: User, alice: User, bob: User
) -> None:
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    with books.write() as session:
        season = session.scalars(select(Season)).one()
        seasons.start(session, charlie, season.id, settings=books.settings, now=books.clock())
    play_out(books)
    for _ in range(2):
        tick(books.context)
        assert editions(books, league)[1:] == [("cup 2", "open", "22:30")]
    for paused in (True, False):
        pause(books, charlie, league, paused=paused)
    assert editions(books, league)[1:] == [("cup 2", "open", "22:30")]


def test_a_draft_is_not_started_and_its_time_passes(
    books: Books, charlie: User, alice: User, bob: User
) -> None:
    books.league(paused=True)
    league = a_league(books, charlie)
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    with books.write() as session:
        seasons.create(session, charlie, name="Autumn", league="cup", draft=True, now=books.clock())
    wait_until(books, "22:31")
    assert editions(books, league) == [("Autumn", "draft", "22:20")]
    with books.write() as session:
        season = session.scalars(select(Season)).one()
        seasons.publish(session, charlie, season.id, now=books.clock())
    assert editions(books, league) == [("Autumn", "open", "22:40")]
    wait_until(books, "22:40")
    play_out(books)
    assert editions(books, league)[1:] == [("Autumn 2", "open", "22:50")]


def test_who_is_retired_or_suspended_is_left_out_of_the_next_edition(
    books: Books, charlie: User, alice: User, bob: User
) -> None:
    books.league(paused=True)
    a_league(books, charlie, admission={"everybody": False, "bots": 2})
    names = ((alice, "one"), (alice, "two"), (bob, "three"), (bob, "four"))
    versions = [books.bot(*one) for one in names]
    with books.write() as session:
        season = seasons.create(session, charlie, name="Autumn", league="cup", now=books.clock())
        for version in versions:
            bot = session.get_one(Bot, version.bot_id)
            entries.enter(session, charlie, season.id, bot.full_name, now=books.clock())
    wait_until(books, "22:20")
    play_out(books)
    assert entrants(books, "Autumn 2") == ["one", "two", "three", "four"]
    with books.write() as session:
        uploads.retire(
            session, alice, session.get_one(Bot, versions[1].bot_id).full_name, now=books.clock()
        )
        session.get_one(Version, versions[3].id).state = VersionState.SUSPENDED
    assert entrants(books, "Autumn 2") == ["one", "three", "four"], "a retired bot leaves at once"
    wait_until(books, "22:30")
    assert entrants(books, "Autumn 2") == ["one", "three"]
    assert entrants(books, "Autumn 3") == ["one", "three"]


def test_who_is_disqualified_is_not_in_the_next_edition_until_its_owner_enters_it_again(
    books: Books, charlie: User, alice: User, bob: User
) -> None:
    books.league(paused=True)
    a_league(books, charlie, admission={"everybody": False, "bots": 2})
    for owner, name in ((alice, "one"), (alice, "two"), (bob, "three"), (bob, "four")):
        books.bot(owner, name)

    def enter_all(name: str) -> None:
        with books.write() as session:
            seasons.create(session, charlie, name=name, league="cup", now=books.clock())
            for bot in session.scalars(select(Bot)).all():
                entries.enter(session, charlie, name, bot.full_name, now=books.clock())

    enter_all("Autumn")
    wait_until(books, "22:20")
    enter_all("by hand")
    with books.write() as session:
        operations.disqualify(
            session, charlie, "Autumn", "bob/three", "it copies", now=books.clock()
        )
        told = session.scalars(select(Notice).where(Notice.kind == "disqualification")).one()
        assert told.text.endswith(
            " It also leaves the league's next season. It is not entered into later seasons of the "
            "league by itself; you may enter it."
        )
    assert entrants(books, "Autumn 2") == ["one", "two", "four"]
    assert entrants(books, "by hand") == ["one", "two", "three", "four"]
    with books.write() as session:
        entries.enter(session, bob, "Autumn 2", "three", now=books.clock())
    assert entrants(books, "Autumn 2") == ["one", "two", "four", "three"]


def test_bots_of_the_class_are_in_the_next_edition_once(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    league = a_league(books, charlie, admission={"bots": 2, "everybody": False})
    with books.write() as session:
        code = classes.renew_code(session, charlie, "cup", now=books.clock())
        classes.join(session, session.get_one(User, alice.id), code, now=books.clock())
    for owner in (alice, bob):
        books.bot(owner, f"{owner.name}s")
    tick(books.context)
    with books.write() as session:
        entries.enter(session, bob, "cup 1", "bobs", now=books.clock())
    wait_until(books, "22:20")
    assert editions(books, league) == [("cup 1", "running", "22:20"), ("cup 2", "open", "22:30")]
    assert sorted(entrants(books, "cup 2")) == ["alices", "bobs"]


def test_the_next_edition_has_the_bots_that_the_class_played_with_not_its_newest_uploads(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    a_league(books, charlie, admission={"bots": 1, "everybody": False})
    for owner, name in ((alice, "chosen"), (alice, "newer"), (bob, "bobs")):
        books.bot(owner, name)
    tick(books.context)
    with books.write() as session:
        entries.enter(session, alice, "cup 1", "chosen", now=books.clock())
        code = classes.renew_code(session, charlie, "cup", now=books.clock())
        for user in (alice, bob):
            classes.join(session, session.get_one(User, user.id), code, now=books.clock())
    assert sorted(entrants(books, "cup 1")) == ["bobs", "chosen"]
    wait_until(books, "22:20")
    assert sorted(entrants(books, "cup 2")) == ["bobs", "chosen"]


@pytest.mark.parametrize("admitted", ["class", "everybody"])
def test_a_disqualified_bot_comes_back_into_a_league_only_by_hand(
    books: Books, alice: User, bob: User, charlie: User, admitted: str
) -> None:
    books.league(paused=True)
    everybody = admitted == "everybody"
    a_league(books, charlie, admission={"bots": 1, "everybody": everybody})
    for owner, name in ((alice, "one"), (bob, "two"), (charlie, "three")):
        books.bot(owner, name)
    tick(books.context)
    with books.write() as session:
        code = classes.renew_code(session, charlie, "cup", now=books.clock())
        for user in () if everybody else (alice, bob, charlie):
            classes.join(session, session.get_one(User, user.id), code, now=books.clock())
    wait_until(books, "22:20")
    assert sorted(entrants(books, "cup 1")) == ["one", "three", "two"]
    with books.write() as session:
        operations.disqualify(session, charlie, "cup 1", "bob/two", "it copies", now=books.clock())
    play_out(books)
    wait_until(books, "22:30")
    assert sorted(entrants(books, "cup 2")) == ["one", "three"]
    assert sorted(entrants(books, "cup 3")) == ["one", "three"]
    with books.write() as session:
        entries.enter(session, bob, "cup 3", "two", now=books.clock())
    play_out(books)
    wait_until(books, "22:40")
    assert sorted(entrants(books, "cup 4")) == ["one", "three", "two"]


@pytest.mark.parametrize("reinstated_by", ["cup 1", "cup 2", "never out"])
def test_a_reinstated_bot_is_in_the_next_edition_again(
    books: Books, bob: User, charlie: User, reinstated_by: str
) -> None:
    books.league(paused=True)
    a_league(books, charlie, admission={"bots": 1, "everybody": False})
    for owner, name in ((bob, "two"), (charlie, "one"), (charlie, "three")):
        books.bot(owner, name)
    tick(books.context)
    with books.write() as session:
        for name in ("bob/two", "charlie/one", "charlie/three"):
            entries.enter(session, charlie, "cup 1", name, now=books.clock())
    wait_until(books, "22:20")
    with books.write() as session:
        operations.disqualify(session, charlie, "cup 1", "bob/two", "it copies", now=books.clock())
    later = "cup 2"
    if reinstated_by == "cup 2":
        play_out(books)
        wait_until(books, "22:30")
        later = "cup 3"
    elif reinstated_by == "never out":  # Its author has entered it, and taken it out.
        with books.write() as session:
            entries.enter(session, bob, "cup 2", "two", now=books.clock())
        play_out(books)
        wait_until(books, "22:30")
        with books.write() as session:
            entries.leave(session, bob, "cup 3", "two", now=books.clock())
        later = "cup 3"
    assert sorted(entrants(books, later)) == ["one", "three"]
    with books.write() as session:
        operations.reinstate(session, charlie, "cup 1", "bob/two", "it did not", now=books.clock())
        told = session.scalars(select(Notice).where(Notice.kind == "reinstatement")).one()
    back = reinstated_by != "never out"
    assert told.text.endswith(f" It is also in season {later} again.") is back
    assert ("two" in entrants(books, later)) is back


@pytest.mark.parametrize("admitted", ["class", "entered", "everybody"])
def test_a_start_waits_for_the_verdicts_on_what_was_uploaded_before_it(
    books: Books, alice: User, bob: User, charlie: User, admitted: str
) -> None:
    books.league(paused=True)
    league = a_league(books, charlie, admission={"everybody": admitted == "everybody"})
    for name in ("one", "other"):
        books.bot(charlie, name)
    tick(books.context)
    late = books.upload(alice, "late", SIMPLE + b"# late\n")
    with books.write() as session:
        for name in ("one", "other"):
            entries.enter(session, charlie, "cup 1", name, now=books.clock())
        if admitted == "class":
            code = classes.renew_code(session, charlie, "cup", now=books.clock())
            classes.join(session, session.get_one(User, alice.id), code, now=books.clock())
        elif admitted == "entered":
            entries.enter(
                session, session.get_one(User, alice.id), "cup 1", "late", now=books.clock()
            )
    wait_until(books, "22:20")
    assert editions(books, league) == [("cup 1", "open", "22:20")]
    books.upload(bob, "later", SIMPLE + b"# later\n")  # after the time: nobody waits for it
    for job in books.sent(TryOut):
        if job.version == late.digest:
            books.settle(tried_out(job))
    tick(books.context)
    assert editions(books, league)[0] == ("cup 1", "running", "22:20")
    assert sorted(entrants(books, "cup 1")) == ["late", "one", "other"]


@pytest.mark.parametrize("released", [True, False])
def test_a_start_waits_for_bots_in_quarantine_and_the_next_edition_has_them(
    books: Books, alice: User, bob: User, charlie: User, released: bool
) -> None:
    books.league(paused=True)
    league = a_league(books, charlie, admission={"everybody": False, "bots": 2})
    versions = [books.bot(alice, "held"), books.bot(bob, "one"), books.bot(bob, "other")]
    tick(books.context)
    with books.write() as session:
        for version in versions:
            name = session.get_one(Bot, version.bot_id).full_name
            entries.enter(session, charlie, "cup 1", name, now=books.clock())
        held = session.get_one(Version, versions[0].id)
        held.state, held.deadline = VersionState.QUARANTINED, books.clock()
    wait_until(books, "22:20")
    assert editions(books, league) == [("cup 1", "open", "22:20")]
    if released:
        with books.write() as session:
            session.get_one(Version, versions[0].id).state = VersionState.ACTIVE
    wait_until(books, "22:30")
    assert editions(books, league)[0] == ("cup 1", "running", "22:20")
    assert entrants(books, "cup 1") == (["held"] if released else []) + ["one", "other"]
    assert sorted(entrants(books, "cup 2")) == ["held", "one", "other"]
    told = [text for _, text in books.notices(alice, "season-start") if "is not in" in text]
    with books.read() as session:
        started = session.scalars(select(Audit).where(Audit.action == "season.start")).one()
    if released:
        assert (told, started.detail) == ([], {})
    else:
        (text,) = told
        assert "alice/held is not in season cup 1" in text
        assert "version 1, is quarantined" in text
        assert started.detail == {"left_out": ["alice/held"]}


def test_a_start_waits_ten_minutes_at_most_and_only_for_those_who_may_play(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    league = a_league(
        books, charlie, schedule={"cron": "20 * * * *"}, admission={"everybody": False}
    )
    other = a_league(books, charlie, "other", schedule={"cron": "20 * * * *"})
    for name in ("one", "other"):
        books.bot(charlie, name)
    tick(books.context)
    with books.write() as session:
        for name in ("one", "other"):
            entries.enter(session, charlie, "cup 1", name, now=books.clock())
    books.upload(alice, "lost", SIMPLE + b"# lost\n")
    wait_until(books, "22:20")
    assert editions(books, league)[0] == ("cup 1", "running", "22:20")
    assert editions(books, other) == [("other 1", "open", "22:20")], "everybody may play there"
    wait_until(books, "22:29")
    assert editions(books, other) == [("other 1", "open", "22:20")]
    wait_until(books, "22:30")
    assert editions(books, other)[0] == ("other 1", "running", "22:20")


def test_the_best_rise_and_the_last_sink_over_three_editions(books: Books, charlie: User) -> None:
    books.league(paused=True)
    owners = [books.person(f"owner-{number}") for number in range(5)]
    names = ["anna", "bert", "carl", "dora", "ella"]
    for owner, name in zip(owners[:4], names, strict=False):
        books.bot(owner, name)
    a_league(books, charlie, format={"divisions": 2, "moving": 1})
    tick(books.context)
    wait_until(books, "22:20")
    (best, second), (third, last) = both(books, 1)
    assert sorted([best, second, third, last]) == names[:4]
    names = [best, second, third, last, "ella"]
    play_out(books, by_name(names, books))
    wait_until(books, "22:30")
    assert both(books, 2) == [sorted([best, third]), sorted([second, last])]
    play_out(books, by_name(names[::-1], books))
    books.bot(owners[4], "ella")
    wait_until(books, "22:40")
    assert both(books, 3) == [sorted([third, last]), sorted([best, second, "ella"])]
    with books.read() as session:
        row = session.scalars(select(Season).where(Season.name == "cup 3, division 2")).one()
        assert (row.edition, row.division, row.state) == (3, 2, "running")


def test_bots_that_share_a_rank_rise_by_lot_and_not_by_name(books: Books, charlie: User) -> None:
    books.league(paused=True)
    for name in ("anna", "bert", "carl", "dora"):
        books.bot(books.person(f"owner-{name}"), name)
    a_league(books, charlie, format={"divisions": 2, "moving": 1})
    tick(books.context)
    for number in range(1, 13):
        books.clock.now += 10 * MINUTE
        play_out(books, all_level)
        highest, _ = both(books, number)
        if "anna" not in highest or "dora" in highest:
            return
    pytest.fail("the first by name never sinks, and the last never rises")


def test_the_first_divisions_of_bots_that_have_not_played_are_drawn_by_lot(
    books: Books, charlie: User
) -> None:
    books.league(paused=True)
    versions = [
        books.bot(books.person(f"owner-{name}"), name)
        for name in ("ann", "bea", "cid", "dan", "eve", "fay")
    ]
    highest = set()
    for number in range(12):
        own = {"name": f"Season {number}", "seed": f"the seed of season {number}"}
        season = season_of(books, charlie, versions, format={"divisions": 2}, **own)
        with books.read() as session:
            row = session.get_one(Season, season.id)
            highest.add(tuple(sorted(entry.bot.name for entry in row.entries)))
    assert len(highest) > 1


def test_a_lower_division_gets_a_short_free_name(books: Books, charlie: User) -> None:
    books.league(paused=True)
    versions = [books.bot(books.person(f"owner-{number}"), "bot") for number in range(4)]
    name, cut = "n" * 64, "n" * 52
    with books.write() as session:
        taken = f"{cut}, division 2"
        seasons.create(session, charlie, name=taken, league="bomb", now=books.clock())
    season_of(books, charlie, versions, name=name, format={"divisions": 2})
    with books.read() as session:
        names = session.scalars(select(Season.name).order_by(Season.id)).all()
    assert names == [taken, name, f"{cut[:-4]}, division 2 (2)"]


def both(books: Books, edition: int) -> list[list[str]]:
    """The bots of each division of an edition, by name."""
    with books.read() as session:
        rows = session.scalars(select(Season).where(Season.edition == edition)).all()
        return [sorted(entry.bot.name for entry in row.entries) for row in rows]


def test_the_first_divisions_follow_the_game_s_leaderboard(books: Books, charlie: User) -> None:
    books.league()
    names = ["dora", "carl", "bert", "anna"]
    for number, name in enumerate(sorted(names)):
        books.bot(books.person(f"owner-{number}"), name)
    play_out_for(books, by_name(names, books))
    with books.write() as session:
        season = seasons.create(
            session,
            charlie,
            name="Autumn",
            league="bomb",
            format=given(Format, {"divisions": 2}),
            now=books.clock(),
        )
        for bot in session.scalars(select(Bot)):
            entries.enter(session, charlie, season.id, bot.full_name, now=books.clock())
        seasons.freeze(session, charlie, season.id, now=books.clock())
    assert both(books, 1) == [["carl", "dora"], ["anna", "bert"]]


def test_an_operator_s_steps_are_for_all_divisions_that_are_not_over(
    books: Books, charlie: User
) -> None:
    books.league(paused=True)
    versions = [books.bot(books.person(f"owner-{at}"), f"bot-{at}") for at in range(4)]
    first = season_of(books, charlie, versions, format={"divisions": 2})

    def states() -> list[str]:
        with books.read() as session:
            rows = session.scalars(select(Season).order_by(Season.division))
            return [row.state for row in rows]

    def step(what: Callable[..., None], number: int) -> None:
        with books.write() as session:
            what(session, charlie, number, now=books.clock())

    step(seasons.pause, first.id + 1)
    assert states() == ["paused", "paused"]
    step(seasons.resume, first.id)
    assert states() == ["running", "running"]
    with books.write() as session:
        seasons.stop(session, session.get_one(Season, first.id), "no rules", now=books.clock())
    step(seasons.pause, first.id)
    assert states() == ["paused", "paused"], "one had been paused by the platform"
    with pytest.raises(Conflict, match="season spring is paused; it must be running"):
        step(seasons.pause, first.id)
    step(seasons.resume, first.id)
    with books.write() as session:
        session.get_one(Season, first.id).state = SeasonState.FINISHED
    with pytest.raises(Conflict, match="finished; name 'spring, division 2', which is not"):
        step(seasons.cancel, first.id)
    step(seasons.cancel, first.id + 1)
    assert states() == ["finished", "cancelled"]
    with books.read() as session:
        left = select(Match.season_id).where(Match.state != MatchState.VOID)
        assert set(session.scalars(left)) == {first.id}
        log = [(line.action, line.subject) for line in session.scalars(select(Audit))]
    subjects = {what: [subject for action, subject in log if action == what] for what, _ in log}
    both = [f"season:{first.id}", f"season:{first.id + 1}"]
    assert subjects["season.pause"] == both * 2
    assert subjects["season.resume"] == both * 2
    assert subjects["season.cancel"] == both[1:]


def play_out_for(books: Books, bring: Any) -> None:
    """Plays ranked matches for a while."""
    for _ in range(8):
        tick(books.context)
        jobs = books.sent(PlayMatch)
        for message in bring(jobs):
            books.record(message)
        books.clock.pass_by(seconds=30)
    tick(books.context)


def test_a_continuous_league_has_no_schedule(books: Books, charlie: User) -> None:
    league = books.league(paused=True)
    with books.write() as session, pytest.raises(Conflict, match="is continuous"):
        row = session.get_one(League, league.id)
        leagues.edit(session, charlie, row.name, schedule=TEN, now=books.clock())


def test_a_league_whose_zone_is_gone_keeps_no_other_from_its_editions(
    books: Books, league: League, charlie: User
) -> None:
    other = a_league(books, charlie, "other")
    with books.write() as session:
        session.get_one(League, league.id).schedule = {"cron": "0 18 * * *", "zone": "Mars/Phobos"}
    tick(books.context)
    assert editions(books, league) == []
    assert editions(books, other) == [("other 1", "open", "22:20")]
