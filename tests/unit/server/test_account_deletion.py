"""Deleting an account, and all of its data as a zip."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import func, select

from matchbox.bundle import digest
from matchbox.errors import BadName, BadOption, Conflict, Forbidden, NotFound, TooMany
from matchbox.match.record import Bout
from matchbox.match.wire import PlayMatch
from server.db.models import (
    Audit,
    BrowserSession,
    Comparison,
    Delivery,
    Draft,
    Entry,
    Event,
    Identity,
    Lesson,
    Match,
    MatchState,
    MatchVerification,
    Memory,
    Notice,
    PlayTable,
    Season,
    Standing,
    Token,
    User,
    Version,
    VersionState,
)
from server.queries import play as queries
from server.queries.matches import matches as told_matches
from server.queries.personal_data import write_personal_data
from server.services import (
    account_deletion,
    account_operations,
    accounts,
    admission,
    audit,
    comparisons,
    contact,
    drafts,
    notices,
    operations,
    play,
    seasons,
    sessions,
    uploads,
)
from server.services.tick import tick
from tests.books import GAME, SIMPLE, Books, played, scripted
from tests.unit.server.routes.conftest import open_season, start_season

PASSWORD = "a password of dora"
ISSUER_AND_SUBJECT = ("https://id.example.org", "4711")
MEMORY = b"what it has learned"


@pytest.fixture
def dora(books: Books) -> User:
    """An author with a password, who is logged in and has a token."""
    with books.write() as session:
        user = accounts.sign_up(session, "dora", PASSWORD, signup="open", now=books.clock())
        user.email, user.note = "dora@example.org", "Dora Maar"
        sessions.begin(session, user, agent="a test", now=books.clock())
        accounts.make_token(session, user, "laptop", now=books.clock())
        return user


def delete(books: Books, user: User, password: str = PASSWORD) -> None:
    """Deletes the account."""
    account_deletion.delete_account(books.context, user, password, network="here")


def test_an_older_account_with_such_a_name_is_in_nobodys_way(books: Books, dora: User) -> None:
    with books.write() as session:
        session.add(User(name=f"deleted-author-{dora.id}", role="author", created_at=0))
    delete(books, dora)
    with books.context.read() as session:
        assert session.get_one(User, dora.id).name == f"deleted-author-{dora.id}x"


def finish_some(books: Books) -> None:
    """Plays the queued matches."""
    tick(books.context)
    for job in books.dispatch():
        books.record(played(job))
    tick(books.context)


def test_what_was_played_stays_as_that_of_a_deleted_author(
    books: Books, dora: User, bob: User
) -> None:
    books.league()
    for user in (dora, bob):
        books.bot(user, f"{user.name}-bot")
    finish_some(books)
    delete(books, dora)
    with books.context.read() as session:
        gone = session.get_one(User, dora.id)
        assert (gone.name, gone.password, gone.email) == (f"deleted-author-{dora.id}", None, None)
        assert gone.note == ""
        finished = told_matches(session, bot=f"{gone.name}/dora-bot", state="finished").items
        assert finished
        names = {entrant.bot for match in finished for entrant in match.entrants}
        assert names == {f"{gone.name}/dora-bot", "bob/bob-bot"}
        for table in (Token, BrowserSession, Notice):
            mine = select(func.count()).select_from(table).where(table.user_id == dora.id)
            assert session.scalar(mine) == 0
        assert {one.state for bot in gone.bots for one in bot.versions} == {VersionState.RETIRED}
        assert session.scalars(select(Audit.action)).all()[-1] == "user.delete"
        for standing in session.scalars(select(Standing)):
            assert "dora/" not in json.dumps([standing.lines, standing.facts])


def test_a_deleted_account_makes_no_room_for_more_links_to_an_address(books: Books) -> None:
    settings = replace(books.settings, smtp_host="mail.example", smtp_sender="x@bots.example")
    address = "Victim@example.org"

    def ask_and_delete(name: str) -> None:
        with books.write() as session:
            now = books.clock()
            user = accounts.sign_up(session, name, PASSWORD, signup="open", now=now)
            contact.request_confirmation(session, user, address, settings=settings, now=now)
        delete(books, user)

    for number in range(contact.ACCOUNTS):
        ask_and_delete(f"bomber-{number}")
    with books.read() as session:
        assert not [text for text in session.scalars(select(Notice.text)) if "example" in text]
    with pytest.raises(TooMany, match="too many links"):
        ask_and_delete("one-more")
    books.clock.pass_by(minutes=24 * 60)
    tick(books.context)
    with books.read() as session:
        assert session.scalars(select(Notice)).all() == [], "a day later nothing is left"
    ask_and_delete("another")


def test_nothing_of_others_goes_with_an_account(books: Books, dora: User, bob: User) -> None:
    bots = [books.bot(user, f"{user.name}-bot") for user in (dora, bob)]
    with books.write() as session:
        now = books.clock()
        session.get_one(User, bob.id).email = "bob@example.org"
        sessions.begin(session, bob, agent="a test", now=now)
        accounts.make_token(session, bob, "laptop", now=now)
        notices.notify_account(session, bob.id, "verdict", "season:1", "done", now=now)
        settings = books.settings
        drafts.try_draft(session, bob, game=GAME, data=SIMPLE, settings=settings, now=now)

    def kept() -> list[int | None]:
        tables = (Token, BrowserSession, Notice)
        with books.read() as session:
            counts = [select(func.count()).where(one.user_id == bob.id) for one in tables]
            his = select(Notice.id).where(Notice.user_id == bob.id)
            mails = select(func.count()).where(Delivery.notice_id.in_(his))
            tried = select(func.count()).where(Draft.owner_id == bob.id)
            return [session.scalar(one) for one in (*counts, mails, tried)]

    before = kept()
    assert 0 not in before
    delete(books, dora)
    assert kept() == before
    assert [books.version(one.id).state for one in bots] == [
        VersionState.RETIRED,
        VersionState.ACTIVE,
    ]


def test_what_became_of_its_bots_is_told_without_the_name(
    books: Books, dora: User, bob: User, charlie: User
) -> None:
    books.league()
    alice = books.person("alice")
    season = open_season(books, charlie, dora, bob, alice)
    start_season(books, charlie, season)
    books.bot(dora, "other")
    tick(books.context)
    with books.write() as session:
        now, settings = books.clock(), books.settings
        operations.disqualify(session, charlie, season, "dora/dora-bot", "spam", now=now)
        seats = ["me", "friend"]
        table = play.open_table(
            session, dora, game=GAME, seats=seats, options={}, settings=settings, now=now
        )
        play.leave(session, dora, table.id, now=now)
        uploads.retire(session, dora, "dora/other", now=now)
        account_operations.close(session, charlie, "dora", "spam", now=now)
        account_operations.reopen(session, charlie, "dora", now=now)
    before = sentences(books)
    assert {"dora left the table.", "the account dora was closed", "dora/other"} <= before
    assert "out of the season: dora/dora-bot" in before
    delete(books, dora)
    name, after = f"deleted-author-{dora.id}", sentences(books)
    assert {f"{name} left the table.", f"the account {name} was closed", f"{name}/other"} <= after
    assert f"out of the season: {name}/dora-bot" in after
    assert not any(re.search(r"(?<!-)dora(?!-bot)", text) for text in after)


def test_reasons_that_name_its_bots_name_a_deleted_author(
    books: Books, dora: User, bob: User, charlie: User
) -> None:
    books.league()
    season = open_season(books, charlie, dora, bob, books.person("alice"))
    start_season(books, charlie, season)
    books.bot(bob, "bob-bot", SIMPLE + b"# its second\n")
    with books.write() as session:
        now, settings = books.clock(), books.settings
        operations.disqualify(
            session, charlie, season, "dora/dora-bot", "dora/dora-bot is theo-dora/bot", now=now
        )
        comparisons.start(session, bob, "bob/bob-bot", games=100, settings=settings, now=now)
        (match, *_) = session.scalars(select(Match).where(Match.state == MatchState.VOID))
        match.void_why = "dora/dora-bot v1 was suspended"
        comparison = session.scalars(select(Comparison)).one()
        comparison.result = {"why": "version 1 of dora/dora-bot is retired"}
    delete(books, dora)
    name = f"deleted-author-{dora.id}"
    assert {
        f"{name}/dora-bot v1 was suspended",
        f"{name}/dora-bot is theo-dora/bot",
        f"version 1 of {name}/dora-bot is retired",
    } <= sentences(books)


def test_a_reason_with_the_new_name_is_cut_to_its_column(
    books: Books, dora: User, bob: User, charlie: User
) -> None:
    books.league()
    season = open_season(books, charlie, dora, bob)
    start_season(books, charlie, season)
    reason = ", ".join(["dora/dora-bot"] * 26)
    with books.write() as session:
        now = books.clock()
        operations.disqualify(session, charlie, season, "dora/dora-bot", reason, now=now)
        (match, *_) = session.scalars(select(Match))
        match.state, match.void_why = MatchState.VOID, reason
    delete(books, dora)
    with books.context.read() as session:
        entry = session.scalars(select(Entry).where(Entry.out != "")).one()
        found = {session.get_one(Match, match.id).void_why, entry.out_why}
    assert found == {", ".join([f"deleted-author-{dora.id}/dora-bot"] * 26)[:500]}


def sentences(books: Books) -> set[str]:
    """Returns every sentence and event about a bot or a person that strangers may read."""
    with books.context.read() as session:
        columns = (Match.void_why, Entry.out_why, PlayTable.why, Event.subject)
        found = {text for column in columns for text in session.scalars(select(column))}
        results = session.scalars(select(Comparison.result)).all()
    return found | {result["why"] for result in results if result and "why" in result}


def what_else_is_kept(books: Books, dora: User, charlie: User) -> str:
    """Gives dora two tables, one of which she left, a comparison, a draft, a memory and a
    verification.

    Returns the id of the table that was left.
    """
    second = books.bot(dora, "dora-bot", SIMPLE + b"# her second\n")
    with books.write() as session:
        now, settings = books.clock(), books.settings
        asked: dict[str, Any] = {"game": GAME, "options": {}, "settings": settings, "now": now}
        tables = [
            play.open_table(session, dora, seats=["me", "bob/bob-bot"], **asked) for _ in range(2)
        ]
        move = queries.table(session, dora, tables[0].id, settings=settings).choices[0].move
        play.move(session, dora, tables[0].id, move, settings=settings, now=now)
        play.leave(session, dora, tables[0].id, now=now)
        tables[1].created_at += 1
        comparisons.start(session, dora, "dora/dora-bot", games=100, settings=settings, now=now)
        drafts.try_draft(session, dora, game=GAME, data=SIMPLE, settings=settings, now=now)
        session.add(Memory(digest=digest(MEMORY), data=MEMORY))
        issuer, subject = ISSUER_AND_SUBJECT
        session.add(
            Identity(issuer=issuer, subject=subject, user_id=dora.id, created_at=now, used_at=now)
        )
        season = seasons.create(session, charlie, name="s", league=GAME, now=now)
        session.add(
            Lesson(
                season_id=season.id, version_id=second.id, round=1, played=[],
                after=digest(MEMORY), created_at=now,
            )
        )  # fmt: skip
        match = session.scalars(select(Match.id).where(Match.state == MatchState.FINISHED)).first()
        session.add(MatchVerification(match_id=match, asker_id=dora.id, created_at=now))
        session.get_one(User, dora.id).reset_asked_at = now
        session.get_one(Version, second.id).network = "192.0.2.0/24"
        return tables[0].id


def test_nobody_gets_the_name_again(books: Books, dora: User, charlie: User) -> None:
    delete(books, dora)
    for name in ("dora", f"deleted-author-{dora.id}", "deleted-author-999"):
        with books.write() as session, pytest.raises((BadName, Conflict)):
            accounts.sign_up(session, name, PASSWORD, signup="open", now=books.clock())
    for name in ("dora", f"deleted-author-{dora.id}"):
        with pytest.raises(NotFound):
            account_operations.reset_password(charlie, books.acting(charlie), name)
    with books.read() as session, pytest.raises(Forbidden):
        accounts.log_in(session, "dora", PASSWORD)


def test_a_season_under_way_goes_on_without_its_bots(
    books: Books, dora: User, bob: User, charlie: User
) -> None:
    books.league()
    alice = books.person("alice")
    season = open_season(books, charlie, dora, bob, alice)
    start_season(books, charlie, season)
    with books.write() as session:
        late = seasons.create(session, charlie, name="late", league=GAME, now=books.clock())
    delete(books, dora)
    with books.write() as session:
        words = ("season-end", f"season:{season}", "It is over.")
        assert notices.notify_account(session, dora.id, *words, now=books.clock()) is None
        assert session.scalars(select(Notice).where(Notice.user_id == dora.id)).all() == []
    with books.context.read() as session:
        row = session.get_one(Season, season)
        assert {entry.bot.name: entry.out for entry in row.entries} == {
            "dora-bot": "suspended",
            "bob-bot": "",
            "alice-bot": "",
        }
        states = select(Match.state).where(Match.season_id == season)
        assert MatchState.VOID in set(session.scalars(states))
        assert session.scalars(select(Entry).where(Entry.season_id == late.id)).all() == []


def test_names_in_stored_figures_are_replaced(books: Books, dora: User, charlie: User) -> None:
    league = books.league()
    books.bot(dora, "one")
    with books.write() as session:
        facts = {"lack": {"worst": [{"first": "dora/one", "second": "bob/dora"}]}, "by": "elo"}
        session.merge(
            Standing(scope=f"league:{league.id}", rows_digest="", lines=[], matches=0, field="",
                     facts=facts, computed_at=0)
        )  # fmt: skip
    delete(books, dora)
    with books.context.read() as session:
        kept = session.get_one(Standing, f"league:{league.id}").facts["lack"]["worst"][0]
        assert kept == {"first": f"deleted-author-{dora.id}/one", "second": "bob/dora"}


def test_it_wants_the_password_and_another_operator(
    books: Books, dora: User, charlie: User
) -> None:
    with pytest.raises(Forbidden, match="wrong"):
        delete(books, dora, "not hers at all")
    with books.write() as session:
        account_operations.set_role(session, charlie, "dora", "operator", now=books.clock())
        account_operations.set_role(session, charlie, "charlie", "author", now=books.clock())
        known = session.get_one(User, dora.id)
    with pytest.raises(Conflict, match="last operator"):
        delete(books, known)
    with books.context.read() as session:
        assert accounts.log_in(session, "dora", PASSWORD).name == "dora"


def test_an_operator_deletes_a_closed_account_as_its_owner_would(
    books: Books, dora: User, bob: User, charlie: User
) -> None:
    books.league()
    season = open_season(books, charlie, dora, bob, books.person("alice"))
    start_season(books, charlie, season)
    with books.write() as session:
        now = books.clock()
        account_operations.close(session, charlie, "dora", "left", now=now)
        with pytest.raises(Forbidden):
            account_deletion.delete_closed_account(session, bob, "dora", "left", now=now)
        with pytest.raises(BadOption, match="say why"):
            account_deletion.delete_closed_account(session, charlie, "dora", " ", now=now)
        account_deletion.delete_closed_account(session, charlie, "dora", "left", now=now)
    with books.read() as session:
        user = session.get_one(User, dora.id)
        assert (user.name, user.note, user.email) == (f"deleted-author-{dora.id}", "", None)
        assert {bot.retired_at is None for bot in user.bots} == {False}
        entries = session.get_one(Season, season).entries
        assert [entry.out for entry in entries if entry.bot.owner_id == dora.id] == ["suspended"]
        (noted,) = session.scalars(select(Audit).where(Audit.action == "user.delete"))
        assert (noted.actor_id, noted.detail) == (charlie.id, {"reason": "left"})
    assert not any(re.search(r"(?<!-)dora(?!-bot)", text) for text in sentences(books))


def test_the_results_of_a_team_are_scores(books: Books, dora: User) -> None:
    books.league(game="thegame")
    books.bot(dora, "team", game="thegame")

    def team(job: PlayMatch, deal: int, rotation: int) -> Bout:
        return Bout(deal, rotation, [], [1, 1, 1], [40, 40, 40], "no card fits")

    tick(books.context)
    assert all(books.record(played(job, scripted(job, team))) for job in books.dispatch())
    file = io.BytesIO()
    with books.context.read() as session:
        write_personal_data(session, dora, file, settings=books.settings, now=books.clock())
    with ZipFile(file) as archive:
        lines = list(csv.DictReader(io.StringIO(archive.read("results.csv").decode())))
    assert {(line["points"], line["score"]) for line in lines} == {("", "40.0")}


def test_the_data_of_an_account_is_one_zip_with_every_file_and_result(
    books: Books, dora: User, bob: User, charlie: User
) -> None:
    books.league()
    for user in (dora, bob):
        books.bot(user, f"{user.name}-bot")
    finish_some(books)
    table = what_else_is_kept(books, dora, charlie)
    with books.write() as session:
        admission.invite(session, charlie, GAME, "dora", now=books.clock())
        reason = {"reason": "copied bots"}
        for actor in (charlie, dora):
            audit.note(session, actor, "user.close", f"user:{dora.id}", reason, now=books.clock())
        session.get_one(PlayTable, table).why = odd = "other breaks\u2028of\x85lines"
    file = io.BytesIO()
    with books.context.read() as session:
        user = session.get_one(User, dora.id)
        write_personal_data(session, user, file, settings=books.settings, now=books.clock())
    with ZipFile(file) as archive:
        names = set(archive.namelist())
        assert {"README.txt", "account.json", "notices.json", "actions.json"} <= names
        source = archive.read("bots/dora-bot/v1.py")
        assert source.startswith(SIMPLE[:20])
        known = json.loads(archive.read("account.json"))
        assert (known["name"], known["delivery"]["email"]) == ("dora", "dora@example.org")
        assert len(known["sessions"]) == len(known["tokens"]) == 1
        assert [one["league"] for one in known["invitations"]] == [GAME]
        (elsewhere,) = known["identities"]
        assert (elsewhere["issuer"], elsewhere["subject"]) == ISSUER_AND_SUBJECT
        assert json.loads(archive.read("bots/dora-bot/bot.json"))["versions"][-1]["number"] == 1
        lines = list(csv.DictReader(io.StringIO(archive.read("results.csv").decode())))
        assert {line["bot"] for line in lines} == {"dora/dora-bot"}
        assert {line["against"] for line in lines} == {"bob/bob-bot", ""}, "its own other version"
        assert {line["score"] for line in lines} == {""}
        (left, played) = json.loads(archive.read("tables.json"))
        assert (left["state"], left["seats"], left["record"]["match"]) == ("ended", [0], table)
        assert left["opened"]
        assert left["why"] == odd
        assert (played["state"], played["place"], played["record"]) == ("persons", None, None)
        done = json.loads(archive.read("actions.json"))
        assert [(one["detail"], one["by_you"]) for one in done] == [(reason, False), (reason, True)]
        (verified,) = json.loads(archive.read("verifications.json"))
        assert verified["match"] in {line["match"] for line in lines}
        assert (known["networks"], known["email_changed_at"]) == (["192.0.2.0/24"], None)
        assert known["reset_asked_at"] == verified["created_at"]
        (compared,) = json.loads(archive.read("comparisons.json"))
        assert compared["bot"] == "dora/dora-bot"
        assert archive.read("drafts/1.py") == SIMPLE
        assert archive.read(f"bots/dora-bot/memories/{digest(MEMORY)}") == MEMORY
        everything = b"".join(archive.read(name) for name in names)
    assert user.password is not None
    assert user.password.encode() not in everything
    with books.write() as session:
        found = account_operations.hand_over_data(session, charlie, "dora", now=books.clock())
        assert found.id == dora.id
        with pytest.raises(Forbidden):
            account_operations.hand_over_data(session, bob, "dora", now=books.clock())
