"""The parts of a season's page: bracket, rounds, and the coming matches."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

import pytest

from dashboard import seasons as parts
from dashboard.source import Source
from matchbox.answers.courses import Fixture
from matchbox.answers.leagues import Round, Season, Trophy
from matchbox.league.format import Admission, Format, write
from tests.unit.dashboard import seasons
from tests.unit.dashboard.cast import OPERATOR, SOURCE, make_app
from tests.unit.dashboard.test_pages import Seen, get

BOTS: Final = [bot for bot, *_ in seasons.BOTS]
ALICE, MEDIUM, LEDGER, SCARED = BOTS[:4]
KNOCK_OUT = write(Format(kind="knock-out"))
SWISS: Final = [Round(stage="swiss", rests=[], ties=[])]
CYCLE: Final = [Round(stage="cycle", rests=[], ties=[])]


def tied(*levels: list[list[str]], **own: Any) -> Season:
    """A season that has played a group round, followed by these rounds of ties."""
    opened = [Round(stage="group", rests=[], ties=[])]
    opened += [Round(stage="knock-out", rests=[], ties=level) for level in levels]
    return seasons.season(7, **{"rounds": opened, "format": KNOCK_OUT, **own})


def text_of(season: Season, **own: Any) -> str:
    """The text of this season's page."""
    return get("/seasons/7", replace(SOURCE, season=lambda number: season, **own)).text


def labelled(season: Season, label: str) -> list[dict[str, str]]:
    """The attributes of the cells with this label on the season's page."""
    page = get("/seasons/7", replace(SOURCE, season=lambda number: season))
    return [own for _, own in page.elements if own.get("data-label") == label]


def test_a_bracket_goes_up_to_the_final_though_nobody_is_in_it_yet() -> None:
    season = tied([[ALICE, SCARED], [MEDIUM, LEDGER]])
    fixtures = [seasons.fixture(1, 3, 0, 0.25)]
    first, last = parts.bracket(season, seasons.course(7), fixtures)
    assert (first.name, last.name) == ("Semi-finals", "Final")
    assert first.ties[0] == [parts.TieLine(ALICE, 0.75, False), parts.TieLine(SCARED, 0.25, False)]
    assert [place.bot for place in last.ties[0]] == ["", ""]


def test_levels_of_very_many_ties_are_not_drawn_but_lead_to_their_rounds() -> None:
    first = [[f"a/bot-{at}", f"b/bot-{at}"] for at in range(parts.DRAWN + 1)]
    second = [[f"a/bot-{at}", f"a/bot-{at + 1}"] for at in range(0, parts.DRAWN, 2)]
    season = tied(first, first, [*second, [f"a/bot-{parts.DRAWN}"]])
    source = replace(SOURCE, season=lambda number: season, season_fixtures=lambda *_: [])
    page = make_app(source).test_client().get("/seasons/7").text
    assert "<h3>Last 34</h3>" in page
    assert "<h3>Last 66</h3>" not in page
    links = re.findall(r"Earlier ties: Last 66 \((.*?)\)", page)
    assert re.findall(r"round=(\d)#rounds-title", links[0]) == ["2", "3"]
    small = text_of(tied([[ALICE, SCARED], [MEDIUM, LEDGER]]))
    assert "Earlier ties" not in small


def test_points_of_a_swiss_season_follow_its_readable_results() -> None:
    rounds = [Round(stage="swiss", rests=[BOTS[4]], ties=[])] * 2
    season = seasons.season(7, format=write(Format(kind="swiss")), rounds=rounds)
    void = seasons.fixture(1, 1, 2).model_copy(update={"state": "void"})
    fixtures = [
        seasons.fixture(0, 0, 1, 0.75),
        seasons.fixture(0, 2, 3, 0.5),
        seasons.fixture(0, 4, 5, 0.9),
        seasons.fixture(1, 0, 3),
        void,
    ]
    assert season.entrants[4].out == "disqualified"
    assert parts.swiss_points(season, seasons.course(7), fixtures) == {
        BOTS[0]: 1, BOTS[1]: 0.5, BOTS[2]: 1, BOTS[3]: 0.5, BOTS[4]: 2, BOTS[5]: 1,
    }  # fmt: skip


def test_the_board_of_a_swiss_season_alone_shows_points() -> None:
    season = seasons.season(7, format=write(Format(kind="swiss")), rounds=SWISS)
    cells = [own["data-sort"] for own in labelled(season, "Points")]
    assert cells == [
        "1.0",
        "0.0",
        "1.0",
        "0.0",
        "0.0",
        "1.0",
    ]  # The disqualified bot's win is lost.
    assert labelled(seasons.season(7), "Points") == []


def test_a_tie_that_is_played_again_is_one_tie_with_the_mean_of_both() -> None:
    ties = [[ALICE, SCARED], [MEDIUM]]
    season = tied(ties, ties, [[ALICE, MEDIUM]], trophy=Trophy(champion=MEDIUM, shared=[]))
    fixtures = [
        seasons.fixture(1, 0, 3, 0.5),
        seasons.fixture(2, 0, 3, 1.0),
        seasons.fixture(3, 0, 1, 0.2),
    ]
    first, last = parts.bracket(season, seasons.course(7), fixtures)
    assert first.ties == [
        [parts.TieLine(ALICE, 0.75, True), parts.TieLine(SCARED, 0.25, False)],
        [parts.TieLine(MEDIUM, None, True)],
    ]
    assert last.ties == [[parts.TieLine(ALICE, 0.2, False), parts.TieLine(MEDIUM, 0.8, True)]]


def test_a_season_without_a_knock_out_has_no_bracket() -> None:
    assert parts.bracket(seasons.season(7), seasons.course(7), []) == []


def test_the_round_under_way_is_shown_unless_another_is_chosen() -> None:
    season, left = seasons.season(7), seasons.course(7).left
    assert [parts.chosen_round(season, left, one) for one in (None, 1, 99)] == [2, 1, 2]
    assert parts.chosen_round(season, {}, None) == 2, "all are over"
    assert parts.chosen_round(seasons.season(7, rounds=[]), {}, 1) == 0
    present, before = (
        parts.shown_round(season, number, seasons.fixtures(7, [0, 1]), 1) for number in (2, 1)
    )
    assert (present.number, present.finished, present.matches) == (2, 1, 3)
    assert (before.number, before.finished) == (1, 3)


def test_a_round_that_is_opened_while_the_page_is_made_is_shown_the_next_time() -> None:
    season = seasons.season(7, rounds=[Round(stage="cycle", rests=[], ties=[])])
    assert parts.chosen_round(season, {2: 1}, None) == 1


def test_many_rounds_are_few_tabs() -> None:
    season = seasons.season(7, rounds=SWISS * 60)
    shown = parts.tabs(season, {}, 30)
    assert [tab.number for tab in shown] == [1, 0, 28, 29, 30, 31, 32, 0, 60]


def test_a_round_of_many_matches_is_shown_page_by_page() -> None:
    season = seasons.season(7, rounds=[Round(stage="cycle", rests=[], ties=[])])
    made = [seasons.fixture(0, at, at + 1) for at in range(parts.LISTED + 5)]
    first, last, beyond = (parts.shown_round(season, 1, made, page) for page in (1, 2, 9))
    assert first.fixtures + last.fixtures == made
    assert (first.page, first.pages, last.page, last.pages) == (1, 2, 2, 2)
    assert beyond == last
    page = get("/seasons/7", many(season, made))
    assert "?round=1&page=2#rounds-title" in links(page)
    assert "JSON of the API has all" not in page.text


def many(season: Season, made: list[Fixture]) -> Source:
    """The source of a season with these matches."""
    return replace(
        SOURCE,
        season=lambda number: season,
        season_fixtures=lambda number, rounds: made,
        season_course=lambda number: seasons.course(
            7, bots=[f"alice/bot-{at}" for at in range(len(made) + 1)], left={1: len(made)}
        ),
    )


def links(page: Seen) -> set[str]:
    """The links of the page that stay on it, without its path."""
    return {attrs["href"].removeprefix("/seasons/7") for tag, attrs in page.elements if tag == "a"}


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"state": "draft"}, "Only operators see this season"),
        ({"state": "draft", "starts_at": seasons.LATER}, "its league opens no other"),
        ({"state": "open"}, "An operator starts it"),
        ({"state": "paused"}, "until an operator resumes it"),
        ({"state": "cancelled"}, "nobody wins"),
        ({"format": write(Format(kind="swiss"))}, "2 matches of round 2 still to play. The next"),
        ({"format": write(Format(kind="adaptive"))}, "whose order is least certain"),
        ({}, "After it the season is over"),
        ({"format": write(Format(hours=2))}, "Each round begins as soon as the one before"),
        ({"format": write(Format(learning="fresh"))}, "Each round begins as soon as the one"),
        ({"format": write(Format(kind="adaptive", hours=2))}, "Each round begins as soon as"),
        (
            {"format": write(Format(kind="swiss", rounds=2)), "rounds": SWISS * 2},
            "still to play. After it the season is over",
        ),
        (
            {"format": write(Format(kind="swiss")), "rounds": SWISS * 2, "entries": 2},
            "After it the season is over",
        ),
        (
            {"rounds": CYCLE * 2, "game": "skull", "seats": 3, "entries": 4},
            "Further rounds are drawn as soon as these are over",
        ),
        (
            {
                "format": write(Format()),
                "rounds": CYCLE * 2,
                "game": "skull",
                "seats": 3,
                "entries": 3,
            },
            "After it the season is over",
        ),
        (
            {"format": write(Format(kind="adaptive")), "rounds": SWISS * 2},
            "The next round is paired by score",
        ),
        (
            {"format": write(Format(kind="adaptive")), "rounds": SWISS * 2, "entries": 2},
            "whose order is least certain",
        ),
    ],
)
def test_a_season_says_what_comes_next(own: dict[str, Any], told: str) -> None:
    assert told in text_of(seasons.season(7, **own))


@pytest.mark.parametrize(
    ("lessons", "parked", "state", "told"),
    [
        (1, 0, "running", "it goes on once 1 lesson has ended. Each round begins"),
        (3, 1, "running", "once 3 lessons have ended. The platform failed at 1 lesson too often"),
        (1, 1, "paused", "It is paused"),
        (0, 0, "running", "Each round begins"),
    ],
)
def test_a_season_whose_bots_learn_says_that_it_waits_for_their_lessons(
    lessons: int, parked: int, state: str, told: str
) -> None:
    season = seasons.season(7, format=write(Format(learning="fresh")), state=state)
    course = seasons.course(7, left={}, lessons=lessons, parked_lessons=parked)
    text = text_of(season, season_course=lambda number: course)
    assert told in text
    assert ("it goes on once" in text) == (state == "running" and lessons > 0)


def test_groups_say_how_many_go_on() -> None:
    steps = parts.next_steps(tied(), {1: 1})
    assert "the best 2 of each go on" in " ".join(steps)


def test_a_knock_out_says_who_goes_on_or_wins() -> None:
    semi_finals, final = [[ALICE, SCARED], [MEDIUM, LEDGER]], [[ALICE, MEDIUM]]
    assert "Winners go on; a tie" in " ".join(parts.next_steps(tied(semi_finals), {2: 2}))
    steps = " ".join(parts.next_steps(tied(semi_finals, final), {3: 1}))
    assert "1 match of round 3 still to play. Its winner is the champion; a tie" in steps


def test_only_those_who_may_enter_see_the_button() -> None:
    fresh: dict[str, Any] = {"state": "open", "entrants": []}
    assert "Enter careful" in text_of(seasons.season(7, **fresh))
    closed = text_of(seasons.season(7, **fresh, may_enter=False))
    assert "Enter careful" not in closed
    assert "Ask an operator to invite alice" in closed
    other = [seasons.entrant("alice/other")]
    full = text_of(
        seasons.season(7, state="open", entrants=other, admission=write(Admission(bots=1)))
    )
    assert "Enter careful" not in full
    assert "takes 1 bot of one author" in full


def test_cancelling_asks_first_and_works_without_scripts() -> None:
    page = get("/seasons/7", OPERATOR)
    asked = [at for at, (tag, _) in enumerate(page.elements) if tag == "details"]
    pressed = [
        at
        for at, (tag, attrs) in enumerate(page.elements)
        if tag == "form" and attrs.get("action", "").endswith("/cancel")
    ]
    assert asked
    assert asked[0] < pressed[0]
    assert "A cancelled season cannot be taken up again" in page.text
