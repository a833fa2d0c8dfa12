"""Highest lays its two highest cards in every play."""

from matchbox.games.war import HighestPlayer

BOT = HighestPlayer
