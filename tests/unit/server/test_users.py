"""The list of accounts that operators search, and an account's sessions and tokens."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from matchbox.errors import BadName, BadOption, Forbidden, NotFound
from server.db.models import Audit, Role, Token, User
from server.queries import tokens
from server.queries.users import logged_in, users
from server.queries.users import user as told_user
from server.services import account_operations, accounts, sessions
from server.times import DAY_MS
from tests.books import Books
from tests.plans import explained
from tests.unit.server.conftest import PASSWORD


def crowd(books: Books, count: int) -> None:
    """Makes this many accounts; every tenth is closed, every hundredth an operator's."""
    with books.write() as session:
        for number in range(count):
            session.add(
                User(
                    name=f"member-{number:04}",
                    role=Role.AUTHOR if number % 100 else Role.OPERATOR,
                    email=f"M{number:04}_x@example.org",
                    created_at=0,
                    closed_at=None if number % 10 else 1,
                )
            )


def test_the_accounts_come_in_pages_and_everybody_once(books: Books, charlie: User) -> None:
    crowd(books, 450)
    with books.write() as session:
        accounts.house(session, now=0)
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = users(session, charlie, cursor=cursor, limit=200)
            seen += [one.name for one in page.items]
            if (cursor := page.next) is None:
                break
    assert (page.page, page.pages, page.found) == (3, 3, 451)
    assert seen == sorted(seen)
    assert len(set(seen)) == 451
    assert "house" not in seen


def test_who_closes_the_accounts_of_each_page_leaves_none_out(books: Books, charlie: User) -> None:
    crowd(books, 450)
    closed, cursor = 0, None
    while True:
        with books.write() as session:
            page = users(session, charlie, role="author", state="open", cursor=cursor, limit=100)
            for one in page.items:
                session.get_one(User, one.id).closed_at = 1
        closed += len(page.items)
        if (cursor := page.next) is None:
            break
    assert closed == 405


def test_a_search_finds_parts_of_names_and_addresses_roles_and_states(
    books: Books, charlie: User
) -> None:
    crowd(books, 300)
    with books.write() as session:
        searches: tuple[tuple[dict[str, Any], int], ...] = (
            ({"wanted": "R-002"}, 10),
            ({"wanted": "m0021_X@"}, 1),
            ({"wanted": "m00_1"}, 0),  # no wild cards
            ({"role": "operator"}, 4),
            ({"role": "operator", "state": "open"}, 1),
            ({"state": "closed"}, 30),
            ({"wanted": "nobody"}, 0),
        )
        for asked, found in searches:
            assert users(session, charlie, **asked).found == found, asked
        assert users(session, charlie, cursor="99", limit=200).page == 2, "the last one"
        mistakes: tuple[dict[str, Any], ...] = (
            {"role": "house"}, {"state": "x"}, {"cursor": "x"}, {"limit": 0},
        )  # fmt: skip
        for wrong in mistakes:
            with pytest.raises(BadOption):
                users(session, charlie, **wrong)


@pytest.mark.parametrize("wanted", ["Özlem", "özlem", "ÜNAL", "Ö"])
def test_a_note_is_found_by_letters_of_either_case(
    books: Books, charlie: User, alice: User, wanted: str
) -> None:
    with books.write() as session:
        account_operations.set_note(session, charlie, "alice", "Özlem Ünal", now=books.clock())
        assert [one.name for one in users(session, charlie, wanted=wanted).items] == ["alice"]
    with books.read() as session:
        assert [one.name for one in users(session, charlie, wanted=wanted).items] == ["alice"]


def test_operators_see_who_is_logged_in_page_by_page(
    books: Books, dora: User, charlie: User, alice: User
) -> None:
    with books.write() as session:
        ended = sessions.begin(session, alice, agent="curl/8.1", now=books.clock())
    books.clock.pass_by(minutes=20 * 1440)
    with books.write() as session:
        for number in range(5):
            owner = charlie if number % 2 else dora
            sessions.begin(session, owner, agent=f"agent {number}", now=books.clock())
    books.clock.pass_by(minutes=10 * 1440)
    with books.read() as session:
        assert sessions.session_of(session, ended, now=books.clock()) is None
        seen, cursor = [], None
        with explained(session, "browser_session") as plans:
            while True:
                now = books.clock()
                page = logged_in(session, charlie, 3, now=now, cursor=cursor, limit=2)
                seen += page.items
                if (cursor := page.next) is None:
                    break
        assert [(one.account, one.browser) for one in seen] == [
            ("dora", "agent 4"),
            ("charlie", "agent 3"),
            ("dora", "agent 2"),
            ("charlie", "agent 1"),
            ("dora", "agent 0"),
        ]
        assert [one.current for one in seen].count(True) == 1
        for plan in plans:
            assert "SEARCH browser_session USING INDEX ix_browser_session_ends_at" in plan
            assert "TEMP B-TREE" not in plan
        with pytest.raises(Forbidden):
            logged_in(session, dora, None, now=now)
        with pytest.raises(BadOption):
            logged_in(session, charlie, None, now=now, cursor="7")


def test_only_operators_see_accounts(books: Books, alice: User) -> None:
    with books.context.read() as session:
        for viewer in (alice, None):
            with pytest.raises(Forbidden):
                users(session, viewer)
            with pytest.raises(Forbidden):
                told_user(session, viewer, "alice", now=books.clock())


def test_an_operator_ends_a_session_and_revokes_a_token(
    books: Books, dora: User, charlie: User, alice: User
) -> None:
    with books.write() as session:
        now = books.clock()
        secret = sessions.begin(session, dora, agent="Firefox Linux", now=now)
        token = accounts.make_token(session, dora, "laptop", now=now)
        told = told_user(session, charlie, "dora", now=now)
        ((browser,), (made,)) = told.sessions, told.tokens
        assert (browser.browser, made.name, made.revoked_at) == ("Firefox on Linux", "laptop", None)
        assert secret not in told.model_dump_json()
        assert token not in told.model_dump_json()
        for end in (account_operations.end_session, account_operations.revoke_token):
            number = browser.id if end is account_operations.end_session else made.id
            with pytest.raises(Forbidden):
                end(session, alice, "dora", number, now=now)
            with pytest.raises(NotFound):
                end(session, charlie, "alice", number, now=now)
            end(session, charlie, "dora", number, now=now)
            with pytest.raises(NotFound):
                end(session, charlie, "dora", number, now=now)
        assert sessions.session_of(session, secret, now=now) is None
        with pytest.raises(Forbidden):
            accounts.token_of(session, token, now=now)
        log = session.query(Audit).order_by(Audit.id).all()
        assert [(one.action, one.detail) for one in log] == [
            ("user.session", {"ended": browser.id}),
            ("user.token", {"revoked": "laptop"}),
        ]


def test_a_revoked_token_is_listed_for_a_while_with_the_time_it_was_revoked(
    books: Books, dora: User, charlie: User
) -> None:
    with books.write() as session:
        now = books.clock()
        accounts.make_token(session, dora, "laptop", now=now)
        (made,) = tokens(session, dora)
        accounts.revoke_token(session, dora, made.id, now=now)
        assert tokens(session, dora) == []
        (told,) = told_user(session, charlie, "dora", now=now + 1).tokens
        assert told.revoked_at is not None
        later = now + (accounts.ENDED_DAYS + 1) * DAY_MS
        assert told_user(session, charlie, "dora", now=later).tokens == []


def test_an_expired_token_is_listed_for_a_while(books: Books, dora: User, charlie: User) -> None:
    with books.write() as session:
        now = books.clock()
        for days in (1, 100):
            accounts.make_token(session, dora, f"of {days} days", days=days, now=now)
        accounts.make_token(session, dora, "without end", now=now)
        session.execute(update(Token).where(Token.name == "without end").values(ends_at=None))
        later = now + accounts.ENDED_DAYS * DAY_MS
        assert len(told_user(session, charlie, "dora", now=later).tokens) == 3
        left = told_user(session, charlie, "dora", now=later + DAY_MS).tokens
        assert [one.name for one in left] == ["of 100 days", "without end"]


def test_no_account_gets_the_name_of_a_deleted_one(books: Books, charlie: User) -> None:
    with books.write() as session:
        now = books.clock()
        for name in ("deleted-author-1", "deleted-author-x"):
            with pytest.raises(BadName, match="kept for accounts that were deleted"):
                accounts.sign_up(session, name, PASSWORD, signup="open", now=now)
    for name in ("deleted-author-1", "deleted-author-x"):
        with pytest.raises(BadName, match="choose another"):
            accounts.create_user(charlie, books.acting(charlie), name, PASSWORD, "author")


def test_a_page_of_the_accounts_is_read_in_the_order_of_the_index(
    books: Books, charlie: User
) -> None:
    crowd(books, 10)
    with books.read() as session, explained(session) as plans:
        users(session, charlie, cursor="2", limit=5)
    counted, paged, of_bots = plans
    assert counted.startswith("SCAN user")
    assert paged.startswith("SCAN user USING INDEX")  # by name, until the page is full
    assert of_bots.startswith("SEARCH bot USING COVERING INDEX")
    assert not [plan for plan in plans if "TEMP B-TREE" in plan], plans
