"""No viewer gets hidden data: the tests compare the answers of every address.

Everything is asked for twice, with something hidden changed in between. The change must not alter
any answer to a viewer who may not know it. The first answers serve all tests.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from sqlalchemy import select, update

from matchbox import registry
from matchbox.dice import Dice, SeededDice
from matchbox.game import Game, Options
from matchbox.match import record as records
from matchbox.match.record import Bout
from server.db.models import (
    Audit,
    BrowserSession,
    Bundle,
    Draft,
    Lesson,
    Match,
    MatchSeat,
    Memory,
    Notice,
    PlayTable,
    Result,
    Role,
    Season,
    Token,
    User,
    Version,
    Webhook,
)
from server.services import disk, table_turns
from tests.books import SIMPLE, Books
from tests.unit.server.routes.scene import CLOSED, GAMES, OVER, Scene, busy_books, make_scene
from tests.unit.server.routes.walk import Walked, differing, held_up, unanswered

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("error")]

WITHOUT_PROVIDER = {
    "pages.openid_new", "pages.openid_out", "forms_openid.begin", "forms_openid.come_back",
}  # fmt: skip
"""Endpoints that answer only with an OpenID provider; test_openid.py asks for them."""

WITH_A_KEY = {"remote.bundle", "remote.memory", "remote.record"}
"""Endpoints that answer only arenas with a key; test_remote.py asks for them."""


VIEWERS = ("alice", "bob", "charlie", "dora", "nobody")


@dataclass(frozen=True)
class Kept:
    """A platform that several tests share, as it was before their changes."""

    scene: Scene
    walked: Walked
    """Its answers to all viewers."""
    file: Path
    copy: sqlite3.Connection
    """A copy of its database."""


@pytest.fixture(scope="module")
def kept(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """A platform on which everything that hides something does so, with all answers that it gives.

    The page of its health shows the room on the disk, which other programs would change.
    """
    folder = tmp_path_factory.mktemp("hidden")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "_free", lambda folder: 2**39)
        chance = Random("the platform of these tests")
        patch.setattr(secrets, "token_bytes", lambda nbytes=32: chance.randbytes(nbytes))
        books = busy_books(empty_database, folder)
        alice, bob = books.person("alice"), books.person("bob")
        scene = make_scene(books, alice, bob, books.person("charlie", Role.OPERATOR))
        walked = scene.world.walk(*VIEWERS, heads=True)
        with closing(sqlite3.connect(":memory:")) as copy:
            with closing(sqlite3.connect(folder / "matchbox.db")) as database:
                database.backup(copy)
            yield Kept(scene, walked, folder / "matchbox.db", copy)
        books.context.close()


@pytest.fixture
def scene(kept: Kept) -> Iterator[Scene]:
    """The platform. Its database is put back after the test."""
    yield kept.scene
    with closing(sqlite3.connect(kept.file)) as database:
        kept.copy.backup(database)


@pytest.fixture
def walked(kept: Kept) -> Walked:
    """The answers to all viewers before anything is changed."""
    return dict(kept.walked)


def test_every_address_gives_somebody_something_and_asks_nobody_to_wait(
    scene: Scene, walked: Walked
) -> None:
    assert held_up(walked) == []
    assert [ask for ask, answer in walked.items() if answer.status >= 500] == []
    of_three = {ask: walked[ask] for ask in walked if ask[0] in ("alice", "charlie", "nobody")}
    assert unanswered(scene.world, of_three) == WITHOUT_PROVIDER | WITH_A_KEY
    assert len({path for _, path in walked}) > 200


def test_what_only_its_owner_may_know_changes_nothing_for_others(
    scene: Scene, walked: Walked
) -> None:
    _change_what_is_private(scene)
    after = scene.world.walk("alice", "bob", "nobody")
    found = differing({ask: walked[ask] for ask in after}, after)
    assert {
        asked: why for asked, why in found.items() if asked[0] not in ("alice", "charlie")
    } == {}
    assert len([1 for viewer, _ in found if viewer == "alice"]) > 8
    for asked, answer in walked.items():
        told = {name for name, secret in scene.secrets.items() if secret in answer.body}
        allowed = {"alice": {"link of a table"}, "charlie": {"code"}}.get(asked[0], set())
        own = {"code"} if "/join/" in asked[1] else set()
        assert told <= allowed | own, asked


def test_a_match_under_embargo_tells_nobody_how_it_was_played(scene: Scene, walked: Walked) -> None:
    """Neither its owners nor an operator see it, and nobody sees a deal of an unfinished match."""
    _play_otherwise(scene)
    after = scene.world.walk("alice", "charlie", "nobody")
    assert differing({ask: walked[ask] for ask in after}, after) == {}
    with scene.books.write() as session:
        session.execute(update(Match).values(state="finished"))
    opened = scene.world.walk("nobody")
    record = opened["nobody", f"/api/v1/matches/{scene.matches[CLOSED]}"]
    assert "the other one drew the bomb" in record.body
    assert len(differing({ask: walked[ask] for ask in opened}, opened)) > 8


def test_what_the_other_seat_holds_changes_nothing_of_what_is_sent(
    scene: Scene, walked: Walked, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = {game: scene.tables[game] for game in GAMES}
    parts = {**scene.world.parts, "table": list(played.values())}
    world = replace(scene.world, parts=parts)
    held = _held(scene.books, played)
    _hold_otherwise(scene.books, monkeypatch, played)
    now_held = _held(scene.books, played)
    assert [game for game in played if now_held[game] == held[game]] == []
    after = world.walk("alice", "charlie", "dora")
    assert differing({ask: walked[ask] for ask in after}, after) == {}
    for game, table in played.items():
        theirs = (f"/play/{game}/{table}", f"/play/{game}/{table}.json", f"/api/v1/tables/{table}")
        assert {walked["alice", path].status for path in theirs} == {200}
        assert {walked["dora", path].status for path in theirs} == {403}


def _change_what_is_private(scene: Scene) -> None:
    """Changes everything that only alice, or only alice and operators, may read."""
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
        result.printed = [[seat.seat, 0, 0, 0, False, "it said something else", 0]]
        result.notes = [[seat.seat, 0, 0, "crash", "another traceback"]]


def _play_otherwise(scene: Scene) -> None:
    """Changes the moves of the match under embargo, and the deals of running matches."""
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
        unfinished = Match.state != "finished"
        for seed in session.scalars(select(Match.first_deal).where(unfinished).distinct()).all():
            with_it = update(Match).where(Match.first_deal == seed)
            session.execute(with_it.values(first_deal=blake2b(seed, digest_size=16).digest()))
        running = update(Season).where(Season.name == "now")
        session.execute(running.values(seed="another seed of the present"))


def _otherwise(bout: Bout) -> Bout:
    """Returns the bout with more moves and the other winner."""
    return msgspec.structs.replace(
        bout,
        moves=["draw"] * (len(bout.moves) + 3),
        places=bout.places[::-1],
        scores=bout.scores[::-1],
        why="the other one drew the bomb",
        faults=[],
    )


def _held(books: Books, tables: dict[str, str]) -> dict[str, str]:
    """Returns the data that alice may not see at each game's table: bob's view and his answers."""
    held = {}
    for game, table in tables.items():
        with books.read() as session:
            row = session.get_one(PlayTable, table)
            view = registry.game(game).view(table_turns.live_bout(row).state, 1)
            held[game] = f"{view} {row.said}"
    return held


class _Resampled:
    """A game that deals alice's hidden cards again where bob's view would be a known one."""

    def __init__(self, game: Game, seen: list[Any]) -> None:
        self._game, self._seen = game, seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def start(self, seats: int, dice: Dice, options: Options) -> Any:
        """Starts the game; deals again if bob's view is a known one."""
        state = self._game.start(seats, dice, options)
        if seats != 2 or self._game.view(state, 1) not in self._seen:
            return state
        return self._game.resample(state, 0, SeededDice(b"another deal", 0))


def _hold_otherwise(books: Books, monkeypatch: pytest.MonkeyPatch, tables: dict[str, str]) -> None:
    """Changes bob's hidden data: his last answer, or the deal if he has not answered."""
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
