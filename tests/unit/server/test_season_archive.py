"""An archive, and the page of a match, say what a season was played by."""

from __future__ import annotations

from pathlib import Path

import pytest

from matchbox.bundle import digest
from matchbox.errors import Conflict
from matchbox.league.archive import Archive
from server import queries
from server.db.models import (
    League,
    Lesson,
    LessonState,
    Memory,
    Result,
    Season,
    SeasonState,
    User,
    Version,
)
from server.queries.archive import write_archive
from server.services import record_removal
from tests.books import USUAL_VARIABLES, Books, limit_variables, play_out, season_of, two_divisions
from tests.plans import loads_of, without


@pytest.fixture
def season(books: Books, charlie: User, alice: User, bob: User) -> Season:
    """A finished season, whose league has got new rules since."""
    league = books.league(paused=True)
    made = season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])
    play_out(books)
    with books.write() as session:
        row = session.get_one(League, league.id)
        row.rules, row.options = "another", {**row.options, "new": True}
    return made


def test_an_archive_has_the_rules_by_which_the_season_was_played(
    books: Books, season: Season, tmp_path: Path
) -> None:
    file = (tmp_path / "season.zip").open("w+b")
    with file, books.read() as session, loads_of(Result) as results, loads_of(Version) as versions:
        write_archive(session, None, season.id, "allowed", file)
        assert without(results, "logs", "printed", "diagnostics", "notes")
        assert without(versions, "report")
        archive = Archive(file)
        assert [archive.record(one).match for one in archive.matches]
    assert archive.head.season.rules != "another"
    assert "new" not in archive.head.season.options


def test_an_archive_has_lessons_from_any_number_of_matches(
    books: Books, season: Season, alice: User, tmp_path: Path
) -> None:
    played = [[f"{number:032x}", 0] for number in range(USUAL_VARIABLES + 1)]
    with books.write() as session:
        entry = session.get_one(Season, season.id).entries[0]
        taught = {"state": LessonState.LEARNED, "created_at": books.clock(), "played": played}
        lesson = Lesson(season_id=season.id, version_id=entry.version_id, round=0, **taught)
        session.add(lesson)
    file = (tmp_path / "season.zip").open("w+b")
    with file, books.read() as session, loads_of(Lesson) as lessons:
        limit_variables(session)
        assert write_archive(session, alice, season.id, "mine", file) == season.name
    assert without(lessons, "log")


@pytest.mark.parametrize(("learns", "kept"), [(True, [0, 1]), (None, [0, 1]), (False, [0])])
def test_an_archive_has_the_lessons_that_changed_a_memory_of_a_bot_that_learns_no_more(
    learns: bool | None, kept: list[int], books: Books, season: Season, alice: User, tmp_path: Path
) -> None:
    name = digest(b"wise")
    with books.write() as session:
        session.add(Memory(digest=name, data=b"wise"))
        version = session.get_one(Season, season.id).entries[0].version
        assert version is not None
        version.learns = learns
        taught = {"state": LessonState.LEARNED, "created_at": books.clock(), "played": []}
        taught |= {"season_id": season.id, "version_id": version.id, "after": name}
        session.add_all([Lesson(round=0, **taught), Lesson(round=1, before=name, **taught)])
    with (tmp_path / "season.zip").open("w+b") as file, books.read() as session:
        write_archive(session, alice, season.id, "mine", file)
        assert [one.round for one in Archive(file).head.lessons] == kept


def test_a_match_has_the_options_with_which_it_was_played(books: Books, season: Season) -> None:
    with books.read() as session:
        (match, *_) = queries.matches(session, season=season.id).items
        options = queries.match(session, None, match.id).options
    assert options == {}
    with books.write() as session:
        record_removal.remove_records(session, [match.id], 30)
    with books.read() as session:
        assert queries.match(session, None, match.id).options is None


def test_the_seed_of_the_first_division_stays_hidden_while_another_one_plays(
    books: Books, charlie: User, tmp_path: Path
) -> None:
    upper = two_divisions(books, charlie)
    lower = upper + 1

    def finish(number: int) -> None:
        with books.write() as session:
            session.get_one(Season, number).state = SeasonState.FINISHED

    def told(number: int) -> list[str | None]:
        with books.read() as session:
            listed = {one.id: one.seed for one in queries.seasons(session).items}
            return [queries.season(session, None, number).seed, listed[number]]

    def export(number: int) -> None:
        with books.read() as session, (tmp_path / "season.zip").open("w+b") as file:
            write_archive(session, None, number, "allowed", file)

    finish(upper)
    assert told(upper) == told(lower) == [None, None]
    with pytest.raises(Conflict, match="gives the deals of all divisions"):
        export(upper)
    finish(lower)
    assert None not in told(upper) + told(lower)
    export(upper)


def test_the_seed_of_a_lower_division_gives_no_other_one(
    books: Books, charlie: User, tmp_path: Path
) -> None:
    upper = two_divisions(books, charlie)
    with books.write() as session:
        session.get_one(Season, upper + 1).state = SeasonState.FINISHED
    with books.read() as session, (tmp_path / "season.zip").open("w+b") as file:
        assert queries.season(session, None, upper + 1).seed
        assert queries.season(session, None, upper).seed is None
        assert write_archive(session, None, upper + 1, "allowed", file)
