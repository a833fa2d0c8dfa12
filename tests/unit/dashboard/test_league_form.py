"""The form for a new league: three steps that ask only for what the game and the format need."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from dashboard import league_form
from matchbox.league.format import CHOICES
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
    assert set(league_form._OWN) == set(CHOICES["kind"])


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
        ("continuous", {"by", "bots"}, {"cycles", "rounds", "cron", "divisions", "everybody"}),
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


def test_every_field_has_a_sentence() -> None:
    page = step(2, name="cup", game="bomb", kind="adaptive")
    asked = [
        a
        for tag, a in page.elements
        if tag in ("input", "select") and "name" in a and a.get("type") != "hidden"
    ]
    hints = [a for _, a in page.elements if a.get("class") == "hint"]
    assert len(hints) == len(asked) - 1  # the name is explained in the first step


def test_the_third_step_says_in_sentences_what_will_be_made() -> None:
    typed = {"name": "cup", "game": "bomb", "kind": "knock-out", "group": "4", "through": "2"}
    page = step(3, **typed, by="invitation", bots="2", cron="0 18 * * FRI", deals="7")
    assert "Groups of 4 at most; 2 of each go on to a knock-out." in page.text
    assert "By invitation. Each author may enter 2 bots." in page.text
    assert "They start by the schedule 0 18 * * FRI (UTC)." in page.text
    assert "7 deals a match" in page.text
    sent = {a["name"]: a.get("value") for tag, a in page.elements if tag == "input" and "name" in a}
    assert {**typed, "by": "invitation", "cron": "0 18 * * FRI"}.items() <= sent.items()
    assert "continuous" not in sent


def test_a_continuous_league_is_sent_without_a_kind() -> None:
    page = step(3, name="lab", game="bomb", kind="continuous", by="open")
    sent = {a["name"]: a.get("value") for tag, a in page.elements if tag == "input" and "name" in a}
    assert sent["continuous"] == "1"
    assert "kind" not in sent


def test_a_mistake_leads_back_to_the_settings_and_keeps_what_was_typed() -> None:
    for wrong in ({"group": "2"}, {"group": "many"}, {"group": "3", "through": "5"}):
        page = step(3, name="cup", game="bomb", kind="knock-out", **wrong)
        assert [a for _, a in page.elements if a.get("role") == "alert"], wrong
        assert {"name", "group"} <= names(page)
    assert "give it one" in step(3, game="bomb").text
    assert "step 1 of 3" in step(3, name="cup", game="poker").text


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
