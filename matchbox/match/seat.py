"""A seat as the referee sees it: questions in, answers out, whatever program it runs.

Knows frames and how to replace a program; no box: the caller opens it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from matchbox.errors import SeatFault
from matchbox.match import frames, libraries, loading, output, seeded_random
from matchbox.match.bot_runner import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matchbox.match.frames import Answer, Question, Reports


KEPT_LENGTH: Final = 3 << 20
"""The most characters that are kept of the output of all programs of a seat: more than a match
stores. A bot may have a program for each of thousands of bouts."""

KEPT_REPORTS: Final = 1000
"""The least number of diagnostics that are kept of a seat, those of the first bouts: as many as a
match stores of a bot."""


class Channel(Protocol):
    """A running program that answers frames: a seat of a box, or a session in this process."""

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """Sends a frame and returns the one frame that answers it. Raises SeatFault."""

    def close(self) -> None:
        """Ends the program and everything it started."""

    @property
    def stderr(self) -> str:
        """The program's output so far, with its marks: see `output.plain`."""

    @property
    def cpu_ms(self) -> float:
        """The processor time used so far, in milliseconds."""

    @property
    def peak_bytes(self) -> int:
        """The most memory that it has held, in bytes, once it has ended; 0 if that is not known."""


class PassingChannel:
    """A channel that passes on what another one says; a base for those that add something."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """The one frame that answers this one. Raises SeatFault."""
        return self._channel.ask(frame, decisions, start=start)

    def close(self) -> None:
        """Ends the program."""
        self._channel.close()

    @property
    def stderr(self) -> str:
        """The program's output."""
        return self._channel.stderr

    @property
    def cpu_ms(self) -> float:
        """The processor time it has used, in milliseconds."""
        return self._channel.cpu_ms

    @property
    def peak_bytes(self) -> int:
        """The most memory that it has held, in bytes."""
        return self._channel.peak_bytes


class Seat:
    """A bot in one rotation of a match; `renew` gives it a fresh process."""

    def __init__(
        self, open_channel: Callable[[], Channel], load: bytes, *, reports: bool = False
    ) -> None:
        """`load` is the frame that loads the bot; `reports` says whether the frame asks for
        diagnostics."""
        self._open = open_channel
        self._load = load
        self._channel: Channel | None = None
        self._nonce = 0
        self._ended: list[int] = []
        self._log: list[str] = []
        self._room = KEPT_LENGTH
        self._left_out = 0
        """The length of the output for which there was no room."""
        self._alone: int | None = None
        """The bout that the program was asked about, alone, when it broke."""
        self._cpu_ms = 0.0
        self.reports: Reports | None = {} if reports else None
        """The diagnostics so far, if they are asked for."""
        self.reports_left_out = 0
        """The length in bytes of the diagnostics that were not kept."""
        self.played: set[int] = set()
        """The bouts that ended in this seat, whether or not it was asked anything in them."""
        self.class_name: str | None = None
        self._most = frames.MAX_REPORTING if reports else frames.MAX_QUESTIONS

    def answer(self, questions: Sequence[Question]) -> list[Answer]:
        """Returns one answer for each question; uses as many frames as needed. Raises SeatFault if
        the whole program is at fault. If there were several frames, the fault names the bouts of
        the failed one."""
        if len(questions) > self._most:
            return self._in_parts(questions, self._most)
        return self._ask(questions)

    def _ask(self, questions: Sequence[Question]) -> list[Answer]:
        channel = self._channel or self._start()
        self._nonce += 1
        frame = frames.ask_frame(self._nonce, questions, self._ended)
        if len(frame) > frames.LONG and len(questions) > 1:
            return self._in_parts(questions, len(questions) // 2)
        self._ended = []
        try:
            said = channel.ask(frame, len(questions))
        except SeatFault:
            self._alone = questions[0][0] if len(questions) == 1 else None
            raise
        answers = frames.read_answers(said, self._nonce, len(questions), self.reports, questions)
        if self.reports and len(self.reports) > 2 * KEPT_REPORTS:
            self._drop_reports(self.reports)
        return answers

    def _drop_reports(self, reports: Reports) -> None:
        """Drops all diagnostics but those of the first bouts."""
        for place in sorted(reports)[KEPT_REPORTS:]:
            self.reports_left_out += len(reports.pop(place).encode())

    def _in_parts(self, questions: Sequence[Question], most: int) -> list[Answer]:
        """The answers, with at most `most` questions at a time."""
        answers: list[Answer] = []
        for at in range(0, len(questions), most):
            part = questions[at : at + most]
            try:
                answers += self._ask(part)
            except SeatFault as fault:
                fault.bouts = fault.bouts or [bout for bout, *_ in part]
                raise
        return answers

    def end(self, bout: int) -> None:
        """Tells the program that the bout is over; it may forget the bout's player."""
        self._ended.append(bout)
        self.played.add(bout)

    def renew(self) -> None:
        """Ends the program; the next question goes to a new one."""
        if self._channel is not None:
            self._channel.close()
            self._keep(self._attributed(self._channel.stderr))
            self._cpu_ms += self._channel.cpu_ms
            self._channel = None
        self._ended = []
        self._alone = None

    close = renew

    def _keep(self, text: str) -> None:
        """Keeps the output of a program that has ended, or counts it if there is no room."""
        if len(text) <= self._room:
            self._room -= len(text)
            self._log.append(text)
        else:
            self._room = 0
            self._left_out += len(text)

    def _kept(self) -> list[str]:
        """The output of each program; the last one ends with the mark of what was left out."""
        return [*self._log[:-1], "".join(self._log[-1:]) + output.cut_mark(self._left_out)]

    def _attributed(self, text: str) -> str:
        """Returns the output; adds the bout to the program's report of where it was when its time
        ran out."""
        before, mark, where = text.rpartition(output.WHERE.decode())
        if self._alone is None or not mark:
            return text
        return f"{before}\x1et{self._alone},{output.LAST}\x1f{output.without_platform(where)}"

    def _start(self) -> Channel:
        self._channel = self._open()
        try:
            self.class_name = frames.read_loaded(self._channel.ask(self._load, start=True))
        except SeatFault:
            self.renew()
            raise
        return self._channel

    @property
    def log(self) -> str:
        """The bot's output, in all its processes so far."""
        return "".join(map(output.plain, self._kept()))

    def printed(self) -> dict[int, list[output.Part]]:
        """The bot's output and reports, by bout, from the processes that have ended."""
        return output.by_bout(self._kept())

    @property
    def cpu_ms(self) -> float:
        """The processor time used so far, in milliseconds, by all processes that have ended."""
        return self._cpu_ms


class LocalChannel:
    """Runs the seat's loop in this process: no wall, for trusted bots and for tests."""

    stderr = ""
    cpu_ms = 0.0
    peak_bytes = 0

    def __init__(self) -> None:
        self._session = Session()
        self._loaded = loading.Loaded({}, [])
        """The bot, which is loaded only while it answers: others may have modules of its names."""

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """Returns the frame that answers this one."""
        seeded_random.install()
        loading.restore(self._loaded)
        try:
            return self._session.handle(frame)
        finally:
            self._loaded = loading.forget()
            seeded_random.enter(None)

    def close(self) -> None:
        """Restores the functions of the module `random` and the imports of this process."""
        seeded_random.uninstall()
        libraries.stop_refusing()
