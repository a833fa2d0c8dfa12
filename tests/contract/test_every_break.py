"""Every game survives the loss of a program with several bouts in progress: a fresh program gets
the same questions again, and continues as the lost one would have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from matchbox import registry
from matchbox.errors import SeatFault
from matchbox.game import fill_options
from matchbox.match.frames import Answer, Question
from matchbox.match.record import Bout
from matchbox.match.referee import play
from matchbox.match.rotation_runner import Player
from tests.builders import a_job, local_seats, shipped
from tests.contract.identity import TABLES

DEALS = 5
NEVER = 0


class Breaking:
    """A seat whose program is lost, with its answers, at the frame of that number, if the frame
    asks about several bouts."""

    def __init__(self, player: Player, last: int) -> None:
        self.player, self.left = player, last
        self.broken = 0
        self.end, self.renew, self.close = player.end, player.renew, player.close

    def answer(self, questions: Sequence[Question]) -> Sequence[Answer]:
        """One answer for each question."""
        answers = self.player.answer(questions)
        self.left -= 1
        if self.left == 0 and len(questions) > 1:
            self.broken += 1
            raise SeatFault("memory", "lost")
        return answers


def bouts_of(name: str, entrant: int, last: int) -> tuple[list[Bout], int]:
    """A rotation in which that entrant's program is lost, and the number of losses."""
    game: Any = registry.game(name)
    bots = TABLES[name]
    options = fill_options(game.spec, {})
    job = a_job(game, seats=len(bots), deals=DEALS, width=DEALS, options=options)
    seats = local_seats(name, [shipped(name, bot) for bot in bots])
    opened: dict[int, Breaking] = {}

    def open_player(who: int, rotation: int) -> Breaking:
        opened[who] = Breaking(seats(who, rotation), last if who == entrant else NEVER)
        return opened[who]

    played = play(game, job, open_player, rotations=[0])
    assert not played.notes
    return played.record.bouts, opened[entrant].broken


@cache
def calm(name: str) -> list[Bout]:
    return bouts_of(name, 0, NEVER)[0]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("last", [1, 2, 3, 7, 12])
def test_a_program_that_is_lost_among_bouts_changes_none_of_them(name: str, last: int) -> None:
    for entrant in range(len(TABLES[name])):
        bouts, broken = bouts_of(name, entrant, last)
        assert bouts == calm(name)
        assert broken or last > 3
