"""The functions of the pages' source that read seasons."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from matchbox.answers.courses import Course, Fixture, Meeting, Stamp
from matchbox.answers.leagues import Season, Seasons
from matchbox.answers.standings import Board
from server import queries
from server.auth import reader, reading, viewer
from server.queries import courses


def of_seasons() -> dict[str, Any]:
    """Returns the functions by their names in the source."""
    return {
        "seasons": _seasons,
        "season": _season,
        "following": reading(queries.following),
        "season_standings": _season_standings,
        "season_course": _season_course,
        "season_fixtures": _season_fixtures,
        "season_meetings": _season_meetings,
        "season_stamp": _season_stamp,
    }


def _season(number: int) -> Season:
    with reader() as session:
        return queries.season(session, number, viewer(session))


def _seasons(**which: Any) -> Seasons:
    with reader() as session:
        return queries.seasons(session, viewer(session), **which)


def _season_standings(number: int) -> Board:
    with reader() as session:
        return queries.season_standings(session, number, viewer(session))


def _season_course(number: int) -> Course:
    with reader() as session:
        return courses.course(session, number, viewer(session))


def _season_fixtures(number: int, rounds: Collection[int]) -> list[Fixture]:
    with reader() as session:
        return courses.fixtures(session, number, rounds, viewer(session))


def _season_meetings(number: int, rows: Collection[int], columns: Collection[int]) -> list[Meeting]:
    with reader() as session:
        return courses.meetings(session, number, rows, columns, viewer(session))


def _season_stamp(number: int) -> Stamp:
    with reader() as session:
        return courses.stamp(session, number, viewer(session))
