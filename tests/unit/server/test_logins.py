"""Guessed passwords: pauses that grow and end, for one network and for all together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext

import pytest
from sqlalchemy import select

from matchbox.errors import Forbidden, TooMany, Unavailable
from server.db.models import LoginAttempts, Role, User
from server.services import accounts, logins, passwords
from server.services.tick import tick
from server.times import DAY_MS, HOUR_MS
from tests.books import Books, open_books
from tests.plans import explained
from tests.unit.server.conftest import PASSWORD

MALLORY = "192.0.2.66"
HOME = "2001:db8:1:2::/64"


def guess(books: Books, password: str, network: str = MALLORY, name: str = "dora") -> User:
    """Attempts to log in once."""
    with logins.counting_failure(books.context, name, network), books.read() as session:
        return accounts.log_in(session, name, password)


def fail(books: Books, network: str = MALLORY, name: str = "dora") -> None:
    """Makes an attempt with a wrong password, but without its slow hash."""
    with pytest.raises(Forbidden), logins.counting_failure(books.context, name, network):
        raise Forbidden("the name or the password is wrong")


def pause_of(books: Books, network: str = MALLORY, name: str = "dora") -> int:
    """Returns how many seconds the next attempt has to wait."""
    with pytest.raises(TooMany) as refused, logins.counting_failure(books.context, name, network):
        raise AssertionError("no attempt is made during a pause")
    assert refused.value.wait_s is not None
    return refused.value.wait_s


def fail_often(books: Books, times: int, network: str = MALLORY) -> None:
    """Tries wrong passwords, each as soon as it is allowed."""
    for _ in range(times):
        fail(books, network)
        books.clock.pass_by(seconds=logins.NETWORK.longest_ms / 1000)


def test_the_pause_grows_with_each_wrong_password_and_ends(books: Books) -> None:
    for _ in range(logins.NETWORK.free):
        fail(books)
    pauses = []
    for _ in range(11):
        pauses.append(pause_of(books))
        books.clock.pass_by(seconds=pauses[-1])
        fail(books)
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


def test_a_caller_is_told_how_long_to_wait(books: Books) -> None:
    for _ in range(logins.NETWORK.free):
        fail(books)
    with pytest.raises(TooMany, match=r"from your network; try again in 1 second$"):
        guess(books, PASSWORD)
    for _ in range(10):
        books.clock.pass_by(minutes=5)
        fail(books)
    with pytest.raises(TooMany, match="try again in 5 minutes"):
        guess(books, PASSWORD)


def test_after_the_pause_the_right_password_opens(books: Books, dora: User) -> None:
    for _ in range(logins.NETWORK.free):
        fail(books, HOME)
    books.clock.pass_by(seconds=pause_of(books, HOME))
    assert guess(books, PASSWORD, HOME).id == dora.id
    for _ in range(logins.NETWORK.free - 1):
        fail(books, HOME)
    assert guess(books, PASSWORD, HOME).id == dora.id


def test_a_guesser_is_stopped_and_would_not_be_without_the_pause(
    books: Books, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    guesses = ["monkey", "dragon", "qwerty", "iloveyou", PASSWORD]

    def attack(network: str) -> int | None:
        for text in guesses:
            try:
                return guess(books, text, network).id
            except Forbidden:
                continue
        return None

    with pytest.raises(TooMany):
        attack(MALLORY)
    monkeypatch.setattr(logins.Limit, "pause_ms", lambda self, wrong: 0)
    assert attack("198.51.100.66") == dora.id


def test_guesses_at_once_are_all_counted(books: Books) -> None:
    def attempt(_: int) -> str:
        try:
            fail(books)
        except TooMany:
            return "refused"
        return "checked"

    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(attempt, range(24)))
    assert told.count("checked") == logins.NETWORK.free


def test_every_web_process_knows_of_every_guess(books: Books) -> None:
    other = open_books(books.context.database.url)
    for process in (books, other, books):
        fail(process)
    assert pause_of(other) == 1
    other.context.close()


def test_an_attacker_does_not_lock_the_owner_out(books: Books, dora: User) -> None:
    fail_often(books, 12)
    fail(books)
    assert pause_of(books) == 300
    assert guess(books, PASSWORD, HOME).id == dora.id


def test_many_networks_together_wait_a_minute_at_most(books: Books) -> None:
    for number in range(logins.ACCOUNT.free):
        fail(books, f"198.51.100.{number}")
    pauses = []
    for number in range(9):
        pauses.append(pause_of(books, "203.0.113.200"))
        books.clock.pass_by(seconds=pauses[-1])
        fail(books, f"203.0.113.{number}")
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    with pytest.raises(TooMany, match=r"many networks.* or from where you have logged in before"):
        guess(books, PASSWORD, "203.0.113.200")


def test_many_networks_do_not_lock_the_owner_out_at_home(books: Books, dora: User) -> None:
    assert guess(books, PASSWORD, HOME).id == dora.id
    for number in range(logins.ACCOUNT.free):
        fail(books, f"198.51.100.{number}")
    assert pause_of(books, "203.0.113.1") == 1
    assert guess(books, PASSWORD, HOME).id == dora.id
    fail(books, HOME)
    assert pause_of(books, "203.0.113.1") == 1, "a mistake at home is not counted against others"
    books.clock.pass_by(minutes=24 * 60 * 89)
    for number in range(logins.ACCOUNT.free):
        fail(books, f"198.51.100.{number}")
    fail(books, HOME)
    books.clock.pass_by(minutes=24 * 60 * 2)
    for number in range(logins.ACCOUNT.free):
        fail(books, f"198.51.100.{number}")
    assert pause_of(books, HOME) == 1, "what was known three months ago is no more"


def test_names_without_an_account_wait_as_others_do(books: Books, dora: User) -> None:
    for name in ("dora", "nobody", "x" * 5000, "\ud800", ""):
        for _ in range(logins.NETWORK.free):
            fail(books, name=name)
        assert pause_of(books, name=name) == 1


def test_the_books_tell_neither_name_nor_network(books: Books, dora: User) -> None:
    fail(books)
    with books.read() as session:
        rows = session.scalars(select(LoginAttempts.subject)).all()
    assert len(rows) == 2
    assert all(len(row) == 64 and int(row, 16) for row in rows)
    other = open_books(books.context.database.url, secret_key="another key of 32 characters ....")
    fail(other)
    other.context.close()
    assert books.count(LoginAttempts) == 4


def test_counts_are_forgotten_after_an_hour_and_known_networks_later(
    books: Books, dora: User
) -> None:
    guess(books, PASSWORD, HOME)
    for _ in range(logins.NETWORK.free):
        fail(books)
    tick(books.context)
    assert books.count(LoginAttempts) == 3
    books.clock.pass_by(minutes=60)
    fail(books)
    fail(books)
    books.clock.pass_by(minutes=60)
    tick(books.context)
    assert books.count(LoginAttempts) == 1
    books.clock.pass_by(minutes=24 * 60 * 90)
    tick(books.context)
    assert books.count(LoginAttempts) == 0


def test_a_password_that_could_not_be_checked_does_not_count(
    books: Books, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "WAIT_S", 0.0)
    with ExitStack() as others:
        for _ in range(passwords.MAX_CONCURRENT):
            others.enter_context(passwords._turn())
        for _ in range(2 * logins.NETWORK.free):
            with pytest.raises(Unavailable):
                guess(books, PASSWORD)
    assert guess(books, PASSWORD).name == "dora"


def test_a_password_that_could_not_be_checked_costs_no_pause(
    books: Books, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(logins.NETWORK.free + 2):
        books.clock.pass_by(minutes=5)
        fail(books)
    books.clock.pass_by(minutes=5)
    monkeypatch.setattr(passwords, "WAIT_S", 0.0)
    with ExitStack() as others:
        for _ in range(passwords.MAX_CONCURRENT):
            others.enter_context(passwords._turn())
        for _ in range(3):
            with pytest.raises(Unavailable):
                guess(books, PASSWORD)
    assert guess(books, PASSWORD).name == "dora"


def test_a_wrong_password_keeps_its_pause_when_one_before_it_could_not_be_checked(
    books: Books, dora: User
) -> None:
    for _ in range(logins.NETWORK.free - 2):
        fail(books)

    def interrupted() -> None:
        with logins.counting_failure(books.context, "dora", HOME):
            fail(books)
            raise Unavailable("the hasher is busy")

    with pytest.raises(Unavailable):
        interrupted()
    fail(books)
    with pytest.raises(TooMany):
        guess(books, PASSWORD)


def test_no_writer_looks_through_all_counts(books: Books, dora: User) -> None:
    fail(books)
    books.clock.pass_by(minutes=60)
    with books.read() as session:
        old = logins.old(session, now=books.clock())
    assert len(old) == 2
    fail(books)  # The counts begin anew, so they matter again.
    with books.write() as session, explained(session, "login_attempts") as plans:
        assert logins.trim(session, old, now=books.clock()) == 0
        assert logins.trim(session, old, now=books.clock() + HOUR_MS) == 2
    assert all("SEARCH login_attempts USING" in plan for plan in plans), plans


def test_a_pause_from_a_clock_that_was_ahead_is_over(books: Books, dora: User) -> None:
    books.clock.pass_by(minutes=1440)
    fail_often(books, 3)
    fail(books)
    assert pause_of(books)
    books.clock.pass_by(minutes=-1440)
    assert guess(books, PASSWORD).id == dora.id


@pytest.mark.parametrize(
    ("since_ms", "fresh"),
    [(0, True), (logins.FRESH_MS, True), (logins.FRESH_MS + 1, False), (-DAY_MS, False)],
)
def test_a_login_stands_for_a_password_for_ten_minutes_and_not_from_a_clock_that_was_ahead(
    books: Books, since_ms: int, fresh: bool
) -> None:
    with books.write() as session:
        user = accounts.add(session, "owl", None, Role.AUTHOR, now=books.clock())
    with nullcontext() if fresh else pytest.raises(Forbidden, match="log in again"):
        begun = books.clock() - since_ms
        logins.confirm(books.context, user, "", network=HOME, begun=begun)
