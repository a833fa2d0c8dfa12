"""A table stays readable after its game was uninstalled."""

from __future__ import annotations

from typing import NoReturn

import pytest

from matchbox import registry
from matchbox.errors import UnknownGame
from server.db.models import User
from server.queries import play as queries
from server.services import play
from tests.books import GAME, Books


@pytest.mark.parametrize("over", [False, True])
def test_a_table_is_shown_after_its_game_was_uninstalled(
    over: bool, books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.league()
    books.bot(bob, "bob-bot")
    settings, now = books.settings, books.clock()
    with books.write() as session:
        table = play.open_table(
            session, alice, game=GAME, seats=["me", "bob/bob-bot"], options={}, settings=settings,
            now=now,
        )  # fmt: skip
        first = queries.table(session, table.id, alice, settings=settings).choices[0].move
        play.move(session, alice, table.id, first, settings=settings, now=now)
        if over:
            play.leave(session, alice, table.id, now=now)

    def fail(name: str) -> NoReturn:
        raise UnknownGame(f"there is no game {name}")

    monkeypatch.setattr(registry, "game", fail)
    with books.read() as session:
        found = queries.table(session, table.id, alice, settings=settings)
    assert (found.title, found.steps, found.to_move) == (GAME, [], [])
