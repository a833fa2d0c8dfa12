"""Lessons between rounds: created once, sent like any job, and settled by compare-and-set."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from msgspec.structs import replace
from sqlalchemy import insert, select, update

from matchbox.bundle import digest
from matchbox.errors import BadMessage, Conflict, Forbidden, NotFound
from matchbox.match.wire import Learned, Teach
from server import outbox
from server.db.models import (
    Event,
    Lesson,
    LessonState,
    Match,
    Memory,
    Season,
    SeasonState,
    User,
    Version,
)
from server.queries import courses
from server.queries import lessons as reading
from server.queries.job_queue import queue_detail
from server.services import faults, job_kinds, jobs, lessons, rounds, seasons, voids
from server.times import HOUR_MS
from tests.books import (
    USUAL_VARIABLES,
    Books,
    learned,
    limit_variables,
    lost,
    played,
    season_of,
)


@dataclass
class School:
    """A season whose first round is over, and whose bots may learn from it."""

    books: Books
    season: Season
    versions: list[Version]

    def taught(self) -> bool:
        """Returns whether all lessons are over; creates them at the first call."""
        with self.books.write() as session:
            season = session.get_one(Season, self.season.id)
            books = self.books
            return lessons.settle_lessons(
                session, season, settings=books.settings, now=books.clock()
            )

    def jobs(self) -> list[Teach]:
        """Returns the lessons sent since the last call."""
        outbox.flush(self.books.context.database, self.books.postman, self.books.clock())
        return self.books.sent(Teach)

    def remember(self, message: Learned) -> bool:
        """Books the result of a lesson."""
        with self.books.write() as session:
            now = self.books.clock()
            return lessons.remember(session, message, settings=self.books.settings, now=now)

    def memories(self) -> dict[int, str]:
        """Returns the versions' present memories."""
        with self.books.read() as session:
            return lessons.memories(session, session.get_one(Season, self.season.id))

    def rows(self) -> list[Lesson]:
        """Returns all lessons."""
        with self.books.read() as session:
            return list(session.scalars(select(Lesson).order_by(Lesson.id)))


@pytest.fixture
def school(books: Books, alice: User, bob: User, charlie: User) -> School:
    """Alice's and bob's bots have played the first round of a season that lets them learn."""
    books.league(paused=True)
    versions = [books.bot(alice, "counter"), books.bot(bob, "guesser")]
    return a_school(books, charlie, versions)


def a_school(
    books: Books, operator: User, versions: list[Version], *, learning: str = "fresh", **more: str
) -> School:
    """Plays the first round of a season of these versions."""
    season = season_of(books, operator, versions, **more)
    with books.write() as session:
        row = session.get_one(Season, season.id)
        row.format, row.round = {"learning": learning}, 1
        for match in session.scalars(select(Match).where(Match.season_id == season.id)):
            match.round = 0
    for job in books.dispatch():
        books.record(played(job))
    return School(books, season, versions)


def test_everybody_who_played_gets_one_lesson(school: School) -> None:
    assert not school.taught()
    assert not school.taught()
    jobs = school.jobs()
    assert [job.pupil.version for job in jobs] == [one.digest for one in school.versions]
    with school.books.read() as session:
        names = sorted(session.scalars(select(Match.id)))
    assert list(jobs[0].played) == names
    assert all({job.played[name] for job in jobs} == {0, 1} for name in names)
    assert jobs[0].key != jobs[1].key
    assert jobs[0].pupil.memory is None


def test_a_turn_sends_a_part_of_the_lessons_and_the_sweep_sends_the_others(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MAX_SWEPT", 1)
    books = school.books
    assert not school.taught()
    (first,) = school.jobs()
    assert len(school.rows()) == 2, "every lesson is there at once, so none can be forgotten"
    assert not school.taught()
    assert not school.jobs(), "another look at the round opens none again"
    books.clock.pass_by(seconds=1)
    books.sweep()
    (second,) = school.jobs()
    assert [first.pupil.version, second.pupil.version] == [v.digest for v in school.versions]
    assert (first.attempt, second.attempt) == (1, 1)
    books.clock.pass_by(minutes=books.settings.lease_minutes + 1)
    with books.write() as session:  # The lesson with the greater number is the later one.
        late = Lesson.version_id == school.versions[1].id
        session.execute(update(Lesson).where(late).values(deadline=Lesson.deadline - 60_000))
    for expected in (second, first):
        books.sweep()
        (again,) = school.jobs()
        assert (again.pupil.version, again.attempt) == (expected.pupil.version, 2)


def test_what_was_learned_is_remembered_from_then_on(school: School) -> None:
    school.taught()
    first, second = school.jobs()
    assert school.memories() == {}
    assert school.remember(learned(first, b"much"))
    assert not school.taught()
    assert school.remember(learned(second, b""))
    assert school.taught()
    assert school.memories() == {school.versions[0].id: digest(b"much")}
    assert not school.remember(learned(first, b"another thing"))
    assert school.memories() == {school.versions[0].id: digest(b"much")}
    with school.books.read() as session:
        assert session.scalars(select(Memory.digest)).all() == [digest(b"much")]


def test_a_fault_keeps_the_memory_and_costs_nothing(school: School) -> None:
    school.taught()
    for job in school.jobs():
        school.remember(learned(job, b"old"))
    next_round(school)
    school.taught()
    first, second = school.jobs()
    assert first.pupil.memory == digest(b"old")
    assert school.remember(learned(first, b"", fault="crash", detail="ZeroDivisionError"))
    school.remember(learned(second, b"new"))
    assert school.taught()
    told = {one.version_id: one for one in school.rows() if one.round == 1}
    failed = told[school.versions[0].id]
    assert (failed.state, failed.fault) == (LessonState.FAILED, "crash: ZeroDivisionError")
    assert failed.log == "aha\n"
    assert list(school.memories().values()) == [digest(b"old"), digest(b"new")]


def next_round(school: School) -> None:
    """Plays another round of the season: the matches of the first, once more."""
    with school.books.write() as session:
        season = session.get_one(Season, school.season.id)
        season.round = 2
        for match in session.scalars(select(Match).where(Match.season_id == season.id)):
            match.round = 1


def test_who_does_not_learn_is_asked_no_more(school: School) -> None:
    school.taught()
    first, second = school.jobs()
    school.remember(learned(first, b"", learns=False, records=0))
    school.remember(learned(second))
    assert school.taught()
    next_round(school)
    school.taught()
    assert [job.pupil.version for job in school.jobs()] == [second.pupil.version]


@pytest.mark.parametrize("rest", ["off", "no round"])
def test_without_learning_there_is_nothing_to_wait_for(school: School, rest: str) -> None:
    with school.books.write() as session:
        season = session.get_one(Season, school.season.id)
        if rest == "off":
            season.format = {"learning": "off"}
        else:
            season.round = 0
    assert school.taught()
    assert school.jobs() == []


def test_a_lost_message_is_sent_again_and_the_first_result_counts(school: School) -> None:
    school.taught()
    first, _ = school.jobs()
    school.books.clock.pass_by(minutes=60)
    school.books.sweep()
    again, _ = school.jobs()
    assert (again.lesson, again.attempt) == (first.lesson, 2)
    assert again.played == first.played
    assert school.remember(learned(first, b"once"))
    assert not school.remember(learned(again, b"twice"))
    school.books.sweep()
    assert digest(b"once") in school.memories().values()


def test_a_lesson_in_the_queue_has_the_name_of_its_season(school: School, charlie: User) -> None:
    school.taught()
    books = school.books
    books.clock.now += HOUR_MS
    with books.read() as session:
        found = queue_detail(session, charlie, settings=books.settings, now=books.clock())
    names = {(one.id, one.season_name) for one in found.jobs if one.kind == "lesson"}
    assert names == {(str(school.season.id), school.season.name)}


def test_platform_faults_park_a_lesson_until_an_operator_looks(
    school: School, alice: User, charlie: User
) -> None:
    school.taught()
    job, _ = school.jobs()
    for _ in range(school.books.settings.attempts):
        assert school.books.lose(lost(job))
        assert not school.books.lose(lost(job))
        job = next(iter(school.jobs()), job)
    assert school.rows()[0].deadline is None
    school.books.clock.pass_by(minutes=600)
    school.books.sweep()
    assert job.lesson not in [one.lesson for one in school.jobs()]
    assert not school.taught()
    for who in (alice, charlie):
        with school.books.write() as session:
            row = session.get_one(Lesson, school.rows()[0].id)
            now = school.books.clock()
            if who is alice:
                with pytest.raises(Forbidden):
                    lessons.requeue(session, who, row.id, settings=school.books.settings, now=now)
            else:
                lessons.requeue(session, who, row.id, settings=school.books.settings, now=now)
    (again,) = school.jobs()
    assert school.remember(learned(again))


def test_a_seasons_page_counts_the_lessons_for_which_it_waits(school: School) -> None:
    assert waits_for(school) == (0, 0)
    school.taught()
    job, other = school.jobs()
    assert waits_for(school) == (2, 0)
    school.remember(learned(other))
    for _ in range(school.books.settings.attempts):
        school.books.lose(lost(job))
        job = next(iter(school.jobs()), job)
    assert waits_for(school) == (1, 1)


def waits_for(school: School) -> tuple[int, int]:
    """Returns the number of lessons that are not over, and of those that are parked."""
    with school.books.read() as session:
        found = courses.course(session, None, school.season.id)
        return found.lessons, found.parked_lessons


def test_an_operator_lists_any_number_of_parked_lessons(school: School, charlie: User) -> None:
    many = USUAL_VARIABLES + 1
    with school.books.write() as session:
        names = [f"{number:064x}" for number in range(many)]
        session.execute(insert(Memory), [{"digest": name, "data": b"x"} for name in names])
        given = {"season_id": school.season.id, "version_id": school.versions[0].id, "played": []}
        given |= {"state": LessonState.WAITING, "created_at": 0}
        rows = [given | {"round": at, "after": name} for at, name in enumerate(names)]
        session.execute(insert(Lesson), rows)
    with school.books.read() as session:
        limit_variables(session)
        found = reading.parked_lessons(session, charlie)
    assert (len(found), {one.bytes for one in found}) == (many, {1})


def test_forfeits_are_counted_once_between_two_rounds(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = []
    monkeypatch.setattr(faults, "take_out", lambda *given, **more: counted.append(1))
    for _ in range(3):
        with school.books.write() as session:
            season = session.get_one(Season, school.season.id)
            season.format = {**season.format, "kind": "swiss"}
            now = school.books.clock()
            leaving = [(season.entries[0].id, "it forfeits")]
            assert not rounds.settle_round(
                session, season, leaving, settings=school.books.settings, now=now
            )
    assert len(counted) == 1


def settled(school: School) -> set[str]:
    """Returns the lessons of which an event says that they are over."""
    with school.books.read() as session:
        return set(session.scalars(select(Event.subject).where(Event.kind == "lesson.settled")))


def test_an_operator_may_end_a_parked_lesson(school: School, charlie: User) -> None:
    school.taught()
    job, other = school.jobs()
    school.remember(learned(other))
    for _ in range(school.books.settings.attempts):
        school.books.lose(lost(job))
        job = next(iter(school.jobs()), job)
    with school.books.write() as session:
        row = session.get_one(Lesson, school.rows()[0].id)
        lessons.skip(session, charlie, row.id, now=school.books.clock())
        with pytest.raises(Conflict):
            lessons.skip(session, charlie, row.id, now=school.books.clock())
    assert school.rows()[0].trouble == ""
    assert settled(school) == {str(row.id) for row in school.rows()}
    assert school.taught()
    assert school.versions[0].id not in school.memories()


def test_lessons_of_a_season_that_is_cancelled_end_with_it(school: School, charlie: User) -> None:
    school.taught()
    for job in school.jobs():
        school.remember(learned(job, b"old"))
    next_round(school)
    school.taught()
    job, late = school.jobs()
    for _ in range(school.books.settings.attempts):
        school.books.lose(lost(job))
        job = next(iter(school.jobs()), job)
    with school.books.write() as session:
        seasons.cancel(session, charlie, school.season.id, now=school.books.clock())
    with school.books.read() as session:
        assert reading.parked_lessons(session, charlie) == []
    school.books.clock.pass_by(minutes=60)
    school.books.sweep()
    assert school.jobs() == []
    assert not school.remember(learned(late))
    ended = [one for one in school.rows() if one.round == 1]
    assert {str(one.id) for one in ended} <= settled(school)
    assert {one.state for one in ended} == {LessonState.FAILED}
    assert {one.after for one in ended} == {digest(b"old")}


def test_a_lesson_under_way_is_claimed_and_a_final_one_is_not(school: School) -> None:
    school.taught()
    job, _ = school.jobs()
    claim(school, job)
    school.remember(learned(job))
    with pytest.raises(Conflict):
        claim(school, job)


def claim(school: School, job: Teach) -> None:
    """Claims the lesson, as an arena does when it begins."""
    books = school.books
    with books.write() as session:
        job_kinds.claim(session, job.claim(), settings=books.settings, now=books.clock())


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"token": "x"}, Forbidden),
        ({"attempt": 2}, Forbidden),
        ({"lesson": "lesson:77"}, NotFound),
        ({"lesson": "lesson:x"}, NotFound),
        ({"memory": bytes(65537)}, BadMessage),
    ],
)
def test_a_message_that_is_not_of_an_attempt_of_ours_is_refused(
    school: School, wrong: dict[str, object], error: type[Exception]
) -> None:
    school.taught()
    job, _ = school.jobs()
    with pytest.raises(error):
        school.remember(replace(learned(job), **wrong))
    assert school.memories() == {}


def test_who_is_out_of_the_season_learns_no_more(school: School) -> None:
    set_out(school, "suspended")
    school.taught()
    assert [job.pupil.version for job in school.jobs()] == [school.versions[1].digest]


def test_a_bot_that_comes_back_learns_from_the_round_whose_lesson_it_missed(
    school: School,
) -> None:
    set_out(school, "suspended")
    school.taught()
    (job,) = school.jobs()
    school.remember(learned(job))
    set_out(school, "")
    with school.books.write() as session:
        session.get_one(Season, school.season.id).round = 2
        first, last = session.scalars(select(Match).order_by(Match.number))
        last.round = 1
    school.taught()
    found = {job.pupil.version: set(job.played) for job in school.jobs()}
    assert [found[one.digest] for one in school.versions] == [{first.id, last.id}, {last.id}]


def test_a_match_that_is_played_again_is_learned_from_in_the_next_lesson(
    school: School, charlie: User
) -> None:
    school.taught()
    jobs = school.jobs()
    school.remember(learned(jobs[0]))
    books = school.books
    books.clock.pass_by(seconds=30)
    with books.write() as session:
        match = min(jobs[0].played)
        voids.void(session, charlie, match, "a bad disk", again=True, now=books.clock())
    (job,) = books.dispatch()
    books.record(played(job))
    school.remember(learned(jobs[1]))
    assert school.taught()
    with books.write() as session:
        session.get_one(Season, school.season.id).round = 2
    school.taught()
    assert [set(one.played) for one in school.jobs()] == [{job.match}, {job.match}]
    books.clock.pass_by(seconds=30)
    with books.write() as session:
        session.get_one(Season, school.season.id).round = 3
    school.taught()
    assert school.jobs() == []


def test_no_match_is_learned_from_twice_because_the_clock_was_ahead_of_it(school: School) -> None:
    school.taught()
    for job in school.jobs():
        school.remember(learned(job))
    with school.books.write() as session:
        session.execute(update(Match).values(created_at=school.books.clock() + HOUR_MS))
        session.get_one(Season, school.season.id).round = 2
    school.taught()
    assert school.jobs() == []


def set_out(school: School, out: str) -> None:
    """Takes the first bot out of the season, or brings it back."""
    with school.books.write() as session:
        session.get_one(Season, school.season.id).entries[0].out = out


def test_strangers_do_not_learn_while_there_is_no_wall(school: School) -> None:
    school.books.wall(walled=False)
    school.taught()
    assert school.jobs() == []
    school.books.wall()
    school.books.clock.pass_by(minutes=60)
    school.books.sweep()
    assert len(school.jobs()) == 2


def test_a_lesson_that_waits_for_a_wall_is_lost_once(school: School) -> None:
    school.taught()
    job, _ = school.jobs()
    school.books.wall(walled=False)
    assert school.books.lose(lost(job))
    assert not school.books.lose(lost(job))
    assert school.rows()[0].platform_faults == 1


def test_a_season_may_begin_with_the_memories_of_the_parents(
    school: School, alice: User, charlie: User
) -> None:
    school.taught()
    for job in school.jobs():
        school.remember(learned(job, job.pupil.version.encode()))
    with school.books.write() as session:
        season = session.get_one(Season, school.season.id)
        season.state, season.finished_at = SeasonState.FINISHED, school.books.clock()
    books = school.books
    books.clock.pass_by(minutes=1)
    child = books.bot(alice, "counter", b"from matchbox.games.bomb import SimplePlayer as BOT\n")
    fresh = books.bot(charlie, "newcomer")
    later = a_school(books, charlie, [child, fresh], learning="parent", name="b", seed="b" * 16)
    parent = digest(school.versions[0].digest.encode())
    assert later.memories() == {child.id: parent}
    later.taught()
    jobs = {job.pupil.version: job for job in later.jobs()}
    assert jobs[child.digest].pupil.memory == parent
    assert jobs[fresh.digest].pupil.memory is None


def test_the_memory_of_a_parent_is_its_last_one_and_read_only_until_the_first_own_lesson(
    school: School, books: Books, alice: User, charlie: User
) -> None:
    teach(school, b"first")
    own = b"from matchbox.games.bomb import SimplePlayer as BOT\n"
    child, fresh = books.bot(alice, "counter", own), books.bot(charlie, "newcomer")
    second = a_school(books, charlie, [child, fresh], learning="parent", name="b", seed="b" * 16)
    teach(second, b"second")
    third = a_school(books, charlie, [child, fresh], learning="parent", name="c", seed="c" * 16)
    bots = {version.id: version.digest for version in (child, fresh)}
    last = {number: digest(b"second" + name.encode()) for number, name in bots.items()}
    assert third.memories() == last
    third.taught()
    (job, _) = third.jobs()
    third.remember(learned(job, b"own"))
    with books.read() as session:
        season = session.get_one(Season, third.season.id)
        taught = {version.digest: version.id for version in (child, fresh)}[job.pupil.version]
        assert lessons._inherited(session, season).keys() == bots.keys() - {taught}
    assert third.memories() == {**last, taught: digest(b"own")}


@pytest.mark.parametrize(("fault", "kept"), [("crash", True), (None, False)])
def test_a_failed_lesson_of_a_bot_that_began_anew_leaves_the_memory_of_the_season_before(
    fault: str | None, kept: bool, school: School, books: Books, charlie: User
) -> None:
    teach(school, b"first")
    again = a_school(books, charlie, school.versions, learning="fresh", name="b", seed="b" * 16)
    teach(again, None, fault=fault)
    third = a_school(books, charlie, school.versions, learning="parent", name="c", seed="c" * 16)
    first = {one.id: digest(b"first" + one.digest.encode()) for one in school.versions}
    assert third.memories() == (first if kept else {})


def teach(school: School, memory: bytes | None, fault: str | None = None) -> None:
    """Settles all lessons of the first round, each with a memory of its own or none, and ends the
    season."""
    school.taught()
    for job in school.jobs():
        own = b"" if memory is None else memory + job.pupil.version.encode()
        school.remember(learned(job, own, fault=fault))
    with school.books.write() as session:
        season = session.get_one(Season, school.season.id)
        season.state, season.finished_at = SeasonState.FINISHED, school.books.clock()
    school.books.clock.pass_by(minutes=1)
