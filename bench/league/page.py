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
        "A deal is played from both sides. The correlation of its two results depends on the game: "
        "-0.45 to -0.87 in small card games; the goal for the right order is set at the middle. A "
        "game is one bout. A season begins with a double round robin of deal pairs; then it plays "
        "batches where the order is most in doubt. The number of games to the right order is known "
        "only in hindsight, because a season cannot see when its order is right. The lines below "
        "it say after how many games a season stops by itself, at a doubt of 0.05 (strict) or 0.2 "
        "(thrifty). Bots within 10 Elo need not be told apart. Lines without a goal are for "
        "comparison."
    )
    boards = (
        "A board ranks bots by Elo or by score. To test that it does not change from one to the "
        "other, boards are computed 25 times, each time with a quarter more deals, and with "
        "different numbers of deals for different pairs. A range of ranks holds if it contains the "
        "true rank; all ranges of a board must hold at once."
    )
    versions = (
        "A trial compares two versions of a bot head to head: its looks at the results are some "
        "deals apart. A gauntlet compares them by their results against the same field; a "
        "difference is in points, the mean of a deal."
    )
    lines = ["| " + " | ".join(COLUMNS) + " |", "| --- | --- | --- | ---: | --- |"]
    lines += ["| " + " | ".join(cells(figure)) + " |" for figure in figures]
    texts = [fill(text, 100) for text in (head, how, versions, boards)]
    return "\n\n".join(["# The league, measured", *texts, "\n".join(lines)]) + "\n"


def cells(figure: Figure) -> list[str]:
    """A figure as text, in the order of COLUMNS."""
    met = {None: "", True: "yes", False: "**no**"}[figure.met]
    return [figure.name, figure.goal, figure.ours, f"{figure.trials:,}", met]
