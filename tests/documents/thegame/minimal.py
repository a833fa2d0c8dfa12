def minimal_distance_strategy(game, hand):
    """Plays the lowest or the highest card, whichever is nearer to a pile."""
    lower = min(game[0][-1], game[1][-1])
    upper = max(game[2][-1], game[3][-1])
    low_card = min(hand)
    high_card = max(hand)
    if abs(low_card - lower) < abs(high_card - upper):
        pile_index = 0 if game[0][-1] == lower else 1
        return pile_index, hand.index(low_card)
    pile_index = 2 if game[2][-1] == upper else 3
    return pile_index, hand.index(high_card)
