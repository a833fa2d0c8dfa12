import random


def random_strategy(game, hand):
    """Plays any valid card on any pile."""
    valid = []
    for pile_index, pile in enumerate(game):
        for card_index, card in enumerate(hand):
            if pile_index < 2 and card > pile[-1]:
                valid.append((pile_index, card_index))
            if pile_index >= 2 and card < pile[-1]:
                valid.append((pile_index, card_index))
    return random.choice(valid)
