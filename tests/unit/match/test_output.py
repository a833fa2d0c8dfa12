"""A bot's output, as it is bounded and read outside the box."""

from __future__ import annotations

import random

from matchbox.match.output import (
    DECISION_BYTES,
    LAST,
    REPORTS_BYTES,
    Output,
    Part,
    Room,
    by_bout,
    parts,
    plain,
    without_platform,
)
from matchbox.match.printed import PRINT, REPORT, TRACEBACK


def kept(*data: bytes, limit: int = 10_000) -> str:
    """What is kept of these bytes."""
    output = Output(limit)
    for one in data:
        output.feed(one)
    return output.text()


def test_text_belongs_to_the_mark_before_it() -> None:
    text = kept(b"loading\n\x1ep3,0\x1fa\x1ep3,1\x1fb\n\x1et3,1\x1foh\x1er4,7\x1f{}")
    assert parts(text) == [
        Part(PRINT, None, None, "loading\n"),
        Part(PRINT, 3, 0, "a"),
        Part(PRINT, 3, 1, "b\n"),
        Part(TRACEBACK, 3, 1, "oh"),
        Part(REPORT, 4, 7, "{}"),
    ]
    assert plain(text) == "loading\nab\noh"


def test_it_comes_in_any_pieces() -> None:
    data = b"x\x1ep1,2\x1fone\x1e\x1et1,2\x1ftwo \x1ep9" + b"\x1ep1,3\x1f\xc3\xa4" * 3 + b"\x1e"
    whole, draw = kept(data), random.Random(1)
    for _ in range(200):
        cuts = sorted(draw.sample(range(1, len(data)), 5))
        pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        assert parts(kept(*pieces)) == parts(whole)


def test_a_decision_has_its_bound_and_says_how_much_is_missing() -> None:
    text = kept(b"\x1ep0,0\x1f" + b"x" * 5000, b"x" * 500, b"\x1ep0,1\x1fnext", limit=6000)
    assert parts(text) == [
        Part(PRINT, 0, 0, "x" * DECISION_BYTES, 5500 - DECISION_BYTES),
        Part(PRINT, 0, 1, "next"),
    ]
    assert f"\n... {5500 - DECISION_BYTES} more bytes were left out.\n" in plain(text)


def test_a_full_log_has_room_for_a_traceback() -> None:
    flood = b"".join(b"\x1ep%d,0\x1f%s" % (bout, b"y" * 1000) for bout in range(300))
    text = kept(flood, b"\x1et300,4\x1fValueError: no\n", limit=4000)
    assert parts(text)[-1] == Part(TRACEBACK, 300, 4, "ValueError: no\n")
    assert len(text) < 5000


def test_nothing_that_a_bot_forges_makes_it_grow() -> None:
    for data in (b"\x1ep1,1\x1fx", b"\x1et1,1\x1fx", b"\x1er1,1\x1fx", b"\x1e", b"\x1e+9\x1f"):
        assert len(kept(*[data * 1000] * 300, limit=4000)) < 2 * REPORTS_BYTES
    assert parts(kept(b"\x1ep9999999,1\x1fx"))[0].bout is None


def test_a_bout_that_is_played_again_replaces_what_was_printed_in_it() -> None:
    first = kept(b"\x1ep0,0\x1fa\x1ep1,0\x1fb\x1ep0,0\x1fc")
    again = kept(b"out of a bout\x1ep1,0\x1fd")
    assert by_bout([first, again]) == {
        0: [Part(PRINT, 0, 0, "ac")],
        1: [Part(PRINT, 1, 0, "d")],
    }


def test_a_match_has_room_for_so_much() -> None:
    room = Room(10)
    assert room.fit(Part(PRINT, 0, 0, "123456")) == Part(PRINT, 0, 0, "123456")
    assert room.fit(Part(PRINT, 0, 1, "123456", 3)) == Part(PRINT, 0, 1, "1234", 5)
    assert room.fit(Part(PRINT, 0, 2, "x")) is None
    assert room.fit(Part(TRACEBACK, 0, LAST, "no")) == Part(TRACEBACK, 0, LAST, "no")


def test_where_a_program_was_is_told_without_our_frames() -> None:
    ours = '  File "/box/matchbox/match/bot_runner.py", line 7 in _work\n'
    own = 'Current thread (most recent call first):\n  File "player.py", line 3 in turn\n'
    assert without_platform(own + ours + '  File "<string>", line 1 in <module>\n') == own
