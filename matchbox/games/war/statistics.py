"""Statistics of many games of dealt Addition War: totals, winners, and the influence of the hands.

Knows the game's deals, and computes the statistics of its source document without that document's
errors. Prints nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from math import sqrt
from typing import Any, Final, NamedTuple

from matchbox.dice import SeededDice
from matchbox.game import CHANCE
from matchbox.games.war.rules import GAME
from matchbox.games.war.state import DEALT
from matchbox.lab.statistics import Z95, wilson

OPTIONS: Final = {"play": DEALT}
COLUMNS: Final = (
    "game", "initial_1", "initial_2", "final_1", "final_2", "winner", "ran_out_in_tie",
)  # fmt: skip

Pairs = Counter[tuple[int, int]]
"""The number of times that each pair of initial and final total occurred."""


class GameResult(NamedTuple):
    """One game, by player 1 and player 2."""

    initial: tuple[int, int]
    final: tuple[int, int]
    ran_out: bool
    """Whether the cards ran out in a tie, so that each got its cards back."""

    @property
    def winner(self) -> int:
        """The number of the player that won: 1 or 2; 0 for a draw."""
        first, second = self.final
        return 0 if first == second else 1 if first > second else 2

    @property
    def even(self) -> bool:
        """Whether both hands had the same total."""
        return self.initial[0] == self.initial[1]

    @property
    def upset(self) -> bool:
        """Whether the lower hand has won."""
        lower = 0 if self.even else 1 if self.initial[0] < self.initial[1] else 2
        return self.winner != 0 and self.winner == lower


def play(deal: str) -> GameResult:
    """Plays the game of that deal like the referee: chance makes every step."""
    dice = SeededDice(bytes.fromhex(deal), 0)
    state = GAME.start(2, dice, OPTIONS)
    step = 0
    while GAME.to_move(state):
        step += 1
        state = GAME.apply(state, CHANCE, None, dice.at(step))
    return GameResult(state.initial, (state.points[0], state.points[1]), state.open > 0)


def row(number: int, result: GameResult) -> list[str]:
    """The game as text, in the order of COLUMNS."""
    values = (number, *result.initial, *result.final, result.winner, int(result.ran_out))
    return [str(one) for one in values]


LISTED: Final = 50
"""The most games that are listed one by one."""


def lower_initial_wins(games: Iterable[GameResult]) -> list[dict[str, int]]:
    """The first games, up to LISTED, that were won from the lower initial total, in order.

    Keys: game (counted from 1), winner (1 or 2), winner_initial, loser_initial, winner_final,
    loser_final.
    """
    cases = ((number, one, one.winner - 1) for number, one in enumerate(games, 1) if one.upset)
    return [
        {
            "game": number,
            "winner": one.winner,
            "winner_initial": one.initial[seat],
            "loser_initial": one.initial[1 - seat],
            "winner_final": one.final[seat],
            "loser_final": one.final[1 - seat],
        }
        for number, one, seat in islice(cases, LISTED)
    ]


class Summary:
    """The statistics of any number of games; needs memory for distinct results only."""

    def __init__(self, games: Iterable[GameResult] = ()) -> None:
        self._games = Counter(games)

    def add(self, games: Iterable[GameResult]) -> None:
        """Counts these games too."""
        self._games.update(games)

    def result(self) -> dict[str, Any]:
        """The figures as `matchbox simulate war --json` prints them.

        Counts are whole numbers, shares lie between 0 and 1. A figure that needs a decided game is
        None if there is none.
        """
        total = self._games.total()
        decided = self._count("winner")
        winners, losers = self._pairs(winning=True), self._pairs(winning=False)
        return {
            "games": total,
            "decided": decided,
            "draws": total - decided,
            "winning": _spread(winners, 1),
            "losing": _spread(losers, 1),
            "initial_winning": _spread(winners, 0),
            "initial_losing": _spread(losers, 0),
            "won_by_lower_initial": _share(self._count("upset"), decided),
            "won_by_lower_initial_ci95": _interval(self._count("upset"), decided),
            "won_by_lower_initial_games": self._count("upset"),
            "equal_initials": self._count("even"),
            "ran_out_in_tie": self._count("ran_out"),
            "shares": {
                "draws": _share(total - decided, total),
                "equal_initials": _share(self._count("even"), total),
                "ran_out_in_tie": _share(self._count("ran_out"), total),
            },
            "correlation_winners": correlation(winners),
            "correlation_losers": correlation(losers),
        }

    def _count(self, name: str) -> int:
        return sum(number for one, number in self._games.items() if getattr(one, name))

    def _pairs(self, *, winning: bool) -> Pairs:
        """The totals of all winners, or of all losers."""
        pairs: Pairs = Counter()
        for one, number in self._games.items():
            if one.winner:
                seat = one.winner - 1 if winning else 2 - one.winner
                pairs[one.initial[seat], one.final[seat]] += number
        return pairs


def correlation(pairs: Pairs) -> float | None:
    """Pearson's correlation; None if one of the totals never varies."""
    n = pairs.total()
    first = sum(x * k for (x, _), k in pairs.items())
    second = sum(y * k for (_, y), k in pairs.items())
    both = n * sum(x * y * k for (x, y), k in pairs.items()) - first * second
    one = n * sum(x * x * k for (x, _), k in pairs.items()) - first * first
    two = n * sum(y * y * k for (_, y), k in pairs.items()) - second * second
    return round(both / sqrt(one * two), 8) if one and two else None


def matrix(value: float | None) -> list[list[float | None]]:
    """The correlation matrix of initial with final totals."""
    return [[1.0, value], [value, 1.0]]


def sentences(result: dict[str, Any]) -> list[str]:
    """The figures in words, one sentence each."""
    if not result["decided"]:
        return ["No game was decided, so there are no winners to speak of."]
    winning, losing = result["winning"], result["losing"]
    more = 100 * (winning["mean"] / losing["mean"] - 1) if losing["mean"] else 0.0
    drawn = "1 game was drawn" if result["draws"] == 1 else f"{result['draws']} games were drawn"
    lines = [
        f"Winners end with {winning['mean']:.2f} points in the mean ({winning['min']} to "
        f"{winning['max']}), losers with {losing['mean']:.2f}: winners have {more:.0f}% more.",
        f"{result['won_by_lower_initial_games']} of {result['decided']} decided games "
        f"({100 * result['won_by_lower_initial']:.2f}%) were won from the lower initial total; the "
        f"lowest that won was {result['initial_winning']['min']}, the highest that lost "
        f"{result['initial_losing']['max']}.",
        f"{drawn}, in {result['equal_initials']} both hands were equal, "
        f"and {result['ran_out_in_tie']} ran out of cards in a tie.",
    ]
    value = result["correlation_winners"]
    if value is not None:
        lines.append(
            f"The hand explains {100 * value * value:.0f}% of how far a win went (correlation "
            f"{value:.3f}); losers have the same correlation, as both totals always add up to 364."
        )
    return lines


def _spread(pairs: Pairs, side: int) -> dict[str, Any]:
    """The minimum, the mean with its interval, and the maximum of one of the two totals."""
    n = pairs.total()
    if not n:
        return {"min": None, "mean": None, "max": None, "mean_ci95": None}
    values: Counter[int] = Counter()
    for pair, number in pairs.items():
        values[pair[side]] += number
    mean = sum(value * number for value, number in values.items()) / n
    squares = sum((value - mean) ** 2 * number for value, number in values.items())
    spread = Z95 * sqrt(squares / (n - 1) / n) if n > 1 else 0.0
    interval = [round(mean - spread, 6), round(mean + spread, 6)]
    return {"min": min(values), "mean": round(mean, 6), "max": max(values), "mean_ci95": interval}


def _share(count: int, of: int) -> float | None:
    return round(count / of, 6) if of else None


def _interval(count: int, of: int) -> Sequence[float] | None:
    return [round(bound, 6) for bound in wilson(count / of, of)] if of else None
