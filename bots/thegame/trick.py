"""Trick looks for cards ten apart in piles and hand, even where they do not fit."""

from matchbox.games.thegame import trick_strategy

BOT = trick_strategy
