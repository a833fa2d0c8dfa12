"""Follows what it is given from attribute to attribute, also through format strings, to the rules."""

from matchbox.games.bomb import *


def attempt(*given):
    seen, waiting = set(), list(given)
    while waiting and len(seen) < 3000:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        kind = type(thing)
        if kind.__module__.endswith(("bomb.rules", "bomb.steps")) and kind.__name__ != "Bomb":
            print("SUCCEEDED", kind)
        for name in ("__self__", "__func__", "__closure__", "__globals__", "cell_contents"):
            if "{0.__class__}".format(thing) and hasattr(thing, name):
                waiting.append(getattr(thing, name))
        waiting += thing.values() if kind is dict else thing if kind in (list, tuple) else []


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        attempt(play_a_card, game_data, self)
        return None

    def defuse(self, game_data):
        return 0
