"""Figures of the league as a page in Markdown. Pure: the same figures make the same page."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from bench.league.effort import Figure

COLUMNS = ("promise", "goal", "ours", "trials", "met")


def page(figures: Sequence[Figure], seed: int) -> str:
    """The whole page."""
    goals = [figure for figure in figures if figure.met is not None]
    head = (
        "`make league-bench` plays bots of known strength through the functions of "
        "`matchbox/league`, writes this page, and fails where a goal is missed. Seed "
        f"`{seed}`; {sum(bool(figure.met) for figure in goals)} of {len(goals)} goals are met."
    )
    how = (
        "A deal is played from both sides. How its two results correlate depends on the game: "
        "-0.45 to -0.87 in small card games, and the goal for the right order is set at their "
        "middle. A game is one bout. A season begins with a double round robin of deal pairs; then "
        "batches go where the order is most in doubt. The games to the right order are found in "
        "hindsight: a season cannot see when its order is right. So the lines below it tell after "
        "how many games a season stops by itself, at a doubt of 0.05 (strict) or 0.2 (thrifty). "
        "Bots within 10 Elo need not be told apart. A line without a goal is there to compare."
    )
    boards = (
        "What ranks is tried on boards that are looked at 25 times, with a quarter more deals each "
        "time; the pairs have different numbers of them. A range of ranks holds if it contains the "
        "true rank, and all ranges of a board must hold at once."
    )
    lines = ["| " + " | ".join(COLUMNS) + " |", "| --- | --- | --- | ---: | --- |"]
    lines += ["| " + " | ".join(cells(figure)) + " |" for figure in figures]
    texts = [fill(text, 100) for text in (head, how, boards)]
    return "\n\n".join(["# The league, measured", *texts, "\n".join(lines)]) + "\n"


def cells(figure: Figure) -> list[str]:
    """A figure as text, in the order of COLUMNS."""
    met = {None: "", True: "yes", False: "**no**"}[figure.met]
    return [figure.name, figure.goal, figure.ours, f"{figure.trials:,}", met]
