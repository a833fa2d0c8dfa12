"""Matches played again on request: who may request it, the job's states, the finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from matchbox import registry
from matchbox.errors import Conflict, Forbidden, NotFound, TooMany
from matchbox.match import record as records
from matchbox.match.wire import Entrant, PlayMatch, Verified, Verify
from server import outbox, queries
from server.db.models import Match, MatchVerification, Result, Season, User
from server.queries import job_queue
from server.queries import verifications as reading
from server.services import disk, job_kinds, jobs, match_verifications, signs, walls
from server.services.job_lines import job_line
from server.services.match_verifications import VERIFICATION
from server.services.remote_names import arena_name
from server.services.tick import tick
from tests.books import Books, lost, open_books, season_of
from worker.arena.play import play_job
from worker.arena.verification import verify

CLOCKED = b"""
import os
from matchbox.games.bomb import SimplePlayer

class Clocked(SimplePlayer):
    def defuse(self, game_data):
        return os.urandom(1)[0] % (game_data.draw_pile_size() + 1)
"""
"""A bot that plays differently each time."""


@pytest.fixture
def season(books: Books, alice: User, bob: User, charlie: User) -> Season:
    """A season of two bots."""
    books.league()
    return season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])


@pytest.fixture
def match(books: Books, season: Season) -> str:
    """The id of a match of the season that was really played."""
    return play_one(books)


def bundle_of(books: Books) -> Callable[[str], bytes]:
    """Returns a function that finds a bot's file by its digest."""

    def find(version: str) -> bytes:
        with books.read() as session:
            return queries.bundle(session, version)

    return find


def play_one(books: Books) -> str:
    """Plays the next match; returns its id."""
    job = books.dispatch()[0]
    find = bundle_of(books)
    assert books.record(play_job(job, {one.version: find(one.version) for one in job.seats}, None))
    return job.match


def ask(books: Books, actor: User, match: str) -> MatchVerification:
    """Requests the verification of the match."""
    with books.write() as session:
        return match_verifications.ask(
            session, actor, match, settings=books.settings, now=books.clock()
        )


def sent(books: Books) -> list[Verify]:
    """Returns the jobs sent since the last call."""
    outbox.flush(books.context.database, books.postman, books.clock())
    return books.sent(Verify)


def verified(books: Books, job: Verify) -> Verified:
    """Returns the finding of an arena without a wall."""
    with books.read() as session:
        record = session.get_one(Result, job.match).record
    return verify(job, record, bundle_of(books), lambda name: None, None)


def book(books: Books, message: Verified) -> bool:
    """Books a finding."""
    with books.write() as session:
        return match_verifications.book(
            session, message, settings=books.settings, now=books.clock()
        )


def told(books: Books, match: str) -> Any:
    """Returns the public finding about the match."""
    with books.read() as session:
        return reading.newest(session, match)


def test_a_match_is_played_again_and_is_the_same(books: Books, match: str, alice: User) -> None:
    assert told(books, match) is None
    with books.read() as session, pytest.raises(NotFound, match="verified yet"):
        reading.verification(session, match)
    ask(books, alice, match)
    assert told(books, match).state == "waiting"
    (job,) = sent(books)
    assert (job.match, job.classes) == (match, [None, None])
    books.clock.pass_by(minutes=1)
    message = verified(books, job)
    assert book(books, message)
    assert not book(books, message)  # a message that comes twice
    found = told(books, match)
    assert (found.state, found.finding, found.bout, found.move) == ("done", "same", None, None)
    assert found.finished_at > found.asked_at
    with books.read() as session:
        assert reading.verification(session, match[:8]) == found


def test_a_record_that_was_changed_is_found_with_its_place(
    books: Books, match: str, alice: User
) -> None:
    changed = _forge(books, match)
    ask(books, alice, match)
    (job,) = sent(books)
    assert book(books, verified(books, job))
    found = told(books, match)
    assert found.finding == "different"
    assert found.bout == changed


def test_a_match_that_was_only_replayed_says_why(books: Books, match: str, alice: User) -> None:
    with books.write() as session:
        result = session.get_one(Result, match)
        older = replace(records.unpack(result.record), python="2.7")
        result.record = records.pack(older)
    ask(books, alice, match)
    (job,) = sent(books)
    assert told(books, match).why == ""
    assert book(books, verified(books, job))
    found = told(books, match)
    assert (found.state, found.finding) == ("done", "replayed_only")
    assert found.why.startswith("the match was played by Python 2.7, and Python 3.")


def _forge(books: Books, match: str) -> int:
    """Stores a record that replays by the rules, but that its bots never played; returns the bout.

    Another bot played it in their place.
    """
    with books.write() as session:
        result = session.get_one(Result, match)
        record = records.unpack(result.record)
        job = PlayMatch(
            attempt=0, token="", game=record.game, limits={}, match=match, rules=record.rules,
            options=record.options, deals=record.deals,
            seats=[Entrant(version) for version in record.seats],
        )  # fmt: skip
        other = b"from matchbox.games.bomb import MediumPlayer\n\nBOT = MediumPlayer\n"
        played = play_job(job, dict.fromkeys(record.seats, other), None)
        forged = records.unpack(played.record)
        result.record, result.digest = played.record, records.digest(forged)
    pairs = enumerate(zip(record.bouts, forged.bouts, strict=True))
    return next(at for at, (one, two) in pairs if one != two)


def test_a_match_is_verified_by_one_job_at_a_time(
    books: Books, match: str, alice: User, bob: User
) -> None:
    ask(books, alice, match)
    with pytest.raises(Conflict, match="verifying this match already"):
        ask(books, bob, match)
    (job,) = sent(books)
    book(books, verified(books, job))
    ask(books, bob, match)
    assert told(books, match).state == "waiting"


def test_nobody_verifies_more_matches_than_allowed(books: Books, match: str, alice: User) -> None:
    narrow = open_books(books.context.database.url, verifications_per_day=1)
    narrow.clock.now = books.clock.now
    ask(narrow, alice, match)
    (job,) = sent(narrow)
    assert book(narrow, verified(narrow, job))
    with pytest.raises(TooMany, match=r"come back at 20\d\d-\d\d-\d\d \d\d:\d\d UTC") as refused:
        ask(narrow, alice, match)
    assert refused.value.wait_s == 24 * 60 * 60
    narrow.clock.pass_by(minutes=24 * 60 + 1)
    ask(narrow, alice, match)
    narrow.context.close()


def test_an_operator_may_allow_no_verifications(books: Books, match: str, alice: User) -> None:
    narrow = open_books(books.context.database.url, verifications_per_day=0)
    with pytest.raises(Forbidden, match="allows no verifications here"):
        ask(narrow, alice, match)
    narrow.context.close()


def test_a_closed_match_is_not_verified(books: Books, season: Season, alice: User) -> None:
    (waiting, *_) = books.dispatch()
    with pytest.raises(Forbidden, match="closed until it is over"):
        ask(books, alice, waiting.match)
    with pytest.raises(NotFound):
        ask(books, alice, "0" * 32)
    assert sent(books) == []


def test_it_refuses_what_cannot_be_played_here(books: Books, match: str, alice: User) -> None:
    books.wall(walled=False)
    with pytest.raises(Conflict, match="its bots cannot play now"):
        ask(books, alice, match)
    books.wall()
    with books.write() as session:
        session.get_one(Match, match).rules = "0"
    with pytest.raises(Conflict, match="the release that played it"):
        ask(books, alice, match)


def test_a_lost_message_is_sent_again(
    books: Books, match: str, alice: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(books, alice, match)
    (first,) = sent(books)
    books.clock.pass_by(minutes=books.settings.lease_minutes + 1)
    settings, now = books.settings, books.clock()
    with books.read() as session:
        queue = job_queue.queue_detail(session, charlie, settings=settings, now=now)
    waits = [(one.id, one.name) for one in queue.jobs if one.kind == "verification"]
    assert waits == [(match, "a match of bomb")]
    books.wall()
    with books.write() as session:
        signs.note(session, signs.TICK, now=now)
    monkeypatch.setattr(disk, "is_full", lambda _: True)  # That holds matches alone.
    with books.read() as session:
        queue = job_queue.queue_detail(session, charlie, settings=settings, now=now)
    assert [one.reason for one in queue.jobs] == ["It waits for a free arena."]
    tick(books.context)
    (second,) = sent(books)
    assert (second.verification, second.attempt) == (first.verification, 2)
    with books.write() as session:
        job_kinds.claim(session, second.claim(), settings=books.settings, now=books.clock())
    with pytest.raises(Conflict), books.write() as session:
        job_kinds.claim(session, first.claim(), settings=books.settings, now=books.clock())
    with pytest.raises(Forbidden):
        book(books, replace(verified(books, second), token="0" * 64))
    assert book(books, verified(books, first))
    assert told(books, match).finding == "same"


def test_an_arenas_reason_is_kept_as_one_short_line(books: Books, match: str, alice: User) -> None:
    ask(books, alice, match)
    (job,) = sent(books)
    only = replace(verified(books, job), finding="replayed_only")
    assert book(books, replace(only, why="numpy\n\x07 is\u202e newer " + "x" * 1000))
    why = told(books, match).why
    assert why.startswith("numpy is newer xxx")
    assert len(why) == 200


def test_a_platform_that_fails_again_and_again_gives_up(
    books: Books, match: str, alice: User
) -> None:
    ask(books, alice, match)
    for _ in range(books.settings.attempts):
        (job,) = sent(books)
        assert books.lose(lost(job))
    assert (told(books, match).state, told(books, match).finding) == ("failed", None)
    assert told(books, match).why == "the platform has failed at it too often; try it again later"
    with books.write() as session:  # An upgrade does not change what became of it before.
        session.get_one(Match, match).rules = "0"
    assert told(books, match).why == "the platform has failed at it too often; try it again later"
    with books.write() as session:
        match_row = session.get_one(Match, match)
        match_row.rules = registry.game(match_row.league.game).spec.rules
    assert sent(books) == []
    ask(books, alice, match)
    assert told(books, match).state == "waiting"


def test_a_match_whose_game_has_new_rules_by_now_is_not_judged(
    books: Books, match: str, alice: User
) -> None:
    ask(books, alice, match)
    (job,) = sent(books)
    with books.write() as session:  # Like an upgrade of the server and its arenas.
        result = session.get_one(Result, match)
        older = replace(records.unpack(result.record), rules="0")
        result.record, result.digest = records.pack(older), records.digest(older)
        result.match.rules = "0"
    with pytest.raises(Conflict, match="the release that played it"):
        verified(books, replace(job, digest=records.digest(older)))
    assert books.lose(lost(job))
    assert (told(books, match).state, told(books, match).finding) == ("failed", None)
    assert told(books, match).why == "its game has had other rules since an upgrade"
    assert sent(books) == []


def test_a_bot_that_does_not_repeat_itself_is_named_so(
    books: Books, alice: User, bob: User, charlie: User
) -> None:
    books.league()
    season_of(books, charlie, [books.bot(alice, "clocked", CLOCKED), books.bot(bob, "two")])
    name = play_one(books)
    ask(books, alice, name)
    (job,) = sent(books)
    assert book(books, verified(books, job))
    found = told(books, name)
    assert (found.finding, found.bout is None) == ("unrepeatable", False)


def test_it_waits_while_an_arena_has_no_wall(books: Books, match: str, alice: User) -> None:
    ask(books, alice, match)
    (job,) = sent(books)
    books.wall(walled=False)
    with pytest.raises(Conflict, match="no wall around bots"):
        books.claim(job, "arena")
    books.clock.pass_by(minutes=books.settings.lease_minutes)
    tick(books.context)
    assert sent(books) == []
    with books.read() as session:
        line = job_line(session, "verification", VERIFICATION, books.clock())
        assert (line.queued, line.running) == (1, 0)
        later = books.clock() + 30_000
        assert not jobs.unclaimed(session, VERIFICATION, before=later, now=later)
    books.wall()
    books.clock.pass_by(minutes=books.settings.lease_minutes)
    tick(books.context)
    assert len(sent(books)) == 1


LAB = arena_name("lab", 1)


def from_lab(books: Books, match: str) -> None:
    """Lets the match be one that the host `lab` has played."""
    with books.write() as session:
        session.get_one(Match, match).arena = LAB


def report(books: Books, *arenas: str) -> None:
    """Lets only these arenas report from now on."""
    books.clock.pass_by(minutes=1)
    with books.write() as session:
        signs.note(session, signs.TICK, now=books.clock())
        for arena in arenas:
            told = {"box": "bwrap", "walled": True, "arena": arena}
            walls.report_wall(session, told, now=books.clock())


def test_no_match_is_verified_while_only_the_host_that_played_it_is_at_work(
    books: Books, match: str, alice: User
) -> None:
    report(books, LAB, arena_name("lab", 2))
    assert ask(books, alice, match).wanted, "an arena here has played it"
    assert book(books, verified(books, *sent(books)))
    from_lab(books, match)
    with pytest.raises(Conflict, match="no host verifies the matches that it has played"):
        ask(books, alice, match)
    report(books, LAB, arena_name("attic", 1))
    assert ask(books, alice, match).wanted


def test_a_verification_that_only_the_matchs_own_host_could_do_ends_after_a_day(
    books: Books, match: str, alice: User
) -> None:
    report(books, "arena-1@here")
    from_lab(books, match)
    ask(books, alice, match)
    for _ in range(24 * 60):
        books.clock.pass_by(minutes=1)
        with books.write() as session:
            signs.note(session, signs.TICK, now=books.clock())
    for others in ((), ("arena-1@here",), (arena_name("attic", 1),)):
        report(books, LAB, *others) if others else report(books)
        tick(books.context)
        assert told(books, match).state == "waiting"
    (job,) = sent(books)[-1:]
    report(books, LAB)
    tick(books.context)
    found = told(books, match)
    assert (found.state, found.finding, found.why) == ("failed", None, match_verifications.NOBODY)
    with pytest.raises(Conflict, match="is not wanted any more"):
        books.claim(job, "arena-1@here")
    assert sent(books) == []
