"""Equal HTML is rendered once for all viewers."""

from __future__ import annotations

import gc
import weakref

from dashboard.draw_cache import cached


class Shown:
    """The content of a piece."""


def test_a_piece_is_drawn_once_and_keeps_nothing_of_what_it_shows() -> None:
    calls = []

    def ask() -> weakref.ref[Shown]:
        shown = Shown()

        def draw() -> str:
            calls.append(shown)
            return "<p>here</p>"

        assert cached("a piece", draw) == "<p>here</p>"
        return weakref.ref(shown)

    first, second = ask(), ask()
    assert len(calls) == 1
    assert second() is None
    calls.clear()
    gc.collect()
    assert first() is None
