"""Seasons with bots whose author has deleted the account, which changes the names of the bots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, func, select

from matchbox.errors import Conflict
from matchbox.league.archive import Archive, standings_agree
from server import queries
from server.db.migrations import upgrade
from server.db.models import Event, MatchSeat, Season, SeasonState, Standing, User, Version
from server.queries.archive import write_archive
from server.services import (
    account_deletion,
    accounts,
    operations,
    season_progress,
    seasons,
    verifications,
)
from server.services.tick import tick
from tests.books import SIMPLE, Books, play_out, played, season_of

PASSWORD = "a password of zoe"
KNOCK_OUT = {"kind": "knock-out", "group": 3}
SWISS = {"kind": "swiss"}


@pytest.fixture
def zoe(books: Books) -> User:
    """An author whose name comes last; the name of a deleted author comes first."""
    with books.write() as session:
        return accounts.sign_up(session, "zoe", PASSWORD, signup="open", now=books.clock())


def field(books: Books, zoe: User, n: int) -> list[Version]:
    """Returns `n` bots, each of an owner of its own; the first is zoe's."""
    books.league(paused=True)
    owners = [zoe, *(books.person(f"p{number}") for number in range(n - 1))]
    return [books.bot(owner, "bot") for owner in owners]


def delete(books: Books, zoe: User) -> str:
    """Deletes zoe's account; returns its name from then on."""
    account_deletion.delete_account(books.context, zoe, PASSWORD, network="here")
    return f"deleted-author-{zoe.id}"


def play_round(books: Books) -> None:
    """Plays what is queued, and lets the season go on."""
    for job in books.dispatch():
        books.record(played(job))
    tick(books.context)


def order_of(books: Books, season: Season) -> list[str]:
    """Returns the owners of the entrants in the order that was drawn."""
    with books.read() as session:
        field = season_progress.field_of(session, session.get_one(Season, season.id))
        return [name.partition("/")[0] for name in field.order]


@pytest.mark.parametrize(("form", "bots"), [(KNOCK_OUT, 4), (SWISS, 5)], ids=str)
def test_the_page_of_a_season_names_a_deleted_author_in_its_rounds(
    form: dict[str, Any], bots: int, books: Books, charlie: User, zoe: User
) -> None:
    season = season_of(books, charlie, field(books, zoe, bots), format=form)
    play_out(books)
    name = delete(books, zoe)
    with books.read() as session:
        rounds = queries.season(session, None, season.id).rounds
    named = {bot for one in rounds for bots in (one.rests, *one.ties) for bot in bots}
    assert f"{name}/bot" in named
    assert "zoe/bot" not in named


def test_a_knock_out_goes_on_after_an_entrant_has_deleted_the_account(
    books: Books, charlie: User, zoe: User
) -> None:
    season = season_of(books, charlie, field(books, zoe, 6), format=KNOCK_OUT)
    while not any(one["stage"] == "knock-out" for one in books.season(season).rounds):
        play_round(books)
    delete(books, zoe)
    play_out(books)
    assert books.season(season).state == SeasonState.FINISHED
    assert len(books.season(season).places) == 6


def test_the_draw_of_a_season_stays_when_a_name_changes(
    books: Books, charlie: User, zoe: User
) -> None:
    season = season_of(books, charlie, field(books, zoe, 8), format={"hours": 100})
    before = order_of(books, season)
    name = delete(books, zoe)
    assert order_of(books, season) == [name if one == "zoe" else one for one in before]


def test_the_draw_of_a_season_from_before_it_was_stored_stays_as_well(
    books: Books, charlie: User, zoe: User
) -> None:
    season = season_of(books, charlie, field(books, zoe, 8), format={"hours": 100})
    with books.write() as session:
        row = session.get_one(Season, season.id)
        row.rounds = older_rounds(books, season)
    before = order_of(books, season)
    name = delete(books, zoe)
    assert order_of(books, season) == [name if one == "zoe" else one for one in before]


def test_a_season_with_a_deleted_author_can_be_verified(
    books: Books, charlie: User, zoe: User, tmp_path: Path
) -> None:
    season = season_of(books, charlie, field(books, zoe, 4))
    play_out(books)
    delete(books, zoe)
    with books.read() as session, (tmp_path / "season.zip").open("w+b") as file:
        write_archive(session, None, season.id, "allowed", file)
        archive = Archive(file)
        assert standings_agree(archive.head.standing, archive.recompute_standing())


def test_an_upgrade_renames_deleted_authors_in_older_rounds(
    books: Books, charlie: User, zoe: User
) -> None:
    season = season_of(books, charlie, field(books, zoe, 4), format=KNOCK_OUT)
    play_out(books)
    before = older_rounds(books, season)
    delete(books, zoe)
    assert upgraded(books, season, before) == older_rounds(books, season) != before


@pytest.mark.parametrize("form", [KNOCK_OUT, SWISS], ids=str)
def test_an_upgrade_tells_deleted_authors_with_the_same_bot_apart(
    form: dict[str, Any], books: Books, charlie: User, zoe: User
) -> None:
    with books.write() as session:
        amy = accounts.sign_up(session, "amy", PASSWORD, signup="open", now=books.clock())
    others = field(books, zoe, 6)[1:]
    twins = [books.bot(owner, "twin", SIMPLE) for owner in (zoe, amy)]
    season = season_of(books, charlie, [*others, *twins], format=form)
    play_out(books)
    before = older_rounds(books, season)
    delete(books, zoe)
    delete(books, amy)
    assert upgraded(books, season, before) == older_rounds(books, season) != before


def older_rounds(books: Books, season: Season) -> list[Any]:
    """Returns the season's rounds as older releases stored them, without the draw."""
    rounds = books.season(season).rounds
    return [{name: part for name, part in one.items() if name != "order"} for one in rounds]


def upgraded(books: Books, season: Season, rounds: list[Any]) -> list[Any]:
    """Returns these rounds of the season after the upgrade; the season keeps its own."""
    kept = books.season(season).rounds
    with books.write() as session:
        session.get_one(Season, season.id).rounds = rounds
    with books.context.database.connect() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0043'")
        upgrade(connection, "0044")
    found = books.season(season).rounds
    with books.write() as session:
        session.get_one(Season, season.id).rounds = kept
    return found


def test_a_standing_that_is_recomputed_meanwhile_has_no_former_name(
    books: Books, charlie: User, zoe: User
) -> None:
    with books.write() as session:
        yann = accounts.sign_up(session, "yann", PASSWORD, signup="open", now=books.clock())
    books.league(paused=True)
    bots = [books.bot(owner, "bot") for owner in (zoe, yann, books.person("xeno"))]
    season = season_of(books, charlie, bots)
    play_out(books)
    tick(books.context)
    delete(books, yann)
    acting, leaving = books.acting(charlie), [zoe]

    def acting_after_a_deletion() -> Any:
        while leaving:
            delete(books, leaving.pop())
        return acting()

    operations.recompute_season(books.context, charlie, acting_after_a_deletion, season.id)
    with books.read() as session:
        standing = session.get_one(Standing, f"season:{season.id}")
        assert "zoe/" not in json.dumps([standing.lines, standing.facts])


@pytest.mark.parametrize("disqualified_first", [True, False])
def test_nobody_brings_the_bot_of_a_deleted_author_back_into_a_season(
    disqualified_first: bool, books: Books, charlie: User, zoe: User
) -> None:
    mine, *_ = bots = field(books, zoe, 6)
    season = season_of(books, charlie, bots, format=SWISS)
    play_round(books)
    asked: dict[str, Any] = {"reason": "why", "now": books.clock()}
    name = "zoe"
    if not disqualified_first:
        name = delete(books, zoe)
    with books.write() as session:
        operations.disqualify(session, charlie, season.id, f"{name}/bot", **asked)
    if disqualified_first:
        name = delete(books, zoe)
    with books.write() as session:
        assert not operations.reinstate(session, charlie, season.id, f"{name}/bot", **asked)
    assert out_of(books, season, mine) == ("suspended", "its author has deleted the account")
    refused = f"{name}/bot plays no further matches: its author has deleted the account"
    with books.write() as session, pytest.raises(Conflict, match=f"^{refused}$"):
        operations.reinstate(session, charlie, season.id, f"{name}/bot", **asked)
    with books.write() as session, pytest.raises(Conflict, match="only one that is suspended"):
        operations.reinstate_version(session, charlie, mine.id, **asked)
    before = seats_of(books, mine)
    play_out(books)
    assert seats_of(books, mine) == before


def test_a_page_of_a_season_hears_that_an_entrant_has_deleted_the_account(
    books: Books, charlie: User, zoe: User
) -> None:
    season = season_of(books, charlie, field(books, zoe, 3))
    delete(books, zoe)
    with books.read() as session:
        (event,) = session.scalars(select(Event).where(Event.kind == "season.suspend"))
        assert event.subject == str(season.id)


def test_a_season_s_verification_names_the_account_no_more(
    books: Books, zoe: User, charlie: User
) -> None:
    versions = field(books, zoe, 2)
    season = season_of(books, charlie, versions)
    with books.write() as session:
        seasons.cancel(session, charlie, season.id, now=books.clock())
    lessons = {"lessons": 1, "out_of": 1, "same": 0, "unrepeatable": [], "not_repeated": []}
    found = {**lessons, "different": [f"{versions[0].entrant} 1"]}
    counts: dict[str, Any] = {"matches": 0, "out_of": 1, "same": 0}
    ids: dict[str, Any] = {"different": [], "unrepeatable": [], "replayed_only": []}
    with books.write() as session:
        verifications.store(
            session, charlie, season.id, **counts, **ids, lessons=found, standing="same",
            now=books.clock(),
        )  # fmt: skip
    name = delete(books, zoe)
    with books.read() as session:
        verified = queries.season(session, None, season.id).verified
    assert verified is not None
    assert verified.lessons is not None
    assert verified.lessons["different"] == [f"{name}/bot:{versions[0].digest} 1"]


def test_deleting_an_account_needs_no_more_statements_for_more_finished_seasons(
    books: Books, charlie: User, zoe: User
) -> None:
    with books.write() as session:
        amy = accounts.sign_up(session, "amy", PASSWORD, signup="open", now=books.clock())
    books.league(paused=True)
    rival, one, other = (books.bot(who, "bot") for who in (books.person("bob"), zoe, amy))
    for number, mine in enumerate([one, other, other, other, other]):
        name = f"season {number}"
        season_of(books, charlie, [mine, rival], name=name, seed=f"the seed of {name}")
        play_out(books)
    counts: list[int] = []
    for owner in (zoe, amy):
        statements: list[str] = []

        def note(*told: Any, kept: list[str] = statements) -> None:
            kept.append(told[2])

        event.listen(Engine, "before_cursor_execute", note)
        delete(books, owner)
        event.remove(Engine, "before_cursor_execute", note)
        counts.append(len(statements))
    few, many = counts
    assert many <= few


def out_of(books: Books, season: Season, version: Version) -> tuple[str, str]:
    """Returns how and why the entrant is out of the season."""
    with books.read() as session:
        entries = {one.version_id: one for one in session.get_one(Season, season.id).entries}
        return entries[version.id].out, entries[version.id].out_why


def seats_of(books: Books, version: Version) -> int:
    """Returns the number of the version's seats in matches."""
    with books.read() as session:
        its_own = MatchSeat.version_id == version.id
        return session.scalar(select(func.count()).select_from(MatchSeat).where(its_own)) or 0
