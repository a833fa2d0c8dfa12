"""The functions that the pages of seasons read from, in the page's database session."""

from __future__ import annotations

from server import queries
from server.auth import reading, reading_as, viewer
from server.queries import courses


class SeasonSource:
    """The part of `dashboard.source.Source` that is about seasons."""

    following = staticmethod(reading(queries.following))
    seasons = staticmethod(reading_as(viewer, queries.seasons))
    season = staticmethod(reading_as(viewer, queries.season))
    season_standings = staticmethod(reading_as(viewer, queries.season_standings))
    season_course = staticmethod(reading_as(viewer, courses.course))
    season_fixtures = staticmethod(reading_as(viewer, courses.fixtures))
    season_meetings = staticmethod(reading_as(viewer, courses.meetings))
    season_stamp = staticmethod(reading_as(viewer, courses.stamp))
