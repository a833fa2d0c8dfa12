"""Bouts of Skull side by side, under variants that the contract tests leave out."""

from __future__ import annotations

import random

import pytest

from matchbox.dice import SeededDice, derive_deals
from matchbox.game import Plain
from matchbox.games.skull.rules import GAME
from matchbox.match.batch import batch_of
from matchbox.match.bout import LiveBout

SEATS = 3
BOUTS = 20


@pytest.mark.parametrize("variant", ["challenge", "document"])
def test_a_single_challenge_is_played_side_by_side_as_alone(variant: str) -> None:
    lot, options = random.Random(variant), {"variant": variant}
    batch = batch_of(GAME, SEATS, options)
    live = {}
    for bout, deal in enumerate(derive_deals(variant, BOUTS)):
        batch.start(bout, SeededDice(bytes.fromhex(deal), 0), ["0"] * SEATS)
        live[bout] = LiveBout(GAME, deal, (bout, 0), SEATS, options)
    while live:
        for seat in range(SEATS):
            answers: list[Plain] = []
            for bout, told, _ in batch.ask(seat):
                assert told == live[bout].next_view(seat)
                answers.append(lot.choice(GAME.legal(live[bout].state, seat)))
                live[bout].take(seat, answers[-1])
            assert not batch.take(seat, answers)
            for bout, moves, outcome in batch.over():
                alone = live.pop(bout).result()
                assert (moves, outcome.why) == (alone.moves, alone.why)
                assert (list(outcome.places), list(outcome.scores)) == (alone.places, alone.scores)
