"""Reads the parent's memory by process_vm_readv."""

import ctypes
import os

from matchbox.games.bomb import *


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    local = ctypes.create_string_buffer(16)


    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


    here = Vector(ctypes.addressof(local), 16)
    there = Vector(id(Player), 16)
    for pid in (1, os.getppid()):
        if libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) == 16:
            print("SUCCEEDED", pid)


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        try:
            attempt()
        except Exception as error:
            print("refused:", type(error).__name__, error)
        return None

    def defuse(self, game_data):
        return 0
