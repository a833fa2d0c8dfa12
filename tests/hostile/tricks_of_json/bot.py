"""Answers with numbers and texts that decoders read differently."""

import os

from matchbox.games.bomb import *
from matchbox.match import bot_runner

MOVES = [
    b"1e999",
    b"-1e999",
    b"1.0",
    b"NaN",
    b"9007199254740993",
    b"1" * 200,
    b'"\\ud800"',
    b'"\xff"',
    b'{"a":1,"a":1e3}',
    b"[" * 120,
    b'"draw"],[],[]]//',
]


def forged(nonce, moves):
    move = MOVES[os.urandom(1)[0] % len(MOVES)]
    return b'["say",%d,[%s],[]]' % (nonce, move)


class Attacker(Player):
    def name(self):
        return "Attacker"

    def turn(self, game_data, play_a_card):
        bot_runner.answer_frame = forged
        return None

    def defuse(self, game_data):
        return 0
