"""Counter counts cards, and keeps the probability of the bomb for every place of the pile.

The probabilities follow from all that it has seen: cards shown, cards drawn, shuffles, and the
other player's turns. A player who looks and then does not draw has probably seen the bomb. In each
turn Counter compares its possible plays by their risk, the worth of the card, and the harm of a
bomb on top to the other player, which it estimates from the unseen cards. The numbers below were
found by trial, in games against the notebook's players and against an earlier version of itself.
"""

import random

from matchbox.games.bomb import (
    Player,
    bomb_card,
    bottom_card,
    defuse_card,
    nothing_card,
    see_card,
    shuffle_card,
    skip_card,
)

DEALT = {
    defuse_card: 4, skip_card: 4, bottom_card: 4, shuffle_card: 4, see_card: 8, nothing_card: 4,
}  # fmt: skip
EVASIONS = (skip_card, bottom_card, shuffle_card)

# The unit is a lost game. These are the prices of everything else.
PRICE = {skip_card: 0.1, bottom_card: 0.07, shuffle_card: 0.08, see_card: 0.04}
DRAWN = 0.03  # a card drawn
DEFUSE = 0.3  # a defuse card
LATER = 0.5  # the risk of the next turn, beside that of this one
EVADED = 8.0  # the factor for a bomb on top, if the other player looked and did not draw
SHIRKED = 1.5  # the same, if it did not look
PUT_ON_TOP = 0.5  # how often other players put the bomb on top
PUT_BELOW = 0.1  # how often they put it at the bottom; else anywhere
TOP = 0.8  # how often Counter puts the bomb on top


class Counter(Player):
    def __init__(self):
        self.chances = [1 / 17] * 17
        """The probability that the bomb lies there, by place from the top."""
        self.read = 0
        """The number of cards of the discard pile that are already taken into account."""
        self.other_defused = 0

    def name(self):
        return "Counter"

    def turn(self, game_data, play_a_card):
        self.follow(game_data)
        while True:
            hand = game_data.my_hand()
            worth = Worth(game_data, self.other_defused)
            chosen = worth.best(self.chances, hand)
            self.read = len(game_data.discard_pile()) + (chosen is not None)
            if chosen is see_card:
                self.chances = seen(self.chances, play_a_card(see_card))
            elif chosen is shuffle_card:
                play_a_card(shuffle_card)
                self.chances = even(len(self.chances))
            else:
                self.chances = after(self.chances, chosen)
                return chosen

    def defuse(self, game_data):
        """Puts the bomb on top, where the other player draws next, or else where it draws later."""
        size = game_data.draw_pile_size()
        place = 0 if random.random() < TOP else random.randrange(0, size + 1, 2)
        self.chances = [float(one == place) for one in range(size + 1)]
        self.read = len(game_data.discard_pile())
        return place

    def follow(self, game_data):
        """Updates the probabilities after the other player's turn."""
        played = game_data.discard_pile()[self.read :]
        if self.read == 0 and not played and game_data.draw_pile_size() == 17:
            return
        looked = False
        for card in played:
            if card is shuffle_card:
                self.chances = even(len(self.chances))
            looked = card is see_card or (looked and card is not shuffle_card)
        if defuse_card in played:
            self.other_defused += 1
            self.chances = put_back(game_data.draw_pile_size())
            return
        ending = played[-1] if played and played[-1] in (skip_card, bottom_card) else None
        if ending is not None:
            factor = EVADED if looked else SHIRKED
            self.chances = scaled([self.chances[0] * factor, *self.chances[1:]])
        self.chances = after(self.chances, ending)


class Worth:
    """The costs of all plays in this turn, for a known hand and the unseen cards."""

    def __init__(self, game_data, other_defused):
        hand, discarded = game_data.my_hand(), game_data.discard_pile()
        unseen = {
            card: number - hand.num_cards(card) - discarded.count(card)
            for card, number in DEALT.items()
        }
        held = game_data.other_players_hand_count()
        share = held / max(1, held + game_data.draw_pile_size() - 1)
        evasions = sum(unseen[card] for card in EVASIONS)
        helpless = (1 - share) ** evasions
        bare = (1 - share) ** unseen[defuse_card] if other_defused else 0.0
        self.hit = helpless * (bare + (1 - bare) * DEFUSE)
        """The gain if the other player finds the bomb on top."""
        self.danger = DEFUSE if hand.num_cards(defuse_card) else 1.0
        """The cost of drawing the bomb."""

    def best(self, chances, hand):
        """The card to play next; None to draw."""
        cards = [card for card in PRICE if hand.num_cards(card)]
        return min([None, *cards], key=lambda card: self.cost(card, chances, cards))

    def cost(self, card, chances, cards):
        """The cost of playing that card, and then the best of the others."""
        if card is see_card:
            return PRICE[card] + self.cost_of_looking(chances, without(cards, see_card))
        if card is shuffle_card:
            return PRICE[card] + self.least(even(len(chances)), without(cards, shuffle_card))
        left = after(chances, card)
        top, second = [*left, 0.0, 0.0][:2]
        risk = {None: chances[0], bottom_card: chances[-1], skip_card: 0.0}[card]
        gained = 0.0 if card is skip_card else DRAWN
        later = LATER * self.danger * second - self.hit * top
        return PRICE.get(card, 0.0) + risk * self.danger - gained + (1 - risk) * later

    def cost_of_looking(self, chances, cards):
        """The mean over all that a see card may show: the bomb at one of three places, or no
        bomb."""
        cost, rest = 0.0, 1.0
        for place, chance in enumerate(chances[:3]):
            if chance > 0:
                known = [float(one == place) for one in range(len(chances))]
                cost += chance * self.least(known, cards)
                rest -= chance
        if rest > 1e-9:
            cost += rest * self.least(scaled([0.0] * min(3, len(chances)) + chances[3:]), cards)
        return cost

    def least(self, chances, cards):
        return min(self.cost(card, chances, cards) for card in [None, *cards])


def without(cards, card):
    return [one for one in cards if one is not card]


def even(size):
    return [1 / size] * size


def scaled(chances):
    """The same proportions with the sum 1; all equal if every one is 0."""
    total = sum(chances)
    return [chance / total for chance in chances] if total > 0 else even(max(1, len(chances)))


def seen(chances, cards):
    """The probabilities once a see card has shown these cards."""
    if bomb_card in cards:
        return [float(place == cards.index(bomb_card)) for place in range(len(chances))]
    return scaled([0.0] * len(cards) + chances[len(cards) :])


def after(chances, ending):
    """The probabilities after a turn that ended with this card and without the bomb."""
    if ending is skip_card:
        return chances
    return scaled(chances[:-1] if ending is bottom_card else chances[1:])


def put_back(size):
    """The probabilities after another player has put the bomb into a pile that then has this many
    cards."""
    rest = (1 - PUT_ON_TOP - PUT_BELOW) / size
    chances = [rest] * size
    chances[0] += PUT_ON_TOP
    chances[-1] += PUT_BELOW
    return chances
