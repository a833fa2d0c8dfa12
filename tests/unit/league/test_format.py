"""Every field of a league's settings is described once, for forms, commands and the API."""

from __future__ import annotations

from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from msgspec import structs

from matchbox.errors import BadOption
from matchbox.league.format import (
    ABOUT,
    CHOICES,
    MAX_ROUNDS,
    MAX_WHOLE,
    PARTS,
    Format,
    Schedule,
    fields_of,
    given,
    read,
)


@pytest.mark.parametrize("part", PARTS)
def test_the_fields_come_in_order_with_their_choices(part: str) -> None:
    hints = get_type_hints(PARTS[part])
    fields = fields_of(PARTS[part])
    assert [field.name for field in fields] == list(PARTS[part].__struct_fields__)
    for field in fields:
        hint = hints[field.name]
        values = get_args(hint) if get_origin(hint) is Literal else ()
        assert tuple(field.choices) == ((False, True) if hint is bool else values)
        assert field.about.label
        assert field.about.text
        assert bool(field.about.none) == field.optional


def test_nothing_is_described_that_is_no_field() -> None:
    known = {name for settings in PARTS.values() for name in settings.__struct_fields__}
    assert set(ABOUT) == known
    assert set(CHOICES) <= known


def test_a_field_has_the_bounds_of_its_type() -> None:
    known = {field.name: field for field in fields_of(PARTS["format"])}
    group, rounds, kind = known["group"], known["rounds"], known["kind"]
    assert (group.whole, group.least, group.most, group.optional) == (True, 3, 32, False)
    assert (rounds.whole, rounds.least, rounds.most, rounds.optional) == (True, 1, MAX_ROUNDS, True)
    assert (kind.whole, kind.least, kind.most, kind.optional) == (False, None, None, False)
    assert (known["matches"].alias, group.alias) == ("max_matches", "group")


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("rounds", MAX_ROUNDS),
        *((name, MAX_WHOLE) for name in ("top", "matches", "hours", "moving")),
    ],
)
def test_no_new_number_is_endless_but_older_data_is_read(name: str, most: int) -> None:
    with pytest.raises(BadOption, match="it must be from"):
        given(Format, {name: most + 1})
    assert given(Format, {name: most})
    with pytest.raises(BadOption, match=rf"is 1000.*; it must be from 1 to {most}$") as caught:
        given(Format, {name: 10**32})
    assert caught.value.fields == ({"matches": "max_matches"}.get(name, name),)
    assert len(str(caught.value)) < 120
    assert getattr(read(Format, {name: 10**32}), name) == 10**32


def test_given_fields_replace_those_of_the_settings() -> None:
    group = Format(kind="knock-out", group=16, through=9)
    assert given(Format, {"cycles": 3}).replace_in(group) == structs.replace(group, cycles=3)
    assert given(Schedule, {"cron": None}).replace_in(Schedule(cron="0 4 * * *")) == Schedule()
    weekly, once = Schedule(cron="0 4 * * *"), Schedule(once="2026-12-11 18:00")
    assert given(Schedule, {"once": "2026-12-11T18:00"}).replace_in(weekly) == once
    assert given(Schedule, {"cron": "0 4 * * *"}).replace_in(once) == weekly
    assert given(Schedule, {"cron": None}).replace_in(once) == once
    assert given(Format, {"through": 12}).replace_in(group).through == 12
    assert not given(Format, {})
    assert given(Format, {"rounds": None})


@pytest.mark.parametrize(
    "fields, named",
    [
        ({"laps": 3}, "format.*`laps`"),
        ({"group": 2}, "format.*: group is 2; it must be from 3 to 32$"),
        ({"rounds": 0}, "format.*: rounds is 0; it must be from 1 to 1000$"),
        ({"kind": "ladder"}, "format.*: kind is 'ladder'; it must be one of round-robin, swiss,"),
        ({"kind": None}, r"format.*null.*\$\.kind"),
    ],
)
def test_a_field_that_is_unknown_or_wrong_is_refused_by_name(
    fields: dict[str, object], named: str
) -> None:
    with pytest.raises(BadOption, match=named):
        given(Format, fields)


def test_a_message_repeats_only_the_beginning_of_a_wrong_choice() -> None:
    with pytest.raises(BadOption) as caught:
        given(Format, {"kind": "it's" + "x" * 300})
    assert len(str(caught.value)) < 170
    assert caught.value.fields == ("kind",)


def test_fields_that_contradict_the_settings_are_refused_when_they_are_replaced() -> None:
    nine = given(Format, {"through": 9})
    with pytest.raises(BadOption, match="fewer bots must go on"):
        nine.replace_in(Format(group=8))
