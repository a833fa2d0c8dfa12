"""Seasons in which results come late, twice or never, while operators and authors interfere."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final

import pytest
from sqlalchemy import select

from matchbox.league.archive import Archive
from matchbox.league.memory_history import MemoryHistory
from matchbox.match.record import Bout, Fault
from matchbox.match.wire import AnyJob, PlayMatch, Teach, TryOut
from server.db.models import Lesson, Match, MatchState, Role, Season, SeasonState, User
from server.queries.archive import write_archive
from server.services.tick import tick
from tests.books import SIMPLE, Books, compute_standings, learned, lost, played, scripted, tried_out
from tests.unit.server.routes.conftest import Caller, token_of

BOTS: Final = 6
STEPS: Final = 20
WHY: Final = {"reason": "a storm"}
SETTLED: Final = (SeasonState.FINISHED, SeasonState.CANCELLED)


@dataclass
class Storm:
    """A season, what is under way, and the generator that decides what happens."""

    chance: random.Random
    books: Books
    operator: Caller
    authors: list[Caller]
    cooperative: bool
    jobs: list[AnyJob] = field(default_factory=list)
    late: list[AnyJob] = field(default_factory=list)

    def bout(self, job: PlayMatch, deal: int, rotation: int) -> Bout:
        """Returns a random bout; now and then its last seat forfeits."""
        seats = len(job.seats)
        if self.cooperative:
            score = self.chance.randint(0, 98)
            return Bout(deal, rotation, [], [1] * seats, [score] * seats, "no card fits")
        places = list(range(1, seats + 1))
        self.chance.shuffle(places)
        faults = [Fault(0, places.index(seats), "crash")] if self.chance.random() < 0.05 else []
        scores = [seats - place for place in places]
        return Bout(deal, rotation, ["draw"], places, scores, "somebody won", faults)

    def bring(self, job: AnyJob) -> None:
        """Hands in the result of a job."""
        if isinstance(job, PlayMatch):
            self.books.record(played(job, scripted(job, self.bout)))
        elif isinstance(job, Teach):
            fault = self.chance.choice([None, None, "crash"])
            self.books.remember(learned(job, self.chance.randbytes(4), fault=fault))
        elif isinstance(job, TryOut):
            self.books.settle(tried_out(job))

    def work(self) -> None:
        """Takes what was sent; brings, loses, repeats or keeps back some of it, in any order."""
        tick(self.books.context)
        self.jobs += self.books.postman.take()
        self.chance.shuffle(self.jobs)
        for _ in range(self.chance.randint(0, len(self.jobs))):
            job, luck = self.jobs.pop(), self.chance.random()
            if luck < 0.05:
                self.late.append(job)
            elif luck < 0.1:
                self.books.lose(lost(job))
            else:
                self.bring(job)
                self.late += [job] * (luck < 0.2)
        if self.late and self.chance.random() < 0.3:
            self.bring(self.late.pop(self.chance.randrange(len(self.late))))
        self.books.clock.pass_by(seconds=self.chance.choice([1, 10, 60, 600]))
        self.books.sweep()

    def ids(self, *states: MatchState) -> list[str]:
        """Returns the matches in these states."""
        with self.books.read() as session:
            wanted = select(Match.id).where(Match.state.in_(states), Match.season_id.is_not(None))
            return list(session.scalars(wanted.order_by(Match.id)))

    def seasons(self) -> dict[int, str]:
        """Returns the state of each division."""
        with self.books.read() as session:
            return {one.id: one.state for one in session.scalars(select(Season))}

    def act(self, caller: Caller, path: str, body: Any = None) -> None:
        """Does something that the platform may refuse, but must not fail at."""
        answer = caller.post(path, body)
        assert answer.status_code < 500, answer.text

    def interfere(self) -> None:
        """Does one thing that an operator or an author can do at any time."""
        author = self.chance.randrange(BOTS)
        bot, season = f"author-{author}/bot", self.chance.choice(list(self.seasons()))
        at, its_bot = f"/seasons/{season}", {"bot": bot, **WHY}
        match = self.chance.choice([*self.ids(*MatchState), "0" * 32])
        again = {**WHY, "again": self.chance.random() < 0.5}
        caller, path, body = self.chance.choice(
            [
                (self.operator, f"{at}/disqualify", its_bot),
                (self.operator, f"{at}/reinstate", its_bot),
                (self.operator, f"{at}/rerun", {**WHY, "round": self.chance.randint(1, 3)}),
                (self.operator, f"{at}/pause", None),
                (self.operator, f"{at}/resume", None),
                (self.operator, f"{at}/recompute", None),
                (self.operator, f"/lessons/{self.chance.randint(1, 30)}/skip", None),
                (self.operator, f"/matches/{match}/void", again),
                (self.operator, f"/matches/{match}/again", WHY),
                (self.operator, f"/users/author-{author}/close", WHY),
                (self.operator, f"/users/author-{author}/reopen", WHY),
                (self.authors[author], f"/bots/{bot}/retire", None),
            ]
        )
        self.act(caller, path, body)

    def calm_down(self) -> None:
        """Undoes what holds the season up, and brings every result, until all divisions end."""
        for _ in range(300):
            states = self.seasons()
            if set(states.values()) <= set(SETTLED):
                return
            for season, state in states.items():
                if state == SeasonState.PAUSED:
                    self.act(self.operator, f"/seasons/{season}/resume")
            for match in self.ids(MatchState.PARKED):
                self.act(self.operator, f"/matches/{match}/requeue")
            with self.books.read() as session:
                lessons = session.scalars(select(Lesson.id)).all()
            for lesson in lessons:
                self.act(self.operator, f"/lessons/{lesson}/requeue")
            tick(self.books.context)
            for job in [*self.jobs, *self.books.postman.take()]:
                self.bring(job)
            self.jobs.clear()
            self.books.clock.pass_by(minutes=6)
            self.books.sweep()
        raise AssertionError(f"the season does not end: {self.seasons()}")


def assert_memories_fit(storm: Storm, season: int) -> None:
    """Checks that every memory of the season's archive follows from its lessons."""
    file = BytesIO()
    with storm.books.read() as session:
        operator = session.scalars(select(User).where(User.role == Role.OPERATOR)).first()
        write_archive(session, operator, season, "all", file)
    archive = Archive(file)
    history = MemoryHistory(archive)
    assert all(history.fits_match(one, archive.record(one)) for one in archive.matches)
    assert all(map(history.fits_lesson, archive.head.lessons))


@pytest.fixture
def storm_of(books: Books, as_charlie: Caller, app: Any) -> Callable[[str, dict[str, Any]], Storm]:
    """Starts a season of that game and format with a bot of each author."""

    def start(game: str, plan: dict[str, Any]) -> Storm:
        books.league(game=game, paused=True)
        people: list[User] = [books.person(f"author-{at}", Role.AUTHOR) for at in range(BOTS)]
        for at, person in enumerate(people):
            books.bot(person, "bot", SIMPLE + b"# %d\n" % at, game=game)
        body = {"name": "storm", "game": game, "deals": 1, "format": plan}
        season = as_charlie.post("/seasons", body).get_json()["id"]
        authors = [Caller(app.test_client(), token_of(books, person)) for person in people]
        for at, author in enumerate(authors):
            entered = author.post(f"/seasons/{season}/enter", {"bot": f"author-{at}/bot"})
            assert entered.status_code == 200, entered.text
        assert as_charlie.post(f"/seasons/{season}/start").status_code == 200
        cooperative = game == "thegame"
        return Storm(random.Random(len(str(plan))), books, as_charlie, authors, cooperative)

    return start


@pytest.mark.parametrize(
    ("game", "plan"),
    [
        ("bomb", {"kind": "round-robin", "cycles": 2}),
        ("bomb", {"kind": "swiss", "rounds": 4, "learning": "fresh"}),
        ("bomb", {"kind": "round-robin", "cycles": 2, "learning": "parent"}),
        ("thegame", {"kind": "round-robin", "mixed": 3, "learning": "fresh"}),
        ("bomb", {"kind": "adaptive", "question": "champion", "matches": 40}),
        ("bomb", {"kind": "knock-out", "group": 3, "through": 1, "placement": 3}),
        ("bomb", {"kind": "round-robin", "divisions": 2}),
        ("thegame", {"kind": "round-robin", "mixed": 2}),
    ],
)
def test_a_season_ends_whatever_happens_and_its_standing_can_be_computed_again(
    storm_of: Callable[[str, dict[str, Any]], Storm], nobody: Caller, game: str, plan: Any
) -> None:
    storm = storm_of(game, plan)
    for _ in range(STEPS):
        storm.work()
        storm.interfere()
    storm.calm_down()
    compute_standings(storm.books)  # The last thing that was done may have made a match void.
    assert storm.ids(MatchState.QUEUED, MatchState.RUNNING, MatchState.PARKED) == []
    for season, state in storm.seasons().items():
        assert state == SeasonState.FINISHED
        page = nobody.client.get(f"/seasons/{season}")
        assert (page.status_code, "finished" in page.text) == (200, True)
        before = nobody.get(f"/seasons/{season}/standings").get_json()["lines"]
        assert storm.operator.post(f"/seasons/{season}/recompute").status_code == 200
        assert nobody.get(f"/seasons/{season}/standings").get_json()["lines"] == before
        assert_memories_fit(storm, season)
