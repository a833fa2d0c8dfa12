"""The try-out: accepted bots, and the sentence for each reason to refuse one."""

from __future__ import annotations

import io
import sys
import zipfile
from dataclasses import replace
from errno import EAGAIN
from itertools import count
from typing import Any, cast
from unittest.mock import Mock

import pytest

from matchbox import registry
from matchbox.bundle import read_bundle
from matchbox.errors import BadGame, SeatFault
from matchbox.match.sample import Sampled, sample
from matchbox.match.wire import TriedOut
from sandbox.box import Box
from sandbox.launch import Launched
from tests.builders import shipped
from tests.unit.worker.bots import COUNTING, GOOD, HEAD, making, text, turning
from tests.unit.worker.conftest import BRIEF, LIMITS, DeadBox, a_try_out
from worker.arena import tryout, verdict_messages
from worker.arena.tryout import try_out

PLAYER = "class Bot(SimplePlayer): pass"

REFUSED = [
    pytest.param(
        text("def f(:"),
        "crash",
        f"The file is not valid Python {sys.version_info[0]}.{sys.version_info[1]} (player.py, "
        "line 4): SyntaxError: invalid syntax.",
        id="syntax error",
    ),
    pytest.param(
        text(PLAYER, "play_game(Bot(), Bot())"),
        "crash",
        "The file plays a game of its own (player.py, line 5), which is not possible here: put",
        id="play_game in import",
    ),
    pytest.param(text("x = 1"), "bundle", "The file defines no subclass of Player", id="none"),
    pytest.param(
        text(PLAYER, "class Other(SimplePlayer): pass"),
        "bundle",
        "The file defines several players (Bot, Other); choose one with BOT = Class in the file, "
        "as you submit it (“The file has several players”), or in a command with FILE.py:Class.",
        id="two",
    ),
    pytest.param(
        text("class Bot(Player):", "    def name(self): return 'x'"),
        "crash",
        "The bot lacks a method: a player must have a method turn(game_data, play_a_card).",
        id="missing method",
    ),
    pytest.param(
        turning("return 7"),
        "illegal",
        "The bot gave an answer that the rules refuse (in turn, which begins in player.py, "
        "line 5): turn() returned 7;",
        id="wrong return",
    ),
    pytest.param(
        turning("return 1 / 0"),
        "crash",
        "The bot raised an exception (player.py, line 6, in turn): ZeroDivisionError: division",
        id="exception",
    ),
    pytest.param(
        text("1 / 0"),
        "crash",
        "The bot raised an exception while the file was being imported (player.py, line 4): Zero",
        id="exception in import",
    ),
    pytest.param(
        making("1 / 0"),
        "crash",
        "The bot raised an exception (player.py, line 6, in __init__): ZeroDivisionError",
        id="exception in init",
    ),
    pytest.param(
        text("while True: pass"),
        "timeout",
        "The bot took too long while the file was being imported (player.py, line 4): it used",
        id="loop in import",
    ),
    pytest.param(
        making("while True: pass"),
        "timeout",
        "The bot took too long (player.py, line 6, in __init__): it used",
        id="loop in init",
    ),
    pytest.param(
        turning("while True: pass"), "timeout", "The bot took too long", id="loop in turn"
    ),
    pytest.param(
        turning("lock = __import__('threading').Lock()", "lock.acquire()", "lock.acquire()"),
        "timeout",
        "The bot took too long (player.py, line 8, in turn): it gave no answer within 400 ms; "
        "100 ms of processor time are allowed.",
        id="wait",
    ),
    pytest.param(
        turning("kept = []", "while True: kept.append(bytes(1 << 20))"),
        "memory",
        "The bot needed more memory than the 64 MiB it may use",
        id="memory hog",
    ),
    pytest.param(
        turning("import os", "os._exit(0)"),
        "crash",
        "The program stopped before its first answer of a game (in turn, which begins in "
        "player.py, line 5): ended with exit code 0 instead of answering; a player must",
        id="exit",
    ),
    pytest.param(
        turning("raise SystemExit"),
        "crash",
        "The program stopped (player.py, line 6, in turn): SystemExit; a player must",
        id="sys.exit",
    ),
    pytest.param(
        turning("while True: print('x' * 1000)"), "timeout", "The bot took too long", id="flood"
    ),
    pytest.param(
        text("class Bot(SimplePlayer):", "    def turn(game_data, play_a_card): return None"),
        "crash",
        "The bot raised an exception before its first answer of a game (in turn, which begins in "
        "player.py, line 5): TypeError: Bot.turn() takes 2 positional arguments but 3 were given. "
        "Give it the parameters of the example in the rules: in a class, first self.",
        id="no self",
    ),
    pytest.param(
        text("class Bot(SimplePlayer):", "    def __init__(self, level): pass"),
        "crash",
        "The bot raised an exception before its first answer of a game (in __init__, which begins "
        "in player.py, line 5): TypeError: Bot.__init__() missing 1 required positional argument: "
        "'level'. The platform makes the player, and knows no values for more parameters:",
        id="parameters of init",
    ),
    pytest.param(
        text("class Bot(SimplePlayer):", "    def __init__(): pass"),
        "crash",
        "The bot raised an exception before its first answer of a game (in __init__, which begins "
        "in player.py, line 5): TypeError: Bot.__init__() takes 0 positional arguments but 1 was "
        "given. Give it the parameters of the example in the rules: in a class, first self.",
        id="no self of init",
    ),
    pytest.param(
        making("self.turn = 0"),
        "crash",
        "The bot raised an exception before its first answer of a game (in __init__, remember or "
        "its first decision): TypeError: 'int' object is not callable. A variable has the name",
        id="hidden method",
    ),
    pytest.param(
        turning("game_data.my_hand().num_cards('skip')"),
        "crash",
        "The bot raised an exception (player.py, line 6, in turn): TypeError: num_cards() takes a "
        "card, such as skip_card, not something of type str.",
        id="text for a card",
    ),
    pytest.param(
        b"from bomb import *\n",
        "crash",
        "bomb is not available here; write matchbox.games.bomb (player.py, line 1).",
        id="the game by its own name",
    ),
    pytest.param(b"x" * (10 << 20), "bundle", "the file has 10485760 bytes", id="10 MB"),
    pytest.param(b"name = '\xe9'\n", "bundle", "the file is not UTF-8 in line 1", id="not UTF-8"),
    pytest.param(b"", "bundle", "the file is empty", id="empty"),
]


@pytest.mark.parametrize(("bundle", "verdict", "sentence"), REFUSED)
def test_it_refuses_with_a_sentence_that_the_author_understands(
    bundle: bytes, verdict: str, sentence: str, box: Box
) -> None:
    limits = BRIEF if verdict == "timeout" else LIMITS
    report = try_out(a_try_out(bundle, limits=limits), bundle, box)
    assert not report.accepted
    assert report.verdict == verdict
    (reason,) = report.reasons
    assert reason.startswith(sentence), reason


def test_a_module_named_as_a_standard_one_is_named() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("player.py", "from queue import order\n" + GOOD)
        archive.writestr("queue.py", "order = [1, 2]\n")
    bundle = packed.getvalue()
    report = try_out(a_try_out(bundle), bundle, None)
    assert (report.verdict, report.reasons) == (
        "bundle",
        ["queue.py has the name of a module of Python's own; rename it"],
    )


def test_it_tells_how_much_memory_the_bot_has_held(box: Box) -> None:
    small, big = (
        try_out(a_try_out(bundle), bundle, box).peak_bytes
        for bundle in (GOOD.encode(), text("held = bytearray(16 << 20)", PLAYER))
    )
    assert 0 < small < big - (12 << 20)
    assert try_out(a_try_out(GOOD.encode()), GOOD.encode(), None).peak_bytes == 0


def test_a_flood_is_told_of_where_it_cost_the_time(box: Box) -> None:
    bundle = turning("while True: print('x' * 1000)")
    (reason,) = try_out(a_try_out(bundle, limits=BRIEF), bundle, box).reasons
    assert "It printed more than is kept: " in reason


def accepted(report: TriedOut) -> TriedOut:
    """Returns the report; checks that it is good."""
    assert report.accepted, report.reasons
    assert (report.verdict, report.box != "none") == ("accepted", True)
    return report


def test_its_watch_goes_on_while_bouts_are_played_alone(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = []

    def noted(*args: Any, **named: Any) -> Sampled:
        called.append("sample")
        return sample(*args, **named)

    monkeypatch.setattr(tryout, "sample", noted)
    bundle = GOOD.encode()
    try_out(a_try_out(bundle), bundle, box, watch=lambda: called.append("watch"))
    assert "watch" in called[called.index("sample") :]


def test_a_bot_that_fails_only_at_the_largest_table_is_accepted_and_told(box: Box) -> None:
    bundle = b"""from matchbox.games.skull import *

class Bot(RandomAgent):
    def select_move(self, game_state):
        me, rival = game_state.points
        return super().select_move(game_state)
"""
    report = try_out(a_try_out(bundle, game="skull"), bundle, box)
    (reason,) = report.reasons
    assert (report.accepted, report.verdict) == (True, "accepted")
    assert reason.startswith("The bot is accepted, but it failed at a table of 6, and would")
    assert "(player.py, line 5, in select_move): ValueError: too many values" in reason
    alike = bundle.replace(b"me, rival = game_state.points", b"pass")
    other = try_out(a_try_out(alike, game="skull"), alike, box)
    assert (other.reasons, other.games) == ([], report.games + 1)


def test_a_machine_without_room_for_the_largest_table_refuses_no_bot(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.renew()
    launch = box._launch

    def launch_four() -> Launched:
        if len(box._all) >= 4:
            raise BlockingIOError(EAGAIN, "Resource temporarily unavailable")
        return launch()

    monkeypatch.setattr(box, "_launch", launch_four)
    bundle = shipped("skull", "bluffer")
    report = try_out(a_try_out(bundle, game="skull"), bundle, box)
    assert (report.verdict, report.reasons) == ("accepted", [])


def test_who_keeps_state_is_accepted_and_told(box: Box) -> None:
    report = accepted(try_out(a_try_out(COUNTING), COUNTING, box))
    assert (report.stateful, report.reasons) == (True, [verdict_messages.STATEFUL])


def test_an_async_function_that_never_ran_is_named(box: Box) -> None:
    bundle = turning("return None") + b"    async def remember(self, memory):\n        pass\n"
    report = accepted(try_out(a_try_out(bundle), bundle, box))
    (reason,) = report.reasons
    assert "the async function remember never ran" in reason


@pytest.mark.parametrize("line", ["pass", "kept = [bytes(1 << 20) for _ in range(40)]"])
def test_who_does_not_keep_state_is_not_told_so(box: Box, line: str) -> None:
    bundle = making(line)
    report = accepted(try_out(a_try_out(bundle), bundle, box))
    assert (report.stateful, report.reasons) == (False, [])


def test_who_draws_from_elsewhere_keeps_no_state(box: Box) -> None:
    bundle = turning("import os", "return None if os.urandom(1)[0] % 2 else 0")
    report = try_out(a_try_out(bundle), bundle, box)
    assert not report.stateful


@pytest.mark.parametrize(
    ("play", "why"),
    [
        ("4, 0", "(4, 0) is no allowed play and ends the game: there is no pile 4, only 0 to 3"),
        ("0, 8", "there is no card 8 in a hand of 8, only 0 to 7"),
        ("0, 10 ** 5000", "there is no card a huge int in a hand of 8"),
        ("2, hand.index(max(hand))", "does not fit on pile 2, which shows "),
    ],
)
def test_a_play_that_ends_the_game_is_explained_in_the_output(
    play: str, why: str, box: Box
) -> None:
    bundle = f"def strategy(game, hand):\n    return {play}\n".encode()
    report = try_out(a_try_out(bundle, game="thegame"), bundle, box)
    assert report.accepted
    assert why in report.log


def test_it_accepts_a_notebook_player_and_says_what_a_decision_costs(box: Box) -> None:
    report = accepted(try_out(a_try_out(GOOD.encode()), GOOD.encode(), box))
    assert (report.class_name, report.games, report.reasons) == ("Good", 8, [])
    assert 0 < report.cpu_ms_per_decision < LIMITS["cpu_ms"]
    assert 10 < report.cpu_ms_per_deal / report.cpu_ms_per_decision < 100, "two games' own turns"
    assert not report.unrepeatable


def test_the_same_try_out_gives_the_same_verdict_without_a_box() -> None:
    report = try_out(a_try_out(GOOD.encode()), GOOD.encode(), None)
    assert (report.accepted, report.box, report.games) == (True, "none", 8)


def test_one_of_several_players_can_be_named(box: Box) -> None:
    bundle = text(PLAYER, "class Other(SimplePlayer): pass")
    report = accepted(try_out(a_try_out(bundle, class_name="Other"), bundle, box))
    assert report.class_name == "Other"


class Moody:
    """Bomb with an end that does not follow from the deal and the moves."""

    brief = batch = None

    def __init__(self) -> None:
        self._game, self._lot = registry.game("bomb"), count()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def outcome(self, state: Any) -> Any:
        """The outcome of bomb with another reason each time."""
        ended = self._game.outcome(state)
        return ended and replace(ended, why=f"luck {next(self._lot)}")


def test_rules_that_do_not_repeat_themselves_are_named_and_not_the_bot(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    moody = Moody()
    monkeypatch.setattr(registry, "game", lambda name: moody)
    bundle = text("class Bot(SimplePlayer): pass")
    with pytest.raises(BadGame, match="the rules of bomb do not repeat themselves"):
        try_out(a_try_out(bundle), bundle, box)


def test_a_bot_that_reads_a_random_device_is_accepted_and_called_unrepeatable(box: Box) -> None:
    bundle = text(
        "import os",
        "class Bot(SimplePlayer):",
        "    def defuse(self, game_data):",
        "        return os.urandom(1)[0] % (1 + game_data.draw_pile_size())",
    )
    deals = [f"{number:032x}" for number in range(8)]
    report = accepted(try_out(a_try_out(bundle, deals=deals), bundle, box))
    assert report.unrepeatable
    assert "played the same deals differently the second time" in report.reasons[0]


def test_a_bundle_is_unpacked_once_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    unpack = Mock(wraps=read_bundle)
    monkeypatch.setattr(tryout, "read_bundle", unpack)
    assert try_out(a_try_out(GOOD.encode()), GOOD.encode(), None).games > 2
    unpack.assert_called_once_with(GOOD.encode())


def test_what_the_bot_printed_comes_with_the_report_and_is_cut(box: Box) -> None:
    bundle = turning("print('here I am' * 1000)", "return None")
    report = accepted(try_out(a_try_out(bundle), bundle, box))
    assert report.log.startswith("here I am")
    assert len(report.log.encode()) == 4096


def test_a_bot_that_is_slow_every_time_is_told_of_its_time_for_the_match(box: Box) -> None:
    spin = "while time.process_time() < end: pass"
    bundle = turning("import time", "end = time.process_time() + 0.3", spin, "return None")
    report = try_out(a_try_out(bundle, limits={**LIMITS, "bank_ms": 600}), bundle, box)
    assert report.verdict == "timeout"
    assert "it used all of its 600 ms for the match. Look" in report.reasons[0]


def test_each_match_of_a_try_out_has_a_bank_of_its_own_as_on_the_platform(box: Box) -> None:
    spin = "while time.process_time() < end: pass"
    bundle = turning("import time", "end = time.process_time() + 0.02", spin, "return None")
    report = try_out(a_try_out(bundle, limits={**LIMITS, "bank_ms": 2000}), bundle, box)
    assert (report.verdict, report.reasons) == ("accepted", [])


def test_other_bytes_than_the_versions_are_refused(box: Box) -> None:
    report = try_out(a_try_out(GOOD.encode()), HEAD.encode(), box)
    assert report.verdict == "bundle"
    assert "not those of this version" in report.reasons[0]


def test_a_fault_of_the_platform_is_no_verdict() -> None:
    dead = cast(Box, DeadBox())
    with pytest.raises(SeatFault, match="the box of the bot has died") as raised:
        try_out(a_try_out(GOOD.encode()), GOOD.encode(), dead)
    assert raised.value.kind == "platform"
