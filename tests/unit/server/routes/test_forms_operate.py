"""The forms of seasons, and those of operators."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from server import auth
from server.db.models import League, Season, User, Version, VersionState
from server.services import leagues
from tests.books import GAME, Books, lost, played
from tests.unit.server.routes.conftest import Browse, Caller, open_season, play_all, start_season

AUTUMN = {"name": "autumn", "league": "bomb", "cycles": "1"}


def test_an_operator_makes_a_season_of_the_games_league(
    browse: Browse, alice: User, charlie: User
) -> None:
    assert browse(None).send("/seasons", **AUTUMN).status_code == 401
    assert browse(alice).send("/seasons", **AUTUMN).status_code == 403
    operator = browse(charlie)
    assert operator.send("/seasons", **AUTUMN).location == "/seasons/1"
    assert operator.get("/seasons/1").status_code == 200
    refused = operator.send("/seasons/1/start")
    assert (refused.status_code, "has fewer than 2 bots" in refused.text) == (409, True)
    assert 'action="/seasons/1/start"' in refused.text, "the season's page is shown again"


def test_a_season_on_the_page_has_the_deals_that_are_named_for_it(
    browse: Browse, books: Books, charlie: User
) -> None:
    operator = browse(charlie)
    assert operator.send("/seasons", **AUTUMN, deals="25").location == "/seasons/1"
    assert operator.send("/seasons", **{**AUTUMN, "name": "winter"}, deals="").location
    with books.read() as session:
        made = session.scalars(select(Season).order_by(Season.id)).all()
        assert [row.paced for row in made] == [False, True]
        assert made[0].deals == 25


def test_a_number_in_a_form_may_have_spaces_around_it_or_be_spaces_alone(
    browse: Browse, charlie: User, books: Books
) -> None:
    assert browse(charlie).send("/seasons", **{**AUTUMN, "cycles": " 5 ", "deals": " "}).location
    with books.read() as session:
        made = session.scalars(select(Season)).one()
        assert (made.cycles, made.paced) == (5, True)


def test_a_number_that_is_too_large_is_refused_with_the_numbers_that_are_possible(
    browse: Browse, charlie: User
) -> None:
    page = browse(charlie).send("/seasons", **{**AUTUMN, "cycles": "500"}).text
    assert "cycles is 500; it must be from 1 to 100" in page


def test_an_author_who_fills_a_form_of_operators_wrongly_is_refused_as_an_author(
    browse: Browse, alice: User, charlie: User, books: Books
) -> None:
    season, author = open_season(books, charlie), browse(alice)
    for path in ("/leagues", "/leagues/bomb", "/seasons"):
        assert author.send(path, name="x", deals="x", cycles="x").status_code == 403
    assert author.send(f"/seasons/{season}/rerun", round="x", reason="why").status_code == 403


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"name": "7"}, 422),
        ({"cycles": "many"}, 422),
        ({"cycles": "0"}, 422),
        ({"deals": "0"}, 422),
        ({"league": "no"}, 404),
    ],
)
def test_a_poor_season_is_shown_again(
    browse: Browse, charlie: User, more: dict[str, str], status: int
) -> None:
    answer = browse(charlie).send("/seasons", **{**AUTUMN, **more})
    assert answer.status_code == status
    assert "<form" in answer.text


def test_a_league_is_made_with_its_game_s_options_and_without_end(
    browse: Browse, books: Books, charlie: User
) -> None:
    operator = browse(charlie)
    page = operator.get("/admin/leagues/new?game=thegame&step=2").text
    assert 'name="option.thegame.hints"' in page
    asked = {
        "name": "quick-skull",
        "game": "skull",
        "continuous": "1",
        "seats": "3",
        "option.war.play": "dealt",
        "option.skull.variant": "challenge",
        "option.thegame.hints": "true",
    }
    assert operator.send("/leagues", **asked).location == "/leagues/quick-skull"
    with books.read() as session:
        row = session.scalars(select(League).where(League.name == "quick-skull")).one()
    assert (row.continuous, row.seats, row.options) == (True, 3, {"variant": "challenge"})
    own = operator.get("/leagues/quick-skull").text
    assert 'href="/leaderboards/quick-skull"' in own
    assert operator.get("/leaderboards/quick-skull").status_code == 200
    assert "Empty: as many as make a match a few seconds long." in own
    swiss = operator.get("/leagues/quick-skull?kind=swiss").text
    assert "Its seasons are double round robin until you save." in swiss
    refused = operator.send("/leagues/quick-skull", kind="swiss", rounds="5")
    assert (refused.status_code, "pairs two rivals" in refused.text) == (422, True)
    assert operator.send("/leagues/quick-skull", kind="adaptive", cycles="5").status_code == 303
    with books.read() as session:
        row = session.scalars(select(League).where(League.name == "quick-skull")).one()
    assert (row.format["kind"], row.format["cycles"]) == ("adaptive", 5)
    wrong = operator.get("/leagues/quick-skull?kind=cup")
    assert (wrong.status_code, "not a kind of season" in wrong.text) == (422, True)
    team = {**asked, "name": "team", "game": "thegame", "continuous": ""}
    assert operator.send("/leagues", **team).status_code == 303
    with books.read() as session:
        row = session.scalars(select(League).where(League.name == "team")).one()
    assert (row.continuous, row.seats, row.options["hints"]) == (False, 3, True)
    assert row.separation == "none"
    apart = {**asked, "name": "apart", "separation": "strong"}
    assert operator.send("/leagues", **apart).status_code == 303
    assert "Strongly separated: each" in operator.get("/leagues/apart").text
    assert operator.send("/leagues/apart", separation="none").status_code == 303
    assert "Strongly separated: each" not in operator.get("/leagues/apart").text
    poor = operator.send("/leagues", **{**asked, "name": "poor", "option.skull.variant": "no"})
    assert poor.status_code == 422
    assert 'name="kind" value="continuous"' in poor.text, "what was typed is kept"
    assert 'value="poor"' in poor.text


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ({"cron": "Friday 18:00"}, "cron"),
        ({"cron": "0 0 30 2 *"}, "that one of the months has"),
        ({"cron": "0 18 * * 5", "zone": "Nowhere/X"}, "Nowhere/X"),
        ({"name": GAME}, "choose another name"),
        ({"game": "skull", "option.skull.variant": "no"}, "variant"),
        ({"by": "zzz"}, "by is &#39;zzz&#39;; it must be one of open, invitation"),
    ],
)
def test_a_league_that_cannot_be_made_is_refused_before_its_summary(
    browse: Browse, charlie: User, typed: dict[str, str], why: str
) -> None:
    asked = urlencode({"name": "cup", "game": GAME, "step": "3", **typed})
    page = browse(charlie).get(f"/admin/leagues/new?{asked}").text
    assert "Make the league" not in page
    assert why in page.partition('role="alert"')[2].partition("</p>")[0]


def test_bots_enter_and_leave_by_their_owners(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    season = open_season(books, charlie)
    books.bot(alice, "timid")
    page, entry = f"/seasons/{season}", {"bot": "alice/timid"}
    assert browse(None).send(f"{page}/enter", **entry).status_code == 401
    assert browse(bob).send(f"{page}/enter", **entry).status_code == 403
    assert browse(alice).send(f"{page}/enter", **entry).location == page
    assert browse(alice).send(f"{page}/enter", **entry).status_code == 409
    assert browse(bob).send(f"{page}/leave", **entry).status_code == 403
    assert browse(alice).send(f"{page}/leave", **entry).location == page
    assert browse(alice).send(f"{page}/leave", bot="").status_code == 404


def test_an_operator_takes_out_a_bot_that_keeps_a_season_from_starting(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    season = open_season(books, charlie, alice, bob)
    page, operator = f"/seasons/{season}", browse(charlie)
    with books.write() as session:
        session.get_one(Version, 1).state = VersionState.SUSPENDED
    refused = operator.send(f"{page}/start")
    assert (refused.status_code, "take them out" in refused.text) == (409, True)
    taken = 'aria-label="Take out: alice/alice-bot"'
    assert taken in refused.text
    assert taken not in browse(bob).get(page).text
    assert 'name="back" value="entrants"' in refused.text
    answer = operator.send(f"{page}/leave", bot="alice/alice-bot", back="entrants")
    assert answer.location == f"{page}#entrants"
    assert "alice/alice-bot" not in operator.get(page).text


def test_a_bot_that_is_retired_leaves_open_seasons_and_gives_up_its_owner_s_place(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    page, author = f"/seasons/{open_season(books, charlie, alice, bob)}", browse(alice)
    books.bot(alice, "other")
    browse(charlie).send(f"/leagues/{GAME}", bots="1")
    assert author.send(f"{page}/enter", bot="alice/other").status_code == 409
    author.send("/bots/alice/alice-bot/retire")
    assert author.send(f"{page}/enter", bot="alice/other").status_code == 303
    assert browse(charlie).send(f"{page}/start").status_code == 303


def test_who_is_not_invited_any_more_can_take_out_the_own_bot_of_an_open_season(
    browse: Browse, alice: User, charlie: User, books: Books
) -> None:
    page, operator = f"/seasons/{open_season(books, charlie, alice)}", browse(charlie)
    operator.send(f"/leagues/{GAME}", by="invitation")
    told = browse(alice).get(page).text
    assert "your account is not invited. Ask an operator" in told
    assert "Take alice-bot out" in told
    assert browse(alice).send(f"{page}/leave", bot="alice/alice-bot").location == page
    assert "your account is not invited yet." in browse(alice).get(page).text


def test_an_operator_runs_a_season_and_nobody_else_does(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    page = f"/seasons/{open_season(books, charlie, alice, bob)}"
    for step in ("start", "pause", "resume", "cancel"):
        assert browse(None).send(f"{page}/{step}").status_code == 401
        assert browse(alice).send(f"{page}/{step}").status_code == 403
    operator = browse(charlie)
    for step in ("start", "pause", "resume", "cancel"):
        assert operator.send(f"{page}/{step}").location == page
    assert operator.send(f"{page}/start").status_code == 409
    for somebody in (None, alice, charlie):
        assert browse(somebody).send(f"{page}/dissolve").status_code == 404
    assert operator.send("/seasons/999/start").status_code == 404


def test_every_page_of_a_played_season_is_shown(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    season = open_season(books, charlie, alice, bob)
    (match, *_) = start_season(books, charlie, season)
    waiting = browse(alice).get(f"/matches/{match}")
    assert waiting.status_code == 200
    assert not any(deal in waiting.text for deal in books.match(match).deals)
    play_all(books)
    for visitor in (browse(None), browse(alice), browse(charlie)):
        for path in ("/", "/matches", f"/seasons/{season}", f"/seasons/{season}.csv",
                     f"/seasons/{season}.json", "/leaderboards/bomb", "/bots/alice/alice-bot",
                     "/bots/alice-bot"):  # fmt: skip
            assert visitor.get(path).status_code in (200, 302), path


def test_an_operator_deals_with_what_is_parked(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    matches = start_season(books, charlie, open_season(books, charlie, alice, bob))
    for _ in range(books.settings.attempts):
        for job in books.dispatch():
            books.lose(lost(job)) if job.match == matches[0] else books.record(played(job))
    number = books.upload(alice, "timid").id
    for _ in range(books.settings.attempts):
        (tryout,) = books.try_outs()
        books.lose(lost(tryout))
    again, version = f"/admin/matches/{matches[0]}/requeue", f"/admin/versions/{number}/requeue"
    for path in (again, version):
        assert browse(None).send(path).status_code == 401
        assert browse(alice).send(path).status_code == 403
    operator = browse(charlie)
    page = operator.get("/admin").text
    assert all(path in page for path in (again, version, f"/matches/{matches[0]}/operate"))
    for path in (again, version):
        assert operator.send(path).location == "/admin#parked"
    assert operator.send(version).status_code == 409


def test_the_operators_page_is_theirs(browse: Browse, alice: User, charlie: User) -> None:
    assert browse(None).get("/admin").location.startswith("/login")
    assert browse(alice).get("/admin").status_code == 403
    assert browse(charlie).get("/admin").status_code == 200


def test_the_operators_page_goes_on_to_update_after_a_mistake(
    browse: Browse, charlie: User
) -> None:
    page = browse(charlie).send("/admin/users", name="Not A Name", password="x", role="author")
    assert page.status_code == 422
    assert re.findall(r'id="queue"[^>]* hx-get="([^"]*)"', page.text) == ["/admin"]


def test_a_seasons_page_after_a_mistake_leads_to_its_other_columns(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    season = open_season(books, charlie, alice, bob)
    start_season(books, charlie, season)
    play_all(books)
    page = browse(charlie).send(f"/seasons/{season}/start")
    assert page.status_code == 409
    (address,) = re.findall(r'href="([^"]*columns=more[^"]*)"', page.text)
    assert browse(None).get(address).status_code == 200


def test_a_log_in_leads_back_to_a_page_and_never_to_a_form_s_address(browse: Browse) -> None:
    stranger = browse(None)
    for page, back in (
        ("/matches", "/matches"),
        ("/matches?game=bomb", "/matches?game%3Dbomb"),
        ("/login", ""),
        ("/signup", ""),
    ):
        assert _log_ins(stranger.get(page).text) == {back}
    for form in ("/seasons/1/enter", "/account/tokens"):
        refused = stranger.send(form)
        assert (refused.status_code, _log_ins(refused.text)) == (401, {""})


def _log_ins(page: str) -> set[str]:
    """The paths to which the page's links to the log-in lead back; "" for none."""
    return set(re.findall(r'href="/login(?:\?next=([^"]*))?">', page))


def test_a_change_of_a_league_that_somebody_has_not_seen_is_not_undone_unasked(
    browse: Browse, charlie: User
) -> None:
    page, one, other = f"/leagues/{GAME}", browse(charlie), browse(charlie)

    def mark(text: str) -> str:
        found = re.search(r'name="mark" value="([^"]+)"', text)
        assert found is not None
        return found[1]

    seen = mark(one.get(page).text)
    assert mark(other.get(page).text) == seen
    assert one.send(page, mark=seen, deals="7", bots="3").status_code == 303
    refused = other.send(page, mark=seen, deals="", bots="2")
    assert refused.status_code == 409
    assert f"Somebody has changed {GAME} since" in refused.text
    assert "7 deals a match" in refused.text, "what it is now"
    assert re.search(r'name="bots"[^>]* value="2"', refused.text), "what was typed"
    assert "7 deals a match" in one.get(page).text
    for wrong in ({"csrf_token": "old"}, {"kind": "swiss", "rounds": "x"}):
        told = other.send(page, mark=seen, deals="8", **wrong).text
        assert f"Somebody has changed {GAME} since" in told, "also after another mistake"
    assert other.send(page, mark=mark(refused.text), deals="8", bots="2").status_code == 303
    assert "8 deals a match" in one.get(page).text


def test_a_change_that_comes_while_a_form_waits_for_the_database_is_not_undone_either(
    browse: Browse, charlie: User, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, operator = f"/leagues/{GAME}", browse(charlie)
    found = re.search(r'name="mark" value="([^"]+)"', operator.get(page).text)
    assert found is not None

    def acting_later() -> AbstractContextManager[tuple[Session, User, int]]:
        with books.write() as session:
            leagues.edit(session, charlie, GAME, deals=7, now=books.clock())
        return auth.acting()

    monkeypatch.setattr("server.routes.forms_leagues.acting", acting_later)
    assert operator.send(page, mark=found[1], deals="8").status_code == 409
    assert "7 deals a match" in operator.get(page).text


def test_an_operator_invites_to_a_league_and_lets_it_rest_by_its_forms(
    browse: Browse, as_charlie: Caller, alice: User, charlie: User
) -> None:
    page, operator = f"/leagues/{GAME}", browse(charlie)

    def told() -> tuple[list[str], bool]:
        answer: Any = as_charlie.get(page).json
        return answer["invited"], answer["paused"]

    before = told()
    for step in ("invite", "uninvite", "pause", "resume"):
        assert browse(alice).send(f"{page}/{step}", user="alice").status_code == 403
    assert told() == before
    for step, place, after in (
        ("invite", "invited", (["alice"], False)),
        ("uninvite", "invited", ([], False)),
        ("pause", "run", ([], True)),
        ("resume", "run", ([], False)),
    ):
        assert operator.send(f"{page}/{step}", user="alice").location == f"{page}#{place}"
        assert told() == after
    assert operator.send(page, by="invitation").location == page
    refused = operator.send(f"{page}/invite", user="alicia")
    assert refused.status_code == 404
    assert 'name="user" value="alicia"' in refused.text


@pytest.mark.parametrize(
    ("last", "following"),
    [
        ("Term 2026", "Term 2027"),
        ("Autumn", "Autumn 2"),
        ("Cup 999999999999", "Cup 999999999999 2"),
        (f"{'a' * 39} b", f"{'a' * 39} 2"),
    ],
)
def test_a_season_without_a_name_has_the_last_one_s_with_the_next_number(
    browse: Browse, charlie: User, books: Books, last: str, following: str
) -> None:
    for name in (last, ""):
        assert browse(charlie).send("/seasons", name=name, league=GAME).status_code == 303
    with books.read() as session:
        assert session.scalars(select(Season.name).order_by(Season.id)).all() == [last, following]


def test_a_field_that_the_form_hides_refuses_nothing(
    browse: Browse, charlie: User, books: Books
) -> None:
    operator = browse(charlie)
    asked = {"kind": "adaptive", "question": "top", "top": "3", "care": "thrifty"}
    assert operator.send("/leagues", name="cup", game="bomb", **asked).status_code == 303
    hidden = {"divisions": "1", "moving": "", "top": "3", "care": "thrifty"}
    saved = operator.send("/leagues/cup", kind="adaptive", question="champion", **hidden)
    assert saved.status_code == 303, saved.text
    with books.read() as session:
        row = session.scalars(select(League).where(League.name == "cup")).one()
    told = [row.format[name] for name in ("question", "top", "care", "moving")]
    assert told == ["champion", 1, "strict", 1]
    saved = operator.send("/leagues/cup", kind="swiss", rounds="5", cycles="7", group="4")
    assert saved.status_code == 303, saved.text
    with books.read() as session:
        row = session.scalars(select(League).where(League.name == "cup")).one()
    told = [row.format[name] for name in ("kind", "rounds", "cycles", "group")]
    assert told == ["swiss", 5, 1, 8]


def test_an_empty_field_has_its_default_in_a_new_league_and_is_named_in_an_old_one(
    browse: Browse, charlie: User
) -> None:
    operator = browse(charlie)
    asked = {"kind": "knock-out", "group": "", "zone": " ", "divisions": "2", "moving": ""}
    assert operator.send("/leagues", name="cup", game="bomb", **asked).status_code == 303
    for name, label in (("group", "Bots of a group"), ("zone", "Time zone")):
        page = operator.send("/leagues/cup", kind="knock-out", hours="7", **{name: " "})
        assert (page.status_code, f"{label} is empty; fill it in" in page.text) == (422, True)
        assert 'name="hours" type="number" min="1" max="999999999" value="7"' in page.text


def test_a_season_that_is_due_says_what_it_waits_for_and_keeps_its_turn_when_the_league_is_saved(
    browse: Browse, alice: User, bob: User, charlie: User, books: Books
) -> None:
    operator = browse(charlie)
    times = {"cron": "0 18 * * *", "zone": "Europe/Berlin"}
    asked = {"name": "cup", "game": "bomb", "kind": "round-robin", "everybody": "True", **times}
    assert operator.send("/leagues", **asked).status_code == 303
    books.bot(alice, "one"), books.bot(bob, "two")
    for _ in range(3):
        books.tick()
        books.clock.pass_by(minutes=24 * 60)
    waits = "until it is over, the schedule does not start this season"
    assert f"cup 1 is still being played: {waits}" in operator.get("/seasons/2").text
    (due,) = re.findall(r"It starts <time datetime=\"([^\"]+)", operator.get("/seasons/2").text)
    assert operator.send("/leagues/cup", deals="7", **times).status_code == 303
    assert f'It starts <time datetime="{due}' in operator.get("/seasons/2").text
    operator.send("/seasons/1/pause")
    assert f"cup 1 is paused: {waits}" in operator.get("/seasons/2").text
    operator.send("/seasons/1/cancel")
    books.tick()
    assert operator.get("/seasons/2").text.count("under way")
