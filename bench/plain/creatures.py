"""The creature duel as a plain loop in one process: what isolated play is measured against. Frozen.

Written the way the source document writes it: cards are objects, a turn is a few method calls on
the player's own board, and the opponent is an attribute. Nothing of it is isolated or recorded.
"""

import random


class Card:
    def __init__(self, kind, name, cost=0, power=0):
        self.kind = kind
        self.name = name
        self.cost = cost
        self.power = power
        self.tapped = False


def new_deck():
    deck = [Card("land", "Land") for _ in range(20)]
    kinds = (
        ("Bear", 2, 6),
        ("Knight", 3, 6),
        ("Elemental", 4, 4),
        ("Vampire", 5, 2),
        ("Dragon", 6, 2),
    )
    for name, cost, number in kinds:
        deck += [Card("creature", name, cost, cost) for _ in range(number)]
    return deck


def find_by_name(zone, name):
    for card in zone:
        if card.name == name:
            return card
    return None


class GameControl:
    def __init__(self):
        self.deck = new_deck()
        random.shuffle(self.deck)
        self.hand, self.field, self.lands, self.dpile = [], [], [], []
        self.playedland = False
        self.mana = 0
        for _ in range(7):
            self.draw()

    def draw(self):
        self.hand.append(self.deck.pop())

    def move_card(self, card, fromzone, endzone):
        fromzone.remove(card)
        endzone.append(card)

    def play_land(self):
        land = find_by_name(self.hand, "Land")
        if land is not None and not self.playedland:
            self.move_card(land, self.hand, self.lands)
            self.playedland = True

    def tap_all(self):
        for land in self.lands:
            if not land.tapped:
                land.tapped = True
                self.mana += 1

    def untap_all(self):
        for card in self.lands + self.field:
            card.tapped = False

    def summon(self, cardname):
        card = find_by_name(self.hand, cardname)
        if card is not None and card.kind == "creature" and card.cost <= self.mana:
            self.mana -= card.cost
            self.move_card(card, self.hand, self.field)


def destroy(player, card):
    player.board.move_card(card, player.board.field, player.board.dpile)


def battle(turnplayer, turncard, defendplayer, defendcard):
    if turncard.power <= defendcard.power:
        destroy(turnplayer, turncard)
    if defendcard.power <= turncard.power:
        destroy(defendplayer, defendcard)


class Player:
    def __init__(self, name):
        self.name = name
        self.life = 20
        self.lose = False
        self.opponent = None
        self.board = GameControl()

    def attack(self, cardname):
        for card in self.board.field:
            if card.name == cardname and not card.tapped:
                card.tapped = True
                self.opponent.will_block(card)
                return

    def block(self, attacker, blocker):
        blocker.tapped = True
        battle(self.opponent, attacker, self, blocker)

    def take_damage(self, n):
        self.life -= n
        if self.life <= 0:
            self.lose = True


class AutoPilot(Player):
    def turn_prompt(self):
        self.board.play_land()
        self.board.tap_all()
        self.auto_summon()
        self.all_attack()
        return False

    def creatures(self):
        amount = self.board.mana
        return [card for card in self.board.hand if card.kind == "creature" and card.cost <= amount]

    def auto_summon(self):
        creatures = self.creatures()
        if creatures:
            self.board.summon(max(creatures, key=lambda card: card.power).name)

    def all_attack(self):
        for card in list(self.board.field):
            if not card.tapped and not self.opponent.lose:
                self.attack(card.name)

    def will_block(self, attacker):
        self.take_damage(attacker.power)


class StillLearning(AutoPilot):
    summon_data = {}  # noqa: RUF012

    def auto_summon(self):
        creatures = self.creatures()
        if creatures:
            values = [self.get_card_value(card, self.summon_data) for card in creatures]
            self.board.summon(creatures[values.index(max(values))].name)

    def get_card_value(self, summon, summon_data):
        counted = summon_data.get(summon.name, {})
        return counted.get("W", 0) - counted.get("L", 0)


def full_turn(player):
    player.board.untap_all()
    player.board.playedland = False
    if not player.board.deck:
        player.lose = True
        return
    player.board.draw()
    while player.turn_prompt():
        pass
    player.board.mana = 0


def play_game(player0, player1, print_details=True):
    """Plays one game; 0 or 1 for the winner, and the number of turns."""
    say = print if print_details else lambda text: None
    player0.opponent, player1.opponent = player1, player0
    players, turns = (player0, player1), 0
    while not (player0.lose or player1.lose):
        player = players[turns % 2]
        turns += 1
        full_turn(player)
        say(f"{player.name}: {player.life} life, {player.board.field}")
    return (1 if player0.lose else 0), turns
