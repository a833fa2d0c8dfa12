"""Reported walls, the first start, the tick, and the context."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from matchbox import registry
from matchbox.errors import BadGame, BadMessage, BadSetting, Unavailable
from matchbox.settings import Settings
from server.context import database_url, make_context
from server.db.migrations import migrate
from server.db.models import Event, League, Role, User, Version, VersionState
from server.services import bootstrap, events, leagues, ranked, tick, uploads, walls
from tests.books import SECRET, SIMPLE, Books, Postman, tried_out


def report(books: Books, **told: Any) -> None:
    """Reports a wall."""
    with books.write() as session:
        walls.report_wall(session, told, now=books.clock())


def the_wall(books: Books) -> walls.Wall:
    """Returns the wall that the arenas report."""
    with books.read() as session:
        return walls.wall(session)


def test_one_arena_without_a_wall_is_one_too_many(books: Books) -> None:
    report(books, box="bwrap", walled=True, arena="first")
    report(books, box="process", walled=False, why="no Landlock", arena="second")
    told = the_wall(books)
    assert (told.walled, told.why, told.box) == (False, "no Landlock", "process")
    report(books, box="bwrap", walled=True, arena="second")
    assert the_wall(books).walled


def test_an_arena_that_was_shut_down_counts_no_more_while_another_reports(books: Books) -> None:
    report(books, box="bwrap", walled=True)
    report(books, box="process", walled=False, why="no Landlock", arena="bare", leaving=True)
    assert (the_wall(books).walled, list(the_wall(books).arenas)) == (True, ["arena"])
    report(books, box="bwrap", walled=True, leaving=True)
    told = the_wall(books)
    assert (told.walled, set(told.arenas)) == (False, {"arena", "bare"}), "all have just left"


def test_a_report_from_a_clock_that_was_ahead_outlives_no_other(books: Books) -> None:
    books.clock.pass_by(minutes=60)
    report(books, box="bwrap", walled=True, arena="gone since")
    books.clock.pass_by(minutes=-60)
    report(books, box="process", walled=False, why="no Landlock", arena="present")
    assert not the_wall(books).walled
    books.clock.pass_by(minutes=6)
    report(books, box="bwrap", walled=True, arena="present")
    assert list(the_wall(books).arenas) == ["present"]


@pytest.mark.parametrize(
    "told", [{}, {"box": "bwrap"}, {"box": "bwrap", "walled": "yes"}, {"box": 1, "walled": True}]
)
def test_a_report_that_is_none_is_refused(told: dict[str, Any], books: Books) -> None:
    with pytest.raises(BadMessage, match="not a report of a wall"):
        report(books, **told)


def prepare(books: Books, *data: bytes) -> list[Version]:
    """Starts the platform for the first time; returns these bots' versions."""
    bots = [bootstrap.ShippedBot("bomb", f"bot{n}", text) for n, text in enumerate(data)]
    with books.write() as session:
        return bootstrap.prepare(session, books.settings, bots, now=books.clock())


def test_a_platform_does_not_start_while_a_hook_of_a_drawing_is_misspelt(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("matchbox.games.bomb.draw.EVENTS")
    monkeypatch.setattr("matchbox.games.bomb.draw.EVENT", ("bomb",), raising=False)
    registry.draw_module.cache_clear()
    with pytest.raises(BadGame, match=r"bomb\.draw has 'EVENT', .* the hook 'EVENTS'"):
        prepare(books)


def test_a_platform_does_not_start_while_a_league_has_the_name_of_another_game(
    books: Books, charlie: User
) -> None:
    with books.write() as session:
        made = leagues.create(
            session, charlie, name="cup", game="bomb", settings=books.settings, now=books.clock()
        )
        made.name = "skull"
    with pytest.raises(BadGame, match="a league of bomb has the name of the game skull; give"):
        prepare(books)


def test_shipped_bots_of_several_games_may_share_a_name(books: Books) -> None:
    def start(*shipped: tuple[str, str]) -> list[str]:
        bots = [bootstrap.ShippedBot(game, name, SIMPLE) for game, name in shipped]
        with books.write() as session:
            made = bootstrap.prepare(session, books.settings, bots, now=books.clock())
            return [f"{version.bot.game}: {version.bot.name}" for version in made]

    assert start(("bomb", "simple")) == ["bomb: simple"]
    later = start(("bomb", "simple"), ("skull", "simple"), ("skull", "random"), ("war", "random"))
    assert later == ["bomb: simple", "skull: skull-simple", "skull: skull-random",
                     "war: war-random"]  # fmt: skip


def test_the_first_start_makes_the_house_its_bots_and_a_league_for_every_game(
    books: Books,
) -> None:
    versions = prepare(books, SIMPLE, SIMPLE + b"# other\n")
    assert [version.state for version in versions] == [VersionState.PENDING] * 2
    with books.read() as session:
        leagues = session.scalars(select(League)).all()
        assert {league.name for league in leagues} == set(registry.packages())
        assert all(league.continuous for league in leagues)
        house = session.scalars(select(User).where(User.role == Role.HOUSE)).one()
        assert {bot.name for bot in house.bots} == {"bot0", "bot1"}
    assert len(books.postman.take()) == 2


def test_starting_again_changes_nothing_and_a_new_release_brings_new_versions(
    books: Books,
) -> None:
    first = prepare(books, SIMPLE)
    books.postman.take()
    assert [one.id for one in prepare(books, SIMPLE)] == [one.id for one in first]
    assert not books.postman.take()
    (newer,) = prepare(books, SIMPLE + b"# release 2\n")
    assert (newer.bot_id, newer.number) == (first[0].bot_id, 2)


def test_a_shipped_bot_that_an_operator_has_retired_stays_retired(
    books: Books, charlie: User
) -> None:
    prepare(books, SIMPLE, SIMPLE + b"# other\n")
    with books.write() as session:
        uploads.retire(session, charlie, "house/bot0", now=books.clock())
    (newer,) = prepare(books, SIMPLE + b"# release 2\n", SIMPLE + b"# release 2\n")
    assert (newer.bot.name, newer.number) == ("bot1", 2)


def test_the_tick_plays_a_league_from_the_first_start_on(books: Books) -> None:
    prepare(books, SIMPLE, SIMPLE + b"# other\n")
    for job in books.postman.take():
        books.settle(tried_out(job))  # type: ignore[arg-type]
    tick.tick(books.context)
    assert len(books.postman.take()) == books.settings.ranked_backlog


def test_a_step_of_the_tick_that_fails_does_not_stop_the_others(
    books: Books, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> int:
        raise Unavailable("the pairing is ill; try again tomorrow")

    monkeypatch.setattr(ranked, "feed", fails)
    books.upload(alice, "simple")
    books.postman.take()
    books.clock.pass_by(minutes=6)
    books.postman.down = True
    tick.tick(books.context)
    books.postman.down = False
    tick.tick(books.context)
    assert len(books.postman.take()) == 1


def test_old_news_is_forgotten(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "KEPT", 3)
    with books.write() as session:
        for number in range(10):
            events.publish(session, "match.finished", number, now=books.clock())
    tick.tick(books.context)
    with books.read() as session:
        assert session.scalar(select(func.count()).select_from(Event)) == 3
        assert session.scalar(select(func.max(Event.subject))) == "9"


@pytest.mark.parametrize(
    "text, kept", [("plain", "plain"), ("a\0b", "a�b"), ("x\ud800y", "x?y"), ("long" * 9, "longlo")]
)
def test_a_text_is_made_fit_for_every_database(text: str, kept: str) -> None:
    assert events.storable(text, 6) == kept


def test_a_context_wants_a_secret_a_broker_and_the_schema(tmp_path: Path) -> None:
    place = str(tmp_path)
    with pytest.raises(BadSetting, match="SECRET_KEY"):
        make_context(Settings(data=place))
    with pytest.raises(BadSetting, match="BROKER_URL"):
        make_context(Settings(data=place, secret_key=SECRET))
    settings = Settings(data=place, secret_key=SECRET)
    with pytest.raises(Unavailable, match="the database has schema none"):
        make_context(settings, sender=Postman())
    migrate(database_url(settings))
    context = make_context(settings, sender=Postman())
    assert (tmp_path / "matchbox.db").exists()
    assert context.now() > 1_700_000_000_000
    context.close()


def test_a_folder_s_name_is_taken_as_it_is(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path / "a%41 #ä"), secret_key=SECRET)
    Path(settings.data).mkdir()
    migrate(database_url(settings))
    assert (Path(settings.data) / "matchbox.db").exists()


def test_the_books_may_be_elsewhere() -> None:
    url = "postgresql+psycopg://books@host/matchbox"
    assert database_url(Settings(database_url=url)) == url


def test_an_arena_that_has_fallen_silent_counts_no_more(books: Books) -> None:
    report(books, box="process", walled=False, why="no Landlock", arena="gone")
    books.clock.pass_by(minutes=6)
    assert not the_wall(books).walled
    report(books, box="bwrap", walled=True, arena="here")
    told = the_wall(books)
    assert told.walled
    assert set(told.arenas) == {"here"}
