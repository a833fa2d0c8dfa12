"""A game's moves as a person sees them, and what is said of a game that describes them wrongly."""

from __future__ import annotations

from typing import Any

import pytest

from matchbox.choices import choices_of, question_of
from matchbox.errors import BadGame
from matchbox.game import Choice
from matchbox.games.bomb import choices


def test_a_move_that_the_game_leaves_out_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "choice", lambda move, view: Choice(move) if move else None)
    assert choices_of("bomb", ["", "a"], {}) == [("a", Choice("a"))]
    assert choices_of("bomb", [], {}) == []


@pytest.mark.parametrize(
    "made, why",
    [
        (("Draw", "Cards"), "it must return a matchbox.game.Choice or None"),
        ("Draw", "'Draw'; it must return"),
        (Choice("Draw", picks="deck"), "the picks 'deck'; they must be a tuple of str"),  # type: ignore[arg-type]
        (Choice("Draw", picks=(3,)), "the picks .*; they must be a tuple of str"),  # type: ignore[arg-type]
        (Choice(None), "the words None; it must be a str"),  # type: ignore[arg-type]
        (Choice(5), "the words 5; it must be a str"),  # type: ignore[arg-type]
        (Choice("Draw", None), "the group None; it must be a str"),  # type: ignore[arg-type]
        (None, "None for every legal move"),
    ],
)
def test_a_choice_that_no_page_can_show_is_refused(
    made: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "choice", lambda move, view: made)
    with pytest.raises(BadGame, match=f"choice of the game bomb returned.* {why}"):
        choices_of("bomb", [1, 2], {})


def test_a_question_that_is_no_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "question", lambda moves, view: ["Which?"])
    with pytest.raises(
        BadGame, match=r"question of the game bomb returned .*; it must return a str"
    ):
        question_of("bomb", [1], {})
    assert question_of("bomb", [], {}) == ""
