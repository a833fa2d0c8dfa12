"""The log of a duel under the names of the source document.

The functions and decorators act on the game that `initiate_game` began last, and do nothing before
its first call. `duel_log` knows the format; `terminal.py` writes the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from matchbox.games.creatures.duel_log import Game, Move, Turn, logged
from matchbox.games.creatures.memory import is_at_the_terminal

if TYPE_CHECKING:
    from matchbox.games.creatures.player import Player

__all__ = [
    "Game",
    "Move",
    "Turn",
    "attack_log",
    "block_log",
    "end_turn",
    "format_logging",
    "initiate_game",
    "initiate_turn",
    "land_log",
    "logged",
    "record_results",
    "summon_log",
    "tap_log",
    "turn_dict",
    "write_to_json",
]

_open: Game | None = None


def initiate_game(players: Sequence[Player | str], number: int = 1) -> Game:
    """Begins the log of a game; if results.json has that number, the game gets the next one."""
    global _open
    _open = Game(players, number)
    return _open


def unfinished(names: list[str]) -> Game | None:
    """The game that is being logged, if it has no result and is between these two players.

    Its players are put into the order of `names`.
    """
    if _open is None or _open.winner is not None or sorted(_open.players) != sorted(names):
        return None
    _open.players = names
    return _open


def initiate_turn(player: Player | str, number: int) -> Turn | None:
    """Begins a turn of the game that is being logged."""
    return _open.initiate_turn(player, number) if _open else None


def turn_dict() -> dict[str, Any]:
    """The turn that is being logged, as `duel_log.Turn.turn_dict` returns it; {} if there is
    none."""
    return _open.turns[-1].turn_dict() if _open and _open.turns else {}


def end_turn() -> dict[str, Any]:
    """The ended turn, as `turn_dict`; every turn stays in its game's log."""
    return turn_dict()


def record_results(loser: Player | str) -> None:
    """Notes the loser of the game that is being logged."""
    if _open:
        _open.record_results(loser)


def format_logging() -> dict[str, Any]:
    """The game that is being logged, as `duel_log.Game.format_logging` returns it; {} if none."""
    return _open.format_logging() if _open else {}


def write_to_json() -> None:
    """Appends the logged game to results.json, once; in a seat there are no files."""
    if _open and is_at_the_terminal():
        from matchbox.games.creatures import terminal

        terminal.write(_open)


# --- Decorators for methods that make a move -------------------------------------------------

Method = Callable[..., Any]


def _logging(
    kind: str, detail: Callable[[tuple[Any, ...], int], list[Any]]
) -> Callable[..., Method]:
    """Returns a decorator that logs a call of the method if it returned True.

    `detail` takes the call's arguments and the mana that it gained.
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def logged(self: Any, *given: Any) -> Any:
            before = getattr(getattr(self, "mana", None), "amount", 0)
            done = method(self, *given)
            if done and _open and _open.turns:
                gained = getattr(getattr(self, "mana", None), "amount", 0) - before
                _open.turns[-1].add(Move(kind, detail(given, gained)))
            return done

        return logged

    return decorate


def _name_of(thing: Any) -> str:
    return str(getattr(thing, "name", thing))


land_log = _logging("Land", lambda given, gained: [])
tap_log = _logging("Tap", lambda given, gained: [gained])
summon_log = _logging("Summon", lambda given, gained: [_name_of(given[0])])
attack_log = _logging("Attack", lambda given, gained: [_name_of(given[0])])
block_log = _logging("Block", lambda given, gained: [_name_of(given[1])])
