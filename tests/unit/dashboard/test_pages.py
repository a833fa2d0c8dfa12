from __future__ import annotations

import csv
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import Any, NoReturn

import pytest

from dashboard import playback, replays
from dashboard.pages import own_path
from dashboard.playback import DrawnStep
from dashboard.source import Source
from matchbox.answers.matches import Fault, Step, Steps
from matchbox.answers.standings import BoardLine
from matchbox.errors import BadOption, FaultKind, Forbidden, NotFound
from matchbox.game import CHANCE
from tests.unit.dashboard import cast, seasons
from tests.unit.dashboard.cast import MATCH, NOBODY, OPERATOR, PAGES, SOURCE, make_app

HOSTILE = "<script>alert('x')</script>\"'&{{7*7}}</pre></textarea>"
LOADING = {"src", "href", "action", "formaction", "poster", "srcset", "data-plotly", "hx-get"}


class Seen(HTMLParser):
    """The elements of a page, and its visible text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.shown: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.shown.append(data)

    @property
    def text(self) -> str:
        """Returns all text, with each run of spaces made one."""
        return " ".join("".join(self.shown).split())


def get(path: str, source: Source = SOURCE) -> Seen:
    """The page at this address."""
    answer = make_app(source).test_client().get(path)
    assert answer.status_code == 200, path
    return Seen(answer.text)


def pages_of(source: Source) -> list[str]:
    """Returns the addresses of all pages; for a platform without bots, those that it has."""
    return [path for path in PAGES if source is not cast.EMPTY or "/versions/" not in path]


@pytest.mark.parametrize("source", [SOURCE, NOBODY, OPERATOR, cast.EMPTY])
def test_no_page_holds_an_address_outside_our_own(source: Source) -> None:
    client = make_app(source).test_client()
    for path in pages_of(source):
        answer = client.get(path, follow_redirects=True)
        assert answer.status_code == 200, path
        seen = Seen(answer.text)
        addresses = [
            value for _, attrs in seen.elements for name, value in attrs.items() if name in LOADING
        ]
        assert addresses, path
        for address in addresses:
            if (path, address) == ("/login/openid/out", source.openid_out()):
                continue
            assert address.startswith(("/", "#")), f"{path} holds {address}"
            assert not address.startswith("//"), f"{path} holds {address}"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_keeps_to_the_content_policy(path: str) -> None:
    for tag, attrs in get(path).elements:
        assert "style" not in attrs, tag
        assert not [name for name in attrs if name.startswith("on")], tag
        inline = tag == "style" or (tag == "script" and "src" not in attrs)
        assert not inline or "nonce" in attrs or attrs.get("type") == "application/json"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_one_heading_and_a_title(path: str) -> None:
    tags = [tag for tag, _ in get(path).elements]
    assert tags.count("h1") == 1
    assert tags[: tags.index("body")].count("title") == 1  # a drawing below may have its own


@pytest.mark.parametrize("path", ["/seasons/7", "/leagues/cup"])
def test_a_game_that_is_no_longer_installed_has_no_link_to_its_rules(path: str) -> None:
    gone = replace(
        SOURCE,
        season=lambda number: seasons.season(number, game="gone", title="Gone"),
        league=lambda name: seasons.league(name, game="gone", title="Gone"),
    )
    here, there = get(path), get(path, gone)
    assert ("a", {"href": "/games/bomb"}) in here.elements
    assert "Gone" in there.text
    assert not any("/games/" in seen.get("href", "") for _, seen in there.elements)


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in PAGES
        if re.fullmatch(r"/bots/alice/careful(/versions/\d+(/source)?)?", path)
    ],
)
def test_a_bot_of_a_game_that_is_no_longer_installed_has_no_link_to_its_workbench(
    path: str,
) -> None:
    gone = replace(SOURCE, bot=lambda owner, name: cast.bot(owner, name, game="gone"))
    assert not any("/submit?" in seen.get("href", "") for _, seen in get(path, gone).elements)


def test_every_form_carries_its_token() -> None:
    for source in (SOURCE, OPERATOR, cast.EMPTY):
        for path in pages_of(source):
            seen = get(path, source)
            posts = [a for tag, a in seen.elements if tag == "form" and a.get("method") == "post"]
            tokens = [a for _, a in seen.elements if a.get("name") == "csrf_token"]
            assert len(posts) == len(tokens), path


def test_the_leaderboard_says_who_leads_and_shows_figure_and_table() -> None:
    seen = get("/leaderboards/bomb?columns=more")
    assert "alice/careful leads, but house/medium may be as strong." in seen.text
    assert "1642 ± 18" in seen.text
    assert "2 1–3" in seen.text
    assert "provisional" in seen.text
    figures = [attrs for tag, attrs in seen.elements if "data-figure" in attrs]
    assert len(figures) == 1


LACK: dict[str, Any] = {
    "chi_square": 12.0, "freedom": 3.0, "p": 0.002,
    "worst": [{"first": "eve/b1", "first_version": 1, "second": "eve/b2", "second_version": 1,
               "games": 40, "share": 0.75, "expected": 0.5, "z": 3.2}],
}  # fmt: skip


def board_page(*lines: BoardLine, **more: Any) -> str:
    """The text of a leaderboard's page with all its columns."""
    told = cast.board(*lines, **more)
    return get(
        "/leaderboards/bomb?columns=more", replace(SOURCE, leaderboard=lambda game: told)
    ).text


def test_a_board_tells_how_likely_each_is_the_best_where_that_is_known() -> None:
    def two(**more: Any) -> list[BoardLine]:
        return [cast.line(at, f"eve/b{at}", 1500.0, 9.0, 50, **more) for at in (1, 2)]

    assert "is truly the best of all" not in board_page(*two())
    sure = board_page(*two(p_champion=0.627, p_better=0.8))
    assert "62.7%" in sure
    assert "80.0%" in sure
    assert "The probability that the bot is truly the best of all" in sure
    provisional_top = [replace(two()[0]), cast.line(2, "eve/b2", 1500.0, 9.0, 50, p_champion=0.5)]
    assert "50.0%" in board_page(*provisional_top)


def test_a_board_says_in_words_what_ranks_and_which_pairs_fit_worst() -> None:
    line = cast.line(1, "eve/b1", 1500.0, 9.0, 50, score=0.61, score_ci95=[0.6, 0.62], nash=-3.0)
    borda = board_page(line, by="borda", lack=LACK)
    assert "predicts some of these results wrongly. So Elo would mislead" in borda
    assert "against the present field" in borda
    assert "eve/b1 took 75% of 40 bouts against eve/b2, where 50% were expected" in borda
    assert "61.0% ± 1.0" in borda
    assert "1500 ± 9" in borda  # Elo keeps its interval on a board that another figure ranks
    assert "Nash" not in borda  # it has none
    assert "−3" not in borda
    close = board_page(line, lack=LACK)
    assert "does not predict these results exactly. But no pair is known to be off" in close
    assert "where 50% were expected" in close
    worst = {**LACK["worst"][0], "share": 0.914, "expected": 0.906}
    assert "took 91.4% of 40 bouts against eve/b2, where 90.6% were expected" in board_page(
        line, lack={**LACK, "worst": [worst]}
    )
    fits = board_page(line, lack={**LACK, "p": 0.4})
    assert "100 above another is expected to take 64% of their points, at 200 above 76%" in fits
    assert "less if a seat has a great advantage" in fits
    assert "As far as the deals can tell, that predicts these results." in fits
    for absent in ("were expected", "beat one that"):
        assert absent not in fits
    assert "Too few pairs have met" in board_page(line)
    assert "the number of deals (6,035 deals so far), not of bouts" in fits


def test_only_a_bot_that_surely_beats_a_higher_one_is_called_an_upset() -> None:
    line = cast.line(1, "eve/b1", 1500.0, 9.0, 50, score=0.61, score_ci95=[0.6, 0.62], nash=-3.0)
    upset = {"winner": "eve/b2", "loser": "eve/b1", "games": 400, "share": 0.62}
    seen = board_page(line, by="borda", lack=LACK, upsets=[upset])
    assert "some bots beat one that ranks above them" in seen
    assert "eve/b2 took 62% of 400 bouts against eve/b1, which ranks higher" in seen
    assert "beat one that ranks above" not in board_page(line, by="borda", lack=LACK)


def test_a_score_that_rests_on_pairs_that_never_met_says_so() -> None:
    def seen(**more: Any) -> str:
        scored = {"score": 0.97, "score_ci95": [0.9, 1.0], "nash": 0.0, **more}
        return board_page(cast.line(1, "eve/b1", 1500.0, 9.0, 50, **scored), by="borda", lack=LACK)

    assert "97.0% (90.0 to 100.0) 1 of 4 estimated" in seen(opponents=4, estimated=1)
    assert "of 4 estimated" not in seen(opponents=4, estimated=0)


def test_the_bouts_stand_beside_the_matches_that_they_make() -> None:
    narrow = cast.line(1, "eve/b1", 1500.0, 9.0, 1, bout_wins=501, bout_losses=499)
    before = cast.line(2, "eve/b2", 1500.0, 9.0, 1)
    page = board_page(narrow, before)
    assert "501–0–499" in page
    assert "0–0–0" not in page  # a board from before bouts were counted
    assert "A match has many bouts" in page
    assert "W–D–L" not in board_page(narrow, cooperative=True)


def test_ties_and_ranges_are_shown_as_such() -> None:
    level = [cast.line(1, bot, 1500.0, 9.0, 50, rank_range=[1, 3]) for bot in ("a/a", "b/b")]
    seen = board_page(
        *level, cast.line(3, "c/c", 1400.0, 9.0, 50, rank_range=[3, 3], out="suspended")
    )
    assert "a/a and b/b share the lead" in seen
    assert seen.count(" = 1–3") == 2
    assert "suspended" in seen


def test_uncertain_ranks_show_their_range_also_without_more_columns() -> None:
    level = [cast.line(1, bot, 1500.0, 9.0, 50, rank_range=[1, 2]) for bot in ("a/a", "b/b")]
    told = cast.board(*level, cast.line(3, "c/c", 1400.0, 9.0, 50, rank_range=[3, 3]))
    page = get("/leaderboards/bomb", replace(SOURCE, leaderboard=lambda game: told)).text
    assert page.count(" = (1–2)") == 2
    assert "(3" not in page
    assert "The ranks that the bot may truly hold are in brackets" in page


def test_mixed_teams_have_a_board_of_their_own() -> None:
    own = cast.line(
        1, "eve/b1", None, 0.0, 9, score=60.0, score_ci95=[58.0, 62.0], mixed_rank=2,
        mixed_range=[1, 2], mixed_score=51.25, mixed_ci95=[50.0, 52.5],
    )  # fmt: skip
    seen = board_page(own, cooperative=True)
    assert "In mixed teams" in seen
    assert "51.2 ± 1.2" in seen
    assert "60.0 ± 2.0" in seen
    assert "In mixed teams" not in board_page(replace(own, mixed_rank=None), cooperative=True)


def test_the_leaderboard_is_there_as_csv_and_json() -> None:
    client = make_app().test_client()
    table = client.get("/leaderboards/bomb.csv")
    assert table.mimetype == "text/csv"
    assert len(list(csv.DictReader(table.text.splitlines()))) == 6
    assert client.get("/leaderboards/bomb.json").json == cast.BOARD.plain()
    assert client.get("/seasons/7.csv").status_code == 200
    assert b"Autumn 2026" in client.get("/seasons/7.json").data


def test_a_long_leaderboard_says_that_its_figure_stops() -> None:
    lines = [cast.line(rank, f"bob/b{rank}", 2000.0 - rank, 9.0, 50) for rank in range(1, 50)]
    seen = get("/leaderboards/bomb", replace(SOURCE, leaderboard=lambda game: cast.board(*lines)))
    assert "The first 40 are drawn; the table has all." in seen.text
    assert "bob/b49" in seen.text
    assert "are drawn" not in get("/leaderboards/bomb").text


def test_the_plotting_script_is_loaded_by_no_page_at_once() -> None:
    for path in PAGES:
        scripts = [a.get("src", "") for tag, a in get(path).elements if tag == "script"]
        assert not [src for src in scripts if "plotly" in src]


def test_a_time_is_said_in_words_with_the_exact_one_on_hover() -> None:
    seen = get("/matches")
    times = [attrs for tag, attrs in seen.elements if tag == "time"]
    assert times[0] == {"datetime": seasons.EARLIER, "title": "2026-11-21 11:57:00 UTC"}
    assert "3 min ago" in seen.text


@pytest.mark.parametrize(
    "path, words",
    [
        ("/", "No match has finished yet"),
        ("/", "submit the first"),
        ("/", "The next upload starts new matches"),
        ("/games/bomb", "Nobody plays yet"),
        ("/leaderboards/bomb", "Submit the first bot"),
        ("/bots/alice/careful", "No match yet"),
        ("/matches", "No match fits"),
        ("/seasons", "No season yet"),
        ("/seasons/7", "Nobody has entered yet"),
        ("/account", "You have no bot yet"),
        ("/admin", "Nothing is parked, so no job waits for your decision"),
        ("/admin", "No arena has reported yet"),
    ],
)
def test_an_empty_page_says_what_to_do_first(path: str, words: str) -> None:
    assert words in get(path, cast.EMPTY).text


def test_a_refused_version_shows_the_verdict_the_reason_and_the_line() -> None:
    seen = get("/bots/alice/careful/versions/3")
    assert "Refused. Your bot ended with an error." in seen.text
    assert "SyntaxError: expected ':' (player.py, line 5)" in seen.text
    wrong = [attrs for _, attrs in seen.elements if attrs.get("class") == "line wrong"]
    assert len(wrong) == 1
    assert "→ 5 def turn(self, game_data, play_a_card)" in seen.text


def test_a_refused_version_keeps_its_verdict_when_its_file_is_removed() -> None:
    gone = make_app(replace(SOURCE, file_of=lambda owner, name, number: b"")).test_client()
    page = gone.get("/bots/alice/careful/versions/3").text
    assert "Refused. Your bot ended with an error." in page
    assert "Its file was removed, since it was refused." in page
    assert "Submit a fixed version" in page
    assert "Its source" not in page
    source = gone.get("/bots/alice/careful/versions/3/source")
    assert source.status_code == 404
    assert "no file of version 3: the version was refused" in source.text


def test_a_pending_version_asks_again_by_itself_and_a_settled_one_does_not() -> None:
    for number, asks in ((4, 1), (3, 0), (2, 0)):
        seen = get(f"/bots/alice/careful/versions/{number}")
        found = [attrs for _, attrs in seen.elements if attrs.get("hx-trigger") == "every 1s"]
        assert len(found) == asks


def test_an_unrepeatable_version_says_what_that_means() -> None:
    assert "it reads a clock" in get("/bots/alice/careful/versions/2").text


def test_a_version_that_keeps_state_says_what_that_means() -> None:
    assert "keeps state" in get("/bots/alice/careful").text
    assert "a fresh process plays each of its bouts" in get("/bots/alice/careful/versions/2").text
    assert "keeps state" not in get("/bots/alice/careful/versions/3").text


def test_a_version_that_is_not_there_is_told() -> None:
    assert make_app().test_client().get("/bots/alice/careful/versions/9").status_code == 404


def test_a_short_name_leads_to_the_bot() -> None:
    answer = make_app().test_client().get("/bots/careful")
    assert answer.headers["Location"] == "/bots/alice/careful"


def test_the_match_page_shows_the_step_that_is_asked_for() -> None:
    told = cast.steps(MATCH, 4, 1).steps
    seen = get(f"/matches/{MATCH}?bout=4&step=3&seat=1")
    assert "Bout 5" in seen.text
    assert " ".join(told[3].text.split()) in seen.text
    marked = [tag for tag, attrs in seen.elements if attrs.get("aria-current") == "step"]
    assert marked == ["li"]
    assert "house/medium forfeited after 4 moves: crash. ValueError: no such card" in seen.text
    assert "svg" in [tag for tag, _ in seen.elements]


@pytest.mark.parametrize(
    ("typed", "asked"), [("%20Alice/Careful%20", "alice/careful"), ("careful", "alice/careful")]
)
def test_a_bot_may_be_typed_with_capitals_blanks_or_without_its_owner(
    typed: str, asked: str
) -> None:
    found: list[Any] = []

    def matches(**filters: Any) -> Any:
        found.append(filters["bot"])
        return SOURCE.matches(**filters)

    get(f"/matches?bot={typed}", replace(SOURCE, matches=matches))
    assert found == [asked]


def test_a_list_of_matches_says_that_there_is_no_such_bot() -> None:
    def several(name: str) -> NoReturn:
        raise NotFound(f"several bots are called {name!r}: a/x, b/x; name the owner too")

    empty = replace(cast.EMPTY, bot=cast.bot)
    assert "There is no bot alice/nobody." in get("/matches?bot=alice/nobody", empty).text
    assert "There is no bot bob/." in get("/matches?bot=careful&opponent=bob/", empty).text
    page = get("/matches?bot=x", replace(SOURCE, find_bot=several)).text
    assert "a/x, b/x; name the owner too." in page
    assert "No match fits" in get("/matches?bot=alice/careful", empty).text
    assert "There is no game 'chess' here" in get("/matches?game=chess", empty).text
    for version in ("0", "-1", "two", "9" * 10):
        path = f"/matches?bot=alice/careful&version={version}"
        refused = make_app(empty).test_client().get(path)
        assert refused.status_code == 422
        assert "it must be a whole number from 1 to 999999999" in refused.text
        assert 'name="version"' in refused.text


@pytest.mark.parametrize("name", ["fault", "rated"])
def test_a_flag_of_a_list_of_matches_is_set_or_left_out(name: str) -> None:
    asked: list[Any] = []

    def matches(**filters: Any) -> Any:
        asked.append(filters.get(name))
        return SOURCE.matches(**filters)

    client = make_app(replace(SOURCE, matches=matches)).test_client()
    for text in ("1", "True", ""):
        assert client.get(f"/matches?{name}={text}").status_code == 200
    assert asked == [True, True, None]
    for text in ("0", "no"):
        refused = client.get(f"/matches?{name}={text}")
        assert refused.status_code == 422
        assert f"{name.capitalize()} is {text!r}; it must be 1, or left out" in unescape(
            refused.text
        )
        assert not re.search(rf'name="{name}"[^>]* checked', refused.text)
    assert len(asked) == 3


def test_a_filter_of_matches_that_is_refused_stays_in_its_form() -> None:
    def refuse(**filters: Any) -> NoReturn:
        raise BadOption(f"there is no state {filters['state']!r}")

    refused = make_app(replace(SOURCE, matches=refuse)).test_client().get("/matches?state=odd")
    assert refused.status_code == 422
    assert "There is no state 'odd'." in unescape(refused.text)
    assert 'name="state"' in refused.text


def test_an_address_that_names_a_move_leads_to_its_step() -> None:
    kinds = [(None, False), (None, False), (0, False), (1, True), (1, False), (None, False)]
    steps = [DrawnStep(seat, "", None, event=fault, fault=fault) for seat, fault in kinds]
    app = make_app()
    for move, step in ((1, 2), (2, 4), (9, 5), (-1, 2)):
        with app.test_request_context(f"/?move={move}"):
            assert replays._opened_at(steps) == step


def test_nobody_goes_on_from_a_step_after_a_forfeit_or_after_the_last_move() -> None:
    def moves(*steps: tuple[int | None, FaultKind | None]) -> list[int | None]:
        shown = [Step(seat=seat, text="", move=None, view=None, fault=kind) for seat, kind in steps]
        return playback.moves_before(shown)

    start, chance, end = (None, None), (CHANCE, None), (None, None)
    one, two = (0, None), (1, None)
    assert moves(start, one, chance, two, one, end) == [0, 1, 1, 2, None, None]
    assert moves(start, one, (1, "timeout"), one, end) == [0, 1, None, None, None]
    assert moves(start, end) == [None, None]


def test_a_team_s_match_tells_its_score_and_no_winner() -> None:
    bouts = [cast.bout(number, scores=[40, 40]) for number in range(10)]
    team = [one.model_copy(update={"points": None}) for one in cast.match(MATCH).entrants]
    told = cast.match(MATCH, score=41.25, bouts=bouts, entrants=team)
    seen = get(f"/matches/{MATCH}", replace(SOURCE, match=lambda match: told))
    assert "alice/careful v2 with house/medium v1 41.2 points a bout" in seen.text
    assert "40 points for the team" in seen.text
    assert "%" not in seen.text
    assert " won" not in seen.text


@pytest.mark.parametrize("query", ["bout=99&step=999", "bout=-1&step=-5", "bout=x&seat=7&step=1e9"])
def test_a_step_out_of_range_is_brought_into_it(query: str) -> None:
    get(f"/matches/{MATCH}?{query}")


def test_the_steps_of_a_bout_come_drawn_in_one_answer() -> None:
    client = make_app().test_client()
    answer: Any = client.get(f"/matches/{MATCH}/bouts/2.json?seat=table").json
    told = cast.steps(MATCH, 2, None).steps
    assert [one["text"] for one in answer["steps"][1:-1]] == [one.text for one in told[1:-1]]
    assert answer["steps"][-1]["text"] == "careful wins: the bomb blew up"
    for one, step in zip(answer["steps"], told, strict=True):
        svg = "".join(answer["pieces"][piece] for piece in one["board"])
        assert "careful: " in re.sub("<[^>]*>", "", svg)
        assert "eat 0" not in svg
        assert f"discard pile {len(step.view['discard'])}." in svg
    assert set(answer["steps"][0]) == {"seat", "text", "board", "event", "moves"}
    assert client.get(f"/matches/{MATCH}/bouts/10.json").status_code == 404


@pytest.mark.parametrize("state", ["queued", "running", "parked", "void", "finished"])
def test_a_match_under_embargo_tells_its_state_and_no_more(state: str) -> None:
    def refused(*asked: object) -> NoReturn:
        raise Forbidden("the embargo is not over")

    told = cast.waiting(state, embargo="match 5 shares a deal with a match that is not over")
    source = replace(SOURCE, match=lambda match: told, steps=refused, match_log=refused)
    seen = get(f"/matches/{MATCH}", source)
    assert "alice/careful" in seen.text
    assert "Transcript" not in seen.text
    asks = any("hx-get" in attrs for _, attrs in seen.elements)
    assert asks == (state in ("queued", "running", "finished"))
    why = "Match 5 shares a deal with a match that is not over." in seen.text
    assert why == (state == "finished")
    assert ("shown when it is over" in seen.text) == (state in ("queued", "running"))


def test_a_void_match_says_above_its_replay_that_it_counts_nowhere() -> None:
    void = cast.match(MATCH, state="void", void_why="no disk")
    page = get(f"/matches/{MATCH}", replace(SOURCE, match=lambda match: void)).text
    assert page.count("Void: it counts nowhere: no disk.") == 1
    assert page.index("Void: it counts nowhere") < page.index("Transcript")


def test_an_operator_is_offered_no_new_version_of_somebody_else_s_bot() -> None:
    assert "Submit a new version" in get("/bots/alice/careful").text
    assert "Submit a new version" not in get("/bots/alice/careful", OPERATOR).text


def test_a_bot_s_output_is_asked_for_only_by_those_who_may() -> None:
    def refused(match: str) -> NoReturn:
        raise Forbidden("not yours")

    others = replace(NOBODY, match=lambda match: cast.match(match, mine=False), match_log=refused)
    assert "The bots' output" not in get(f"/matches/{MATCH}", others).text
    assert "drew a card" in get(f"/matches/{MATCH}").text


def test_what_ones_own_player_reported_stands_in_the_transcript_of_its_bout() -> None:
    text = get(f"/matches/{MATCH}").text
    assert '{"doubt": 0.5}' in text
    assert "another bout's" not in text


def test_what_strangers_wrote_is_shown_as_text() -> None:
    wrong = cast.report("crash", HOSTILE, log=HOSTILE)
    bot = cast.bot("alice", "careful", versions=[cast.version(1, "refused", wrong)])
    fault = Fault(step=1, seat=0, kind="crash", detail=HOSTILE)
    match = cast.match(MATCH, bouts=[cast.bout(0, why=HOSTILE, faults=[fault])])
    start = cast.steps(MATCH, 0, None).steps[0]
    said = start.model_copy(update={"seat": 0, "text": HOSTILE})
    steps = Steps(bout=cast.bout(0), steps=[said])
    source = replace(
        OPERATOR,
        bot=lambda owner, name: bot,
        match=lambda match_id: match,
        steps=lambda match_id, bout, seat: steps,
        match_log=lambda match_id: [
            cast.LOG.model_copy(update={"bot": HOSTILE, "text": HOSTILE, "diagnostics": []})
        ],
        file_of=lambda owner, name, number: HOSTILE.encode(),
        uploads_closed=lambda: HOSTILE,
        leaderboard=lambda game: cast.board(cast.line(1, f"eve/{HOSTILE}", 1500.0, 9.0, 5)),
    )
    for path in (
        "/", "/leaderboards/bomb", "/bots/alice/careful", "/bots/alice/careful/versions/1",
        f"/matches/{MATCH}", "/submit",
    ):  # fmt: skip
        seen = get(path, source)
        bare = [a for tag, a in seen.elements if tag == "script" and not a.get("src")]
        assert all(attrs.get("type") == "application/json" for attrs in bare), path
        assert "49" not in [part.strip() for part in seen.shown], path


def test_who_is_not_logged_in_is_sent_to_the_login_and_back() -> None:
    client = make_app(NOBODY).test_client()
    for path in ("/account", "/admin"):
        assert client.get(path).headers["Location"] == f"/login?next={path}"


def test_an_operator_without_a_wall_reads_where_to_look() -> None:
    links = [attrs.get("href") for tag, attrs in get("/admin").elements if tag == "a"]
    assert "/docs/operate#no-walled-box" in links


def test_the_first_operator_s_link_works_only_while_it_is_open() -> None:
    assert "This link works once" in get("/first/good").text
    assert "has been used" in get("/first/other").text


@pytest.mark.parametrize(
    "path, goes",
    [("/submit?x=1", "/submit?x=1"), ("//evil.example", "/"), ("/\\evil.example", "/"),
     ("https://evil.example", "/"), ("javascript:alert(1)", "/"), ("/a\nb", "/"), ("", "/")],
)  # fmt: skip
def test_a_login_leads_back_to_our_own_pages_only(path: str, goes: str) -> None:
    assert own_path(path) == goes


def test_a_game_without_a_league_yet_is_no_trouble_to_other_pages() -> None:
    def missing(game: str) -> NoReturn:
        raise NotFound("no league yet")

    source = replace(SOURCE, leaderboard=missing)
    assert "submit the first" in get("/", source).text
    assert "Nobody plays yet" in get("/games/bomb", source).text


def test_only_operators_see_what_operators_do() -> None:
    assert "A new season" in get("/seasons", OPERATOR).text
    assert "A new season" not in get("/seasons").text
    assert "Operate" in get("/", OPERATOR).text
    assert "Operate" not in get("/").text


@pytest.mark.parametrize(
    "path",
    ["/seasons/99999999999999999999", "/bots/alice/careful/versions/99999999999999999999"],
)
def test_what_no_row_can_hold_is_not_asked_for(path: str) -> None:
    assert make_app().test_client().get(path).status_code == 404


def test_what_is_not_there_is_told_by_the_app() -> None:
    def missing(*asked: object) -> NoReturn:
        raise NotFound("there is no such thing")

    source = replace(SOURCE, leaderboard=missing, season=missing)
    client = make_app(source).test_client()
    for path in ("/leaderboards/chess", "/games/chess", "/seasons/8", "/bots/eve/x"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "To the first page" in Seen(answer.text).text


def test_an_accepted_version_that_does_not_play_says_so_and_can_be_chosen() -> None:
    page = get("/bots/alice/careful/versions/1")
    assert "It does not play: version 2 plays for this bot." in page.text
    forms = [one["action"] for tag, one in page.elements if tag == "form" and "action" in one]
    assert "/bots/alice/careful/activate" in forms
    assert "It does not play" not in get("/bots/alice/careful/versions/2").text


def test_a_report_of_a_bot_that_never_ran_has_no_zeros() -> None:
    told = cast.report("crash", "SyntaxError: expected ':'", log="line 1").model_copy(
        update={"games": 0, "cpu_ms_per_decision": 0.0}
    )
    versions = [cast.version(3, "refused", told)]
    source = replace(SOURCE, bot=lambda owner, name: cast.bot(owner, name, versions=versions))
    page = get("/bots/alice/careful/versions/3", source).text
    assert "Refused." in page
    assert "Bouts tried" not in page
    assert "Time for a decision" not in page
    assert "Its output and tracebacks" in page
    assert "Time for a decision" in get("/bots/alice/careful/versions/2").text


def test_a_notice_is_text_with_a_short_link() -> None:
    page = make_app().test_client().get("/inbox").text
    text = '<span id="notice-8">alice/careful rose from rank 3 to 2 of 6</span>'
    assert f'{text} <a href="/seasons/7" aria-describedby="notice-8">See it</a>' in page


@pytest.mark.parametrize(
    ("ranks", "matches", "told"),
    [
        ((1, 2), 7, "2 bots after 7 matches; alice/careful leads."),
        ((1, 1), 7, "2 bots after 7 matches."),
        ((1, 2), 0, "2 bots after 0 matches."),
    ],
)
def test_a_game_s_page_names_a_leader_only_if_there_is_one(
    ranks: tuple[int, int], matches: int, told: str
) -> None:
    bots = zip(ranks, ("alice/careful", "bob/ledger"), strict=True)
    lines = [cast.line(rank, bot, 1500.0, 20.0, matches) for rank, bot in bots]
    board = cast.board(*lines, matches=matches)
    assert told in get("/games/bomb", replace(SOURCE, leaderboard=lambda game: board)).text


@pytest.mark.parametrize("source", [SOURCE, OPERATOR])
def test_buttons_that_do_different_things_have_different_names(source: Source) -> None:
    client = make_app(source).test_client()
    button = r'<form class="inline"(.*?)<button class="[^"]*"(?: aria-label="([^"]*)")?>(.*?)<'
    token = re.compile(r'<input type="hidden" name="csrf_token"[^>]*>')
    for path in pages_of(source):
        done: dict[str, set[str]] = {}
        page = client.get(path, follow_redirects=True).text
        for does, label, text in re.findall(button, page, re.DOTALL):
            assert label.startswith(text) or not label
            done.setdefault(label or text, set()).add(token.sub("", does))
        assert {name: what for name, what in done.items() if len(what) > 1} == {}, path
