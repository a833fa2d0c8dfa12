"""A player that searches everything within its reach finds no hidden information.

It plays a whole bout of every game. At its questions 1, 2 and 4 it searches its arguments, every
frame above it with its closures, and all objects that the garbage collector knows. The record gives
the secrets: the deal's seed, the rules' states, and every list and table that was in a state of the
bout and never in a view of the player.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from matchbox import registry
from matchbox.bundle import digest
from matchbox.dice import derive_deals
from matchbox.game import Game, fill_options
from matchbox.match import record as records
from matchbox.match.loading import base_of
from matchbox.match.replay import iterate_moves
from matchbox.match.wire import Entrant, PlayMatch
from sandbox.box import Box
from tests.builders import open_box
from worker.arena.play import play_job

DEAL, OTHER_DEAL = derive_deals("nothing to find", 2)
LIMITS = {
    "memory_mb": 512,
    "cpu_ms": 20_000,
    "start_cpu_ms": 20_000,
    "bank_ms": 600_000,
    "wall_factor": 20,
}
SHORTEST = 3
"""A shorter list is too short to be recognised."""

OWN = [{"my": 1, "own": 2, "table": 3}, "a list", "of mine"]
"""The player keeps this list, with a table in it, and so must find both."""

PLAYERS = {
    "bomb": "SimplePlayer",
    "skull": "RandomAgent",
    "war": "HighestPlayer",
    "thegame": "LegalMinimalPlayer",
    "creatures": "AutoPilot",
}
WALKER = """
import gc, json, sys
from hashlib import blake2b

from matchbox.games.@GAME@ import @PLAYER@ as Known

SECRETS = @SECRETS@
OWN = @OWN@
questions = 0


def known(thing):
    if type(thing) is str:
        return blake2b(thing.encode("utf-8", "replace")).hexdigest()[:16] in SECRETS
    if type(thing) is bytes:
        return blake2b(thing.hex().encode()).hexdigest()[:16] in SECRETS
    if type(thing) in (list, tuple, dict) and 3 <= len(thing) < 200:
        try:
            text = json.dumps(thing, sort_keys=True)
        except (TypeError, ValueError, RecursionError):
            return False
        return blake2b(text.encode()).hexdigest()[:16] in SECRETS
    return str(type(thing).__module__).endswith(".rules") and "State" in type(thing).__name__


def look(*arguments):
    global questions
    questions += 1
    if questions & questions - 1 or questions > 4:
        return
    waiting, seen, found = [*arguments, *gc.get_objects()], set(), set()
    frame = sys._getframe()
    while frame is not None:
        waiting += [*frame.f_locals.values(), frame.f_code, frame.f_globals]
        frame = frame.f_back
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or thing is waiting or thing is seen:
            continue
        seen.add(id(thing))
        if known(thing):
            found.add(type(thing).__name__)
        waiting += gc.get_referents(thing)
    print(*found)


def looking(method):
    def asked(self, *arguments, **named):
        look(self, *arguments, *named.values())
        return method(self, *arguments, **named)

    return asked


class Walker(Known):
    pass


for name in @METHODS@:
    setattr(Walker, name, looking(getattr(Known, name)))

BOT = Walker
"""


def a_walker(name: str, secrets: set[str]) -> bytes:
    """A known player of the game that searches before its answers."""
    base = base_of(import_module(f"{registry.package_of(name)}.player"))
    own = [one for one in vars(base) if one[0] != "_" and callable(getattr(base, one))]
    given = {
        "@GAME@": name,
        "@PLAYER@": PLAYERS[name],
        "@SECRETS@": repr(sorted(secrets)),
        "@OWN@": repr(OWN),
        "@METHODS@": repr([one for one in own if one != "name"]),
    }
    source = WALKER
    for place, text in given.items():
        source = source.replace(place, text)
    return source.encode()


def a_known_player(name: str) -> bytes:
    """The same player, without the search."""
    return f"from matchbox.games.{name} import {PLAYERS[name]} as BOT\n".encode()


def played(name: str, source: bytes, box: Box | None, deal: str = DEAL) -> tuple[Any, str]:
    """The record of one bout against shipped players, and the output of the player that
    searches."""
    game = registry.game(name)
    seats = next(size for size in game.spec.seats if size > 1)
    rest = a_known_player(name)
    bundles = {digest(one): one for one in (source, rest)}
    job = PlayMatch(
        attempt=1,
        token="",
        game=name,
        limits=LIMITS,
        match="walk",
        rules=game.spec.rules,
        options=fill_options(game.spec, {}),
        deals=[deal],
        seats=[Entrant(digest(source)), *[Entrant(digest(rest))] * (seats - 1)],
    )
    done = play_job(job, bundles, box, rotations=(0,))
    assert not done.notes, done.notes
    return records.unpack(done.record), done.logs[0]


def secrets_of(game: Game, record: Any, other: Any) -> tuple[set[str], set[str]]:
    """The data in the record's states that is neither in seat 0's views nor in every bout; and the
    data within seat 0's reach: its views, if sent whole, the name of its class, and OWN."""
    held, seen, usual = set(), set(), set()
    for live, _ in iterate_moves(game, record, record.bouts[0]):
        held |= set(texts(live.state))
        seen |= set(texts(game.view(live.state, 0)))
    for live, _ in iterate_moves(game, other, other.bouts[0]):
        usual |= set(texts(live.state))
    return hashes({*(held - seen - usual), DEAL}), hashes(
        {*seen, PLAYERS[game.spec.name], *texts(OWN)}
    )


def hashes(of: set[str]) -> set[str]:
    """The hashes of the secrets. The player gets these, so that its own file does not hold the
    secrets."""
    return {blake2b(text.encode()).hexdigest()[:16] for text in of}


def texts(start: object) -> Iterator[str]:
    """Every list and table of plain data in an object, as text."""
    waiting: list[Any] = [start]
    known: set[int] = set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in known or isinstance(thing, ModuleType | type | FunctionType):
            continue
        known.add(id(thing))
        waiting += gc.get_referents(thing)
        if type(thing) in (list, tuple, dict) and len(thing) >= SHORTEST:
            try:
                yield json.dumps(thing, sort_keys=True)
            except (TypeError, ValueError):
                continue


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with open_box("bwrap") as opened:
        yield opened


def test_every_shipped_game_has_a_walker(checkout: Path) -> None:
    folders = {place.parent.name for place in (checkout / "matchbox/games").glob("*/rules.py")}
    assert set(PLAYERS) == folders


@pytest.mark.parametrize("name", PLAYERS)
def test_a_player_that_walks_everything_finds_what_its_seat_may_know_and_nothing_hidden(
    name: str, box: Box
) -> None:
    game, quiet = registry.game(name), a_known_player(name)
    (record, _), (other, _) = (played(name, quiet, None, deal) for deal in (DEAL, OTHER_DEAL))
    hidden, own = secrets_of(game, record, other)
    walked, found = played(name, a_walker(name, hidden), box)
    assert walked.bouts[0].moves == record.bouts[0].moves
    assert found.strip() == ""
    assert set(played(name, a_walker(name, own), box)[1].split()) >= {"dict", "list", "str"}
