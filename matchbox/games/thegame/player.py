"""The classes for authors of players of The Game, and the driver that puts the questions to them.

Knows a player's view and how an answer is read; does not know the rules beyond which card fits. A
player is a function `strategy(game, hand)`, as in the source document, or a class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import index
from typing import Any, Final

from matchbox.errors import IllegalMove
from matchbox.games.thegame.piles import SILENCE, STARTS, WORDS, fits, plays, step
from matchbox.match import printed
from matchbox.match.fault_text import value_text

ALIASES: Final = {"simulation": "matchbox.games.thegame"}
"""Module names of the source document that players import."""
FUNCTION: Final = "strategy"
"""The name of the strategy in a file: this one, or one that ends in _strategy."""

Piles = tuple[list[int], list[int], list[int], list[int]]
Strategy = Callable[[Piles, list[int]], tuple[int, int]]
Ask = Callable[[Any], Any]


class Table:
    """The knowledge of a player. All of it is a copy: changing it does not change the game."""

    __slots__ = ("deck", "game", "hand", "hands", "hints", "mover", "owed", "rules", "seat")

    def __init__(self, view: dict[str, Any]) -> None:
        self.game: Piles = tuple(view["piles"])
        """The four piles: the start value first, the top last; 0 and 1 rise, 2 and 3 fall."""
        self.hand: list[int] = view["hand"]
        """Your cards in the order in which they were drawn."""
        self.seat: int = view["seat"]
        self.mover: int = view["mover"]
        """The seat whose turn it is or comes next."""
        self.hands: list[int] = view["hands"]
        """The number of cards in each seat's hand."""
        self.deck: int = view["deck"]
        """The number of cards in the deck."""
        self.owed: int = view["owed"]
        """The number of cards that the mover must still lay before the turn may end."""
        self.rules: str = view["rules"]
        """article, backwards or published."""
        self.hints: list[list[str] | None] = view["hints"]
        """Each seat's hint before this turn: a word for each pile, or None."""

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.hands)

    @property
    def backwards(self) -> bool:
        """Whether a card exactly ten back may be laid."""
        return self.rules != "article"

    def top(self, pile: int) -> int:
        """The number on top of the pile."""
        return self.game[pile][-1]

    def fits(self, pile: int, card: int) -> bool:
        """Whether the card may be laid on the pile now."""
        return fits(pile, self.top(pile), card, self.backwards)

    def step(self, pile: int, card: int) -> int:
        """How far the card moves the pile in its direction; -10 for the backwards play."""
        return step(pile, self.top(pile), card)

    def plays(self) -> list[tuple[int, int]]:
        """Every legal play as (pile_index, card_index), ordered by pile, then by card."""
        return plays(self.game, self.hand, self.backwards)


class Player:
    """The base class of all players: write `play`; the other methods have defaults."""

    def play(self, table: Table) -> tuple[int, int]:
        """The card to lay as (pile_index, card_index); asked while the turn requires a card."""
        raise NotImplementedError("a player must have a method play(table)")

    def more(self, table: Table) -> tuple[int, int] | None:
        """One more card in a turn that may end, under the published rules; None ends it."""
        return None

    def hint(self, table: Table) -> Sequence[str] | None:
        """A word for each pile before another player's turn, if hints are on; None says nothing.

        The words are "none", "please leave it" and "I can go close".
        """
        return None


class Strategist(Player):
    """A player that asks a function for every card, and never lays more cards than it must."""

    strategy: Strategy

    def play(self, table: Table) -> tuple[int, int]:
        return self.strategy(table.game, table.hand)


def adopt(value: object, *, named: bool) -> type[Player] | None:
    """The class of players that ask this function; None if it is not a strategy.

    If the author has not named the function as the bot, its name decides.
    """
    if isinstance(value, type) or not callable(value):
        return None
    name = getattr(value, "__name__", FUNCTION)
    if not named and name != FUNCTION and not name.endswith(f"_{FUNCTION}"):
        return None
    class_name = name if name.isidentifier() else FUNCTION  # A lambda's name is "<lambda>".
    return type(class_name, (Strategist,), {"strategy": staticmethod(value)})


# --- The driver ------------------------------------------------------------------------------


def answer(player: Player, view: dict[str, Any], ask: Ask) -> Any:
    """The player's move for this view. Raises IllegalMove if the answer is not a move."""
    table = Table(view)
    # Checked against the referee's view, whatever the player does to its own copy.
    tops, hand, backwards = [pile[-1] for pile in table.game], table.hand.copy(), table.backwards
    match view["ask"]:
        case "hint":
            return _hint(player.hint(table))
        case "more":
            chosen: object = player.more(table)
            if chosen is None:
                return "done"
        case _:
            chosen = player.play(table)
    pile, place = _pair(chosen)
    if not 0 <= pile < len(STARTS):
        why = f"there is no pile {value_text(pile)}, only 0 to {len(STARTS) - 1}"
    elif not 0 <= place < len(hand):
        cards = len(hand)
        why = f"there is no card {value_text(place)} in a hand of {cards}, only 0 to {cards - 1}"
    elif not fits(pile, tops[pile], hand[place], backwards):
        why = f"card {hand[place]} does not fit on pile {pile}, which shows {tops[pile]}"
    else:
        return [pile, place]
    if printed.Marked.installed is not None:  # In a box or a seat: a terminal says it in its way.
        text = f"({value_text(pile)}, {value_text(place)}) is no allowed play and ends the game"
        printed.put(printed.PRINT, f"{text}: {why}\n")
    return "invalid"


def _pair(chosen: object) -> tuple[int, int]:
    """The two numbers of a play. Numpy's integers count; bool and other kinds of int do not."""
    if type(chosen) in (tuple, list):
        parts: Any = chosen
        if len(parts) == 2 and all(map(_is_number, parts)):
            with suppress(TypeError):  # An array of several numbers is none.
                return index(parts[0]), index(parts[1])
    raise IllegalMove(
        f"the strategy returned {_named(chosen)}; return (pile_index, card_index), two ints"
    )


def _is_number(part: object) -> bool:
    return type(part) is int or (type(part).__module__ == "numpy" and hasattr(part, "__index__"))


def _hint(said: object) -> list[str]:
    """A word for each pile."""
    if said is None:
        return list(SILENCE)
    if type(said) in (tuple, list):
        words: Any = said
        if len(words) == len(STARTS) and all(type(w) is str and w in WORDS for w in words):
            return list(words)
    words_text = ", ".join(repr(word) for word in WORDS)
    raise IllegalMove(f"hint() returned {_named(said)}; return None, or for each pile {words_text}")


def _named(thing: object) -> str:
    """A short description of a value that a player returned; runs none of the player's code."""
    if type(thing) is str:
        return f"{thing!r:.40}"
    if type(thing) is tuple and len(thing) == 2:
        return f"({_named(thing[0])}, {_named(thing[1])})"
    return value_text(thing)
