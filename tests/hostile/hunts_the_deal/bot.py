"""Searches its whole process for the seed of the deal, from which its own seed is derived."""

import gc
import re
import sys
import time
from hashlib import blake2b

from matchbox.games.bomb import *
from matchbox.match import seeded_random

SEED = re.compile(rb"[0-9a-f]{32}")


def texts():
    frame = sys._getframe()
    while frame is not None:
        yield repr(frame.f_locals).encode("utf-8", "replace")
        yield from (value for value in frame.f_locals.values() if type(value) is bytes)
        frame = frame.f_back
    until = time.process_time() + 0.1
    for thing in gc.get_objects():
        if time.process_time() > until:
            return
        if type(thing) in (dict, list, tuple):
            for part in gc.get_referents(thing):
                if type(part) is str and 32 <= len(part) < 200:
                    yield part.encode("utf-8", "replace")


def attempt():
    own = seeded_random.current().seed
    seeds = {found.decode() for text in texts() for found in SEED.findall(text)}
    for deal in sorted(seeds)[:60]:
        for match in sorted(seeds)[:60]:
            for rotation, seat in ((0, 0), (0, 1), (1, 0), (1, 1)):
                text = f"{match}:{rotation}:{seat}:player".encode()
                if blake2b(text, key=bytes.fromhex(deal), digest_size=32).hexdigest() == own:
                    print("SUCCEEDED", deal)


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
