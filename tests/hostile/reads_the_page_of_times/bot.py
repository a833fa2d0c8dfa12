"""Looks for the page from which the C library reads the time without asking the kernel."""

import ctypes

from matchbox.games.bomb import *

AT_SYSINFO_EHDR, PAGE, EFAULT, SIGPROCMASK, NO_WAY = 33, 4096, 14, 14, 99
libc = ctypes.CDLL(None, use_errno=True)
libc.getauxval.restype = ctypes.c_ulong


def is_readable(place):
    """The kernel reads the mask before it finds that it cannot be set in this way."""
    libc.syscall(SIGPROCMASK, NO_WAY, ctypes.c_void_p(place), None, 8)
    return ctypes.get_errno() != EFAULT


def attempt():
    vdso = libc.getauxval(AT_SYSINFO_EHDR)
    for place in range(vdso - 8 * PAGE, vdso, PAGE):
        if is_readable(place):
            words = (ctypes.c_uint64 * (PAGE // 8)).from_address(place)
            print(*(f"clock {word}" for word in words if 1 << 30 < word < 1 << 32), sep="\n")


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
