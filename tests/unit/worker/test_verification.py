"""An arena verifies a match in its box, with the server's files."""

from __future__ import annotations

from importlib.metadata import version
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from matchbox.bundle import digest
from matchbox.match import record as records
from matchbox.match import wire
from matchbox.match.wire import Verified, Verify
from sandbox.box import Box
from tests.unit.worker.bots import GOOD, text
from tests.unit.worker.conftest import LIMITS, a_match
from tests.unit.worker.test_tasks import World, plain
from worker.arena.play import play_job
from worker.arena.tasks import Arena
from worker.arena.verification import library_versions

ONE = GOOD.encode()
TWO = text("class Bot(ScaredPlayer):", "    pass")


@pytest.fixture
def packed(box: Box) -> bytes:
    """Returns the packed record of a match of both bots."""
    match = a_match(ONE, TWO)
    return play_job(match, {digest(bundle): bundle for bundle in (ONE, TWO)}, box).record


def a_job(packed: bytes, **given: Any) -> Verify:
    """Returns the job that verifies it."""
    values: dict[str, Any] = {
        "attempt": 1,
        "token": "token",
        "game": "bomb",
        "limits": LIMITS,
        "verification": "verification:7",
        "match": "match",
        "digest": records.digest(records.unpack(packed)),
        "classes": [None, None],
    }
    return Verify(**values | given)


def found(world: World) -> Verified:
    """Returns the finding that was sent."""
    ((task, message),) = world.sent
    assert task == wire.BOOK_VERIFICATION
    return wire.from_plain(Verified, message)


def test_a_match_is_claimed_played_again_and_found_the_same(box: Box, packed: bytes) -> None:
    world = World(ONE, TWO)
    world.keep("match", packed)
    clock = count(0, 20)
    arena = Arena(world.client, box, world.send, clock=lambda: float(next(clock)))
    arena.run(wire.VERIFY, plain(a_job(packed)))
    told = found(world)
    assert (told.verification, told.finding, told.bout, told.move) == (
        "verification:7", "same", None, None,
    )  # fmt: skip
    assert world.claimed[0]["kind"] == "verification"
    assert world.claimed[0]["subject"] == "verification:7"
    assert len(world.claimed) > 2


def test_a_record_of_another_course_is_different_from_its_first_other_move_on(
    box: Box, packed: bytes
) -> None:
    match = a_match(ONE, ONE)
    other = records.unpack(play_job(match, {match.seats[0].version: ONE}, box).record)
    honest = records.unpack(packed)
    forged = replace(other, seats=honest.seats)
    world = World(ONE, TWO)
    world.keep("match", records.pack(forged))
    Arena(world.client, box, world.send).run(
        wire.VERIFY, plain(a_job(packed, digest=records.digest(forged)))
    )
    told = found(world)
    assert told.finding == "different"
    assert told.bout is not None
    assert told.move is not None
    one, two = forged.bouts[told.bout], honest.bouts[told.bout]
    assert one != two
    assert one.moves[: told.move] == two.moves[: told.move]
    assert forged.bouts[: told.bout] == honest.bouts[: told.bout]


def test_a_match_whose_file_is_gone_is_only_replayed(box: Box, packed: bytes) -> None:
    world = World(ONE)
    world.keep("match", packed)
    Arena(world.client, box, world.send).run(wire.VERIFY, plain(a_job(packed)))
    assert found(world).finding == "replayed_only"


def test_the_libraries_of_the_box_are_compared_with_those_of_the_record(box: Box) -> None:
    assert library_versions(None)["numpy"] == version("numpy")
    offered = library_versions(box)["numpy"]
    assert offered == (version("numpy") if "numpy" in box.libraries else "")


def test_a_record_that_is_not_the_stored_one_is_different(box: Box, packed: bytes) -> None:
    world = World(ONE, TWO)
    world.keep("match", packed)
    Arena(world.client, box, world.send).run(wire.VERIFY, plain(a_job(packed, digest="0" * 64)))
    assert (found(world).finding, found(world).bout) == ("different", None)
