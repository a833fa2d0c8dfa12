"""Continues tables with people: finds the seats to move, and makes jobs of the bots' turns.

Runs no bots. Persons' actions are in play.py; both end in `advance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import structlog
from sqlalchemy import and_, select, update

from matchbox import registry
from matchbox.choices import choices_of
from matchbox.errors import BadGame, BadMessage, Conflict, MatchboxError
from matchbox.match import hosted_bout, wire
from matchbox.match import record as records
from matchbox.match.wire import Entrant, Said, TakeTurn, TurnTaken
from server import outbox
from server.db.models import UNSETTLED, PlayState, PlayTable, Turn
from server.db.session import compare_and_set, rows_changed
from server.services import jobs, signs, slow_tables, stopped_arenas, walls
from server.services.events import storable
from server.services.jobs import JobKind
from server.times import MINUTE_MS

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from matchbox.match.bout import LiveBout
    from matchbox.settings import Settings

log = structlog.get_logger(__name__)

LEASE_MS: Final = MINUTE_MS
"""A person waits: a turn whose message was lost is sent again after this time."""
_MAX_ANSWERS: Final = 100_000
"""An arena that sends more answers than this is not believed."""


def answers_so_far(table: PlayTable) -> list[Said]:
    """Returns the table's answers so far."""
    return [wire.from_plain(Said, one) for one in table.said]


def live_bout(table: PlayTable) -> LiveBout:
    """Returns the table's bout as it is now.

    Raises Conflict if its rules have changed, and BadGame if a function of the game fails or breaks
    the contract.
    """
    game = registry.game(table.game)
    if game.spec.rules != table.rules:
        raise Conflict(f"the rules of {game.spec.title} have changed since; start a new game")
    return hosted_bout.resume(
        game, table.deal, len(table.seats), table.options, answers_so_far(table)
    )


def advance(
    session: Session, table: PlayTable, said: Sequence[Said], *, settings: Settings, now: int
) -> None:
    """Adds these answers to the table. Then a person or a bot is to move, or the table has ended.

    A table whose game fails then ends. Raises BadMessage if one of the answers is to no question.
    """
    before = table.state
    table.said = [*table.said, *map(wire.to_plain, said)]
    try:
        live = live_bout(table)
        _check_sight(table, live)
    except BadGame as broken:
        log.exception("table.broken", table=table.id, game=table.game)
        end(session, table, f"The platform cannot play on: {broken}.", now=now)
        return
    values: dict[str, Any] = {
        "said": table.said,
        "deadline": now + settings.play_idle_minutes * MINUTE_MS,
    }
    owing = set(hosted_bout.owing(live))
    persons = {seat.seat for seat in table.seats if seat.version_id is None}
    if live.over:
        values |= _finished(table, live, now)
    else:
        values["state"] = PlayState.PERSONS if owing & persons else PlayState.BOTS
    if not compare_and_set(session, table, values, PlayTable.state == before):
        raise Conflict("somebody else moved first; load the page again")
    if values["state"] == PlayState.BOTS:
        turn = Turn(table=table, number=len(table.said), deadline=jobs.DUE, created_at=now)
        session.add(turn)
        session.flush()
        send(session, turn, settings=settings, now=now)


def end(session: Session, table: PlayTable, why: str, *, now: int) -> bool:
    """Ends an open table early; keeps what was played. Returns False if it was over already.

    Nobody wants its bots' turn any more, so no arena may begin it.
    """
    turn = update(Turn).where(Turn.table_id == table.id, Turn.wanted.is_(True))
    rows_changed(session, turn.values(wanted=False, deadline=None))
    why = storable(why, 500)
    values = {"state": PlayState.ENDED, "why": why, "finished_at": now, "record": _so_far(table)}
    return compare_and_set(session, table, values, PlayTable.state.in_(UNSETTLED))


def send(session: Session, turn: Turn, *, settings: Settings, now: int) -> bool:
    """Sends a turn as a new attempt. Returns False if it was not sent; see `jobs.lease`.

    A turn of a stranger's bot waits while an arena has no wall. Turns at the tables of slow people
    queue among the matches, and together hold at most half of the arenas.
    """
    if turn.table.state != PlayState.BOTS:
        done = {"wanted": False, "deadline": None}
        compare_and_set(session, turn, done, Turn.wanted.is_(True))
        return False
    bots = [seat.version for seat in turn.table.seats if seat.version is not None]
    if jobs.waits_for_wall(session, TURN, turn, bots, settings=settings, now=now):
        return False
    slow = slow_tables.slow_people(session, turn.table, now=now)
    if slow and not slow_tables.has_room(session, turn, slow):
        later = {"deadline": now + LEASE_MS, "sent_at": None}
        compare_and_set(session, turn, later, TURN.queued, attempt=turn.attempt)
        return False
    if not jobs.lease(session, _SLOW_TURN if slow else TURN, turn, settings=settings, now=now):
        return False
    task = wire.TAKE_TURN_LAST if slow else wire.TAKE_TURN
    outbox.post(session, job_of(turn, settings), task)
    return True


def put_off(session: Session, length: int, *, now: int) -> None:
    """Puts off the deadlines of the tables whose bots' turn waits for an arena or is played.

    The new deadline is `length` ms from now. If the platform has not run for that long, all tables
    where the bots are to move get it: nobody could play their turns.
    """
    bots = (PlayTable.state == PlayState.BOTS, PlayTable.deadline <= now + length - MINUTE_MS)
    tables = session.scalars(select(PlayTable).where(*bots).order_by(PlayTable.id)).all()
    if not tables:
        return
    began = not signs.has_run(session, length, now=now)
    for table in tables:
        if began or not trouble_of(session, table, now=now):
            table.deadline = now + length


def trouble_of(session: Session, table: PlayTable, *, now: int) -> str:
    """Returns why nobody can play the bots' turn of the table as things are; "" if it waits for an
    arena or is played."""
    wanted = select(Turn).where(Turn.table_id == table.id, Turn.wanted.is_(True))
    turn = session.scalars(wanted).one()
    if turn.deadline is None:
        return turn.trouble
    if turn.arena and turn.deadline > now:
        return ""
    slow = slow_tables.slow_people(session, table, now=now)
    if not stopped_arenas.getting_jobs(session, express=not slow, now=now):
        return "no arena takes jobs"
    walls_now = walls.wall(session)
    strangers = any(seat.version and not seat.version.bot.owner.trusted for seat in table.seats)
    return walls_now.why if strangers and not walls_now.walled else ""


def job_of(turn: Turn, settings: Settings) -> TakeTurn:
    """Returns the message for the turn's present attempt."""
    table = turn.table
    seeds = table.place or {"match": table.id, "rotation": 0}
    return TakeTurn(
        attempt=turn.attempt,
        token=jobs.token_of(settings, turn, turn.attempt),
        game=table.game,
        limits=table.limits,
        turn=jobs.subject_of("turn", turn),
        table=seeds["match"],
        rotation=seeds["rotation"],
        rules=table.rules,
        options=table.options,
        deal=table.deal,
        seats=[
            Entrant(seat.version.digest, seat.version.class_name or None) if seat.version else None
            for seat in table.seats
        ],
        said=answers_so_far(table),
    )


def book(session: Session, message: TurnTaken, *, settings: Settings, now: int) -> bool:
    """Adds the bots' moves to the table. Returns False if it was booked before, or has ended.

    Raises BadMessage if there are no answers, or if they are not the answers that the table's bots
    owe; NotFound or Forbidden if we never sent that attempt.
    """
    turn = jobs.find(session, TURN, message.turn, message.attempt, message.token, settings=settings)
    table = turn.table
    if not turn.wanted or table.state != PlayState.BOTS or turn.number != len(table.said):
        return False
    bots = {seat.seat for seat in table.seats if seat.version_id is not None}
    said = [
        Said(one.seat, one.moves, one.row, one.fault, storable(one.detail, 500))
        for one in message.said
    ]
    if not said or len(said) > _MAX_ANSWERS or any(one.seat not in bots for one in said):
        raise BadMessage(f"turn {turn.id} was not taken by the bots of its table")
    done = {"wanted": False, "deadline": None, "trouble": ""}
    if not compare_and_set(session, turn, done, Turn.wanted.is_(True)):
        return False
    slow_tables.note(session, table, message.seconds, now=now)
    advance(session, table, said, settings=settings, now=now)
    return True


def _check_sight(table: PlayTable, live: LiveBout) -> None:
    """Raises BadGame if the game fails to show a person at the table the position or its moves."""
    game, owing = registry.game(table.game), hosted_bout.owing(live)
    persons = [seat.seat for seat in table.seats if seat.version_id is None]
    with registry.raising_bad_game():
        for seat in persons:
            view = game.view(live.state, seat)
            if seat in owing:
                choices_of(table.game, game.legal(live.state, seat), view)


def _finished(table: PlayTable, live: LiveBout, now: int) -> dict[str, Any]:
    return {
        "state": PlayState.FINISHED,
        "why": storable(live.result().why, 500),
        "record": _packed(table, live),
        "finished_at": now,
    }


def _so_far(table: PlayTable) -> bytes | None:
    """The packed record of the moves so far: its bout has no places and no scores.

    None if there are none, or if the game's rules have changed.
    """
    with suppress(MatchboxError):
        live = live_bout(table) if table.said else None
        return _packed(table, live) if live is not None and live.moves else None
    return None


def _packed(table: PlayTable, live: LiveBout) -> bytes:
    seats = [seat.version.digest if seat.version else hosted_bout.PERSON for seat in table.seats]
    game, bout = registry.game(table.game), hosted_bout.bout_so_far(live)
    record = hosted_bout.record_of(game, table.id, table.options, table.deal, seats, bout)
    return records.pack(record)


def _failed(session: Session, turn: Turn, now: int) -> None:
    """Ends the table if the platform has failed too often at this turn."""
    if turn.deadline is None:
        why = f"The platform could not play the bots' moves: {turn.trouble}"
        end(session, turn.table, why, now=now)


_UNDER_WAY: Final = and_(Turn.wanted.is_(True), Turn.deadline.is_not(None))
_OF_OPEN_TABLE: Final = Turn.table.has(PlayTable.state.in_(UNSETTLED))

TURN: Final = JobKind(
    name="turn",
    express=True,
    model=Turn,
    rows=jobs.numbered("turn", Turn),
    queued=_UNDER_WAY,
    leased=_UNDER_WAY,
    parked=and_(Turn.wanted.is_(True), Turn.deadline.is_(None), _OF_OPEN_TABLE),
    resume=send,
    failed=_failed,
    lease_ms=LEASE_MS,
)
"""A turn is queued if its deadline has passed, and leased if its deadline is still to come.

It is no longer parked once its table has ended, since nobody can play it any more."""
_SLOW_TURN: Final = replace(TURN, express=False, lease_ms=None)
"""A turn that waits among the matches, for as long as they do, and for the same arenas."""
