"""Nothing hidden reaches anybody: all that every address sends is read, and compared.

Each test asks for everything twice, with something hidden changed in between. What a viewer may not
know must change nothing of what the viewer is sent, whatever the address, and whatever is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest
from sqlalchemy import select, update

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import Dice, SeededDice
from matchbox.game import Game, Options
from matchbox.match import record as records
from matchbox.match.record import Bout
from matchbox.match.wire import PlayMatch, TryOut
from server.app import create_app
from server.db.models import (
    Audit,
    BrowserSession,
    Bundle,
    Deal,
    Draft,
    League,
    Lesson,
    Match,
    MatchDeal,
    MatchSeat,
    MatchVerification,
    Memory,
    Notice,
    PlayTable,
    Result,
    Season,
    Token,
    User,
    Version,
    Webhook,
)
from server.services import (
    classes,
    comparisons,
    contact,
    drafts,
    leagues,
    password_links,
    play,
    seasons,
    table_turns,
    webhooks,
)
from tests.books import GAME, SIMPLE, Books, open_books, really_played, season_of, tried_out
from tests.seasons import end_seasons
from tests.unit.server.routes.conftest import ARENA, session_of, token_of
from tests.unit.server.routes.walk import World, differing, unanswered
from tests.unit.server.test_play import move, open_table, seen

pytestmark = pytest.mark.filterwarnings("error")

HASH = "the hash of a password"
GAMES = ("bomb", "skull", "thegame", "creatures", "war")
SECRET_MOVES = ("skull", "war")
"""Games that hide nothing at their start, but moves."""
OVER, CLOSED, RUNNING = range(3)
"""Matches: one that is over, one that is over but shares a deal, and one that is played."""


@dataclass(frozen=True)
class Scene:
    """A platform in full swing, and who looks at it."""

    books: Books
    world: World
    matches: list[str]
    tables: dict[str, str]
    """The ids of the tables, by game or by what they are."""
    secrets: dict[str, str]
    """What nobody may be sent at all, or only alice."""


@pytest.fixture
def books(empty_database: Any, tmp_path: Any) -> Iterator[Books]:
    """Books of the test's own, on a platform that sends mail and limits no walk."""
    path = tmp_path / "matchbox.db"
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
    yield opened
    opened.context.close()


@pytest.fixture
def scene(books: Books, alice: User, bob: User, charlie: User) -> Scene:
    """Matches, seasons, a class, tables, drafts and lessons in every state that hides something."""
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


def test_every_address_is_read_and_gives_somebody_something(scene: Scene) -> None:
    walked = scene.world.walk("alice", "charlie", "nobody")
    assert [ask for ask, answer in walked.items() if answer.status >= 500] == []
    assert unanswered(scene.world, walked) == set()
    assert len({path for _, path in walked}) > 200


def test_what_only_its_owner_may_know_changes_nothing_for_others(scene: Scene) -> None:
    before = scene.world.walk(*scene.world.tokens)
    _change_what_is_private(scene)
    viewers = [viewer for viewer in scene.world.tokens if viewer != "charlie"]
    after = scene.world.walk(*viewers)
    found = differing({ask: before[ask] for ask in after}, after)
    assert {
        asked: why for asked, why in found.items() if asked[0] not in ("alice", "charlie")
    } == {}
    assert len([1 for viewer, _ in found if viewer == "alice"]) > 8
    for asked, answer in before.items():
        told = {name for name, secret in scene.secrets.items() if secret in answer.body}
        allowed = {"alice": {"link of a table"}, "charlie": {"code"}}.get(asked[0], set())
        own = {"code"} if "/join/" in asked[1] else set()
        assert told <= allowed | own, asked


def test_a_match_under_embargo_tells_nobody_how_it_was_played(scene: Scene) -> None:
    """Not its owners, not an operator; nor is a deal known of what is not over."""
    before = scene.world.walk(*scene.world.tokens)
    _play_otherwise(scene)
    after = scene.world.walk(*scene.world.tokens)
    assert differing(before, after) == {}
    with scene.books.write() as session:
        session.execute(update(Match).values(state="finished"))
    opened = scene.world.walk("nobody")
    record = opened["nobody", f"/api/v1/matches/{scene.matches[CLOSED]}"]
    assert "the other one drew the bomb" in record.body
    assert len(differing({ask: before[ask] for ask in opened}, opened)) > 8


def test_what_the_other_seat_holds_changes_nothing_of_what_is_sent(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = {game: scene.tables[game] for game in GAMES}
    parts = {**scene.world.parts, "table": list(played.values()), "game": [*GAMES]}
    world = replace(scene.world, parts=parts)
    viewers = ("alice", "charlie", "dora", "nobody")
    before, held = world.walk(*viewers), _held(scene.books, played)
    _hold_otherwise(scene.books, monkeypatch, played)
    now_held = _held(scene.books, played)
    assert [game for game in played if now_held[game] == held[game]] == []
    assert differing(before, world.walk(*viewers)) == {}
    for game, table in played.items():
        theirs = (f"/play/{game}/{table}", f"/play/{game}/{table}.json", f"/api/v1/tables/{table}")
        assert {before["alice", path].status for path in theirs} == {200}
        for stranger in ("dora", "nobody"):
            assert {before[stranger, path].status for path in theirs} <= {401, 403}


def _record(books: Books) -> list[PlayMatch]:
    """Plays what is queued."""
    jobs = books.dispatch()
    for job in jobs:
        assert books.record(really_played(books, job))
    return jobs


def _embargo(books: Books, jobs: list[PlayMatch]) -> None:
    """Ends the first match, whose deal the second one plays, too."""
    one, other = jobs[:2]
    with books.write() as session:
        session.add(MatchDeal(match_id=other.match, position=9, seed=one.deals[0]))
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
    """A lesson of alice's bot, its memory, and a match that was verified."""
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
    """A table of each game that is played, one with a free seat, one that is over, one left."""
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
    """The values of the parts of addresses, as `World` has them."""
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
        "owner": ["alice"], "game": [GAME, "war"], "bout": [0], "since": [1], "code": [code],
        "page": ["operate"], "digest": [memory], "version": [version.id, version.digest],
        "comparison": [comparison], "draft": [draft],
    }  # fmt: skip
    names: dict[str, list[Any]] = {
        "/assets/<path:name>": ["site.css"],
        "/authors/<name>": ["alice"],
        "/admin/users/<name>": ["alice"],
        "/api/v1/users/<name:name>": ["alice"],
        "/bots/<name>": ["alice-bot"],
        "/bots/<owner>/<name>": ["alice-bot"],
        "/api/v1/bots/<name:owner>/<name:name>": ["alice-bot"],
        "/leagues/<name>": ["class-7b", GAME],
        "/api/v1/leagues/<name:name>": ["class-7b", GAME],
        "/api/v1/comparisons/<number:number>": [comparison],
        "/api/v1/drafts/<number:number>": [draft],
        "/bots/<owner>/<name>/versions/<int(max=999999999):number>": [1, 2],
        "/reset/<int(max=999999999):number>": [alice.id],
        "/account/email/<secret>": [mailed],
        "/reset/<int(max=999999999):number>/<secret>": [reset],
        "/first/<secret>": ["5" * 32],
    }
    return parts, names


def _secrets(
    books: Books, alice: User, charlie: User, names: dict[str, list[Any]], tables: dict[str, str]
) -> dict[str, str]:
    """What is told to nobody, but for the link of a table, to alice, and the code, to charlie."""
    link = seen(books, tables["free"], alice).join
    assert link is not None
    with books.read() as session:
        found = {
            "code": session.scalars(select(League.join_code).where(League.join_code != "")).one(),
            "webhook": session.scalars(select(Webhook.secret)).one(),
            "season": "seed of the present",
        }
        found |= {f"token {one}": one for one in session.scalars(select(Token.digest))}
        found |= {f"session {one}": one for one in session.scalars(select(BrowserSession.digest))}
        open_matches = select(Match.id).where(Match.state != "finished")
        deals = select(MatchDeal.seed).where(MatchDeal.match_id.in_(open_matches))
        found |= {f"deal {one}": one for one in session.scalars(deals)}
        running = select(PlayTable.deal).where(PlayTable.state.in_(("open", "persons")))
        found |= {f"deal {one}": one for one in session.scalars(running)}
    settings = books.settings
    keys = {"key": settings.secret_key, "arena": ARENA, "hash": HASH, "link of a table": link}
    return {name: str(text) for name, text in {**found, **keys}.items()}


def _change_what_is_private(scene: Scene) -> None:
    """Writes something else wherever only alice, or alice and operators, may read."""
    with scene.books.write() as session:
        alice = session.scalars(select(User).where(User.name == "alice")).one()
        alice.email, alice.muted = "other@example.org", ["verdict"]
        own = {"user_id": alice.id}
        session.execute(update(Notice).filter_by(**own).values(text="another text"))
        session.execute(
            update(Webhook).filter_by(**own).values(url="http://other.org", trouble="t")
        )
        session.execute(update(Token).filter_by(**own).values(name="another name"))
        session.execute(update(BrowserSession).filter_by(**own).values(browser="another"))
        session.execute(update(Draft).values(data=b"other = 1\n", class_name="Other"))
        session.execute(update(Memory).values(data=b"it has learned something else"))
        session.execute(update(Lesson).values(log="it printed something else"))
        session.execute(update(Audit).values(detail={"other": 1}))
        hers = session.scalars(select(Version).where(Version.bot.has(owner_id=alice.id))).all()
        for version in hers:
            session.get_one(Bundle, version.digest).data = SIMPLE + b"# another source\n"
            version.report = {**(version.report or {}), "log": "it printed something else"}
        seat = session.scalars(
            select(MatchSeat).where(
                MatchSeat.match_id == scene.matches[OVER],
                MatchSeat.version_id.in_([version.id for version in hers]),
            )
        ).one()
        result = session.get_one(Result, seat.match_id)
        logs = list(result.logs)
        logs[seat.seat] = "it printed something else"
        result.logs = logs
        result.diagnostics = [[seat.seat, 0, 0, 0, '"another report"']]
        result.notes = [[seat.seat, 0, 0, "crash", "another traceback"]]


def _play_otherwise(scene: Scene) -> None:
    """Changes all that was played in the match under embargo, and the deals of what is played."""
    name = scene.matches[CLOSED]
    with scene.books.write() as session:
        match, result = session.get_one(Match, name), session.get_one(Result, name)
        record = records.unpack(result.record)
        bouts = [_otherwise(bout) for bout in record.bouts]
        other = msgspec.structs.replace(record, bouts=bouts)
        result.record, result.digest = records.pack(other), records.digest(other)
        result.logs = [f"another text of {seat.seat}" for seat in match.seats]
        result.cpu_ms = [99.0 for _ in match.seats]
        result.seconds, result.box = 77.0, "docker"
        result.notes = [[0, 0, 0, "crash", "another traceback"]]
        result.diagnostics = [[0, 0, 0, 0, '"another report"']]
        for seat in match.seats:
            seat.points, seat.forfeits = 1 - (seat.points or 0), 3
        unfinished = select(Match.id).where(Match.state != "finished")
        deals = select(MatchDeal).where(MatchDeal.match_id.in_(unfinished))
        seeds: dict[str, str] = {}
        for deal in session.scalars(deals).all():
            if deal.seed not in seeds:
                seeds[deal.seed] = digest(deal.seed.encode())[:32]
                session.add(Deal(seed=seeds[deal.seed], created_at=1))
        session.flush()
        for before, after in seeds.items():
            session.execute(update(MatchDeal).filter_by(seed=before).values(seed=after))
        running = update(Season).where(Season.name == "now")
        session.execute(running.values(seed="another seed of the present"))


def _otherwise(bout: Bout) -> Bout:
    """A bout with more moves, and the other winner."""
    return msgspec.structs.replace(
        bout,
        moves=["draw"] * (len(bout.moves) + 3),
        places=bout.places[::-1],
        scores=bout.scores[::-1],
        why="the other one drew the bomb",
        faults=[],
    )


def _held(books: Books, tables: dict[str, str]) -> dict[str, str]:
    """What alice may not see at each game's table: what bob sees, and his answers."""
    held = {}
    for game, table in tables.items():
        with books.read() as session:
            row = session.get_one(PlayTable, table)
            view = registry.game(game).view(table_turns.live_bout(row).state, 1)
            held[game] = f"{view} {row.said}"
    return held


class _Resampled:
    """A game that deals again what alice may not see, where bob would see just this."""

    def __init__(self, game: Game, seen: list[Any]) -> None:
        self._game, self._seen = game, seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def start(self, seats: int, dice: Dice, options: Options) -> Any:
        """Starts like the game."""
        state = self._game.start(seats, dice, options)
        if seats != 2 or self._game.view(state, 1) not in self._seen:
            return state
        return self._game.resample(state, 0, SeededDice(b"another deal", 0))


def _hold_otherwise(books: Books, monkeypatch: pytest.MonkeyPatch, tables: dict[str, str]) -> None:
    """Lets bob hold something else: by another answer of his, or by another deal if he has none."""
    seen_by_bob = []
    for game, table in tables.items():
        with books.write() as session:
            row = session.get_one(PlayTable, table)
            rules, before = registry.game(game), list(row.said)
            if not before:
                seen_by_bob.append(rules.view(table_turns.live_bout(row).state, 1))
                continue
            row.said = before[:-1]
            (said,) = before[-1]["moves"]
            legal = rules.legal(table_turns.live_bout(row).state, 1)
            other = next(one for one in reversed(legal) if one != said)
            row.said = [*before[:-1], {**before[-1], "moves": [other]}]
    real = registry.game
    monkeypatch.setattr(registry, "game", lambda name: _Resampled(real(name), seen_by_bob))
