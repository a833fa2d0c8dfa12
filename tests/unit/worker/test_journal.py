"""The journal finds the job again at which an arena was killed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from matchbox.match import wire
from worker.arena.journal import Entry, Journal

JOB = {"match": "m", "attempt": 1}


def test_a_job_that_was_begun_and_not_ended_is_left(tmp_path: Path) -> None:
    Journal(tmp_path / "arena" / "one.job").begin("arena.play_match", JOB)
    assert Journal(tmp_path / "arena" / "one.job").unfinished() == Entry("arena.play_match", JOB, 1)


def test_a_job_that_ended_is_not_left(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "one.job")
    journal.begin("arena.play_match", JOB)
    journal.end()
    journal.end()
    assert journal.unfinished() is None


def test_it_counts_how_often_a_job_was_begun(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "one.job")
    for _ in range(3):
        journal.begin("arena.play_match", JOB)
    assert journal.unfinished() == Entry("arena.play_match", JOB, 3)
    assert attempts(journal, {"match": "other"}) == 1


def attempts(journal: Journal, message: dict[str, Any], task: str = wire.PLAY_MATCH) -> int:
    """Begins the job; returns how often it was begun."""
    journal.begin(task, message)
    left = journal.unfinished()
    assert left is not None
    return left.attempts


def test_a_job_that_comes_between_two_attempts_hides_no_death(tmp_path: Path) -> None:
    path = tmp_path / "one.job"
    Journal(path).begin(wire.PLAY_MATCH, JOB)  # It dies.
    Journal(path).begin(wire.TRY_OUT, {"version": "v"})
    Journal(path).end()
    assert Journal(path).unfinished() is None
    again = {"match": "m", "attempt": 2, "token": "another"}
    assert attempts(Journal(path), again, wire.PLAY_FIRST) == 2
    Journal(path).end()  # It was an old message, and another arena has the job.
    assert attempts(Journal(path), again) == 2


def test_deaths_are_forgotten_after_a_day_and_a_few_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, now = Journal(tmp_path / "one.job"), time.time()
    for number in range(13):
        journal.begin(wire.PLAY_MATCH, {"match": str(number)})
    journal.end()
    monkeypatch.setattr(time, "time", lambda: now + 23 * 3600)
    found = []
    for number in (1, 2, 11):
        found.append(attempts(journal, {"match": str(number)}))
        journal.end()
    assert found == [1, 2, 2]
    monkeypatch.setattr(time, "time", lambda: now + 25 * 3600)
    assert attempts(journal, {"match": "10"}) == 1


def test_a_job_is_forgotten_where_the_deaths_at_others_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "one.job")
    for match in ("a", "b"):
        journal.begin(wire.PLAY_MATCH, {"match": match})

    def full(_: Path, path: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    journal.end()
    assert journal.unfinished() is None


def test_a_journal_of_an_older_release_is_read(tmp_path: Path) -> None:
    (tmp_path / "one.job").write_text('["arena.play_match",{"match":"m"},1]')
    assert attempts(Journal(tmp_path / "one.job"), JOB) == 2


def test_nobody_else_reads_the_token_of_a_job(tmp_path: Path) -> None:
    Journal(tmp_path / "one.job").begin("arena.play_match", JOB)
    assert (tmp_path / "one.job").stat().st_mode & 0o777 == 0o600


def test_the_files_of_arenas_that_are_long_gone_are_deleted(tmp_path: Path) -> None:
    names = ("arena@gone.job", "arena@here.job", "arena@busy.job", "matchbox.db", "other.job")
    for name in names:
        (tmp_path / name).write_text("[]")
        if name != "arena@busy.job":
            os.utime(tmp_path / name, (0, time.time() - 25 * 3600))
    Journal(tmp_path / "arena@here.job").delete_old()
    assert {path.name for path in tmp_path.iterdir()} == {*names} - {"arena@gone.job"}
    Journal(tmp_path / "missing" / "arena@here.job").delete_old()


def test_a_damaged_journal_holds_nothing(tmp_path: Path) -> None:
    wrong = '["arena.play_match", {}, "1"]'
    for content in ("", "{", "[1]", "null", wrong, "\xff"):
        (tmp_path / "one.job").write_text(content, encoding="latin-1")
        assert Journal(tmp_path / "one.job").unfinished() is None


def test_an_arena_without_room_for_its_journal_plays_without_it(tmp_path: Path) -> None:
    (tmp_path / "full").write_text("A file stands where the folder would be.")
    journal = Journal(tmp_path / "full" / "one.job")
    journal.begin("arena.play_match", JOB)
    assert journal.unfinished() is None
    journal.end()
