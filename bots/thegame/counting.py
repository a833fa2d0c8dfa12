"""Counting weighs the cards that a play shuts out, by where else they could still go.

A card that is still to come and lies between a pile's top and the card laid on it is shut out
from that pile. That costs much where it had no other pile to go to, and little where it had
three. A play also counts a part of what the best one after it will cost.
"""

from matchbox.games.thegame import Player

AHEAD = 0.3
NO_PLAY = 10.0


class Counting(Player):
    def play(self, table):
        plays = self.priced(table)
        return min(plays, key=lambda play: plays[play])

    def more(self, table):
        """Only what shuts nothing out, or goes back."""
        tops, left = tops_of(table), left_of(table)
        for pile, place in table.plays():
            if cost(tops, left, pile, table.hand[place]) <= 0:
                return pile, place
        return None

    def priced(self, table):
        """What every allowed play costs, with a part of the next one."""
        tops, left = tops_of(table), left_of(table)
        prices = {}
        for pile, place in table.plays():
            card = table.hand[place]
            after, rest = [*tops], left - {card}
            after[pile] = card
            coming = [
                cost(after, rest, other, held)
                for held in table.hand
                if held != card
                for other in range(4)
                if goes(after[other], other, held, table.backwards)
            ]
            price = cost(tops, left, pile, card)
            prices[pile, place] = price + AHEAD * min(coming, default=NO_PLAY)
        return prices


def tops_of(table):
    return [pile[-1] for pile in table.game]


def left_of(table):
    """The cards that have not been laid."""
    return set(range(2, 100)) - {card for pile in table.game for card in pile}


def goes(top, pile, card, backwards):
    along = card - top if pile < 2 else top - card
    return along > 0 or (backwards and along == -10)


def cost(tops, left, pile, card):
    """What the cards between top and card lose; below 0 what they gain when the pile goes back."""
    low, high = sorted((tops[pile], card))
    back = card < tops[pile] if pile < 2 else card > tops[pile]
    between = [homes(tops, other) for other in left if low < other < high]
    if back:
        return -0.5 - sum(1 / (count + 1) ** 2 for count in between)
    return sum(1 / count**2 for count in between)


def homes(tops, card):
    """On how many piles the card could go now."""
    return (card > tops[0]) + (card > tops[1]) + (card < tops[2]) + (card < tops[3])
