"""Runs a stranger's program behind a wall.

Knows messages and limits; knows no games and no leagues. What runs in a box is named by a string.
"""
