"""The seats of a match: opens a program for every entrant and rotation, with its bot in it.

Knows how a bot gets from its bundle into a seat; plays nothing, and knows no queue and no server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from matchbox import registry
from matchbox.bundle import MAIN, read_bundle
from matchbox.dice import player_seed
from matchbox.errors import BadMessage
from matchbox.match import frames, output
from matchbox.match.seat import Channel, LocalChannel, Seat
from matchbox.match.wire import PlayMatch
from sandbox.policy import Limits
from worker.arena.bytecode_cache import bytecode_cache_of
from worker.arena.kept_output import KeptOutput, kept_output

if TYPE_CHECKING:
    from matchbox.match.wire import Entrant
    from sandbox.box import Box
    from worker.arena.separation import Separation

Opener = Callable[[], Channel]
"""Starts a program that answers frames."""

REPORT_BYTES: Final = 2 * frames.REPORT_LENGTH + 64
"""The most bytes of one report in a frame, with every character escaped."""


class MatchSeats:
    """The players of a match: gives every entrant a seat per rotation, and collects their output.

    `box` is where the bots run; None is this process itself, for trusted bots only. `channels`
    opens the channels of entrants that do not run in the box, such as a person.
    """

    def __init__(
        self,
        job: PlayMatch,
        bundles: Mapping[str, bytes],
        box: Box | None,
        separation: Separation | None = None,
        channels: Mapping[int, Opener] | None = None,
        *,
        memories: Mapping[str, bytes] | None = None,
        reports: bool = False,
    ) -> None:
        """`memories` are the entrants' memories, by digest. `reports` says whether the players'
        comments on their moves are kept; the bots are asked for them in any case. `separation`
        keeps the seats of different rotations apart."""
        self._job = job
        self._separation = separation
        self._bundles = bundles
        self._files: dict[int, Mapping[str, bytes]] = {}
        """By entrant: the files of its bundle, once it has been opened."""
        self._memories = memories or {}
        self._wanted = reports
        self._reports = registry.game(job.game).spec.diagnostics
        self._limits = seat_limits(job.game, job.limits)
        self._box = box
        self._channels = channels or {}
        self._openers: dict[tuple[int, int], tuple[Opener, bytes]] = {}
        """By entrant and bank: how its seats are opened, and the code that they are given."""
        self._compile_ms = [0.0 for _ in job.seats]
        """By entrant: processor time of compiling its code, in ms."""
        self._libraries = libraries_of(box)
        self._seats: list[list[tuple[int, Seat]]] = [[] for _ in job.seats]
        """By entrant: its seats, each with its rotation."""

    def open_player(self, entrant: int, rotation: int) -> Seat:
        """A seat with a program of its own. It loads the bot at its first question.

        All seats of a bot pay from one bank of time. A rotation that is opened again replays bouts
        because of another bot's faults. It is paid from a further bank, so no bot pays twice for a
        bout.
        """
        again = sum(played == rotation for played, _ in self._seats[entrant])
        return self._open(entrant, rotation, again)

    def open_alone(self, entrant: int, rotation: int) -> Seat:
        """A seat for a sample of bouts. All seats opened alone share one bank."""
        return self._open(entrant, rotation, 0)

    def _open(self, entrant: int, rotation: int, bank: int) -> Seat:
        job, chosen = self._job, self._job.seats[entrant]
        files = self._unpacked(entrant)
        open_seat, code = self._opener_and_bytecode(entrant, bank, files[MAIN])
        frame = frames.load_frame(
            registry.package_of(job.game),
            files,
            chosen.class_name,
            load_seed(job, entrant, rotation),
            self._memory(chosen),
            reports=self._reports,
            libraries=self._libraries,
            code=code,
        )
        if self._separation is not None:
            open_seat = partial(self._separation.open, rotation, open_seat)
        seat = Seat(open_seat, frame, reports=self._reports)
        self._seats[entrant].append((rotation, seat))
        return seat

    def logs(self, limit: int) -> list[str]:
        """The output of each entrant, in the order of rotations, cut to `limit` bytes."""
        ordered = (sorted(seats, key=itemgetter(0)) for seats in self._seats)
        return [cut("".join(seat.log for _, seat in seats), limit) for seats in ordered]

    def cpu_ms(self) -> list[float]:
        """The processor time of each entrant in milliseconds, including loading."""
        own = (sum(seat.cpu_ms for _, seat in seats) for seats in self._seats)
        return [round(sum(both), 3) for both in zip(own, self._compile_ms, strict=True)]

    def output(self, limit: int) -> KeptOutput:
        """The part of the bots' output that is stored, by bout and decision. It has room for
        `limit` bytes of each entrant's printed text, and for a quarter of that number of its
        tracebacks."""
        return kept_output(self._seats, len(self._job.deals), limit, reports=self._wanted)

    def _opener_and_bytecode(self, entrant: int, bank: int, main: bytes) -> tuple[Opener, bytes]:
        """How seats of the entrant with this main file are opened, and the code that they get."""
        if entrant in self._channels:
            return self._channels[entrant], b""
        if self._box is None:
            return LocalChannel, b""
        if (entrant, bank) not in self._openers:
            self._openers[entrant, bank] = self._box_opener(entrant, main, self._box)
        return self._openers[entrant, bank]

    def _box_opener(self, entrant: int, main: bytes, box: Box) -> tuple[Opener, bytes]:
        kept, limits = bytecode_cache_of(box), parse_limits(self._limits)
        before = kept.spent_ms
        code = kept.get(main, box, limits)
        self._compile_ms[entrant] += kept.spent_ms - before
        return opener_in_box(box, code.remaining_limits(limits)), code.data

    def _memory(self, chosen: Entrant) -> bytes:
        if chosen.memory is None:
            return b""
        try:
            return self._memories[chosen.memory]
        except KeyError:
            raise BadMessage(f"the memory {chosen.memory} was not handed over") from None

    def _unpacked(self, entrant: int) -> Mapping[str, bytes]:
        """The files of the entrant's bundle, by name. Raises BadBundle, BadMessage."""
        if entrant not in self._files:
            version = self._job.seats[entrant].version
            try:
                bundle = self._bundles[version]
            except KeyError:
                raise BadMessage(f"the bundle {version} was not handed over") from None
            self._files[entrant] = read_bundle(bundle).files
        return self._files[entrant]


def seat_limits(game: str, limits: Mapping[str, int]) -> dict[str, int]:
    """The limits of a seat in this game: those given, with room for the players' reports.

    A game that has reports asks for them in every seat, whether anybody keeps them or not. So no
    bot can tell a match that counts from one that is played to check it.
    """
    reports = registry.game(game).spec.diagnostics
    return {**limits, "report_bytes": REPORT_BYTES} if reports else dict(limits)


def opener(box: Box | None, game: str, limits: Mapping[str, int]) -> Opener:
    """A function that opens a bot's seats in this game, with these limits. No box: in this process.

    All these seats draw on one bank of time.
    """
    allowed = parse_limits(seat_limits(game, limits))
    return LocalChannel if box is None else opener_in_box(box, allowed)


def opener_in_box(box: Box, limits: Limits) -> Opener:
    """Returns a function that opens a bot's seats in the box. They draw on one bank of time."""
    from sandbox.box import seat_opener  # Without a box it is not needed, and so not loaded.

    return seat_opener(box, limits, frames.wants_libraries)


def libraries_of(box: Box | None) -> tuple[str, ...] | None:
    """The libraries that the box holds for bots that import them; None if there is no box."""
    return None if box is None else box.libraries


def parse_limits(limits: Mapping[str, int]) -> Limits:
    """The limits by their names. Raises BadMessage for a name that this arena does not know."""
    try:
        return Limits(**limits)
    except TypeError as error:
        raise BadMessage(f"these limits are not this arena's: {error}") from error


def box_kind(box: Box | None) -> str:
    """The name of the kind of box around the bots; "none" without a box."""
    return "none" if box is None else box.kind


def load_seed(job: PlayMatch, entrant: int, rotation: int) -> str:
    """The seed, in hex, of random numbers while a file is loaded: the same in every run."""
    return player_seed(job.deals[0], f"{job.match}:load", rotation, entrant).hex()


def cut(text: str, limit: int) -> str:
    """A bot's output, safe to show, cut to `limit` bytes of UTF-8.

    It keeps the beginning and the end, where a traceback would be. A sentence marks the cut between
    them.
    """
    data = frames.readable(text).encode()
    if len(data) <= limit:
        return data.decode()
    end = limit // 4
    begin = limit - end - len(output.left_out(len(data)))  # No number here has more digits.
    if begin <= 0:
        return data[:limit].decode(errors="ignore")
    head, tail = (part.decode(errors="ignore") for part in (data[:begin], data[-end:]))
    return head + output.left_out(len(data) - len((head + tail).encode())) + tail
