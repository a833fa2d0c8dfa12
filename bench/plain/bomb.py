"""Bomb as a plain loop in one process: what isolated play is measured against. Frozen.

Written the way the source notebook writes it: cards are objects, hands are objects, a turn is a
method call with a closure. Nothing of it is isolated, checked by a box, or recorded.
"""

import random as random_number


class Card:
    def __init__(self, name, description):
        self._name = name
        self._description = description

    def name(self):
        return self._name

    def description(self):
        return self._description

    def __str__(self):
        return f"a {self._name} card"


bomb_card = Card("bomb", "explodes")
defuse_card = Card("defuse", "saves from the bomb")
skip_card = Card("skip", "ends the turn")
bottom_card = Card("bottom", "draws from the bottom")
shuffle_card = Card("shuffle", "shuffles the draw pile")
see_card = Card("see", "shows the top three cards")
nothing_card = Card("nothing", "does nothing")


class Hand:
    def __init__(self, d=None):
        self._d = {
            defuse_card: 0, skip_card: 0, bottom_card: 0, shuffle_card: 0, see_card: 0,
            nothing_card: 0,
        } if d is None else d  # fmt: skip

    def add_card(self, card):
        self._d[card] += 1

    def remove_card(self, card):
        if self._d[card] == 0:
            raise ValueError(f"no {card.name()} card in the hand")
        self._d[card] -= 1

    def num_cards(self, card):
        return self._d.get(card, 0)

    def copy(self):
        return Hand(self._d.copy())

    def __len__(self):
        return sum(self._d.values())


class GameData:
    def __init__(self, draw_pile_size, discard_pile, hand, other_players_hand_count):
        self._draw_pile_size = draw_pile_size
        self._discard_pile = discard_pile
        self._hand = hand
        self._other_players_hand_count = other_players_hand_count

    def my_hand(self):
        return self._hand.copy()

    def draw_pile_size(self):
        return self._draw_pile_size

    def other_players_hand_count(self):
        return self._other_players_hand_count

    def discard_pile(self):
        return self._discard_pile

    def _update(self, hand, discard_pile):
        self._hand = hand.copy()
        self._discard_pile = tuple(discard_pile)


class Player:
    def name(self):
        raise NotImplementedError

    def turn(self, game_data, play_a_card):
        raise NotImplementedError

    def defuse(self, game_data):
        raise NotImplementedError


class SimplePlayer(Player):
    def name(self):
        return "Simple"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return random_number.randint(0, game_data.draw_pile_size())


class ScaredPlayer(Player):
    def __init__(self):
        self.scared = False
        self.known_defuses = 0

    def name(self):
        return "Scared"

    def turn(self, game_data, play_a_card):
        defuses = game_data.discard_pile().count(defuse_card)
        if defuses > self.known_defuses:
            self.known_defuses = defuses
            self.scared = True
        hand = game_data.my_hand()
        if not self.scared:
            if hand.num_cards(defuse_card) > 0:
                return None
            if hand.num_cards(see_card) > 0:
                top_cards = play_a_card(see_card)
                if bomb_card in top_cards:
                    self.scared = True
                if top_cards[0] != bomb_card:
                    return None
        if hand.num_cards(shuffle_card) > 0:
            play_a_card(shuffle_card)
            self.scared = False
            return None
        if hand.num_cards(skip_card) > 0:
            return skip_card
        if hand.num_cards(bottom_card) > 0:
            return bottom_card
        return None

    def defuse(self, game_data):
        self.scared = True
        self.known_defuses += 1
        return 0


class MediumPlayer(Player):
    def __init__(self):
        self.known_defuses = 0

    def name(self):
        return "Medium"

    def turn(self, game_data, play_a_card):
        defuses = game_data.discard_pile().count(defuse_card)
        if defuses > self.known_defuses:
            if game_data.my_hand().num_cards(shuffle_card) > 0:
                play_a_card(shuffle_card)
            self.known_defuses = defuses
        hand = game_data.my_hand()
        if hand.num_cards(defuse_card) > 0:
            return None
        if game_data.draw_pile_size() == 1:
            return skip_card if hand.num_cards(skip_card) > 0 else None
        while game_data.my_hand().num_cards(see_card) > 0:
            if play_a_card(see_card)[0] != bomb_card:
                return None
            hand = game_data.my_hand()
            if hand.num_cards(bottom_card) > 0:
                return bottom_card
            if hand.num_cards(skip_card) > 0:
                return skip_card
            if hand.num_cards(shuffle_card) > 0:
                play_a_card(shuffle_card)
        hand = game_data.my_hand()
        if hand.num_cards(shuffle_card) > 0:
            play_a_card(shuffle_card)
            return None
        if hand.num_cards(skip_card) > 0:
            return skip_card
        if hand.num_cards(bottom_card) > 0 and random_number.random() < 0.5:
            return bottom_card
        return None

    def defuse(self, game_data):
        self.known_defuses += 1
        n = game_data.draw_pile_size()
        if game_data.my_hand().num_cards(defuse_card) > 0:
            if random_number.random() < 0.75:
                return 0
        elif random_number.random() < 0.5:
            return n
        return random_number.randint(0, n)


def deal():
    """The two hands and the draw pile; its end is the top."""
    cards = (
        [skip_card] * 4 + [bottom_card] * 4 + [shuffle_card] * 4 + [see_card] * 8
        + [nothing_card] * 4
    )  # fmt: skip
    random_number.shuffle(cards)
    hands = [Hand(), Hand()]
    for hand in hands:
        for _ in range(5):
            hand.add_card(cards.pop())
        hand.add_card(defuse_card)
    draw_pile = [*cards, defuse_card, defuse_card, bomb_card]
    random_number.shuffle(draw_pile)
    return hands, draw_pile


def put_back(player, draw_pile, game_data):
    """Asks the player where the bomb goes, and puts it there."""
    place = player.defuse(game_data)
    if type(place) is not int or not 0 <= place <= len(draw_pile):
        raise ValueError("defuse returned no place")
    draw_pile.insert(len(draw_pile) - place, bomb_card)


def play_game(player0, player1, print_details=True, raise_exceptions=True):
    """Plays one game; 0 or 1 for the winner."""
    say = print if print_details else lambda text: None
    players, discard_pile, current = [player0, player1], [], 0
    hands, draw_pile = deal()
    while True:
        player, hand, other = players[current], hands[current], hands[1 - current]
        say(f"{player.name()}:")
        game_data = GameData(len(draw_pile), tuple(discard_pile), hand.copy(), len(other))

        def play_a_card(card, hand=hand, game_data=game_data):
            if card is not see_card and card is not shuffle_card:
                raise ValueError("only see and shuffle cards can be played during a turn")
            hand.remove_card(card)
            discard_pile.append(card)
            say(f"  - plays {card}")
            game_data._update(hand, discard_pile)
            if card is see_card:
                return tuple(draw_pile[:-4:-1])
            random_number.shuffle(draw_pile)
            return None

        try:
            answer = player.turn(game_data, play_a_card)
            if answer is not None and answer is not skip_card and answer is not bottom_card:
                raise ValueError("turn returned something else")
            if answer is not None:
                hand.remove_card(answer)
                discard_pile.append(answer)
                say(f"  - plays {answer}")
            if answer is not skip_card:
                card = draw_pile.pop(0 if answer is bottom_card else -1)
                say("  - draws a card")
                if card is not bomb_card:
                    hand.add_card(card)
                elif hand.num_cards(defuse_card) == 0:
                    say("  - blows up")
                    return 1 - current
                else:
                    hand.remove_card(defuse_card)
                    discard_pile.append(defuse_card)
                    say("  - plays a defuse card")
                    seen = tuple(discard_pile), hand.copy(), len(other)
                    put_back(player, draw_pile, GameData(len(draw_pile), *seen))
        except Exception:
            if raise_exceptions:
                raise
            return 1 - current
        current = 1 - current
