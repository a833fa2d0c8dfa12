"""Opens the seats of a bot: plain ones, or ones with the libraries that it imports.

Knows that a seat can say whether its bot wants libraries; knows no library by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchbox.match import frames

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.match.seat import Channel


class SeatOpener:
    """Opens the seats of one bot. The first is plain; its first answer decides about the others."""

    def __init__(self, open_seat: Callable[[bool], Channel]) -> None:
        """`open_seat` opens a seat; its argument says whether libraries are wanted."""
        self.open_seat = open_seat
        self.wants_libraries: bool | None = None

    def __call__(self) -> Channel:
        """A seat. The first one is replaced if its bot wants libraries."""
        return (
            _FirstSeat(self)
            if self.wants_libraries is None
            else self.open_seat(self.wants_libraries)
        )


class _FirstSeat:
    """A plain seat, replaced if its bot wants libraries. No line of the bot has run by then."""

    def __init__(self, seats: SeatOpener) -> None:
        self._seats = seats
        self._seat = seats.open_seat(False)

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """The one frame that answers this one. Raises SeatFault."""
        answer = self._seat.ask(frame, decisions, start=start)
        if start and self._seats.wants_libraries is None:
            self._seats.wants_libraries = frames.wants_libraries(answer)
            if self._seats.wants_libraries:
                self._seat.close()
                self._seat = self._seats.open_seat(True)
                answer = self._seat.ask(frame, decisions, start=True)
        return answer

    def close(self) -> None:
        """Ends the program."""
        self._seat.close()

    @property
    def stderr(self) -> str:
        """The program's output."""
        return self._seat.stderr

    @property
    def cpu_ms(self) -> float:
        """The processor time it has used, in milliseconds."""
        return self._seat.cpu_ms
