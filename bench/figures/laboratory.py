"""The laboratory that the figures are played in: `matchbox simulate`, without its words."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from cli import shipped
from cli.game_options import plan_of
from laboratory.experiment import Experiment, run
from laboratory.worker_pool import worker_pool
from matchbox.settings import read_settings


@dataclass(frozen=True, slots=True)
class Laboratory:
    """How everything is played."""

    seed: str
    scale: float = 1.0
    """Of the usual number of games; few games have wide errors, and disagree with nothing."""
    workers: int = 1
    box: str = "none"

    def games(self, usual: int) -> int:
        """How many games to play where so many are usual."""
        return max(10, round(usual * self.scale))

    def simulate(
        self,
        game: str,
        bots: Sequence[str],
        usual: int,
        *,
        players: str = "",
        options: Sequence[str] = (),
        mirror: bool = False,
    ) -> Experiment:
        """The experiment between shipped bots, with the usual number of games at this scale."""
        found = shipped.find_all(game, list(bots))
        plan = plan_of(
            game,
            found,
            self.games(usual),
            self.seed,
            options=options,
            players=players,
            mirror=mirror,
        )
        with worker_pool(self.box, self.workers, read_settings(os.environ)) as pool:
            return run(plan, shipped.bundles(found), pool)
