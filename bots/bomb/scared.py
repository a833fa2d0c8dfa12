"""Scared shuffles, skips or draws from the bottom whenever the bomb may lie on top."""

from matchbox.games.bomb import ScaredPlayer

BOT = ScaredPlayer
