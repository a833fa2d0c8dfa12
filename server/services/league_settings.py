"""Reads the settings of a league, and checks a new format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchbox import registry
from matchbox.errors import BadOption
from matchbox.league import course
from matchbox.league.format import Admission, Format, Given, Schedule, check_used, read
from matchbox.league.season import Field

if TYPE_CHECKING:
    from server.db.models import League


def format_of(league: League) -> Format:
    """Returns the format of the league's next season."""
    return read(Format, league.format)


def changed_format(league: League, given: Given[Format]) -> Format:
    """Returns the league's format with the given fields.

    Raises BadOption if they contradict others or have no meaning beside them, or if no season of
    that format can be played at the league's tables.
    """
    old = format_of(league)
    form, cooperative = given.replace_in(old), registry.is_cooperative(league.game)
    check_used(form, given, old, cooperative=cooperative)
    try:
        course.check_pairs(form, Field((), "", seats=league.seats, cooperative=cooperative))
    except course.Unplayable as error:
        raise BadOption(str(error)) from None
    return form


def admission_of(league: League) -> Admission:
    """Returns the league's admission. A continuous league has no default limit on the bots of an
    author."""
    return read(
        Admission, {"bots": None, **league.admission} if league.continuous else league.admission
    )


def schedule_of(league: League) -> Schedule:
    """Returns the league's schedule."""
    return read(Schedule, league.schedule)
