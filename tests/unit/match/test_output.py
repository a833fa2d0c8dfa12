"""A bot's output, as it is limited and read outside the box."""

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
    """Returns the kept text of these bytes."""
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
    assert sum(len(part.text) for part in parts(text)) < 5000


def test_every_bout_without_room_says_from_where_on_and_how_much() -> None:
    text = kept(
        b"\x1ep0,0\x1f" + b"a" * 40,
        b"\x1ep1,0\x1f" + b"b" * 60,
        b"\x1ep0,1\x1fccc\x1ep2,0\x1fdd\x1ep0,2\x1fc",
        b"\x1et2,0\x1foh\x1ep2,1\x1fd",
        limit=80,
    )
    assert parts(text) == [
        Part(PRINT, 0, 0, "a" * 40),
        Part(PRINT, 1, 0, "b" * 28, 32),
        Part(PRINT, 0, 1, "", 4),
        Part(PRINT, 2, 0, "", 3),
        Part(TRACEBACK, 2, 0, "oh"),
    ]
    assert by_bout([text]) == {
        0: [Part(PRINT, 0, 0, "a" * 40), Part(PRINT, 0, 1, "", 4)],
        1: [Part(PRINT, 1, 0, "b" * 28, 32)],
        2: [Part(PRINT, 2, 0, "", 3), Part(TRACEBACK, 2, 0, "oh")],
    }
    assert plain(text) == "a" * 40 + "b" * 28 + "\n... 39 more bytes were left out.\noh"


def test_a_decision_that_fills_the_room_is_apart_from_what_came_after_in_it() -> None:
    output = Output(20)
    output.feed(b"\x1ep0,0\x1f" + b"a" * 15)
    output.feed(b"b" * 5)
    assert by_bout([output.text()]) == {
        0: [Part(PRINT, 0, 0, "a" * 14, 1), Part(PRINT, 0, 0, "", 5)]
    }
    assert output.text() == output.text()


def test_reports_and_tracebacks_without_room_are_counted_too() -> None:
    report = b"\x1er0,%d\x1f" + b"x" * 1000
    text = kept(*(report % number for number in range(200)), b"\x1ep0,200\x1fa")
    *_, over, last = parts(text)
    assert (over.kind, over.bout, over.text) == (REPORT, 0, "")
    assert over.decision is not None
    assert over.left_out == 1000 * (200 - over.decision)
    assert last == Part(PRINT, 0, 200, "a")
    assert "left out" not in plain(text)


def test_so_many_bouts_are_told_of_and_no_more() -> None:
    flood = b"".join(b"\x1ep%d,0\x1fxyz" % bout for bout in range(3000))
    text = kept(flood, limit=100)
    told = [part for part in parts(text) if not part.text]
    assert len(told) == 1001
    assert told[-1].bout is None
    assert sum(len(part.text) + part.left_out for part in parts(text)) == 9000


def test_nothing_that_a_bot_forges_makes_it_grow() -> None:
    for data in (b"\x1ep1,1\x1fx", b"\x1et1,1\x1fx", b"\x1er1,1\x1fx", b"\x1e", b"\x1e+9\x1f"):
        assert len(kept(*[data * 1000] * 300, limit=4000)) < 2 * REPORTS_BYTES
    assert parts(kept(b"\x1ep9999999,1\x1fx"))[0].bout is None


def test_a_bot_cannot_forge_how_much_of_its_output_is_cut() -> None:
    forged = b"\x1ep0,0\x1fa\x1e+999999999999\x1fb"
    for data in (forged[:cut] + b"|" + forged[cut:] for cut in range(8, len(forged))):
        text = kept(*data.split(b"|"))
        assert parts(text) == [Part(PRINT, 0, 0, "a\\x1e+999999999999\x1fb")]


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
    assert room.fit(Part(PRINT, 1, 0, "", 7)) is None
    assert room.fit(Part(TRACEBACK, 0, LAST, "no")) == Part(TRACEBACK, 0, LAST, "no")


def test_a_match_has_room_for_so_many_parts() -> None:
    room = Room(10_000)
    short = [Part(PRINT, 0, at, "x") for at in range(Room.PARTS)]
    kept_parts = [part for part in short if room.fit(part)]
    assert kept_parts == short[: Room.PARTS * 3 // 4]
    assert Room(10).fit(Part(PRINT, 0, 2, "", 7)) == Part(PRINT, 0, 2, "", 7)


def test_where_a_program_was_is_told_without_our_frames() -> None:
    ours = '  File "/box/matchbox/match/bot_runner.py", line 7 in _work\n'
    own = 'Current thread (most recent call first):\n  File "player.py", line 3 in turn\n'
    assert without_platform(own + ours + '  File "<string>", line 1 in <module>\n') == own
