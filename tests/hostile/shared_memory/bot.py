"""Leaves a word in a System V memory segment, for the next seat forked here."""

import ctypes
import os

from matchbox.games.bomb import *

libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result in (-1, 2**64 - 1):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def attempt():
    libc.shmat.restype = ctypes.c_void_p
    segment = checked(libc.shmget(77, 64, 0o1666))
    page = checked(libc.shmat(segment, None, 0))
    word = ctypes.string_at(page).decode()
    if word:
        print("found", word)
    word = os.urandom(6).hex()
    ctypes.memmove(page, word.encode() + b"\0", 13)
    print("left", word)


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
