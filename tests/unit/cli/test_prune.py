"""`matchbox admin prune`: its output, and a dry run that removes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select

from server.db.models import Notice, User
from server.times import DAY_MS
from tests.unit.cli.conftest import Platform, Run


def notices(platform: Platform) -> int:
    """Returns the number of notices."""
    with platform.books.context.read() as session:
        return session.scalar(select(func.count()).select_from(Notice)) or 0


def test_prune_says_what_it_would_remove_and_removes_it(
    matchbox: Run,
    platform: Platform,
    alice: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MATCHBOX_DATABASE_URL", platform.books.settings.database_url)
    monkeypatch.setenv("MATCHBOX_SECRET_KEY", platform.books.settings.secret_key)
    monkeypatch.setenv("MATCHBOX_KEEP_NOTICE_DAYS", "365")
    with platform.books.write() as session:
        for days in (366, 367, 10):
            at = platform.books.context.now() - days * DAY_MS
            session.add(Notice(user_id=alice.id, kind="verdict", subject="", text="x", at=at))
    before = notices(platform)
    words = ("admin", "prune", "--data", tmp_path)
    told = matchbox(*words, "--dry-run", "--json").json
    assert told["notices"]["rows"] >= 2
    assert told["records"] == {"kept_days": None, "rows": 0}
    assert notices(platform) == before
    shown = matchbox(*words)
    assert "removed" in shown.out.splitlines()[0]
    assert f"notices\t365\t{told['notices']['rows']}" in shown.out
    assert notices(platform) == before - told["notices"]["rows"]
    assert matchbox(*words, "--json").json["notices"] == {"kept_days": 365, "rows": 0}
