"""Counting weighs the cards that a play shuts out, by the number of other piles that they fit.

A card that is still to come and lies between a pile's top and the card laid on it is shut out from
that pile. That costs much if no other pile was left for it, and little if there were three. It
costs a little more than twice as much for a card in the own hand. It is worth keeping a play of ten
back possible. Counting looks for the cheapest pair of plays, since a turn has two. If hints are
allowed, it asks the others to leave a pile on which it can go close, and leaves theirs if it can.
The numbers were found by trial, with three to five players under the published rules.
"""

from matchbox.games.thegame import Player

HOMES = (1.23, 0.42, 0.21, 0.06, 0.0)  # the cost of a card that fits 0, 1, ... 4 piles
OWN = 2.2  # a card in the own hand counts this many times
BACK = 0.5  # the worth of going back
TEN_IN_HAND = 0.48  # the worth of a card in the own hand that can go back
TEN_TO_COME = 0.1  # the worth of a card to come that can go back
BESIDES = 0.007  # the most that a play may cost which the turn does not require
FIRST = 8  # this many first plays are followed by a second one
NO_PLAY = 20.0
CLOSE = 2  # the step that is worth a hint
LEAVE = 0.075  # the cost of taking a pile that somebody wants


class Counting(Player):
    def play(self, table):
        position = Position(table)
        plays = sorted(table.plays(), key=lambda play: position.cost(play[0], table.hand[play[1]]))
        if table.owed < 2:
            return plays[0]
        return min(plays[:FIRST], key=lambda play: position.pair(play[0], table.hand[play[1]]))

    def more(self, table):
        position = Position(table)
        costs = {(pile, at): position.cost(pile, table.hand[at]) for pile, at in table.plays()}
        cheapest = min(costs, key=lambda play: costs[play], default=None)
        return None if cheapest is None or costs[cheapest] > BESIDES else cheapest

    def hint(self, table):
        steps = [[table.step(pile, card) for card in table.hand] for pile in range(4)]
        near = [any(0 < step <= CLOSE or step == -10 for step in pile) for pile in steps]
        return ["please leave it" if one else "none" for one in near]


class Position:
    """The tops, the own hand, and the cost of every card that loses a pile."""

    def __init__(self, table):
        self.tops = [pile[-1] for pile in table.game]
        self.hand = list(table.hand)
        self.left = set(range(2, 100)) - {card for pile in table.game for card in pile}
        self.backwards = table.backwards
        hints = [hint for hint in table.hints if hint]
        self.wanted = [[hint[pile] for hint in hints].count("please leave it") for pile in range(4)]
        self.count()

    def count(self):
        """By number, for all cards up to it: the loss with one pile less, and the gain with one
        more."""
        low, lower, high, higher = self.tops
        self.losses, self.gains = [0.0, 0.0], [0.0, 0.0]
        loss = gain = 0.0
        own = set(self.hand)
        for card in range(2, 101):
            if card in self.left:
                homes = (card > low) + (card > lower) + (card < high) + (card < higher)
                weight = OWN if card in own else 1.0
                if homes > 0:
                    loss += weight * (HOMES[homes - 1] - HOMES[homes])
                if homes < 4:
                    gain += weight * (HOMES[homes] - HOMES[homes + 1])
            self.losses.append(loss)
            self.gains.append(gain)

    def cost(self, pile, card):
        """The cost of laying the card on the pile."""
        top = self.tops[pile]
        low, high = min(top, card), max(top, card)
        ten = self.ten(pile, top) - self.ten(pile, card) if self.backwards else 0.0
        if (card > top) == (pile < 2):
            asked = LEAVE * self.wanted[pile] * (1.0 if high - low > 1 else 0.3)
            return self.losses[high - 1] - self.losses[low] + ten + asked
        return self.gains[low] - self.gains[high - 1] + ten - BACK

    def ten(self, pile, top):
        """The worth of a card that may come and go ten back."""
        card = top - 10 if pile < 2 else top + 10
        if card in self.hand:
            return TEN_IN_HAND
        return TEN_TO_COME if card in self.left else 0.0

    def pair(self, pile, card):
        """The cost of the card and of the best one after it."""
        after = self.after(pile, card)
        following = (
            after.cost(other, held)
            for held in after.hand
            for other in range(4)
            if after.fits(other, held)
        )
        return self.cost(pile, card) + min(following, default=NO_PLAY)

    def fits(self, pile, card):
        step = card - self.tops[pile] if pile < 2 else self.tops[pile] - card
        return step > 0 or (self.backwards and step == -10)

    def after(self, pile, card):
        """The position once the card lies there."""
        other = Position.__new__(Position)
        other.tops = [card if one == pile else top for one, top in enumerate(self.tops)]
        other.hand = [held for held in self.hand if held != card]
        other.left = self.left - {card}
        other.backwards, other.wanted = self.backwards, self.wanted
        other.count()
        return other
