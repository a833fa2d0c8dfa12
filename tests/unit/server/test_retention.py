"""Old rows are removed, while results and ratings stay the same to the bit."""

from __future__ import annotations

import sys
from dataclasses import replace
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import func, select, update

from matchbox.errors import Conflict, NotFound
from matchbox.match.wire import PlayMatch, TryOut
from server import queries
from server.db.models import (
    BrowserSession,
    Bundle,
    Delivery,
    Event,
    League,
    Lesson,
    LessonState,
    Match,
    MatchSeat,
    Notice,
    Rating,
    Result,
    Role,
    Season,
    SeasonState,
    User,
    Version,
    VersionState,
)
from server.queries.archive import write_archive
from server.queries.lessons import packed_record, season_lessons
from server.queries.personal_data import write_personal_data
from server.services import match_verifications, ratings, retention, signs, standings, voids
from server.services.tick import prune_some, tick
from server.times import DAY_MS
from tests.books import SIMPLE, Books, play_out, played, season_of, tried_out
from tests.plans import explained

KEYS = (
    *("keep_record_days", "keep_season_record_days", "keep_output_days", "keep_tryout_days"),
    "keep_refused_days",
)


def keeping(books: Books, **days: int) -> Books:
    """Returns the same database under these settings."""
    knobs: dict[str, Any] = {**dict.fromkeys(KEYS, 0), **days}
    settings = replace(books.settings, **knobs)
    return replace(books, context=replace(books.context, settings=settings))


def prune(books: Books, **days: int) -> dict[str, int]:
    """Removes all old rows; returns the number of each kind."""
    counts: dict[str, int] = {}
    while some := prune_some(keeping(books, **days).context):
        for name, count in some.items():
            counts[name] = counts.get(name, 0) + count
    return counts


@pytest.fixture
def bots(books: Books, alice: User, bob: User) -> list[Version]:
    """Three bots in the default league."""
    books.league()
    return [books.bot(alice, "one"), books.bot(bob, "two"), books.bot(bob, "three")]


@pytest.fixture
def ranked(books: Books, bots: list[Version]) -> list[str]:
    """The ids of finished ranked matches."""
    for _ in range(3):
        tick(books.context)
        for job in books.postman.take():
            books.record(played(job))  # type: ignore[arg-type]
        books.clock.pass_by(minutes=1)
    with books.read() as session:
        return list(session.scalars(select(Match.id).join(Match.result).order_by(Match.number)))


def refit(books: Books) -> dict[str, Any]:
    """Fits the league's ratings again, stores them as the live ones, and returns the standing."""
    with books.read() as session:
        league = session.scalars(select(League)).first()
        assert league is not None
        fresh = standings.compute(session, standings.scope_of(league))
    with books.write() as session:
        standings.store(session, fresh, now=books.clock())
    return {"lines": fresh.lines, "digest": fresh.rows_digest, "facts": fresh.facts}


def rated(books: Books) -> tuple[Any, ...]:
    """Returns all rows that feed ratings, the live ratings, and all results."""
    with books.read() as session:
        rows = ratings.played(session)
        live = select(Rating.version_id, Rating.mu, Rating.sigma, Rating.matches)
        results = select(Match.id, Match.score, Result.digest, Result.bouts).join(Match.result)
        seats = select(MatchSeat.match_id, MatchSeat.seat, MatchSeat.points, MatchSeat.forfeits)
        return (
            *(rows.rows, rows.matches, rows.lengths),
            *(sorted(map(repr, session.execute(one))) for one in (live, results, seats)),
        )


def test_records_go_and_ratings_stay_to_the_bit(books: Books, ranked: list[str]) -> None:
    as_booked = rated(books)
    fit = refit(books)
    before = rated(books)
    assert len(before[0]) > 8
    assert before != as_booked
    books.clock.pass_by(minutes=60 * 24 * 10 + 5)
    assert prune(books, keep_record_days=11) == {}
    assert prune(books, keep_record_days=10) == {"records": len(ranked)}
    assert rated(books) == before
    assert refit(books) == fit
    assert rated(books) == before
    with books.read() as session:
        assert {len(data) for data in session.scalars(select(Result.record))} == {0}
        again = [ratings.played(session, Match.id == name).rows for name in ranked]
    assert [row for rows in again for row in rows] == sorted(
        before[0], key=lambda row: ranked.index(row.match)
    )


def test_a_match_without_its_record_says_so(books: Books, ranked: list[str], charlie: User) -> None:
    name = ranked[0]
    with books.read() as session:
        whole = queries.match(session, charlie, name)
    books.clock.pass_by(minutes=60 * 24 * 30 + 5)
    prune(books, keep_record_days=30, keep_output_days=20)
    why = f"the record of match {name} was removed after 30 days"
    with books.read() as session:
        told = queries.match(session, charlie, name)
        assert told.embargo == f"{why}; its result stays"
        assert (told.bouts, told.digest, told.entrants) == (None, whole.digest, whole.entrants)
        for ask in (queries.record_of, packed_record):
            with pytest.raises(NotFound, match=why):
                ask(session, name)
        (log, *_) = queries.match_log(session, charlie, name)
        assert log.text == "The output was removed after 20 days."
        assert queries.matches(session, bot="alice/one").items
    with books.write() as session, pytest.raises(NotFound, match=why):
        match_verifications.ask(session, charlie, name, settings=books.settings, now=books.clock())


def test_it_can_be_made_void_but_is_not_played_again(
    books: Books, ranked: list[str], charlie: User
) -> None:
    books.clock.pass_by(minutes=60 * 24 * 2)
    prune(books, keep_record_days=1)
    with books.write() as session, pytest.raises(Conflict, match="cannot be played again"):
        voids.void(session, charlie, ranked[0], "a fault", again=True, now=books.clock())
    with books.write() as session:
        voids.void(session, charlie, ranked[0], "a fault", now=books.clock())
    with books.read() as session:
        assert queries.match(session, None, ranked[0]).state == "void"
    assert prune(books, keep_output_days=1) == {"output": len(ranked)}


def test_the_log_of_an_old_try_out_goes_unless_its_version_plays(
    books: Books, alice: User, bots: list[Version], ranked: list[str]
) -> None:
    one = bots[0]
    for data, log in ((SIMPLE, "hello from the bot\n"), (SIMPLE + b"#", "")):
        books.upload(alice, "one", data)
        (job,) = books.sent(TryOut)
        books.settle(tried_out(job, accepted=False, log=log))
    before = rated(books)

    def report(number: int) -> dict[str, Any]:
        with books.read() as session:
            viewer = session.get(User, alice.id)
            found = queries.bot(session, viewer, "alice", "one").versions
            (told,) = [line.report for line in found if line.number == number]
            assert told is not None
            return told.plain()

    whole = report(2)
    assert whole["log"] == "hello from the bot\n"
    books.clock.pass_by(minutes=60 * 24 * 20 + 5)
    assert "tryouts" not in prune(books, keep_tryout_days=21)
    assert prune(books, keep_tryout_days=20)["tryouts"] == 2
    assert prune(books, keep_tryout_days=20) == {}
    assert report(2) == {**whole, "log": None, "log_days": 20}
    assert report(3)["log"] == ""
    assert report(1)["log"] == "hello from the bot\n", "it plays"
    with books.read() as session:
        theirs = queries.bot(session, None, "alice", "one").versions
        assert all("log_days" not in line.report.plain() for line in theirs if line.report)
        assert session.get_one(Bundle, books.version(one.id).digest).data
    assert rated(books) == before


def refused(books: Books, owner: User, name: str, data: bytes) -> Version:
    """Uploads these bytes, and refuses every version with them that waits for its verdict."""
    version = books.upload(owner, name, data)
    for job in books.sent(TryOut):
        if job.version == version.digest:
            books.settle(tried_out(job, accepted=False))
    return books.version(version.id)


def file_bytes(books: Books, version: Version) -> int:
    """Returns how many bytes are stored of the version's file."""
    with books.read() as session:
        return len(session.get_one(Bundle, version.digest).data)


def test_the_file_of_a_refused_version_goes_and_its_verdict_stays(
    books: Books, bots: list[Version], alice: User, bob: User
) -> None:
    bad = refused(books, alice, "bad", SIMPLE + b"# bad\n")
    shared = refused(books, alice, "shared", SIMPLE + b"# bob/two\n")
    assert shared.digest == bots[1].digest
    books.clock.pass_by(minutes=60 * 24 * 20 + 5)
    late = refused(books, bob, "late", SIMPLE + b"# late\n")
    assert "refused" not in prune(books, keep_refused_days=21)
    assert prune(books, keep_refused_days=20) == {"refused": 1}
    assert prune(books, keep_refused_days=20) == {}
    assert not file_bytes(books, bad)
    assert all(file_bytes(books, one) for one in (*bots, shared, late))
    with books.read() as session:
        assert queries.file_of(session, alice, "alice", "bad", 1) == b""
        assert queries.file_of(session, bob, "alice", "bad", 1) is None
        with pytest.raises(NotFound, match="was refused, and its file has been removed"):
            queries.uploaded_file(session, alice, str(bad.id))
        line = queries.version(session, alice, bad.id)
        assert line.report is not None
        assert (line.state, line.report.accepted) == ("refused", False)
        out = BytesIO()
        write_personal_data(session, alice, out, settings=books.settings, now=books.clock())
        assert "bots/bad/v1.py" not in ZipFile(out).namelist()
        assert "bots/one/v1.py" in ZipFile(out).namelist()


def test_a_file_that_was_removed_comes_back_with_the_next_upload_of_its_bytes(
    books: Books, bots: list[Version], alice: User, bob: User
) -> None:
    text = SIMPLE + b"# bad\n"
    bad = refused(books, alice, "bad", text)
    books.clock.pass_by(minutes=60 * 24 * 2)
    assert prune(books, keep_refused_days=1) == {"refused": 1}
    assert books.upload(alice, "bad", text).id == bad.id
    assert not file_bytes(books, bad), "the verdict on this version stands"
    again = books.bot(bob, "again", text)
    assert again.digest == bad.digest
    assert file_bytes(books, again) == len(text)
    assert prune(books, keep_refused_days=1) == {}


def test_files_that_records_need_and_those_of_the_house_stay(
    books: Books, ranked: list[str], bots: list[Version]
) -> None:
    own = refused(books, books.person("house", Role.HOUSE), "own", SIMPLE + b"# own\n")
    with books.write() as session:
        values = {"state": VersionState.REFUSED, "settled_at": books.clock()}
        session.execute(update(Version).where(Version.id == bots[0].id).values(**values))
    books.clock.pass_by(minutes=60 * 24 * 2)
    assert "refused" not in prune(books, keep_refused_days=1)
    assert file_bytes(books, own)
    assert file_bytes(books, bots[0])


def test_old_try_outs_are_found_by_an_index_of_those_that_have_their_log(books: Books) -> None:
    (kind,) = [one for one in retention.KINDS if one.name == "tryouts"]
    with books.read() as session, explained(session, only="FROM version") as plans:
        retention.find(session, kind, books.settings, now=books.clock())
    assert plans
    for plan in plans:
        assert plan.startswith("SEARCH version USING INDEX ix_version_state_settled_at"), plan
        assert "settled_at<?" in plan, plan


def test_a_match_that_is_verified_or_shares_its_deals_keeps_its_record(
    books: Books, ranked: list[str], charlie: User
) -> None:
    asked, sharing = ranked[:2]
    tick(books.context)
    with books.write() as session:
        match_verifications.ask(session, charlie, asked, settings=books.settings, now=books.clock())
        open_match = session.scalars(select(Match).where(Match.finished_at.is_(None))).first()
        assert open_match is not None
        open_match.deals = session.get_one(Match, sharing).deals
    books.clock.pass_by(minutes=60 * 24 * 2)
    prune(books, keep_record_days=1)
    with books.read() as session:
        kept = select(Result.match_id).where(Result.record_days.is_(None))
        assert set(session.scalars(kept)) == {asked, sharing}


def test_a_season_keeps_its_records_until_it_is_over_and_one_asks(
    books: Books, bots: list[Version], charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with books.write() as session:
        session.execute(update(Match).values(number=Match.number))
    season = season_of(books, charlie, bots, cycles=2)
    tick(books.context)
    with books.read() as session:
        own = set(session.scalars(select(Match.id).where(Match.season_id == season.id)))
    jobs = [job for job in books.postman.take() if isinstance(job, PlayMatch) and job.match in own]
    assert len(jobs) > 1
    for job in jobs[:2]:
        books.record(played(job))
    books.clock.pass_by(minutes=60 * 24 * 50)
    everything = dict.fromkeys(KEYS, 1)
    assert not {"season-records", "output"} & set(prune(books, **everything))
    play_out(books)
    with books.read() as session:
        assert session.get_one(Season, season.id).state == SeasonState.FINISHED
        standing = standings.compute(session, standings.scope_of(season)).rows_digest
        of_season = select(func.count()).select_from(Match).where(Match.season_id == season.id)
        number = session.scalar(of_season) or 0
    books.clock.pass_by(minutes=60 * 24 * 50)
    assert "season-records" not in prune(books, keep_record_days=1)
    with books.read() as session:
        assert queries.exportable_season(session, None, season.id) == season.id
        assert len(list(queries.season_records(books.read, season.id))) == number
    monkeypatch.setattr(sys.modules["server.queries.games"], "_QUERY_CHUNK", 1)
    under_way = queries.season_records(books.read, season.id)
    next(under_way)
    assert prune(books, keep_season_record_days=49)["season-records"] == number
    with books.read() as session:
        assert standings.compute(session, standings.scope_of(season)).rows_digest == standing
        why = f"records of season {season.name} were removed 49 days after its end"
        with pytest.raises(NotFound, match=why):
            queries.exportable_season(session, None, season.id)
        with pytest.raises(Conflict, match=why):
            write_archive(session, charlie, season.id, "mine", BytesIO())
    for download in (under_way, queries.season_records(books.read, season.id)):
        with pytest.raises(NotFound, match="was removed after 49 days"):
            list(download)


def test_the_output_of_lessons_goes_after_the_seasons_end(
    books: Books, bots: list[Version], charlie: User
) -> None:
    season = season_of(books, charlie, bots, format={"learning": "fresh"})
    with books.write() as session:
        for number, log in enumerate(("aha\n", "(removed after 5 days)", "")):
            row = Lesson(season_id=season.id, version_id=bots[0].id, round=number, log=log)
            row.state, row.played, row.created_at = LessonState.LEARNED, [], books.clock()
            row.settled_at = books.clock()
            session.add(row)
    books.clock.pass_by(minutes=60 * 24 * 20 + 5)
    assert "lessons" not in prune(books, keep_output_days=20), "the season goes on"
    with books.write() as session:
        session.get_one(Season, season.id).state = SeasonState.FINISHED
    assert "lessons" not in prune(books, keep_output_days=21)
    assert prune(books, keep_output_days=20)["lessons"] == 2
    assert "lessons" not in prune(books, keep_output_days=10)
    with books.read() as session:
        told = season_lessons(session, charlie, season.id).items
    gone = ("(removed after 20 days)", 20)
    assert [(one.log, one.log_days) for one in told] == [gone, gone, ("", None)]


def test_small_rows_go_by_their_age(books: Books, alice: User) -> None:
    now = books.clock()
    for days in (0, 8, 400):
        at = now - days * DAY_MS
        with books.write() as session:
            notice = Notice(user_id=alice.id, kind="verdict", subject="", text="x", at=at)
            session.add(Delivery(notice=notice, attempts=0, due_at=at))
            session.add(Event(kind="season.open", subject="1", at=at))
            session.add(
                BrowserSession(
                    digest=f"{days}", user_id=alice.id, browser="", created_at=at, seen_at=at,
                    ends_at=now + DAY_MS,
                )
            )  # fmt: skip
    with books.read() as session:
        found = retention.count(session, books.settings, now=now)
    assert found == {
        "events": 1, "deliveries": 2, "notices": 0, "sessions": 1, "tables": 0, "tryouts": 0,
        "refused": 0, "output": 0, "lessons": 0, "records": None, "season-records": None,
    }  # fmt: skip
    assert prune(books) == {"events": 1, "deliveries": 2, "notices": 1, "sessions": 1}
    assert [books.count(one) for one in (Delivery, Notice, BrowserSession)] == [1, 2, 2]


def test_the_ledger_looks_every_hour_and_goes_on_until_nothing_is_left(
    books: Books, ranked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    kept = keeping(books, keep_record_days=1)
    tick(kept.context)
    books.clock.pass_by(minutes=60 * 24 + 10)
    left = []
    for _ in range(3):
        tick(kept.context)
        with books.read() as session:
            there = select(func.count()).select_from(Result).where(Result.record_days.is_(None))
            left.append(session.scalar(there))
    assert left == [len(ranked) - 2, len(ranked) - 4, max(0, len(ranked) - 6)]


def test_a_clock_that_was_ahead_does_not_put_off_the_next_search(books: Books) -> None:
    books.clock.pass_by(minutes=1440)
    tick(books.context)
    with books.read() as session:
        assert not retention.is_due(session, now=books.clock())
        books.clock.pass_by(minutes=-1440)
        assert retention.is_due(session, now=books.clock())


def test_a_clock_that_is_far_ahead_for_a_while_removes_nothing(
    books: Books, ranked: list[str]
) -> None:
    kept = keeping(books, keep_record_days=100)

    def there(minutes: float) -> int:
        """Runs the platform; returns how many records are there then."""
        tick(kept.context)
        for _ in range(round(minutes * 3)):
            books.clock.pass_by(seconds=20)
            signs.give(kept.context, signs.WEB)
        tick(kept.context)
        with books.read() as session:
            has_record = Result.record_days.is_(None)
            return session.scalar(select(func.count()).select_from(Result).where(has_record)) or 0

    there(1)
    books.clock.pass_by(minutes=1440 * 365)
    assert there(2) == len(ranked)
    books.clock.pass_by(minutes=-1440 * 365)
    assert there(2) == len(ranked)
    books.clock.pass_by(minutes=1440 * 365)
    there(59)
    assert there(3) == 0
