"""Racer spends all its mana, and simulates the race to decide which creatures stay at home.

A creature either attacks or stays untapped and blocks. For every choice of creatures that stay,
Racer simulates the duel to its end several times. It draws the unseen cards from a full deck, as if
none had been played. In the simulated duel Racer keeps its strongest creatures at home for some
more rounds, and the other player attacks with everything. Racer makes the choice that wins most
often.
"""

import random
from itertools import combinations

from matchbox.games.creatures import Player, deck

DEALS = 96
"""The number of times that the unseen cards are drawn for one decision."""
FIRST_DEALS = 12
"""The number of these draws that are played with every plan. The rest are played only with the best
plans."""
SHORTLIST = 6
ROUNDS = (1, 2, 4, 99)
"""The numbers of rounds for which a plan keeps creatures at home, before all attack."""
LONGEST = 15
"""A race that takes more rounds counts as half a win."""
MOST = 5
"""All choices are tried for up to this many creatures. For more, only the strongest or the weakest
stay."""
COSTS = [card.cost for card in deck]


class Racer(Player):
    def turn_prompt(self):
        self.board.play_land()
        self.board.tap_all()
        for name in best_buy(self.board.hand, self.board.mana.amount):
            self.board.summon(name)
        ready = sorted((card for card in self.board.field if not card.tapped), key=power_of)
        if ready:
            for card in self.choose(ready):
                self.attack(card)
        return False

    def choose(self, ready):
        """The creatures that attack."""
        powers = [card.power for card in ready]
        guards = [card.power for card in self.opponent.board.field if not card.tapped]
        if sum(powers[: max(0, len(powers) - len(guards))]) >= self.opponent.life:
            return ready
        theirs = self.opponent.board
        lives = self.life, self.opponent.life
        lands = len(self.board.lands), len(theirs.lands)
        hand = [card.cost for card in self.board.hand]
        enemies = [card.power for card in theirs.field]
        deals = [(random.sample(COSTS, len(theirs.hand)), random.random()) for _ in range(DEALS)]

        def wins(plan, dealt):
            home, rounds = plan
            races = (Race(powers, enemies, lives, lands, hand, *deal) for deal in dealt)
            return sum(race.run(home, rounds, guards) for race in races)

        shortlist = sorted(plans(powers), key=lambda plan: -wins(plan, deals[:FIRST_DEALS]))
        home, _ = max(shortlist[:SHORTLIST], key=lambda plan: wins(plan, deals))
        return without(ready, home)

    def will_block(self, attacker):
        home = sorted((card for card in self.board.field if not card.tapped), key=power_of)
        coming = sorted(card.power for card in self.opponent.board.field if not card.tapped)
        for card in home:
            if card.power >= attacker.power:
                self.block(attacker, card)
                return
        if self.life <= attacker.power + sum(coming[: max(0, len(coming) - len(home) + 1)]):
            self.block(attacker, home[0])
        else:
            self.take_damage(attacker.power)


class Race:
    """A simulated duel. A creature is represented by its power, which is also its cost."""

    def __init__(self, mine, theirs, lives, lands, hand, unseen, seed):
        self.mine, self.theirs = list(mine), sorted(theirs)
        self.life, self.their_life = lives
        self.lands, self.their_lands = lands
        self.hand, self.their_hand = list(hand), list(unseen)
        self.dice = random.Random(seed)

    def run(self, home, rounds, guards):
        """Returns 1 for a win, 0 for a loss, 0.5 after LONGEST rounds. `home` stays now, and as
        many of the strongest later."""
        kept, home, guards = len(home), list(home), sorted(guards)
        for number in range(1, LONGEST + 1):
            attackers = subtract(self.mine, home)
            self.their_life -= fight(attackers, self.mine, guards, self.theirs)
            if self.their_life <= 0:
                return 1
            self.their_lands += self.draw(self.their_hand)
            buy(self.their_hand, self.theirs, self.their_lands, at_most=1)
            self.life -= fight(list(self.theirs), self.theirs, home, self.mine)
            if self.life <= 0:
                return 0
            self.lands += self.draw(self.hand)
            buy(self.hand, self.mine, self.lands)
            stays = kept if number < rounds and sum(self.mine) < self.their_life else 0
            home, guards = self.mine[max(0, len(self.mine) - stays) :] if stays else [], []
        return 0.5

    def draw(self, hand):
        """Draws a card. Returns 1 if there is then a land, which is played; else 0."""
        hand.append(self.dice.choice(COSTS))
        if 0 in hand:
            hand.remove(0)
            return 1
        return 0


def fight(attackers, side, guards, other):
    """The damage that comes through. A guard blocks an attacker to which it does not lose."""
    damage = 0
    for power in attackers:
        guard = next((one for one in guards if one >= power), 0)
        if not guard:
            damage += power
            continue
        guards.remove(guard)
        side.remove(power)
        if guard == power:
            other.remove(guard)
    return damage


def buy(hand, field, mana, at_most=9):
    """Moves the strongest creatures that the mana pays for from the hand to the field."""
    for cost in sorted(hand, reverse=True):
        if 0 < cost <= mana and at_most:
            hand.remove(cost)
            field.append(cost)
            mana -= cost
            at_most -= 1
    field.sort()


def plans(powers):
    """The creatures that may stay at home, and the number of rounds for which as many continue to
    stay."""
    if len(powers) <= MOST:
        sizes = range(len(powers) + 1)
        homes = sorted({home for size in sizes for home in combinations(powers, size)}, key=len)
    else:
        cuts = range(1, len(powers) + 1)
        homes = [(), *(tuple(powers[cut - 1 :]) for cut in cuts)]
        homes += [tuple(powers[:cut]) for cut in cuts[:-1]]
    return [(home, rounds) for home in homes for rounds in (ROUNDS if home else ROUNDS[:1])]


def subtract(powers, home):
    left = list(powers)
    for power in home:
        left.remove(power)
    return left


def without(ready, home):
    """The cards, except those whose powers stay at home."""
    stay, left = list(home), []
    for card in ready:
        if card.power in stay:
            stay.remove(card.power)
        else:
            left.append(card)
    return left


def power_of(card):
    return card.power


def best_buy(hand, mana):
    """The names of the creatures to summon: the most power, and of equal power in fewer cards."""
    best: dict[int, list[str]] = {0: []}
    for card in hand:
        if card.kind == "creature":
            for spent, names in list(best.items()):
                total = spent + card.cost
                known = best.get(total)
                if total <= mana and (known is None or len(known) > len(names) + 1):
                    best[total] = [*names, card.name]
    return best[max(best)]
