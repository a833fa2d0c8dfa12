"""Comparisons in the database: requested, played in batches, never rated, and paid from a
budget."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import func, select, update

from matchbox import registry
from matchbox.dice import deals_from
from matchbox.errors import BadOption, Conflict, Forbidden, TooMany
from matchbox.league.estimate import estimate
from matchbox.league.sprt import Trial
from matchbox.match import wire
from matchbox.match.record import Bout, Record
from matchbox.match.wire import PlayMatch
from server import queries
from server.db.models import (
    Audit,
    Bot,
    Comparison,
    Event,
    Match,
    MatchState,
    Rating,
    User,
    Version,
    VersionState,
)
from server.queries import comparisons as reading
from server.services import account_operations, comparisons, dispatch, standings, uploads, voids
from server.services.tick import tick
from server.times import DAY_MS
from tests.books import GAME, Books, drawn, open_books, played, scripted

GAMES = 4000


@pytest.fixture
def two(books: Books, alice: User) -> tuple[Version, Version]:
    """Alice's first version, and her second, which is active."""
    books.league(paused=False)
    old = books.bot(
        alice, "mine", b"from matchbox.games.bomb import *\n# old\nBOT = SimplePlayer\n"
    )
    new = books.bot(
        alice, "mine", b"from matchbox.games.bomb import *\n# new\nBOT = SimplePlayer\n"
    )
    return old, new


def ask(books: Books, user: User, version: Version, **more: Any) -> int:
    """Requests a comparison of that version's bot; returns its number."""
    with books.write() as session:
        bot = session.get_one(Bot, version.bot_id)
        asked = {"defender": 1, "games": GAMES, **more}
        row = comparisons.start(
            session, user, bot.full_name, **asked, settings=books.settings, now=books.clock()
        )
        return row.id


def row_of(books: Books, number: int) -> Comparison:
    """Returns the comparison's row."""
    with books.read() as session:
        return session.get_one(Comparison, number)


def decided_by(strength: float, digest: str) -> Any:
    """Returns bouts that the version of this digest wins with that probability, decided by the
    deal."""

    def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
        one = drawn(job, deal, rotation)
        seat = next((s for s in range(2) if job.seats[(s + rotation) % 2].version == digest), None)
        if seat is None:
            return one
        wins = int(job.deals[deal][:4], 16) / 0xFFFF < strength
        places = [1, 2] if wins == (seat == 0) else [2, 1]
        return Bout(deal, rotation, ["draw"], places, [2 - place for place in places], "drawn")

    return bout


def play(books: Books, digest: str, strength: float, rounds: int = 200) -> None:
    """Plays until no match of the comparisons is sent any more."""
    for _ in range(rounds):
        tick(books.context)
        jobs = books.sent(PlayMatch)
        if not jobs:
            return
        for job in jobs:
            record: Record = scripted(job, decided_by(strength, digest))
            books.record(played(job, record))
        books.clock.pass_by(seconds=5)
    raise AssertionError("it does not end")


def test_the_newest_meets_the_active_one_or_the_one_before_unless_they_are_named(
    books: Books, alice: User, two: tuple[Version, Version]
) -> None:
    old, new = two
    first = row_of(books, ask(books, alice, old, defender=None))
    assert (first.challenger_id, first.defender_id) == (new.id, old.id)
    with books.write() as session:
        comparisons.cancel(session, alice, 1, now=books.clock())
    with books.write() as session:
        bot = session.get_one(Bot, old.bot_id)
        uploads.activate(session, alice, bot.full_name, 1, now=books.clock())
    row = row_of(books, ask(books, alice, old, defender=None))
    assert (row.challenger_id, row.defender_id) == (new.id, old.id)
    other = row_of(books, ask(books, alice, old, challenger=1, defender=2))
    assert (other.challenger_id, other.defender_id) == (old.id, new.id)


@pytest.mark.parametrize(("strength", "verdict"), [(0.7, "better"), (0.3, "not-better")])
def test_it_goes_on_batch_by_batch_until_it_is_clear(
    books: Books, alice: User, two: tuple[Version, Version], strength: float, verdict: str
) -> None:
    _, new = two
    number = ask(books, alice, new)
    play(books, new.digest, strength)
    row = row_of(books, number)
    assert (row.state, row.result and row.result["verdict"]) == ("finished", verdict)
    assert row.result is not None
    looks = row.result["looks"]
    assert [games for games, _ in looks] == [100 * (at + 1) for at in range(len(looks))]
    assert row.games == looks[-1][0] == 2 * sum(row.result["pairs"]) < GAMES
    assert looks[-1][1] == row.result["llr"]
    assert abs(row.result["llr"]) >= row.result["llr_bounds"][1]
    low, high = row.result["ci95"]
    assert low < row.result["elo"] < high
    own = estimate(Trial(max_bouts=GAMES), row.result["pairs"], looks=len(looks))
    assert own is not None
    assert row.result["elo"] == round(own.elo, 2)
    assert row.finished_at is not None
    found = {"better": "is better", "not-better": "is not 20 Elo better"}[verdict]
    text = (
        f"The comparison of alice/mine is over after {row.games} bouts: version 2 {found} than "
        "version 1."
    )
    assert books.notices(alice, "comparison-end") == [(f"comparison:{number}", text)]


def test_what_is_found_depends_on_the_results_alone(
    books: Books, alice: User, two: tuple[Version, Version]
) -> None:
    _, new = two
    found = []
    for backwards in (False, True):
        number = ask(books, alice, new, games=400)
        for _ in range(9):
            tick(books.context)
            jobs = books.sent(PlayMatch)
            for job in sorted(jobs, key=lambda job: job.match, reverse=backwards):
                # by the match's number, since the deals of the two comparisons differ
                won = books.match(job.match).number % 3 != 0
                bouts = decided_by(float(won), new.digest)
                books.record(played(job, scripted(job, bouts)))
        found.append(row_of(books, number).result)
    assert found[0] == found[1]


def test_its_matches_are_never_rated_and_share_no_deal(
    books: Books, alice: User, bob: User, two: tuple[Version, Version]
) -> None:
    _, new = two
    books.bot(bob, "rival")
    number = ask(books, alice, new, games=200)
    few = open_books(books.context.database.url, league_matches=5)
    play(few, new.digest, 0.5)
    with books.read() as session:
        compared = session.scalars(select(Match).where(Match.comparison_id == number)).all()
        rated = session.scalars(select(Match).where(Match.comparison_id.is_(None))).all()
        assert {match.why for match in compared} == {"comparison"}
        assert {match.why for match in rated} == {"ranked"}
        assert rated
        deals = [{deal for match in some for deal in match.deals} for some in (compared, rated)]
        assert not deals[0] & deals[1]
        fresh = standings.compute(session, f"league:{compared[0].league_id}")
        assert fresh.matches == len(rated)
        old = compared[0].seats[1].version_id
        assert session.scalar(select(func.count()).where(Rating.version_id == old)) == 0


def test_a_field_is_the_best_of_the_league_and_both_play_it_on_the_same_deals(
    books: Books, alice: User, bob: User, charlie: User, two: tuple[Version, Version]
) -> None:
    _, new = two
    rivals = [books.bot(bob, "rival"), books.bot(charlie, "chief")]
    books.bot(alice, "other")
    number = ask(books, alice, new, field=5, games=160)
    row = row_of(books, number)
    assert sorted(row.field) == sorted(version.id for version in rivals)
    few = open_books(books.context.database.url, league_matches=5)
    play(few, new.digest, 1.0)
    row = row_of(books, number)
    assert row.result is not None
    assert (row.state, row.games, row.result["verdict"]) == ("finished", 160, "better")
    assert row.result["difference_ci95"][0] > 0
    assert set(row.result["by_opponent"]) == {str(version.id) for version in rivals}
    assert (row.result["llr"], row.result["elo"]) == (None, None)
    with books.read() as session:
        rows = session.scalars(select(Match).where(Match.comparison_id == number)).all()
        shared = Counter(tuple(match.deals) for match in rows)
    assert set(shared.values()) == {4}
    assert all(list(deals) == deals_from(deals[0], len(deals)) for deals in shared)


def test_teams_play_the_same_deals_each_for_itself(books: Books, alice: User) -> None:
    books.league(game="thegame")
    text = b"from matchbox.games.thegame import *\n\n\ndef play(view):\n    return view\n# %d\n"
    old = books.bot(alice, "team", text % 1, game="thegame")
    new = books.bot(alice, "team", text % 2, game="thegame")
    number = ask(books, alice, new, games=40)
    for _ in range(5):
        tick(books.context)
        for job in books.postman.take():
            assert isinstance(job, PlayMatch)
            cards = 50 if job.seats[0].version == new.digest else 40

            def team(job: PlayMatch, deal: int, rotation: int, cards: int = cards) -> Bout:
                return Bout(deal, rotation, [], [1, 1, 1], [cards + deal % 2] * 3, "no card fits")

            books.record(played(job, scripted(job, team)))
    row = row_of(books, number)
    assert row.result is not None
    assert (row.state, row.games, row.result["difference"]) == ("finished", 40, 10.0)
    assert (row.result["verdict"], old.bot_id) == ("better", new.bot_id)


def test_a_bot_with_a_single_version_lacks_another_one(books: Books, alice: User) -> None:
    books.league(paused=True)
    version = books.bot(alice, "one")
    for asked in ({"defender": None}, {"defender": 1}):
        with pytest.raises(Conflict, match="alice/one has no other accepted version to compare"):
            ask(books, alice, version, **asked)


@pytest.mark.parametrize(
    ("more", "error", "told"),
    [
        ({"challenger": 2, "defender": 2}, Conflict, "would meet itself"),
        ({"challenger": 9}, Conflict, "has no accepted version 9"),
        ({"field": 9}, BadOption, "0 to 8 bots"),
        ({"field": 2}, Conflict, "nobody else plays bomb"),
        ({"bounds": (5.0, 5.0)}, BadOption, "cannot be tested"),
        ({"bounds": (0.0, 1e-6)}, BadOption, "0.01 Elo apart"),
        ({"bounds": (0.0, 5000.0)}, BadOption, "between -1000 and 1000"),
        ({"bounds": (0.0,)}, BadOption, "cannot be tested"),
        ({"games": 3}, BadOption, "smallest batch takes 4 bouts"),
        ({"games": 10_001}, BadOption, "up to 10000"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    books: Books,
    alice: User,
    two: tuple[Version, Version],
    more: dict[str, Any],
    error: type[Exception],
    told: str,
) -> None:
    with pytest.raises(error, match=told):
        ask(books, alice, two[0], **more)
    assert books.count(Comparison) == 0


def test_the_comparisons_of_an_account_end_when_it_is_closed(
    books: Books, alice: User, charlie: User, two: tuple[Version, Version]
) -> None:
    number = ask(books, alice, two[0])
    with books.write() as session:
        account_operations.close(session, charlie, "alice", "spam", now=books.clock())
    row = row_of(books, number)
    assert row.result is not None
    assert (row.state, row.result["why"]) == ("cancelled", "its account was closed")
    with books.read() as session:
        states = session.scalars(select(Match.state).where(Match.comparison_id == number))
        assert set(states) == {MatchState.VOID}


def test_strangers_ask_nothing_of_my_bot_and_end_nothing(
    books: Books, alice: User, bob: User, charlie: User, two: tuple[Version, Version]
) -> None:
    with pytest.raises(Forbidden):
        ask(books, bob, two[0])
    number = ask(books, alice, two[0])
    for user in (bob, charlie, alice):
        with books.write() as session:
            row = session.get_one(Comparison, number)
            if user is bob:
                with pytest.raises(Forbidden):
                    comparisons.cancel(session, user, row.id, now=books.clock())
            elif user is charlie:
                comparisons.cancel(session, user, row.id, now=books.clock())
            else:
                with pytest.raises(Conflict, match="cancelled already"):
                    comparisons.cancel(session, user, row.id, now=books.clock())
    with books.read() as session:
        assert session.scalars(select(Audit.action)).all()[-1] == "comparison.cancel"
        states = session.scalars(select(Match.state).where(Match.comparison_id == number))
        assert set(states) == {MatchState.VOID}
    ((subject, text),) = books.notices(alice, "comparison-end")
    assert (subject, text.rpartition(": ")[2]) == (
        f"comparison:{number}",
        "it was cancelled.",
    )
    own = ask(books, alice, two[0])
    with books.write() as session:
        comparisons.cancel(session, alice, own, now=books.clock())
    assert len(books.notices(alice, "comparison-end")) == 1, "not told of what she did herself"


def test_without_a_budget_comparisons_are_switched_off(
    books: Books, alice: User, two: tuple[Version, Version]
) -> None:
    closed = open_books(books.context.database.url, comparison_games=0)
    with pytest.raises(Forbidden, match="the operator has switched off comparisons"):
        ask(closed, alice, two[0], games=2)
    closed.context.close()


def test_a_day_has_a_budget_and_what_was_not_played_is_given_back(
    books: Books, alice: User, two: tuple[Version, Version]
) -> None:
    narrow = open_books(books.context.database.url, comparison_games=5000, comparisons_at_once=2)
    narrow.clock = books.clock
    first = ask(narrow, alice, two[0], games=3000)
    with pytest.raises(
        TooMany, match=r"2500 bouts, and you have 2000 of 5000 .* after midnight, UTC"
    ) as refused:
        ask(narrow, alice, two[0], games=2500)
    assert refused.value.wait_s == (DAY_MS - books.clock() % DAY_MS) // 1000
    ask(narrow, alice, two[0], games=1000)
    with pytest.raises(TooMany, match="2 of your comparisons are running"):
        ask(narrow, alice, two[0], games=100)
    jobs = narrow.dispatch()
    with narrow.write() as session:
        row = session.get_one(Comparison, first)
        comparisons.cancel(session, alice, row.id, now=books.clock())
        under_way = row.games
        left = comparisons.left_today(session, alice, narrow.settings, now=books.clock())
    assert 0 < under_way <= 4 * len(jobs)
    assert left == 5000 - 1000 - under_way
    books.clock.pass_by(minutes=24 * 60)
    with narrow.read() as session:
        assert comparisons.left_today(session, alice, narrow.settings, now=books.clock()) == 5000
    narrow.context.close()


def test_what_a_cancelled_comparison_has_played_of_its_batch_counts(
    books: Books, alice: User, two: tuple[Version, Version]
) -> None:
    number = ask(books, alice, two[0])
    jobs = books.dispatch()
    for job in jobs[: len(jobs) // 2]:
        books.record(played(job))
    with books.write() as session:
        comparisons.cancel(session, alice, number, now=books.clock())
    assert row_of(books, number).games == sum(2 * len(job.deals) for job in jobs)


def test_a_void_match_is_not_still_to_play_and_a_version_meets_its_bot_only_there(
    books: Books, alice: User, bob: User, charlie: User, two: tuple[Version, Version]
) -> None:
    books.bot(bob, "other")
    with books.write() as session:
        books.feed(session)
    number = ask(books, alice, two[0])
    jobs = [job for job in books.dispatch() if books.match(job.match).comparison_id]
    with books.read() as session:
        before = reading.comparison(session, alice, number).matches
    with books.write() as session:
        voids.void(session, charlie, jobs[0].match, "the disk was lost", now=books.clock())
    name = two[0].bot.full_name
    with books.read() as session:
        assert reading.comparison(session, alice, number).matches == before - 1
        met = queries.matches(session, bot=name, opponent=name, limit=200).items
        everything = queries.matches(session, bot=name, limit=200).items
    assert len(met) == before
    assert {one.id for one in met} >= {job.match for job in jobs}
    assert len(everything) > len(met)


def test_who_cancels_very_many_comparisons_starts_no_more_that_day(
    books: Books, alice: User, two: tuple[Version, Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparisons, "CANCELLED", 2)
    for _ in range(2):
        number = ask(books, alice, two[0])
        with books.write() as session:
            comparisons.cancel(session, alice, number, now=books.clock())
    with pytest.raises(TooMany, match="2 of your comparisons were cancelled today"):
        ask(books, alice, two[0])
    books.clock.pass_by(minutes=24 * 60)
    assert ask(books, alice, two[0])


def test_it_ends_where_a_version_plays_no_more_or_the_rules_have_changed(
    books: Books, alice: User, charlie: User, two: tuple[Version, Version]
) -> None:
    old, new = two
    for change, told in (("rules", "the rules of bomb have changed"), ("state", "is suspended")):
        number = ask(books, alice, new)
        jobs = books.dispatch()
        with books.write() as session:
            if change == "state":
                session.get_one(Version, old.id).state = VersionState.SUSPENDED
            else:
                for match in session.scalars(select(Match)):
                    match.rules = "0"
        for job in jobs:
            with books.write() as session:
                match = session.get_one(Match, job.match)
                voids.void(session, charlie, match.id, "the power failed", now=books.clock())
        tick(books.context)
        row = row_of(books, number)
        assert (row.state, row.result and row.result["verdict"]) == ("cancelled", "undecided")
        assert row.result is not None
        assert told in row.result["why"]
        assert told in books.notices(alice, "comparison-end")[-1][1]


@pytest.mark.parametrize("how", ["tick", "cancel", "close"])
def test_one_of_teams_whose_game_is_gone_can_end_and_its_account_be_closed(
    books: Books, alice: User, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    books.league(game="thegame")
    old, new = (books.bot(alice, "team", b"# %d\n" % at, game="thegame") for at in range(2))
    number = ask(books, alice, new, games=40)
    with books.write() as session:
        session.execute(update(Match).values(state=MatchState.VOID))
    left = {name: package for name, package in registry.packages().items() if name != "thegame"}
    monkeypatch.setattr(registry, "packages", lambda: left)
    if how == "tick":
        tick(books.context)
    else:
        with books.write() as session:
            owner = session.get_one(User, alice.id)
            if how == "cancel":
                comparisons.cancel(session, owner, number, now=books.clock())
            else:
                comparisons.cancel_all(session, owner, now=books.clock())
    row = row_of(books, number)
    assert (row.state, row.games, row.defender_id) == ("cancelled", 0, old.id)
    if how == "tick":
        gone = "the game thegame is not installed any more"
        assert gone in books.notices(alice, "comparison-end")[-1][1]


def test_one_of_a_game_that_is_gone_ends_and_holds_back_no_bot(
    books: Books, alice: User, two: tuple[Version, Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = ask(books, alice, two[1])
    left = {name: package for name, package in registry.packages().items() if name != GAME}
    monkeypatch.setattr(registry, "packages", lambda: left)
    books.league(game="skull")  # as at a start
    tick(books.context)
    assert books.sent(PlayMatch) == []
    row = row_of(books, number)
    assert row.result is not None
    assert (row.state, row.result["why"]) == (
        "cancelled",
        "the game bomb is not installed any more",
    )


def test_one_with_bounds_that_older_releases_took_ends_with_a_reason(
    books: Books, alice: User, two: tuple[Version, Version]
) -> None:
    number = ask(books, alice, two[1])
    with books.write() as session:
        session.get_one(Comparison, number).bounds = [0.0, 0.001]
    while jobs := books.dispatch():
        for job in jobs:
            books.record(played(job))
    tick(books.context)
    row = row_of(books, number)
    assert row.state == "cancelled"
    assert row.result is not None
    assert "0.01 Elo apart" in row.result["why"]
    assert "0.01 Elo apart" in books.notices(alice, "comparison-end")[-1][1]


def test_comparisons_neither_starve_the_league_nor_are_starved(
    books: Books, alice: User, bob: User, two: tuple[Version, Version]
) -> None:
    _, new = two
    books.bot(bob, "rival")
    for _ in range(2):
        ask(books, alice, new, games=2000)
    tick(books.context)
    tasks = [task for task, _, _ in books.postman.letters]
    ranked = tasks.count(wire.PLAY_MATCH) + tasks.count(wire.PLAY_FIRST)
    assert ranked == books.settings.ranked_backlog
    assert tasks.count(wire.PLAY_COMPARISON) == dispatch.MIN_WINDOW - ranked
    narrow = open_books(books.context.database.url, dispatch_window=36)
    again = Counter(books.match(job.match).why for job in narrow.dispatch())
    assert again["comparison"] == 4
    narrow.context.close()


def test_one_at_a_time_everybody_gets_the_same_share(
    books: Books, alice: User, bob: User, two: tuple[Version, Version]
) -> None:
    _, new = two
    books.bot(bob, "rival")
    numbers = [ask(books, alice, new, games=2000) for _ in range(2)]
    tick(open_books(books.context.database.url, dispatch_window=1, ranked_backlog=50).context)
    for window in range(2, 41):
        narrow = open_books(books.context.database.url, dispatch_window=window)
        assert len(narrow.dispatch()) == 1
        narrow.context.close()
    with books.read() as session:
        running = session.scalars(select(Match).where(Match.state == MatchState.RUNNING)).all()
    shares = Counter(match.comparison_id for match in running)
    assert shares[None] == 20
    assert [shares[number] for number in numbers] == [10, 10]


def test_a_comparison_ends_when_the_account_of_a_rival_is_closed(
    books: Books, alice: User, bob: User, charlie: User, two: tuple[Version, Version]
) -> None:
    books.bot(bob, "rival")
    number = ask(books, alice, two[1], field=1)
    with books.write() as session:
        account_operations.close(session, charlie, "bob", "a quarrel", now=books.clock())
    play(books, two[1].digest, 0.5)
    row = row_of(books, number)
    assert (row.state, row.games < row.most) == ("cancelled", True)
    assert (row.result or {})["why"] == "the account of bob/rival is closed"


def test_a_retired_bot_is_compared_no_more(
    books: Books, alice: User, two: tuple[Version, Version]
) -> None:
    with books.write() as session:
        uploads.retire(
            session, alice, session.get_one(Bot, two[0].bot_id).full_name, now=books.clock()
        )
    with pytest.raises(Conflict, match="is retired"):
        ask(books, alice, two[0])


def test_without_a_league_there_is_nothing_to_compare_in(books: Books, alice: User) -> None:
    versions = [books.bot(alice, "mine", b"BOT = %d\n" % at) for at in range(2)]
    with pytest.raises(Conflict, match="no league of bomb"):
        ask(books, alice, versions[0])


def test_each_change_of_state_is_an_event(
    books: Books, alice: User, charlie: User, two: tuple[Version, Version]
) -> None:
    """It is also one if the comparison is cancelled, alone or with its account."""
    first = ask(books, alice, two[0])
    with books.write() as session:
        comparisons.cancel(session, alice, first, now=books.clock())
    second = ask(books, alice, two[0])
    with books.write() as session:
        account_operations.close(session, charlie, alice.name, "gone", now=books.clock())
    with books.read() as session:
        events = select(Event.kind, Event.subject).where(Event.kind.startswith("comparison."))
        told = [tuple(row) for row in session.execute(events.order_by(Event.id))]
    assert told == [
        (f"comparison.{state}", str(number))
        for number in (first, second)
        for state in ("running", "cancelled")
    ]
