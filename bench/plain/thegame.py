"""The Game as a plain loop in one process: what isolated play is measured against. Frozen.

Written the way the source document writes it: piles and hands are lists, a strategy is a
function that gets the live ones. Nothing of it is isolated, checked by a box, or recorded. It
plays one card a turn and never back; a strategy's first invalid play ends the game.
"""

import random

HAND_SIZES = {1: 8, 2: 7, 3: 6, 4: 6, 5: 6, 6: 6, 7: 6}


def is_valid(game, pile_index, card):
    if pile_index < 2:
        return card > game[pile_index][-1]
    return card < game[pile_index][-1]


def valid_plays(game, hand):
    return [
        (pile_index, card_index)
        for pile_index in range(4)
        for card_index, card in enumerate(hand)
        if is_valid(game, pile_index, card)
    ]


def random_strategy(game, hand):
    plays = valid_plays(game, hand)
    return random.choice(plays) if plays else (0, 0)


def minimal_distance_strategy(game, hand):
    lower = min(game[0][-1], game[1][-1])
    upper = max(game[2][-1], game[3][-1])
    low_card, high_card = min(hand), max(hand)
    if abs(low_card - lower) < abs(high_card - upper):
        return (0 if game[0][-1] == lower else 1), hand.index(low_card)
    return (2 if game[2][-1] == upper else 3), hand.index(high_card)


def trick_strategy(game, hand):
    tricks = []
    for pile_index, pile in enumerate(game):
        for card in pile:
            for card_index, own_card in enumerate(hand):
                if abs(card - own_card) == 10:
                    tricks.append((pile_index, card_index))
    if tricks:
        return random.choice(tricks)
    pairs = []
    for i in range(len(hand)):
        for j in range(i + 1, len(hand)):
            if abs(hand[i] - hand[j]) == 10:
                pairs.extend((pile, i) for pile in range(3) if is_valid(game, pile, hand[i]))
    return random.choice(pairs) if pairs else random_strategy(game, hand)


def legal_strategy(game, hand):
    """The valid play of the least step; there must be one."""
    return min(valid_plays(game, hand), key=lambda play: abs(hand[play[1]] - game[play[0]][-1]))


strategies = {
    "random": random_strategy,
    "minimal": minimal_distance_strategy,
    "trick": trick_strategy,
}


def simulate_game(num_players, strategy):
    """Plays one game; the number of cards played."""
    if not 1 <= num_players <= 7:
        raise ValueError("the game is for 1 to 7 players")
    game = ([1], [1], [100], [100])
    deck = list(range(2, 100))
    random.shuffle(deck)
    hands = [[] for _ in range(num_players)]
    for _ in range(HAND_SIZES[num_players]):
        for hand in hands:
            hand.append(deck.pop())
    cards_played = 0
    player = 0
    while any(hands):
        hand = hands[player]
        if hand:
            if not valid_plays(game, hand):
                break
            pile_index, card_index = strategy(game, hand)
            if not 0 <= pile_index < 4 or not 0 <= card_index < len(hand):
                break
            if not is_valid(game, pile_index, hand[card_index]):
                break
            game[pile_index].append(hand.pop(card_index))
            cards_played += 1
            if deck:
                hand.append(deck.pop())
        player = (player + 1) % num_players
    return cards_played
