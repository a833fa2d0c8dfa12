"""The operators' actions on accounts: a new password, another role, closing and reopening."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from sqlalchemy import select

from matchbox.errors import BadName, BadOption, Conflict, Forbidden, NotFound
from server import queries
from server.db.models import Audit, Match, MatchState, Notice, Role, Season, User
from server.services import (
    account_operations,
    accounts,
    entries,
    password_links,
    passwords,
    seasons,
    sessions,
)
from server.services.tick import tick
from tests.books import GAME, Books, season_of
from tests.unit.server.conftest import PASSWORD


def doings(books: Books) -> list[tuple[str, int | None]]:
    """Returns the audit log: each action with its actor."""
    with books.context.read() as session:
        lines = session.scalars(select(Audit).order_by(Audit.id))
        return [(one.action, one.actor_id) for one in lines]


def test_a_reset_gives_a_new_password_ends_the_sessions_and_tells_the_owner(
    books: Books, dora: User, charlie: User
) -> None:
    with books.write() as session:
        sessions.begin(session, dora, agent="a test", now=books.clock())
        token = accounts.make_token(session, dora, "laptop", now=books.clock())
    fresh = account_operations.reset_password(charlie, books.acting(charlie), "dora")
    with books.write() as session:
        known = accounts.log_in(session, "dora", fresh)
        assert sessions.sessions(session, known, now=books.clock()) == []
        assert accounts.token_of(session, token, now=books.clock())
        with pytest.raises(Forbidden):
            accounts.log_in(session, "dora", PASSWORD)
        notice = session.scalars(select(Notice).where(Notice.user_id == dora.id)).one()
        assert notice.kind == "password"
        assert fresh not in notice.text
        here = nullcontext((session, None, books.clock()))
        account_operations.reset_password(None, lambda: here, "dora", revoke=True)
        with pytest.raises(Forbidden):
            accounts.token_of(session, token, now=books.clock())
    assert doings(books) == [("user.reset", charlie.id), ("user.reset", None)]


def test_an_operators_link_sets_a_password_once_and_the_old_one_works_until_then(
    books: Books, dora: User, charlie: User
) -> None:
    with books.write() as session:
        sessions.begin(session, dora, agent="a test", now=books.clock())
        made = account_operations.make_password_link(
            session, charlie, "dora", settings=books.settings, now=books.clock()
        )
    assert made.link.startswith(f"{books.settings.server_url.rstrip('/')}/reset/{dora.id}/")
    secret = made.link.rpartition("/")[2]
    with books.read() as session:
        known = accounts.log_in(session, "dora", PASSWORD)
        assert len(sessions.sessions(session, known, now=books.clock())) == 1
        notice = session.scalars(select(Notice).where(Notice.user_id == dora.id)).one()
        assert (notice.kind, secret in notice.text) == ("password", False)
        assert secret not in str(session.scalars(select(Audit.detail)).all())
    password_links.set_password(books.context, dora.id, secret, "another one of hers")
    with books.read() as session:
        known = accounts.log_in(session, "dora", "another one of hers")
        assert sessions.sessions(session, known, now=books.clock()) == []
    with pytest.raises(Forbidden, match="was used or replaced"):
        password_links.set_password(books.context, dora.id, secret, "a third one of hers")
    done = [("user.password-link", charlie.id), ("user.password", dora.id)]
    assert doings(books) == done


def test_an_operators_link_ends_after_an_hour_and_with_a_newer_one(
    books: Books, dora: User
) -> None:
    links = []
    for _ in range(2):
        with books.write() as session:
            made = account_operations.make_password_link(
                session, None, "dora", settings=books.settings, now=books.clock()
            )
        links.append(made.link.rpartition("/")[2])
        books.clock.pass_by(minutes=1)
    with pytest.raises(Forbidden):
        password_links.set_password(books.context, dora.id, links[0], "another one of hers")
    books.clock.pass_by(minutes=60)
    with pytest.raises(Forbidden, match="older than an hour"):
        password_links.set_password(books.context, dora.id, links[1], "another one of hers")


def test_an_account_without_a_password_gets_one_by_link_and_a_closed_one_no_link(
    books: Books, dora: User
) -> None:
    with books.write() as session:
        session.get_one(User, dora.id).password = None
        made = account_operations.make_password_link(
            session, None, "dora", settings=books.settings, now=books.clock()
        )
    secret = made.link.rpartition("/")[2]
    password_links.set_password(books.context, dora.id, secret, "the first one of hers")
    with books.write() as session:
        account_operations.close(session, None, "dora", "left", now=books.clock())
        with pytest.raises(Conflict, match="reopen it first"):
            account_operations.make_password_link(
                session, None, "dora", settings=books.settings, now=books.clock()
            )


def test_nobody_else_makes_the_platform_hash_a_password(
    books: Books, alice: User, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hash takes time, so the right is checked first."""
    monkeypatch.setattr(passwords, "hash_readable", lambda *_: pytest.fail("it was hashed"))
    with pytest.raises(Forbidden):
        account_operations.reset_password(alice, books.acting(alice), "dora")


def test_only_operators_do_any_of_it(books: Books, alice: User, dora: User) -> None:
    now = books.clock()
    for name in ("dora", "nobody"):
        with pytest.raises(Forbidden):
            account_operations.reset_password(alice, books.acting(alice), name)
    with books.write() as session:
        for name in ("dora", "nobody"):
            with pytest.raises(Forbidden):
                account_operations.make_password_link(
                    session, alice, name, settings=books.settings, now=now
                )
            with pytest.raises(Forbidden):
                account_operations.set_role(session, alice, name, "operator", now=now)
            with pytest.raises(Forbidden):
                account_operations.close(session, alice, name, "why", now=now)
            with pytest.raises(Forbidden):
                account_operations.reopen(session, alice, name, now=now)


def test_the_house_and_nobody_are_no_accounts(books: Books, charlie: User) -> None:
    with books.write() as session:
        accounts.house(session, now=books.clock())
        for name in ("house", "nobody"):
            with pytest.raises(NotFound):
                account_operations.close(session, charlie, name, "why", now=books.clock())


def test_a_role_changes_and_a_former_operators_tokens_end(
    books: Books, dora: User, charlie: User
) -> None:
    with books.write() as session:
        now = books.clock()
        account_operations.set_role(session, charlie, "dora", "operator", now=now)
        known = session.get_one(User, dora.id)
        token = accounts.make_token(session, known, "laptop", now=now)
        account_operations.set_role(session, charlie, "dora", "author", now=now)
        assert session.get_one(User, dora.id).role == Role.AUTHOR
        with pytest.raises(Forbidden):
            accounts.token_of(session, token, now=now)
        with pytest.raises(BadName):
            account_operations.set_role(session, charlie, "dora", "house", now=now)
        told = select(Notice.kind, Notice.text).where(Notice.user_id == dora.id)
        assert session.execute(told.order_by(Notice.id)).all() == [
            ("role", "Your account is an operator's now."),
            ("role", "Your account is an author's now. Its API tokens were revoked."),
        ]


def test_a_reason_for_a_closed_account_is_kept_whole_or_refused(
    books: Books, dora: User, charlie: User
) -> None:
    now = books.clock()
    with books.write() as session:
        for reason in (" ", "x" * 401):
            with pytest.raises(BadOption, match="in 1 to 400 characters"):
                account_operations.close(session, charlie, "dora", reason, now=now)
        account_operations.close(session, charlie, "dora", "x" * 400, now=now)


def test_the_last_operator_is_neither_demoted_nor_closed(
    books: Books, dora: User, charlie: User
) -> None:
    with books.write() as session:
        now = books.clock()
        with pytest.raises(Conflict, match="last operator"):
            account_operations.set_role(session, charlie, "charlie", "author", now=now)
        account_operations.set_role(session, charlie, "dora", "operator", now=now)
        account_operations.close(session, charlie, "dora", "left", now=now)
        with pytest.raises(Conflict, match="last operator"):
            account_operations.close(session, charlie, "charlie", "left", now=now)


def test_a_closed_account_is_locked_out_and_its_bots_leave_the_queue(
    books: Books, dora: User, bob: User, charlie: User
) -> None:
    books.league()
    bots = [books.the_bot(books.bot(user, f"{user.name}-bot")) for user in (dora, bob)]
    now = books.clock()
    with books.write() as session:
        spring = seasons.create(session, charlie, name="spring", league=GAME, now=now)
        for user, bot in zip((dora, bob), bots, strict=True):
            entries.enter(session, user, spring.id, bot.full_name, now=now)
        token = accounts.make_token(session, dora, "laptop", now=now)
        secret = sessions.begin(session, dora, agent="a test", now=now)
    tick(books.context)
    with books.write() as session:
        assert session.scalars(select(Match)).all()
        account_operations.close(session, charlie, "dora", "spam", now=now)
    with books.write() as session:
        states = set(session.scalars(select(Match.state)))
        assert states == {MatchState.VOID}
        assert [one.bot.name for one in session.get_one(Season, spring.id).entries] == ["bob-bot"]
        assert sessions.session_of(session, secret, now=now) is None
        with pytest.raises(Forbidden):
            accounts.token_of(session, token, now=now)
    for password, why in ((PASSWORD, "closed"), ("a guess at it", "wrong")):
        with pytest.raises(Forbidden, match=why), books.read() as session:
            accounts.log_in(session, "dora", password)
    books.clock.pass_by(minutes=5)
    tick(books.context)
    with books.write() as session:
        assert set(session.scalars(select(Match.state))) == {MatchState.VOID}, "nobody is left"
        with pytest.raises(Conflict):
            account_operations.close(session, charlie, "dora", "again", now=now)
        account_operations.reopen(session, charlie, "dora", now=now)
    with books.read() as session:
        assert accounts.log_in(session, "dora", PASSWORD).name == "dora"
    with books.write() as session:
        assert sessions.session_of(session, secret, now=now) is None
        with pytest.raises(Forbidden, match="unknown or revoked"):
            accounts.token_of(session, token, now=now)
        with pytest.raises(Conflict):
            account_operations.reopen(session, charlie, "dora", now=now)
    books.clock.pass_by(minutes=5)
    tick(books.context)
    with books.context.read() as session:
        assert set(session.scalars(select(Match.state))) > {MatchState.VOID}


def test_a_season_under_way_goes_on_with_the_bot_of_a_closed_account(
    books: Books, dora: User, bob: User, charlie: User
) -> None:
    books.league(paused=True)
    season_of(books, charlie, [books.bot(user, f"{user.name}-bot") for user in (dora, bob)])
    with books.write() as session:
        before = session.scalars(select(Match.state)).all()
        account_operations.close(session, charlie, "dora", "spam", now=books.clock())
    with books.read() as session:
        assert session.scalars(select(Match.state)).all() == before
    assert MatchState.VOID not in before


def test_a_bot_and_its_author_say_whether_the_account_is_closed(
    books: Books, dora: User, charlie: User
) -> None:
    books.bot(dora, "dora-bot")
    with books.write() as session:
        for closed in (False, True):
            if closed:
                account_operations.close(session, charlie, "dora", "spam", now=books.clock())
            assert queries.bot(session, None, "dora", "dora-bot").closed == closed
            assert queries.author(session, "dora").closed == closed


def test_closing_needs_a_reason(books: Books, dora: User, charlie: User) -> None:
    with books.write() as session, pytest.raises(BadOption):
        account_operations.close(session, charlie, "dora", "  ", now=books.clock())


def test_an_operator_notes_who_is_behind_an_account(
    books: Books, alice: User, charlie: User, dora: User
) -> None:
    with books.write() as session:
        now = books.clock()
        account_operations.set_note(session, charlie, "dora", "Dora Maar", now=now)
        assert session.get_one(User, dora.id).note == "Dora Maar"
        last = session.scalars(select(Audit).order_by(Audit.id.desc())).first()
        assert last is not None
        assert (last.action, last.subject, last.detail) == ("user.note", f"user:{dora.id}", {})
        account_operations.set_note(session, charlie, "dora", " ", now=now)
        assert session.get_one(User, dora.id).note == ""
        with pytest.raises(BadOption, match="more than 100 characters"):
            account_operations.set_note(session, charlie, "dora", "x" * 101, now=now)
        with pytest.raises(Forbidden):
            account_operations.set_note(session, alice, "dora", "me", now=now)
