"""Simple draws the top card every turn, and puts the bomb back at a random place."""

from matchbox.games.bomb import SimplePlayer

BOT = SimplePlayer
