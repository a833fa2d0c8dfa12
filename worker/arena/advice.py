"""What an author can do about the commonest exceptions, whose own text does not say it.

Pure text: knows Python's messages; knows no game.
"""

from __future__ import annotations

import re
import sys
from typing import Final

_METHOD: Final = r"(?:method|function|builtin_function_or_method)"
_ADVICE: Final = tuple(
    (re.compile(pattern), advice)
    for pattern, advice in (
        (
            r"^SyntaxError: invalid character '[\u2018-\u201f\u00ab\u00bb\u00b4`]'",
            "Type straight quotation marks, ' or \", in its place.",
        ),
        (
            r"^SyntaxError: invalid non-printable character",
            "It looks like a space, or like nothing, and comes along with copied text: "
            "delete the spaces of this line and type them again.",
        ),
        (r"^TabError", "Use spaces only: replace each tab."),
        (
            r"^NameError: name '(?:null|true|false)' is not defined",
            "Python writes None, True and False.",
        ),
        (
            r"^NameError: name '(?:exit|quit)' is not defined",
            "Remove it: a player returns its answer, and does not end the program.",
        ),
        (
            r"^ImportError: attempted relative import with no known parent package",
            "Name the module without the dot before it.",
        ),
        (
            r"^NameError: name '(?:Player|Agent)' is not defined",
            "Begin the file with the import of the game: from matchbox.games. ... import *, "
            "as in the example of its rules.",
        ),
        (
            r"^TypeError: <enum '\w+'> cannot extend <enum 'Player'>",
            "In this game Player names a seat; it is not the base class. Derive your class "
            "from the one in the example of the rules.",
        ),
        (r"^EOFError: EOF when reading a line", "Nobody sits at a bot's keyboard: remove input()."),
        (
            r"^PermissionError: \[Errno 1\] Operation not permitted: '",
            "A bot opens no files and folders: put what it needs into the code, or into a zip, in "
            'which pkgutil.get_data(__name__, "data.txt") reads the file data.txt as bytes.',
        ),
        (
            r"^PermissionError: \[Errno 1\] Operation not permitted$|Errno -3\] Temporary failure",
            "A bot has no network, starts no processes, and runs no asyncio: it computes its "
            "answer alone.",
        ),
        (
            r"^RuntimeError: can't start new thread",
            "A bot has one thread: call the function in your method instead.",
        ),
        (
            r"^NameError: name 'get_ipython' is not defined",
            "It is a notebook's own: remove the lines that use it.",
        ),
        (
            r"^ImportError: cannot import name '\w+' from '\w+' \(/lib/python",
            f"Python {sys.version_info[0]}.{sys.version_info[1]}, which runs here, has no such "
            "name in this module.",
        ),
        (
            rf"^(?:AttributeError|TypeError): .*'{_METHOD}'|something of type {_METHOD}\b",
            "Perhaps () is missing: a method is called with parentheses.",
        ),
        (
            r"something of type (?:coroutine|generator)\b",
            "Write the method with def and return, without async, await and yield.",
        ),
    )
)
_CALLED: Final = (
    (
        re.compile(r"^TypeError: [\w.<>]*__init__\(\) missing"),
        "The platform makes the player, and knows no values for more parameters: remove them, "
        "or give each a default, as in level=3.",
    ),
    (
        re.compile(r"^TypeError: .+\(\) (?:missing|takes) .*\bargument"),
        "Give it the parameters of the example in the rules: in a class, first self.",
    ),
    (
        re.compile(r"^TypeError: '\w+' object is not callable"),
        "A variable has the name of a method, as in self.turn = 0, and hides it: rename it.",
    ),
)
"""Advice about exceptions of the platform's own call, before the bot's first line ran."""
_UNDEFINED: Final = re.compile(r"^NameError: name '(\w+)' is not defined")
_MISSING: Final = re.compile(r"^ModuleNotFoundError: No module named '(\w+)'")


def advice(detail: str, *, called: bool = False) -> str:
    """A sentence for the author after a space; "" if the message says enough.

    `called` is True if the exception came from the call of the bot's method, not from its lines.
    """
    for pattern, text in (*_ADVICE, *(_CALLED if called else ())):
        if pattern.search(detail):
            return f" {text}"
    for pattern, form in (
        (_UNDEFINED, "If you mean the module, write import {} at the beginning of the file."),
        (_MISSING, "{} is one of the modules of Python that a bot must do without."),
    ):
        found = pattern.search(detail)
        if found and found[1] in sys.stdlib_module_names:
            return f" {form.format(found[1])}"
    return ""
