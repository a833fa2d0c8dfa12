"""Refused passwords, and accepted ones."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Lock

import pytest

from matchbox.errors import BadName, Unavailable
from server.services import passwords

LISTED = passwords.LIST.read_text(encoding="utf-8").split()


@pytest.mark.parametrize(
    "password",
    [
        "password123",
        "Password2026!",
        "P@ssw0rd2026",
        "  letmein1234",
        "iloveyou!!!!",
        "qwertyuiop",
        "poiuytrewq",
        "1234567890",
        "0987654321",
        "3456789012",
        "9876543210",
        "abcdefghijkl",
        "sunshine2024",
        "michael12345",
        "DragonDragon",
        "monkeymonkeymonkey",
        "matchbox2026",
        "m4tchb0x!!",
        "MatchboxMatchbox",
        "correcthorsebatterystaple",
    ],
)
def test_a_common_password_is_refused_and_told_why(password: str) -> None:
    with pytest.raises(BadName, match="one of the common ones"):
        passwords.check(password, "dora")


@pytest.mark.parametrize(
    "password", ["dora-dora-dora", "dora2026!!", "DORADORADORA", "d0r4d0r4d0r4", "!!!!!!dora"]
)
def test_the_accounts_own_name_is_refused_and_told_why(password: str) -> None:
    passwords.check(password, "erik")
    with pytest.raises(BadName, match="your account's name"):
        passwords.check(password, "dora")


@pytest.mark.parametrize("password", ["1111111111", "ababababab", "aaaaaaaaaaaab"])
def test_too_few_characters_are_refused_and_told_why(password: str) -> None:
    with pytest.raises(BadName, match="4 different characters"):
        passwords.check(password, "dora")


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("ninechars", "10 characters or more"),
        ("", "10 characters or more"),
        ("x" * (passwords.MAX_LENGTH + 1), "1,000 characters or fewer"),
    ],
)
def test_a_password_of_another_length_is_refused(password: str, why: str) -> None:
    with pytest.raises(BadName, match=why):
        passwords.check(password, "dora")


@pytest.mark.parametrize(
    "password",
    [
        "a password of dora",
        "correct horse battery",
        "my dragon eats soup",
        "tacit-plum-orbit-fern",
        "4tZ)q8_wK1",
        "zwölf Boxkämpfer",
        "0001-4873-2910",
    ],
)
def test_a_password_that_nobody_tries_first_is_taken(password: str) -> None:
    passwords.check(password, "dora")
    kept = passwords.hash_password(password, "dora")
    assert passwords.is_password_of(kept, password)
    assert not passwords.is_password_of(kept, password + "x")


def test_a_drawn_password_has_62_bits_and_opens_as_any_other() -> None:
    drawn = passwords.readable()
    assert re.fullmatch(r"([bdfgklmnprstvz][aeiou]){4}-([bdfgklmnprstvz][aeiou]){4}-\d{4}", drawn)
    assert (14 * 5) ** 8 * 10_000 > 2**62
    kept = passwords.hash_readable(drawn)
    assert passwords.is_password_of(kept, drawn)
    assert not passwords.is_password_of(kept, drawn + "x")


def test_nothing_fits_where_nothing_is_kept() -> None:
    assert not passwords.is_password_of(None, "a password of dora")
    assert not passwords.is_password_of("", "a password of dora")
    assert not passwords.is_password_of("no hash", "a password of dora")


def test_the_list_is_long_and_in_order() -> None:
    assert len(LISTED) > 1000
    assert sorted(set(LISTED)) == LISTED
    assert [word for word in LISTED if word != word.casefold()] == []


def test_every_word_of_the_list_is_refused_as_it_stands() -> None:
    taken = []
    for word in LISTED:
        try:
            passwords.check(word, "dora")
        except BadName:
            continue
        taken.append(word)
    assert taken == []


class Counting:
    """A hasher that notes how many threads use it at the same time."""

    def __init__(self) -> None:
        self.busy = self.most = 0
        self._lock = Lock()

    def hash(self, password: str) -> str:
        return f"hash of {password}"

    def verify(self, kept: str, password: str) -> bool:
        with self._lock:
            self.busy += 1
            self.most = max(self.most, self.busy)
        time.sleep(0.01)
        with self._lock:
            self.busy -= 1
        return True


def test_a_process_hashes_only_a_few_passwords_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = Counting()
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda _: passwords.is_password_of("kept", "a guess"), range(32)))
    assert all(found)
    assert hasher.most <= passwords.MAX_CONCURRENT


def test_a_password_is_not_checked_while_others_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = passwords.hash_password("a password of dora", "dora")
    monkeypatch.setattr(passwords, "WAIT_S", 0.01)
    with ExitStack() as others:
        for _ in range(passwords.MAX_CONCURRENT):
            others.enter_context(passwords._turn())
        with pytest.raises(Unavailable, match="too many passwords are being checked"):
            passwords.is_password_of(kept, "a password of dora")
        with pytest.raises(Unavailable, match="nothing was done"):
            passwords.hash_password("another one of hers", "dora")
    assert passwords.is_password_of(kept, "a password of dora")
