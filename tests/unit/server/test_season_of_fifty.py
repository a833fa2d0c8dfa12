"""A season of fifty bots runs from its start to its trophy without help."""

from __future__ import annotations

import pytest

from server import queries
from server.db.models import Role, SeasonState
from tests.books import Books, open_books, play_out, season_of
from tests.seasons import bring_by, by_strength

BOTS = 50


@pytest.fixture
def many(books: Books) -> Books:
    """The same database, with room for a whole round in the queue."""
    return open_books(books.context.database.url, match_deals=2, dispatch_window=1000)


def test_fifty_bots_play_an_adaptive_season_from_its_start_to_its_trophy(many: Books) -> None:
    many.league(paused=True)
    versions = [many.bot(many.person(f"p{number:02d}"), "bot") for number in range(BOTS)]
    operator = many.person("charlie", Role.OPERATOR)
    form = {"kind": "adaptive", "question": "top", "top": 3, "care": "thrifty"}
    season = season_of(many, operator, versions, format=form)
    play_out(many, bring_by(by_strength(versions, 40)))
    ended = many.season(season)
    assert ended.state == SeasonState.FINISHED
    stages = [one["stage"] for one in ended.rounds]
    assert stages[:8] == ["swiss"] * 8
    assert set(stages[8:]) == {"tail"}
    with many.read() as session:
        board = queries.season_standings(session, None, season.id)
    records = list(queries.season_records(many.read, season.id))
    best = {line.bot for line in board.lines if line.rank <= 3}
    assert best == {"p00/bot", "p01/bot", "p02/bot"}
    assert len(board.lines) == BOTS
    assert board.matches == len(records)
