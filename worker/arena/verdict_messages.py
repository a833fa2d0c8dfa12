"""Explains a fault in a try-out to the bot's author.

Pure text: knows kinds of faults, the places where they happen and the bot's own traceback.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final, Literal

from matchbox.match.output import CUT, decision_room
from worker.arena.advice import advice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matchbox.errors import SeatFault
    from worker.arena.failed_function import CalledFunction

Stage = Literal["loading", "choosing", "start", "turn"]
"""The stage of the fault: while the file was imported; while its class was looked for; before the
first answer of a game, which includes `__init__`; or later."""

UNREPEATABLE: Final = (
    "The bot is accepted, but it played the same deals differently the second time: it reads a "
    "clock, os.urandom or addresses of objects, so its matches can be replayed but not verified."
)
STATEFUL: Final = (
    "The bot is accepted, but it keeps state: it answers differently when several bouts are "
    "played at once. So a fresh process plays each of its bouts. Keep the data of a bout in the "
    "player object, not in the module or the class."
)
LEARN_FAILED: Final = (
    "The bot is accepted, but its learn(memory, records) failed on the bouts of this try-out"
)
_STAGES: Final[Mapping[Stage, str]] = {
    "loading": "while the file was being imported",
    "choosing": "while its player class was searched for",
    "start": "before its first answer of a game (in __init__, remember or its first decision)",
    "turn": "while it made a decision",
}
_PYTHON: Final = f"{sys.version_info[0]}.{sys.version_info[1]}"
_OUTSIDE: Final = re.compile(
    r"^ImportError: cannot import name '(?:terminal|programs)' from 'matchbox\.games\."
)
"""How `play_game`, `simulate_game` and a document's program fail in a box."""
_FOREIGN_LINE: Final = re.compile(r'File "[^"]+", line \d+\n +(?:[%!]|```)')
"""A notebook's command, or the frame of copied code, as a SyntaxError shows it."""
_NO_PYTHON: Final = " Remove the lines that begin with %, ! or ```: they are not Python."
_LEARN_CALL: Final = re.compile(r"^TypeError: [\w.<>]*learn\(\) (?:missing|takes) ")
_EMPTY: Final = re.compile(
    r"^json\.decoder\.JSONDecodeError: Expecting value: line 1 column 1 |"
    r"^EOFError: Ran out of input"
)
"""How json and pickle fail to read nothing."""
_NEVER_AWAITED: Final = re.compile(r"RuntimeWarning: coroutine '(?:\w+\.)*(\w+)' was never awaited")
"""How Python warns of an async function that was called, and so did not run."""
_OWN_MODULE: Final = " A module of your own must be in a zip, beside player.py."
_PLACE: Final = re.compile(r'File "([^"]+\.py)", line (\d+)(?:, in (\S+))?')
_STOPPED: Final = re.compile(r"\(most recent call first\):((?:\n  File .+)*)")
_FRAME: Final = re.compile(r'File "([^"]+\.py)", line (\d+) in (\S+)')
"""A line of the stack that a process prints when its time is over. The lines are in the reverse
order of a traceback."""
_PROGRAM: Final = '/sandbox/zygote.py", line '
"""Part of the first frame of a traceback with which a program ended."""
_FOREIGN: Final = ("/", "<", "matchbox/")
"""The beginnings of paths that are not in the bot's own files."""


def reason(
    fault: SeatFault,
    stage: Stage,
    limits: Mapping[str, int],
    log: str,
    called: CalledFunction | None = None,
) -> str:
    """One or two sentences for the author of the bot.

    `called` is the function of the bot that answers the failed question. The text names it if the
    line of the fault is not known.
    """
    begins = (
        f" (in {called.name}, which begins in {called.file}, line {called.line})" if called else ""
    )
    return _EXPLANATIONS[fault.kind](fault.detail, stage, limits, log, begins)


def fault_place(kind: str, log: str) -> str:
    """The place of a fault in the bot's files, as " (player.py, line 3, in turn)"; "" if the log
    does not have it."""
    place = {"crash": _last_place, "memory": _last_place, "timeout": _stopped_place}.get(kind)
    return place(log) if place else ""


def fault_line(kind: str, detail: str, place: str) -> str:
    """A fault of a game in one line, with its place from `fault_place`."""
    help_ = advice(detail, called=not place)
    return f"{kind}: {detail}{place}{'.' if help_ else ''}{help_}"


def learn_failure(fault: SeatFault, log: str) -> str:
    """The message for a bot that plays but whose `learn` failed."""
    place = _last_place(log)
    help_ = _memory_advice(fault.detail, place) or advice(fault.detail)
    if not place and _LEARN_CALL.search(fault.detail):
        help_ = " Write @staticmethod above its def, and no self."
    return (
        f"{LEARN_FAILED}{place}: {_stopped(fault.detail)}{help_} No bout is lost by "
        "this, but the bot would keep its old memory."
    )


def at_table(seats: int, why: str) -> str:
    """The message for a bot that plays at the smallest table but has failed at this one, which is
    the game's largest."""
    return (
        f"The bot is accepted, but it failed at a table of {seats}, and would forfeit its bouts "
        f"there. {why}"
    )


def never_awaited(log: str) -> list[str]:
    """The message for a bot that plays although an async function of it never ran; else none."""
    names = list(dict.fromkeys(_NEVER_AWAITED.findall(log)))
    if not names:
        return []
    return [
        f"The bot is accepted, but the async function {names[0]} never ran, because nothing awaits "
        "it: write it with def, without async and await."
    ]


def _crash(detail: str, stage: Stage, limits: Mapping[str, int], log: str, begins: str) -> str:
    place = _last_place(log)
    if detail.startswith(("SyntaxError", "IndentationError", "TabError")):
        help_ = _NO_PYTHON if _FOREIGN_LINE.search(log) else advice(detail)
        return f"The file is not valid Python {_PYTHON}{place}: {_stopped(detail)}{help_}"
    if stage in ("loading", "choosing") and _OUTSIDE.search(detail):
        return (
            f"The file plays a game of its own{place}, which is not possible here: put that "
            'below if __name__ == "__main__": at its end, or remove it.'
        )
    missing = re.search(r"abstract class '?(\w+)'?.*abstract methods? (.+)$", detail)
    if missing:
        names = missing[2].replace("'", "")
        return f"The class {missing[1]} lacks {names}: write each as a method of the class."
    if detail.startswith("ModuleNotFoundError: ") and " not available here; " in detail:
        what = detail.partition(": ")[2]
        own = "" if "; write " in what else _OWN_MODULE
        return f"{what}{place}.{own}"
    if detail.startswith("NotImplementedError: "):
        return f"The bot lacks a method: {detail.partition(': ')[2]}."
    if detail.startswith(("ended", "closed its channel", "SystemExit")):
        if not detail.startswith("SystemExit"):
            place = _last_place(_last_words(log))
        where = _where(stage, place, begins)
        return (
            f"The program stopped{where}: {detail}; a player must return its answer and must "
            "not exit."
        )
    help_ = _memory_advice(detail, place) or advice(detail, called=not place)
    if not place and not begins and (game := _place_in_game(log)):
        told = _stopped(detail)
        return f"An exception in the game's own code{game}, not in the bot: {told}{help_}"
    return f"The bot raised an exception{_where(stage, place, begins)}: {_stopped(detail)}{help_}"


def _memory_advice(detail: str, place: str) -> str:
    """What to do if a bot cannot read its memory, which it has not written yet."""
    if _EMPTY.search(detail) and place.endswith(("in remember)", "in learn)")):
        return ' The memory is b"" at first.'
    return ""


def _timeout(detail: str, stage: Stage, limits: Mapping[str, int], log: str, begins: str) -> str:
    budget = limits.get("start_cpu_ms" if stage == "loading" else "cpu_ms")
    whole = detail.endswith("for the match")
    allowed = f"; {budget} ms of processor time are allowed" if budget and not whole else ""
    kept = limits.get("log_bytes", 0)
    flood = (
        f" It printed more than is kept: {kept} bytes, and {decision_room(kept)} of one decision."
        if CUT in log or 0 < kept <= len(log.encode())
        else ""
    )
    where = _where(stage, _stopped_place(log), begins)
    return (
        f"The bot took too long{where}: it {_timeout_text(detail)}{allowed}.{flood} Look for a "
        "loop that does not end, or think for a shorter time."
    )


def _timeout_text(detail: str) -> str:
    """The box's message, without the part that only repeats the limit."""
    words = detail.partition(";")[0]
    return f"gave {words}" if words.startswith("no answer") else words


def _memory(detail: str, stage: Stage, limits: Mapping[str, int], log: str, begins: str) -> str:
    allowed = limits.get("memory_mb")
    limit = f" than the {allowed} MiB it may use" if allowed else ""
    where = _where(stage, _last_place(log), begins)
    return f"The bot needed more memory{limit}{where}: keep less data."


def _protocol(detail: str, stage: Stage, limits: Mapping[str, int], log: str, begins: str) -> str:
    if stage == "choosing":
        return f"{detail[:1].upper()}{detail[1:]}."
    return f"The bot broke the protocol{_where(stage, '', begins)}: {detail}."


def _illegal(detail: str, stage: Stage, limits: Mapping[str, int], log: str, begins: str) -> str:
    return f"The bot gave an answer that the rules refuse{begins}: {detail}.{advice(detail)}"


_EXPLANATIONS: Final = {
    "crash": _crash,
    "timeout": _timeout,
    "memory": _memory,
    "protocol": _protocol,
    "illegal": _illegal,
}


def _stopped(detail: str) -> str:
    """The message as a sentence, which may have its own question mark."""
    return detail if detail.endswith(("?", ".", "!")) else f"{detail}."


def _where(stage: Stage, place: str, begins: str) -> str:
    """The place of the fault, and the stage of the try-out unless the place shows it. If the place
    is not known: the stage, and the line where the called function begins."""
    if ", in " in place:
        return place
    if place or not begins:
        return f" {_STAGES[stage]}{place}"
    return f" {_STAGES[stage].partition(' (')[0]}{begins}"


def _last_place(log: str) -> str:
    """The place in the bot's own files where its last traceback ends, as " (player.py, line 3, in
    turn)"."""
    own = [found.groups() for found in _PLACE.finditer(log) if not found[1].startswith(_FOREIGN)]
    return _location(*own[-1]) if own else ""


def _place_in_game(log: str) -> str:
    """The place in a game's module `player` where the last traceback ends; "" if it ends elsewhere.

    The frames of the games of Matchbox itself are in no traceback.
    """
    places = [found.groups() for found in _PLACE.finditer(_last_traceback(log))]
    if not places or not places[-1][0].startswith("/"):
        return ""
    path, line, function = places[-1]
    package, module = path.split("/")[-2:]
    return _location(f"{package}/{module}", line, function) if module == "player.py" else ""


def _last_traceback(log: str) -> str:
    """The log from its last traceback on."""
    return log[log.rfind("Traceback (most recent call last)") :]


def _last_words(log: str) -> str:
    """The traceback with which the program itself ended. "" if there is none: a bot may have
    printed one earlier, of an exception that it caught."""
    last = _last_traceback(log)
    return last if _PROGRAM in last else ""


def _stopped_place(log: str) -> str:
    """The place in its own files where a bot was stopped; "" if that is not known."""
    dump = _STOPPED.findall(log)
    frames = _FRAME.findall(dump[-1]) if dump else []
    own = [frame for frame in frames if not frame[0].startswith(_FOREIGN)]
    return _location(*own[0]) if own else ""


def _location(name: str, line: str, function: str | None) -> str:
    inside = f", in {function}" if function and not function.startswith("<") else ""
    return f" ({name}, line {line}{inside})"
