"""The lines of a standing at the terminal."""

from __future__ import annotations

from dataclasses import replace

from cli.boards import STANDING_COLUMNS, _standing_row
from matchbox.answers.standings import BoardLine

LINE = BoardLine(
    rank=2, rank_range=(1, 3), bot="alice/mine", owner="alice", name="mine", version=1,
    version_id=7, elo=1512.6, ci95=(1490.2, 1534.9), matches=9, wins=5, draws=1, losses=3,
    provisional=False,
)  # fmt: skip


def test_a_rated_bot_shows_its_elo_and_interval() -> None:
    assert _standing_row(LINE)[:5] == ("2 (1-3)", "alice/mine", 1, "1513", "1490 to 1535")


def test_a_bot_without_a_game_shows_no_number() -> None:
    row = _standing_row(replace(LINE, elo=None, ci95=None, matches=0))
    assert row[3:6] == ("", "", 0)
    assert row[-1] == ""


def test_a_provisional_bot_and_one_that_is_out_are_marked() -> None:
    provisional = replace(LINE, provisional=True)
    assert _standing_row(provisional)[1] == "alice/mine (provisional)"
    assert _standing_row(replace(provisional, out="suspended"))[1] == "alice/mine (suspended)"


def test_bouts_stand_in_one_column() -> None:
    row = _standing_row(replace(LINE, bout_wins=501, bout_draws=2, bout_losses=497))
    assert row[-1] == "501-2-497"
    assert len(row) == len(STANDING_COLUMNS)


def test_where_the_expected_share_ranks_it_is_shown_and_says_what_is_estimated() -> None:
    line = replace(LINE, score=0.612, score_ci95=(0.5, 0.7234), opponents=3, estimated=1)
    assert _standing_row(line, "borda")[3:5] == (
        "61.2%",
        "50.0% to 72.3%, 1 of 3 opponents estimated",
    )
    assert _standing_row(replace(line, estimated=0), "borda")[4] == "50.0% to 72.3%"


def test_a_cooperative_line_shows_its_score() -> None:
    line = replace(LINE, elo=None, ci95=None, score=61.4, score_ci95=(58.2, 64.6))
    assert _standing_row(line, "score")[3:5] == ("61.4", "58.2 to 64.6")


def test_a_cooperative_line_counts_no_wins_draws_and_losses() -> None:
    line = replace(LINE, elo=None, ci95=None, score=61.4, wins=0, draws=0, losses=0, forfeits=2)
    assert _standing_row(line, "score")[5:] == (9, "", "", "", 2, "")
