"""A busy platform: matches, seasons, a class, tables and drafts that hide something.

With its viewers, and all values in the addresses of `walk`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from matchbox.bundle import digest
from matchbox.match.wire import PlayMatch, TryOut
from server.app import create_app
from server.db.models import (
    ArenaKey,
    BrowserSession,
    League,
    Lesson,
    Match,
    MatchVerification,
    Memory,
    PlayTable,
    Season,
    Token,
    User,
    Version,
    Webhook,
)
from server.services import (
    arena_keys,
    classes,
    comparisons,
    contact,
    drafts,
    leagues,
    password_links,
    play,
    seasons,
    webhooks,
)
from tests.books import GAME, SIMPLE, Books, open_books, really_played, season_of, tried_out
from tests.seasons import end_seasons
from tests.unit.server.routes.conftest import ARENA, session_of, token_of
from tests.unit.server.routes.walk import World
from tests.unit.server.test_play import move, open_table, seen

HASH = "the hash of a password"
GAMES = ("bomb", "skull", "thegame", "creatures", "war")
SECRET_MOVES = ("skull", "war")
"""Games that hide nothing at their start, but whose moves are secret."""
OVER, CLOSED, RUNNING = range(3)
"""Matches: a finished one, a finished one that shares its deal, and one that is being played."""


@dataclass(frozen=True)
class Scene:
    """A busy platform and its viewers."""

    books: Books
    world: World
    matches: list[str]
    tables: dict[str, str]
    """The ids of the tables, by game or by kind."""
    secrets: dict[str, str]
    """Texts that no viewer, or only alice, may get."""


def busy_books(empty_database: Path, folder: Path) -> Books:
    """Returns the database of a platform that sends mail and does not limit a walk."""
    path = folder / "matchbox.db"
    path.write_bytes(empty_database.read_bytes())
    opened = open_books(
        f"sqlite:///{path}",
        arena_token=ARENA,
        requests_per_minute=10_000_000,
        logins_per_minute=100_000,
        streams_per_address=1000,
        play_tables_each=20,
        smtp_host="127.0.0.1",
        webhooks="any",
    )
    opened.wall()
    opened.league(paused=True)
    return opened


def make_scene(books: Books, alice: User, bob: User, charlie: User) -> Scene:
    """Returns a platform on which everything that hides something does so."""
    books.person("dora")
    versions = [books.bot(owner, f"{owner.name}-bot") for owner in (alice, bob)]
    books.bot(alice, "alice-bot", SIMPLE + b"# alice's second\n")
    past = season_of(books, charlie, versions, name="past", seed="seed of the past")
    over = [job.match for job in _record(books)]
    end_seasons(books)
    now = season_of(books, charlie, versions, name="now", seed="seed of the present")
    jobs = books.dispatch()
    _embargo(books, jobs)
    number = _compare(books, alice)
    _make_class(books, alice, charlie)
    with books.write() as session:
        arena_keys.make(session, charlie, "lab", now=books.clock())
    draft = _try_draft(books, alice)
    memory = _teach(books, past, versions[0])
    tables = _open_tables(books, alice, bob)
    session_of(books, alice)
    parts, names = _parts(books, alice, versions[0], number, draft, memory)
    parts["match"] = [over[0], jobs[0].match, jobs[1].match]
    parts["season"] = [past.id, now.id]
    parts["table"] = list(tables.values())
    tokens = {user.name: token_of(books, user) for user in (alice, bob, charlie)}
    with books.read() as session:
        stranger = session.scalars(select(User).where(User.name == "dora")).one()
    tokens |= {"dora": token_of(books, stranger), "nobody": ""}
    games = {table: game if game in GAMES else "war" for game, table in tables.items()}
    world = World(create_app(books.context), tokens, parts, names, "alice/alice-bot", games)
    matches = [over[0], jobs[0].match, jobs[1].match]
    return Scene(books, world, matches, tables, _secrets(books, alice, charlie, names, tables))


def _record(books: Books) -> list[PlayMatch]:
    """Plays the queued matches; returns their jobs."""
    jobs = books.dispatch()
    for job in jobs:
        assert books.record(really_played(books, job))
    return jobs


def _embargo(books: Books, jobs: list[PlayMatch]) -> None:
    """Ends the first match. The second one has the same deal."""
    one, other = jobs[:2]
    with books.write() as session:
        session.get_one(Match, other.match).deals = one.deals
    assert books.record(really_played(books, one))


def _compare(books: Books, alice: User) -> int:
    with books.write() as session:
        settings, now = books.settings, books.clock()
        asked: dict[str, Any] = {"challenger": 2, "defender": 1, "games": 200}
        return comparisons.start(
            session, alice, "alice/alice-bot", **asked, settings=settings, now=now
        ).id


def _make_class(books: Books, alice: User, charlie: User) -> None:
    with books.write() as session:
        now = books.clock()
        leagues.create(
            session, charlie, name="class-7b", game=GAME, settings=books.settings, now=now
        )
        code = classes.renew_code(session, charlie, "class-7b", now=now)
        classes.join(session, alice, code, now=now)
        seasons.create(session, charlie, name="spring", league="class-7b", now=now)


def _try_draft(books: Books, alice: User) -> int:
    data = SIMPLE + b"# a draft\n"
    with books.write() as session:
        settings, now = books.settings, books.clock()
        draft = drafts.try_draft(session, alice, game=GAME, data=data, settings=settings, now=now)
        number = draft.id
    for job in books.postman.take():
        if isinstance(job, TryOut) and job.version == digest(data):
            books.settle(tried_out(job))
    return number


def _teach(books: Books, season: Season, version: Version) -> str:
    """Adds a lesson of alice's bot, its memory, and a verified match."""
    data, now = b"what it has learned", books.clock()
    with books.write() as session:
        session.add(Memory(digest=digest(data), data=data))
        session.flush()
        session.add(
            Lesson(
                season_id=season.id,
                version_id=version.id,
                round=1,
                state="learned",
                after=digest(data),
                played=[],
                log="printed while it learned",
                created_at=now,
                settled_at=now,
            )
        )
        over = session.scalars(select(Match).where(Match.season_id == season.id)).first()
        assert over is not None
        verification: Any = MatchVerification(
            match_id=over.id, asker_id=1, wanted=False, attempt=1, finding="same",
            created_at=now, finished_at=now,
        )  # fmt: skip
        session.add(verification)
    return digest(data)


def _open_tables(books: Books, alice: User, bob: User) -> dict[str, str]:
    """Opens a table of each game, one with a free seat, a finished one, and an abandoned one."""
    tables = {}
    for game in GAMES:
        tables[game] = _seated(books, alice, bob, game)
        while game in SECRET_MOVES and not _bob_moved(books, tables[game], alice, bob):
            pass
    tables["free"] = open_table(books, alice, ["me", "friend"], game="war")
    tables["left"] = _seated(books, alice, bob, "war")
    for person in (alice, bob):
        move(books, person, tables["left"], seen(books, tables["left"], person).choices[0].move)
    with books.write() as session:
        play.leave(session, alice, tables["left"], now=books.clock())
    tables["over"] = _seated(books, alice, bob, "war")
    while seen(books, tables["over"], alice).state == "persons":
        for person in (alice, bob):
            choices = seen(books, tables["over"], person).choices
            if choices:
                move(books, person, tables["over"], choices[0].move)
    return tables


def _bob_moved(books: Books, table: str, alice: User, bob: User) -> bool:
    """Makes the next move, bob's if he may; returns whether it was his."""
    for person in (bob, alice):
        if choices := seen(books, table, person).choices:
            move(books, person, table, choices[0].move)
            return person is bob
    raise AssertionError("nobody is to move")


def _seated(books: Books, alice: User, bob: User, game: str) -> str:
    table = open_table(books, alice, ["me", "friend"], game=game)
    secret = seen(books, table, alice).join
    assert secret is not None
    with books.write() as session:
        play.join(session, bob, table, secret, settings=books.settings, now=books.clock())
    return table


def _parts(
    books: Books, alice: User, version: Version, comparison: int, draft: int, memory: str
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Returns the values in the addresses, for `World`."""
    with books.write() as session:
        user, now = session.get_one(User, alice.id), books.clock()
        user.password, user.email = HASH, "alice@example.org"
        user.email_asked, user.email_asked_at = "new@example.org", now
        user.reset_asked_at = now
        webhooks.add(session, user, "http://example.org/alice", settings=books.settings, now=now)
        mailed = contact.path_of(user, books.settings).rpartition("/")[2]
        reset = password_links.path_of(user, books.settings).rpartition("/")[2]
        code = session.scalars(select(League.join_code).where(League.name == "class-7b")).one()
    parts: dict[str, list[Any]] = {
        "owner": ["alice"], "game": [GAME], "bout": [0], "since": [1], "code": [code],
        "page": ["operate"], "digest": [memory], "version": [version.id, version.digest],
        "comparison": [comparison], "draft": [draft], "arena": ["arena"],
        "key": ["lab"], "position": [0],
    }  # fmt: skip
    names: dict[str, list[Any]] = {
        "/assets/<path:name>": ["site.css"],
        "/authors/<name>": ["alice"],
        "/admin/users/<name>": ["alice"],
        "/api/v1/users/<name:name>": ["alice"],
        "/bots/<name>": ["alice-bot"],
        "/bots/<owner>/<name>": ["alice-bot"],
        "/api/v1/bots/<name:owner>/<name:name>": ["alice-bot"],
        "/api/v1/bots/<name:owner>/<name:name>/faults": ["alice-bot"],
        "/leagues/<name>": ["class-7b", GAME],
        "/api/v1/leagues/<league:name>": ["class-7b", GAME],
        "/api/v1/comparisons/<number:number>": [comparison],
        "/api/v1/drafts/<number:number>": [draft],
        "/bots/<owner>/<name>/versions/<int(max=999999999):number>": [1, 2],
        "/reset/<int(max=999999999):number>": [alice.id],
        "/account/email/<secret>": [mailed],
        "/reset/<int(max=999999999):number>/<secret>": [reset],
        "/first/<secret>": ["5" * 32],
        "/play/<game>": [*GAMES],
    }
    return parts, names


def _secrets(
    books: Books, alice: User, charlie: User, names: dict[str, list[Any]], tables: dict[str, str]
) -> dict[str, str]:
    """Returns the secrets: a table's link, which only alice gets; a code, which only charlie gets;
    and texts that nobody gets."""
    link = seen(books, tables["free"], alice).join
    assert link is not None
    with books.read() as session:
        found = {
            "code": session.scalars(select(League.join_code).where(League.join_code != "")).one(),
            "webhook": session.scalars(select(Webhook.secret)).one(),
            "season": "seed of the present",
            "key of arenas": session.scalars(select(ArenaKey.digest)).one(),
        }
        found |= {f"token {one}": one for one in session.scalars(select(Token.digest))}
        found |= {f"session {one}": one for one in session.scalars(select(BrowserSession.digest))}
        unfinished = session.scalars(select(Match).where(Match.state != "finished"))
        found |= {f"deal {one}": one for match in unfinished for one in match.deals}
        running = select(PlayTable.deal).where(PlayTable.state.in_(("open", "persons")))
        found |= {f"deal {one}": one for one in session.scalars(running)}
    settings = books.settings
    keys = {"key": settings.secret_key, "arena": ARENA, "hash": HASH, "link of a table": link}
    return {name: str(text) for name, text in {**found, **keys}.items()}
