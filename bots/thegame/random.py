"""Random makes any play that is allowed, whatever it costs the piles."""

from matchbox.games.thegame import random_strategy

BOT = random_strategy
