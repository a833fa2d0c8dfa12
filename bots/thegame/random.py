"""Random makes any allowed play except ten back, whatever it costs the piles."""

from matchbox.games.thegame import random_strategy

BOT = random_strategy
