"""Addition War as a plain loop in one process: what isolated play is measured against. Frozen.

Written the way the source notebook writes it: lists of numbers and a loop over the plays. `game`
plays the cards as they were dealt; `play_game` asks two players for every pair.
"""

import random


def deal():
    """The two hands."""
    cards = [value for value in range(1, 14) for _ in range(4)]
    random.shuffle(cards)
    return cards[:26], cards[26:]


def game(hands=None):
    """Both initial and both final totals of one dealt game, and the winner: 1, 2, or 0."""
    hand1, hand2 = hands or deal()
    total1, total2, pot1, pot2 = 0, 0, 0, 0
    for start in range(0, 26, 2):
        sum1 = hand1[start] + hand1[start + 1]
        sum2 = hand2[start] + hand2[start + 1]
        pot1 += sum1
        pot2 += sum2
        if sum1 == sum2:
            continue
        if sum1 > sum2:
            total1 += pot1 + pot2
        else:
            total2 += pot1 + pot2
        pot1, pot2 = 0, 0
    total1 += pot1
    total2 += pot2
    winner = 1 if total1 > total2 else 2 if total2 > total1 else 0
    return sum(hand1), sum(hand2), total1, total2, winner


class Position:
    def __init__(self, hand, other_hand, points, other_points, plays, open_plays):
        self.hand = hand
        self.other_hand = other_hand
        self.points = points
        self.other_points = other_points
        self.plays = plays
        self.open_plays = open_plays


class Player:
    def lay(self, position):
        raise NotImplementedError


class RandomPlayer(Player):
    def lay(self, position):
        first, second = random.sample(position.hand, 2)
        return first, second


class HighestPlayer(Player):
    def lay(self, position):
        return position.hand[0], position.hand[1]


def play_game(player1, player2, hands=None):
    """The winner of one game in which both choose their cards: 1, 2, or 0 for a draw."""
    hand1, hand2 = (sorted(hand, reverse=True) for hand in hands or deal())
    total1, total2, pot1, pot2, open_plays = 0, 0, 0, 0, 0
    plays1, plays2 = [], []
    while hand1:
        seen1 = Position(hand1[:], hand2[:], total1, total2, plays1[:], open_plays)
        seen2 = Position(hand2[:], hand1[:], total2, total1, plays2[:], open_plays)
        pair1, pair2 = player1.lay(seen1), player2.lay(seen2)
        for pair, hand in ((pair1, hand1), (pair2, hand2)):
            if len(pair) != 2:
                raise ValueError("lay returned no pair of cards")
            for card in pair:
                hand.remove(card)
        pot1 += sum(pair1)
        pot2 += sum(pair2)
        plays1.append((pair1, pair2))
        plays2.append((pair2, pair1))
        open_plays += 1
        if sum(pair1) == sum(pair2):
            continue
        if sum(pair1) > sum(pair2):
            total1 += pot1 + pot2
        else:
            total2 += pot1 + pot2
        pot1, pot2, open_plays = 0, 0, 0
    total1 += pot1
    total2 += pot2
    return 1 if total1 > total2 else 2 if total2 > total1 else 0
