"""The laboratory that the figures are played in: `matchbox simulate`, without its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli import shipped
from cli.experiment import Experiment, Wish, make_plan, run


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
        wish = Wish(game, found, self.games(usual), self.seed, options, players, mirror)
        bundles = {bot.version: bot.data for bot in found}
        return run(make_plan(wish), bundles, self.box, self.workers)
