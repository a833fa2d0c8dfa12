"""Random makes any legal move, each as likely as the others."""

from matchbox.games.skull import RandomAgent

BOT = RandomAgent
