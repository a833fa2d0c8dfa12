"""A game's options and table sizes."""

from __future__ import annotations

from typing import Any

import pytest

from matchbox.errors import BadOption
from matchbox.game import Option, Spec, check_seats, fill_options

SPEC = Spec(
    "toy",
    "Toy",
    (2, 4),
    "1",
    {
        "rules": Option("article", "which rules", ("article", "published")),
        "cards": Option(5, "cards in a hand"),
        "open": Option(False, "play with open hands"),
        "name": Option("x", "any text"),
    },
)


def test_what_is_not_given_is_the_default() -> None:
    assert fill_options(SPEC, {}) == {"cards": 5, "name": "x", "open": False, "rules": "article"}


@pytest.mark.parametrize(
    "name, given, read",
    [
        ("cards", "7", 7),
        ("cards", 7, 7),
        ("cards", "-7", -7),
        ("open", "yes", True),
        ("open", "False", False),
        ("open", True, True),
        ("rules", "published", "published"),
        ("name", "7", "7"),
    ],
)
def test_text_is_read_as_the_type_of_the_default(name: str, given: Any, read: Any) -> None:
    got = fill_options(SPEC, {name: given})[name]
    assert got == read
    assert type(got) is type(read)


@pytest.mark.parametrize(
    "name, given, told",
    [
        ("cards", "many", "option cards of toy cannot be 'many'; allowed: any whole number"),
        ("cards", "1_0", "cannot be '1_0'"),
        ("cards", " 5", "cannot be ' 5'"),
        ("cards", "\N{ARABIC-INDIC DIGIT THREE}", "allowed: any whole number of at most 15 digits"),
        ("cards", "9" * 16, "cannot be '9999999999999999'"),
        ("cards", 10**15, "cannot be 1000000000000000"),
        ("cards", True, "cannot be True"),
        ("cards", None, "cannot be None"),
        ("open", 1, "cannot be 1"),
        ("open", "perhaps", "cannot be 'perhaps'"),
        ("rules", "other", "allowed: article, published"),
        ("colour", 1, "toy has no option 'colour'; its options: cards, name, open, rules"),
    ],
)
def test_nonsense_is_refused_by_name(name: str, given: Any, told: str) -> None:
    with pytest.raises(BadOption, match=told):
        fill_options(SPEC, {name: given})


def test_a_game_without_options_says_so() -> None:
    with pytest.raises(BadOption, match="its options: none"):
        fill_options(Spec("toy", "Toy", (2,), "1"), {"a": 1})


def test_only_its_table_sizes_are_played() -> None:
    check_seats(SPEC, 4)
    with pytest.raises(BadOption, match="toy is played by 2, 4 players, not 3"):
        check_seats(SPEC, 3)
    with pytest.raises(BadOption, match="toy is played by 1 player, not 2"):
        check_seats(Spec("toy", "Toy", (1,), "1", cooperative=True), 2)
