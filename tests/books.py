"""A platform for tests: a database, a clock and a message sender of the test's own, and accounts.

Its arena is scripted: it returns at once the records that follow from the deals.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any, TypeVar
from weakref import finalize

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from matchbox import registry
from matchbox.errors import BrokerUnavailable
from matchbox.league.format import PARTS, given
from matchbox.match import record as records
from matchbox.match import wire
from matchbox.match.record import Bout, Fault, Record
from matchbox.match.wire import (
    AnyJob,
    Learned,
    Lost,
    MatchPlayed,
    PlayMatch,
    Teach,
    TriedOut,
    TryOut,
)
from matchbox.settings import Settings
from server import queries
from server.context import Context
from server.db.models import Base, Bot, Entry, League, Match, Notice, Role, Season, User, Version
from server.db.session import Database
from server.queries import lessons as reading
from server.services import (
    accounts,
    booking,
    dispatch,
    entries,
    job_kinds,
    leagues,
    lessons,
    matches,
    ranked,
    seasons,
    turns,
    uploads,
    verdicts,
    walls,
)
from server.services.accounts import Acting
from server.services.tick import tick
from worker.arena.learning import give_lesson
from worker.arena.play import play_job

T = TypeVar("T")
SECRET = "the books' secret key, 32 characters or more"
SIMPLE = b"from matchbox.games.bomb import SimplePlayer\n\nBOT = SimplePlayer\n"
GAME = "bomb"
USUAL_VARIABLES = 32_766
"""The most values of a query in SQLite as its authors build it; other builds allow more."""
BATCH = 5
"""The number of results that a ledger of the tests books together."""


def limit_variables(session: Session) -> None:
    """Lets a query of this session have as many values as in SQLite's usual build."""
    driver: Any = session.connection().connection.driver_connection
    driver.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, USUAL_VARIABLES)


class Clock:
    """A clock that stands still until it is moved, in milliseconds."""

    def __init__(self, now: int = 1_700_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def pass_by(self, *, minutes: float = 0, seconds: float = 0) -> None:
        """Moves the clock forward."""
        self.now += round(60_000 * minutes + 1000 * seconds)


@dataclass
class Postman:
    """A sender that keeps its messages until somebody takes them. If `down`, it refuses all."""

    letters: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    down: bool = False

    def send(self, task: str, queue: str, message: dict[str, Any]) -> None:
        """Takes a task."""
        if self.down:
            raise BrokerUnavailable("the postman is ill; try again tomorrow")
        self.letters.append((task, queue, message))

    def take(self) -> list[AnyJob]:
        """Every job sent since the last call."""
        letters, self.letters = self.letters, []
        return [wire.from_plain(wire.JOBS[task], message) for task, _, message in letters]


@dataclass
class Books:
    """A context, and short ways to act on it."""

    context: Context
    clock: Clock
    postman: Postman

    @property
    def settings(self) -> Settings:
        """The context's settings."""
        return self.context.settings

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A writer's session."""
        with self.context.write() as session:
            yield session

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A reader's session."""
        with self.context.read() as session:
            yield session

    def person(self, name: str, role: Role = Role.AUTHOR) -> User:
        """An account that nobody can log in to, made quickly."""
        with self.write() as session:
            user = User(name=name, password="", role=role, created_at=self.clock())
            session.add(user)
        return user

    def operator_link(self) -> str:
        """The secret of a new link that makes its visitor the first operator."""
        with self.write() as session:
            secret = accounts.first_operator_link(session, now=self.clock())
        assert secret is not None
        return secret

    def acting(self, user: User) -> Acting[User]:
        """Opens transactions of the account, as `server.auth.acting` does for a request."""

        @contextmanager
        def opened() -> Iterator[tuple[Session, User, int]]:
            with self.write() as session:
                yield session, accounts.require_open(session.get_one(User, user.id)), self.clock()

        return opened

    def wall(self, *, walled: bool = True) -> None:
        """Stores an arena's report on its wall."""
        with self.write() as session:
            report = {"box": "bwrap", "walled": walled, "why": "" if walled else "no namespaces"}
            walls.report_wall(session, report, now=self.clock())

    def league(self, *, paused: bool = False, game: str = GAME) -> League:
        """The default league of the game; its ranked queue may rest."""
        with self.write() as session:
            games = [registry.game(game)]
            (found,) = leagues.ensure_default_leagues(
                session, games, self.settings, now=self.clock()
            )
            found.paused = paused
        return found

    def feed(self, session: Session) -> int:
        """Fills every ranked queue; returns the number of new matches."""
        return sum(
            ranked.feed(session, league, settings=self.settings, now=self.clock())
            for league in ranked.due(session)
        )

    def refill(self) -> int:
        """Fills every ranked queue in a transaction of its own; returns the number of new
        matches."""
        with self.write() as session:
            return self.feed(session)

    def entry(self, version: Version) -> Entry:
        """The version's place in its season."""
        with self.read() as session:
            return session.scalars(select(Entry).where(Entry.version_id == version.id)).one()

    def upload(
        self, owner: User, name: str, data: bytes = SIMPLE, *, game: str = GAME, **more: Any
    ) -> Version:
        """A version that waits for its try-out."""
        with self.write() as session:
            return uploads.upload(
                session,
                owner,
                game=game,
                name=name,
                data=data,
                settings=self.settings,
                now=self.clock(),
                **more,
            )

    def bot(
        self, owner: User, name: str, data: bytes | None = None, *, game: str = GAME
    ) -> Version:
        """Makes an active version."""
        text = SIMPLE + f"# {owner.name}/{name}\n".encode() if data is None else data
        version = self.upload(owner, name, text, game=game)
        for job in self.sent(TryOut):
            if job.version == version.digest:
                self.settle(tried_out(job))
        return self.version(version.id)

    def version(self, number: int) -> Version:
        """The version as it is in the database, with its bot and owner."""
        with self.read() as session:
            found = session.scalars(select(Version).where(Version.id == number)).one()
            assert found.bot.owner.name
        return found

    def the_bot(self, version: Version) -> Bot:
        """The version's bot, with its owner."""
        return self.version(version.id).bot

    def season(self, season: Season) -> Season:
        """The season as it is in the database."""
        with self.read() as session:
            return session.get_one(Season, season.id)

    def match(self, name: str) -> Match:
        """The match as it is in the database."""
        with self.read() as session:
            found = session.scalars(select(Match).where(Match.id == name)).one()
            assert found.league.name
            assert all(seat.version.bot.owner for seat in found.seats)
        return found

    def notices(self, user: User, kind: str) -> list[tuple[str, str]]:
        """The subject and text of every notice of this kind in the account's inbox, oldest
        first."""
        mine = (Notice.user_id == user.id, Notice.kind == kind)
        with self.read() as session:
            rows = session.scalars(select(Notice).where(*mine).order_by(Notice.id))
            return [(row.subject, row.text) for row in rows]

    def settle(self, message: TriedOut) -> bool:
        """Books a verdict."""
        with self.write() as session:
            return verdicts.settle(session, message, settings=self.settings, now=self.clock())

    def record(self, message: MatchPlayed) -> bool:
        """Books a result."""
        with self.write() as session:
            return matches.record(session, message, settings=self.settings, now=self.clock())

    def remember(self, message: Learned) -> bool:
        """Books the result of a lesson."""
        with self.write() as session:
            now = self.clock()
            return lessons.remember(session, message, settings=self.settings, now=now)

    def lose(self, message: Lost) -> bool:
        """Books a platform fault."""
        with self.write() as session:
            return job_kinds.lose(session, message, settings=self.settings, now=self.clock())

    def sent(self, kind: type[T]) -> list[T]:
        """Every job of this kind that was sent since the last call; the others are dropped."""
        return [job for job in self.postman.take() if isinstance(job, kind)]

    def count(self, table: type[Base]) -> int:
        """The number of rows of the table."""
        with self.read() as session:
            return session.scalar(select(func.count()).select_from(table)) or 0

    def claim(self, job: AnyJob, arena: str = "") -> None:
        """Claims the job, as an arena does."""
        with self.write() as session:
            job_kinds.claim(session, job.claim(arena), settings=self.settings, now=self.clock())

    def sweep(self) -> int:
        """Puts jobs that are late back into the queue; returns their number."""
        with self.write() as session:
            return job_kinds.sweep(session, settings=self.settings, now=self.clock())

    def tick(self) -> list[PlayMatch]:
        """Ticks; returns the jobs of the matches sent, like `sent`."""
        tick(self.context)
        return self.sent(PlayMatch)

    def dispatch(self) -> list[PlayMatch]:
        """The jobs of the matches sent now."""
        with self.write() as session:
            dispatch.dispatch(session, settings=self.settings, now=self.clock())
        return self.sent(PlayMatch)

    def try_outs(self) -> list[TryOut]:
        """The jobs of the try-outs whose turn it is."""
        with self.write() as session:
            turns.advance(session, settings=self.settings, now=self.clock())
        return self.sent(TryOut)


def open_books(url: str, **settings: Any) -> Books:
    """A platform with a database that has been migrated."""
    clock, postman = Clock(), Postman()
    knobs = {
        "database_url": url,
        "secret_key": SECRET,
        "match_deals": 2,
        "match_seconds": 0,
        "access_log": False,
        "replay_percent": 0,
        **settings,
    }
    context = Context(Settings(**knobs), Database(url), postman, clock)
    finalize(context, context.database.close)  # Since 3.13, Python warns of a connection left open.
    return Books(context, clock, postman)


def tried_out(job: TryOut, *, accepted: bool = True, **more: Any) -> TriedOut:
    """The verdict on a try-out."""
    told: dict[str, Any] = {
        "verdict": "accepted" if accepted else "crash",
        "reasons": [] if accepted else ["ZeroDivisionError: division by zero in line 3"],
        "class_name": "Simple",
        "games": 8,
        "cpu_ms_per_decision": 0.25,
        "log": "hello from the bot\n",
        "box": "bwrap",
        **more,
    }
    return TriedOut(
        version=job.version, attempt=job.attempt, token=job.token, accepted=accepted, **told
    )


def scripted(
    job: PlayMatch, bout_of: Callable[[PlayMatch, int, int], Bout] | None = None
) -> Record:
    """A record that follows from the job's deals and versions alone. Nothing was played."""
    cooperative = registry.game(job.game).spec.cooperative
    versions = [seat.version for seat in job.seats]
    return Record(
        match=job.match,
        game=job.game,
        rules=job.rules,
        options=job.options,
        deals=job.deals,
        seats=versions,
        width=job.width,
        memories=records.memories_of([seat.memory for seat in job.seats]),
        bouts=[
            (bout_of or drawn)(job, deal, rotation)
            for deal in range(len(job.deals))
            for rotation in records.rotations(versions, cooperative=cooperative)
        ],
    )


def drawn(job: PlayMatch, deal: int, rotation: int) -> Bout:
    """A bout whose winner the deal's digits draw. The stronger version, by digest, wins more
    often."""
    chance = blake2b(f"{job.deals[deal]}{rotation}".encode()).digest()[0] / 255
    first = int(job.seats[rotation % 2].version[:2], 16)
    second = int(job.seats[1 - rotation % 2].version[:2], 16)
    wins = chance < (first + 20) / (first + second + 40)
    places, scores = ([1, 2], [1, 0]) if wins else ([2, 1], [0, 1])
    faults = [Fault(0, places.index(2), "crash")] if chance > 0.97 else []
    return Bout(deal, rotation, ["draw"], places, scores, "somebody drew the bomb", faults)


def played(job: PlayMatch, record: Record | None = None) -> MatchPlayed:
    """The result that an arena returns for the job."""
    return MatchPlayed(
        match=job.match,
        attempt=job.attempt,
        token=job.token,
        record=records.pack(record or scripted(job)),
        notes=[],
        logs=[f"seat {seat} says hello\n" for seat in range(len(job.seats))],
        cpu_ms=[12.5 + seat for seat in range(len(job.seats))],
        box="bwrap",
        seconds=0.5,
    )


def learned(job: Teach, memory: bytes = b"wiser", **more: Any) -> Learned:
    """The result that an arena returns for a lesson."""
    told = {"learns": True, "fault": None, "detail": "", "records": 4, "log": "aha\n", **more}
    return Learned(lesson=job.lesson, attempt=job.attempt, token=job.token, memory=memory, **told)


def lost(job: AnyJob, why: str = "the box did not open") -> Lost:
    """The message that the job could not be done."""
    return job.lost(why)


def given_parts(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with any fields of a format, an admission or a schedule as a Given."""
    kinds: Mapping[str, Any] = PARTS
    parts = {part: given(kind, asked[part]) for part, kind in kinds.items() if part in asked}
    return {**asked, **parts}


def season_of(books: Books, operator: User, versions: Sequence[Version], **more: Any) -> Season:
    """A started season of these versions' bots."""
    with books.write() as session:
        asked = {"name": "spring", "league": GAME, "seed": "a seed for tests", **given_parts(more)}
        season = seasons.create(session, operator, **asked, now=books.clock())
        for version in versions:
            bot = session.get_one(Bot, version.bot_id)
            entries.enter(session, operator, season.id, bot.full_name, now=books.clock())
    start(books, operator, season)
    return season


def two_divisions(books: Books, operator: User) -> int:
    """The number of the first of two divisions with two bots each, which have begun; the second has
    the next number."""
    books.league(paused=True)
    versions = [books.bot(books.person(f"owner-{at}"), f"bot-{at}") for at in range(4)]
    return season_of(books, operator, versions, format={"divisions": 2}).id


def start(books: Books, operator: User, season: Season) -> list[str]:
    """Starts the season; returns the ids of its matches."""
    with books.write() as session:
        return seasons.start(
            session,
            operator,
            season.id,
            settings=books.settings,
            now=books.clock(),
        )


def compute_standings(books: Books) -> None:
    """Lets the ledger compute the standings that are out of date, a minute later."""
    books.clock.pass_by(minutes=1)
    tick(books.context)


def play_out(
    books: Books,
    bring: Callable[[list[PlayMatch]], Iterable[MatchPlayed]] | None = None,
    learn: Callable[[Teach], Learned] | None = None,
) -> None:
    """Ticks, plays and teaches until nothing more is sent.

    `bring` makes the results of matches, in order; `learn` makes the result of a lesson.
    """
    while True:
        tick(books.context)
        taken = books.postman.take()
        jobs = [job for job in taken if isinstance(job, PlayMatch)]
        pupils = [job for job in taken if isinstance(job, Teach)]
        if not jobs and not pupils:
            return
        for message in bring(jobs) if bring else map(played, jobs):
            books.record(message)
        for job in pupils:
            books.remember((learn or learned)(job))
        books.clock.pass_by(seconds=5)


def really_play(books: Books, rounds: int) -> None:
    """Really plays the matches of this many ticks, and refreshes the standing."""
    for _ in range(rounds):
        for job in books.tick():
            books.record(really_played(books, job))
        books.clock.pass_by(seconds=30)
    tick(books.context)


def really_played(books: Books, job: PlayMatch) -> MatchPlayed:
    """The result of a match that the versions' own code has really played, in this process."""
    with books.read() as session:
        bundles = {seat.version: queries.bundle(session, seat.version) for seat in job.seats}
        names = filter(None, [seat.memory for seat in job.seats])
        memories = {name: reading.memory(session, name) for name in names}
    return play_job(job, bundles, None, memories=memories)


def really_learned(books: Books, job: Teach) -> Learned:
    """The result of a lesson that was really given, in this process."""
    with books.read() as session:
        bundle = queries.bundle(session, job.pupil.version)
        memory = reading.memory(session, job.pupil.memory) if job.pupil.memory else b""
        return give_lesson(job, bundle, memory, partial(reading.packed_record, session), None)


def record_all(url: str, messages: Sequence[dict[str, Any]], turn: int) -> int:
    """The number of these results that one more ledger booked, in an order of its own. Run in a
    process."""
    books = open_books(url)
    shuffled = random.Random(turn).sample(messages, len(messages))
    booked = sum(booking.book_message(books.context, wire.RECORD, message) for message in shuffled)
    books.context.close()
    return booked


def record_in_batches(url: str, messages: Sequence[dict[str, Any]], turn: int) -> int:
    """The number of these results that one more ledger booked, some at a time, in an order of its
    own. It ticks as well. Run in a process."""
    books = open_books(url)
    shuffled = random.Random(turn).sample(messages, len(messages))
    booked = 0
    while shuffled:
        batch, shuffled = shuffled[:BATCH], shuffled[BATCH:]
        booked += sum(booking.book_matches(books.context, batch))
        tick(books.context)
    books.context.close()
    return booked


def tick_often(url: str, times: int) -> list[tuple[str, int]]:
    """The matches and attempts that one more ledger sent. Run in a process."""
    books = open_books(url)
    for _ in range(times):
        tick(books.context)
    books.context.close()
    return [(job.match, job.attempt) for job in books.sent(PlayMatch)]


def record_and_refill(
    url: str, messages: Sequence[dict[str, Any]], turn: int, window: int
) -> list[dict[str, Any]]:
    """The jobs that one more ledger sent while it booked these results, in an order of its own. Run
    in a process."""
    books = open_books(url, dispatch_window=window)
    for message in random.Random(turn).sample(messages, len(messages)):
        booking.book_message(books.context, wire.RECORD, message)
    books.context.close()
    return [message for task, _, message in books.postman.letters if wire.JOBS[task] is PlayMatch]
