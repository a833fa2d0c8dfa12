"""A table stays readable after its game was uninstalled, and ends if its game fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

import pytest

from matchbox import registry
from matchbox.errors import BadGame, BadOption, UnknownGame
from matchbox.game import Outcome
from matchbox.match import hosted_bout
from server.db.models import User
from server.queries import play as queries
from server.services import play
from tests.books import GAME, Books


def open_table(books: Books, alice: User, bob: User) -> tuple[str, Any]:
    """Opens a table of alice with a bot of bob; returns its id and a legal move."""
    books.league()
    books.bot(bob, "bob-bot")
    settings, seats = books.settings, ["me", "bob/bob-bot"]
    with books.write() as session:
        table = play.open_table(
            session, alice, game=GAME, seats=seats, options={}, settings=settings, now=books.clock()
        )
        shown = queries.table(session, alice, table.id, settings=settings)
        return table.id, shown.choices[0].move


@pytest.mark.parametrize("over", [False, True])
def test_a_table_is_shown_after_its_game_was_uninstalled(
    over: bool, books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, now = books.settings, books.clock()
    table, first = open_table(books, alice, bob)
    with books.write() as session:
        play.move(session, alice, table, first, settings=settings, now=now)
        if over:
            play.leave(session, alice, table, now=now)

    def fail(name: str) -> NoReturn:
        raise UnknownGame(f"there is no game {name}")

    monkeypatch.setattr(registry, "game", fail)
    with books.read() as session:
        found = queries.table(session, alice, table, settings=settings)
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
    failing = FailingGame(function)
    monkeypatch.setattr(registry, "game", lambda name: failing)
    why = rf"{GAME} is broken: {function} raised IndexError: list.*{GAME}\.rules, line 3"
    with pytest.raises(BadGame, match=why):
        open_table(books, alice, bob)
    with books.read() as session:
        assert queries.tables(session, alice, books.settings).items == []


class ChangedGame:
    """The installed game with changes to its spec; its next `over` deals are over as dealt."""

    def __init__(self, over: int = 0, **changes: Any) -> None:
        self._game = registry.game(GAME)
        self.spec = replace(self._game.spec, **changes)
        self._over = over

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def to_move(self, state: Any) -> Any:
        self._over -= 1
        return () if self._over >= 0 else self._game.to_move(state)

    def outcome(self, state: Any) -> Outcome:
        return Outcome((1, 2), (1, 0), "as dealt")


def test_a_table_whose_game_does_not_end_ends_with_the_reason(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, now = books.settings, books.clock()
    table, first = open_table(books, alice, bob)
    endless = ChangedGame(max_steps=1)
    monkeypatch.setattr(registry, "game", lambda name: endless)
    with books.write() as session:
        play.move(session, alice, table, first, settings=settings, now=now)
    with books.read() as session:
        found = queries.table(session, alice, table, settings=settings)
    assert found.state == "ended"
    assert f"a bout of {GAME} does not end" in found.why


def test_a_deal_in_which_nobody_is_asked_is_dealt_again(
    books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [ChangedGame(over=hosted_bout.DEALS - 1), ChangedGame(over=hosted_bout.DEALS)]
    monkeypatch.setattr(registry, "game", lambda name: games[0])
    table, _ = open_table(books, alice, bob)
    with books.read() as session:
        assert queries.table(session, alice, table, settings=books.settings).state == "persons"
    knobs: dict[str, Any] = {"options": {}, "settings": books.settings, "now": books.clock()}
    monkeypatch.setattr(registry, "game", lambda name: games[1])
    with books.write() as session, pytest.raises(BadOption, match="players decide nothing"):
        play.open_table(session, alice, game=GAME, seats=["me", "bob/bob-bot"], **knobs)


@pytest.mark.parametrize("function", ["view", "apply"])
def test_a_table_whose_game_fails_later_ends_with_the_reason(
    function: str, books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, now = books.settings, books.clock()
    table, first = open_table(books, alice, bob)
    failing = FailingGame(function)
    monkeypatch.setattr(registry, "game", lambda name: failing)
    if function != "apply":
        with books.read() as session, pytest.raises(BadGame, match=f"{function} raised"):
            queries.table(session, alice, table, settings=settings)
    with books.write() as session:
        play.move(session, alice, table, first, settings=settings, now=now)
    with books.read() as session:
        found = queries.table(session, alice, table, settings=settings)
    assert (found.state, found.to_move) == ("ended", [])
    assert f"the game {GAME} is broken: {function} raised IndexError" in found.why
