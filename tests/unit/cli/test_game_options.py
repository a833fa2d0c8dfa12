"""Table sizes and options of a game, as commands take them."""

from __future__ import annotations

import pytest

from cli.game_options import read_options, read_sizes
from matchbox.errors import BadOption
from tests.unit.cli.conftest import Run


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("", []), ("3", [3]), ("2-4", [2, 3, 4]), ("5,2", [2, 5]), ("1-2,2-3", [1, 2, 3])],
)
def test_table_sizes_are_written_as_ranges_and_lists(text: str, sizes: list[int]) -> None:
    assert read_sizes(text) == sizes


@pytest.mark.parametrize(
    "text",
    ["two", "4-2", "2-", "2,,3", ",", "2-3-4", "-3", "2-6,9-7", "2-9999", "1_0", " 5 ", "+7", "٢"],
)
def test_anything_else_is_no_table_size(text: str) -> None:
    with pytest.raises(BadOption, match="is not a table size: write one as 3"):
        read_sizes(text)


def test_a_wrong_table_size_is_wrong_usage(matchbox: Run) -> None:
    told = matchbox("simulate", "bomb", "simple", "scared", "--players", "9-7")
    assert (told.code, told.out) == (2, "")
    assert "write one as 3, or several as 2-6" in told.err


def test_options_are_names_with_values() -> None:
    assert read_options(["deck=a=b", "empty="]) == {"deck": "a=b", "empty": ""}
    with pytest.raises(BadOption, match="write --option deck=VALUE"):
        read_options(["deck"])
    with pytest.raises(BadOption, match="an --option is given twice"):
        read_options(["deck=1", "deck=2"])
