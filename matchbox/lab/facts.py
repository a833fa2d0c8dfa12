"""Adds up the facts that a game reports about its bouts, without knowing the game.

A game may have a function `facts(state)`: named facts of the state in which a bout ended.

    yes or no                           reported as the share of games in which it holds
    a whole number                      reported as its mean, as "mean_<name>"
    whole numbers by name               reported as shares of their own total
    whole numbers by name and by name   reported as they are, added up

Every bout has the same names, and the facts of one name are of the same kind in every bout.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Final

from matchbox.errors import BadGame

Facts = Mapping[str, Any]
RESERVED: Final = frozenset(
    [
        "players",
        "bot",
        "first",
        "second",
        "games",
        "mean",
        "ci95",
        "max",
        "moves",
        "turns",
        "places",
    ]
)
"""Names of the platform's own figures, which are no names of facts."""
_MEAN: Final = "mean_"


def check_facts(game: str, found: object) -> Facts:
    """Returns what that game's `facts` has returned. Raises BadGame if it cannot be added up."""
    if not isinstance(found, Mapping) or not all(_adds_up(one) for one in found.values()):
        raise BadGame(
            f"facts of {game} returned {found!r:.200}; it returns a dict whose values are yes or "
            "no, whole numbers, or dicts of whole numbers"
        )
    for name in found:
        if not isinstance(name, str) or name in RESERVED or name.startswith(_MEAN):
            raise BadGame(
                f"facts of {game} returned a fact of the name {name!r:.200}: a name is a text, "
                f"does not begin with {_MEAN} and is none of {', '.join(sorted(RESERVED))}"
            )
    return found


def _adds_up(value: object, depth: int = 2) -> bool:
    if isinstance(value, Mapping):
        return depth > 0 and all(_adds_up(one, depth - 1) for one in value.values())
    return isinstance(value, int)


class Sum:
    """The facts of many bouts."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._total: dict[str, Any] = {}
        self._kinds: dict[str, type] = {}
        self._names: Set[str] | None = None

    def add(self, facts: Facts, times: int = 1) -> None:
        """Adds the facts of `times` equal bouts. Raises BadGame if one is of another kind than
        before, or if the names are not those of the bouts before."""
        if self._names is not None and facts.keys() != self._names:
            name = min(facts.keys() ^ self._names)
            raise BadGame(f"facts of {self._game} returned {name} for some bouts, but not for all")
        self._names = facts.keys()
        for name, value in facts.items():
            alike = self._kinds.setdefault(name, _kind(value)) is _kind(value)
            if not alike or not _fits(self._total.get(name), value):
                raise BadGame(
                    f"facts of {self._game} returned values of different kinds for {name}"
                )
        _add(self._total, facts, times)

    def result(self, games: int) -> dict[str, Any]:
        """The facts of all bouts together; `games` is how many there were, one or more."""
        return dict(self._reported(*fact, games) for fact in self._total.items())

    def _reported(self, name: str, total: Any, games: int) -> tuple[str, Any]:
        if not isinstance(total, dict):
            mean = round(total / games, 6)
            return (name if self._kinds[name] is bool else f"{_MEAN}{name}"), mean
        if any(isinstance(value, dict) for value in total.values()):
            return name, total
        whole = sum(total.values())
        return name, {key: round(n / whole, 6) if whole else 0.0 for key, n in total.items()}


def _kind(value: object) -> type:
    return bool if isinstance(value, bool) else int if isinstance(value, int) else dict


def _fits(total: Any, value: object) -> bool:
    """Whether numbers stand where numbers were before, if anything was, and dicts where dicts."""
    if total is None:
        return True
    if isinstance(value, Mapping):
        return isinstance(total, dict) and all(_fits(total.get(k), v) for k, v in value.items())
    return not isinstance(total, dict)


def _add(total: dict[str, Any], facts: Facts, times: int) -> None:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            _add(total.setdefault(name, {}), value, times)
        else:
            total[name] = total.get(name, 0) + value * times
