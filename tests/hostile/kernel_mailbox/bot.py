"""Leaves a message in the kernel's own stores: queues, semaphores, shared memory and keys."""

import ctypes
import platform

from matchbox.games.bomb import *

NUMBERS = {
    "x86_64": {"shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240, "add_key": 248},
    "aarch64": {"shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180, "add_key": 217},
}
ARGUMENTS = {
    "shmget": (77, 4096, 0o1666),
    "semget": (77, 1, 0o1666),
    "msgget": (77, 0o1666),
    "mq_open": (b"left-behind", 0o102, 0o666, None),
    "add_key": (b"user", b"left-behind", b"yes", 3, -5),
}


def attempt():
    libc = ctypes.CDLL(None, use_errno=True)
    for name, number in NUMBERS[platform.machine()].items():
        if libc.syscall(number, *ARGUMENTS[name]) >= 0:
            print("SUCCEEDED", name)


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
