"""A refused bot's verdict names a line of the bot's own file, whatever went wrong."""

from __future__ import annotations

import io
import json
import zipfile
from typing import NoReturn

import pytest

from dashboard.reports import wrong_place
from matchbox import registry
from matchbox.errors import FaultKind, SeatFault
from matchbox.match.frames import read_where
from sandbox.box import Box
from tests.unit.worker.bots import making, text, turning
from tests.unit.worker.conftest import LIMITS, a_try_out
from tests.unit.worker.illegal import ILLEGAL
from worker.arena.failed_function import CalledFunction, find_failed_function
from worker.arena.tryout import try_out
from worker.arena.verdict_messages import reason


@pytest.mark.parametrize("case", ILLEGAL, ids=": ".join)
def test_a_move_that_the_rules_refuse_has_its_place(case: tuple[str, str], box: Box) -> None:
    line, words, source = ILLEGAL[case]
    report = try_out(a_try_out(source.encode(), game=case[0]), source.encode(), box)
    assert (report.verdict, report.accepted) == ("illegal", False), report.reasons
    (reason,) = report.reasons
    assert words in reason
    assert wrong_place(report.reasons, report.log) == ("player.py", line), reason


def test_every_game_has_a_case() -> None:
    assert {game for game, _ in ILLEGAL} == set(registry.games())


FATAL = {
    "hard exit": (turning("import os", "os._exit(3)"), "crash", 5, "in turn, which begins in"),
    "exit in init": (making("import os", "os._exit(3)"), "crash", 5, "in __init__, which begins"),
    "exit later": (
        text(
            "class Bot(SimplePlayer):",
            "    turns = 0",
            "    def turn(self, game_data, play_a_card):",
            "        self.turns += 1",
            "        if self.turns == 2: __import__('os')._exit(3)",
        ),
        "crash",
        6,
        "while it made a decision (in turn, which begins in player.py, line 6): ended",
    ),
    "exit after a traceback that it printed": (
        turning(
            "import os, traceback",
            "try: 1 / 0",
            "except ZeroDivisionError: traceback.print_exc()",
            "os._exit(3)",
        ),
        "crash",
        5,
        "in turn, which begins in",
    ),
    "interrupt": (turning("raise KeyboardInterrupt"), "crash", 6, "(player.py, line 6, in turn)"),
    "error with other streams": (
        turning("import io, sys", "sys.stdout = sys.stderr = io.StringIO()", "1 / 0"),
        "crash",
        8,
        "(player.py, line 8, in turn)",
    ),
    "segfault": (turning("import ctypes", "ctypes.string_at(0)"), "crash", 5, "SIGSEGV"),
    "protocol": (
        turning("import os", "for number in range(3, 9):", "    os.write(number, b'x')"),
        "protocol",
        5,
        "nobody had asked for",
    ),
    "async function": (
        text("class Bot(SimplePlayer):", "    async def turn(self, game_data, play): return None"),
        "illegal",
        5,
        "turn() returned something of type coroutine",
    ),
    "generator": (
        text("class Bot(SimplePlayer):", "    def turn(self, game_data, play): yield None"),
        "illegal",
        5,
        "turn() returned something of type generator",
    ),
    "no such argument": (
        text("class Bot(SimplePlayer):", "    def turn(self):", "        return None"),
        "crash",
        5,
        "takes 1 positional argument but 3 were given",
    ),
    "memory": (
        turning("kept = []", "while True: kept.append(bytes(1 << 20))"),
        "memory",
        7,
        "(player.py, line 7, in turn)",
    ),
}
"""By name: a bot, its verdict, the line, and words of the sentence."""


@pytest.mark.parametrize("name", FATAL)
def test_a_program_that_breaks_has_its_place(name: str, box: Box) -> None:
    bundle, verdict, line, words = FATAL[name]
    report = try_out(a_try_out(bundle), bundle, box)
    assert report.verdict == verdict, report.reasons
    (reason,) = report.reasons
    assert words in reason
    assert wrong_place(report.reasons, report.log) == ("player.py", line), reason


@pytest.mark.parametrize("kind", ["memory", "timeout", "crash", "protocol"])
def test_without_a_line_the_sentence_says_where_the_function_begins(kind: FaultKind) -> None:
    asked = CalledFunction("brain.py", 12, "turn")
    told = reason(SeatFault(kind, "killed"), "turn", LIMITS, "", asked)
    assert "(in turn, which begins in brain.py, line 12)" in told
    assert wrong_place([told]) == ("brain.py", 12)
    known = 'Traceback\n  File "player.py", line 3, in turn\nMemoryError\n'
    if kind in ("memory", "crash"):
        told = reason(SeatFault(kind, "killed"), "turn", LIMITS, known, asked)
        assert "(player.py, line 3, in turn)" in told


def test_a_function_in_another_file_of_a_zip_is_found(box: Box) -> None:
    main = b"from brain import Thinker\n\nBOT = Thinker\n"
    brain = ILLEGAL["war", "cards that it does not hold"][2].replace("Bot(", "Thinker(").encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("player.py", main)
        archive.writestr("brain.py", brain)
    bundle = packed.getvalue()
    report = try_out(a_try_out(bundle, game="war"), bundle, box)
    assert wrong_place(report.reasons) == ("brain.py", 4), report.reasons


def test_what_a_bot_says_of_its_own_place_is_checked() -> None:
    for place in (
        ["/etc/passwd", 1, "x"],
        ["a.py", "1", "x"],
        ["a.py", 1],
        None,
        ["<b>.py", 1, "x"],
    ):
        assert read_where(json.dumps(["where", place]).encode()) is None
    assert read_where(b'["where", ["a.py", 3, "<lambda>"]]') == ("a.py", 3, "a function")
    with pytest.raises(SeatFault):
        read_where(b"no JSON")


def test_a_verdict_stands_though_the_box_fails_while_the_function_is_looked_for() -> None:
    def open_channel() -> NoReturn:
        raise SeatFault("platform", "a seat could not be made")

    assert find_failed_function(None, b"", open_channel) is None
