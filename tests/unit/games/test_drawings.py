"""The boards at the end of a bout, on which nothing covers a number."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import combinations
from typing import Any

import pytest

from matchbox import registry
from matchbox.dice import SeededDice
from matchbox.game import CHANCE, Outcome, fill_options
from matchbox.games.creatures.draw import _creature, _hand
from matchbox.games.creatures.kinds import CREATURES

TEXT = re.compile(r'<text x="\d+" y="(\d+)"[^>]*>([^<]*)</text>')
CARD = re.compile(
    r'<g[^>]*transform="translate\(([\d.]+) ([\d.]+)\)"[^>]*>'
    r'<rect width="(\d+)" height="(\d+)"[^>]*/><text [^>]*font-size="\d+"[^>]*>(\d+)</text>'
)
NUMBER = re.compile(
    r'<rect width="(\d+)"[^>]*/><text x="(\d+)" y="\d+" font-size="(\d+)"'
    r'(?: textLength="(\d+)")?[^>]*>(\d+)<'
)
WORDS = re.compile(
    r'<text x="(\d+)" y="\d+" font-size="(\d+)"(?: textLength="(\d+)")?[^>]*?'
    r'(?:text-anchor="(end)")?>([^<]+)</text>'
)


def by_lot(name: str, seed: int) -> tuple[list[Any], Outcome]:
    """Plays a random bout; returns its open views and its outcome."""
    game = registry.game(name)
    key = seed.to_bytes(16, "big")
    state: Any = game.start(2, SeededDice(key, 0), fill_options(game.spec, {}))
    views = []
    while True:
        table: Any = game.view(state, None)
        views.append({**table, "seats": [game.view(state, seat) for seat in range(2)]})
        movers = game.to_move(state)
        if not movers:
            break
        dice = SeededDice(key, len(views))
        legal = [None] if movers[0] == CHANCE else game.legal(state, movers[0])
        state = game.apply(state, movers[0], SeededDice(key, -len(views) % 999).choice(legal), dice)
    outcome = game.outcome(state)
    assert outcome is not None
    return views, outcome


def drawn(name: str, view: Any) -> str:
    """The board of this view."""
    svg: str = import_module(f"matchbox.games.{name}.draw").draw(view)
    return svg


def texts(svg: str) -> list[tuple[int, str]]:
    """Returns the texts on the table itself, each with its height."""
    return [(int(y), words) for y, words in TEXT.findall(svg)]


@pytest.mark.parametrize("name", ["bomb", "skull", "war", "creatures"])
@pytest.mark.parametrize("seed", range(5))
def test_the_last_step_shows_who_has_won(name: str, seed: int) -> None:
    views, outcome = by_lot(name, seed)
    *before, last = (drawn(name, view) for view in views)
    assert not any(words == "wins" for svg in before for _, words in texts(svg))
    if outcome.places == (1, 1):
        assert name == "war"
        assert (206, "A draw") in texts(last)
        return
    (height,) = [y for y, words in texts(last) if words == "wins"]
    rows = {
        seat: y for y, words in texts(last) for seat in (0, 1) if words.startswith(f"Seat {seat}:")
    }
    nearest = min(rows, key=lambda seat: abs(rows[seat] - height))
    assert outcome.places[nearest] == 1
    assert abs(rows[nearest] - height) <= 2


@pytest.mark.parametrize("seed", range(4))
def test_the_bomb_goes_off_in_the_last_step_and_in_no_other(seed: int) -> None:
    from matchbox.games.bomb.draw import _BURST

    views, outcome = by_lot("bomb", seed)
    burst = [_BURST in drawn("bomb", view) for view in views]
    assert burst == [False] * (len(views) - 1) + [True]
    (height,) = [y for y, words in texts(drawn("bomb", views[-1])) if words == "blows up"]
    loser = outcome.places.index(2)
    rows = [y for y, words in texts(drawn("bomb", views[-1])) if words.startswith(f"Seat {loser}:")]
    assert rows == [height]


@pytest.mark.parametrize("seed", range(4))
def test_no_card_of_war_covers_the_number_of_another(seed: int) -> None:
    for view in by_lot("war", seed)[0]:
        for seen in (view, *view["seats"]):
            cards = [tuple(map(float, found)) for found in CARD.findall(drawn("war", seen))]
            assert len(cards) > 0 or view["ask"] == "over"
            for (x, y, width, height, _), (x2, y2, width2, height2, _) in combinations(cards, 2):
                apart = x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y
                assert apart, (x, y, x2, y2)


@pytest.mark.parametrize("seed", range(4))
def test_every_number_of_the_game_fits_its_card(seed: int) -> None:
    known = set()
    for view in by_lot("thegame", seed)[0]:
        for width, place, size, length, number in NUMBER.findall(drawn("thegame", view)):
            known.add(number)
            # A bold digit of a wide font, such as DejaVu Sans, is 0.7 of the size wide.
            half = float(length or 0.7 * int(size) * len(number)) / 2
            assert half <= min(int(place), int(width) - int(place)), number
    assert {"1", "100"} <= known


@pytest.mark.parametrize("name", CREATURES)
def test_all_words_of_a_creature_s_card_are_inside_it(name: str) -> None:
    held = _hand(0, [name] * 4)
    laid = _creature(0, 0, name, "", 4, "")
    for card in (held, laid):
        words = WORDS.findall(card)
        assert {name, "×4"} <= {told for *_, told in words}
        for x, size, length, anchor, told in words:
            # A letter is about 0.6 of the size wide, if the text is not fitted to a length.
            width = float(length or 0.6 * int(size) * len(told))
            left = int(x) - (width if anchor == "end" else width / 2)
            assert left >= 0, (name, told)
            assert left + width <= 66, (name, told)
