"""Every message between server and arena: jobs and their results.

Knows names and shapes; sends nothing. A message that breaks its schema raises BadMessage.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar

import msgspec

from matchbox.errors import BadMessage, FaultKind

VERSION: Final = 1

TRY_OUT: Final = "arena.try_out"
TRY_OUT_LAST: Final = "arena.try_out_last"
TAKE_TURN_LAST: Final = "arena.take_turn_last"
"""For people whose earlier try-outs, or turns, were slow: these wait among the matches."""
PLAY_MATCH: Final = "arena.play_match"
PLAY_COMPARISON: Final = "arena.play_comparison"
"""For the matches of a comparison. They have a queue of their own, so that both kinds get turns."""
PLAY_FIRST: Final = "arena.play_first"
"""For the first match of a version, which its author waits for."""
LEARN: Final = "arena.learn"
TAKE_TURN: Final = "arena.take_turn"
VERIFY: Final = "arena.verify"
SETTLE: Final = "ledger.settle"
RECORD: Final = "ledger.record"
REMEMBER: Final = "ledger.remember"
BOOK_TURN: Final = "ledger.book_turn"
BOOK_VERIFICATION: Final = "ledger.book_verification"
LOST: Final = "ledger.lost"
TICK: Final = "ledger.tick"
QUEUES: Final = {TRY_OUT: "tryout", PLAY_MATCH: "ranked", PLAY_COMPARISON: "comparison",
                 PLAY_FIRST: "first", TRY_OUT_LAST: "ranked", LEARN: "ranked",
                 TAKE_TURN: "turn", TAKE_TURN_LAST: "ranked", VERIFY: "comparison",
                 BOOK_VERIFICATION: "ledger", SETTLE: "ledger", RECORD: "ledger", LOST: "ledger",
                 REMEMBER: "ledger", BOOK_TURN: "ledger", TICK: "ledger"}  # fmt: skip
URGENT: Final = ("turn", "tryout", "first")
"""The queues that arenas serve before all others, in this order: somebody waits for their jobs."""
TAKEN: Final = ("unacked.arena", "unacked_index.arena")
"""The broker's keys for the messages that arenas have taken, and for when each was taken."""
SENT_AT: Final = "matchbox_sent_at"
"""The header in which an arena says when it has sent a result, UTC in ms."""
BROKER_BYTES: Final = 256 << 10
"""A result longer than this is posted to the server instead of going through the broker."""
PART_BYTES: Final = 512 << 10
"""The most bytes of a part of a long result that an arena on another host hands in."""
ARENA_HEADER: Final = "Matchbox-Arena"
"""The header in which an arena on another host says which of the host's arenas it is."""
JOB_HEADER: Final = "Matchbox-Job"
"""The header of a part of a long result: the token of the job that the result is of."""

Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
DealSeed = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
Version = Literal[1]
Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
ByteCount = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
"""An amount of time, in the unit of its field; NaN and infinity are refused."""
BoutCount = Annotated[int, msgspec.Meta(ge=0, le=1024)]
"""A number of bouts, at most as many as one process may hold."""
Kind = Literal["match", "version", "lesson", "turn", "verification"]
"""A match to play, a version to try out, a lesson, a turn at a table, or a match to rerun."""
Finding = Literal["same", "different", "unrepeatable", "replayed_only"]
"""The result of a verification; `replayed_only`: the match could not be rerun here."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """An arena is about to do a job, or is still doing it."""

    kind: Kind
    subject: str
    """A match's id, a version's digest, or lesson:, turn: or verification: with a number."""
    attempt: int
    token: str
    arena: str = ""
    """The arena's name; empty from an arena of an older release."""


class Lost(Claim, frozen=True, kw_only=True):
    """A platform fault: this job could not be done."""

    why: str
    v: Version = VERSION


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of every job. The field that its kind names holds its subject."""

    kind: ClassVar[Kind]
    attempt: int
    token: str
    """The attempt's secret: a result without it is not accepted."""
    game: str
    limits: dict[str, int]
    """Field names and values of sandbox.policy.Limits."""
    v: Version = VERSION

    @property
    def subject(self) -> str:
        """The server's name for the job: see Claim."""
        return str(getattr(self, self.kind))

    def claim(self, arena: str = "") -> Claim:
        """The message that this arena sends before a job, and now and then during it."""
        return Claim(
            kind=self.kind,
            subject=self.subject,
            attempt=self.attempt,
            token=self.token,
            arena=arena,
        )

    def lost(self, why: str) -> Lost:
        """The message that an arena sends if it could not do the job."""
        return Lost(
            kind=self.kind, subject=self.subject, attempt=self.attempt, token=self.token, why=why
        )


class Entrant(msgspec.Struct, frozen=True):
    """A version at the table."""

    version: Digest
    class_name: str | None = None
    memory: Digest | None = None
    """The digest of its memory; None if it has none."""


class TryOut(Job, frozen=True, kw_only=True):
    """Validate a version: load it, then let it play against itself."""

    kind: ClassVar[Kind] = "version"
    version: Digest
    class_name: str | None = None
    beside: Entrant | None = None
    """The opponent of a version in quarantine, which is tried alone; None for any other version."""
    deals: list[DealSeed]


ALONE: Final = 0
"""This width plays every bout with programs that have seen no other bout."""


Separation = Literal["none", "strong"]
""" "strong": each rotation has its own zygotes, and begins after a pause of random length."""


class PlayMatch(Job, frozen=True, kw_only=True):
    """Play a match: every deal in every rotation of the seats."""

    kind: ClassVar[Kind] = "match"
    match: str
    rules: str
    options: dict[str, str | int | bool]
    deals: list[DealSeed]
    seats: list[Entrant]
    width: BoutCount = 1
    """How many bouts a seat plays concurrently; with ALONE, one, each in a fresh process."""
    sample: BoutCount = 0
    """How many of its bouts are rerun, each alone, and compared."""
    separation: Separation = "none"
    """How strictly its rotations are separated."""


class Teach(Job, frozen=True, kw_only=True):
    """Lets a version learn from its bouts; `lesson` is lesson:<number>."""

    kind: ClassVar[Kind] = "lesson"
    lesson: str
    pupil: Entrant
    key: Digest
    """From matchbox.match.learning.round_key: seeds the lesson, and names the other bots in it."""
    played: dict[str, int]
    """The matches by id, and for each the entrant that the version was."""


class Said(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer of a seat: one move, several made in a row, or a fault in place of a move."""

    seat: Count
    moves: list[Any] = []
    row: bool = False
    """Whether the moves are the answer to one question, even if there is only one."""
    fault: FaultKind | None = None
    detail: str = ""


class TakeTurn(Job, frozen=True, kw_only=True):
    """Let a table's bots play on until a person, whose seat is None, owes a move or it is over."""

    kind: ClassVar[Kind] = "turn"
    turn: str
    """turn:<number>."""
    table: str
    """The table's id; for a table that goes on from a match, the match's. With the rotation it
    gives the players' seeds, so both are the same in all turns."""
    rotation: Count = 0
    rules: str
    options: dict[str, str | int | bool]
    deal: DealSeed
    seats: list[Entrant | None]
    said: list[Said]
    """All answers so far; those of one seat are in order."""


class Verify(Job, frozen=True, kw_only=True):
    """Rerun a match and compare; `verification` is verification:<number>.

    The arena fetches the record, which names versions, memories and deals.
    """

    kind: ClassVar[Kind] = "verification"
    verification: str
    match: str
    digest: Digest
    """The digest of the record."""
    classes: list[str | None]
    """The player class that each entrant's owner has chosen."""


AnyJob: TypeAlias = PlayMatch | TryOut | Teach | TakeTurn | Verify
JOBS: Final[dict[str, type[AnyJob]]] = {
    **dict.fromkeys((PLAY_MATCH, PLAY_COMPARISON, PLAY_FIRST), PlayMatch),
    **dict.fromkeys((TRY_OUT, TRY_OUT_LAST), TryOut),
    **dict.fromkeys((TAKE_TURN, TAKE_TURN_LAST), TakeTurn),
    LEARN: Teach,
    VERIFY: Verify,
}
"""The message class of each task for an arena."""


class Note(msgspec.Struct, frozen=True):
    """A fault in a bout, for the bot's owner: never part of a digest."""

    entrant: Count
    deal: Count
    rotation: Count
    kind: FaultKind
    detail: str


class Diagnostic(msgspec.Struct, frozen=True):
    """A player's diagnostics on one of its moves, for the bot's owner: never part of a digest."""

    entrant: Count
    deal: Count
    rotation: Count
    decision: Count
    """How many moves the player had made before in this bout."""
    text: str
    """JSON, cut at REPORT_LENGTH characters."""


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """A bot's output at one of its decisions, for its owner: never part of a digest."""

    entrant: Count
    deal: Count
    rotation: Count
    decision: Count | None
    """How many moves the player had made before in this bout; None: at the end of the bout."""
    traceback: bool
    """Whether it is the traceback of an exception or of a decision without an end."""
    text: str
    left_out: ByteCount = 0
    """How many bytes were cut from it."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing of this kind is kept of the bout from this decision on: its room was used up."""

    entrant: Count
    deal: Count
    rotation: Count
    decision: Count | None
    kind: Literal["print", "traceback", "report"]
    left_out: ByteCount
    """How many bytes were not kept."""
    rest: bool = False
    """Whether nothing is kept of the match's later bouts either; then `left_out` counts those too.
    Bouts are in the order of their deals, then of their rotations."""


class TriedOut(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a version, and its report; `games` counts bouts."""

    version: Digest
    attempt: int
    token: str
    accepted: bool
    verdict: str
    """One word: accepted, crash, timeout, protocol, illegal, memory, bundle, platform."""
    reasons: list[str]
    class_name: str | None
    games: Count
    cpu_ms_per_decision: Amount
    log: str
    box: str
    unrepeatable: bool = False
    stateful: bool = False
    """Whether it answers differently alone than among other bouts."""
    learns: bool | None = None
    """Whether the class has a `learn`; None if the try-out did not get that far."""
    cpu_ms_per_deal: Amount = 0.0
    """One seat's processor time for a deal in all rotations; 0 if nothing was played."""
    peak_bytes: ByteCount = 0
    """The most memory that one of its programs has held; 0 if that is not known."""
    v: Version = VERSION


class MatchPlayed(msgspec.Struct, frozen=True, kw_only=True):
    """A match's record, and data beside it: CPU ms per entrant, elapsed seconds, texts of bots."""

    match: str
    attempt: int
    token: str
    record: bytes
    """The packed record, as record.pack returns it; base64 in JSON."""
    notes: list[Note]
    logs: list[str]
    """Each entrant's stdout and stderr."""
    cpu_ms: list[Amount]
    box: str
    seconds: Amount
    diagnostics: list[Diagnostic] = []
    printed: list[Printed] = []
    left_out: list[LeftOut] = []
    sampled: BoutCount = 0
    """How many bouts were rerun, each alone."""
    stateful: list[Count] = []
    """The entrants that answered differently there, ascending."""
    unrepeatable: list[Count] = []
    """The entrants that answered differently each time, ascending."""
    arena: str = ""
    """The name of the arena that played it; empty from an arena of an older release."""
    v: Version = VERSION


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a lesson. `records` is the number of bouts in it; `learns` says whether the
    class has a `learn`."""

    lesson: str
    attempt: int
    token: str
    learns: bool
    memory: bytes
    """The version's memory from now on; after a fault, the old one. Base64 in JSON."""
    fault: FaultKind | None
    detail: str
    records: Count
    log: str
    v: Version = VERSION


class TurnTaken(msgspec.Struct, frozen=True, kw_only=True):
    """The bots' answers after those that the job held."""

    turn: str
    attempt: int
    token: str
    said: list[Said]
    seconds: Amount = 0.0
    """How long it took, with loading the bots and asking them the earlier questions again."""
    v: Version = VERSION


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a verification."""

    verification: str
    attempt: int
    token: str
    finding: Finding
    bout: Count | None = None
    """The first bout that differs, by its index in the record; None if that is not known."""
    move: Count | None = None
    """How many moves of that bout are the same before the first that differs."""
    why: str = ""  # The match was only replayed for this reason; "" if a file is missing.
    v: Version = VERSION


Message = TypeVar("Message", bound=msgspec.Struct)


def to_plain(message: msgspec.Struct) -> dict[str, Any]:
    """The message as JSON-compatible data, for a task's argument."""
    plain: dict[str, Any] = msgspec.to_builtins(message)
    return plain


def from_plain(kind: type[Message], data: object) -> Message:
    """The message that this data holds. Raises BadMessage, which names the wrong field."""
    try:
        return msgspec.convert(data, kind)
    except (msgspec.ValidationError, TypeError, UnicodeEncodeError) as error:
        raise BadMessage(f"this is not a {kind.__name__} message: {error}") from error
