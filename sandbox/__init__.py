"""Runs a stranger's program behind a wall.

Knows messages and limits; knows no games and no leagues. A string names the program in a box.
"""
