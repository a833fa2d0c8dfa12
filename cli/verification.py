"""Connects the core's verifiers to the arena: seats and lessons in a box, with the limits of
these settings.

A box of None is this process itself, for trusted bots only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from matchbox.settings import limits_of
from worker.arena import learning, verification

if TYPE_CHECKING:
    from matchbox.league.verification import GiveLesson
    from matchbox.match.verification import Find, Verifier
    from matchbox.settings import Settings
    from sandbox.box import Box


def verifier(bundle: Find, memory: Find, box: Box | None, settings: Settings) -> Verifier:
    """A verifier that plays in the box. `bundle` and `memory` map a digest to bytes, or None."""
    return verification.verifier(bundle, memory, box, limits_of(settings))


def teacher(box: Box | None, settings: Settings) -> GiveLesson:
    """A function that gives lessons in the box."""
    limits = limits_of(settings)
    return lambda job, bundle, memory, record: learning.give_lesson(
        replace(job, limits=limits), bundle, memory, record, box
    )
