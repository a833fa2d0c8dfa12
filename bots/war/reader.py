"""Reader mixes balanced play with guesses at the other's habits, and learns which guess is right.

Each play is a small game of its own, with a row for every sum that Reader can lay and a column for
every sum of the other player. A cell is the probability of winning the whole game after that play,
estimated from the points and the worth of the cards left in both hands. Fictitious play finds a
balanced mixture of rows. The other player may instead have one of some simple habits. Reader
weighs how probable they are, by what the other has laid. It draws from the mixture as often as it
believes the other to play balanced, at first in 55 of 100 plays; else it lays the best sum against
the habits.
"""

import random
from collections import Counter
from itertools import combinations
from math import erf, sqrt
from operator import add

from matchbox.games.war import Player

# The points that a card in hand still brings, from card 1 to 13, and the standard deviation of the
# true points, by plays left. Least squares over 4,000 games of the balanced mixtures against
# themselves, in eight rounds, each with the numbers of the one before.
WORTH = (-9.6, -9.6, -9.7, -8.4, -8.0, -5.4, -4.6, -1.0, 2.5, 6.3, 9.0, 16.5, 22.2)
SPREAD = (20, 29, 36, 40, 43, 47, 52, 56, 59, 63, 68, 71)

ROUNDS = 120
# The probabilities of the habits at first: balanced; the highest pair; any pair; the lowest pair;
# the highest pair if it is sure to win, else the lowest; the lowest pair that is sure to win, else
# the lowest of all.
AT_FIRST = (0.55, 0.15, 0.15, 0.05, 0.05, 0.05)
SLIP = 0.002  # so that one play against a habit does not rule it out


class ReaderPlayer(Player):
    def __init__(self):
        self.belief = list(AT_FIRST)
        self.expected = []

    def lay(self, position):
        if position.plays and self.expected:
            self.read(sum(position.plays[-1].other))
        mine, theirs = cheapest(position.hand), cheapest(position.other_hand)
        game = payoffs(position, mine, theirs)
        mixture, answer = balance(game)
        self.expected = habits(position, list(mine), list(theirs), answer)
        if random.random() < self.belief[0]:
            (chosen,) = random.choices(list(mine), mixture)
        else:
            chosen = self.best(game, list(mine), list(theirs))
        return mine[chosen]

    def read(self, laid):
        """Weighs every habit by the probability that it gave to the other player's sum."""
        fits = [habit.get(laid, 0.0) + SLIP for habit in self.expected]
        weights = [belief * fit for belief, fit in zip(self.belief, fits, strict=True)]
        self.belief = [weight / sum(weights) for weight in weights]

    def best(self, game, sums, other_sums):
        """The best sum against the habits, weighted by their probabilities."""
        chances = [
            sum(
                belief * habit.get(other, 0.0)
                for belief, habit in zip(self.belief[1:], self.expected[1:], strict=True)
            )
            for other in other_sums
        ]
        values = [
            sum(cell * chance for cell, chance in zip(row, chances, strict=True)) for row in game
        ]
        return sums[values.index(max(values))]


def cheapest(hand):
    """For every sum that the hand can lay, from low to high, the pair of the least worth."""
    pairs: dict[int, tuple[int, int]] = {}
    kinds = sorted(set(hand))
    for place, low in enumerate(kinds):
        for high in kinds[place:]:
            if low == high and hand.count(low) < 2:
                continue
            known = pairs.get(low + high)
            if known is None or worth((low, high)) < worth(known):
                pairs[low + high] = (low, high)
    return dict(sorted(pairs.items()))


def worth(cards):
    """The worth of the cards to their holder, in points."""
    return sum(WORTH[card - 1] for card in cards)


def payoffs(position, mine, theirs):
    """The probability of winning the game, for every sum of mine (rows) against every one of
    theirs."""
    left = len(position.hand) // 2 - 1
    ahead = position.points - position.other_points
    ahead += worth(position.hand) - worth(position.other_hand)
    leads = [(other, ahead + worth(pair)) for other, pair in theirs.items()]
    game = []
    for own, pair in mine.items():
        cost, stake = worth(pair), position.open_points + own
        game.append(
            [
                chance_to_win(lead - cost + won(own, other) * (stake + other), left)
                for other, lead in leads
            ]
        )
    return game


def won(own, other):
    """Returns 1 if the first sum wins, -1 if it loses, or 0 for a tie, which does not change the
    difference in points."""
    return (own > other) - (own < other)


def chance_to_win(lead, left):
    """The probability that a lead of this many points suffices, with this many plays left."""
    if left:
        return 0.5 + 0.5 * erf(lead / SPREAD[left - 1] / sqrt(2))
    return 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0


def balance(game):
    """The frequency of each row and each column in fictitious play, in which both answer all
    earlier choices."""
    columns = [list(column) for column in zip(*game, strict=True)]
    rows, answers = [0] * len(game), [0] * len(columns)
    for_rows, for_columns = [0.0] * len(game), [0.0] * len(columns)
    column = len(columns) // 2
    for _ in range(ROUNDS):
        answers[column] += 1
        for_rows = list(map(add, for_rows, columns[column]))
        row = for_rows.index(max(for_rows))
        rows[row] += 1
        for_columns = list(map(add, for_columns, game[row]))
        column = for_columns.index(min(for_columns))
    return rows, answers


def habits(position, sums, other_sums, answers):
    """The probability of each sum of the other player, by habit, in the order of AT_FIRST."""
    lowest, highest = other_sums[0], other_sums[-1]
    beats = [other for other in other_sums if other > sums[-1]]
    pairs = Counter(map(sum, combinations(position.other_hand, 2)))
    return [
        {other: times / ROUNDS for other, times in zip(other_sums, answers, strict=True)},
        {highest: 1.0},
        {other: times / pairs.total() for other, times in pairs.items()},
        {lowest: 1.0},
        {highest if beats else lowest: 1.0},
        {beats[0] if beats else lowest: 1.0},
    ]
