"""Tic-tac-toe as a plain loop in one process: what isolated play is measured against. Frozen.

Written the way a beginner's page writes it: a list of nine fields, and a loop over the turns.
"""

import random

ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Player:
    def turn(self, board, me):
        raise NotImplementedError


class RandomPlayer(Player):
    def turn(self, board, me):
        return random.choice([field for field in range(9) if board[field] is None])


def winner(board):
    """Who has three in a row, or None."""
    for one, two, three in ROWS:
        if board[one] is not None and board[one] == board[two] == board[three]:
            return board[one]
    return None


def play_game(first, second):
    """One game: 0 or 1 for the winner, or None."""
    board = [None] * 9
    for number in range(9):
        me = number % 2
        player = second if me else first
        board[player.turn(board, me)] = me
        if winner(board) is not None:
            return me
    return None
