"""The pages of matches and tables whose game has other rules by now, or is no longer installed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

import pytest

from dashboard import game_pages
from matchbox import registry
from matchbox.errors import UnknownGame
from matchbox.match.record import Bout
from matchbox.match.wire import PlayMatch
from server.db.models import User
from server.services import play, standings
from tests.books import GAME, Books, played, scripted
from tests.unit.server.routes.conftest import (
    Browse,
    open_season,
    play_all,
    start_season,
)
from tests.unit.server.test_play import move, open_table, seen


class OtherRules:
    """A game with the rules of a later release, which has another option."""

    def __init__(self, game: Any) -> None:
        self._game = game
        self.spec = replace(game.spec, rules="99")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def start(self, seats: int, dice: Any, options: Any) -> Any:
        """Fails: no old record has the option."""
        return self._game.start(seats, dice, options["new"])


def test_a_match_of_other_rules_shows_its_result_and_says_why_no_bout_is_shown(
    browse: Browse,
    books: Books,
    charlie: User,
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = start_season(books, charlie, open_season(books, charlie, alice, bob))[0]
    play_all(books)
    later = OtherRules(registry.game(GAME))
    monkeypatch.setattr(registry, "game", lambda name: later)
    for user in (None, alice):
        page = browse(user).get(f"/matches/{match}")
        assert page.status_code == 200
        assert "played by rules 1 of bomb, and the rules here, 99, do not replay" in page.text
        assert "alice-bot" in page.text
        assert f"/api/v1/matches/{match}" in page.text
        assert ("bots' output" in page.text) == (user is not None)
    assert browse(None).get(f"/matches/{match}/bouts/0.json").status_code == 422


def test_one_can_leave_a_table_whose_game_is_no_longer_installed(
    browse: Browse, books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.bot(bob, "timid")
    host = browse(alice)
    fields = {"seats": "2", "seat-0": "me", "seat-1": "bob/timid"}
    page = host.send(f"/play/{GAME}", **fields).location

    def fail(name: str) -> NoReturn:
        raise UnknownGame(f"there is no game {name!r}")

    for module in (registry, game_pages):
        for name in ("game", "package_of", "draw_module"):
            monkeypatch.setattr(module, name, fail, raising=False)
    game_pages.rules.cache_clear()
    assert f'action="{page}/leave"' in host.get(page).text
    assert host.send(f"{page}/leave").location == page
    assert "left the table" in host.get(page).text


def test_a_match_shows_its_result_though_its_game_is_no_longer_installed(
    browse: Browse,
    books: Books,
    charlie: User,
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = start_season(books, charlie, open_season(books, charlie, alice, bob))[0]
    play_all(books)
    uninstall(monkeypatch, GAME)
    for user in (None, alice):
        page = browse(user).get(f"/matches/{match}")
        assert page.status_code == 200
        assert "the game bomb is not installed here any more" in page.text
        assert "alice-bot" in page.text
        assert f"/api/v1/matches/{match}" in page.text
        assert ("bots' output" in page.text) == (user is not None)


def test_the_record_of_a_table_is_there_though_its_game_is_no_longer_installed(
    browse: Browse, books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = open_table(books, alice, ["me", "friend"], game="war")
    secret = seen(books, table, alice).join
    with books.write() as session:
        play.join(session, bob, table, secret or "", settings=books.settings, now=books.clock())
    while seen(books, table, alice).state == "persons":
        for person in (alice, bob):
            if choices := seen(books, table, person).choices:
                move(books, person, table, choices[0].move)
    uninstall(monkeypatch, "war")
    page = browse(alice).get(f"/play/war/{table}")
    assert page.status_code == 200
    assert "no longer installed" in page.text
    assert f'href="/api/v1/tables/{table}"' in page.text
    assert 'href="/games/war"' not in page.text
    assert 'href="/play/war"' not in page.text


def test_a_board_is_shown_though_its_game_is_no_longer_installed(
    browse: Browse,
    books: Books,
    charlie: User,
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start_season(books, charlie, open_season(books, charlie, alice, bob))
    play_all(books)
    uninstall(monkeypatch, GAME)
    for part in ("", "/pairs", "/bouts"):
        page = browse(None).get(f"/leaderboards/{GAME}{part}")
        assert page.status_code == 200
        assert f"<h1>{GAME}" in page.text


def test_a_team_s_board_is_shown_by_score_though_its_game_is_no_longer_installed(
    browse: Browse, books: Books, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = books.league(game="thegame")
    team = b"from matchbox.games.thegame import *\n\n\ndef play(view):\n    return view\n"
    for person in (alice, bob):
        books.bot(person, "team", team, game="thegame")

    def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
        return Bout(deal, rotation, [], [1, 1, 1], [40, 40, 40], "no card fits")

    books.refill()
    for job in books.dispatch():
        books.record(played(job, scripted(job, bout)))
    with books.write() as session:
        standings.refresh(session, f"league:{league.id}", now=books.clock())
    uninstall(monkeypatch, "thegame")
    page = browse(None).get("/leaderboards/thegame").text
    assert "Score" in page
    assert "Elo" not in page
    assert "/games/thegame" not in page


def uninstall(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    """Leaves that game out of those that are installed."""
    left = {name: package for name, package in registry.packages().items() if name != game}
    for found in (registry.game, registry.draw_module, registry.choices_module):
        found.cache_clear()
    game_pages.rules.cache_clear()
    monkeypatch.setattr(registry, "packages", lambda: left)
