"""The form for a new league: three steps that ask only for what the game and the format need."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from dashboard import formats, league_form
from dashboard.assets import STATIC
from dashboard.source import Source
from matchbox.league.format import CHOICES, FIELDS_OF_KIND, Format
from tests.unit.dashboard import cast, seasons
from tests.unit.dashboard.cast import NOBODY, OPERATOR, SOURCE, make_app
from tests.unit.dashboard.test_pages import Seen, get

NEW = "/admin/leagues/new"


def step(number: int, **typed: Any) -> Seen:
    """The page of a step."""
    return get(f"{NEW}?{urlencode({**typed, 'step': number})}", OPERATOR)


def names(page: Seen) -> set[str]:
    """The fields of the page."""
    return {a["name"] for tag, a in page.elements if tag in ("input", "select") and "name" in a}


def test_every_format_has_a_sentence_and_settings_of_its_own() -> None:
    assert set(league_form.KINDS) == {*CHOICES["kind"], league_form.CONTINUOUS}
    assert set(FIELDS_OF_KIND) == set(CHOICES["kind"])


def test_it_begins_with_game_and_format_each_with_a_sentence() -> None:
    page = step(1)
    assert names(page) >= {"name", "game", "kind"}
    for text in league_form.KINDS.values():
        assert text in page.text


@pytest.mark.parametrize(
    ("kind", "asked", "absent"),
    [
        ("round-robin", {"cycles"}, {"rounds", "question", "group"}),
        ("swiss", {"rounds"}, {"cycles", "question", "through"}),
        ("adaptive", {"cycles", "question", "top", "care"}, {"rounds", "group"}),
        ("knock-out", {"group", "through"}, {"cycles", "rounds", "care"}),
        ("continuous", {"uploads"}, {"cycles", "cron", "divisions", "everybody", "by", "bots"}),
    ],
)
def test_the_second_step_asks_only_for_what_the_format_needs(
    kind: str, asked: set[str], absent: set[str]
) -> None:
    fields = names(step(2, name="cup", game="bomb", kind=kind))
    assert asked | {"deals", "option.bomb.see", "name"} <= fields
    assert not absent & fields
    assert "seats" not in fields  # bomb has tables of one size
    assert "mixed" not in fields  # and no teams


GAMES = {one.name: one for one in cast.games()}
TEAM = next(iter(GAMES.values())).model_copy(
    update={"name": "thegame", "cooperative": True, "seats": [1, 2, 3]}
)
"""A made-up game of teams."""


@pytest.mark.parametrize("kind", league_form.KINDS)
@pytest.mark.parametrize("game", [*GAMES, TEAM.name])
def test_every_field_has_a_sentence(game: str, kind: str) -> None:
    source = replace(OPERATOR, games=lambda: [*GAMES.values(), TEAM])
    typed = urlencode({"name": "cup", "game": game, "kind": kind})
    for number in (1, 2):
        assert_sentences(f"{NEW}?{typed}&step={number}", source)


@pytest.mark.parametrize(
    "path", ["/seasons", "/seasons?league=cup", "/leagues/cup", "/leagues/bomb"]
)
def test_every_field_of_a_season_and_of_a_league_has_a_sentence(path: str) -> None:
    assert_sentences(path, OPERATOR)


def assert_sentences(path: str, source: Source) -> None:
    """Asserts that each field of the page has a label with a sentence in it."""
    html = make_app(source).test_client().get(path).text
    labels = re.findall(r"<label.*?</label>", html, re.S)
    assert labels
    assert [one for one in labels if 'class="hint">' not in one] == []
    seen = [a for tag, a in Seen(html).elements if tag in ("input", "select") and "name" in a]
    shown = [a for a in seen if a.get("type") != "hidden"]
    assert len(labels) == len(shown)


@pytest.mark.parametrize(
    ("kind", "asked"),
    [("round-robin", True), ("adaptive", True), ("swiss", False), ("knock-out", False)],
)
def test_a_new_season_asks_only_for_what_its_league_s_format_needs(kind: str, asked: bool) -> None:
    league = seasons.league_line("cup").model_copy(
        update={"format": Format(kind=kind, cycles=4)}  # type: ignore[arg-type]
    )
    source = replace(OPERATOR, leagues=lambda: [league])
    page = get("/seasons?league=cup", source)
    assert ("cycles" in names(page)) is asked
    assert {"league", "name", "deals", "draft"} <= names(page)
    assert formats.format(league.format, league.game)[0] in page.text
    known = [a["value"] for _, a in page.elements if a.get("name") == "cycles"]
    assert known == ["4"] * asked
    assert "cycles" not in names(get("/seasons", source)), "the league comes first"


def test_divisions_are_a_choice_by_which_the_form_hides_who_rises_and_sinks() -> None:
    typed = {"name": "cup", "game": "bomb", "kind": "swiss", "moving": "2"}
    page = step(2, **typed)
    selects = [a["name"] for tag, a in page.elements if tag == "select" and "name" in a]
    assert "divisions" in selects
    assert '[name="divisions"] [value="1"]:checked' in (STATIC / "league.css").read_text()
    assert "moving" not in names(step(3, **typed))
    assert "moving" not in names(step(3, **typed, divisions="1"))
    assert {"moving", "divisions"} <= names(step(3, **typed, divisions="2"))


def test_a_game_of_teams_has_no_placement_matches() -> None:
    source = replace(OPERATOR, games=lambda: [TEAM])
    fields = names(get(f"{NEW}?name=cup&game=thegame&kind=adaptive&step=2", source))
    assert "mixed" in fields
    assert "placement" not in fields


def test_a_league_without_end_is_offered_nothing_that_it_does_not_heed() -> None:
    typed = {"name": "lab", "game": "bomb", "kind": "continuous", "uploads": "5"}
    page = step(3, **typed, by="invitation", bots="2", everybody="True")
    assert not {"by", "bots", "everybody"} & names(page)
    assert "uploads" in names(page)
    assert "Every active bot of the game plays. Each author may upload 5" in page.text
    own = get("/leagues/bomb", OPERATOR)
    assert "by every active bot of the game" in own.text
    assert "Entry into its seasons" in own.text
    assert "cron" not in names(own), "it takes no schedule"
    assert "cron" in names(get("/leagues/cup", OPERATOR))
    note = "every active bot of Bomb plays, not only those of the class"
    assert note in get("/leagues/bomb/class", OPERATOR).text
    assert note not in get("/leagues/cup/class", OPERATOR).text


def test_the_third_step_says_in_sentences_what_will_be_made() -> None:
    typed = {"name": "cup", "game": "bomb", "kind": "knock-out", "group": "4", "through": "2"}
    page = step(3, **typed, by="invitation", bots="2", cron="0 18 * * FRI", deals="7")
    assert "Groups of at most 4; the best 2 of each go on to a knock-out." in page.text
    assert "By invitation. Each author may enter 2 bots." in page.text
    assert "They start by the schedule 0 18 * * FRI: At 18:00 on Friday (UTC)." in page.text
    assert "7 deals a match" in page.text
    assert "1 deal a match" in step(3, **typed, deals="1").text
    sent = {a["name"]: a.get("value") for tag, a in page.elements if tag == "input" and "name" in a}
    assert {**typed, "by": "invitation", "cron": "0 18 * * FRI"}.items() <= sent.items()
    assert "continuous" not in sent


def test_a_single_start_is_asked_with_a_calendar_and_not_taken_with_a_cron_line() -> None:
    typed = {"name": "cup", "game": "bomb", "kind": "swiss", "once": "2026-12-11T18:00"}
    page = step(3, **typed)
    told = "Once, on Friday, December 11, 2026, at 18:00 (UTC). An operator starts all others."
    assert told in page.text
    page = step(3, **typed, cron="0 18 * * FRI")
    assert "seasons start once or by cron; leave out one of them" in page.text
    asked = next(a for tag, a in page.elements if tag == "input" and a.get("name") == "once")
    assert (asked["type"], asked["value"]) == ("datetime-local", "2026-12-11T18:00")
    assert [a["data-wrong"] for _, a in page.elements if "data-wrong" in a] == ["once"]


def test_a_continuous_league_is_sent_without_a_kind() -> None:
    page = step(3, name="lab", game="bomb", kind="continuous", by="open")
    sent = {a["name"]: a.get("value") for tag, a in page.elements if tag == "input" and "name" in a}
    assert sent["continuous"] == "1"
    assert "kind" not in sent


def test_a_mistake_leads_back_to_the_settings_and_keeps_what_was_typed() -> None:
    mistakes = ("2", "many", "9" * 5000, "3")
    for wrong in ({"group": group, "through": "5"} for group in mistakes):
        page = step(3, name="cup", game="bomb", kind="knock-out", **wrong)
        assert [a for _, a in page.elements if a.get("role") == "alert"], wrong
        assert {"name", "group"} <= names(page)
    for seats in ("many", "3"):
        page = step(3, name="cup", game="bomb", kind="swiss", seats=seats)
        assert f"is played by 2 players, not {seats!r}" in unescape(page.text)
    for deals in ("abc", "0", "5001"):
        page = step(3, name="cup", game="bomb", kind="swiss", deals=deals)
        assert f"A match has 1 to 5000 deals, not {deals!r}" in unescape(page.text)
        assert "Make the league" not in page.text
    assert "give it one" in step(3, game="bomb").text
    for name in ("class_7b", "Class 7b", "x"):
        page = step(3, name=name, game="bomb", kind="swiss")
        assert f"{name!r} cannot be a name" in unescape(page.text)
        assert {"name", "rounds"} <= names(page)
    assert "step 1 of 3" in step(3, name="cup", game="poker").text


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "Class 7b"}, "name"),
        ({"deals": "0"}, "deals"),
        ({"seats": "3"}, "seats"),
        ({"hours": "many"}, "hours"),
        ({"rounds": "0"}, "rounds"),
    ],
)
def test_a_mistake_names_its_field(wrong: dict[str, str], field: str) -> None:
    page = step(3, **{"name": "cup", "game": "bomb", "kind": "swiss", **wrong})
    assert [a["data-wrong"] for _, a in page.elements if "data-wrong" in a] == [field]


@pytest.mark.parametrize(
    ("wrong", "unfolded"),
    [
        ({"name": ""}, False),
        ({"rounds": "0"}, False),
        ({"hours": "many"}, True),
        ({"max_matches": "0"}, True),
    ],
)
def test_the_settings_that_few_need_unfold_if_the_mistake_is_there(
    wrong: dict[str, str], unfolded: bool
) -> None:
    page = step(3, **{"name": "cup", "game": "bomb", "kind": "swiss", **wrong})
    assert ["open" in a for tag, a in page.elements if tag == "details"] == [unfolded]


def test_only_operators_make_leagues() -> None:
    assert make_app(NOBODY).test_client().get(NEW).status_code == 302
    assert make_app(SOURCE).test_client().get(NEW).status_code == 403


@pytest.mark.parametrize(
    ("question", "absent"),
    [("order", {"top"}), ("top", set[str]()), ("champion", {"top", "care"})],
)
def test_what_the_question_leaves_without_a_meaning_is_not_sent_on(
    question: str, absent: set[str]
) -> None:
    typed = {"name": "cup", "game": "bomb", "kind": "adaptive", "top": "3", "care": "thrifty"}
    sent = names(step(3, **typed, question=question))
    assert {"top", "care"} - sent == absent
    assert "question" in sent


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("name", ["endpoint", "_scheme", "_anchor", "csrf_token", "x"])
def test_a_step_carries_nothing_that_the_form_does_not_ask_for(number: int, name: str) -> None:
    page = step(number, name="cup", game="bomb", kind="swiss", rounds="5", **{name: "javascript"})
    assert [name for name, _ in page.elements if name == "main"]
    addresses = [attrs["href"] for tag, attrs in page.elements if tag == "a"]
    assert any("rounds=5" in address for address in addresses)
    assert not [address for address in addresses if "javascript" in address]
    assert name not in names(page) - {"csrf_token"}


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("knock-out", {"group"}), ("swiss", {"rounds"}), ("continuous", set[str]())],
)
def test_settings_of_another_kind_or_game_that_was_chosen_before_are_not_sent_on(
    kind: str, kept: set[str]
) -> None:
    typed = {"group": "4", "rounds": "5", "cycles": "3", "question": "top", "mixed": "2"}
    sent = names(step(3, name="cup", game="bomb", kind=kind, **typed))
    assert sent & typed.keys() == kept
    source = replace(OPERATOR, games=lambda: [TEAM])
    teams = urlencode({"name": "cup", "game": TEAM.name, "mixed": "2", "placement": "4"})
    sent = names(get(f"{NEW}?{teams}&step=3", source))
    assert {"mixed", "placement"} & sent == {"mixed"}
