"""Addition War at the terminal: the notebook's `deal`, `play` and `game`, `play_game` for players,
and a human's prompt.

Never in a box. `WinnerTotals`, `LoserTotals` and `count_draws` hold the counts of this module's
`game`; `Games()` counts separately.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from matchbox.dice import SeededDice
from matchbox.errors import IllegalMove
from matchbox.game import CHANCE
from matchbox.games.war.player import Cards, Play, Player, Position, answer
from matchbox.games.war.rules import GAME
from matchbox.games.war.state import CHOOSE, DEALT, DECK, HAND, State, begin

Hands = tuple[list[int], list[int]]
Row = tuple[str, int, int, int]
"""'W' or 'L', the player's number (1 or 2), the initial and the final total."""


_UNUSED: Final = SeededDice(b"", 0)
"""No chance remains once the cards are dealt."""


class Result(NamedTuple):
    """The result of one game."""

    initial1: int
    initial2: int
    final1: int
    final2: int
    winner: int
    """The number of the player that won: 1 or 2; 0 for a draw."""


class Totals(NamedTuple):
    """What `game` returns: the totals of all games so far."""

    winners: list[Row]
    losers: list[Row]
    draws: int


class Games:
    """The totals of many games."""

    def __init__(self) -> None:
        self.unplayed_deal: Hands | None = None
        """The hands of the last `deal`, if no game has used them."""
        self.WinnerTotals: list[Row] = []
        self.LoserTotals: list[Row] = []
        self.count_draws = 0

    def game(self, hands: Hands | None = None) -> Totals:
        """Plays one game silently, adds its rows, and returns all totals so far.

        The hands are these, else those of the last `deal` if no game has used them, else new ones.
        A draw adds no row; it is counted.
        """
        state = _begin(hands or self.unplayed_deal)
        self.unplayed_deal = None
        while GAME.to_move(state):
            _lay(state)
        result = _result(state)
        if not result.winner:
            self.count_draws += 1
            return self._totals()
        winner, loser = result.winner, 3 - result.winner
        self.WinnerTotals.append(("W", winner, result[winner - 1], result[winner + 1]))
        self.LoserTotals.append(("L", loser, result[loser - 1], result[loser + 1]))
        return self._totals()

    def _totals(self) -> Totals:
        return Totals(self.WinnerTotals, self.LoserTotals, self.count_draws)


_games: Final = Games()
WinnerTotals: Final = _games.WinnerTotals
LoserTotals: Final = _games.LoserTotals
game: Final = _games.game


def __getattr__(name: str) -> Any:
    """Returns the present value of `count_draws`, the number of draws among this module's games."""
    if name == "count_draws":
        return _games.count_draws
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def deal() -> Hands:
    """Two hands of 26 cards. Chance is the module `random`'s, so `random.seed` repeats them."""
    first, second = _new_hands()
    _games.unplayed_deal = first.copy(), second.copy()
    return first, second


def _new_hands() -> Hands:
    deck = list(DECK)
    random.shuffle(deck)
    return deck[:HAND], deck[HAND:]


def play(hands: Hands | None = None) -> Result:
    """Plays one game with its transcript, with new hands or these."""
    state = _begin(hands)
    for number, hand in enumerate(state.hands, 1):
        print(f"Player {number} holds {' '.join(map(str, hand))}: {sum(hand)} in all.")
    while GAME.to_move(state):
        _lay(state)
        _print_play(state)
    result = _result(state)
    _print_end(result)
    return result


def play_game(player0: Player, player1: Player, print_details: bool) -> int | None:
    """Plays one game whose players choose; returns the winner, 0 or 1, or None for a draw."""
    players = (player0, player1)
    for player in players:
        assert isinstance(player, Player), f"{player!r} is not an instance of Player"
    state = begin(_new_hands(), CHOOSE)
    while GAME.to_move(state):
        moves = [_chosen(player, state, seat) for seat, player in enumerate(players)]
        for seat, move in enumerate(moves):
            GAME.apply(state, seat, move, _UNUSED)
        if print_details:
            _print_play(state)
    result = _result(state)
    if print_details:
        _print_end(result)
    return result.winner - 1 if result.winner else None


def _chosen(player: Player, state: State, seat: int) -> Any:
    """The player's move. Raises ValueError if the rules refuse it, and the player's errors."""
    view: Any = GAME.view(state, seat)
    try:
        move = answer(player, view, lambda made: None)
        refusal = GAME.refusal(state, seat, move)
    except IllegalMove as error:
        refusal = str(error)
    if refusal:
        raise ValueError(f"player {seat + 1}: {refusal}")
    return move


def _begin(hands: Hands | None) -> State:
    """A game about to begin. Raises ValueError if the hands are not the 52 cards."""
    first, second = (list(hand) for hand in hands or _new_hands())
    if len(first) != HAND or sorted(first + second) != sorted(DECK):
        raise ValueError("these are not two hands of 26 cards; take them from deal()")
    return begin((first, second), DEALT)


def _lay(state: State) -> None:
    GAME.apply(state, CHANCE, None, _UNUSED)


def _result(state: State) -> Result:
    outcome = GAME.outcome(state)
    assert outcome is not None
    first, second = outcome.places
    winner = 0 if first == second else 1 if first < second else 2
    final1, final2 = outcome.scores
    return Result(*state.initial, final1, final2, winner)


def _print_play(state: State) -> None:
    """Prints the last play, the player that took it, and the points so far."""
    first, second = (list(played[-2:]) for played in state.played)
    taker = state.took[-1]
    print(f"{_sum(first)} against {_sum(second)}", end=": ")
    if taker is not None:
        print(f"player {taker + 1} takes the round", end="; ")
    elif state.hands[0]:
        print("a tie, the cards stay open", end="; ")
    else:
        print("a tie, each takes its own cards back", end="; ")
    print("points {} to {}".format(*state.points))


def _print_end(result: Result) -> None:
    print(f"Final totals: player 1 has {result.final1}, player 2 has {result.final2}.")
    print(f"Player {result.winner} wins." if result.winner else "It is a draw.")


def _sum(pair: Sequence[int]) -> str:
    return f"{pair[0]} + {pair[1]} = {sum(pair)}"


# --- A human's prompt ------------------------------------------------------------------------


def ask_for_cards(position: Position, known_plays: int, others: Mapping[int, str]) -> Cards:
    """Shows what has happened since, and returns the two cards that the human lays.

    With the other player's name in `others`, the plays so far have been shown already.
    """
    for one in () if others else position.plays[known_plays:]:
        print(_seen(one))
    other = next(iter(others.values()), "The other player")
    print(str(position).replace("The other player", other))
    example = "{} {}".format(*position.hand[:2])
    while True:
        words = input(f"Which two of your cards do you lay, such as {example}? ")
        try:
            cards = [int(word) for word in words.replace(",", " ").split()]
        except ValueError:
            cards = []
        if len(cards) != 2:
            print(f"Type two numbers, such as {example}.")
        elif any(position.hand.count(card) < cards.count(card) for card in cards):
            print(f"You do not have {cards[0]} and {cards[1]}.")
        else:
            return cards[0], cards[1]


def _seen(one: Play) -> str:
    ending = {True: "you took them", False: "the other player took them", None: "a tie"}
    return f"You laid {_sum(one.own)}, the other player {_sum(one.other)}: {ending[one.taken]}."
