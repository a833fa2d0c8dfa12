"""Every message that crosses a process border: frames to a seat, jobs and results of an arena.

Knows names and shapes; sends nothing. A message that breaks its schema raises BadMessage; a
frame from a seat that does is that seat's fault.
"""

from __future__ import annotations

import marshal
import re
from binascii import a2b_base64
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, TypeVar

import msgspec

from matchbox.errors import BadMessage, FaultKind, SeatFault
from matchbox.match.memory import MEMORY_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matchbox.game import Plain

VERSION: Final = 1

TRY_OUT: Final = "arena.try_out"
PLAY_MATCH: Final = "arena.play_match"
PLAY_COMPARISON: Final = "arena.play_comparison"
"""A match that an author asked for: in a queue of its own, so that the league's have their turn."""
LEARN: Final = "arena.learn"
SETTLE: Final = "ledger.settle"
RECORD: Final = "ledger.record"
REMEMBER: Final = "ledger.remember"
LOST: Final = "ledger.lost"
TICK: Final = "ledger.tick"
QUEUES: Final = {TRY_OUT: "tryout", PLAY_MATCH: "ranked", PLAY_COMPARISON: "comparison",
                 LEARN: "ranked", SETTLE: "ledger", RECORD: "ledger", REMEMBER: "ledger",
                 LOST: "ledger", TICK: "ledger"}  # fmt: skip
BROKER_BYTES: Final = 256 << 10
"""A result longer than this is posted to the server instead of going through the broker."""

ANSWER_BYTES: Final = 256
MAX_INT: Final = 2**53
MAX_DEPTH: Final = 8
DETAIL_LENGTH: Final = 200
"""So many characters of what a seat says about a fault are kept."""
REPORT_LENGTH: Final = 1024
"""So many characters of what a player reports on a move are kept."""
_FORMAT: Final = 4
"""marshal's format of Python 3.4 and later."""
SEEN_INSIDE: Final = ("crash", "illegal", "memory", "protocol")
"""The kinds of fault that a seat's own loop reports."""

_UNREADABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but tab and newline, what changes a line's direction, and half characters."""

Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
DealSeed = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
Version = Literal[1]


# Frames between the referee and a seat


Told: TypeAlias = Any
"""What a seat is told of a position: its view, or the brief that the game has for it."""
Question: TypeAlias = "tuple[int, Told, str | None]"
"""What a seat is asked about one bout: the bout's number, what it is told, and with the bout's
first question the player's own seed (hex), else None."""
Answer: TypeAlias = "Plain | SeatFault"
"""What came back: a move, or the fault that the seat's own loop saw."""
Reports: TypeAlias = "dict[tuple[int, int], str]"
"""What a player reported on its moves, by the bout's number and how many decisions it had made
there before: JSON, cut where it is too long."""


def load_frame(
    package: str,
    files: Mapping[str, bytes],
    class_name: str | None,
    seed: str,
    memory: bytes = b"",
    *,
    reports: bool = False,
    libraries: Sequence[str] | None = None,
) -> bytes:
    """The frame that hands a seat its bot and what it remembers. Raises BadMessage.

    `reports` asks for the players' diagnostics; `libraries` are those that the bot may import, None
    where nobody keeps it from any.
    """
    if len(memory) > MEMORY_BYTES:
        raise BadMessage(
            f"a memory has {MEMORY_BYTES} bytes at the most, and this one {len(memory)}"
        )
    job = {
        "package": package,
        "files": dict(files),
        "class": class_name,
        "seed": seed,
        "memory": memory,
        "reports": reports,
        "libraries": None if libraries is None else list(libraries),
    }
    return marshal.dumps(["load", job], _FORMAT)


def wants_libraries(frame: bytes) -> bool:
    """Whether the seat says that its bot needs one with libraries."""
    return frame.startswith(b'["wants"')


def read_loaded(frame: bytes) -> str:
    """The name of the class that was loaded. Raises SeatFault where there is none."""
    match _decode(frame):
        case ["loaded", str(name)] if name.isidentifier() and len(name) <= DETAIL_LENGTH:
            return name
        case ["fault", kind, str(detail)] if kind in SEEN_INSIDE:
            raise SeatFault(kind, readable(detail[:DETAIL_LENGTH]))
    raise SeatFault("protocol", "the seat did not say that it loaded the bot")


def learns_frame() -> bytes:
    """The frame that asks a seat whether its bot learns."""
    return marshal.dumps(["learns"], _FORMAT)


def read_learns(frame: bytes) -> bool:
    """Whether the bot learns. Raises SeatFault."""
    match _decode(frame):
        case ["learns", bool(answer)]:
            return answer
    raise SeatFault("protocol", "the seat did not say whether its bot learns")


def learn_frame(records: Sequence[bytes]) -> bytes:
    """The frame that lets a bot learn from these records, each in JSON."""
    return marshal.dumps(["learn", list(records)], _FORMAT)


def read_learned(frame: bytes) -> bytes:
    """The bot's new memory. Raises SeatFault where there is none."""
    match _decode(frame):
        case ["learned", str(text)]:
            try:
                memory = a2b_base64(text, strict_mode=True)
            except ValueError as error:
                raise SeatFault("protocol", "the memory is no base64") from error
            if len(memory) <= MEMORY_BYTES:
                return memory
        case ["fault", kind, str(detail)] if kind in SEEN_INSIDE:
            raise SeatFault(kind, readable(detail[:DETAIL_LENGTH]))
    raise SeatFault("protocol", "the seat did not hand over what its bot has learned")


def ask_frame(nonce: int, questions: Sequence[Question], ended: Sequence[int]) -> bytes:
    """The frame that asks questions and names the bouts that are over.

    A seat is asked in marshal's format, which it reads three times as fast as JSON. It answers in
    JSON: nothing that a seat sends is ever given to marshal.
    """
    return marshal.dumps(["ask", nonce, questions, ended], _FORMAT)


def read_answers(
    frame: bytes, nonce: int, count: int, reports: Reports | None = None
) -> list[Answer]:
    """One answer a question, in order. Raises SeatFault("protocol") for anything else.

    Diagnostics are put into `reports`; without it, a seat may send none.
    """
    match _decode(frame):
        case ["say", said, [*answers], [*faults], *more] if (
            said == nonce and len(answers) == count and len(more) <= (reports is not None)
        ):
            if reports is not None:
                reports |= _reports(more)
            for place, move in enumerate(answers):
                if type(move) is not str and (problem := what_is_wrong(move)):
                    answers[place] = SeatFault("protocol", f"the move {problem}")
            for fault in faults:
                _put_fault(answers, fault)
            return answers
    raise SeatFault("protocol", "the frame does not answer the question that was asked")


def _reports(more: list[Any]) -> Reports:
    read: Reports = {}
    for report in more[0] if more and isinstance(more[0], list) else more:
        match report:
            case [int(bout), int(decision), str(text)] if bout >= 0 and decision >= 0:
                read[bout, decision] = readable(text[:REPORT_LENGTH])
            case _:
                raise SeatFault("protocol", "the frame holds a report that cannot be")
    return read


def _put_fault(answers: list[Answer], fault: Any) -> None:
    match fault:
        case [int(place), kind, str(detail)] if kind in SEEN_INSIDE and 0 <= place < len(answers):
            answers[place] = SeatFault(kind, readable(detail[:DETAIL_LENGTH]))
        case _:
            raise SeatFault("protocol", "the frame reports a fault that cannot be")


def what_is_wrong(move: Any, depth: int = MAX_DEPTH) -> str:
    """Why this is no plain data, or an empty text."""
    if move is None or move is True or move is False or type(move) is str:
        return ""
    if type(move) is int:
        return "" if abs(move) < MAX_INT else "holds a whole number of 2**53 or more"
    if depth == 0:
        return f"is nested deeper than {MAX_DEPTH}"
    if type(move) is list:
        return next(filter(None, (what_is_wrong(part, depth - 1) for part in move)), "")
    if type(move) is dict:
        if any(type(key) is not str for key in move):
            return "holds a key that is no text"
        return next(filter(None, (what_is_wrong(part, depth - 1) for part in move.values())), "")
    return f"holds a {type(move).__name__}, which is no plain data"


def readable(text: str) -> str:
    """What a bot wrote, safe to show: no character of it moves a cursor or turns a line around."""
    return _UNREADABLE.sub(_escaped, text.replace("\r\n", "\n"))


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def _decode(frame: bytes) -> Any:
    try:
        return msgspec.json.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise SeatFault("protocol", "the frame is no JSON") from error


# Jobs of an arena, and their results


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What every job carries."""

    attempt: int
    token: str
    """The attempt's secret: a result without it is not accepted."""
    game: str
    limits: dict[str, int]
    """Field names and values of sandbox.policy.Limits."""
    v: Version = VERSION


class Entrant(msgspec.Struct, frozen=True):
    """A version at the table."""

    version: Digest
    class_name: str | None = None
    memory: Digest | None = None
    """The digest of what it remembers; None where that is nothing."""


class TryOut(Job, frozen=True, kw_only=True):
    """Validate a version: load it, then let it play against itself."""

    version: Digest
    class_name: str | None = None
    beside: Entrant | None = None
    """Whom it plays against instead: it is in quarantine, and tried alone."""
    deals: list[DealSeed]


class PlayMatch(Job, frozen=True, kw_only=True):
    """Play a match: every deal in every rotation of the seats."""

    match: str
    rules: str
    options: dict[str, str | int | bool]
    deals: list[DealSeed]
    seats: list[Entrant]
    width: int = 1


class Teach(Job, frozen=True, kw_only=True):
    """Let a version learn from what it has played; `lesson` is lesson:<number>, as its subject."""

    lesson: str
    pupil: Entrant
    key: Digest
    """What seeds its chance, and names the others to it; as matchbox.match.learning.round_key."""
    played: dict[str, int]
    """The matches by id, and which of its entrants the version was."""


class Note(msgspec.Struct, frozen=True):
    """What went wrong in a bout, for the bot's owner: never part of a digest."""

    entrant: int
    deal: int
    rotation: int
    kind: FaultKind
    detail: str


class Diagnostic(msgspec.Struct, frozen=True):
    """What a player reported on one of its moves, for the bot's owner: never part of a digest."""

    entrant: int
    deal: int
    rotation: int
    decision: int
    """How many decisions the player had made in this bout before."""
    text: str
    """JSON, cut at REPORT_LENGTH characters."""


class TriedOut(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a version, and its report."""

    version: Digest
    attempt: int
    token: str
    accepted: bool
    verdict: str
    """One word: accepted, crash, timeout, protocol, illegal, memory, bundle, platform."""
    reasons: list[str]
    class_name: str | None
    games: int
    cpu_ms_per_decision: float
    log: str
    box: str
    unrepeatable: bool = False
    learns: bool | None = None
    """Has the class a `learn`? None where nobody got so far as to look."""
    v: Version = VERSION


class MatchPlayed(msgspec.Struct, frozen=True, kw_only=True):
    """A match's record and what is kept beside it."""

    match: str
    attempt: int
    token: str
    record: bytes
    """As record.pack gives it; base64 in JSON."""
    notes: list[Note]
    logs: list[str]
    """Each entrant's stdout and stderr."""
    cpu_ms: list[float]
    box: str
    seconds: float
    diagnostics: list[Diagnostic] = []
    v: Version = VERSION


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a lesson. `records`: how many bouts were told; `learns`: has it a `learn`?"""

    lesson: str
    attempt: int
    token: str
    learns: bool
    memory: bytes
    """What the version remembers from now on: after a fault what it had; base64 in JSON."""
    fault: FaultKind | None
    detail: str
    records: int
    log: str
    v: Version = VERSION


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """A platform fault: the match, try-out or lesson with this id could not be done."""

    subject: str
    """A match id, a version digest for a try-out, or lesson:<number>."""
    attempt: int
    token: str
    why: str
    v: Version = VERSION


Message = TypeVar("Message", bound=msgspec.Struct)


def to_plain(message: msgspec.Struct) -> dict[str, Any]:
    """The message as JSON-compatible data, for a task's argument."""
    plain: dict[str, Any] = msgspec.to_builtins(message)
    return plain


def from_plain(kind: type[Message], data: object) -> Message:
    """The message that this data holds. Raises BadMessage, naming the field that is wrong."""
    try:
        return msgspec.convert(data, kind)
    except (msgspec.ValidationError, TypeError) as error:
        raise BadMessage(f"this is no {kind.__name__} message: {error}") from error
