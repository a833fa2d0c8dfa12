"""The page of every kind of experiment is whole, has its table, and loads nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from laboratory.experiment_page import page

HEAD: dict[str, Any] = {
    "game": "some<game>",
    "seed": "7",
    "games": 10,
    "options": {"rules": "article"},
    "bots": ["a", "b"],
    "faults": [],
    "box": "none",
}
PAIR = {
    "first": "a",
    "second": "b",
    "games": 10,
    "first_wins": 7,
    "second_wins": 3,
    "draws": 0,
    "first_share": 0.7,
    "ci95": [0.4, 0.9],
    "mean_turns": 18.5,
}
BOTH = {"bot": "a", "other": "b", "games": 20, "share": 0.55, "ci95": [0.45, 0.65]}
CELL = {
    "players": 3,
    "bot": "a",
    "games": 20,
    "deals": 20,
    "mean": 12.5,
    "ci95": [12.0, 13.0],
    "max": 20,
}
PLACE = {
    "bot": "b",
    "games": 10,
    "counts": [4, 6],
    "first_share": 0.4,
    "ci95": [0.2, 0.6],
    "mean_place": 1.6,
}
KINDS = {
    "pairs": {
        "pairs": [PAIR],
        "both_orders": [BOTH],
        "totals": [{"bot": "a", "share": 0.7, "ci95": [0.6, 0.8]}],
    },
    "cells": {
        "cells": [{**CELL, "players": size, "bot": bot} for size in (3, 4) for bot in ("a", "b")]
    },
    "tables": {"tables": [{"players": 2, "games": 10, "mean_moves": 7.0, "places": [PLACE]}]},
}
WANTED = {
    "pairs": [
        "<td>18.5</td>",
        "<td>55.0 ±10.0</td>",
        "over both orders",
        "heatmap",
        "moves second",
    ],
    "cells": ["<td>12.50 ±0.50</td>", "mean score", "toself"],
    "tables": ["<td>40.0 ±20.0</td>", "games won, %"],
}


def a_document(kind: str, **parts: Any) -> Any:
    """The document of an experiment of that kind, with other parts of its own."""
    return {**HEAD, **KINDS[kind], **parts}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_its_figures_and_its_table(kind: str) -> None:
    made = page(a_document(kind), {"a v b": Counter({3: 4, 5: 6})})
    for text in (*WANTED[kind], "some&lt;game&gt;", "seed 7", "rules article"):
        assert text in made
    assert made.count("<figure>") == made.count('class="plotly-graph-div"') == 2


def test_what_a_game_counts_of_its_pairs_is_a_table_of_its_own() -> None:
    facts = {"summons": {"Bear": {"W": 31, "L": 18}}}
    made = page(a_document("pairs", pairs=[{**PAIR, "facts": facts}]), {"a v b": Counter([3])})
    assert "<summary>summons</summary>" in made
    assert "<td>Bear</td><td>31</td><td>18</td>" in made


@pytest.mark.parametrize("kind", ["pairs", "tables"])
def test_a_page_loads_nothing_and_holds_the_library_once(kind: str) -> None:
    made = page(a_document(kind), {"a v b": Counter({3: 4})})
    assert 'src="http' not in made
    assert "<link" not in made
    assert made.count("plotly.js v") <= 2
    assert "prefers-color-scheme: dark" in made
    assert '<meta name="viewport" content="width=device-width">' in made
    assert 3_000_000 < len(made) < 8_000_000
