"""Connects the core's verifiers to the arena: seats and lessons in a box, with our limits.

A box of None is this process itself, for trusted bots only.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from matchbox.match.verification import Verifier
from matchbox.settings import limits_of, read_settings
from worker.arena import learning
from worker.arena.separation import shuffled
from worker.arena.verification import library_versions, seats_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from matchbox.league.verification import GiveLesson
    from matchbox.match.verification import Find
    from matchbox.match.wire import Learned, Teach
    from sandbox.box import Box


def verifier(bundle: Find, memory: Find, box: Box | None) -> Verifier:
    """A verifier that plays in the box. `bundle` and `memory` map a digest to bytes, or None."""
    versions = library_versions(box)
    return Verifier(bundle, memory, seats_in(box, _limits()), shuffled, libraries=versions)


def teacher(box: Box | None) -> GiveLesson:
    """A function that gives lessons in the box."""
    limits = _limits()

    def give_lesson(
        job: Teach, bundle: bytes, memory: bytes, record: Callable[[str], bytes]
    ) -> Learned:
        return learning.give_lesson(replace(job, limits=limits), bundle, memory, record, box)

    return give_lesson


def _limits() -> dict[str, int]:
    """The limits of a seat in this machine's settings."""
    return dict(limits_of(read_settings(os.environ)))
