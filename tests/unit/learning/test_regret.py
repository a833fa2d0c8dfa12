"""The table of the bot regret: the values of a round, the learning, and the strength of its
play."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from cli import named_bots
from learning import __main__ as learn
from learning import curve, table
from learning.regret import RoundTree, Solver, solve
from learning.rounds import (
    FIRST,
    Challenge,
    Side,
    Stage,
    Values,
    batches,
    follow,
    keeps_skull,
    payoffs,
    stages,
)
from matchbox.bundle import ZIP_BYTES, read_bundle

LAST = Stage(Side(1, 1, "m"), Side(1, 1, "m"))
"""Each side has one card, and a point wins the game, so no stage follows."""


@pytest.fixture(scope="module")
def learned() -> tuple[dict[Stage, Values], list[RoundTree]]:
    """The result of three iterations."""
    return solve(3)


def test_the_rounds_end_and_lead_to_rounds_closer_to_the_end() -> None:
    found = stages()
    assert len(found) == len(set(found)) == 400
    for (batch,) in [list(batches([stage])) for stage in found if stage.closeness == 0]:
        Solver(1, {})(batch)


@pytest.mark.parametrize(
    ("bid", "mine", "theirs", "wins"),
    [
        (1, 0, 2, 1.0),  # a rose of one's own
        (1, 2, 0, 0.0),  # the own skull, and it was the last card
        (2, 0, 0, 1.0),
        (2, 0, 2, 0.0),  # the other one's skull
    ],
)
def test_the_last_challenge_decides(bid: int, mine: int, theirs: int, wins: float) -> None:
    assert payoffs(LAST, Challenge(0, bid, (1, 1)), {})[mine, theirs] == wins
    assert payoffs(LAST, Challenge(1, bid, (1, 1)), {})[theirs, mine] == 1 - wins


def test_a_lost_card_is_a_skull_as_often_as_chance_has_it() -> None:
    stage = Stage(Side(0, 4, "h"), Side(0, 1, "m"))
    following = Stage(Side(0, 3, "m"), Side(0, 1, "h"))
    values = {stage: np.full((2, 2), 0.5) for stage in stages()}
    values[following] = np.array([[0.0, 0.2], [0.0, 0.6]])
    found = payoffs(stage, Challenge(0, 2, (1, 1)), values)
    assert found[1, 2] == pytest.approx(0.25 * 0.2 + 0.75 * 0.6)


def test_who_has_shown_only_roses_is_known_to_own_no_skull_after_a_failure() -> None:
    stage = Stage(Side(0, 2, "m"), Side(0, 3, "m"))
    following = Stage(Side(0, 1, "n"), Side(0, 3, "h"))
    values = {stage: np.full((2, 2), 0.5) for stage in stages()}
    values[following] = np.array([[0.0, 0.2], [0.0, 0.6]])
    assert payoffs(stage, Challenge(0, 3, (2, 2)), values)[0, 3] == pytest.approx(0.2)


def test_who_turns_over_the_own_skull_loses_what_is_worth_less() -> None:
    following = Stage(Side(0, 3, "m"), Side(0, 1, "m"))
    values = {stage: np.full((2, 2), 0.5) for stage in stages()}
    values[following] = np.array([[0.7, 0.7], [0.4, 0.4]])
    assert not keeps_skull(following, values)
    stage = Stage(Side(0, 4, "h"), Side(0, 1, "m"))
    assert payoffs(stage, Challenge(0, 1, (1, 1)), values)[2, 0] == pytest.approx(0.7)


def test_a_bid_of_all_cards_ends_the_bidding() -> None:
    node = FIRST
    for action in ("R", "S"):
        after = follow(node, action, (4, 4))
        assert not isinstance(after, Challenge)
        node = after
    assert node.actions == "RS12"
    assert follow(node, "2", (4, 4)) == Challenge(0, 2, (1, 1))


def test_who_has_only_a_skull_left_must_bid_and_loses() -> None:
    stage = Stage(Side(1, 1, "h"), Side(1, 1, "n"))
    (value,) = Solver(200, {})([stage]).value()
    assert value[1, 0] == pytest.approx(0.0, abs=0.01)


def test_more_iterations_leave_less_to_exploit() -> None:
    few, many = (Solver(iterations, {})([LAST]) for iterations in (2, 200))
    assert few.exploitability()[0] > 4 * many.exploitability()[0]
    assert 0 <= many.exploitability()[0] < 0.002


def test_learning_draws_no_chance_and_needs_no_number_of_workers(
    learned: tuple[dict[Stage, Values], list[RoundTree]],
) -> None:
    assert table.text(3, *learned) == table.text(3, *solve(3, workers=2))


def test_a_beginner_s_table_wins_less_than_the_shipped_one(
    learned: tuple[dict[Stage, Values], list[RoundTree]],
) -> None:
    beginner = curve.share(learn.BOT, table.text(1, *solve(1)), 300, "a test", 1)
    known = curve.share(learn.BOT, (learn.BOT / "table.txt").read_text(), 300, "a test", 1)
    assert beginner[2] < known[1]
    assert known[1] > 0.5
    assert table.mean_exploitability(learned[1]) < 0.1


def test_the_shipped_table_is_the_last_of_the_curve() -> None:
    with (learn.DOCS / "learning.tsv").open() as file:
        marks = list(csv.DictReader(file, delimiter="\t"))
    head = (learn.BOT / "table.txt").read_text().partition("\n")[0]
    last = marks[-1]
    assert head == f"# {last['iterations']} iterations, exploitability {last['exploitability']}"
    assert [int(mark["iterations"]) for mark in marks] == list(learn.MARKS)
    assert float(last["low"]) > 0.5 > float(marks[0]["high"])


def test_the_page_of_the_curve_has_the_title_and_the_caption_of_the_program() -> None:
    page = (learn.DOCS / "learning.html").read_text()
    assert page.startswith(curve.head(1000, "learning"))


def test_the_shipped_bot_fits_into_an_upload() -> None:
    data = named_bots.find("skull", "regret").data
    assert len(data) < ZIP_BYTES
    assert set(read_bundle(data).files) == {"player.py", "bluffer.py", "table.txt"}


def test_a_short_run_writes_a_table_the_curve_and_its_page(tmp_path: Path) -> None:
    made = tmp_path / "table.txt"
    words = ["--marks", "1", "2", "--games", "20", "--workers", "1", "--table", str(made)]
    assert learn.main([*words, "--docs", str(tmp_path)]) == 0
    assert made.read_text() == table.text(2, *solve(2))
    assert (tmp_path / "learning.tsv").read_text().count("\n") == 3
    page = (tmp_path / "learning.html").read_text()
    assert curve.PLOTLY in page
    assert "https://cdn" not in page
