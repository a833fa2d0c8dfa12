"""Random lays any two of its cards, as if they were dealt."""

from matchbox.games.war import RandomPlayer

BOT = RandomPlayer
