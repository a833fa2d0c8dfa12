"""The function that a question is put to is found, and does not run."""

from __future__ import annotations

import sys
from typing import Any

from matchbox.match.called_function import find_called_function

FILE = "bot.py"
SOURCE = """
ran = []

def helper(view):
    ran.append("helper")

class Bot:
    def turn(self, view):
        ran.append("turn")
        helper(view)

    @staticmethod
    def rule():
        ran.append("rule")
"""


def load() -> dict[str, Any]:
    """The names of the bot's file."""
    names: dict[str, Any] = {}
    exec(compile(SOURCE, FILE, "exec"), names)
    return names


def test_the_first_function_that_is_called_is_told_and_does_not_run() -> None:
    bot = load()
    before = sys.getprofile()
    called = find_called_function(lambda: bot["Bot"]().turn(0), bot["Bot"], {FILE})
    assert called == [FILE, 8, "turn"]
    assert bot["ran"] == []
    assert sys.getprofile() is before


def test_a_function_that_cannot_be_called_so_is_told_as_well() -> None:
    bot = load()["Bot"]
    assert find_called_function(lambda: bot().turn(1, 2), bot, {FILE}) == [FILE, 8, "turn"]
    assert find_called_function(lambda: bot.rule(1), bot, {FILE}) == [FILE, 12, "rule"]


def test_where_none_of_the_bot_is_called_nothing_is_told() -> None:
    bot = load()["Bot"]
    assert find_called_function(lambda: 1 / 0, bot, {FILE}) is None
    assert find_called_function(lambda: bot().turn(0), bot, {"other.py"}) is None
    assert find_called_function(lambda: len(1), bot, {FILE}) is None  # type: ignore[arg-type]
