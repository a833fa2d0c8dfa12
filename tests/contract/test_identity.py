"""The same match is the same record: at any width, in any box, process, order and build.

This holds for bots that keep no state between bouts, and is tested over thousands of games of every
game. The sample finds bots that keep state: see tests/unit/match/test_sample.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cache, partial
from itertools import permutations
from pathlib import Path

import pytest

from matchbox import build, registry
from matchbox.match.wire import ALONE
from sandbox.box import KINDS, Box
from tests.builders import open_box
from tests.contract.identity import GAMES, TABLES, PlayedMatch, deals_of, play

pytestmark = pytest.mark.slow

FEW = 100
"""The number of games of a match in a container, and of a match whose orders of deals are
compared."""
every_game = pytest.mark.parametrize("game", sorted(TABLES))


@cache
def alone(game: str, count: int) -> PlayedMatch:
    """The match in this process, one bout at a time. All others are compared with it."""
    return play(game, None, 1, deals_of(game, count))


def started(game: str, *asked: str, **environment: str) -> subprocess.Popen[bytes]:
    """Starts a process that plays the match in a box and prints the result."""
    words = (game, "--box", "process", "--games", str(FEW), *asked)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.contract.identity", *words],
        stdout=subprocess.PIPE,
        env=os.environ | environment,
        cwd=Path(__file__).parents[2],
    )


def result_of(process: subprocess.Popen[bytes]) -> PlayedMatch:
    """The result that the process has printed."""
    out, _ = process.communicate()
    assert process.returncode == 0
    return PlayedMatch(**json.loads(out))


def test_every_game_is_compared() -> None:
    assert sorted(TABLES) == sorted(registry.games())


@every_game
def test_any_width_gives_the_record_of_one_bout_at_a_time(game: str) -> None:
    for width in (16, 128, 250):
        played = play(game, None, width, deals_of(game))
        assert played.record == alone(game, GAMES).record
        assert played.bouts == alone(game, GAMES).bouts


@every_game
def test_a_thousand_bouts_in_flight_give_that_record_too(game: str) -> None:
    """In a box, which has limits of its own for questions and answers at the same time."""
    many = 1200 * len(TABLES[game])
    with open_box("process") as opened:
        played = play(game, opened, 1024, deals_of(game, many))
    assert played.record == alone(game, many).record


@every_game
def test_any_box_gives_the_record_of_this_process(game: str, kind: str, box: Box) -> None:
    many = FEW if kind == "docker" else GAMES
    for width, count in ((ALONE, FEW // 5), (1, FEW), (16, many), (250, many)):
        played = play(game, box, width, deals_of(game, count))
        assert played.record == alone(game, count).record


@pytest.mark.usefixtures("seat_images")
def test_every_box_writes_the_same_bytes() -> None:
    packed: dict[str, set[str]] = {game: set() for game in TABLES}
    for kind in KINDS:
        with open_box(kind) as opened:
            for game, found in packed.items():
                found.add(play(game, opened, 16, deals_of(game, FEW)).packed)
    assert {game: len(found) for game, found in packed.items()} == dict.fromkeys(TABLES, 1)


@every_game
@pytest.mark.usefixtures("seat_images")
def test_a_container_of_plain_python_gives_that_record_too(game: str) -> None:
    """The other tests play the compiled hot path in containers, if there is one."""
    plain = result_of(started(game, "--box", "docker", MATCHBOX_COMPILED="0"))
    assert plain.record == alone(game, FEW).record


@every_game
def test_the_deals_may_be_dealt_out_in_any_order_to_any_processes(game: str) -> None:
    parts = [("--from", "1", "--step", "2"), ("--step", "-1"), ("--step", "2", "--width", "1")]
    odd, backward, even = (result_of(one) for one in [started(game, *part) for part in parts])
    assert odd.bouts | even.bouts == backward.bouts == alone(game, FEW).bouts
    assert not odd.bouts.keys() & even.bouts.keys()


@every_game
@pytest.mark.parametrize("width", [1, 16])
def test_the_rotations_may_be_played_in_any_order(
    game: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set()
    with open_box("process") as opened:
        for order in permutations(range(len(TABLES[game]))):
            monkeypatch.setattr("worker.arena.play.shuffled", partial(in_order, order))
            played = play(game, opened, width, deals_of(game, FEW))
            assert played.record == alone(game, FEW).record
            found.add(played.packed)
    assert len(found) == 1


def in_order(order: tuple[int, ...], rotations: Iterable[int]) -> tuple[int, ...]:
    """The rotations in that order, in place of a random one."""
    wanted = set(rotations)
    return tuple(rotation for rotation in order if rotation in wanted)


@every_game
def test_a_compiled_build_gives_the_same_bytes_as_plain_python(game: str) -> None:
    wide = ("--games", str(GAMES), "--width", "250")
    plain, compiled = (
        result_of(one)
        for one in [started(game, *wide, MATCHBOX_COMPILED=wanted) for wanted in ("0", "1")]
    )
    assert plain.build == "plain"
    assert compiled.build == ("compiled" if build.files() else "plain")  # See test_build.py.
    assert plain.packed == compiled.packed
    assert plain.record == alone(game, GAMES).record
