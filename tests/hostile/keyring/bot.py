"""Leaves a word among the keys that the kernel holds for this user."""

import ctypes
import os
import platform

from matchbox.games.bomb import *

libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result in (-1, 2**64 - 1):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

ADD, CONTROL = {"x86_64": (248, 250), "aarch64": (217, 219)}[platform.machine()]
MINE, SEARCH, READ, PERMIT = ctypes.c_long(-4), 10, 11, 5


def attempt():
    room = ctypes.create_string_buffer(12)
    key = libc.syscall(CONTROL, SEARCH, MINE, b"user", b"left-behind", 0)
    if key > 0 and libc.syscall(CONTROL, READ, key, room, 12) == 12:
        print("found", room.raw.decode())
    word = os.urandom(6).hex()
    key = checked(libc.syscall(ADD, b"user", b"left-behind", word.encode(), 12, MINE))
    libc.syscall(CONTROL, PERMIT, key, 0x3F3F0000)
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
