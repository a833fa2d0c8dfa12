from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import Any

import pytest

from dashboard import bot_pages
from dashboard.source import Source
from matchbox.answers.board_figures import Opponents
from matchbox.answers.bots import Bot
from matchbox.answers.matches import Matches
from tests.unit.dashboard import cast, compared, counted
from tests.unit.dashboard.cast import SOURCE, make_app
from tests.unit.dashboard.counted import opponent
from tests.unit.dashboard.seasons import EARLIER


def text(path: str, source: Source = SOURCE) -> str:
    """The words of a page, without markup."""
    html = make_app(source).test_client().get(path).text
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_the_headline_is_that_of_the_version_that_plays() -> None:
    assert "Version 2: 1642 ± 18 Elo, rank 1" in text("/bots/alice/careful")
    later = replace(SOURCE, bot=lambda owner, name: cast.bot(owner, name, active=4))
    fresh = text("/bots/alice/careful", later)
    assert "Version 4 plays Bomb ; it is not rated yet" in fresh
    assert "1642 ± 18 Elo, rank" not in fresh
    assert "Earlier: version 3 1475 ± 40 Elo" in fresh


def test_a_bot_is_shown_with_the_figure_by_which_its_board_ranks() -> None:
    line = replace(cast.BOARD.lines[0], score=0.612, score_ci95=(0.598, 0.626))
    source = replace(
        SOURCE,
        bot=lambda owner, name: cast.bot(owner, name, standing=line),
        author=lambda name: counted.author(name, cast.CAREFUL, line),
    )
    expected = "61.2% ± 1.4 expected score"
    assert f"Version 2: {expected}, rank 1" in text("/bots/alice/careful", source)
    assert expected in text("/authors/alice", source)
    for path in ("/bots/alice/careful", "/authors/alice"):
        assert "1642 ± 18" not in text(path, source)


def test_a_retired_bot_is_marked() -> None:
    gone = replace(
        SOURCE, bot=lambda owner, name: cast.bot(owner, name, retired_at=EARLIER, active=None)
    )
    assert "retired 3 min ago ; its matches are kept" in text("/bots/alice/careful", gone)


def test_the_pages_of_a_closed_account_promise_no_matches() -> None:
    version = cast.version(1, "active", cast.report("accepted"))

    def bot(owner: str, name: str) -> Bot:
        return cast.bot(owner, name, versions=[version], active=1, standing=None, closed=True)

    gone = replace(
        SOURCE,
        bot=bot,
        matches=lambda **_: Matches(items=[], next=None),
        author=lambda name: SOURCE.author(name).model_copy(update={"closed": True}),
    )
    for path in ("/bots/alice/careful", "/bots/alice/careful/versions/1", "/authors/alice"):
        shown = text(path, gone)
        assert "not rated yet" not in shown
        assert "from now on" not in shown
        assert "being paired" not in shown
        assert ("account closed" in shown) == ("versions" not in path)


def test_what_is_sure_is_said_in_words() -> None:
    items = [opponent("b/low", 0.3), opponent("b/even", 0.5), opponent("b/high", 0.8)]
    assert bot_pages.strengths(items) == [
        "Weak against b/low (30.0%).",
        "Strong against b/high (80.0%).",
        "Against one opponent nothing is settled: the 95% interval contains 50%.",
    ]
    assert bot_pages.strengths([]) == []
    many = [opponent(f"b/{at}", 0.2 + at / 100) for at in range(6)]
    assert bot_pages.strengths(many) == [
        "Weak against b/0 (20.0%), b/1 (21.0%), b/2 (22.0%) and 3 more."
    ]


def test_each_opponent_leads_to_the_matches_that_were_lost() -> None:
    html = make_app().test_client().get("/bots/alice/careful").text
    assert "opponent=house/medium" in html
    assert "result=lost&amp;rated=1" in html
    assert text("/bots/alice/careful").count("retired") == 1


def test_a_match_that_is_opened_from_a_bot_begins_with_the_first_bout_that_bot_lost() -> None:
    client = make_app().test_client()
    links = re.findall(
        r'href="(/matches/[^"]+)"', client.get("/bots/house/medium?part=recent").text
    )
    assert f"/matches/{cast.MATCH}?for=house/medium" in links
    listed = client.get("/matches?bot=house/medium").text
    assert f"/matches/{cast.MATCH}?for=house/medium" in listed
    assert f'/matches/{cast.MATCH}"' in client.get("/matches").text

    def shown(query: str) -> int:
        page = client.get(f"/matches/{cast.MATCH}{query}").text
        (number,) = re.findall(r'<h2 id="bout-title">Bout (\d+) ', page)
        return int(number) - 1

    found = cast.match(cast.MATCH)
    who = {one.bot: at for at, one in enumerate(found.entrants)}
    first = {
        name: next(
            at
            for at, bout in enumerate(found.bouts or [])
            if bout.places[bout.seats.index(entrant)] > 1
        )
        for name, entrant in who.items()
    }
    assert len(set(first.values())) == 2
    assert shown("?for=house/medium") == first["house/medium"]
    assert shown("?for=alice/careful") == first["alice/careful"] == shown("")
    assert shown("?for=nobody/here") == shown("")
    page = client.get(f"/matches/{cast.MATCH}?for=house/medium").text
    assert "coloured as house/medium sees it" in page
    assert "for=house/medium" in page.partition('id="bouts"')[2].partition("</ol>")[0]


def test_the_processor_time_of_matches_stands_beside_that_of_the_try_out() -> None:
    told = text("/bots/alice/careful")
    assert "in its try-out: 0.084 ms . Per bout in its newest rated matches: 3.25 ms ." in told
    assert "Most memory in its try-out: 24.0 MiB , Python’s own included." in told
    none = replace(SOURCE, bot=lambda owner, name: cast.bot(owner, name, cpu_ms_per_bout=None))
    assert "newest rated matches" not in text("/bots/alice/careful", none)


def test_each_version_of_an_opponent_has_its_own_line() -> None:
    items = [opponent("b/low", 0.3, version=2), opponent("b/low", 0.3, version=1, lately=[])]
    found = Opponents(version=2, items=items, met=2)
    met = replace(SOURCE, results_by_opponent=lambda *asked: found)
    html = make_app(met).test_client().get("/bots/alice/careful").text
    assert html.count('data-label="Newest matches" class="bare"><svg') == 1


def test_a_bot_with_many_opponents_lists_those_that_it_has_met_most() -> None:
    items = [opponent(f"b/b{at}", at / 3214) for at in range(3214)]

    def met(owner: str, name: str, most: int, page: int = 1) -> Opponents:
        shown = items[(page - 1) * most : page * most]
        return Opponents(version=2, items=shown, met=len(items))

    crowded = replace(
        SOURCE,
        results_by_opponent=met,
        all_opponents=lambda owner, name: (Opponents(version=2, items=[], met=3214), iter(items)),
    )
    client = make_app(crowded).test_client()
    html = client.get("/bots/alice/careful").text
    assert html.count('data-label="Opponent"') == bot_pages.LISTED == 20
    assert 'href="/bots/alice/careful/opponents"' in html
    said = text("/bots/alice/careful", crowded)
    assert "against the 20 opponents it has met most, of 3,214, the hardest first" in said
    assert "Of the 20 that it has met most: Weak against b/b0 (0.0%)" in said
    assert "All 3,214 opponents · CSV" in said
    rows = client.get("/bots/alice/careful/opponents.csv").text
    assert len(rows.splitlines()) == 1 + 3214
    last = client.get("/bots/alice/careful/opponents?page=99").text
    assert last.count('data-label="Opponent"') == 3214 % bot_pages.PAGE_SIZE
    assert "against 3,214 opponents, the hardest first" in last
    assert 'href="/bots/alice/careful/opponents?page=1"' in last
    assert "met most" not in text("/bots/alice/careful")


def test_a_bot_with_many_versions_lists_the_newest_and_the_one_that_plays() -> None:
    def of_many(owner: str, name: str) -> Bot:
        found = cast.bot(owner, name)
        many = [found.versions[-1].model_copy(update={"number": at}) for at in range(300, 0, -1)]
        return found.model_copy(update={"versions": many, "active": 7})

    client = make_app(replace(SOURCE, bot=of_many)).test_client()
    html = client.get("/bots/alice/careful").text
    assert html.count('data-label="Version" class="number"><a') == bot_pages.VERSIONS + 1
    assert 'versions/281"' in html
    assert 'versions/280"' not in html
    assert 'versions/7"' in html
    assert "300 versions, newest first" in html
    assert 'href="/bots/alice/careful?versions=15#versions"' in html
    second = client.get("/bots/alice/careful?versions=2").text
    assert second.count('data-label="Version" class="number"><a') == bot_pages.VERSIONS
    assert 'versions/280"' in second
    assert "?versions=1#versions" not in make_app().test_client().get("/bots/alice/careful").text


def test_the_opponents_are_there_as_csv_and_json() -> None:
    client = make_app().test_client()
    rows = list(csv.DictReader(client.get("/bots/alice/careful/opponents.csv").text.splitlines()))
    assert [row["bot"] for row in rows] == [one.bot for one in counted.OPPONENTS.items]
    told = client.get("/bots/alice/careful/opponents.json")
    assert told.json == counted.OPPONENTS.plain()


def test_an_author_is_shown_with_all_bots_and_each_bot_leads_there() -> None:
    shown = text("/authors/alice")
    assert "2 bots, 1 of them retired" in shown
    assert "1642 ± 18 Elo" in shown
    assert "/authors/alice" in make_app().test_client().get("/bots/alice/careful").text
    assert make_app().test_client().get("/authors/zoe").status_code == 404


def test_a_bot_that_plays_in_teams_has_won_and_lost_nothing() -> None:
    team = cast.line(1, "alice/careful", None, 0.0, 12, score=41.3, score_ci95=(40.5, 42.1))
    for won, said in ((12, "12 matches: 12 won, 0 drawn, 0 lost."), (0, "<p>12 matches.")):
        line = replace(team, wins=won, draws=0, losses=0)
        bot = cast.bot("alice", "careful", standing=line)
        source = replace(SOURCE, bot=lambda owner, name, bot=bot: bot)
        assert said in make_app(source).test_client().get("/bots/alice/careful").text


def test_a_deleted_author_has_no_name_of_its_own() -> None:
    gone = "deleted-author-7"
    author = SOURCE.author("alice").model_copy(update={"name": gone, "bots": []})
    source = replace(
        SOURCE,
        author=lambda name: author,
        bot=lambda owner, name: cast.bot(owner, name).model_copy(update={"owner": gone}),
    )
    assert "<h1>a deleted author</h1>" in make_app(source).test_client().get("/authors/x").text
    page = make_app(source).test_client().get("/bots/alice/careful").text
    assert f'href="/authors/{gone}">a deleted author</a>' in page
    assert gone not in text(f"/matches?bot={gone}/careful", source)


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("bot=a/b&opponent=c/d&result=lost&version=2&fault=1&rated=1",
         {"bot": "a/b", "opponent": "c/d", "result": "lost", "version": 2, "fault": True,
          "rated": True}),
        ("result=lost&version=2", {}),
    ],
)  # fmt: skip
def test_the_matches_take_these_filters(query: str, asked: dict[str, Any]) -> None:
    seen: list[dict[str, Any]] = []

    def matches(**given: Any) -> Matches:
        seen.append(given)
        return cast.matches()

    client = make_app(replace(SOURCE, matches=matches)).test_client()
    html = client.get(f"/matches?{query}").text
    assert seen == [{**asked, "limit": 30}]
    for key, value in asked.items():
        assert key in html
        assert "cursor=older" in html
        assert str(value) in html or value is True


def test_a_verdict_beside_an_interval_through_nothing_is_explained() -> None:
    def page(**own: Any) -> str:
        row = compared.row(1, llr_bounds=[-2.9, 2.9], state="finished", **own)
        return text("/comparisons/1", replace(SOURCE, comparison=lambda number: row))

    through = page(verdict="better", elo=9.0, ci95=[-1.0, 19.0])
    assert "The verdict and the interval answer different questions" in through
    clear = page(verdict="better", elo=19.0, ci95=[9.0, 29.0])
    assert "answer different questions" not in clear


def test_the_newest_matches_are_asked_for_alone() -> None:
    whole, part = (text(f"/bots/alice/careful{asked}") for asked in ("", "?part=recent"))
    assert part.startswith("Recent matches")
    assert part in whole
    html = make_app().test_client().get("/bots/alice/careful?part=recent").text
    assert 'hx-get="/bots/alice/careful?part=recent"' in html
    assert "<html" not in html


def test_a_comparison_that_is_refused_leaves_the_page_waiting_for_the_verdict() -> None:
    assert cast.bot("alice", "careful").versions[0].state == "pending"
    with make_app().test_request_context("/bots/alice/careful/compare", method="POST"):
        html = bot_pages.bot_page(SOURCE, "alice", "careful", error="no games are left")
    (section,) = re.findall(r'<section id="versions"[^>]*>', html)
    assert 'hx-get="/bots/alice/careful"' in section
    whole = make_app().test_client().get("/bots/alice/careful?versions=2").text
    assert 'hx-get="/bots/alice/careful?versions=2"' in whole


@pytest.mark.parametrize("address", ["/bots/alice/careful", "/bots/alice/careful?part=recent"])
@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({"active": 3}, "No match yet. An active version is paired within a minute"),
        ({"active": None}, "No match yet. It plays once a version is accepted."),
        ({"active": None, "retired_at": EARLIER}, "No match yet."),
    ],
)
def test_a_bot_without_a_match_says_what_it_waits_for(
    address: str, state: dict[str, Any], told: str
) -> None:
    source = replace(
        SOURCE,
        matches=lambda **_: Matches(items=[], next=None),
        bot=lambda owner, name: cast.bot(owner, name, **state),
    )
    shown = text(address, source)
    assert told in shown
    assert ("within a minute" in shown) == (state["active"] is not None)
