"""The functions that the pages of seasons read from, in the page's database session."""

from __future__ import annotations

from collections.abc import Collection

from matchbox.answers.courses import Course, Fixture, Meeting, Stamp
from matchbox.answers.leagues import Season
from matchbox.answers.standings import Board
from server import queries
from server.auth import reader, reading, reading_as, viewer
from server.queries import courses


class SeasonSource:
    """The part of `dashboard.source.Source` that is about seasons."""

    following = staticmethod(reading(queries.following))
    seasons = staticmethod(reading_as(viewer, queries.seasons))

    def season(self, number: int) -> Season:
        with reader() as session:
            return queries.season(session, number, viewer(session))

    def season_standings(self, number: int) -> Board:
        with reader() as session:
            return queries.season_standings(session, number, viewer(session))

    def season_course(self, number: int) -> Course:
        with reader() as session:
            return courses.course(session, number, viewer(session))

    def season_fixtures(self, number: int, rounds: Collection[int]) -> list[Fixture]:
        with reader() as session:
            return courses.fixtures(session, number, rounds, viewer(session))

    def season_meetings(
        self, number: int, rows: Collection[int], columns: Collection[int]
    ) -> list[Meeting]:
        with reader() as session:
            return courses.meetings(session, number, rows, columns, viewer(session))

    def season_stamp(self, number: int) -> Stamp:
        with reader() as session:
            return courses.stamp(session, number, viewer(session))
