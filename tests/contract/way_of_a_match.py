"""Prints as JSON the files through which a match runs: `python -m tests.contract.way_of_a_match`.

Plays one match from pairing to leaderboard in this process, with a box of the kind `process` and
without a broker, and notes every file of ours in which a function is called. Set
MATCHBOX_COMPILED=false: calls of compiled functions cannot be seen, and calls inside the box
neither.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import httpx

from server.app import create_app, create_internal_app
from server.db.migrations import migrate
from server.services import booking
from server.services.tick import refresh_standings, tick
from tests.books import Books, open_books
from tests.builders import open_box
from worker.arena.client import ServerClient
from worker.arena.tasks import Arena

HOME = Path(__file__).parents[2]
ROOMS = ("dashboard", "matchbox", "sandbox", "server", "worker")
TOKEN = "the arena's token, of 32 characters or more"


class Trace:
    """Notes by stage the files in which a function is called."""

    def __init__(self) -> None:
        self.files: defaultdict[str, set[str]] = defaultdict(set)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Notes the calls in the block under this stage."""

        def note(frame: FrameType, event: str, _: Any) -> None:
            path = Path(frame.f_code.co_filename)
            if event == "call" and path.is_relative_to(HOME):
                inside = path.relative_to(HOME)
                if inside.parts[0] in ROOMS:
                    self.files[name].add(str(inside))

        threading.setprofile(note)
        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)


def walk(books: Books) -> Trace:
    """Plays a match of the ranked queue, and looks at the leaderboard."""
    books.wall()
    for owner in ("alice", "bob"):
        books.bot(books.person(owner), "bot")
    books.league()
    web = create_app(books.context).test_client()
    transport = httpx.WSGITransport(app=create_internal_app(books.context))
    client = ServerClient("http://server", TOKEN, transport=transport)
    box = open_box("process")
    trace, results = Trace(), list[tuple[str, dict[str, Any]]]()
    with box:
        with trace.stage("paired"):
            tick(books.context, with_standings=False)
        task, _queue, message = next(one for one in books.postman.letters if "play" in one[0])
        arena = Arena(client, box, lambda *result: results.append(result))
        with trace.stage("played"):
            arena.run(task, message)
    with trace.stage("booked"):
        booking.book_message(books.context, *results[0])
    books.clock.pass_by(minutes=1)
    with trace.stage("shown"):
        refresh_standings(books.context)
        page = web.get("/leaderboards/bomb").text
    assert "1 match" in page
    assert "alice" in page
    return trace


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/matchbox.db"
        migrate(url)
        opened = open_books(url, arena_token=TOKEN, replay_percent=100)
        found = walk(opened)
        opened.context.close()
    print(json.dumps({stage: sorted(files) for stage, files in found.files.items()}, indent=1))
