"""A bot that carries notes between the rotations of a deal: none arrives through the wall.

It counts notes, not games won. `python -m tests.hostile.notes` shows their worth in games.
"""

from __future__ import annotations

from matchbox import registry
from sandbox.box import Box, open_box
from sandbox.policy import Wall
from tests.hostile import notes
from worker.arena.boxes import ENTRY

PAIRS = 12
TRIES = 5
"""In one of these most notes must arrive. A busy machine misreads some of them; by chance one in
seventeen is right."""


def test_no_note_of_a_bot_arrives_in_its_other_rotation(box: Box) -> None:
    found = notes.compare(box, PAIRS)
    assert found.left > PAIRS // 2
    assert found.right == 0
    assert found.won_with == found.won_without
    assert found.z == 0


def test_without_a_wall_every_note_arrives() -> None:
    found = notes.compare(None, PAIRS)
    assert found.left == found.right > PAIRS // 2


def test_most_notes_arrive_where_a_seat_may_name_files_and_time_the_answers() -> None:
    preload = registry.seat_modules()
    wall = Wall(("seccomp:paths", "own_clock"))
    with open_box("bwrap", preload=preload, entry=ENTRY, wall=wall) as open_wall:

        def arrive() -> bool:
            found = notes.compare(open_wall, PAIRS)
            assert found.left > PAIRS // 2
            return found.right > found.left // 2

        assert any(arrive() for _ in range(TRIES))
