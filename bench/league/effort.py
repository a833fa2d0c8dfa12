"""The arguments of the tests of promises, and their results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure; `met` is None if it has no goal."""

    name: str
    goal: str
    ours: str
    trials: int
    met: bool | None


@dataclass(frozen=True, slots=True)
class Effort:
    """The seed, the scale of the number of trials, and the number of processes."""

    seed: int
    scale: float
    workers: int

    def trials(self, usual: int) -> int:
        """The number of trials: the scaled usual number, but at least 3."""
        return max(3, round(self.scale * usual))
