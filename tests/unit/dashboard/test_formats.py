"""A league's format and terms in words, and the pages that show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dashboard import formats
from matchbox.answers.leagues import Round
from matchbox.league.format import CHOICES, Admission, Format, Schedule
from matchbox.settings_of_play import MAX_DEALS
from tests.unit.dashboard import seasons
from tests.unit.dashboard.cast import OPERATOR, SOURCE
from tests.unit.dashboard.test_pages import get

NEW = "/admin/leagues/new"


@pytest.mark.parametrize(
    "form, told",
    [
        (Format(), "1 double round robin: every two bots meet in both orders."),
        (Format(cycles=3), "3 double round robins: every two bots meet in both orders."),
        (Format(kind="swiss", rounds=5), "Swiss, 5 rounds: bots of about the same score meet"),
        (Format(kind="swiss"), "Swiss, as many rounds as it takes: bots of about"),
        (Format(kind="knock-out"), "Groups of at most 8; the best 2 of each go on to a knock-out."),
        (Format(kind="knock-out", through=1), "Groups of at most 8; the best of each goes on"),
        (Format(kind="adaptive", question="top", top=1), "meet until the best is known"),
        (Format(kind="adaptive"), "until the whole order is known, with strict care."),
        (Format(kind="adaptive", question="champion"), "until the best bot is known."),
        (
            Format(kind="adaptive", question="top", top=3, care="thrifty"),
            "until the best 3 are known, with thrifty care.",
        ),
        (Format(placement=10), "A newcomer plays 10 placement matches first."),
        (
            Format(divisions=2),
            "At most 2 divisions: between seasons the best of each rises, and the last",
        ),
        (Format(matches=5000, hours=1), "It ends after 5,000 matches or 1 hour at the latest."),
        (Format(hours=6), "It ends after 6 hours at the latest."),
        (
            Format(learning="parent"),
            "each begins the season with its memory from an earlier season.",
        ),
        (Format(learning="fresh"), "each begins the season without a memory."),
    ],
)
def test_a_format_is_told_in_words(form: Format, told: str) -> None:
    assert told in " ".join(formats.format(form, "bomb"))


def test_a_season_at_larger_tables_is_no_double_round_robin() -> None:
    assert formats.format(Format(), "skull", 3) == [
        "1 cycle at tables of 3: every two bots meet about twice."
    ]
    (told,) = formats.format(Format(kind="adaptive", cycles=2), "skull", 4)
    assert told == (
        "2 cycles at tables of 4: in each every two bots meet about twice; then bots of similar "
        "rank meet until the whole order is known, with strict care."
    )
    row = seasons.season(7, seats=3, format=Format())
    page = get("/seasons/7", replace(SOURCE, season=lambda number: row)).text
    assert "1 cycle at tables of 3: every two bots meet about twice." in page


def test_a_long_adaptive_season_begins_with_a_swiss_system() -> None:
    told = formats.format(Format(kind="adaptive"), "bomb")[0]
    assert "or with more than 32 bots a Swiss system; then bots of similar rank meet" in told


def test_more_bots_than_a_division_has_do_not_move() -> None:
    told = formats.format(Format(divisions=2, moving=9), "bomb")[1]
    assert told.endswith("the last 9 sink, or fewer if there are too few bots.")


def test_a_cooperative_game_is_told_as_one_of_teams() -> None:
    form = Format(kind="adaptive", cycles=2, mixed=1)
    assert formats.format(form, "thegame") == [
        "2 cycles: every bot plays as a team of its own copies on the same deals, then 1 round of "
        "mixed teams. After that, every bot plays on with its own copies until the whole order is "
        "known, with strict care."
    ]
    assert formats.format(Format(mixed=0), "thegame") == [
        "1 cycle: every bot plays as a team of its own copies on the same deals."
    ]
    assert "bots of similar rank meet" in formats.format(form, "bomb")[0]
    assert "bots of similar rank meet" in formats.format(form, "not-installed")[0]


@pytest.mark.parametrize(
    "admitted, told",
    [
        (Admission(), ["Open to all.", "Each author may enter 1 bot."]),
        (Admission(by="invitation", bots=None), ["By invitation."]),
        (
            Admission(bots=None, uploads=5),
            ["Open to all.", "Each author may upload 5 versions in 24 hours."],
        ),
    ],
)
def test_entry_rules_are_told_in_words(admitted: Admission, told: list[str]) -> None:
    assert formats.admission(admitted) == told


def test_a_schedule_and_options_are_told() -> None:
    assert formats.schedule(Schedule()) == ""
    assert formats.schedule(Schedule(cron="0 18 * * FRI")) == "At 18:00 on Friday (UTC)"
    once = Schedule(once="2026-12-11 08:00", zone="Europe/Berlin")
    told = "Once, on Friday, December 11, 2026, at 08:00 (Europe/Berlin)"
    assert formats.schedule(once) == told
    assert formats.schedule(Schedule(once="2026-02-30 18:00")) == "2026-02-30 18:00 (UTC)"
    assert formats.schedule(Schedule(cron="whenever")) == "whenever (UTC)", "as it was typed"
    assert formats.options({"see": 3, "faces": 6}) == "see 3, faces 6"


def season_page(source: Any = SOURCE, **own: Any) -> str:
    """Returns the text of the season's page in a source with these changes."""
    row = seasons.season(7, **own)
    return get("/seasons/7", replace(source, season=lambda number: row)).text


def test_a_season_says_how_it_is_played_and_which_versions_are_fixed() -> None:
    told = season_page()
    assert "2 double round robins: every two bots meet in both orders." in told
    assert "At 18:00 on Friday (Europe/Berlin)" in told
    assert "0 18 * * FRI" not in told, "only operators see the expression"
    assert "v3 is newer, but does not play here" in told
    assert "Divisions1 · 2" in told.replace("Divisions ", "Divisions")


def test_a_season_to_come_counts_down_and_says_why_it_was_put_off() -> None:
    row = seasons.waiting_season(7)
    source = replace(SOURCE, season=lambda number: row)
    page = get("/seasons/7", source)
    times = [attrs for tag, attrs in page.elements if tag == "time" and "data-countdown" in attrs]
    assert [attrs["datetime"] for attrs in times] == [seasons.LATER]
    assert "2026-11-27 17:00:00 UTC" in page.text
    assert "It could not start on time: season Autumn 2026 has fewer than 2 bots" in page.text
    paused = replace(SOURCE, season=lambda number: seasons.waiting_season(7, paused=True))
    assert seasons.LATER[:10] not in get("/seasons/7", paused).text


def test_a_season_that_cannot_go_on_says_why_and_operators_what_to_do() -> None:
    row = seasons.season(7, state="paused", trouble="the rules of Bomb have changed")
    source = replace(SOURCE, season=lambda number: row)
    assert "It cannot go on: the rules of Bomb have changed." in get("/seasons/7", source).text
    live = get("/seasons/7?part=live", source).text
    assert "have changed. An operator can put that right and resume it, or cancel it." in live
    stopped = replace(SOURCE, season=lambda number: seasons.season(7, state="paused"))
    assert "cannot go on" not in get("/seasons/7", stopped).text


@pytest.mark.parametrize(
    "won, told",
    [
        ({"champion": "bob/ledger", "shared": []}, "Champion: bob/ledger"),
        (
            {"champion": None, "shared": ["bob/ledger", "alice/careful"]},
            "First place shared by bob/ledger, alice/careful: the results do not separate them",
        ),
        (
            {"champion": None, "shared": ["a/a", "b/b", "c/c", "d/d", "e/e"]},
            "First place shared by a/a, b/b, c/c and 2 more: the results do not separate them",
        ),
    ],
)
def test_the_trophy_is_one_s_own_or_shared(won: dict[str, Any], told: str) -> None:
    assert told in season_page(state="finished", trophy=won)
    assert "Champion" not in season_page(state="running", trophy=None)


@pytest.mark.parametrize(
    "state, steps",
    [
        ("draft", {"open", "cancel"}),
        ("open", {"freeze", "start", "cancel"}),
        ("frozen", {"start", "cancel"}),
        ("running", {"pause", "cancel"}),
        ("paused", {"resume", "cancel"}),
        ("finished", set()),
        ("cancelled", set()),
    ],
)
def test_an_operator_is_offered_the_steps_of_the_state(state: str, steps: set[str]) -> None:
    row = seasons.season(7, state=state)
    page = get("/seasons/7", replace(OPERATOR, season=lambda number: row))
    known = {"open", "freeze", "start", "pause", "resume", "cancel"}
    forms = {attrs["action"].rpartition("/")[2] for tag, attrs in page.elements if tag == "form"}
    assert forms & known == steps


OWN_FIELDS = {
    "round-robin": {"cycles"},
    "swiss": {"rounds"},
    "adaptive": {"cycles", "question", "top", "care"},
    "knock-out": {"group", "through"},
}


@pytest.mark.parametrize("kind", CHOICES["kind"])
def test_a_league_s_page_has_the_fields_of_its_kind_of_season(kind: str) -> None:
    page = get(f"/leagues/cup?kind={kind}", OPERATOR)
    fields = {
        attrs["name"]
        for tag, attrs in page.elements
        if tag in ("input", "select") and "name" in attrs
    }
    every = {*Format.__struct_fields__, *Admission.__struct_fields__, *Schedule.__struct_fields__}
    others = set().union(*OWN_FIELDS.values()) - OWN_FIELDS[kind]
    assert fields >= every - others - {"matches", "mixed"} | {"max_matches", "deals", "user"}
    assert 'value="None"' not in page.text
    assert not fields & (others | {"mixed"}), "bomb is no game of teams"


def test_a_league_s_page_has_a_form_for_operators_alone() -> None:
    for path in ("/leagues/cup", "/leagues"):
        posts = [attrs["action"] for tag, attrs in get(path).elements if tag == "form"]
        assert posts == ["/logout"]
    assert "alice" in get("/leagues/cup", OPERATOR).text


@pytest.mark.parametrize("path", [f"{NEW}?game=bomb&step=2", "/leagues/cup", "/seasons?league=cup"])
def test_a_form_takes_as_many_deals_as_a_match_may_have(path: str) -> None:
    elements = get(path, OPERATOR).elements
    most = [attrs["max"] for _, attrs in elements if attrs.get("name") == "deals"]
    assert most == [str(MAX_DEALS)]


@pytest.mark.parametrize(
    ("name", "shown", "typed"),
    [
        ("cup", "10 deals a match", "10"),
        ("bomb", "as many deals a match as the speed of its bots allows", ""),
    ],
)
def test_a_number_of_deals_that_nobody_named_is_none_to_be_saved(
    name: str, shown: str, typed: str
) -> None:
    page = get(f"/leagues/{name}", OPERATOR)
    assert shown in page.text
    assert [a["value"] for _, a in page.elements if a.get("name") == "deals"] == [typed]
    assert "7 deals, chosen by the speed of its bots at the start" in season_page()


def test_what_was_opened_is_counted_by_stage() -> None:
    opened = [Round(stage=stage, rests=[], ties=[]) for stage in ("swiss", "swiss", "tail")]
    assert formats.rounds(opened) == "2 Swiss rounds, 1 batch"
    assert formats.rounds([]) == ""
