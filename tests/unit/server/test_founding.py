"""Seasons that need a league of their own; more in test_courses.py and in the tests of routes."""

from __future__ import annotations

import inspect
from dataclasses import fields

from server.services import founding, leagues


def test_a_league_can_be_made_with_every_own_term_of_a_season() -> None:
    terms = {field.name for field in fields(founding.OwnTerms)}
    assert terms <= set(inspect.signature(leagues.create).parameters)
