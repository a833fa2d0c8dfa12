"""The help of a league's settings as options of a command."""

from __future__ import annotations

import pytest

from cli.season_options import FIELDS, _option


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("hours", "the season ends after this many hours; 0: no limit"),
        ("max_matches", "the season ends after this many matches; 0: no limit"),
        ("cron", "when seasons start, such as '0 18 * * FRI'; never: when an operator starts them"),
        ("top", "how many bots count as the best few (`top`)"),
    ],
)
def test_the_help_of_an_option_says_what_no_value_means(option: str, text: str) -> None:
    assert _option(FIELDS[option][1]).__metadata__[0].help == text
