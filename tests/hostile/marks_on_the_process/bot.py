"""Leaves marks that a process keeps outside its memory, to know a deal again in the next seat."""

import errno
import os
import resource
import signal
import sys

from matchbox.games.bomb import *


def is_open(number):
    try:
        os.lseek(number, 0, os.SEEK_CUR)
    except OSError as error:
        return error.errno != errno.EBADF
    return True


MARKS = {
    "environment": lambda: os.environ.get("LEFT_BEHIND"),
    "directory": lambda: os.getcwd() != "/",
    "handler": lambda: signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL,
    "timer": lambda: signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0),
    "masked signals": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, []),
    "descriptors": lambda: is_open(4),
    "recursion limit": lambda: sys.getrecursionlimit() == 4321,
    "path": lambda: "left behind" in sys.path,
    "processor time": lambda: resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime > 0,
}
LEAVE = [
    lambda: os.environ.update(LEFT_BEHIND="yes"),
    lambda: os.chdir(os.path.dirname(os.__file__)),
    lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN),
    lambda: signal.setitimer(signal.ITIMER_REAL, 1000),
    lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2]),
    lambda: os.open(os.__file__, os.O_RDONLY),
    lambda: sys.setrecursionlimit(4321),
    lambda: sys.path.append("left behind"),
    lambda: os.umask(0o123),
    lambda: os.nice(3),
    lambda: os.utime(os.__file__, (1, 1)),
]

for name, mark in MARKS.items():
    try:
        if mark():
            print("SUCCEEDED", name)
    except OSError as error:
        print("refused:", name, error)
for leave in LEAVE:
    try:
        leave()
    except (OSError, PermissionError) as error:
        print("refused:", error)


def attempt():
    return None


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
