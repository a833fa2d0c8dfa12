"""Whatever a seat sends comes out as a result that the books take, or as its own fault."""

from __future__ import annotations

import json
import marshal
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchbox import registry
from matchbox.dice import SeededDice
from matchbox.game import CHANCE, fill_options
from matchbox.match import record as records
from matchbox.match import wire
from matchbox.match.frames import REPORT_LENGTH, SEEN_INSIDE, readable
from matchbox.match.wire import MatchPlayed
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
    """What there is to play in one bout of a game."""
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
    """Mostly nothing, or a few such things."""
    few = st.lists(thing, min_size=1, max_size=2)
    return st.just([]) | few | few | ANYTHING


class Forger:
    """A seat that answers whatever is drawn, and a box of such seats."""

    kind = "bwrap"
    libraries = ()
    stderr = "printed \x1b[31m \0 \u202e"
    cpu_ms = 0.0

    def __init__(self, data: st.DataObject, game: str) -> None:
        self._draw = data.draw
        legal = st.sampled_from(moves_of(game))
        self._move = legal | legal | st.lists(legal, max_size=3) | TEXTS | ANYTHING

    def seat(self, limits: Limits, bank: Bank) -> Forger:
        """Itself."""
        return self

    def close(self) -> None:
        """Nothing is open."""

    def ask(self, frame: bytes, decisions: int = 1, *, start: bool = False) -> bytes:
        """A frame that answers this one, more or less."""
        if start:
            loaded = st.just(["loaded", "Bot"])
            forged = st.lists(KINDS | st.sampled_from(["loaded", "fault"]) | ANYTHING, max_size=3)
            return spelled(self._draw(loaded | loaded | loaded | forged | ANYTHING))
        _, nonce, asked, _ = marshal.loads(frame)
        parts = (st.tuples(NUMBERS, KINDS, TEXTS), NUMBERS, st.tuples(NUMBERS, NUMBERS, TEXTS))
        moves = [self._draw(self._move) for _ in asked]
        said = ["say", nonce, moves, *(self._draw(some(part)) for part in parts)]
        return spelled(said[: 6 - self._draw(st.sampled_from([0, 0, 1, 2]))])


def spelled(message: Any) -> bytes:
    """The message as a seat may send it."""
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
