"""Counts the wins and losses of each card in logged duels, and in duels that a bot learns from.

Knows both formats as data; reads and writes no file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from matchbox.games.creatures.memory import WinCounts

_SUMMONS: Final = "summons "
"""The beginning of the transcript's line for a summon; the card's name follows."""


def get_victory_key(data: dict[str, Any], player: str | int) -> str:
    """ "W" if that player won the logged game, "L" if it lost.

    Raises ValueError for a player who was not in the game.
    """
    for key, name in (("W", data["winner"]), ("L", data["loser"])):
        if name == player:
            return key
    raise ValueError(f"{player!r} neither won nor lost the game: {data['winner']!r} won it")


def count(table: WinCounts, game: dict[str, Any]) -> None:
    """Counts every summon of a logged game as a win or a loss of its card.

    A game without a result is not counted. A card missing in the table counts from 0.
    """
    if game.get("winner") is None:
        return
    for turn in game["turns"]:
        key = get_victory_key(game, turn["player"])
        for kind, detail in (move for moves in turn["moves"] for move in moves):
            if kind == "Summon":
                counted = table.setdefault(detail[0], {})
                counted[key] = counted.get(key, 0) + 1


def game_of(record: dict[str, Any]) -> dict[str, Any]:
    """The part of a bot's recorded duel that `count` needs; the seats serve as names."""
    turns = [
        {"player": step["seat"], "moves": [[["Summon", [step["text"].removeprefix(_SUMMONS)]]]]}
        for step in record["steps"]
        if step["text"].startswith(_SUMMONS)
    ]
    winner = record["places"].index(1)
    return {"turns": turns, "winner": winner, "loser": 1 - winner}


def count_new(table: WinCounts, games: Iterable[dict[str, Any]], counted: set[int]) -> None:
    """Counts every game whose number is not in `counted`, and adds its number."""
    for game in games:
        if game["number"] not in counted:
            count(table, game)
            counted.add(game["number"])
