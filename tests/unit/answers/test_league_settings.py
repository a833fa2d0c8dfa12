"""Format, admission and schedule stand in answers as their own classes, and in JSON as before."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from matchbox.answers.leagues import LeagueLine, Season
from matchbox.league.format import Admission, Format, Schedule, write

SWISS = Format(kind="swiss", rounds=5)


def line(**own: Any) -> LeagueLine:
    told: dict[str, Any] = {
        "id": 1, "name": "cup", "game": "bomb", "title": "Bomb", "rules": "1", "options": {},
        "seats": 2, "deals": 3, "paced": True, "separation": "seats", "continuous": False,
        "paused": False, "created_at": "", "format": SWISS, "admission": Admission(),
        "schedule": Schedule(), "next_start": None,
    }  # fmt: skip
    return LeagueLine(**{**told, **own})


def test_an_answer_has_every_field_of_the_settings_in_json() -> None:
    plain = line().plain()
    assert plain["format"] == write(SWISS)
    assert plain["admission"] == write(Admission())
    assert plain["schedule"] == {"once": None, "cron": None, "zone": "UTC"}
    assert LeagueLine.model_validate(plain) == line()
    assert LeagueLine.model_validate_json(line().json_text()) == line()


def test_a_field_of_a_later_version_is_passed_over() -> None:
    assert line(format={**write(SWISS), "later": 1}).format == SWISS


@pytest.mark.parametrize("wrong", [{"kind": "chess"}, {"cycles": 0}, "swiss", None])
def test_settings_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        line(format=wrong)


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_the_document_shows_the_fields_of_the_settings(mode: Any) -> None:
    document = Season.model_json_schema(mode=mode)
    for name, kind in (("format", Format), ("admission", Admission), ("schedule", Schedule)):
        assert document["properties"][name] == {"$ref": f"#/$defs/{kind.__name__}"}
        shown = document["$defs"][kind.__name__]
        assert list(shown["properties"]) == shown["required"] == list(kind.__struct_fields__)
