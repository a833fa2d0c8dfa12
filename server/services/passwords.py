"""Checks and hashes passwords and other secrets. Knows no account.

common_passwords.txt lists the passwords that attackers try first, one a line, in lower case.
"""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from matchbox.errors import BadName, Unavailable

_FIELDS: Final = ("password", "new")
"""The fields of forms that take a new password."""
MIN_LENGTH: Final = 10
MAX_LENGTH: Final = 1000
MIN_DISTINCT: Final = 4
"""The least number of different characters in a password."""
LIST: Final = Path(__file__).with_name("common_passwords.txt")
_AROUND: Final = string.digits + string.punctuation + string.whitespace
_WORD: Final = re.compile(r"[^\W\d_]+")
_LETTERS: Final = str.maketrans("0134578@$!€", "oieastbasie")
"""Maps digits and symbols to the letters that they commonly stand for."""
_ROWS: Final = (
    string.ascii_lowercase,
    string.digits,
    "1234567890",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "zxcvbnm",
)
"""Rows of keys. A password must not be a walk along one of them."""
_HASHER: Final = PasswordHasher()
_QUICK: Final = PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1)
"""Hashes passwords that are drawn by `readable`. Nobody can guess those, however quick the hash."""
MAX_CONCURRENT: Final = 2
"""How many passwords a process hashes at the same time. Each takes 64 MiB and a core."""
WAIT_S: Final = 8.0
"""The time, in seconds, that a password waits for others to be hashed."""
_TURNS: Final = BoundedSemaphore(MAX_CONCURRENT)
_SOUNDS: Final = ("bdfgklmnprstvz", "aeiou")
"""Letters that look different on paper, and are read aloud as they are written."""


def hash_password(password: str, name: str) -> str:
    """Returns the hash of a new password for the account with this name.

    Raises BadName if the password is easy to guess, or Unavailable if too many are being hashed.
    """
    check(password, name)
    try:
        with _turn():
            return _HASHER.hash(password)
    except UnicodeEncodeError:
        raise BadName("this password holds half a character; choose another").of(*_FIELDS) from None


def readable() -> str:
    """Returns a random password that is easy to copy from paper, such as bakedopa-rimufaso-4729.

    There are 2 to the power of 62 of them.
    """
    return f"{_word()}-{_word()}-{secrets.randbelow(10_000):04}"


def hash_readable(password: str) -> str:
    """Returns the hash of a password that `readable` has returned. Forty take less than a
    second."""
    return _QUICK.hash(password)


def is_password_of(kept: str | None, password: str) -> bool:
    """Returns whether `kept` is the hash of this password.

    Without a hash it takes as long as with one of `hash_password`. Raises Unavailable if too many
    passwords are being hashed.
    """
    try:
        with _turn():
            return _HASHER.verify(kept or _nobody(), password) and kept is not None
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False


def digest_of(secret: str) -> str:
    """Returns the digest of a random secret, 64 hex digits. Such a secret needs no slow hash."""
    return blake2b(secret.encode("utf-8", "replace"), digest_size=32).hexdigest()


def check(password: str, name: str) -> None:
    """Raises BadName, with the reason, if the password is easy to guess."""
    if len(password) < MIN_LENGTH:
        raise BadName(f"a password has {MIN_LENGTH} characters or more; choose another").of(
            *_FIELDS
        )
    if len(password) > MAX_LENGTH:
        raise BadName(f"a password has {MAX_LENGTH:,} characters or fewer; choose another").of(
            *_FIELDS
        )
    if len(set(password)) < MIN_DISTINCT:
        raise BadName(
            f"this password has fewer than {MIN_DISTINCT} different characters; choose another"
        ).of(*_FIELDS)
    plain = _plain_forms(password)
    if name.casefold() in plain:
        raise BadName("this password is little more than your account's name; choose another").of(
            *_FIELDS
        )
    if plain & _common() or any(_is_walk(form) for form in plain):
        raise BadName(
            "this password is one of the common ones, which attackers try first; choose another, "
            "such as four words that do not belong together"
        ).of(*_FIELDS)


@contextmanager
def _turn() -> Iterator[None]:
    """Waits until fewer than MAX_CONCURRENT passwords are being hashed.

    Raises Unavailable if that takes too long.
    """
    if not _TURNS.acquire(timeout=WAIT_S):
        raise Unavailable(
            "too many passwords are being checked at the moment, so nothing was done; try again in "
            "a few seconds"
        )
    try:
        yield
    finally:
        _TURNS.release()


def _plain_forms(password: str) -> set[str]:
    """The simpler forms of a password, to be compared with the common ones.

    The password is put in lower case, stripped of digits and symbols around it, and read with
    letters in place of symbols. If a form repeats one part, that part is a form as well.
    """
    lower = password.casefold()
    words = set(_WORD.findall(lower))
    inner = ({lower, lower.strip(_AROUND)} | (words if len(words) == 1 else set())) - {""}
    lettered = inner | {form.translate(_LETTERS) for form in inner}
    return lettered | {_repeated_part(form) for form in lettered}


def _repeated_part(text: str) -> str:
    """The shortest text that makes this one when it is repeated."""
    return text[: (text + text).index(text, 1)]


def _is_walk(text: str) -> bool:
    return len(text) >= MIN_LENGTH and any(
        text in way for row in _ROWS for way in (row * 3, row[::-1] * 3)
    )


@cache
def _common() -> frozenset[str]:
    return frozenset(LIST.read_text(encoding="utf-8").split())


@cache
def _nobody() -> str:
    """A hash to check for unknown names, so that they take as long as known ones."""
    return _HASHER.hash(secrets.token_hex(16))


def _word() -> str:
    return "".join(secrets.choice(_SOUNDS[place % 2]) for place in range(8))
