"""Every output of a seat becomes a result that the ledger accepts, or the seat's own fault."""

from __future__ import annotations

import json
import marshal
import shutil
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import select

from matchbox import registry
from matchbox.dice import SeededDice
from matchbox.game import CHANCE, fill_options
from matchbox.match import record as records
from matchbox.match import wire
from matchbox.match.frames import REPORT_LENGTH, SEEN_INSIDE, readable
from matchbox.match.wire import MatchPlayed, PlayMatch
from server.db.migrations import migrate
from server.db.models import League, MatchState, Result, Role
from server.services import booking
from server.services.match_sizing import MatchSizer
from server.services.tick import tick
from tests.books import Books, open_books, played, scripted, season_of
from tests.unit.worker.bots import GOOD
from tests.unit.worker.conftest import a_match, by_digest
from worker.arena.play import play_job

if TYPE_CHECKING:
    from matchbox.game import Plain
    from sandbox.box import Box
    from sandbox.meter import Bank
    from sandbox.policy import Limits

BUNDLE = GOOD.encode()
NUMBERS = st.integers(0, 1) | st.sampled_from([True, False, -1, 2, 1.0, 0.5, 2**53, 2**70])
TEXTS = st.sampled_from(["fine", "\x1b[31m", "\u202e", "\0", "\ud800", "x" * 2000]) | st.text()
ANYTHING = st.recursive(
    st.none() | NUMBERS | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from([*SEEN_INSIDE, "timeout", "platform"])


@cache
def moves_of(name: str) -> list[Plain]:
    """Returns the moves of one bout of a game."""
    game, found = registry.game(name), []
    dice = SeededDice(bytes(16), 0)
    state = game.start(game.spec.seats[0], dice, fill_options(game.spec, {}))
    for step in range(1, 60):
        for mover in game.to_move(state)[:1]:
            legal = [None] if mover == CHANCE else game.legal(state, mover)
            found += [move for move in legal if move not in found]
            state = game.apply(state, mover, legal[step % len(legal)], dice.at(step))
    return found


def some(thing: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Draws mostly nothing, or a few such things."""
    few = st.lists(thing, min_size=1, max_size=2)
    return st.just([]) | few | few | ANYTHING


class Forger:
    """A seat whose answers are drawn, and a box of such seats."""

    kind = "bwrap"
    libraries = ()
    stderr = "printed \x1b[31m \0 \u202e"
    cpu_ms = 0.0

    def __init__(self, data: st.DataObject, game: str) -> None:
        self._draw = data.draw
        self._legal = legal = st.sampled_from(moves_of(game))
        self._move = legal | legal | st.lists(legal, max_size=3) | TEXTS | ANYTHING

    def seat(self, limits: Limits, bank: Bank) -> Forger:
        """Returns itself."""
        return self

    def close(self) -> None:
        """Does nothing: nothing is open."""

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """Returns a frame that answers this one more or less."""
        if start:
            loaded = st.just(["loaded", "Bot"])
            forged = st.lists(KINDS | st.sampled_from(["loaded", "fault"]) | ANYTHING, max_size=3)
            return spelled(self._draw(loaded | loaded | loaded | forged | ANYTHING))
        _, nonce, asked, _ = marshal.loads(frame)
        bouts = st.sampled_from([bout for bout, *_ in asked])
        report = st.tuples(bouts | NUMBERS, st.integers(0, nonce - 1) | NUMBERS, TEXTS)
        if self._draw(st.booleans()):  # Only the reports may be wrong.
            good = [self._draw(self._legal) for _ in asked]
            return spelled(["say", nonce, good, [], [], self._draw(st.lists(report, max_size=2))])
        parts = (st.tuples(NUMBERS, KINDS, TEXTS), NUMBERS, report)
        moves = [self._draw(self._move) for _ in asked]
        said = ["say", nonce, moves, *(self._draw(some(part)) for part in parts)]
        return spelled(said[: 6 - self._draw(st.sampled_from([0, 0, 1, 2]))])


def spelled(message: Any) -> bytes:
    """Returns the message as a seat may send it."""
    return json.dumps(message).encode()


@pytest.mark.parametrize("game", sorted(registry.games()))
@settings(max_examples=40)
@given(data=st.data(), width=st.integers(1, 3))
def test_whatever_a_seat_sends_is_a_result_that_the_books_take(
    game: str, width: int, data: st.DataObject
) -> None:
    spec = registry.game(game).spec
    own: dict[str, Any] = {"game": game, "rules": spec.rules, "options": fill_options(spec, {})}
    job = a_match(*[BUNDLE] * spec.seats[0], width=width, **own)
    done = play_job(job, by_digest(BUNDLE), cast("Box", Forger(data, game)), reports=True)
    sent = json.dumps(wire.to_plain(done), allow_nan=False).encode()
    assert wire.from_plain(MatchPlayed, json.loads(sent)) == done
    bouts = records.unpack(done.record).bouts
    played = {(bout.deal, bout.rotation) for bout in bouts}
    assert {(one.deal, one.rotation) for one in done.diagnostics} <= played
    assert {(one.deal, one.rotation) for one in done.notes} <= played
    assert all(len(one.text) <= REPORT_LENGTH for one in done.diagnostics)
    texts = [
        *done.logs,
        *(one.text for one in done.diagnostics),
        *(one.detail for one in done.notes),
    ]
    assert texts == [readable(text) for text in texts]


# --- Results ---------------------------------------------------------------------------------

AMOUNTS = st.sampled_from([0.5, 1e300, float("nan"), float("inf"), -1.0]) | NUMBERS
WHOLE = st.integers(0, 9) | NUMBERS
FORGED: dict[str, st.SearchStrategy[Any]] = {
    "notes": some(st.builds(wire.Note, WHOLE, WHOLE, WHOLE, KINDS, TEXTS)),
    "diagnostics": some(st.builds(wire.Diagnostic, WHOLE, WHOLE, WHOLE, WHOLE, TEXTS)),
    "logs": st.lists(TEXTS, min_size=2, max_size=2) | some(TEXTS),
    "cpu_ms": st.lists(AMOUNTS, min_size=2, max_size=2) | some(AMOUNTS),
    "seconds": AMOUNTS | ANYTHING,
    "box": TEXTS,
    "sampled": WHOLE | ANYTHING,
    "stateful": st.lists(WHOLE, max_size=2) | ANYTHING,
    "unrepeatable": st.lists(WHOLE, max_size=2) | ANYTHING,
}
BOUTS: dict[str, st.SearchStrategy[Any]] = {
    "places": st.lists(WHOLE, max_size=3),
    "scores": st.lists(WHOLE, max_size=3),
    "faults": st.lists(st.builds(records.Fault, WHOLE, WHOLE, KINDS), max_size=2),
    "rotation": st.integers(0, 9),
    "moves": st.lists(st.integers() | TEXTS.filter(lambda text: text != "\ud800"), max_size=3),
}


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], tuple[Books, PlayMatch]]:
    """Opens a new database in which a match was sent; returns it and the job."""
    folder, number = tmp_path_factory.mktemp("forgeries"), count()
    url = f"sqlite:///{folder}/{{}}.db"
    migrate(url.format("first"))
    first = open_books(url.format("first"))
    first.wall()
    first.league()
    versions = [first.bot(first.person(name), "bot") for name in ("alice", "bob")]
    season_of(first, first.person("charlie", Role.OPERATOR), versions)
    job = first.dispatch()[0]
    first.context.close()

    def again() -> tuple[Books, PlayMatch]:
        name = next(number)
        shutil.copy(folder / "first.db", folder / f"{name}.db")
        return open_books(url.format(name)), job

    return again


@settings(max_examples=40)
@given(data=st.data())
def test_a_forged_result_is_booked_or_lost_and_the_books_go_on(
    sent: Callable[[], tuple[Books, PlayMatch]], data: st.DataObject
) -> None:
    books, job = sent()
    record = scripted(job)
    wrong = {name: data.draw(BOUTS[name]) for name in data.draw(names_of(BOUTS))}
    bouts = [structs.replace(record.bouts[0], **wrong), *record.bouts[1:]]
    message = wire.to_plain(played(job, structs.replace(record, bouts=bouts)))
    for name in data.draw(names_of(FORGED)):
        message[name] = msgspec.to_builtins(data.draw(FORGED[name]))
    booked = booking.book_message(books.context, wire.RECORD, message)
    match = books.match(job.match)
    assert booked == (match.state == MatchState.FINISHED) == (match.platform_faults == 0)
    tick(books.context)
    with books.read() as session:
        for league in session.scalars(select(League)):
            MatchSizer(session, league)
        for result in session.scalars(select(Result)):
            told = [result.bouts, result.notes, result.diagnostics, result.logs, result.cpu_ms]
            json.dumps([*told, result.seconds], allow_nan=False)
    books.context.close()


def names_of(fields: dict[str, Any]) -> st.SearchStrategy[list[str]]:
    """Draws few of these fields, or none."""
    return st.lists(st.sampled_from(sorted(fields)), max_size=2, unique=True)
