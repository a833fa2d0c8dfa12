"""The whole exception tree. Knows every error that the platform raises, but not where it is raised.

MatchboxError
├── CallerFault             the request cannot be met as it stands
│   ├── BadArchive          an exported season that is damaged or forged
│   ├── BadBackup           a backup that is damaged or newer than this release
│   ├── BadBundle           an uploaded file that is not a bot
│   ├── BadGame             an installed game that breaks the contract
│   ├── BadMessage          a message that breaks its schema
│   ├── BadName             a name outside the rules for names
│   │   └── BadNames        several names that no account can be made for
│   ├── BadOption           a game option or seat count the game does not offer
│   ├── BadRecord           a record that does not replay
│   ├── BadSetting          an environment variable with a wrong value
│   ├── Conflict            somebody was first, or the state forbids it
│   ├── Forbidden           an action that the caller may not do
│   │   └── KeyRefused      an arena's key that is unknown or was removed
│   ├── NotFound            a thing that does not exist
│   ├── TooMany             over a quota or a rate
│   ├── UnknownGame         no game of that name
│   └── UploadsClosed       the platform takes no bots from you here
├── IllegalMove             a move that the rules refuse; the referee makes it an ending
├── SeatFault               a fault of a seat, or of the platform, in place of a move
└── Unavailable             a failure that may be over later
    ├── ArenaOutdated       an arena whose release, Python or rules are not the server's
    ├── ArenaStopped        an arena that gets no jobs until an operator lets it go on
    ├── BoxUnavailable      this kind of box does not work here
    ├── BrokerUnavailable   the queue cannot be reached
    ├── DiskFull            there is no room to store anything
    └── ServerUnreachable   an arena gets no answer from its server
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Self, get_args

FaultKind = Literal["crash", "timeout", "protocol", "illegal", "memory", "excluded", "platform"]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
MAX_QUOTED: Final = 60
"""The number of characters of a wrong value that a message repeats."""


def quoted(value: object) -> str:
    """Returns a wrong value as a message repeats it: as Python writes it, without a long end."""
    if isinstance(value, str) and len(value) > MAX_QUOTED:
        return f"{value[:MAX_QUOTED]!r}..."
    text = repr(value)
    if not isinstance(value, str) and len(text) > MAX_QUOTED:
        return f"{text[:MAX_QUOTED]}..."
    return text


class MatchboxError(Exception):
    """The root: catch this to catch everything the platform raises on purpose."""


class CallerFault(MatchboxError):
    """The request cannot be met as it stands; its text says what to change."""

    fields: tuple[str, ...] = ()
    """The fields of the request that the error is about; empty if it is about none."""

    def of(self, *fields: str) -> Self:
        """Names the fields that the error is about; returns the error."""
        self.fields = fields
        return self


class BadArchive(CallerFault):
    """The file is not an exported season, or is damaged; its text says where."""


class BadBackup(CallerFault):
    """The file is not a backup, is damaged, or is newer than this release; its text says which."""


class BadBundle(CallerFault):
    """The uploaded bytes are not a bot."""


class BadGame(CallerFault):
    """An installed game package breaks the contract; its text names the package."""


class BadMessage(CallerFault):
    """The message breaks its schema."""


class BadName(CallerFault):
    """The name is outside the rules for names."""


class BadNames(BadName):
    """No account can be made for these names; `refused` has each with the reason."""

    def __init__(self, refused: Sequence[tuple[str, str]]) -> None:
        reasons = "; ".join(f"{name!r} {why}" for name, why in refused)
        super().__init__(f"no account was made, because of {len(refused)} of the names: {reasons}")
        self.refused = tuple(refused)


class BadOption(CallerFault):
    """The game offers no such option, value or number of seats."""


class BadRecord(CallerFault):
    """The record does not replay to its own outcome or digest."""


class BadSetting(CallerFault):
    """An environment variable has a wrong value; its text names the variable."""


class Conflict(CallerFault):
    """Somebody was first, or the present state forbids it."""


class Forbidden(CallerFault):
    """The caller may not do this."""

    to_all: bool = False
    """True if nobody may do this now, whoever logs in."""

    def to_everybody(self) -> Self:
        """Marks the error: nobody may do this now, whoever logs in. Returns the error."""
        self.to_all = True
        return self


class KeyRefused(Forbidden):
    """The server does not know the arena's key, or the key was removed."""


class NotFound(CallerFault):
    """There is no such thing."""


class TooMany(CallerFault):
    """The caller exceeds a quota or a rate; the text says when to try again."""

    def __init__(self, text: str, wait_s: int | None = None) -> None:
        super().__init__(text)
        self.wait_s = wait_s
        """How many seconds to wait before the next attempt, if known."""


class UnknownGame(CallerFault):
    """No game of that name is installed."""


class UploadsClosed(CallerFault):
    """The platform takes no bots from this account; its text says why."""


class IllegalMove(MatchboxError):
    """A move that the rules refuse. Raised before anything has changed."""


class SeatFault(MatchboxError):
    """A seat failed to answer.

    Attributes:
        kind: one of `FAULT_KINDS`; no seat loses by "platform".
        detail: one sentence for the bot's owner.
        bouts: the bouts in the failed frame, if the questions took several frames.
        shared: whether the other bouts of the program may have caused it: it lacked memory, or a
            frame of many questions took long.
    """

    def __init__(self, kind: FaultKind, detail: str) -> None:
        super().__init__(kind, detail)  # So that another process can recreate it.
        self.kind: FaultKind = kind
        self.detail = detail
        self.bouts: list[int] = []
        self.shared = kind == "memory"

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class Unavailable(MatchboxError):
    """The request failed for now: the same request may succeed later."""

    wait_s: int | None = None
    """How many seconds to wait before the next attempt, if it is known."""

    def after(self, wait_s: int) -> Self:
        """Names how many seconds to wait before the next attempt; returns the error."""
        self.wait_s = wait_s
        return self


class ArenaOutdated(Unavailable):
    """The arena's release, Python or rules are not the server's; its text says what to do."""


class ServerUnreachable(Unavailable):
    """The server did not answer, or a proxy answered for it."""


class ArenaStopped(Unavailable):
    """The arena gets no jobs until an operator lets it go on."""


class BoxUnavailable(Unavailable):
    """This kind of box does not work on this machine; its text says what is missing."""


class BrokerUnavailable(Unavailable):
    """The queue cannot be reached."""


class DiskFull(Unavailable):
    """The disk has no room for what is to be stored."""
