"""A bot's output by bout and decision: limits it as it arrives, and splits it at its marks.

The marks are written inside the box, where a bot may forge them: that changes its own output only.
So anything that is not a mark is text, and everything here has a limit.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import Final, NamedTuple

from matchbox.match.printed import BEGIN, PRINT, REPORT, TRACEBACK

DECISION_BYTES: Final = 2000
"""The least room for the output of one decision, in bytes."""
CUT: Final = "more bytes were left out."
REPORTS_BYTES: Final = 128 << 10
"""The most bytes of reports that are kept for one program."""
LAST: Final = 999_999
"""Stands for the last decision of a bout, if it is not known which that was."""
WHERE: Final = b"\x1et\x1f"
"""The mark before the program's own report of where it was when its time ran out."""

_BEGIN: Final = BEGIN.encode()
_MARK: Final = re.compile(rb"\x1e([ptr])(?:(\d{1,6}),(\d{1,6}))?\x1f")
_LONGEST: Final = 16
"""The length of the longest mark, in bytes."""
_BOUTS: Final = 1000
"""The most bouts of a program for which the output says how many bytes were left out."""
_WRITTEN: Final = re.compile(r"\x1e(?:([ptr])(?:(\d{1,6}),(\d{1,6}))?|\+(\d+))\x1f")
_PLATFORM: Final = re.compile(r'^  File "(?:<|(?:[^"]*/)?(?:matchbox|sandbox)/)')


def decision_room(limit: int) -> int:
    """The most bytes that are kept of one decision, if `limit` bytes are kept of a match."""
    return max(DECISION_BYTES, limit // 4)


class Part(NamedTuple):
    """One piece of a bot's output. `bout` is None outside of a bout. `decision` is the number of
    moves that the player had made in the bout. `left_out` is the number of bytes that were cut.

    A part without text means that nothing more of this kind is kept of the bout.
    """

    kind: str
    bout: int | None
    decision: int | None
    text: str
    left_out: int = 0


class Output:
    """A program's output as it arrives. Keeps the bytes that fit, and counts the others.

    It keeps `limit` bytes of printed text, and a quarter of that number of tracebacks. For each
    bout with output that did not fit, the text says where the gap begins and how many bytes it has.
    """

    def __init__(self, limit: int) -> None:
        self._decision = decision_room(limit)
        self._left = {PRINT: limit, TRACEBACK: limit // 4, REPORT: REPORTS_BYTES}
        self._kept = bytearray()
        self._rest = b""
        """The end of the bytes so far, if it may be the beginning of a mark."""
        self._kind = PRINT
        self._mark = b""
        self._written = b""
        """The mark before the newest text that was kept."""
        self._used = 0
        self._cut = 0
        self._full: dict[str, int] = {}
        """The kinds of output that are full, and for each how many bytes of all kinds were kept
        before."""
        self._over: dict[tuple[str, bytes], tuple[bytes, int]] = {}
        """By kind and bout: the first mark for which there was no room, and the number of bytes
        left out."""

    def feed(self, data: bytes) -> None:
        """Takes the next bytes."""
        data = self._rest + data
        at = 0
        for found in _MARK.finditer(data):
            self._take(data[at : found.start()])
            at = found.end()
            self._enter(found[1].decode(), found[0])
        begun = data.rfind(b"\x1e", max(at, len(data) - _LONGEST))
        end = len(data) if begun < 0 else begun
        self._rest = data[end:]
        self._take(data[at:end])

    def text(self) -> str:
        """The text that was kept, with its marks; see `parts` and `plain`."""
        self._take(self._rest)
        self._rest = b""
        self._say_cut()
        kept = bytearray(self._kept)
        for kind, at in sorted(self._full.items(), key=itemgetter(1), reverse=True):
            over = [found for (of, _), found in self._over.items() if of == kind]
            kept[at:at] = b"".join(mark + b"\x1e+%d\x1f" % count for mark, count in over)
        return kept.decode("utf-8", "replace")

    def _enter(self, kind: str, mark: bytes) -> None:
        if mark != self._mark or kind != PRINT:
            if self._used:
                self._say_cut()
            self._used = 0
            if not (kind == self._kind == PRINT):
                self._written = b""
        self._kind, self._mark = kind, mark

    def _take(self, text: bytes) -> None:
        if not text:
            return
        text = text.replace(_BEGIN, rb"\x1e")  # So no bot can forge a mark of a cut.
        mark = b"" if self._mark == self._written else self._mark
        room = self._left[self._kind] - len(mark)
        if room <= 0 or self._kind in self._full:
            self._leave_out(len(text))
            return
        if len(self._mark) > 3:  # The mark names a decision.
            room = min(room, self._decision - self._used)
        kept = text[:room]
        if kept:
            if not self._used:
                self._say_cut()
            self._kept += mark + kept
            self._written = self._mark
            self._used += len(kept)
            self._left[self._kind] -= len(mark) + len(kept)
        self._cut += len(text) - len(kept)

    def _leave_out(self, count: int) -> None:
        """Counts bytes of a kind that is full, for their bout."""
        kind, bout = self._kind, self._mark.partition(b",")[0]
        if kind not in self._full:
            self._say_cut()
            self._full[kind] = len(self._kept)
        if len(self._mark) <= 3 or (len(self._over) >= _BOUTS and (kind, bout) not in self._over):
            bout = b""
        mark = self._mark if bout else b"\x1er\x1f" if kind == REPORT else b"\x1ep\x1f"
        first, before = self._over.get((kind, bout), (mark, 0))
        self._over[kind, bout] = first, before + count

    def _say_cut(self) -> None:
        """Adds a mark for the bytes that were left out since the newest text."""
        if self._cut:
            self._kept += b"\x1e+%d\x1f" % self._cut
            self._cut = 0


def parts(text: str) -> list[Part]:
    """Reads the text of an `Output`."""
    found: list[Part] = []
    kind, bout, decision = PRINT, None, None
    at = 0
    new = True
    """Whether no part has followed the last mark of a place."""
    for mark in _WRITTEN.finditer(text):
        if at < mark.start():
            found.append(Part(kind, bout, decision, text[at : mark.start()]))
            new = False
        at = mark.end()
        if mark[4] is None:
            kind = mark[1]
            bout, decision = (int(mark[2]), int(mark[3])) if mark[2] else (None, None)
            new = True
        elif new:
            found.append(Part(kind, bout, decision, "", int(mark[4])))
            new = False
        else:
            found[-1] = found[-1]._replace(left_out=found[-1].left_out + int(mark[4]))
    if at < len(text):
        found.append(Part(kind, bout, decision, text[at:]))
    return found


def plain(text: str) -> str:
    """The text of an `Output` for readers: without marks and reports, and with a sentence at each
    cut."""
    said, cut = [], 0
    for part in parts(text):
        if part.kind != REPORT:
            if part.text:
                said += [left_out(cut), part.text]
                cut = 0
            cut += part.left_out
    return "".join([*said, left_out(cut)])


def cut_mark(count: int) -> str:
    """The mark of a cut of `count` bytes, for the end of the text of an `Output`; "" for 0."""
    return f"\x1e+{count}\x1f" if count else ""


def left_out(count: int) -> str:
    """The sentence that marks a cut of `count` bytes; "" for 0."""
    return f"\n... {count} {CUT}\n" if count else ""


def without_platform(text: str) -> str:
    """The text of a traceback without the platform's frames."""
    return "".join(line for line in text.splitlines(True) if not _PLATFORM.match(line))


def by_bout(texts: list[str]) -> dict[int, list[Part]]:
    """The parts by bout, from the texts of one program after another. If a bout was played again,
    its later output replaces the earlier one. Neighbouring parts of one decision are joined."""
    kept: dict[int, list[Part]] = {}
    for text in texts:
        own: dict[int, list[Part]] = {}
        for part in parts(text):
            if part.bout is None:
                continue
            before = own.setdefault(part.bout, [])
            last = before[-1] if before and part.kind == PRINT else None
            if last is not None and last[:3] == part[:3] and last.text and part.text:
                left = last.left_out + part.left_out
                before[-1] = last._replace(text=last.text + part.text, left_out=left)
            else:
                before.append(part)
        kept |= own
    return kept


class Room:
    """The room that is left for a bot's output in a match: in bytes and in parts, for each kind."""

    PARTS: Final = 1000

    def __init__(self, limit: int) -> None:
        self._left = {PRINT: limit, TRACEBACK: limit // 4}
        self._parts = {PRINT: self.PARTS * 3 // 4, TRACEBACK: self.PARTS // 4}

    def fit(self, part: Part) -> Part | None:
        """The part, cut to the room that is left. None once its kind has no room left."""
        if not self._parts[part.kind]:
            return None
        data = part.text.encode()
        kept = data[: self._left[part.kind]].decode(errors="ignore")
        if part.text and not kept:
            self._parts[part.kind] = 0
            return None
        self._parts[part.kind] -= 1
        self._left[part.kind] -= len(kept.encode())
        more = len(data) - len(kept.encode())
        return part._replace(text=kept, left_out=part.left_out + more)
