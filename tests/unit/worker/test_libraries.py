"""Bots that import numpy are recognised in the box, get seats with numpy, and have the same
seeds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from matchbox.match import record as records
from matchbox.settings import Settings
from sandbox.box import Box
from sandbox.selftest import selftest
from tests.builders import open_box
from tests.unit.worker.bots import GOOD, text, turning
from tests.unit.worker.conftest import LIMITS, a_match, a_try_out, by_digest
from worker.arena.play import play_job
from worker.arena.tryout import try_out

NUMPY = text("import numpy as np", "class Bot(SimplePlayer):", "    CARDS = np.arange(4)")
CHANCE = text(
    "from numpy.random import randint",
    "import numpy",
    "class Bot(SimplePlayer):",
    "    def turn(self, game_data, play_a_card):",
    "        numpy.random.seed()",
    "        print(randint(1 << 30), numpy.random.rand(), numpy.random.default_rng().random())",
    "    def defuse(self, game_data):",
    "        return numpy.int64(randint(1 + game_data.draw_pile_size()))",
)


UNSEEDED = text(
    "from numpy.random import MT19937, PCG64, Generator, SeedSequence",
    "LOADED = Generator(PCG64()).random()",
    "class Bot(SimplePlayer):",
    "    def turn(self, game_data, play_a_card):",
    "        print(LOADED, Generator(PCG64()).random(), MT19937().random_raw())",
    "        print(SeedSequence().entropy, Generator(PCG64(7)).random())",
)


@pytest.fixture
def fresh(kind: str) -> Iterator[Box]:
    """A box that no bot has played in."""
    with open_box(kind) as opened:
        yield opened


def test_the_second_flavour_is_warmed_by_the_first_bot_that_imports_numpy(fresh: Box) -> None:
    assert try_out(a_try_out(GOOD.encode()), GOOD.encode(), fresh).accepted
    assert fresh._box_with_libraries is None
    report = try_out(a_try_out(NUMPY), NUMPY, fresh)
    assert (report.accepted, report.reasons) == (True, [])
    assert fresh._box_with_libraries is not None


def test_a_seat_with_numpy_in_it_holds_every_attack_of_the_selftest(kind: str) -> None:
    assert selftest(kind, libraries=("numpy",)).missing == []


def test_numpys_chance_is_the_bouts_and_its_integers_are_moves(box: Box) -> None:
    match = a_match(CHANCE, NUMPY, deals=3)
    twice = [play_job(match, by_digest(CHANCE, NUMPY), box) for _ in range(2)]
    assert [one.notes for one in twice] == [[], []]
    assert twice[0].logs == twice[1].logs
    assert len(set(twice[0].logs[0].split())) == len(twice[0].logs[0].split())
    first, second = (records.digest(records.unpack(one.record)) for one in twice)
    assert first == second


def test_a_generator_of_numpy_that_a_bot_makes_without_a_seed_has_the_bouts(box: Box) -> None:
    match = a_match(UNSEEDED, NUMPY, deals=3)
    logs = [play_job(match, by_digest(UNSEEDED, NUMPY), box).logs[0] for _ in range(2)]
    assert logs[0] == logs[1]
    lines = [line.split() for line in logs[0].splitlines()[:8]]
    assert len({line[1] for line in lines[::2]}) == 4
    assert len({line[1] for line in lines[1::2]}) == 1


def test_numpys_chance_is_the_same_without_a_box(box: Box) -> None:
    match = a_match(CHANCE, NUMPY, deals=3)
    played = [play_job(match, by_digest(CHANCE, NUMPY), one) for one in (box, None, None)]
    assert [one.notes for one in played] == [[], [], []]
    assert len({records.digest(records.unpack(one.record)) for one in played}) == 1


@pytest.mark.parametrize(
    "line",
    ["import torch", "from torch.nn import Module", "__import__('torch')"],
)
def test_another_library_is_refused_by_name(box: Box, line: str) -> None:
    bundle = text(line, "class Bot(SimplePlayer): pass")
    report = try_out(a_try_out(bundle), bundle, box)
    assert (report.accepted, report.verdict) == (False, "crash")
    assert report.reasons == [
        "torch is not available here; this server offers the standard library and numpy "
        "(player.py, line 4). A module of your own must be in a zip, beside player.py."
    ]


def test_a_bot_may_do_without_a_library_that_is_not_here(box: Box) -> None:
    bundle = text(
        "try:", "    import torch", "except ImportError:", "    torch = None", "BOT = SimplePlayer"
    )
    assert try_out(a_try_out(bundle), bundle, box).accepted


def test_a_bot_may_ask_whether_a_library_is_here(box: Box) -> None:
    bundle = text(
        "from importlib.util import find_spec",
        "FOUND = [find_spec(name) is not None for name in ('torch', 'tkinter', 'random')]",
        "assert FOUND == [False, False, True], FOUND",
        "BOT = SimplePlayer",
    )
    assert try_out(a_try_out(bundle), bundle, box).reasons == []


def test_an_operator_may_offer_none() -> None:
    with open_box("bwrap", Settings(libraries="none")) as plain:
        report = try_out(a_try_out(NUMPY), NUMPY, plain)
    assert "numpy is not available here; this server offers the standard" in report.reasons[0]


def test_numpy_that_is_only_wanted_in_a_function_is_found_too(box: Box) -> None:
    bundle = turning("import numpy", "print(numpy.ones(3).sum(), flush=True)", "return None")
    report = try_out(a_try_out(bundle), bundle, box)
    assert (report.accepted, "3.0" in report.log) == (True, True)


def test_numpy_is_found_in_a_file_with_a_byte_order_mark_and_another_encoding_named(
    box: Box,
) -> None:
    bundle = b"\xef\xbb\xbf# -*- coding: latin-1 -*-\n" + NUMPY
    report = try_out(a_try_out(bundle), bundle, box)
    assert (report.accepted, report.reasons) == (True, [])


def test_too_much_memory_is_a_fault_of_memory_beside_numpy_too(box: Box) -> None:
    bundle = turning("import numpy", f"numpy.ones({LIMITS['memory_mb']} << 20)", "return None")
    assert try_out(a_try_out(bundle), bundle, box).verdict == "memory"
