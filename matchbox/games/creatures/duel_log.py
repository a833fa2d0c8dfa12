"""The log of a duel as data: games of turns of moves, in the format of `results.json`.

Knows the format; reads and writes no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matchbox.games.creatures.player import Player


class Move:
    """One move: "Land", "Tap", "Summon", "Attack" or "Block", and its detail."""

    def __init__(self, kind: str, detail: Iterable[Any] = ()) -> None:
        self.kind = kind
        self.detail = list(detail)

    def as_list(self) -> list[Any]:
        """The move as it is logged: [kind, [details]]."""
        return [self.kind, list(self.detail)]


class Turn:
    """One player's turn, and what that player saw at its beginning."""

    def __init__(self, player: Player | str, number: int) -> None:
        """The turn of a player, or of a player of whom only the name is known."""
        self.player = player if isinstance(player, str) else player.name
        self.number = number
        """Counts pairs of turns, from 1."""
        self.moves: list[Move] = []
        self.seen: dict[str, Any] = {} if isinstance(player, str) else _seen(player)
        """Copies of both lives, both fields and the own hand, and the size of the other hand."""

    def add(self, move: Move | None) -> None:
        """Logs a move; None is ignored."""
        if move is not None:
            self.moves.append(move)

    def turn_dict(self) -> dict[str, Any]:
        """The turn as it is logged: its moves are a list that holds one list."""
        moves = [move.as_list() for move in self.moves]
        return {"number": self.number, "player": self.player, "moves": [moves]}


class Game:
    """One game: its players' names, its turns, and at the end the winner."""

    def __init__(self, players: Sequence[Player | str], number: int) -> None:
        self.players = [one if isinstance(one, str) else one.name for one in players]
        self.number = number
        self.turns: list[Turn] = []
        self.winner: str | None = None
        self.loser: str | None = None
        self.written = False
        """Whether results.json has the game already."""

    def initiate_turn(self, player: Player | str, number: int) -> Turn:
        """Begins a turn; later moves belong to it."""
        self.turns.append(Turn(player, number))
        return self.turns[-1]

    def record_results(self, loser: Player | str) -> None:
        """Notes the loser, and thereby the winner."""
        self.loser = loser if isinstance(loser, str) else loser.name
        others = [name for name in self.players if name != self.loser]
        self.winner = others[0] if others else self.loser

    def format_logging(self) -> dict[str, Any]:
        """The game as it is logged."""
        return {
            "number": self.number,
            "turns": [turn.turn_dict() for turn in self.turns],
            "winner": self.winner,
            "loser": self.loser,
        }


def logged(move: Any, table: dict[str, Any]) -> Move | None:
    """The log entry of a move, from the table that everybody saw before it; None if it has none."""
    kind, what = (move, None) if isinstance(move, str) else move
    mover = table["mover"]
    if kind in ("attack", "block"):
        field = table["sides"][mover if kind == "attack" else 1 - mover]["field"]
        what = next(name for number, name, _ in field if number == what)
    if kind in ("done", "pass"):
        return None
    return Move(kind.capitalize(), [] if what is None else [what])


def _seen(player: Player) -> dict[str, Any]:
    other = player.opponent
    return {
        "life": player.life,
        "field": [card.name for card in player.board.field],
        "hand": [card.name for card in player.board.hand],
        "opponent_life": other.life if other else None,
        "opponent_field": [card.name for card in other.board.field] if other else [],
        "opponent_hand": len(other.board.hand) if other else 0,
    }
