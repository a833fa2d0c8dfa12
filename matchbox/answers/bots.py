"""Bots, their versions, drafts, and the reports of try-outs."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from matchbox.answers import Answer
from matchbox.answers.queue import Waiting
from matchbox.answers.standings import BoardLine

State: TypeAlias = Literal[
    "pending", "active", "accepted", "quarantined", "suspended", "refused", "retired"
]

FILE_REMOVED: Final = (
    "the version was refused, and its file has been removed since; the verdict stays, and its "
    "author may upload the file again"
)
"""The reason why a file can no longer be read."""


class Report(Answer):
    """The report of a try-out. Only the owner and operators get the `log`.

    `peak_bytes` is the most memory that the bot's process has held, Python's own included. The log
    was removed after `log_days` if that is not null. A report of an earlier version of the platform
    may have fewer fields.
    """

    verdict: str
    reasons: list[str]
    games: int
    cpu_ms_per_decision: float
    box: str
    accepted: bool = True
    class_name: str | None = None
    unrepeatable: bool = False
    cpu_ms_per_deal: float | None = None
    peak_bytes: int | None = None
    log: str | None = None
    log_days: int | None = None


class VersionLine(Answer):
    """A version of a bot; `report` is null until there is one.

    `trouble` says why it is `parked` for an operator, in quarantine or suspended; an error of the
    platform is for operators, and that of a try-out for its owner too. It forfeited `forfeits` of
    its `rated_bouts` in `rated_matches`. It is `stateful` if it was found to keep state between
    bouts. In `sampled` matches, some bouts were played again alone to find that out. It is
    `unrepeatable` if it answered differently when a game was played twice.
    """

    id: int
    number: int
    digest: str
    class_name: str | None
    state: State
    created_at: str
    settled_at: str | None
    unrepeatable: bool
    stateful: bool
    sampled: int
    trouble: str
    forfeits: int
    rated_bouts: int
    rated_matches: int
    parked: bool
    report: Report | None


class Version(VersionLine):
    """An upload and its verdict; it is `mine` for its owner and for operators.

    `waiting` tells them why its try-out has not begun, if it waits.
    """

    bot: str
    owner: str
    name: str
    game: str
    mine: bool
    waiting: Waiting | None = None


class Draft(Answer):
    """A file that is tried out without becoming a version, for its owner alone.

    `report` is null until the verdict. `trouble` says why the platform `lost` it. It is deleted an
    hour after it was sent.
    """

    id: int
    game: str
    title: str
    digest: str
    class_name: str | None
    state: Literal["pending", "accepted", "refused", "lost"]
    created_at: str
    settled_at: str | None
    trouble: str
    report: Report | None
    waiting: Waiting | None = None


class BotName(Answer):
    """The name of a bot: `bot` is owner/name."""

    bot: str
    owner: str
    name: str


class BotLine(BotName):
    """A bot in a list; `number` and `state` are those of its newest version.

    `title` is the game's. `active` is the number of the version that it plays with, or null.
    """

    game: str
    title: str
    created_at: str
    retired_at: str | None
    active: int | None
    number: int | None
    state: State | None


class Bot(BotLine):
    """A bot with its versions, newest first; it is `mine` for its owner and for operators.

    `standing` is its line of the leaderboard, or null. `cpu_ms_per_bout` is the mean processor time
    of the version that it plays with, in its newest rated matches; null if there is none yet. If
    its owner's account is `closed`, it only plays on in seasons that were frozen before.
    """

    mine: bool
    standing: BoardLine | None
    versions: list[VersionLine]
    cpu_ms_per_bout: float | None = None
    closed: bool = False


class Bots(Answer):
    """A page of the bots."""

    items: list[BotLine]
    next: str | None


class AuthorBot(BotLine):
    """A bot of an author; `standing` is its line of the leaderboard, or null."""

    standing: BoardLine | None


class Author(Answer):
    """An author with all bots, newest first, including the retired.

    If the account is `closed`, its bots only play on in seasons that were frozen before.
    """

    name: str
    created_at: str
    bots: list[AuthorBot]
    closed: bool = False
