"""The lines of a bout: headings with names, events, and names in place of seats."""

from __future__ import annotations

from matchbox.match.transcript import Transcript, distinct_names


def test_equal_names_are_told_apart_by_their_seats() -> None:
    assert distinct_names(["ann", "bob", "ann"]) == ["ann0", "bob", "ann2"]
    assert distinct_names(["ann", "ann", "ann1"]) == ["ann0", "ann1", "ann12"]


def test_a_heading_comes_when_the_seat_changes() -> None:
    transcript = Transcript(["ann", "bob"])
    assert transcript.turn(0) == ["ann:"]
    assert transcript.moved(0, "draws\nplays") == ["  - draws", "  - plays"]
    assert transcript.moved(1, "draws") == ["bob:", "  - draws"]


def test_a_seat_in_a_line_is_called_by_its_name() -> None:
    transcript = Transcript(["ann", "bob"])
    lines = transcript.moved(
        0, "turns over a card of seat 1\nseat 0 has failed\nno seat 7, seat 12"
    )
    assert lines[1:] == [
        "  - turns over a card of bob",
        "  - ann has failed",
        "  - no seat 7, seat 12",
    ]
