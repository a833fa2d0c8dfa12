"""The queries: data for everybody, data for owners, and data that is still secret."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import import_module
from inspect import getmembers, isfunction, signature
from pkgutil import iter_modules
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import select
from sqlalchemy.orm import Session

from matchbox import registry
from matchbox.answers import Answer
from matchbox.errors import BadOption, Forbidden, NotFound, UnknownGame
from matchbox.match import record as records
from matchbox.match.record import Bout, Fault
from matchbox.match.wire import Diagnostic, LeftOut, MatchPlayed, Note, PlayMatch, Printed, TryOut
from server import queries
from server.db.models import Match, MatchSeat, MatchState, Season, User, Version
from server.queries import match_lines
from server.queries.match_filters import RESULTS
from server.services import leagues, tick, uploads, voids
from server.services.events import longest_log
from tests.books import (
    SIMPLE,
    Books,
    drawn,
    lost,
    play_out,
    played,
    really_played,
    scripted,
    season_of,
    tried_out,
)
from tests.plans import explained


@pytest.fixture
def season(books: Books, alice: User, bob: User, charlie: User) -> Season:
    """A season of two bots, running."""
    books.league(paused=True)
    return season_of(books, charlie, [books.bot(alice, "one"), books.bot(bob, "two")])


@pytest.fixture
def jobs(books: Books, season: Season) -> list[PlayMatch]:
    """Returns its two matches, sent."""
    return books.dispatch()


def ask(books: Books, query: str, *given: Any, **named: Any) -> Any:
    """Returns the query's answer as JSON data."""
    with books.read() as session:
        return json.loads(
            json.dumps(getattr(queries, query)(session, *given, **named), default=plain)
        )


def plain(answer: Any) -> Any:
    """Returns the answer in the API's form."""
    return answer.plain() if isinstance(answer, Answer) else asdict(answer)


def test_whoever_asks_comes_second() -> None:
    found = []
    for one in iter_modules(queries.__path__, f"{queries.__name__}."):
        for name, query in getmembers(import_module(one.name), isfunction):
            given = list(signature(query).parameters)
            if query.__module__ == one.name and {"session", "viewer"} <= set(given):
                found.append(name)
                assert given[:2] == ["session", "viewer"], f"{one.name}.{name}"
    assert "season" in found


# The embargo


def test_of_a_match_that_is_not_over_nothing_but_its_status_is_told(
    books: Books, jobs: list[PlayMatch], alice: User, charlie: User
) -> None:
    for viewer in (None, alice, charlie):
        told = ask(books, "match", viewer, jobs[0].match)
        assert told["state"] == "running"
        assert "its deals and record are closed" in told["embargo"]
        assert not {"deals", "bouts", "digest", "seconds"} & told.keys()
        assert all(deal not in json.dumps(told) for deal in jobs[0].deals)
        assert [one["points"] for one in told["entrants"]] == [None, None]
    name = jobs[0].match
    closed: list[tuple[str, list[Any]]] = [
        ("record_of", [name]), ("match_log", [charlie, name]), ("steps", [name, 0]),
    ]  # fmt: skip
    for query, given in closed:
        with pytest.raises(Forbidden, match="until it is over"):
            ask(books, query, *given)


def test_nothing_on_any_page_names_a_deal_or_the_seed_before_its_time(
    books: Books, season: Season, jobs: list[PlayMatch], charlie: User, alice: User
) -> None:
    pages = [
        ask(books, "matches"), ask(books, "seasons"), ask(books, "season", charlie, season.id),
        ask(books, "season_standings", None, season.id), ask(books, "leagues"), ask(books, "games"),
        ask(books, "queue", now=books.clock()), ask(books, "events", 0),
        ask(books, "admin", charlie, now=books.clock()),
        ask(books, "bot", alice, "alice", "one"), ask(books, "leaderboard", "bomb"),
    ]  # fmt: skip
    text = json.dumps(pages)
    assert season.seed not in text
    assert all(deal not in text for job in jobs for deal in job.deals)


def test_a_finished_match_stays_closed_while_another_one_plays_its_deal(
    books: Books, jobs: list[PlayMatch], alice: User
) -> None:
    one, other = jobs
    with books.write() as session:
        session.get_one(Match, other.match).deals = one.deals
    books.record(played(one))
    told = ask(books, "match", alice, one.match)
    assert (told["state"], "bouts" in told) == ("finished", False)
    assert "shares a deal" in told["embargo"]
    listed = next(item for item in ask(books, "matches")["items"] if item["id"] == one.match)
    assert listed["entrants"][0]["points"] is None
    for result in ("won", "drew", "lost"):
        assert ask(books, "matches", bot="alice/one", result=result)["items"] == []
    assert ask(books, "bot", None, "alice", "one")["cpu_ms_per_bout"] is None
    with pytest.raises(Forbidden, match="shares a deal"):
        ask(books, "match_log", alice, one.match)
    with books.write() as session:
        session.get_one(Match, other.match).deals = other.deals
    books.record(played(other))
    assert ask(books, "match", alice, one.match)["embargo"] is None
    assert ask(books, "bot", None, "alice", "one")["cpu_ms_per_bout"] is not None


def test_a_filter_by_result_leaves_out_a_match_that_is_void_though_it_was_played(
    books: Books, jobs: list[PlayMatch], charlie: User
) -> None:
    for job in jobs:
        books.record(played(job))
    with books.write() as session:
        voids.void(session, charlie, jobs[0].match, "a loose cable", now=books.clock())
    found = [
        one["id"]
        for result in RESULTS
        for one in ask(books, "matches", bot="alice/one", result=result)["items"]
    ]
    assert found == [jobs[1].match]


def test_a_finished_match_tells_everything(
    books: Books, jobs: list[PlayMatch], alice: User
) -> None:
    books.record(with_note(jobs[0]))
    told = ask(books, "match", alice, jobs[0].match)
    assert told["deals"] == jobs[0].deals
    assert told["embargo"] is None
    assert told["mine"]
    assert [(bout["deal"], bout["rotation"]) for bout in told["bouts"]] == [
        (0, 0), (0, 1), (1, 0), (1, 1),
    ]  # fmt: skip
    assert told["bouts"][1]["seats"] == [1, 0]
    assert sum(one["points"] for one in told["entrants"]) == pytest.approx(1)
    with books.read() as session:
        record = queries.record_of(session, jobs[0].match)
    assert record.deals == jobs[0].deals


def test_only_operators_are_told_why_a_match_was_lost_and_on_which_host_it_was_played(
    books: Books, jobs: list[PlayMatch], alice: User, charlie: User
) -> None:
    one, other = jobs
    books.record(replace(played(one), arena="arena-1@lab"))
    books.lose(lost(other, "no room in /srv/data"))
    for viewer, arena, trouble in (
        (None, "arena-1", None),
        (alice, "arena-1", None),
        (charlie, "arena-1@lab", "no room in /srv/data"),
    ):
        assert ask(books, "match", viewer, one.match)["arena"] == arena
        assert ask(books, "match", viewer, other.match).get("trouble") == trouble


def test_a_match_tells_each_entrant_s_share_and_forfeits(
    books: Books, jobs: list[PlayMatch], alice: User
) -> None:
    def bout(job: PlayMatch, deal: int, rotation: int) -> Bout:
        why = (deal, rotation, ["draw"])
        if deal:
            return Bout(*why, [1, 1], [0, 0], "a draw")
        faults = [Fault(0, 1, "crash")] if rotation else []
        return Bout(*why, [1, 2], [1, 0], "somebody drew the bomb", faults)

    books.record(played(jobs[0], scripted(jobs[0], bout)))
    with books.read() as session:
        listed = queries.matches(session).items
        told = [*listed, queries.match(session, alice, jobs[0].match)]
    for one in told:
        over = one.id == jobs[0].match
        found = [(entrant.points, entrant.forfeits) for entrant in one.entrants]
        assert found == ([(0.5, 1), (0.5, 0)] if over else [(None, None)] * 2)


def with_note(job: PlayMatch) -> MatchPlayed:
    """Returns the job's result with a fault of each entrant, and its note."""
    message = played(job)
    notes = [Note(who, 0, 0, "crash", f"IndexError of entrant {who}") for who in (0, 1)]
    return replace(message, notes=notes)


def test_what_a_player_reports_is_for_its_owner_alone(
    books: Books, jobs: list[PlayMatch], alice: User, bob: User, charlie: User
) -> None:
    texts = ['{"doubt":0.5}', '{"cut":"in the mi']
    said = [Diagnostic(who, 1, 0, who, texts[who]) for who in (0, 1)]
    books.record(replace(played(jobs[0]), diagnostics=said))
    read = [{"doubt": 0.5}, texts[1]]
    for viewer in (alice, bob):
        (own,) = ask(books, "match_log", viewer, jobs[0].match)
        who = own["entrant"]
        assert own["diagnostics"] == [
            {"deal": 1, "rotation": 0, "decision": who, "report": read[who]}
        ]
    operators = ask(books, "match_log", charlie, jobs[0].match)
    assert [(one["entrant"], one["diagnostics"]) for one in operators] == [(0, []), (1, [])]


def test_an_arena_that_sends_too_long_reports_has_them_cut(
    books: Books, jobs: list[PlayMatch], alice: User
) -> None:
    said = [Diagnostic(who, 1, 0, at, "x" * 1024) for who in (0, 1) for at in range(500)]
    books.record(replace(played(jobs[0]), diagnostics=said))
    (own,) = ask(books, "match_log", alice, jobs[0].match)
    assert len(own["diagnostics"]) == longest_log(books.settings) // 1024


def test_what_a_bot_prints_is_told_with_its_decision_to_who_may_read_its_log(
    books: Books, jobs: list[PlayMatch], alice: User, bob: User, charlie: User
) -> None:
    place: dict[str, Any] = {"deal": 1, "rotation": 0, "decision": 2, "traceback": False}
    said = [Printed(entrant=who, text=f"by {who}", left_out=who, **place) for who in (0, 1)]
    books.record(replace(played(jobs[0]), printed=said))
    for viewer in (alice, bob):
        (own,) = ask(books, "match_log", viewer, jobs[0].match)
        who = own["entrant"]
        assert own["printed"] == [{**place, "text": f"by {who}", "left_out": who}]
    operators = ask(books, "match_log", charlie, jobs[0].match)
    assert [one["printed"][0]["text"] for one in operators] == ["by 0", "by 1"]


def test_where_output_had_no_room_is_told_beside_it(
    books: Books, jobs: list[PlayMatch], alice: User, bob: User
) -> None:
    place: dict[str, Any] = {"deal": 1, "rotation": 0, "decision": None}
    rest: dict[str, Any] = {**place, "kind": "report", "left_out": 7, "rest": True}
    bout: dict[str, Any] = {**place, "kind": "print", "left_out": 9, "rest": False}
    entrants = ask(books, "match", None, jobs[0].match)["entrants"]
    one = next(at for at, entrant in enumerate(entrants) if entrant["owner"] == "alice")
    said = [Printed(entrant=one, traceback=False, text="hers", **place)]
    places = [(one, rest), (one, bout), (1 - one, bout)]
    marks = [LeftOut(entrant=who, **where) for who, where in places]
    books.record(replace(played(jobs[0]), printed=said, left_out=marks))
    (hers,) = ask(books, "match_log", alice, jobs[0].match)
    assert [one["text"] for one in hers["printed"]] == ["hers"]
    assert hers["left_out"] == [rest, bout]
    (his,) = ask(books, "match_log", bob, jobs[0].match)
    assert (his["printed"], his["left_out"]) == ([], [bout])


def test_a_place_without_room_in_a_bout_that_is_not_there_is_refused(
    books: Books, jobs: list[PlayMatch]
) -> None:
    mark = LeftOut(entrant=0, deal=9, rotation=0, decision=0, kind="print", left_out=1)
    books.record(replace(played(jobs[0]), left_out=[mark]))
    assert "a bout that it does not hold" in books.match(jobs[0].match).trouble


def test_a_log_is_for_its_owner_and_for_operators(
    books: Books, jobs: list[PlayMatch], alice: User, bob: User, charlie: User
) -> None:
    books.record(with_note(jobs[0]))
    (hers,) = ask(books, "match_log", alice, jobs[0].match)
    assert (hers["bot"], len(hers["notes"])) == ("alice/one", 1)
    assert len(ask(books, "match_log", charlie, jobs[0].match)) == 2
    for viewer in (None, books.person("mallory")):
        with pytest.raises(Forbidden, match="only the owners"):
            ask(books, "match_log", viewer, jobs[0].match)


def test_a_detail_of_a_fault_is_for_the_bot_s_owner(
    books: Books, jobs: list[PlayMatch], alice: User, bob: User, charlie: User
) -> None:
    def both_crash(job: PlayMatch, deal: int, rotation: int) -> Bout:
        faults = [Fault(0, seat, "crash") for seat in (0, 1)]
        return replace(drawn(job, deal, rotation), faults=faults)

    record = records.pack(scripted(jobs[0], both_crash))
    books.record(replace(with_note(jobs[0]), record=record))
    everybody = {"alice/one", "bob/two"}
    for viewer, own in (
        (alice, {"alice/one"}),
        (bob, {"bob/two"}),
        (charlie, everybody),
        (None, set()),
    ):
        told = ask(books, "match", viewer, jobs[0].match)
        entrants, first = [one["bot"] for one in told["entrants"]], told["bouts"][0]
        shown = {entrants[first["seats"][one["seat"]]]: one["detail"] for one in first["faults"]}
        assert shown == {
            name: f"IndexError of entrant {who}" if name in own else None
            for who, name in enumerate(entrants)
        }


# Playing back


def test_a_bout_is_shown_step_by_step(books: Books, season: Season) -> None:
    job = books.dispatch()[0]
    books.record(really_played(books, job))
    shown = ask(books, "steps", job.match, 0)
    assert shown["steps"][0]["seat"] is None
    assert shown["steps"][0]["view"] is not None
    assert len(shown["steps"]) == shown["bout"]["moves"] + 2
    own = ask(books, "steps", job.match, 0, 1)
    assert own["steps"][0]["view"] != shown["steps"][0]["view"]
    assert shown["steps"][-1]["text"] == shown["bout"]["why"]
    for wrong in ((99, None), (0, 2), (0, -2), (-1, None)):
        with pytest.raises(NotFound):
            ask(books, "steps", job.match, *wrong)


# Lists


def test_a_list_is_paged_to_its_end_without_gap_or_repetition(
    books: Books, alice: User, bob: User
) -> None:
    books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    tick.tick(books.context)
    cursor, seen = None, []
    while True:
        page = ask(books, "matches", limit=3, cursor=cursor)
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == books.settings.ranked_backlog


def test_a_page_of_a_games_matches_reads_only_its_own_lines(
    books: Books, alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    tick.tick(books.context)
    with books.write() as session:
        for number, match in enumerate(session.scalars(select(Match)).all()):
            if number < 4:
                name = f"other-{number}"
                league = leagues.create(
                    session, charlie, name=name, game="bomb", settings=books.settings, now=1
                )
                session.flush()
            match.league_id = league.id
    every = ask(books, "matches", limit=200)["items"]
    lines, read = match_lines.rows_of, []

    def counted(session: Session, ids: Any) -> Any:
        read.append(len(ids))
        return lines(session, ids)

    monkeypatch.setattr(match_lines, "rows_of", counted)
    cursor: str | None = None
    seen: list[Any] = []
    while len(seen) < len(every):
        page = ask(books, "matches", game="bomb", limit=3, cursor=cursor)
        seen += page["items"]
        cursor = page["next"]
    assert (seen, cursor) == (every, None)
    assert len({one["league"] for one in every}) == 4
    assert max(read) == 4


@pytest.mark.parametrize(
    "asked", [{"limit": 0}, {"limit": 201}, {"cursor": "x"}, {"cursor": "1.x.y"}, {"state": "?"}]
)
def test_a_list_that_cannot_be_is_refused(asked: dict[str, Any], books: Books) -> None:
    with pytest.raises(BadOption):
        ask(books, "matches", **asked)


def test_matches_are_found_by_bot_season_game_and_state(
    books: Books, season: Season, jobs: list[PlayMatch]
) -> None:
    assert len(ask(books, "matches", bot="alice/one")["items"]) == 2
    assert ask(books, "matches", bot="alice/two")["items"] == []
    assert len(ask(books, "matches", season=season.id, game="bomb")["items"]) == 2
    assert ask(books, "matches", game="skull")["items"] == []
    assert ask(books, "matches", state=MatchState.QUEUED)["items"] == []


def test_bots_are_listed_without_the_retired_ones(books: Books, alice: User, bob: User) -> None:
    gone = books.bot(alice, "gone")
    books.bot(bob, "here")
    with books.write() as session:
        uploads.retire(session, alice, books.the_bot(gone).full_name, now=books.clock())
    assert [one["bot"] for one in ask(books, "bots")["items"]] == ["bob/here"]
    assert len(ask(books, "bots", retired=True)["items"]) == 2
    assert ask(books, "bots", owner="alice")["items"] == []
    assert [one["bot"] for one in ask(books, "my_bots", alice)] == ["alice/gone"]
    assert ask(books, "bot", None, "alice", "gone")["retired_at"] is not None
    first = ask(books, "bots", retired=True, limit=1)
    rest = ask(books, "bots", retired=True, cursor=first["next"])
    assert [one["bot"] for one in rest["items"]] == ["alice/gone"]


def test_a_bot_is_found_by_its_bare_name_if_there_is_one_only(
    books: Books, alice: User, bob: User
) -> None:
    books.upload(alice, "simple")
    assert ask(books, "bot_name", "simple")["owner"] == "alice"
    books.upload(bob, "simple")
    with pytest.raises(NotFound, match="alice/simple, bob/simple"):
        ask(books, "bot_name", "simple")
    with pytest.raises(NotFound):
        ask(books, "bot_name", "nobody")


def test_a_bot_that_is_not_there_is_refused_with_the_name_that_may_be_meant(
    books: Books, alice: User, bob: User
) -> None:
    books.upload(alice, "careful")
    books.upload(bob, "carefool")
    with pytest.raises(
        NotFound, match=r"^there is no bot alice/carefil; did you mean alice/careful\?$"
    ):
        ask(books, "bot", None, "alice", "carefil")
    with pytest.raises(NotFound, match=r"^there is no bot alice/x{59}\.\.\.$"):
        ask(books, "bot", None, "alice", "x" * 300)
    with pytest.raises(NotFound, match=r"^there is no bot alice/bold$"):
        ask(books, "bot", None, "alice", "bold")


# Bots and versions


def test_a_report_s_log_is_for_the_owner(books: Books, alice: User, bob: User) -> None:
    version = books.bot(alice, "simple")
    mine = ask(books, "version", alice, version.id)
    assert mine["report"]["log"] == "hello from the bot\n"
    theirs = ask(books, "version", bob, version.id)
    assert "log" not in theirs["report"]
    assert theirs["report"]["verdict"] == "accepted"
    assert "log" not in ask(books, "bot", None, "alice", "simple")["versions"][0]["report"]


def test_a_version_is_found_by_its_digest_too_the_viewer_s_own_first(
    books: Books, alice: User, bob: User
) -> None:
    version = books.upload(alice, "simple")
    books.upload(bob, "simple")
    assert ask(books, "version", bob, version.digest)["bot"] == "bob/simple"
    assert ask(books, "version", None, version.digest)["bot"] == "alice/simple"
    for name in ("99", "f" * 64, "x", "9" * 40):
        with pytest.raises(NotFound):
            ask(books, "version", None, name)


def test_a_file_is_for_its_owner(books: Books, alice: User, bob: User, charlie: User) -> None:
    version = books.upload(alice, "simple")
    with books.read() as session:
        for viewer, found in ((alice, SIMPLE), (charlie, SIMPLE), (bob, None), (None, None)):
            assert queries.file_of(session, viewer, "alice", "simple", 1) == found
        with pytest.raises(NotFound):
            queries.file_of(session, alice, "alice", "simple", 2)
        assert queries.bundle(session, version.digest) == SIMPLE
        with pytest.raises(NotFound):
            queries.bundle(session, "f" * 64)


def test_a_bot_s_page_has_its_line_of_the_leaderboard(books: Books, alice: User, bob: User) -> None:
    books.league()
    books.bot(alice, "one")
    books.bot(bob, "two")
    assert ask(books, "bot", None, "alice", "one")["standing"] is None
    tick.tick(books.context)
    assert ask(books, "bot", None, "alice", "one")["standing"]["bot"] == "alice/one"
    with pytest.raises(NotFound):
        ask(books, "bot", None, "alice", "two")


# Boards


def test_every_game_is_told(books: Books, alice: User) -> None:
    books.bot(alice, "one")
    told = {game["name"]: game for game in ask(books, "games")}
    assert told.keys() == set(registry.packages())
    assert (told["bomb"]["bots"], told["bomb"]["matches"], told["bomb"]["seats"]) == (1, 0, [2])


def test_a_board_that_is_not_there_is_not_found(books: Books) -> None:
    with pytest.raises(UnknownGame):
        ask(books, "leaderboard", "chess")
    with pytest.raises(NotFound, match="no league yet"):
        ask(books, "leaderboard", "bomb")
    for query in ("season", "season_standings"):
        with pytest.raises(NotFound):
            ask(books, query, None, 99)
    with pytest.raises(NotFound):
        ask(books, "league", None, "nowhere")
    with pytest.raises(NotFound):
        ask(books, "match", None, "f" * 32)


def test_a_season_is_found_by_number_and_by_name(books: Books, season: Season, alice: User) -> None:
    by_name = ask(books, "season", alice, "spring")
    assert by_name == ask(books, "season", alice, season.id)
    assert [one["mine"] for one in by_name["entrants"]] == [True, False]
    assert (by_name["matches"], by_name["finished"], by_name["seed"]) == (2, 0, None)
    play_out(books)
    over = ask(books, "season", None, "spring")
    assert (over["state"], over["finished"], over["seed"]) == ("finished", 2, "a seed for tests")
    assert ask(books, "seasons")["items"][0]["finished"] == 2


# The platform


def test_news_is_told_in_order_from_where_one_left_off(books: Books, alice: User) -> None:
    books.upload(alice, "one")
    with books.read() as session:
        last = queries.last_event(session)
    (job,) = books.postman.take()
    assert isinstance(job, TryOut)
    books.settle(tried_out(job))
    news = ask(books, "events", last)
    assert [(one["kind"], one["subject"]) for one in news] == [("version.settled", "1")]


def test_the_queue_is_counted(books: Books, season: Season, alice: User) -> None:
    books.upload(alice, "new")
    told = ask(books, "queue", now=books.clock())
    assert (told["queued"], told["running"], told["pending_versions"]) == (2, 0, 1)
    assert told["oldest_queued_at"] == "2023-11-14T22:13:20.000Z"


def test_only_operators_look_behind_the_scenes(books: Books, alice: User, charlie: User) -> None:
    for viewer in (None, alice):
        with pytest.raises(Forbidden):
            ask(books, "admin", viewer, now=books.clock())
    told = ask(books, "admin", charlie, now=books.clock())
    assert told["wall"]["walled"]
    assert told["users"] == 2


def test_versions_are_typed_as_the_pages_read_them(books: Books, alice: User) -> None:
    version: Version = books.bot(alice, "simple")
    told = ask(books, "version", alice, version.id)
    assert told["created_at"].endswith("Z")
    assert (told["class_name"], told["trouble"], told["parked"]) == (None, "", False)


def compare_often(books: Books, match: str) -> None:
    """Queues forty later matches of comparisons between the bots of this match."""
    with books.write() as session:
        row = session.get_one(Match, match)
        for number in range(1000, 1040):
            at = {"created_at": row.created_at + number, "number": number}
            copy = Match(
                id=f"{number:032}", league_id=row.league_id, comparison_id=1, why="comparison",
                rules=row.rules, state=MatchState.QUEUED, limits={}, width=1, **at,
            )  # fmt: skip
            copy.deals = [copy.id]
            copy.seats = [
                MatchSeat(seat=one.seat, version_id=one.version_id, **at) for one in row.seats
            ]
            session.add(copy)


def test_a_bot_tells_the_processor_time_of_its_newest_matches(
    books: Books, jobs: list[PlayMatch], alice: User
) -> None:
    assert ask(books, "bot", None, "alice", "one")["cpu_ms_per_bout"] is None
    for job, spent in zip(jobs, (8.0, 16.0), strict=True):
        entrants = ask(books, "match", None, job.match)["entrants"]
        each = [spent if one["owner"] == "alice" else 99.0 for one in entrants]
        books.record(replace(played(job), cpu_ms=each))
    bouts = 2 * len(jobs[0].deals)
    assert ask(books, "bot", None, "alice", "one")["cpu_ms_per_bout"] == 12.0 / bouts
    compare_often(books, jobs[0].match)
    assert ask(books, "bot", None, "alice", "one")["cpu_ms_per_bout"] == 12.0 / bouts
    with books.read() as session, explained(session, only="cpu_ms") as plans:
        queries.bot(session, None, "alice", "one")
    (plan,) = plans
    assert "ix_match_seat_version_id_created_at_number_match_id" in plan
    assert "SCAN match" not in plan
    assert "ORDER BY" not in plan
