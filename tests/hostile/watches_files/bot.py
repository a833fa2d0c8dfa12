"""Watches the library's files, to be told when another seat opens one."""

import ctypes
import os

from matchbox.games.bomb import *

libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(0o4000)
OPENED = 0x20


def attempt():
    if watch < 0 or libc.inotify_add_watch(watch, b"@PLACE@", OPENED) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        heard = os.read(watch, 4096)
    except BlockingIOError:
        return
    print("heard", *heard.replace(b"\0", b" ").decode("ascii", "replace").split())


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
