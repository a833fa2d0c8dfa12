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
    """The faults of a version by kind; `faults` is their number without those of the platform.

    The newest fault happened in `last_match`, which was recorded at `last_at`, in the hour that
    begins at `last_hour`.
    """

    bot: str
    version: int
    state: str
    faults: int
    kinds: dict[str, int]
    last_match: str
    last_hour: str
    last_at: str


class Faults(Answer):
    """The faults of the last `days`, since the hour `since`; the most frequent come first.

    `found` is the number of versions with faults; the first 100 are listed.
    """

    days: int
    since: str
    kinds: list[FaultKind]
    bots: list[BotFaults]
    found: int


class OneFault(Answer):
    """A fault of a bot, in a bout of a match, after `moves` moves of all seats.

    `bout` counts the match's bouts from 0, and `seat` is the bot's seat in it. `detail` is null,
    except for the bot's owner and operators.
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
