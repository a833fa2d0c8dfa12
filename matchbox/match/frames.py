"""Frames between the referee and a seat: the questions, and the answers allowed.

Knows shapes; sends nothing. A frame from a seat that breaks its shape is that seat's fault.
"""

from __future__ import annotations

import marshal
import re
from binascii import a2b_base64
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, cast

import msgspec

from matchbox.errors import BadMessage, SeatFault
from matchbox.match import frame_codec
from matchbox.match.memory import MEMORY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from matchbox.game import Plain

MAX_INT: Final = 2**53
MAX_DEPTH: Final = 8
DETAIL_LENGTH: Final = 200
"""A seat's text about a fault is cut to this many characters."""
MAX_QUESTIONS: Final = 250
"""The most questions in a frame: the answers, each of the greatest length, still fit into one."""
MAX_REPORTING: Final = 25
"""The most questions in a frame if players report on their moves, since the reports must fit
too."""
MAX_DECISIONS: Final = 1_000_000
"""An exclusive upper bound on the decisions of a player in a bout."""
LONG: Final = 1 << 20
"""A frame longer than this many bytes is split if it asks several questions."""
REPORT_LENGTH: Final = 1024
"""The most characters of a player's report on one move."""
_FORMAT: Final = 4
"""marshal's format of Python 3.4 and later."""
_FORMAT_OF_BRIEFS: Final = 2
"""A format that does not look for repeated objects: briefs have none."""
SEEN_INSIDE: Final = ("crash", "illegal", "memory", "protocol")
"""The kinds of fault that a seat's own loop reports."""

_UNREADABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters except tab and newline, direction changes, and lone surrogates."""

_FILE: Final = re.compile(r"[\w./-]{1,200}\.py")
"""The path of a bot's file."""

_Flat: TypeAlias = str | Annotated[int, msgspec.Meta(gt=-MAX_INT, lt=MAX_INT)]
_PLAIN_ANSWERS: Final[Any] = msgspec.json.Decoder(
    tuple[Literal["say"], int, list[_Flat], tuple[()]]
)
"""Decodes and checks the usual frame in one step: strings and integers only, no fault."""
_Move: TypeAlias = _Flat | list[_Flat]
_MOVE: Final[Any] = msgspec.json.Decoder(_Flat | list[_Move])
_ROW: Final[Any] = msgspec.json.Decoder(Annotated[list[_Move], msgspec.Meta(min_length=1)])
_INDICES: Final[Any] = msgspec.json.Decoder(list[int])
"""For frames with rows: decode a single move, a row of moves, and the indices of the rows."""
_CACHE_SIZE: Final = 1000
"""The cache keeps at most this many different answers."""
_MAX_KEY: Final = 300
"""The longest answer that is cached, in bytes."""

_NO_FAULT: Final = b"],[]]"
"""The end of a frame without faults and rows."""
_NO_FAULT_BUT_ROWS: Final = b"],[],"
"""The bytes before the indices of the rows, in a frame without faults."""

View: TypeAlias = Any
"""The position as a seat sees it: its view, or its brief if the game has one."""
Question: TypeAlias = "tuple[int, View, str | None]"
"""A question about one bout: the bout's number, the view or brief, and with the bout's first
question the player's own seed (hex), else None."""
Answer: TypeAlias = "Plain | tuple[Plain, ...] | SeatFault"
"""An answer: a move; a tuple of one or more moves made in a row; or a fault seen inside the
seat."""
Reports: TypeAlias = "dict[tuple[int, int], str]"
"""Players' reports on their moves, by the bout's number and the number of decisions the player had
made in it before: JSON, cut to length."""


def load_frame(
    package: str,
    files: Mapping[str, bytes],
    class_name: str | None,
    seed: str,
    memory: bytes = b"",
    *,
    reports: bool = False,
    libraries: Sequence[str] | None = None,
    code: bytes = b"",
) -> bytes:
    """The frame that gives a seat its bot and the bot's memory. Raises BadMessage.

    `reports` asks for the players' diagnostics. `libraries` are those that the bot may import; None
    refuses none. `code` is a seat's earlier compilation of the main file.
    """
    if len(memory) > MEMORY_BYTES:
        raise BadMessage(f"a memory has at most {MEMORY_BYTES} bytes, and this one {len(memory)}")
    job = {
        "package": package,
        "files": dict(files),
        "class": class_name,
        "seed": seed,
        "memory": memory,
        "reports": reports,
        "libraries": None if libraries is None else list(libraries),
        "code": code,
    }
    return marshal.dumps(["load", job], _FORMAT)


def compile_frame(main: bytes) -> bytes:
    """The frame that makes a seat compile a bot's main file. The result is used only in seats of
    that bot: nothing outside a box reads it."""
    return marshal.dumps(["compile", main], _FORMAT)


def wants_libraries(frame: bytes) -> bool:
    """Whether the seat says that its bot needs a seat with libraries."""
    return frame.startswith(b'["wants"')


def read_wanted(frame: bytes, offered: Collection[str]) -> list[str]:
    """Those of the offered libraries that the seat says its bot wants. Raises SeatFault."""
    match _decode(frame):
        case ["wants", list(wanted)]:
            return [name for name in offered if name in wanted]
    return []


def read_loaded(frame: bytes) -> str:
    """The name of the class that was loaded. Raises SeatFault if none was."""
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
    """The bot's new memory. Raises SeatFault if there is none."""
    match _decode(frame):
        case ["learned", str(text)]:
            try:
                memory = a2b_base64(text, strict_mode=True)
            except ValueError as error:
                raise SeatFault("protocol", "the memory is not base64") from error
            if len(memory) <= MEMORY_BYTES:
                return memory
        case ["fault", kind, str(detail)] if kind in SEEN_INSIDE:
            raise SeatFault(kind, readable(detail[:DETAIL_LENGTH]))
    raise SeatFault("protocol", "the seat did not hand over what its bot has learned")


def where_frame(view: View) -> bytes:
    """The frame that asks a seat which function of its bot answers this question.

    None asks which function constructs the player.
    """
    return marshal.dumps(["where", view], _FORMAT)


def read_where(frame: bytes) -> tuple[str, int, str] | None:
    """The file, the first line and the name of that function, as the seat has them; else None."""
    match _decode(frame):
        case ["where", [str(file), int(line), str(name)]] if _FILE.fullmatch(file):
            known = name.isidentifier() and len(name) <= DETAIL_LENGTH
            return file, line, name if known else "a function"
    return None


def ask_frame(
    nonce: int, questions: Sequence[Question] | frame_codec.Asking, ended: Sequence[int]
) -> bytes:
    """The frame that asks questions and names the bouts that are over.

    Questions are sent in marshal's format, which a seat reads three times as fast as JSON. Answers
    come in JSON: marshal never reads anything that a seat has sent.

    Raises SeatFault("platform") for a view that is not plain data, as far as marshal notices.
    """
    if isinstance(questions, frame_codec.Asking):
        return questions.frame(nonce, list(ended))
    briefs = bool(questions) and isinstance(questions[0][1], (bytes, bytearray))
    if frame_codec.COMPILED and briefs and isinstance(questions, list) and isinstance(ended, list):
        frame = frame_codec.asks(nonce, questions, ended)
        if frame:
            return frame
    form = _FORMAT_OF_BRIEFS if briefs else _FORMAT
    try:
        return marshal.dumps(["ask", nonce, questions, ended], form)
    except ValueError as error:
        raise _wrong_view(questions) from error


def _wrong_view(questions: Sequence[Question]) -> SeatFault:
    """The platform's fault in views that cannot be sent."""
    views = (view for _, view, _ in questions if not isinstance(view, (bytes, bytearray)))
    wrong = next(filter(None, map(what_is_wrong, views)), "is not plain data")
    return SeatFault("platform", f"a view that the game returned {wrong}")


def read_answers(
    frame: bytes,
    nonce: int,
    count: int,
    reports: Reports | None = None,
    questions: Iterable[Question] = (),
) -> list[Answer]:
    """Returns one answer per question, in order.

    Raises SeatFault("protocol") for any other frame. Raises SeatFault("memory") if a bout lacked
    memory, since all bouts of the program share it. Puts diagnostics on the bouts of `questions`
    into `reports`; without `reports` a seat may send none.
    """
    if frame_codec.COMPILED:
        found = frame_codec.answers(frame, nonce, count)
        if found is not None:
            return found
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if frame.endswith(_NO_FAULT):
            _, said, moves, _ = _PLAIN_ANSWERS.decode(frame)
            if said == nonce and len(moves) == count:
                return cast("list[Answer]", moves)
        elif frame.startswith(b'["say",%d,[\n' % nonce) and (found := _read_lines(frame, count)):
            return found
    match _decode(frame):
        case ["say", said, [*answers], [*faults], *more] if (
            said == nonce and len(answers) == count and len(more) <= 1 + (reports is not None)
        ):
            for place, move in enumerate(answers):
                if type(move) is not str and (problem := what_is_wrong(move)):
                    answers[place] = SeatFault("protocol", f"the move {problem}")
            for fault in faults:
                _put_fault(answers, fault)
            if more:
                _put_rows(answers, more[0])
            if reports is not None:
                reports |= _reports(more[1:], {bout for bout, *_ in questions})
            return answers
    raise SeatFault("protocol", "the frame does not answer the question that was asked")


class _AnswerCache(dict[bytes, Any]):
    """Decoded answers by their bytes: an equal answer is decoded and checked only once."""

    def __init__(self, read: Callable[[bytes], Any]) -> None:
        self._read = read

    def __missing__(self, sent: bytes) -> Any:
        answer = self._read(sent)
        if len(sent) <= _MAX_KEY:
            if len(self) >= _CACHE_SIZE:
                self.clear()
            self[sent] = answer
        return answer


_moves: Final = _AnswerCache(_MOVE.decode)
_rows: Final = _AnswerCache(lambda sent: tuple(_ROW.decode(sent)))


def _read_lines(frame: bytes, count: int) -> list[Answer]:
    """The answers of a frame with one answer per line, which `answer_frame_of_rows` writes.

    Answers in a row are tuples. Empty if the frame has another shape.
    """
    _, _, rest = frame.partition(b"\n")
    lines, _, end = rest.rpartition(b"\n")
    if not (end.startswith(_NO_FAULT_BUT_ROWS) and end.endswith(b"]")):
        return []
    rows = _INDICES.decode(end[len(_NO_FAULT_BUT_ROWS) : -1])
    sent, places = lines.split(b",\n"), frozenset(rows)
    if len(sent) != count or len(places) != len(rows) or not places.issubset(range(count)):
        return []
    return [(_rows if place in places else _moves)[line] for place, line in enumerate(sent)]


def _put_rows(answers: list[Answer], rows: Any) -> None:
    """Turns the answers at these indices into tuples: they are rows of moves."""
    for place in rows if isinstance(rows, list) else [rows]:
        if type(place) is not int or not 0 <= place < len(answers):
            raise SeatFault("protocol", "the frame holds moves in a row where there can be none")
        answer = answers[place]
        if isinstance(answer, list) and answer:
            answers[place] = tuple(answer)
        elif not isinstance(answer, SeatFault):
            raise SeatFault("protocol", "the frame holds moves in a row where there can be none")


def _reports(more: list[Any], asked: set[int]) -> Reports:
    """The reports in the frame: at most one for each bout that was asked about."""
    read: Reports = {}
    for report in more[0] if more and isinstance(more[0], list) else more:
        match report:
            case [bout, decision, str(text)] if (
                (type(bout) is int and bout in asked)
                and (type(decision) is int and 0 <= decision < MAX_DECISIONS)
                and len(text) <= REPORT_LENGTH
            ):
                asked.remove(bout)
                read[bout, decision] = readable(text)[:REPORT_LENGTH]
            case _:
                raise SeatFault("protocol", "the frame holds a report that cannot be")
    return read


def _put_fault(answers: list[Answer], fault: Any) -> None:
    match fault:
        case [place, kind, str(detail)] if (
            type(place) is int and kind in SEEN_INSIDE and 0 <= place < len(answers)
        ):
            answers[place] = seen = SeatFault(kind, readable(detail[:DETAIL_LENGTH]))
            if kind == "memory":
                raise seen
        case _:
            raise SeatFault("protocol", "the frame reports a fault that cannot be")


def what_is_wrong(move: Any, depth: int = MAX_DEPTH) -> str:
    """Why this is not plain data; "" if it is."""
    if move is None or move is True or move is False or type(move) is str:
        return ""
    if type(move) is int:
        return "" if abs(move) < MAX_INT else "holds a whole number of 2**53 or more"
    if depth == 0:
        return f"is nested deeper than {MAX_DEPTH}"
    if type(move) is list:
        return _what_is_wrong_inside(move, depth)
    if type(move) is dict:
        for key in move:
            if type(key) is not str:
                return "has a key that is not text"
        return _what_is_wrong_inside(move.values(), depth)
    return f"holds a {type(move).__name__}, which is not plain data"


def _what_is_wrong_inside(parts: Iterable[Any], depth: int) -> str:
    for part in parts:
        if problem := what_is_wrong(part, depth - 1):
            return problem
    return ""


def readable(text: str) -> str:
    """A bot's text made safe: no character moves a cursor or changes a line's direction."""
    return _UNREADABLE.sub(_escaped, text.replace("\r\n", "\n"))


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def _decode(frame: bytes) -> Any:
    try:
        return msgspec.json.decode(frame)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise SeatFault("protocol", "the frame is not JSON") from error
