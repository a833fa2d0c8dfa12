"""Shipped players: each file is exactly what a user could upload.

Any change of a file, even of a comment, makes a new version of its bot, with other chance. After
it, run `make bots` and `make figures`, and the commands beside the figures in the game's README.
"""
