"""The legal moves of a position as a person chooses among them. Knows no game.

A game may put them into words in a module `choices`; without one, a move's text is its JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.json import encode

from matchbox.errors import BadGame, quoted
from matchbox.game import Choice
from matchbox.registry import choices_module

if TYPE_CHECKING:
    from matchbox.game import Plain


def choices_of(game: str, moves: Sequence[Plain], view: Plain) -> list[tuple[Plain, Choice]]:
    """Returns each move that is offered to the seat with this view.

    Raises UnknownGame, and BadGame if the game offers none or describes one wrongly.
    """
    module = choices_module(game)
    offered = []
    for move in moves:
        made = plain_choice(move) if module is None else module.choice(move, view)
        if made is not None:
            _check(game, made)
            offered.append((move, made))
    if moves and not offered:
        raise BadGame(f"choice of the game {game} returned None for every legal move")
    return offered


def question_of(game: str, moves: Sequence[Plain], view: Plain) -> str:
    """Returns what the seat with this view is asked, as a sentence; "" if the game does not say.

    Raises UnknownGame, and BadGame if it is not a str.
    """
    question: Callable[[Sequence[Plain], Plain], str] | None
    question = getattr(choices_module(game), "question", None)
    text = question(moves, view) if question is not None and moves else ""
    if not isinstance(text, str):
        raise BadGame(f"question of the game {game} returned {quoted(text)}; it must return a str")
    return text


def _check(game: str, made: object) -> None:
    """Raises BadGame unless this is a choice with texts."""
    if not isinstance(made, Choice):
        raise BadGame(
            f"choice of the game {game} returned {quoted(made)}; it must return a "
            "matchbox.game.Choice or None"
        )
    for name in ("words", "group"):
        if not isinstance(text := getattr(made, name), str):
            raise BadGame(
                f"choice of the game {game} returned the {name} {quoted(text)}; it must be a str"
            )
    picks = made.picks
    if not isinstance(picks, tuple | list) or not all(isinstance(one, str) for one in picks):
        raise BadGame(
            f"choice of the game {game} returned the picks {quoted(picks)}; they must be "
            "a tuple of str"
        )


def plain_choice(move: Plain) -> Choice:
    """A move of a game that does not describe its moves: its JSON is its mark on the board."""
    text = encode(move).decode()
    words = move if isinstance(move, str) else text
    return Choice(words, picks=(text,))
