"""The long match as the platform plays it: the server's services schedule it, send it, and record
its result.

Knows the server's services and the arena. There is no queue between them: a message is passed on
directly, as the plain data that a broker would carry.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbox.match import wire
from matchbox.match.wire import PlayMatch, TryOut
from matchbox.settings import Settings
from matchbox.settings_of_play import WIDTH
from server.context import Context
from server.db.migrations import migrate
from server.db.session import Database
from server.services import booking, bootstrap, dispatch, ranked
from server.services.bootstrap import ShippedBot
from worker.arena.play import play_job
from worker.arena.tryout import try_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.named_bots import NamedBot
    from sandbox.box import Box


@dataclass
class _Outbox:
    """Takes the messages that would go to the broker."""

    messages: list[dict[str, Any]] = field(default_factory=list)

    def send(self, task: str, queue: str, message: dict[str, Any]) -> None:
        """Takes a task."""
        self.messages.append(message)

    def take(self) -> list[dict[str, Any]]:
        """The messages taken since the last call."""
        messages, self.messages = self.messages, []
        return messages


def booked_match(game: str, bots: Sequence[NamedBot], deals: int, box: Box | None) -> float:
    """Seconds of wall time from a match's place in the queue to its rated result, with SQLite."""
    bundles = {bot.version: bot.data for bot in bots}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder, 'books.db')}"
        migrate(url)
        outbox = _Outbox()
        settings = Settings(
            database_url=url,
            secret_key="the secret of books that last for a moment",
            match_deals=deals,
            match_seconds=0,
            ranked_backlog=1,
            width=WIDTH,
        )
        context = Context(settings, Database(url), outbox)
        try:
            _move_in(context, outbox, game, bots, box)
            started = time.perf_counter()
            with context.write() as session:
                for number in ranked.due(session):
                    ranked.feed(session, number, settings=settings, now=context.now())
                dispatch.dispatch(session, settings=settings, now=context.now())
            (message,) = outbox.take()
            played = play_job(wire.from_plain(PlayMatch, message), bundles, box)
            if not booking.book_message(context, wire.RECORD, wire.to_plain(played)):
                raise RuntimeError("the books did not take the match")
            return time.perf_counter() - started
        finally:
            context.close()


def _move_in(
    context: Context, outbox: _Outbox, game: str, bots: Sequence[NamedBot], box: Box | None
) -> None:
    """Stores the bots in the database, tried out and accepted."""
    shipped = [ShippedBot(game, bot.name, bot.data) for bot in bots]
    with context.write() as session:
        bootstrap.prepare(session, context.settings, shipped, now=context.now())
    for message in outbox.take():
        job = wire.from_plain(TryOut, message)
        data = next(bot.data for bot in bots if bot.version == job.version)
        booking.book_message(context, wire.SETTLE, wire.to_plain(try_out(job, data, box)))
