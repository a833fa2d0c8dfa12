import random
from simulation import random_strategy


def trick_strategy(game, hand):
    """Goes ten back where it can."""
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
                if hand[i] > game[0][-1]:
                    pairs.append((0, i))
                if hand[i] > game[1][-1]:
                    pairs.append((1, i))
                if hand[i] < game[2][-1]:
                    pairs.append((2, i))
    if pairs:
        return random.choice(pairs)
    return random_strategy(game, hand)
