"""Old rows are removed on both databases, and the season's standing stays to the bit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from server.db.models import Match, Rating, Result
from server.services import ratings, retention, standings
from server.services.tick import prune_some, tick
from tests.books import Books
from tests.books import played as brought
from tests.integration.test_backup import begun, ending

DAYS: dict[str, Any] = {"keep_output_days": 1, "keep_record_days": 1, "keep_season_record_days": 1}


def rated(books: Books) -> list[str]:
    """Returns all rows that feed ratings, the live ratings, and the season's standing."""
    with books.read() as session:
        scopes = {standings.scope_of(one.season or one.league) for one in session.scalars(_WHOLE)}
        boards = [standings.compute(session, scope) for scope in sorted(scopes)]
        live = session.execute(select(Rating.version_id, Rating.mu, Rating.sigma))
        return [
            *sorted(map(repr, ratings.played(session).rows)),
            *sorted(map(repr, live)),
            *(f"{one.rows_digest} {one.lines}" for one in boards),
        ]


_WHOLE = select(Match)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_is_old_goes_in_batches_and_nothing_that_counts_changes(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 4)
    url = f"sqlite:///{tmp_path / 'books.db'}"
    if kind == "postgres":
        url = request.getfixturevalue("postgres_database")
    books, season = begun(url)
    ending(books)
    books.league(paused=False)
    for _ in range(3):
        tick(books.context)
        for job in books.postman.take():
            books.record(brought(job))  # type: ignore[arg-type]
    before = rated(books)
    books.clock.pass_by(minutes=60 * 24 * 2)
    old = replace(books.context, settings=replace(books.settings, **DAYS))
    with old.read() as session:
        expected = retention.count(session, old.settings, now=old.now())
        results = session.scalar(select(func.count()).select_from(Result))
    counts: Counter[str] = Counter()
    while removed := prune_some(old):
        assert max(removed.values()) <= 4
        counts.update(removed)
    assert counts["output"] == results
    assert counts["records"] + counts["season-records"] == results
    assert counts["records"] > 4
    assert {name: counts.get(name, 0) for name in expected} == expected
    assert rated(books) == before
    with books.read() as session:
        assert session.scalar(select(func.sum(func.length(Result.record)))) == 0
    books.context.close()
    assert season.id
