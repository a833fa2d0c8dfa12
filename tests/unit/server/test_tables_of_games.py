"""A table stays readable after its game was uninstalled, and ends if its game fails."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest

from matchbox import registry
from matchbox.errors import BadGame, UnknownGame
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


class FailingGame:
    """The installed game, with one function that raises an error."""

    def __init__(self, function: str) -> None:
        self._game = registry.game(GAME)
        module: dict[str, Any] = {"__name__": f"matchbox.games.{GAME}.rules"}
        exec(f"\ndef {function}(*_):\n    return [][1]", module)
        setattr(self, function, module[function])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


@pytest.mark.parametrize("function", ["view", "legal", "start", "to_move"])
def test_a_table_whose_game_fails_at_once_is_not_opened(
    function: str, books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.league()
    books.bot(bob, "bob-bot")
    failing = FailingGame(function)
    monkeypatch.setattr(registry, "game", lambda name: failing)
    why = rf"{GAME} is broken: {function} raised IndexError: list.*{GAME}\.rules, line 3"
    with pytest.raises(BadGame, match=why), books.write() as session:
        play.open_table(
            session, alice, game=GAME, seats=["me", "bob/bob-bot"], options={},
            settings=books.settings, now=books.clock(),
        )  # fmt: skip
    with books.read() as session:
        assert queries.tables(session, alice, books.settings).items == []


@pytest.mark.parametrize("function", ["view", "apply"])
def test_a_table_whose_game_fails_later_ends_with_the_reason(
    function: str, books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
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
    failing = FailingGame(function)
    monkeypatch.setattr(registry, "game", lambda name: failing)
    if function != "apply":
        with books.read() as session, pytest.raises(BadGame, match=f"{function} raised"):
            queries.table(session, table.id, alice, settings=settings)
    with books.write() as session:
        play.move(session, alice, table.id, first, settings=settings, now=now)
    with books.read() as session:
        found = queries.table(session, table.id, alice, settings=settings)
    assert (found.state, found.to_move) == ("ended", [])
    assert f"the game {GAME} is broken: {function} raised IndexError" in found.why
