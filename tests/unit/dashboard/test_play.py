"""The pages of tables with people, and who sees them."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import islice
from typing import Any
from urllib.parse import unquote

import pytest
from werkzeug.test import TestResponse

from dashboard import drawings, game_pages, play
from dashboard.source import Source
from matchbox import registry
from matchbox.answers.games import Game, Option
from matchbox.answers.matches import EVERYBODY, Step
from matchbox.answers.play import Choice, Opponent, Place, Tables, TableSeat
from matchbox.errors import Forbidden
from matchbox.game import fill_options
from matchbox.match import hosted_bout
from matchbox.match.replay import steps
from matchbox.match.wire import Said
from matchbox.registry import packages
from tests.unit.dashboard import playing
from tests.unit.dashboard.cast import NOBODY, OPERATOR, SOURCE, make_app
from tests.unit.dashboard.playing import NAME, replay, table

TABLE = f"/play/bomb/{NAME}"


def events(game: str, seats: int) -> set[str]:
    """Returns every line that tells an event of some random bouts."""
    rules, dice = registry.game(game), random.Random(7)
    options = fill_options(rules.spec, {})
    lines = set()
    for number in range(6):
        deal = f"{number:032x}"
        live = hosted_bout.resume(rules, deal, seats, options, list[Said]())
        while not live.over:
            seat = hosted_bout.owing(live)[0]
            legal = [one for one in rules.legal(live.state, seat) if one != "invalid"]
            live.take(seat, dice.choice(legal or ["invalid"]))
        bout = hosted_bout.bout_so_far(live)
        record = hosted_bout.record_of(rules, "t", options, deal, [""] * seats, bout)
        lines |= {step.line for step in steps(rules, record, bout)}
    return lines


def get(path: str, source: Source = SOURCE) -> TestResponse:
    """The answer to a request for this page."""
    return make_app(source).test_client().get(path)


def seen(**more: Any) -> Any:
    """A source whose table has these fields."""
    return replace(SOURCE, table=lambda name, **asked: table(name, **asked, **more))


OPTIONS = {
    "length": Option(default="Short", help="how long it takes", choices=["Short", "Long"]),
    "cards": Option(default=52, help="cards in the deck", choices=[]),
    "open": Option(default=False, help="whether all hands are open", choices=[]),
}
"""Options of each kind: of some texts, of any number, and a yes or no."""
OVER = replace(seen(**playing.OVER), table_steps=replay)
"""A table that was played to its end."""


def test_the_first_page_leads_to_every_game_and_lists_ones_tables() -> None:
    page = get("/play").text
    assert 'href="/play/bomb"' in page
    assert f'href="{TABLE}"' in page
    assert "/close" not in page
    assert f'action="{TABLE}/close"' in get("/play", OPERATOR).text
    assert "log in" in get("/play", NOBODY).text


@pytest.mark.parametrize("path", ["/", "/games/bomb", "/leagues", TABLE])
def test_nothing_leads_to_play_where_it_is_switched_off(path: str) -> None:
    off = replace(OVER, play_closed=lambda: True)
    links = re.compile(r'href="/play(/bomb)?["?]')
    assert links.search(get(path, OVER).text)
    assert not links.search(get(path, off).text)
    for page in ("/play", "/play/bomb"):
        assert "switched off" in get(page, off).text


def test_the_form_offers_the_bots_the_best_first() -> None:
    page = get("/play/bomb").text
    assert page.index("house/careful, 1612 Elo") < page.index("bob/new")
    assert '<option value="me" selected>You' in page
    assert '<option value="house/careful" selected>' in page
    nobodys = get("/play/bomb", NOBODY).text
    assert "Start the game" not in nobodys
    assert "/login?next=/play/bomb" in nobodys
    assert get("/play/chess").status_code == 404


@pytest.mark.parametrize("path", ["/play/bomb", "/play/bomb?seats=2"])
def test_a_log_in_or_a_sign_up_leads_back_to_the_same_number_of_players(path: str) -> None:
    note = get(path, NOBODY).text.partition("To play, ")[2].partition("</p>")[0]
    links = re.findall(r'href="/(login|signup)\?next=([^"]*)"', note)
    assert [(one, unquote(there)) for one, there in links] == [("login", path), ("signup", path)]


def test_of_many_bots_the_best_are_in_the_list_and_any_other_is_named() -> None:
    def crowd(game: str, limit: int) -> list[Opponent]:
        bots = (Opponent(bot=f"b/{at}", version=1, elo=None, rank=None) for at in range(10_000))
        return list(islice(bots, limit))

    many = replace(SOURCE, opponents=crowd)
    page = get("/play/bomb", many).text
    assert page.count('<option value="b/') == 2 * play.LISTED
    assert "The best 50 bots" in page
    assert page.count('name="other-') == 2
    assert 'href="/leaderboards/bomb"' in page[page.index('name="other-1"') :]
    assert 'name="other-' not in get("/play/bomb").text


def test_the_table_has_every_move_as_a_button_and_marks_on_its_board() -> None:
    page = get(TABLE).text
    assert "It is your turn." in page
    assert '''value="&#34;draw&#34;"''' in page
    assert '''data-picks="[&#34;pile&#34;]"''' in page
    assert 'data-pick="pile"' in page
    assert get(f"/play/war/{NAME}").status_code == 404


def test_many_moves_are_one_list() -> None:
    choices = [Choice(move=n, words=f"Place {n}", group="Places", picks=[]) for n in range(17)]
    page = get(TABLE, seen(choices=choices)).text
    assert '<select name="move"><optgroup label="Places">' in page
    assert '<button name="move"' not in page


def test_the_json_tells_what_is_new_and_nothing_where_nothing_is() -> None:
    client = make_app(SOURCE).test_client()
    assert client.get(f"{TABLE}.json?revision=persons-0-1").status_code == 204
    news = client.get(f"{TABLE}.json?revision=old&since=0").get_json()
    assert news["mine"] is True
    assert [step["text"] for step in news["steps"]] == ["The start"]
    assert news["steps"][0]["board"].startswith("<svg")
    assert "It is your turn." in news["parts"]
    assert client.get(f"{TABLE}.json?since=1").get_json()["steps"] == []


def test_a_stranger_gets_nothing() -> None:
    def closed(name: str, **_: Any) -> Any:
        raise Forbidden("this table is closed to others until its game is over")

    source = replace(NOBODY, table=closed, table_revision=lambda name, secret="": None)
    for address in (TABLE, f"{TABLE}.json", f"{TABLE}.json?revision=persons-0-1"):
        answer = get(address, source)
        assert answer.status_code == 403
        assert "svg class" not in answer.text


def test_the_link_is_shown_while_a_seat_is_free() -> None:
    page = get(TABLE, seen(state="open", join="5" * 32, choices=[], to_move=[])).text
    assert f"{TABLE}?join={'5' * 32}" in page
    assert "Waiting for a friend to take the free seat." in page
    invited = get(f"{TABLE}?join=5", seen(state="open", me=None, view=None, steps=[], choices=[]))
    assert "Take the seat" in invited.text
    passing = get(TABLE, seen(state="open", me=None, view=None, steps=[], choices=[])).text
    assert "Take the seat" not in passing
    assert "A seat is free for you" not in passing


def test_it_says_how_many_seats_are_free() -> None:
    free = [TableSeat(seat=seat, kind="free", name="", version=None) for seat in (1, 2)]
    seats = [TableSeat(seat=0, kind="person", name="alice", version=None), *free]
    page = get(TABLE, seen(state="open", seats=seats, choices=[], to_move=[])).text
    assert "Waiting for friends to take the 2 free seats." in page


@pytest.mark.parametrize(
    ("places", "me", "told"),
    [
        ([1, 2], 0, "You won. The bomb blew up."),
        ([2, 1], 0, "You lost. careful won. The bomb blew up."),
        ([1, 2], None, "alice won. The bomb blew up."),
        ([1, 1], 0, "A draw. The bomb blew up."),
    ],
)
def test_the_end_says_who_won(places: list[int], me: int | None, told: str) -> None:
    over = table(state="finished", places=places, scores=[1, 0], me=me, why="explosion")
    assert play.result(over) == told


def test_the_end_says_which_bot_broke_and_how() -> None:
    made = [
        Step(seat=None, text="", move=None, view=None),
        Step(seat=1, text="took too long and lost", move=None, view=None, fault="timeout"),
        Step(seat=None, text="seat 1: timeout", move=None, view=None),
    ]
    ended: dict[str, Any] = {"state": "finished", "scores": [0, 0], "why": "timeout"}
    over = table(places=[1, 2], me=0, steps=made, **ended)
    assert play.result(over) == "You won. careful took too long and lost."
    team = table(places=[1, 1], cooperative=True, steps=made, **ended)
    assert play.result(team) == "0 points for the team. careful took too long and lost."


def test_a_team_has_one_score() -> None:
    ended: dict[str, Any] = {
        "state": "finished",
        "places": [1, 1],
        "scores": [80, 80],
        "why": "blocked",
    }
    assert play.result(table(cooperative=True, **ended)) == "80 points for the team. Blocked."
    assert play.result(table(**ended)) == "A draw. Blocked."


def test_a_finished_table_is_seen_by_any_seat() -> None:
    asked: list[int | None] = []

    def steps(name: str, seat: int | None) -> Any:
        asked.append(seat)
        return replay(name, seat)

    source = replace(OVER, table_steps=steps)
    for seat in ("table", "1", "9", "x"):
        assert get(f"{TABLE}?seat={seat}", source).status_code == 200
    assert asked == [None, 1, EVERYBODY, EVERYBODY]


def test_a_table_that_is_over_opens_in_the_player_of_a_match() -> None:
    page = get(TABLE, OVER).text
    assert f'data-steps="{TABLE}/steps.json?seat=all"' in page
    assert "match.js" in page
    assert "play.js" not in page
    assert "You won. The bomb blew up." in page
    assert "Next event" in page
    assert "Download the record" in page
    told = get(f"{TABLE}/steps.json", OVER).get_json()
    assert [step["text"] for step in told["steps"]] == [
        "The start", "draws the top card", "alice wins: the bomb blew up",
    ]  # fmt: skip
    assert [step["event"] for step in told["steps"]] == [False, False, True]
    board = "".join(told["pieces"][piece] for piece in told["steps"][0]["board"])
    assert "careful" in board
    assert "Seat 1" not in board


def test_a_game_that_ended_early_says_so_in_the_player() -> None:
    why = "alice left the table."
    early = seen(state="ended", why=why, digest="d" * 64, deal=playing.DEAL)
    source = replace(early, table_steps=replay)
    page = get(TABLE, source).text
    assert "The game was ended early." in page
    assert "without places and scores" in page
    told = get(f"{TABLE}/steps.json", source).get_json()
    assert told["steps"][-1]["text"] == f"The game ended here. {why}"


def test_a_game_of_other_rules_can_be_downloaded_only() -> None:
    gone = seen(state="finished", places=[1, 2], scores=[1, 0], digest="d" * 64, steps=[])
    page = get(TABLE, gone).text
    assert "other rules than today" in page
    assert "Download the record" in page
    assert "match.js" not in page


def test_the_rules_and_the_question_stand_beside_the_board() -> None:
    page = get(TABLE).text
    assert "<summary>Rules of Bomb</summary>" in page
    assert "A player who draws the bomb" in page
    assert "class CarefulPlayer" not in page
    assert "Draw the top card, or play a card first." in page


@pytest.mark.parametrize("game", list(packages()))
def test_every_game_has_short_rules(game: str) -> None:
    told = game_pages.rules(game)
    assert told is not None
    assert 300 < len(told) < 6000
    assert "import" not in told


def test_a_table_tells_from_which_position_of_a_match_it_goes_on() -> None:
    place = Place(match="ab" * 16, bout=1, moves=1)
    for source in (
        seen(place=place),
        replace(seen(place=place, **playing.OVER), table_steps=replay),
    ):
        page = get(TABLE, source).text
        assert f'from <a href="/matches/{"ab" * 16}?bout=1&amp;move=1">bout 2 of match' in page
        assert "</a>, after 1 move." in page
    assert "on from" not in get(TABLE).text


@pytest.mark.parametrize("game", list(packages()))
def test_every_event_of_every_game_is_told_with_names(game: str) -> None:
    spec = registry.game(game).spec
    seats = max(spec.seats)
    names = [f"player-{seat}" for seat in range(seats)]
    for line in events(game, seats):
        told = drawings.named(line, names)
        assert "seat" not in told.lower(), told
        assert not told.startswith(("You", "I ")), told


def test_the_same_bot_in_two_seats_is_told_apart() -> None:
    seats = [TableSeat(seat=at, kind="bot", name="house/careful", version=2) for at in range(2)]
    assert play.names(table(seats=seats, me=None)) == ["careful (1)", "careful (2)"]


def test_lines_have_names_in_place_of_seats() -> None:
    told = [Step(seat=1, text="turns over a card of seat 0", move=None, view=table().view)]
    page = get(TABLE, seen(steps=told)).text
    assert "turns over a card of alice" in page


def test_a_line_does_not_begin_with_the_movers_name_twice() -> None:
    told = [Step(seat=0, text="seat 0 loses a card for good", move=None, view=table().view)]
    news = get(f"{TABLE}.json?since=0", seen(steps=told)).get_json()
    assert news["steps"][0]["text"] == "loses a card for good"


def test_moves_and_questions_have_names_in_place_of_seats() -> None:
    choices = [Choice(move="x", words="Turn over the top card of seat 1", group="", picks=[])]
    page = get(TABLE, seen(choices=choices, question="Speak before seat 1 plays.")).text
    assert "Turn over the top card of careful" in page
    assert "Speak before careful plays." in page


def test_moves_of_a_group_stand_together() -> None:
    choices = [Choice(move=n, words=str(n), group="ab"[n % 2], picks=["x"]) for n in range(4)]
    made = play.groups(choices, ["alice", "bob"])
    found = [(group, [row.move for row in rows]) for group, rows in made]
    assert found == [("a", ["0", "2"]), ("b", ["1", "3"])]


def test_the_viewers_tables_are_listed_by_pages() -> None:
    asked: list[dict[str, Any]] = []

    def tables(**which: Any) -> Tables:
        asked.append(which)
        following = None if which["cursor"] else "12.ab"
        return playing.TABLES.model_copy(update={"next": following})

    client = make_app(replace(SOURCE, tables=tables)).test_client()
    first, last = client.get("/play").text, client.get("/play?before=12.ab").text
    assert "You may sit at 3 open tables; at most 50 tables may be open at a time." in first
    assert 'href="/play?before=12.ab#tables">Older tables' in first
    assert "Newest tables" not in first
    assert 'href="/play#tables">Newest tables' in last
    assert "Older tables" not in last
    assert asked == [{"cursor": one, "limit": play.PAGE_SIZE} for one in (None, "12.ab")]


def test_a_person_reads_names_and_no_numbers_of_seats() -> None:
    for path in (TABLE, "/play/bomb"):
        assert not re.search(r"\b[Ss]eat \d", get(path).text)
    form = get("/play/bomb").text
    assert "Player 1" in form
    assert "Player 2" in form


def test_options_by_which_nobody_decides_are_not_offered() -> None:
    given = {
        name: Option(default=one.default, help=one.help, choices=list(one.choices))
        for name, one in registry.game("war").spec.options.items()
    }
    bomb = SOURCE.games()[0].model_copy(update={"options": given})

    def form(game: Game) -> str:
        answer = get(f"/play/{game.name}", replace(SOURCE, games=lambda: [game]))
        assert answer.status_code == 200
        return answer.text

    assert '<option value="dealt"' in form(bomb)
    war = bomb.model_copy(update={"name": "war"})
    assert "option-play" not in form(war)
    dealt = given["play"].model_copy(update={"default": "dealt"})
    only = form(war.model_copy(update={"options": {"play": dealt}}))
    assert '<select name="option-play"><option value="choose">' in only


def test_the_form_of_a_game_that_fails_says_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    war = registry.game("war")
    module: dict[str, Any] = {"__name__": "matchbox.games.war.rules"}
    exec("def start(*_):\n    return [][1]", module)

    class Failing:
        """War, whose deals all fail."""

        def __getattr__(self, name: str) -> Any:
            return module.get(name) or getattr(war, name)

    failing = Failing()
    monkeypatch.setattr(registry, "game", lambda name: failing)
    play._undecided.cache_clear()
    given = {"play": Option(default="choose", help="", choices=["choose", "dealt"])}
    game = SOURCE.games()[0].model_copy(update={"name": "war", "options": given})
    answer = get("/play/war", replace(SOURCE, games=lambda: [game]))
    assert answer.status_code == 422
    assert "The game war is broken: start raised IndexError" in answer.text


def test_a_table_says_when_it_ends_if_nobody_moves() -> None:
    seated = get(TABLE).text
    assert re.search(r"ends if nobody moves until <time [^>]*data-countdown", seated)
    assert "data-countdown" not in get(TABLE, seen(me=None)).text
    assert "data-countdown" not in get(TABLE, seen(state="bots")).text


def test_every_option_offers_what_the_game_takes() -> None:
    games = [one.model_copy(update={"options": OPTIONS}) for one in SOURCE.games()]
    page = get("/play/bomb", replace(SOURCE, games=lambda: games)).text
    assert re.findall(r'<option value="(Short|short|Long|long)"( selected)?', page) == [
        ("Short", " selected"), ("Long", ""),
    ]  # fmt: skip
    assert '<input name="option-cards" value="52"' in page
    assert re.findall(r'<option value="(true|false)"( selected)?', page) == [
        ("false", " selected"), ("true", ""),
    ]  # fmt: skip
