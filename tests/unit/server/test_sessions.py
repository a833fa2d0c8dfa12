"""Stored sessions: how one begins, lasts and ends; and tokens with scopes and an end."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text

from matchbox.errors import BadOption, Forbidden, NotFound
from server.db.migrations import configuration, migrate
from server.db.models import BrowserSession, Token, User
from server.db.session import Database
from server.services import accounts, sessions
from tests.books import Books

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1"
)


def begin(books: Books, user: User, agent: str = FIREFOX) -> str:
    """Begins a session; returns its secret."""
    with books.write() as session:
        return sessions.begin(session, user, agent=agent, now=books.clock())


def found(books: Books, secret: str) -> BrowserSession | None:
    """Returns the valid session with this secret."""
    with books.read() as session:
        return sessions.session_of(session, secret, now=books.clock())


def test_a_session_is_found_by_its_secret_which_is_not_on_the_books(
    books: Books, alice: User
) -> None:
    secret = begin(books, alice)
    row = found(books, secret)
    assert row is not None
    assert (row.user_id, row.browser) == (alice.id, "Firefox on Linux")
    assert secret not in row.digest
    assert found(books, secret + "x") is None
    assert found(books, row.digest) is None


def test_a_session_ends_when_nobody_has_used_it_for_long(books: Books, alice: User) -> None:
    secret = begin(books, alice)
    books.clock.pass_by(minutes=20 * 1440)
    row = found(books, secret)
    assert row is not None
    with books.write() as session:
        sessions.note_use(session, secret, now=books.clock())
    books.clock.pass_by(minutes=20 * 1440)
    assert found(books, secret) is not None
    books.clock.pass_by(minutes=10 * 1440)
    assert found(books, secret) is None
    with books.read() as session:
        assert sessions.sessions(session, alice, now=books.clock()) == []
    newest = found(books, begin(books, alice))
    assert newest is not None
    with books.read() as session:
        left = [one.digest for one in session.query(BrowserSession)]
    assert left == [newest.digest], "the next log-in sweeps away what has ended"


def test_a_session_keeps_the_address_of_its_last_use(books: Books, alice: User) -> None:
    with books.write() as session:
        first = "192.0.2.7"
        secret = sessions.begin(session, alice, agent=FIREFOX, address=first, now=books.clock())

    def use(address: str | None, minutes: float) -> tuple[bool, str | None]:
        """Returns whether a use after some minutes is to be noted, and the session's address after
        it."""
        books.clock.pass_by(seconds=int(60 * minutes))
        with books.write() as session:
            row = sessions.session_of(session, secret, now=books.clock())
            assert row is not None
            stale = sessions.is_stale(row, address, now=books.clock())
            sessions.note_use(session, secret, address=address, now=books.clock())
            session.refresh(row)
            assert (row.seen_at == books.clock()) is stale
            return stale, row.address

    assert use("192.0.2.7", 9) == (False, "192.0.2.7")
    assert use("192.0.2.7", 1) == (True, "192.0.2.7")
    assert use("2001:db8::1", 0.5) == (False, "192.0.2.7"), "two addresses in turn write little"
    assert use("2001:db8::1", 0.5) == (True, "2001:db8::1")
    assert use(None, 1) == (True, None)
    assert use("x" * 60, 1) == (True, "x" * sessions.ADDRESS)
    assert use("x" * 60, 1) == (False, "x" * sessions.ADDRESS)


def test_each_account_ends_its_own_sessions(books: Books, alice: User, bob: User) -> None:
    first, second, his = begin(books, alice), begin(books, alice, SAFARI), begin(books, bob)
    with books.write() as session:
        mine = sessions.sessions(session, alice, now=books.clock())
        assert [row.browser for row in mine] == ["Safari on iPhone", "Firefox on Linux"]
        with pytest.raises(NotFound):
            sessions.end(session, bob, mine[1].id)
        sessions.end(session, alice, mine[1].id)
        with pytest.raises(NotFound):
            sessions.end(session, alice, mine[1].id)
    assert found(books, first) is None
    assert found(books, second) is not None
    with books.write() as session:
        assert sessions.end_all(session, alice) == 1
    assert found(books, second) is None
    assert found(books, his) is not None


def test_a_session_that_has_ended_leaves_the_next_with_its_number_alone(
    books: Books, alice: User, bob: User
) -> None:
    over = begin(books, alice)
    first = found(books, over)
    with books.write() as session:
        sessions.forget(session, over)
    secret = begin(books, bob)
    row = found(books, secret)
    assert first is not None
    assert row is not None
    assert row.id == first.id, "SQLite gives the number again"
    books.clock.pass_by(minutes=60)
    with books.write() as session:
        sessions.note_use(session, over, address="192.0.2.7", now=books.clock())
        sessions.forget(session, over)
    later = found(books, secret)
    assert later is not None
    assert (later.address, later.seen_at) == (None, row.seen_at)


def test_the_oldest_session_makes_room(books: Books, alice: User) -> None:
    secrets = []
    for _ in range(sessions.MAX_SESSIONS + 2):
        books.clock.pass_by(seconds=1)
        secrets.append(begin(books, alice))
    lasting = [found(books, secret) is not None for secret in secrets]
    assert lasting == [False] * 2 + [True] * sessions.MAX_SESSIONS


def test_the_session_that_was_not_used_for_longest_makes_room(books: Books, alice: User) -> None:
    used, idle = begin(books, alice), begin(books, alice)
    books.clock.pass_by(minutes=60)
    row = found(books, used)
    assert row is not None
    with books.write() as session:
        sessions.note_use(session, used, now=books.clock())
    for _ in range(sessions.MAX_SESSIONS - 1):
        begin(books, alice)
    assert found(books, used) is not None
    assert found(books, idle) is None


def test_no_session_begins_with_a_password_that_has_just_changed(books: Books) -> None:
    with books.write() as session:
        dora = accounts.sign_up(session, "dora", "a password of dora", signup="open", now=1)
    with books.write() as session:
        again = session.get(User, dora.id)
        assert again is not None
        accounts.change_password(session, again, "a password of dora", "battery staple", now=1)
    with pytest.raises(Forbidden, match="just been changed"):
        begin(books, dora)
    with books.write() as session, pytest.raises(Forbidden):
        accounts.same_password(session, dora)


def test_no_session_begins_for_an_account_that_was_just_closed(books: Books, alice: User) -> None:
    with books.write() as session:
        session.get_one(User, alice.id).closed_at = books.clock()
    with pytest.raises(Forbidden):
        begin(books, alice)
    with books.read() as session, pytest.raises(Forbidden, match="is closed"):
        accounts.same_password(session, alice)


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/126.0 Safari/537.36 Edg/126.0", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10) Chrome/1 Safari/1", "Chrome on macOS"),
        ("curl/8.1", "curl"),
        ("Werkzeug/3.1", "Werkzeug/3.1"),
        ("\N{SNOWMAN}", "unknown"),
        ("", "unknown"),
        ("x" * 300, "x" * 64),
    ],
)
def test_a_browser_is_told_in_few_words(agent: str, told: str) -> None:
    assert sessions.browser_of(agent) == told


def make(books: Books, user: User, **more: object) -> Token:
    """A new token's row."""
    with books.write() as session:
        secret = accounts.make_token(session, user, "ci", now=books.clock(), **more)  # type: ignore[arg-type]
        return accounts.token_of(session, secret, now=books.clock())


def test_a_token_may_do_what_its_account_may_where_nobody_says(
    books: Books, alice: User, charlie: User
) -> None:
    assert make(books, alice).scopes == "read submit"
    assert make(books, charlie).scopes == "read submit operate"
    assert make(books, charlie, scopes=["submit", "read"]).scopes == "read submit"


@pytest.mark.parametrize("scopes", [[], ["write"], ["read", "everything"]])
def test_a_scope_that_is_none_is_refused(books: Books, alice: User, scopes: list[str]) -> None:
    with pytest.raises(BadOption, match="read, submit"):
        make(books, alice, scopes=scopes)


def test_an_authors_token_does_not_operate(books: Books, alice: User) -> None:
    with pytest.raises(Forbidden, match="only an operator's"):
        make(books, alice, scopes=["read", "operate"])


def test_a_token_makes_none_that_may_do_more_or_lasts_longer(books: Books, charlie: User) -> None:
    first = make(books, charlie, scopes=["read", "submit"], days=30)
    second = make(books, charlie, by=first)
    assert (second.scopes, second.ends_at) == ("read submit", first.ends_at)
    assert make(books, charlie, by=first, days=7).ends_at == books.clock() + 7 * 86_400_000
    with pytest.raises(Forbidden, match="its own scopes"):
        make(books, charlie, by=first, scopes=["operate"])


@pytest.mark.parametrize("days", [0, -1, accounts.MAX_TOKEN_DAYS + 1])
def test_a_token_lasts_days_or_years(books: Books, alice: User, days: int) -> None:
    with pytest.raises(BadOption, match="1 to 3650 days"):
        make(books, alice, days=days)


def test_a_token_comes_to_its_end_and_then_counts_no_more(books: Books, alice: User) -> None:
    with books.write() as session:
        secret = accounts.make_token(session, alice, "ci", now=books.clock(), days=7)
        for number in range(accounts.TOKENS - 1):
            accounts.make_token(session, alice, f"{number}", now=books.clock(), days=7)
    end = books.clock() + 7 * 86_400_000
    with books.read() as session:
        accounts.token_of(session, secret, now=end - 1)
        with pytest.raises(Forbidden, match="has expired"):
            accounts.token_of(session, secret, now=end)
    with books.write() as session:
        accounts.make_token(session, alice, "one more", now=end)


def test_a_new_password_revokes_tokens_where_asked(books: Books) -> None:
    old, new, newest = "a password of dora", "battery staple", "another staple"
    with books.write() as session:
        dora = accounts.sign_up(session, "dora", old, signup="open", now=1)
        accounts.make_token(session, dora, "ci", now=1)
    begin(books, dora)
    with books.write() as session:
        dora = accounts.change_password(session, dora, old, new, now=2)
        assert len(accounts.tokens(session, dora)) == 1
        assert list(sessions.sessions(session, dora, now=2)) == []
    with books.write() as session:
        dora = accounts.change_password(session, dora, new, newest, now=3, revoke=True)
        assert list(accounts.tokens(session, dora)) == []


def test_tokens_of_before_keep_what_their_account_could_do(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    database = Database(url)
    with database.connect() as connection:
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, "0011")
        for number, role in enumerate(("author", "operator"), start=1):
            connection.execute(
                text(
                    "INSERT INTO user (id, name, role, created_at, muted, shares) "
                    f"VALUES ({number}, '{role}', '{role}', 1, '[]', 0)"
                )
            )
            connection.execute(
                text(
                    "INSERT INTO token (digest, purpose, user_id, name, created_at) "
                    f"VALUES ('{role}', 'api', {number}, '', 1)"
                )
            )
        connection.execute(
            text(
                "INSERT INTO token (digest, purpose, name, created_at) "
                "VALUES ('link', 'first-operator', '', 1)"
            )
        )
    migrate(url)
    with database.read() as session:
        kept = {row.digest: (row.scopes, row.ends_at) for row in session.query(Token)}
    database.close()
    assert kept == {
        "author": ("read submit", None),
        "operator": ("read submit operate", None),
        "link": ("", None),
    }
