"""An archive, and the page of a match, say what a season was played by."""

from __future__ import annotations

from pathlib import Path

import pytest

from matchbox.errors import Conflict
from matchbox.league.archive import Archive
from server import queries
from server.db.models import League, Lesson, LessonState, Season, SeasonState, User
from server.queries.archive import write_archive
from tests.books import USUAL_VARIABLES, Books, limit_variables, play_out, season_of, two_divisions


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
    with books.read() as session, (tmp_path / "season.zip").open("w+b") as file:
        write_archive(session, season.id, "allowed", None, file)
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
    with books.read() as session, (tmp_path / "season.zip").open("w+b") as file:
        limit_variables(session)
        assert write_archive(session, season.id, "mine", alice, file) == season.name


def test_a_match_has_the_options_with_which_it_was_played(books: Books, season: Season) -> None:
    with books.read() as session:
        (match, *_) = queries.matches(session, season=season.id).items
        assert "new" not in queries.match(session, match.id, None).options


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
            return [queries.season(session, number).seed, listed[number]]

    def export(number: int) -> None:
        with books.read() as session, (tmp_path / "season.zip").open("w+b") as file:
            write_archive(session, number, "allowed", None, file)

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
        assert queries.season(session, upper + 1).seed
        assert queries.season(session, upper).seed is None
        assert write_archive(session, upper + 1, "allowed", None, file)
