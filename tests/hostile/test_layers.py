"""The wall bites: an attack works where the layer that stops it is left out, and nothing else.

Some are stopped by layers that stand behind each other, and work where those are left out together.

The witness sees nothing with the whole wall, and sees the attack without the layer, in the same
kind of box. The boxes keep their outer wall: namespaces of processes and networks of their own, and
the limit of memory that this process sets itself before it opens them.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from matchbox import registry
from matchbox.errors import SeatFault
from sandbox.box import Box, open_box
from sandbox.policy import LAYERS, PARTS, Wall
from tests.hostile.stage import (
    ATTACKS,
    HONEST,
    bot,
    limits,
    needs_the_layer,
    played,
    proof,
    watched,
    witnessed,
)
from tests.hostile.witnesses import BYSTANDER, AttackResult
from worker.arena.boxes import ENTRY

PROOFS = {attack: shown for attack in ATTACKS if (shown := proof(attack))}
MAX_BYTES = 3 << 30
STACK_BYTES = 64 << 20
MATCHES = 2
"""The number of matches in which the whole wall must hold."""
TRIES = 10
"""The number of matches in which an attack may try without its layers. Its effect can be undone at
once: another process may read a file again that has just left the memory."""


@contextmanager
def outer_limits() -> Iterator[None]:
    """The limit that a seat inherits if its own is left out: 3 GiB of addresses."""
    wanted = {
        resource.RLIMIT_AS: MAX_BYTES,
        resource.RLIMIT_STACK: STACK_BYTES,
        resource.RLIMIT_NOFILE: 4096,
    }
    before = {limit: resource.getrlimit(limit) for limit in wanted}
    for limit, most in wanted.items():
        hard = before[limit][1]
        within = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (within, hard))
    try:
        yield
    finally:
        for limit, old in before.items():
            resource.setrlimit(limit, old)


class Boxes:
    """Boxes that are opened once for all attacks, as long as they are still usable."""

    def __init__(self, beside: Path) -> None:
        self._beside = beside
        self._open: dict[tuple[str, ...], Box] = {}

    def get(self, kind: str, *dropped: str) -> Box:
        """A box of that kind without these layers, with the bystander's file in it."""
        if (kind, *dropped) not in self._open:
            preload = (*registry.seat_modules(), "bystander")
            paths, wall = [self._beside], Wall(dropped)
            box = open_box(kind, preload=preload, entry=ENTRY, paths=paths, wall=wall)
            self._open[kind, *dropped] = box
        return self._open[kind, *dropped]

    def close(self, kind: str, *dropped: str) -> None:
        """Closes the box; the next one will be a new one."""
        self._open.pop((kind, *dropped)).close()

    def close_all(self) -> None:
        """Closes all boxes."""
        for key in list(self._open):
            self.close(*key)


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boxes]:
    """Every box holds a module with a secret in a file, and as a file's name."""
    folder = tmp_path_factory.mktemp("beside")
    package = folder / "bystander"
    package.mkdir()
    for name in ("__init__.py", BYSTANDER):
        (package / name).write_text("")
    (package / "secret").write_text(BYSTANDER)
    opened = Boxes(folder)
    with outer_limits():
        yield opened
        opened.close_all()


def works(attack: str, boxes: Boxes, *dropped: str) -> bool:
    """Whether the attack's witness is seen in a box without these layers."""
    shown = PROOFS[attack]
    box, outcome = boxes.get(shown.box, *dropped), AttackResult()
    with witnessed(attack) as witness:
        for number in range(TRIES if dropped else MATCHES):
            play(watched(box, witness), attack, number, bot(attack, witness), outcome)
            if witness.seen(outcome):
                if witness.lasting or outcome.void:
                    boxes.close(shown.box, *dropped)
                return True
    return False


def play(box: Box, attack: str, number: int, attacker: bytes, outcome: AttackResult) -> None:
    """Plays one match against an honest bot. An attack may make it void."""
    name, within = f"{attack} {number}", limits(attack)
    try:
        outcome.logs.append(played(box, name, attacker, HONEST, limits=within).logs[0])
    except SeatFault as fault:
        assert fault.kind == "platform"
        outcome.void = True


@pytest.mark.parametrize("attack", PROOFS)
def test_the_attack_works_without_its_layers_and_not_behind_the_whole_wall(
    attack: str, boxes: Boxes
) -> None:
    needs_the_layer(boxes.get(PROOFS[attack].box), attack)
    assert works(attack, boxes, *PROOFS[attack].layers)
    assert not works(attack, boxes)


def test_what_is_left_out_are_layers_or_parts_of_them() -> None:
    assert {layer for shown in PROOFS.values() for layer in shown.layers} <= {*LAYERS, *PARTS}


def test_forty_attacks_and_more_are_shown_to_work() -> None:
    assert len(PROOFS) >= 40
