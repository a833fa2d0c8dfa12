"""The faults of all bots over the last day or week, for operators; and those of one bot."""

from __future__ import annotations

from matchbox.answers import Answer


class FaultKind(Answer):
    """How often a kind of fault happened, and to how many versions.

    The kind `platform` counts versions that were present when the platform failed at a match.
    """

    kind: str
    faults: int
    bots: int


class BotFaults(Answer):
    """The faults of a version by kind; `faults` leaves out those of the platform.

    `last_match` is a match with the newest of them, in the hour that begins at `last_hour`.
    """

    bot: str
    version: int
    state: str
    faults: int
    kinds: dict[str, int]
    last_match: str
    last_hour: str


class Faults(Answer):
    """The faults since an hour, the most frequent kinds and versions first.

    `found` is the number of versions with faults; the first 100 are listed.
    """

    days: int
    since: str
    kinds: list[FaultKind]
    bots: list[BotFaults]
    found: int


class OneFault(Answer):
    """A fault of a bot: in the match's bout number `bout`, from 0, after `moves` moves of all.

    `seat` is the bot's seat there. `detail` is null, except for the bot's owner and operators.
    """

    kind: str
    detail: str | None
    version: int
    match: str
    bout: int
    seat: int
    moves: int
    at: str | None


class FaultList(Answer):
    """A page of a bot's faults, those of the newest match first."""

    items: list[OneFault]
    next: str | None
