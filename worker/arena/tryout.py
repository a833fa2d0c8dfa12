"""Validates a version: loads its file in a box, then lets the bot play there, against itself.

Knows the stages at which a bot may fail; verdict_messages.py has the messages. The server
and `matchbox check` run this same function.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from matchbox import registry
from matchbox.bundle import digest, named_as_standard, read_bundle
from matchbox.dice import derive_deals
from matchbox.errors import BadBundle, SeatFault
from matchbox.game import fill_options
from matchbox.match import frames
from matchbox.match import record as records
from matchbox.match.learning import Own, lessons, round_key
from matchbox.match.output import plain
from matchbox.match.referee import play
from matchbox.match.replay import check_rules
from matchbox.match.sample import sample
from matchbox.match.seat import PassingChannel, Seat
from matchbox.match.wire import Entrant, PlayMatch, TriedOut
from worker.arena import verdict_messages
from worker.arena.failed_function import find_failed_function
from worker.arena.learning import learn
from worker.arena.match_seats import (
    MatchSeats,
    box_kind,
    cut,
    libraries_of,
    load_seed,
    opener,
    parse_limits,
)

Files: TypeAlias = Mapping[str, bytes]
"""The files of a bot, by name."""
DEALS_AT_ONCE: Final = 6
"""The number of deals played at once. All their bouts are then played again, each alone."""

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matchbox.match.frames import Answer, Question, View
    from matchbox.match.record import Record
    from matchbox.match.seat import Channel
    from matchbox.match.wire import TryOut
    from sandbox.box import Box
    from worker.arena.failed_function import CalledFunction
    from worker.arena.match_seats import Opener


@dataclass
class _Trial:
    """The observations of the bot so far."""

    new_opener: Callable[[], Opener]
    """Makes a function that opens seats. These draw on one bank of time, which no others use."""
    log_bytes: int
    load_frame: Callable[..., bytes]
    reports: bool
    watch: Callable[[], None]
    """Called at each of the bot's answers."""
    class_name: str | None = None
    learns: bool | None = None
    games: int = 0
    decisions: int = 0
    decision_ms: float = 0.0
    peak_bytes: int = 0
    """The most memory that one of its programs has held."""
    logs: list[str] = field(default_factory=list)
    played: list[Record] = field(default_factory=list)
    """The bot's matches, two in a row for each deal."""

    @property
    def cpu_ms_per_decision(self) -> float:
        """The mean processor time of a decision so far, in milliseconds."""
        return round(self.decision_ms / self.decisions, 4) if self.decisions else 0.0

    @property
    def log(self) -> str:
        """The bot's output, cut to the limit."""
        return cut("".join(self.logs), self.log_bytes)


class TryOutFailed(Exception):
    """The bot's first fault, which ends the try-out, with the stage at which it happened."""

    def __init__(
        self, fault: SeatFault, stage: verdict_messages.Stage, called: CalledFunction | None = None
    ) -> None:
        """`called` is the function of the bot that answers the question at which it failed."""
        super().__init__(fault.detail)
        self.fault = fault
        self.stage = stage
        self.called = called


def try_out(
    job: TryOut,
    bundle: bytes,
    box: Box | None,
    beside: bytes | None = None,
    watch: Callable[[], None] = lambda: None,
) -> TriedOut:
    """The verdict on the version, with reasons for its author.

    `beside` is the bundle of the opponents, if it does not play against itself. `watch` is called
    at each answer. Raises SeatFault("platform"), BadGame, and anything that `watch` raises.
    """
    others = [] if beside is None else [read_bundle(beside).files]  # It may raise BadBundle.
    reports, kept = registry.game(job.game).spec.diagnostics, parse_limits(job.limits).log_bytes
    load_frame = partial(frames.load_frame, reports=reports, libraries=libraries_of(box))
    trial = _Trial(partial(opener, box, job.game, job.limits), kept, load_frame, reports, watch)
    verdict, reasons, unrepeatable, stateful = "accepted", [], False, False
    try:
        files = _load(job, bundle, trial)
        unrepeatable = not _play_twice(job, [files, *others], trial)
        reasons = [verdict_messages.UNREPEATABLE] if unrepeatable else []
        if beside is None:
            stateful = not unrepeatable and _keeps_state(job, bundle, trial, box)
            reasons += [verdict_messages.STATEFUL] if stateful else []
            reasons += _play_at_the_largest_table(job, files, trial)
            reasons += _learn(job, bundle, files, trial, box)
        reasons += verdict_messages.never_awaited(trial.log)
    except BadBundle as error:
        verdict, reasons = "bundle", [str(error)]
    except TryOutFailed as failed:
        verdict, reasons = _refusal(failed, job, trial.log)
    deals = len(trial.played) * (registry.game(job.game).spec.seats[0] if beside is None else 1)
    return TriedOut(
        version=job.version,
        attempt=job.attempt,
        token=job.token,
        accepted=verdict == "accepted",
        verdict=verdict,
        reasons=reasons,
        class_name=trial.class_name,
        games=trial.games,
        cpu_ms_per_decision=trial.cpu_ms_per_decision,
        log=trial.log,
        box=box_kind(box),
        unrepeatable=unrepeatable,
        stateful=stateful,
        learns=trial.learns,
        cpu_ms_per_deal=round(trial.decision_ms / deals, 4) if deals else 0.0,
        peak_bytes=trial.peak_bytes,
    )


def _refusal(failed: TryOutFailed, job: TryOut, log: str) -> tuple[str, list[str]]:
    """The verdict on a version with a fault, and the reasons. Raises a fault of the platform."""
    fault, stage = failed.fault, failed.stage
    if fault.kind == "platform":
        raise fault from failed
    reason = verdict_messages.reason(fault, stage, job.limits, log, failed.called)
    return "bundle" if stage == "choosing" else fault.kind, [reason]


def _load(job: TryOut, bundle: bytes, trial: _Trial) -> Files:
    """Loads the bot once, alone. Returns its files. Raises BadBundle, TryOutFailed."""
    if digest(bundle) != job.version:
        raise BadBundle("the bytes are not those of this version; upload the file again")
    files, package = read_bundle(bundle).files, registry.package_of(job.game)
    if file := named_as_standard(files):
        raise BadBundle(f"{file} has the name of a module of Python's own; rename it")
    seed = load_seed(_match(job, job.deals[0]), 0, 0)
    frame = trial.load_frame(package, files, job.class_name, seed)
    channel = trial.new_opener()()
    stage: verdict_messages.Stage = "loading"
    try:
        with closing(channel):
            answer = channel.ask(frame, start=True)
            stage = "choosing"
            trial.class_name = frames.read_loaded(answer)
    except SeatFault as fault:
        trial.logs.append(plain(channel.stderr))
        raise TryOutFailed(fault, stage if fault.kind == "protocol" else "loading") from fault
    return files


def _play_twice(job: TryOut, bots: list[Files], trial: _Trial) -> bool:
    """Plays every deal twice; True if both matches had the same record. Raises BadGame."""
    same = True
    for deal in job.deals:
        match = _match(job, deal)
        twice = [_play(match, bots, trial) for _ in range(2)]
        if twice[0] != twice[1]:
            same = False
            check_rules(registry.game(job.game), trial.played[-2:])
        trial.games += 2 * len(match.seats)
    return same


def _keeps_state(job: TryOut, bundle: bytes, trial: _Trial, box: Box | None) -> bool:
    """Whether it answers differently with several bouts in flight than in each bout alone."""
    match, game = _match(job, *derive_deals(job.deals[0], DEALS_AT_ONCE)), registry.game(job.game)
    seats, alone = (MatchSeats(match, {job.version: bundle}, box) for _ in range(2))  # Own banks.
    played = play(game, match, seats.open_player, on_progress=lambda _: trial.watch())
    every = len(played.record.bouts)
    return bool(sample(game, match, played.record, alone.open_alone, every, trial.watch).stateful)


def _play_at_the_largest_table(job: TryOut, files: Files, trial: _Trial) -> list[str]:
    """Plays a bout at the game's largest table, if it has not been played so far.

    Returns messages for its author: a fault there refuses no bot, which may never come to such a
    table. Nor does one of the platform, such as too little memory for so many seats.
    """
    seats = max(registry.game(job.game).spec.seats)
    match, apart = _match(job, job.deals[0], seats=seats), replace(trial, played=[], logs=[])
    if len(trial.played[0].seats) == seats:
        return []
    try:
        _play(match, [files], apart, rotations=(0,))
    except (TryOutFailed, SeatFault) as failed:
        if isinstance(failed, SeatFault) or failed.fault.kind == "platform":
            return []
        return [verdict_messages.at_table(seats, *_refusal(failed, job, apart.log)[1])]
    finally:
        trial.logs += apart.logs
        trial.peak_bytes = apart.peak_bytes
    trial.games += 1
    return []


def _learn(job: TryOut, bundle: bytes, files: Files, trial: _Trial, box: Box | None) -> list[str]:
    """Lets a bot that learns do so once, and then play a deal with its new memory.

    Returns messages for its author: a fault of `learn` costs nothing. Raises TryOutFailed at a
    fault in play.
    """
    key = round_key("try-out", 1, job.version)
    own = [Own(record, 0) for record in trial.played[::2]]
    done = learn(
        job.game,
        bundle,
        Entrant(job.version, job.class_name),
        b"",
        lambda: lessons(registry.game(job.game), own, key),
        seed=key,
        limits=job.limits,
        box=box,
        watch=trial.watch,
    )
    trial.logs.append(done.log)
    trial.learns = done.learns
    if done.fault is not None:
        return [verdict_messages.learn_failure(done.fault, done.log)]
    if done.memory:
        _play(_match(job, job.deals[0]), [files], trial, done.memory)
        trial.games += registry.game(job.game).spec.seats[0]
    return []


def _play(
    match: PlayMatch,
    bots: list[Files],
    trial: _Trial,
    memory: bytes = b"",
    rotations: Iterable[int] | None = None,
) -> str:
    """The digest of the record of one match. Raises TryOutFailed at the bot's first fault.

    `bots` are the bot's own files and, if it does not play against itself, the opponents'. Each
    match has a bank of time of its own, as on the platform. `rotations` limits it to some.
    """
    game, package = registry.game(match.game), registry.package_of(match.game)
    open_channel, open_other = trial.new_opener(), trial.new_opener()
    opened: list[_WatchedSeat] = []

    def open_player(entrant: int, rotation: int) -> Seat:
        seed = load_seed(match, entrant, rotation)
        files = bots[min(entrant, len(bots) - 1)]
        frame = trial.load_frame(package, files, match.seats[entrant].class_name, seed, memory)
        if files is not bots[0]:
            return Seat(open_other, frame, reports=trial.reports)
        opened.append(_WatchedSeat(frame, trial, (entrant, rotation), open_channel))
        return opened[-1]

    try:
        played = play(game, match, open_player, rotations=rotations)
    finally:
        for watched in opened:
            watched.close()
            trial.logs.append(watched.log)
    for note in played.notes:
        if note.entrant == 0 or len(bots) == 1:
            place = note.entrant, note.rotation
            seat = next(one for one in reversed(opened) if one.place == place)
            raise TryOutFailed(SeatFault(note.kind, note.detail), "turn", seat.called())
    trial.played.append(played.record)
    return records.digest(played.record)


def _match(job: TryOut, *deals: str, seats: int = 0) -> PlayMatch:
    """The match of these deals between the bot and its opponents, all rotations at once, at a table
    of this size; 0: the smallest one."""
    spec = registry.game(job.game).spec
    own = Entrant(job.version, job.class_name)
    return PlayMatch(
        attempt=job.attempt,
        token=job.token,
        game=job.game,
        limits=job.limits,
        match=f"try-out {job.version}",
        rules=spec.rules,
        options=fill_options(spec, {}),
        deals=list(deals),
        width=len(deals),
        seats=[own, *[job.beside or own] * ((seats or spec.seats[0]) - 1)],
    )


class _WatchedSeat(Seat):
    """A seat that ends the try-out at its first fault, and measures its time."""

    def __init__(
        self, load: bytes, trial: _Trial, place: tuple[int, int], open_channel: Opener
    ) -> None:
        """`place` is the entrant and the rotation."""
        super().__init__(lambda: _TimedChannel(open_channel(), trial), load, reports=trial.reports)
        self.place = place
        self._trial = trial
        self._view: View = None
        """The view, or its brief, of the last question."""

    def answer(self, questions: Sequence[Question]) -> list[Answer]:
        """One answer for each question. Raises TryOutFailed at the bot's first fault."""
        stage: verdict_messages.Stage = "turn"
        for _, view, seed in questions:
            stage = "start" if seed else stage
            self._view = bytes(view) if isinstance(view, bytearray) else view
        try:
            answers = super().answer(questions)
        except SeatFault as fault:
            raise TryOutFailed(fault, stage, self.called()) from fault
        for answer in answers:
            if isinstance(answer, SeatFault):
                raise TryOutFailed(answer, stage, self.called())
        return answers

    def called(self) -> CalledFunction | None:
        """The function of the bot that answers the last question."""
        self._trial.watch()
        return find_failed_function(self._view, self._load, self._trial.new_opener())


class _TimedChannel(PassingChannel):
    """A channel that adds up the processor time of decisions, without loading."""

    def __init__(self, channel: Channel, trial: _Trial) -> None:
        super().__init__(channel)
        self._trial = trial

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """The one frame that answers this one. Raises SeatFault."""
        self._trial.watch()
        before = self.cpu_ms
        answer = super().ask(frame, decisions, start=start)
        if not start:
            self._trial.decisions += decisions
            self._trial.decision_ms += self.cpu_ms - before
        return answer

    def close(self) -> None:
        """Ends the program, and notes the most memory that it has held."""
        super().close()
        self._trial.peak_bytes = max(self._trial.peak_bytes, self.peak_bytes)
