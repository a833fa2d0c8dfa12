"""Leaves a word in a System V message queue, for the next seat forked here."""

import ctypes
import os
import struct

from matchbox.games.bomb import *

libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result in (-1, 2**64 - 1):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def attempt():
    queue = checked(libc.msgget(79, 0o1666))
    room = ctypes.create_string_buffer(8 + 12)
    if libc.msgrcv(queue, room, 12, ctypes.c_long(0), 0o4000) == 12:
        print("found", room.raw[8:].decode())
    word = os.urandom(6).hex()
    checked(libc.msgsnd(queue, struct.pack("=q12s", 1, word.encode()), 12, 0o4000))
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
