"""An arena verifies a match in its box, with the server's files."""

from __future__ import annotations

import io
import zipfile
from importlib.metadata import version
from itertools import count
from typing import Any, NoReturn

import pytest
from msgspec.structs import replace

from cli.verification import verifier
from matchbox.bundle import digest
from matchbox.errors import SeatFault
from matchbox.match import libraries, wire
from matchbox.match import record as records
from matchbox.match.wire import Verified, Verify
from matchbox.settings import Settings
from sandbox.box import Box
from sandbox.policy import Limits
from tests.unit.worker.bots import GOOD, text
from tests.unit.worker.conftest import LIMITS, a_match
from tests.unit.worker.test_tasks import World, plain
from worker.arena.play import play_job
from worker.arena.tasks import Arena
from worker.arena.verification import library_versions, name_reader

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


def with_file(more: bytes) -> bytes:
    """Returns a zip with the second bot and another file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("player.py", TWO)
        archive.writestr("more.py", more)
    return packed.getvalue()


WITH_NUMPY = with_file(b"import numpy\n")
HEAVY = with_file(b"numpy" + b"=a" * 200_000 + b"=1\n")


class BrokenBox:
    """A box that opens no seat."""

    def seat(self, limits: Limits) -> NoReturn:
        raise SeatFault("platform", "there is no memory")


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes this process fail to compile a bot's source."""

    def compile_here(*_: object) -> NoReturn:
        raise AssertionError("a bot's source is compiled outside a seat")

    monkeypatch.setattr(libraries, "_named", compile_here)


@pytest.mark.parametrize(("bundle", "finding"), [(WITH_NUMPY, "replayed_only"), (TWO, "different")])
def test_only_a_seat_compiles_a_bot_to_see_what_it_imports(
    box: Box, without_compiler: None, bundle: bytes, finding: str
) -> None:
    match = a_match(ONE, ONE)
    played = records.unpack(play_job(match, {match.seats[0].version: ONE}, box).record)
    forged = replace(played, seats=[digest(bundle)] * 2, libraries={"numpy": "0.1"})
    world = World(bundle)
    world.keep("match", records.pack(forged))
    Arena(world.client, box, world.send).run(wire.VERIFY, plain(a_job(records.pack(forged))))
    assert found(world).finding == finding
    assert ("with numpy 0.1" in found(world).why) == (finding == "replayed_only")


def test_a_file_that_takes_too_long_to_compile_names_no_library(box: Box) -> None:
    limits = LIMITS | {"start_cpu_ms": 5}
    assert list(name_reader(box, limits)("bomb", HEAVY, ["numpy"])) == []


def test_a_box_that_fails_does_not_speak_for_a_bot() -> None:
    broken: Any = BrokenBox()
    with pytest.raises(SeatFault, match="platform"):
        name_reader(broken, LIMITS)("bomb", WITH_NUMPY, ["numpy"])


def test_the_command_has_a_seat_compile_bots_too(box: Box, without_compiler: None) -> None:
    def nothing(name: str) -> None:
        return None

    ours = verifier(nothing, nothing, box, Settings())
    assert ours.read_names("bomb", WITH_NUMPY, ["numpy"]) == ["numpy"]
    assert list(ours.read_names("bomb", TWO, ["numpy"])) == []


def test_a_record_that_is_not_the_stored_one_is_different(box: Box, packed: bytes) -> None:
    world = World(ONE, TWO)
    world.keep("match", packed)
    Arena(world.client, box, world.send).run(wire.VERIFY, plain(a_job(packed, digest="0" * 64)))
    assert (found(world).finding, found(world).bout) == ("different", None)
