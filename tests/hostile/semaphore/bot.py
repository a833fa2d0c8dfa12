"""Leaves a number in a System V semaphore, for the next seat forked here."""

import ctypes
import os

from matchbox.games.bomb import *

libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result in (-1, 2**64 - 1):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def attempt():
    semaphore = checked(libc.semget(78, 1, 0o1666))
    number = checked(libc.semctl(semaphore, 0, 12))
    if number:
        print("found", number)
    number = 1 + int.from_bytes(os.urandom(2), "big") % 32000
    checked(libc.semctl(semaphore, 0, 16, number))
    print("left", number)


try:
    attempt()
except OSError as error:
    print("refused:", error)


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        return None

    def defuse(self, game_data):
        return 0
