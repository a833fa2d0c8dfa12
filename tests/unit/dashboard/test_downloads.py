"""Answers as files."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import fields

from dashboard import downloads
from dashboard.downloads import board_csv, ratings_csv
from matchbox.answers.board_figures import LengthLine
from matchbox.answers.standings import BoardLine
from tests.unit.dashboard.cast import BOARD, HISTORY, board, line

COLUMNS = (
    "rank", "rank_low", "rank_high", "bot", "version", "elo", "elo_low", "elo_high",
    "score", "score_low", "score_high", "matches", "wins", "draws", "losses", "forfeits",
    "provisional", "p_champion", "p_better", "nash", "mixed_rank", "mixed_rank_low",
    "mixed_rank_high", "mixed_score", "mixed_score_low", "mixed_score_high", "opponents",
    "estimated", "bout_wins", "bout_draws", "bout_losses", "out", "by",
)  # fmt: skip


def test_the_csv_holds_what_the_table_holds() -> None:
    first, *rows = csv.DictReader("".join(board_csv(BOARD)).splitlines())
    assert tuple(first) == COLUMNS
    assert first["bot"] == "alice/careful"
    assert (first["elo"], first["elo_low"], first["elo_high"]) == ("1642.0", "1624.0", "1660.0")
    assert (first["rank_low"], first["rank_high"]) == ("1", "2")
    assert len(rows) == len(BOARD.lines) - 1


def test_the_csv_leaves_open_what_is_not_known() -> None:
    (row,) = csv.DictReader("".join(board_csv(board(line(1, "bob/b", None, 0.0, 0)))).splitlines())
    assert row["elo"] == row["elo_low"] == row["score"] == ""


def test_a_field_of_a_line_is_a_column_without_being_named_here() -> None:
    shown = {*downloads.BOARD, "owner", "name", "version_id"}
    assert shown == {field.name for field in fields(BoardLine)}


def test_a_long_file_begins_before_all_of_it_is_made() -> None:
    asked: list[int] = []

    def lines() -> Iterator[LengthLine]:
        for moves in range(10 * downloads.PART):
            asked.append(moves)
            yield LengthLine(moves=moves, bouts=1)

    for made, first in (
        (downloads.lines_csv(LengthLine, lines()), "moves,bouts\n0,1\n"),
        (downloads.lines_json(lines()), '[{"moves":0,"bouts":1},'),
    ):
        asked.clear()
        begun = next(made)
        while not begun.strip("["):
            begun += next(made)
        assert begun.startswith(first)
        assert len(asked) <= downloads.PART
        assert (begun + "".join(made)).count("\n") >= 10 * downloads.PART
        assert asked == list(range(10 * downloads.PART))


def test_the_columns_of_ratings_are_what_they_were() -> None:
    first = "".join(ratings_csv(HISTORY)).splitlines()[0]
    assert first == "version,at,matches,elo,elo_low,elo_high,score,score_low,score_high"
