"""The faults of one bot, newest first, each with its place. Changes nothing.

A fault's kind is in the record, so everybody may know it; its detail is for the bot's owner and
operators. Matches under embargo are left out, and those whose record was removed.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from heapq import merge
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, literal_column, select, tuple_
from sqlalchemy.orm import joinedload

from matchbox.answers import faults as answers
from matchbox.match import record as records
from server.db.models import Bot, Match, MatchSeat, MatchState, Result, Version
from server.queries.match_filters import seats_of
from server.queries.pagination import numbers, page_size, sees
from server.services.embargo import readable
from server.services.fault_counts import EXCLUDED
from server.services.lookup import find_bot, versions_of
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from server.db.models import User

FETCH_SIZE: Final = 20
"""The number of seats that are fetched at a time, over all versions."""
_HAS_RECORD: Final = func.coalesce(Result.record_days, 0) == 0
"""Written so that SQLite does not use its index of results that have a record: it would read all of
these."""
_ORDER: Final = (MatchSeat.created_at, MatchSeat.number, MatchSeat.seat, MatchSeat.match_id)


def bot_faults(
    session: Session,
    viewer: User | None,
    owner: str,
    name: str,
    *,
    cursor: str | None = None,
    limit: int = 50,
) -> answers.FaultList:
    """Returns a page of the faults of the bot owner/name, without those in void matches.

    Raises NotFound, and BadOption for a wrong cursor or limit.
    """
    bot, most = find_bot(session, f"{owner}/{name}"), page_size(limit)
    faults: list[answers.OneFault] = []
    following = last = None
    for place, fault in _found(session, bot, cursor, details=sees(viewer, bot.owner_id)):
        if len(faults) == most:
            following = last
            break
        faults.append(fault)
        last = place
    return answers.FaultList(items=faults, next=following)


def _found(
    session: Session, bot: Bot, cursor: str | None, *, details: bool
) -> Iterator[tuple[str, answers.OneFault]]:
    """The faults after the cursor, each with its own cursor."""
    used = (Result.record, Result.notes) if details else (Result.record,)
    query = (
        select(MatchSeat)
        .join(Match, Match.id == MatchSeat.match_id)
        .join(Match.result)
        .where(readable(), _HAS_RECORD)
        .order_by(*(column.desc() for column in _ORDER))
        .options(
            joinedload(MatchSeat.match).joinedload(Match.result).load_only(*used),
            joinedload(MatchSeat.version).load_only(Version.number),
        )
    )
    at: tuple[int, ...] = (0, 0, 0)
    name, bout = "", -1
    if cursor is not None:
        front, _, name = cursor.rpartition(".")
        *first, bout = numbers(front, 4)
        at = tuple(first)
        query = query.where(tuple_(*_ORDER) <= tuple_(*at, name))
    forfeited = MatchSeat.forfeits > literal_column("0")  # the same expression as in the index
    chosen = seats_of([one.id for one in versions_of(session, bot)], [forfeited])
    query = query.execution_options(yield_per=max(2, FETCH_SIZE // max(len(chosen), 1)))
    with ExitStack() as streams:
        parts = [
            streams.enter_context(closing(session.scalars(query.where(part)))) for part in chosen
        ]
        for seat in merge(*parts, key=_place, reverse=True):
            for number, fault in _of_seat(seat, details=details):
                if _place(seat) != (*at, name) or number > bout:
                    here = f"{seat.created_at}.{seat.number}.{seat.seat}.{number}.{seat.match_id}"
                    yield here, fault


def _place(seat: MatchSeat) -> tuple[int, int, int, str]:
    """The place of the seat among those of its bot; a newer one is larger."""
    return seat.created_at, seat.number, seat.seat, seat.match_id


def _of_seat(seat: MatchSeat, *, details: bool) -> Iterator[tuple[int, answers.OneFault]]:
    """The faults of the entrant in the match, each with the number of its bout; none in a void
    match."""
    result = seat.match.result
    # With the state in the query, SQLite would read all finished matches.
    if result is None or seat.match.state != MatchState.FINISHED:
        return
    notes = {
        (deal, rotation, kind): detail
        for entrant, deal, rotation, kind, detail in (result.notes if details else ())
        if entrant == seat.seat
    }
    record = records.unpack(result.record)
    for number, bout in enumerate(record.bouts):
        for fault in bout.faults:
            entrant = records.entrant(fault.seat, bout.rotation, len(record.seats))
            if entrant == seat.seat and fault.kind != EXCLUDED:
                yield (
                    number,
                    answers.OneFault(
                        kind=fault.kind,
                        detail=notes.get((bout.deal, bout.rotation, fault.kind)),
                        version=seat.version.number,
                        match=seat.match_id,
                        bout=number,
                        seat=fault.seat,
                        moves=fault.step,
                        at=iso(seat.match.finished_at),
                    ),
                )
