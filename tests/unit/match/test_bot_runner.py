"""The loop inside a box: one player a bout, and decisions that wait inside other decisions."""

from __future__ import annotations

import gc
import json
import marshal
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from matchbox.errors import IllegalMove
from matchbox.match import answer_codec, bot_runner, seeded_random
from matchbox.match.bot_runner import Session
from matchbox.match.printed import Marked

SEED = "ab" * 32


class Player:
    """A player of the tests' game: `decide` gets the view and the function that asks."""

    def decide(self, view: Any, ask: Callable[[Any], Any]) -> Any:
        raise NotImplementedError


GAME = ModuleType("seat_game.player")
GAME.Player = Player  # type: ignore[attr-defined]
GAME.answer = lambda player, view, ask: player.decide(view, ask)  # type: ignore[attr-defined]
GAME.IllegalMove = IllegalMove  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def _game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "seat_game", ModuleType("seat_game"))
    monkeypatch.setitem(sys.modules, "seat_game.player", GAME)
    monkeypatch.setitem(sys.modules, "bot_under_test", ModuleType("bot_under_test"))
    seeded_random.install()
    yield
    seeded_random.uninstall()


class Talk:
    """A conversation with a seat that holds this bot."""

    def __init__(self, body: str, head: str = "") -> None:
        self.session = Session()
        self.nonce = 0
        self.more: list[Any] = []
        source = (
            f"import random\nfrom seat_game.player import *\n{head}\n"
            f"class Mine(Player):\n    def decide(self, view, ask):\n        {body}\n"
        )
        job = {
            "package": "seat_game", "files": {"player.py": source.encode()}, "class": None,
            "seed": SEED,
        }  # fmt: skip
        self.loaded = json.loads(self.session.handle(marshal.dumps(["load", job], 4)))

    def ask(self, *questions: Any, ended: tuple[int, ...] = ()) -> tuple[list[Any], list[Any]]:
        """Returns the moves and the faults of the answer."""
        self.nonce += 1
        sent = marshal.dumps(["ask", self.nonce, list(questions), list(ended)], 4)
        kind, nonce, moves, faults, *self.more = json.loads(self.session.handle(sent))
        assert (kind, nonce) == ("say", self.nonce)
        return moves, faults


def test_a_bot_is_loaded_by_name() -> None:
    assert Talk("return 1").loaded == ["loaded", "Mine"]


ODD = """
class Odd(type):
    def __getattribute__(cls, name):
        if name == "{}":
            raise ValueError("odd")
        return super().__getattribute__(name)
class Player(Player, metaclass=Odd):
    pass
"""
"""A class that fails when it is asked whether it has a method of that name."""


@pytest.mark.parametrize(
    "head, kind, told",
    [
        (ODD.format("learn"), "crash", "ValueError: odd"),
        (ODD.format("report"), "crash", "ValueError: odd"),
        ("1 / 0", "crash", "ZeroDivisionError: division by zero"),
        ("raise MemoryError", "memory", "MemoryError"),
        ("exit(0)", "crash", "SystemExit: 0"),
        ("class Other(Player): pass", "protocol", "several players"),
        ("def", "crash", "SyntaxError"),
    ],
)
def test_a_bot_that_does_not_load_is_told_why(
    head: str, kind: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = Talk("return 1", head).loaded
    assert loaded[:2] == ["fault", kind]
    assert told in loaded[2]
    assert kind == "protocol" or told in capsys.readouterr().err


def test_every_question_of_a_frame_is_answered_in_order() -> None:
    talk = Talk("return [view, 0]")
    assert talk.ask((3, "a", SEED), (5, "b", SEED)) == ([["a", 0], ["b", 0]], [])


def test_moves_that_python_holds_for_equal_are_answered_as_what_they_are() -> None:
    views = [1, True, 0, False, "1", 2**60, None, 'a "b" \u20ac', [1, True]]
    talk = Talk("return view")
    for _ in range(2):
        for asked in (views[:1], views[1:], views[4:5], views):
            moves = talk.ask(*[(n, view, SEED) for n, view in enumerate(asked)])[0]
            assert [repr(move) for move in moves] == [repr(view) for view in asked]


def test_half_a_character_is_answered_as_a_question_mark() -> None:
    talk = Talk("return chr(0xD800) + view")
    assert [talk.ask((1, "a", SEED)) for _ in range(2)] == [(["?a"], [])] * 2


def test_however_many_different_moves_are_made_each_is_answered() -> None:
    talk = Talk("return view if view % 2 else str(view)")
    for first in range(0, 3 * answer_codec._CACHE_SIZE, 100):
        moves = talk.ask(*[(n, n, SEED) for n in range(first, first + 100)])[0]
        assert moves == [n if n % 2 else str(n) for n in range(first, first + 100)]


def test_a_bout_keeps_its_player_until_it_ends() -> None:
    talk = Talk("self.asked = getattr(self, 'asked', 0) + 1\n        return self.asked")
    assert talk.ask((1, 0, SEED), (2, 0, SEED))[0] == [1, 1]
    assert talk.ask((1, 0, None))[0] == [2]
    assert talk.ask((1, 0, SEED), (2, 0, None), ended=(1,))[0] == [1, 2]


def test_a_decision_inside_a_decision_waits_for_what_comes_after_it() -> None:
    talk = Talk("first = ask('see')\n        return [view, first, ask('again')]")
    assert talk.ask((1, 10, SEED)) == (["see"], [])
    assert talk.ask((1, 11, None)) == (["again"], [])
    assert talk.ask((1, 12, None)) == ([[10, 11, 12]], [])
    assert talk.ask((1, 20, None)) == (["see"], [])


def test_moves_in_a_row_are_told_by_their_place() -> None:
    talk = Talk("return (view, ask((view, 5))) if view % 2 else [view]")
    assert talk.ask((1, 2, SEED), (2, 3, SEED)) == ([[2], [3, 5]], [])
    assert talk.more == [[1]]
    assert talk.ask((2, 8, None)) == ([[3, 8]], [])
    assert talk.more == [[0]]
    assert talk.ask((1, 2, None)) == ([[2]], [])
    assert talk.more == []


def test_rows_that_python_holds_for_equal_are_answered_as_what_they_are() -> None:
    rows = [[1, ["a", 0]], [True, ["a", 0]], [1, ["a", False]], [None], ["\u20ac"], [1.0, {"b": 2}]]
    talk = Talk("return tuple(view)")
    for _ in range(2):
        moves = talk.ask(*[(n, row, SEED) for n, row in enumerate(rows)])[0]
        assert [repr(move) for move in moves] == [repr(row) for row in rows]
        assert talk.more == [list(range(len(rows)))]


def test_a_row_that_is_handed_over_again_is_known_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = Talk("return ROW if view else tuple([*ROW])", "ROW = (1, ['again', True], 'done')")
    said = [talk.ask((0, view, SEED))[0] for view in (True, False, True)]
    monkeypatch.setattr(answer_codec, "marshal", None)
    said += [talk.ask((0, True, SEED))[0]]
    assert [repr(one) for one in said] == ["[[1, ['again', True], 'done']]"] * 4


LONG_ROW = [["tap", n] for n in range(60)] + ["x" * 300, "done"]


@pytest.mark.parametrize("handed", ["tuple(view or ROW)", "ask(tuple(view or ROW)) and 'after'"])
def test_a_long_row_is_handed_over_in_parts_that_fit_their_frame(handed: str) -> None:
    talk = Talk(f"return {handed}", f"ROW = {LONG_ROW}")
    seen: list[list[Any]] = [[], []]
    asked: list[Any] = [(n, 0, SEED) for n in range(250)]
    while len(seen[0]) < len(LONG_ROW):
        moves, faults = talk.ask(*asked)
        assert not faults
        short = [row for row in moves if row != ["x" * 300]]
        assert len(json.dumps(short, separators=(",", ":"))) <= 250 * 256
        assert talk.more == [list(range(250))]
        seen = [seen[0] + moves[0], seen[1] + moves[-1]]
        asked = [(n, 1, None) for n in range(250)]
    assert seen == [LONG_ROW] * 2
    if "after" in handed:
        assert talk.ask(*asked) == (["after"] * 250, [])


def test_however_many_different_rows_are_made_each_is_answered() -> None:
    talk = Talk("return (view, str(view))")
    for first in range(0, 2 * answer_codec._CACHE_SIZE, 100):
        moves = talk.ask(*[(n, n, SEED) for n in range(first, first + 100)])[0]
        assert moves == [[n, str(n)] for n in range(first, first + 100)]


@pytest.mark.parametrize(
    "row",
    ["({1, 2},)", "(b'a',)", "(ask,)", "(float('inf'),)", "((lambda a: a.append(a) or a)([]),)"],
)
def test_a_row_that_is_no_plain_data_is_its_bouts_fault(row: str) -> None:
    talk = Talk(f"return {row} if view == 2 else (view, 'a')")
    moves, faults = talk.ask((1, 1, SEED), (2, 2, SEED))
    assert moves == [[1, "a"], None]
    assert faults == [[1, "protocol", "the move is not plain data"]]


def test_a_row_of_kinds_of_text_is_answered_as_text() -> None:
    talk = Talk("return (Text(view), 1)", "class Text(str): pass")
    assert talk.ask((1, "a", SEED)) == ([["a", 1]], [])


def test_decisions_of_many_bouts_wait_at_the_same_time() -> None:
    talk = Talk("return [view, ask(view) if view % 2 else None]")
    assert talk.ask(*[(n, n, SEED) for n in range(6)])[0] == [
        [0, None],
        1,
        [2, None],
        3,
        [4, None],
        5,
    ]
    again = [(5, 50, None), (0, 8, None), (1, 10, None), (3, 30, None)]
    assert talk.ask(*again)[0] == [[5, 50], [8, None], [1, 10], [3, 30]]


def test_greenlets_are_used_again() -> None:
    talk = Talk("return ask(view)")
    for turn in range(50):
        talk.ask((1, turn, SEED))
        talk.ask((1, turn, None))
    assert len(talk.session._idle) <= 2


def test_who_has_waited_takes_up_the_decisions_that_are_new() -> None:
    talk = Talk("return [view, ask(view)]")
    for turn in range(0, 50, 5):
        last = [(turn - n, 0, None) for n in range(1, 6) if turn]
        moves, faults = talk.ask(*last, *[(turn + n, turn, SEED) for n in range(5)])
        assert (moves[len(last) :], faults) == ([turn] * 5, [])
    assert talk.ask(*[(turn + n, 0, None) for n in range(5)])[0] == [[turn, 0]] * 5
    assert len(talk.session._idle) <= 6


def test_a_decision_begins_no_deeper_because_another_waits_deep_inside_itself() -> None:
    head = "def deep(left, ask):\n    return deep(left - 1, ask) if left else ask and ask('see')"
    talk = Talk("deep(600, view and ask); return 'done'", head)
    for turn in range(2):
        first = 10 * turn
        asked = [(first + n, n % 2, SEED) for n in range(6)]
        assert talk.ask(*asked) == (["done", "see"] * 3, [])
        assert talk.ask(*[(first + n, 0, None) for n in (1, 3, 5)])[0] == ["done"] * 3


@pytest.mark.parametrize(
    "body, kind, told",
    [
        ("raise KeyError('x')", "crash", "KeyError: 'x'"),
        ("raise ValueError('two:\\n\\n lines\\n')", "crash", "ValueError: two: lines"),
        ("e = KeyError('x'); e.add_note('a note'); raise e", "crash", "KeyError: 'x'"),
        ("exec('1 +')", "crash", "SyntaxError: invalid syntax"),
        ("raise MemoryError()", "memory", "MemoryError"),
        ("raise SystemExit(0)", "crash", "SystemExit: 0"),
        ("raise IllegalMove('no such move')", "illegal", "no such move"),
        ("return float('nan')", "protocol", "the move is not plain data"),
        ("return {1, 2}", "protocol", "the move is not plain data"),
        ("a = []; a.append(a); return a", "protocol", "the move is not plain data"),
    ],
)
def test_a_fault_is_its_bouts_alone(
    body: str, kind: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = Talk(f"if view == 2:\n            {body}\n        return view")
    moves, faults = talk.ask((1, 1, SEED), (2, 2, SEED), (3, 3, SEED))
    assert moves == [1, None, 3]
    assert faults == [[1, kind, told]]
    assert kind == "protocol" or "Traceback" in capsys.readouterr().err


def test_an_error_that_cannot_be_printed_is_a_crash_like_any_other() -> None:
    head = "class Evil(Exception):\n    def __str__(self): raise self"
    faults = Talk("raise Evil()", head).ask((1, 1, SEED))[1]
    assert faults[0][:2] == [0, "crash"]


def test_a_long_detail_is_cut() -> None:
    assert len(Talk("raise KeyError('x' * 5000)").ask((1, 1, SEED))[1][0][2]) <= 200


def test_a_fault_after_waiting_is_its_bouts_too() -> None:
    talk = Talk("ask('see'); raise KeyError(view)")
    talk.ask((1, 1, SEED))
    assert talk.ask((1, 2, None))[1] == [[0, "crash", "KeyError: 1"]]


def test_a_bout_that_ends_while_it_waits_is_never_woken() -> None:
    body = "\n        try:\n            ask('see')\n        finally:\n            print('woken')"
    talk = Talk(body)
    talk.ask((1, 1, SEED))
    assert talk.ask((2, 2, SEED), ended=(1,))[0] == ["see"]
    assert len(talk.session._abandoned) == 1


def test_a_way_to_ask_of_another_bout_cannot_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("kept.append(ask); return kept[0]('see')", "kept = []")
    assert talk.ask((1, 1, SEED))[0] == ["see"]
    faults = talk.ask((2, 2, SEED))[1]
    assert faults[0][1] == "crash"
    assert "only be made during the decision it belongs to" in faults[0][2]


def test_each_bout_draws_its_own_chance_whatever_is_asked_beside_it() -> None:
    def draws(*beside: int) -> list[Any]:
        talk = Talk("a = random.random(); ask('see'); return [a, random.random(), view]")
        talk.ask(*[(n, n, f"{n:064x}") for n in (7, *beside)])
        return list(talk.ask(*[(n, n, None) for n in (*beside, 7)])[0][-1])

    assert draws() == draws(1, 2, 3)


def test_chance_at_import_is_seeded_by_the_load() -> None:
    head = "at_import = random.random()"
    assert Talk("return str(at_import)", head).ask((1, 1, SEED)) == Talk(
        "return str(at_import)", head
    ).ask((1, 1, SEED))


def test_a_question_before_a_bot_is_no_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    sent = marshal.dumps(["ask", 1, [(1, 1, SEED)], []], 4)
    _, _, moves, faults = json.loads(Session().handle(sent))
    assert moves == [None]
    assert faults[0][1] == "crash"


def test_frames_are_served_until_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    # The loop of a seat puts its own streams there, and its process ends with it.
    for owner, name in ((sys, "stdout"), (sys, "stderr"), (Marked, "installed")):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    frames = iter(
        [marshal.dumps(["ask", 1, [], []], 4), marshal.dumps(["ask", 2, [], []], 4), None]
    )
    sent: list[bytes] = []
    bot_runner.serve(frames.__next__, sent.append)
    assert [json.loads(one)[1] for one in sent] == [1, 2]


@pytest.fixture
def prepare(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Runs the box's preparation before its first seat; undoes it for this process at the end."""
    monkeypatch.delitem(sys.modules, "bot_under_test")
    thresholds, own = gc.get_threshold(), seeded_random._OWN.getstate()
    yield bot_runner.prepare
    gc.set_threshold(*thresholds)
    seeded_random._OWN.setstate(own)


def test_what_is_prepared_for_all_seats_leaves_no_bot_behind(prepare: Callable[[], None]) -> None:
    modules, finders = dict(sys.modules), list(sys.meta_path)
    prepare()
    assert (sys.modules, sys.meta_path, seeded_random.current()) == (modules, finders, None)


def test_a_bot_plays_the_same_in_a_seat_that_was_prepared(prepare: Callable[[], None]) -> None:
    bot = (
        "return [random.random(), at_import, random._inst.random()]",
        "at_import = random.random()",
    )
    prepare()
    first = Talk(*bot).ask((1, 1, SEED))
    prepare()
    assert Talk(*bot).ask((1, 1, SEED)) == first


def test_ctrl_c_is_nobodys_fault() -> None:
    with pytest.raises(KeyboardInterrupt):
        Talk("raise KeyboardInterrupt").ask((1, 1, SEED))


def test_ctrl_c_while_a_bot_is_loaded_is_nobodys_fault() -> None:
    with pytest.raises(KeyboardInterrupt):
        Talk("return 1", "raise KeyboardInterrupt")
