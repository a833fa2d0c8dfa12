"""What the author of a failed bot is advised to do."""

from __future__ import annotations

import pytest

from matchbox.errors import SeatFault
from worker.arena.advice import advice
from worker.arena.failed_function import CalledFunction
from worker.arena.verdict_messages import learn_failure, reason

SCREEN = "tkinter is one of the modules of Python that a bot must do without."


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("SyntaxError: invalid character '\u201c' (U+201C)", "straight quotation marks"),
        ("SyntaxError: invalid character '\u201e' (U+201E)", "straight quotation marks"),
        ("SyntaxError: invalid non-printable character U+00A0", "delete the spaces of this line"),
        ("NameError: name 'random' is not defined", "the module, write import random at"),
        ("NameError: name 'Player' is not defined", "Begin the file with the import of the game"),
        ("NameError: name 'true' is not defined", "Python writes None, True and False"),
        ("TypeError: <enum 'Bot'> cannot extend <enum 'Player'>", "Derive your class from the one"),
        ("EOFError: EOF when reading a line", "remove input()"),
        (
            "PermissionError: [Errno 1] Operation not permitted: 'a.txt'",
            'pkgutil.get_data(__name__, "data.txt") reads the file',
        ),
        ("PermissionError: [Errno 1] Operation not permitted", "has no network, starts no"),
        (
            "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name>",
            "has no network",
        ),
        ("RuntimeError: can't start new thread", "one thread"),
        ("NameError: name 'get_ipython' is not defined", "It is a notebook's own"),
        (
            "ImportError: cannot import name 'override' from 'typing' (/lib/python3.11/typing.py)",
            "which runs here, has no such name",
        ),
        ("ImportError: attempted relative import with no known parent package", "without the dot"),
        ("ModuleNotFoundError: No module named 'tkinter'", SCREEN),
        ("AttributeError: 'function' object has no attribute 'num_cards'", "() is missing"),
        ("TypeError: '>' not supported between instances of 'method' and 'int'", "() is missing"),
        ("defuse() returned something of type method; return an int", "() is missing"),
        ("turn() returned something of type coroutine; return None", "without async"),
    ],
)
def test_the_cause_is_named_where_python_does_not(detail: str, told: str) -> None:
    assert told in advice(detail)


@pytest.mark.parametrize(
    "detail",
    [
        "ZeroDivisionError: division by zero",
        "NameError: name 'skipcard' is not defined",
        "SyntaxError: invalid character '\u00d7' (U+00D7)",
        "TypeError: 'int' object is not callable",
        "TypeError: pick() missing 1 required positional argument: 'card'",
        "TypeError: Node.__init__() missing 1 required positional argument: 'card'",
        "TypeError: Node.__init__() takes 1 positional argument but 2 were given",
        "ModuleNotFoundError: No module named 'matchbox.game'",
    ],
)
def test_there_is_none_for_a_fault_that_may_have_any_cause(detail: str) -> None:
    assert advice(detail) == ""


@pytest.mark.parametrize("module", ["terminal", "programs"])
def test_a_game_at_the_end_of_the_file_is_told_from_a_missing_import(module: str) -> None:
    fault = SeatFault(
        "crash", f"ImportError: cannot import name '{module}' from 'matchbox.games.x'"
    )
    told = reason(fault, "loading", {}, 'File "player.py", line 9, in <module>')
    assert told.startswith("The file plays a game of its own (player.py, line 9), which is not")


GAMES = """Traceback (most recent call last):
  File "/site-packages/sealed/player.py", line 9, in answer
    return player.turn(view["price"])
KeyError: 'price'
"""
BOTS = """  File "player.py", line 3, in turn
"""
OTHERS = GAMES.replace("sealed/player.py", "json/decoder.py")
NO_CALL = None
CALL = CalledFunction("player.py", 2, "turn")


@pytest.mark.parametrize(
    ("log", "called", "told"),
    [
        (GAMES, None, "An exception in the game's own code (sealed/player.py, line 9, in"),
        (f"{BOTS}{GAMES}", None, "The bot raised an exception (player.py, line 3, in turn): K"),
        (GAMES, CALL, "The bot raised an exception before its first answer of a game (in turn, "),
        (OTHERS, None, "The bot raised an exception before its first answer of a game (in __"),
        ("", None, "The bot raised an exception before its first answer of a game (in __init"),
    ],
)
def test_an_exception_of_the_games_own_answer_is_not_called_the_bots(
    log: str, called: CalledFunction | None, told: str
) -> None:
    fault = SeatFault("crash", "KeyError: 'price'")
    assert reason(fault, "start", {}, log, called).startswith(told)


def test_a_name_that_a_module_of_the_author_lacks_is_no_game() -> None:
    fault = SeatFault("crash", "ImportError: cannot import name 'programs' from 'helpers'")
    told = reason(fault, "loading", {}, 'File "player.py", line 9, in <module>')
    assert told.startswith("The bot raised an exception while the file was being imported")


@pytest.mark.parametrize(
    ("detail", "log", "told"),
    [
        ("TypeError: A.learn() missing 1 required positional argument", "", "Write @staticmethod"),
        (
            "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
            'File "player.py", line 9, in learn',
            'The memory is b"" at first. No bout is lost',
        ),
        ("EOFError: Ran out of input", 'File "player.py", line 9, in learn', 'is b"" at first'),
        ("ValueError: no", "", "of this try-out: ValueError: no. No bout is lost"),
    ],
)
def test_a_learn_that_fails_at_its_first_call_is_explained(
    detail: str, log: str, told: str
) -> None:
    assert told in learn_failure(SeatFault("crash", detail), log)


def test_a_memory_that_is_still_empty_is_named() -> None:
    fault = SeatFault("crash", "EOFError: Ran out of input")
    log = 'File "player.py", line 9, in remember'
    assert reason(fault, "start", {}, log).endswith('Ran out of input. The memory is b"" at first.')


@pytest.mark.parametrize("line", ["%timeit 1", "!pip install numpy", "```python"])
def test_a_line_that_is_no_python_is_told_from_a_mistake(line: str) -> None:
    log = f'  File "player.py", line 3\n    {line}\n    ^\nSyntaxError: invalid syntax\n'
    told = reason(SeatFault("crash", "SyntaxError: invalid syntax"), "loading", {}, log)
    assert told.endswith("Remove the lines that begin with %, ! or ```: they are not Python.")
