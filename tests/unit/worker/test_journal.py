"""The journal finds the job again at which an arena was killed."""

from __future__ import annotations

from pathlib import Path

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
    journal.begin("arena.play_match", {"match": "other"})
    assert journal.unfinished() == Entry("arena.play_match", {"match": "other"}, 1)


def test_nobody_else_reads_the_token_of_a_job(tmp_path: Path) -> None:
    Journal(tmp_path / "one.job").begin("arena.play_match", JOB)
    assert (tmp_path / "one.job").stat().st_mode & 0o777 == 0o600


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
