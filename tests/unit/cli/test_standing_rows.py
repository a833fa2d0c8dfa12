"""The lines of a standing at the terminal."""

from __future__ import annotations

from dataclasses import replace

from cli.remote import STANDING_COLUMNS, _standing_row
from matchbox.answers.standings import BoardLine

LINE = BoardLine(
    rank=2, rank_range=(1, 3), bot="alice/mine", owner="alice", name="mine", version=1,
    version_id=7, elo=1512.6, ci95=(1490.2, 1534.9), matches=9, wins=5, draws=1, losses=3,
)  # fmt: skip


def test_a_rated_bot_shows_its_elo_and_interval() -> None:
    assert _standing_row(LINE)[:5] == ("2 (1-3)", "alice/mine", 1, "1513", "1490 to 1535")


def test_a_bot_without_a_game_shows_no_number() -> None:
    row = _standing_row(replace(LINE, elo=None, ci95=None, matches=0))
    assert row[3:6] == ("", "", 0)
    assert row[-1] == ""


def test_bouts_stand_in_one_column() -> None:
    row = _standing_row(replace(LINE, bout_wins=501, bout_draws=2, bout_losses=497))
    assert row[-1] == "501-2-497"
    assert len(row) == len(STANDING_COLUMNS)
