"""Stores the accounts and bots of a platform of any size, all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.site.bouts import GAME, KINDS, source_of
from matchbox.bundle import digest
from server.db.models import Bot, Bundle, Role, User, Version, VersionState
from server.times import DAY_MS

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

BOTS_EACH: Final = 4
"""The number of bots of an author."""
OLDER: Final = 4
"""One of this many bots has an older version that has played too."""
_REPORT: Final = {
    "verdict": "accepted",
    "reasons": [],
    "class_name": "Player",
    "games": 8,
    "cpu_ms_per_decision": 0.2,
    "log": "",
    "box": "bwrap",
}


@dataclass(frozen=True, slots=True)
class Crowd:
    """The accounts and bots of a platform."""

    alice: User
    """The author who owns the first bots."""
    charlie: User
    """The operator."""
    authors: list[User]
    """All of them, alice first."""
    bots: list[Bot]
    versions: list[Version]
    """The active version of each bot, in the same order."""

    def kind(self, place: int) -> int:
        """The index of the shipped bot that the bot at this place is a copy of."""
        return place % len(KINDS)


def gather(session: Session, bots: int, *, now: int) -> Crowd:
    """Makes the accounts and that many bots, each accepted; returns them."""
    made = now - 90 * DAY_MS
    people = -(-bots // BOTS_EACH)
    names = ["alice", *(f"author-{number:04}" for number in range(1, people))]
    authors = [User(name=name, password="", created_at=made) for name in names]
    charlie = User(name="charlie", password="", role=Role.OPERATOR, created_at=made)
    session.add_all([charlie, *authors])
    session.flush()
    entered = []
    for place in range(bots):
        owner = authors[place // BOTS_EACH]
        bot = Bot(owner=owner, name=f"bot-{place:04}", game=GAME, created_at=made + place)
        bot.versions = [_version(session, bot, place, number) for number in _numbers(place)]
        entered.append(bot)
    session.add_all(entered)
    session.flush()
    return Crowd(authors[0], charlie, authors, entered, [bot.versions[-1] for bot in entered])


def _numbers(place: int) -> range:
    """The numbers of the versions of the bot at this place."""
    return range(1, 2 if place % OLDER else 3)


def _version(session: Session, bot: Bot, place: int, number: int) -> Version:
    text = source_of(place % len(KINDS)) + f"# {bot.name} {number}\n".encode()
    session.add(Bundle(digest=digest(text), data=text))
    newest = number == _numbers(place)[-1]
    return Version(
        number=number,
        digest=digest(text),
        state=VersionState.ACTIVE if newest else VersionState.ACCEPTED,
        report=_REPORT,
        rated_matches=100,
        rated_bouts=400,
        created_at=bot.created_at + number,
        settled_at=bot.created_at + number + 1000,
    )
