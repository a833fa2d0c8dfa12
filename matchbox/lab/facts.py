"""Adds up the facts that a game reports about its bouts, without knowing the game.

A game may have a function `facts(state)`: named facts of the state in which a bout ended.

    yes or no                           reported as the share of games in which it holds
    a whole number                      reported as its mean, as "mean_<name>"
    whole numbers by name               reported as shares of their own total
    whole numbers by name and by name   reported as they are, added up
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matchbox.errors import BadGame

Facts = Mapping[str, Any]


def check_facts(game: str, found: object) -> Facts:
    """Returns what that game's `facts` has returned. Raises BadGame if it cannot be added up."""
    if not isinstance(found, Mapping) or not all(_adds_up(one) for one in found.values()):
        raise BadGame(
            f"facts of {game} returned {found!r:.200}; it returns a dict whose values are yes or "
            "no, numbers, or dicts of numbers"
        )
    return found


def _adds_up(value: object, depth: int = 2) -> bool:
    if isinstance(value, Mapping):
        return depth > 0 and all(_adds_up(one, depth - 1) for one in value.values())
    return isinstance(value, int | float)


class Sum:
    """The facts of many bouts."""

    def __init__(self) -> None:
        self._total: dict[str, Any] = {}
        self._shares: set[str] = set()

    def add(self, facts: Facts, times: int = 1) -> None:
        """Adds the facts of `times` equal bouts."""
        self._shares.update(name for name, value in facts.items() if isinstance(value, bool))
        _add(self._total, facts, times)

    def result(self, games: int) -> dict[str, Any]:
        """The facts of all bouts together; `games` is how many there were, one or more."""
        return dict(self._reported(*fact, games) for fact in self._total.items())

    def _reported(self, name: str, total: Any, games: int) -> tuple[str, Any]:
        if not isinstance(total, dict):
            mean = round(total / games, 6)
            return (name if name in self._shares else f"mean_{name}"), mean
        if any(isinstance(value, dict) for value in total.values()):
            return name, total
        whole = sum(total.values())
        return name, {key: round(n / whole, 6) if whole else 0.0 for key, n in total.items()}


def _add(total: dict[str, Any], facts: Facts, times: int) -> None:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            _add(total.setdefault(name, {}), value, times)
        else:
            total[name] = total.get(name, 0) + value * times
