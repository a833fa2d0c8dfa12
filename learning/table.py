"""Solved rounds as the table of the bot `regret`: a text with a line for each decision.

    # 400 iterations, exploitability 0.0123
    = 04h 04h s             a round: points, cards and skull knowledge of starter and other; s if a
                            starter who chooses its lost card should keep the skull
    pp - R81 111 28         both have placed, no skull of one's own: 81% a rose, 11% a bid of 1

Decisions that a player hardly ever reaches by its own play are left out (see SELDOM), and so are
actions that it hardly ever takes there, and a certain pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from learning.regret import Array, Decision, RoundTree
from learning.rounds import PRIVATE, Stage, Values, keeps_skull

SELDOM: Final = 0.01
"""Decisions that a player reaches more rarely than this are left out, and so are such actions."""
HOLDINGS: Final = ("-", "h", "0", "1", "2", "3")
"""The private holdings of a player, in the order of `rounds.PRIVATE`."""


def text(iterations: int, values: Mapping[Stage, Values], solved: Sequence[RoundTree]) -> str:
    """The whole table."""
    head = f"# {iterations} iterations, exploitability {mean_exploitability(solved):.4f}"
    return "\n".join([head, *(line for game in solved for line in _lines(game, values))]) + "\n"


def mean_exploitability(solved: Sequence[RoundTree]) -> float:
    """The advantage of the best answer over its fair share of a round: the mean over all kinds of
    round, each counted once. Most kinds are rare, and it is greater in those that are not."""
    found = [float(one) for game in solved for one in game.exploitability()]
    return sum(found) / len(found)


def _lines(game: RoundTree, values: Mapping[Stage, Values]) -> Iterator[str]:
    reached = _reached(game)
    for place, stage in enumerate(game.stages):
        yield f"= {stage}" + " s" * keeps_skull(stage, values)
        for decision, reach in reached:
            average = decision.average()
            for held in range(PRIVATE):
                if reach[place, held] < SELDOM:
                    continue
                strategy = _strategy_text(decision.node.actions, average[place, held])
                if strategy != "x100":
                    yield f"{decision.node.history or '.'} {HOLDINGS[held]} {strategy}"


def _strategy_text(actions: str, shares: Array) -> str:
    """The actions with their shares in percent, except those that are too rare."""
    kept = [share if share >= SELDOM else 0.0 for share in shares]
    return " ".join(
        f"{action}{round(100 * share / sum(kept))}"
        for action, share in zip(actions, kept, strict=True)
        if share
    )


def _reached(game: RoundTree) -> list[tuple[Decision, Array]]:
    """Every decision, with the probability that the mover's own play leads there, by stage and
    holding."""
    found: list[tuple[Decision, Array]] = []

    def visit(decision: Decision, reach: tuple[Array, Array]) -> None:
        node, mover = decision.node, decision.node.mover
        found.append((decision, reach[mover]))
        average = decision.average()
        for number, action in enumerate(node.actions):
            after = decision.after.get(action)
            if not isinstance(after, Decision):
                continue
            moved = reach[mover] * average[:, :, number]
            if action == "R":
                moved[:, 2 + node.piles[mover]] += reach[mover][:, 1] * average[:, 1, 1]
            visit(after, (moved, reach[1]) if mover == 0 else (reach[0], moved))

    owned = tuple((dealt > 0).astype(float) for dealt in game.dealt)
    visit(game.root, (owned[0], owned[1]))
    return found
