"""The actions of people at tables: open, join, move, leave. Operators close tables.

Knows rules and rows; runs no bots. A table counts in no rating, and its bots are versions that were
active when it was opened.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec.json import encode
from sqlalchemy import delete, func, select, update

from matchbox import registry
from matchbox.errors import (
    BadGame,
    BadOption,
    CallerFault,
    Conflict,
    Forbidden,
    NotFound,
    SeatFault,
    TooMany,
)
from matchbox.game import check_seats, fill_options
from matchbox.match import hosted_bout, wire
from matchbox.match.bout import refusal
from matchbox.match.frames import what_is_wrong
from matchbox.match.wire import Said
from matchbox.settings import limits_of
from server.db.models import UNSETTLED, PlaySeat, PlayState, PlayTable, Turn
from server.db.session import count_rows, rows_changed
from server.services import audit, positions, table_turns
from server.services.accounts import require_operator
from server.services.hourly_limits import check_hour
from server.services.lookup import active_version, find_bot
from server.services.positions import Position
from server.services.walls import wall
from server.times import CLOCKS_MS, HOUR_MS, MINUTE_MS, lately

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from matchbox.game import Game, Plain, Spec
    from matchbox.match.bout import LiveBout
    from matchbox.settings import Settings
    from server.db.models import User
    from server.services.positions import Place

ME: Final = "me"
"""Names the seat of the person who opens the table."""
FRIEND: Final = "friend"
"""Names a seat that somebody else takes by the table's link."""
CLOSED: Final = "An operator closed the table."
"""The reason for the end of a table that an operator closed."""
TABLES: Final = 60
"""The number of tables at which a person may sit down within an hour, to open another one."""


def open_table(
    session: Session,
    actor: User,
    *,
    game: str,
    seats: Sequence[str],
    options: Mapping[str, object],
    place: Place | None = None,
    settings: Settings,
    now: int,
) -> PlayTable:
    """Opens a table and begins its bout, or waits for friends; returns it.

    `seats` holds for each seat "me", "friend", or a bot as owner/name. With a `place`, the bout
    goes on from that position of a match, with its deal and options. Raises UnknownGame,
    BadOption, NotFound for an unknown bot, Conflict if a bot cannot play now, Forbidden if play is
    switched off, TooMany if no more tables may be open or opened, BadGame if the game fails at its
    beginning, and the errors of `positions.find`.
    """
    spec = registry.game(game).spec
    check_seats(spec, len(seats))
    begins = _beginning(session, spec, len(seats), options, place)
    if seats.count(ME) != 1:
        raise BadOption(
            f"take one seat yourself, and no second one: choose “You”, in a program {ME!r}"
        ).of(*(f"seat-{at}" for at in range(len(seats))))
    _check_room(session, actor, settings, now)
    table = PlayTable(
        id=secrets.token_hex(16),
        game=game,
        rules=spec.rules,
        options=begins.options,
        deal=begins.deal,
        place=None if place is None else {**asdict(place), "rotation": begins.rotation},
        limits=limits_of(settings),
        state=PlayState.OPEN,
        said=[wire.to_plain(one) for one in begins.said],
        deadline=now + settings.play_idle_minutes * MINUTE_MS,
        created_at=now,
        opener_id=actor.id,
        seats=[_named_seat(session, actor, game, at, name, now) for at, name in enumerate(seats)],
    )
    session.add(table)
    session.flush()
    _begin_if_full(session, table, settings, now)
    if table.state == PlayState.ENDED:
        raise BadGame(table.why)
    return table


def _beginning(
    session: Session, spec: Spec, seats: int, options: Mapping[str, object], place: Place | None
) -> Position:
    """Returns the position with which a table begins. Raises as `open_table` does."""
    if place is None:
        chosen = fill_options(spec, options)
        deals = (secrets.token_hex(16) for _ in range(hosted_bout.DEALS))
        deal = hosted_bout.find_deal(registry.game(spec.name), seats, chosen, deals)
        return Position(spec.name, chosen, deal, seats, rotation=0, said=[])
    if options:
        raise BadOption("a table that goes on from a match has its options; give none")
    found = positions.find(session, place)
    if (found.game, found.seats) != (spec.name, seats):
        raise BadOption(
            f"match {place.match} is one of {found.game} with {found.seats} seats; name this game "
            "and as many players"
        )
    return found


def is_invited(table: PlayTable, secret: str, settings: Settings) -> bool:
    """Whether this is the secret of the table's link."""
    right = join_secret(table, settings)
    return hmac.compare_digest(right.encode(), secret.encode("utf-8", "replace"))


def join(
    session: Session, actor: User, name: str, secret: str, *, settings: Settings, now: int
) -> PlayTable:
    """Takes a free seat of the table, with the secret of its link; returns the table.

    Raises NotFound, Forbidden for a wrong secret, Conflict if no seat is free, and TooMany.
    """
    table = _find(session, name)
    if not is_invited(table, secret, settings):
        raise Forbidden("this link does not belong to the table; ask its owner for a new one")
    if any(seat.user_id == actor.id for seat in table.seats):
        return table
    free = [seat for seat in table.seats if seat.user_id is None and seat.version_id is None]
    if table.state != PlayState.OPEN or not free:
        raise Conflict("no seat is free at this table any more; open one of your own")
    _check_own(session, actor, settings)
    free[0].user_id, free[0].user = actor.id, actor
    session.flush()
    table.deadline = now + settings.play_idle_minutes * MINUTE_MS
    _begin_if_full(session, table, settings, now)
    return table


def turn_of(table: PlayTable, seat: int) -> int:
    """Returns how many moves the seat has made, which is the number of its next turn."""
    return sum(one.seat == seat for one in table_turns.answers_so_far(table))


def move(
    session: Session,
    actor: User,
    name: str,
    played: Plain,
    *,
    turn: int | None = None,
    settings: Settings,
    now: int,
) -> PlayTable:
    """Makes the person's move; returns the table.

    `turn` is the number of the turn for which the move was chosen; None makes it in any turn.
    Raises NotFound, Forbidden for a stranger, Conflict if it is not their turn, and BadOption if
    the rules refuse the move.
    """
    table = _find(session, name)
    seat = _seat_of(table, actor)
    if table.state not in UNSETTLED:
        raise Conflict("this game is over already")
    if turn is not None and turn != turn_of(table, seat):
        raise Conflict(
            "this move was chosen for another turn, so it is not made; choose one of the table's "
            "present moves"
        )
    if table.state != PlayState.PERSONS:
        raise Conflict("it is not your turn; load the page again to see the table")
    live = table_turns.live_bout(table)
    if seat not in hosted_bout.owing(live):
        raise Conflict("it is not your turn; wait for the others")
    if reason := _refusal(registry.game(table.game), live, seat, played):
        raise BadOption(f"the rules refuse this move: {reason}")
    table_turns.advance(session, table, [Said(seat, [played])], settings=settings, now=now)
    return table


def _refusal(game: Game, live: LiveBout, seat: int, played: Plain) -> str:
    """The reason why the seat may not make that move, in the rules' own words if they have any; ""
    if it may. A refused move is tried on `live`, which is of no use then."""
    if wrong := what_is_wrong(played):
        return f"it {wrong}"
    try:
        encode(played)
    except UnicodeEncodeError:
        return "it holds half a character"
    with registry.raising_bad_game():
        reason = refusal(game, live.state, seat, played)
    before = len(live.notes)
    if reason and len(live.owing) == 1:
        with suppress(BadGame, SeatFault), registry.raising_bad_game():
            live.take(seat, played)
    return live.notes[-1][2] if len(live.notes) > before else reason


def leave(session: Session, actor: User, name: str, *, now: int) -> PlayTable:
    """Ends the table for all who sit at it; returns it. Raises NotFound, Forbidden, Conflict."""
    table = _find(session, name)
    _seat_of(table, actor)
    if not table_turns.end(session, table, left_why(actor.name), now=now):
        raise Conflict("this game is over already")
    return table


def leave_all(session: Session, user: User, *, now: int) -> None:
    """Ends the open tables of an account that is being closed or deleted."""
    mine = (PlaySeat.user_id == user.id, PlayTable.state.in_(UNSETTLED))
    tables = select(PlayTable).join(PlayTable.seats).where(*mine)
    for table in session.scalars(tables).unique().all():
        table_turns.end(session, table, left_why(user.name), now=now)


def left_why(name: str) -> str:
    """Returns the reason for the end of a table that the person with this name left."""
    return f"{name} left the table."


def close(session: Session, actor: User, name: str, *, now: int) -> PlayTable:
    """Ends a table as an operator; returns it. Raises Forbidden, NotFound, Conflict."""
    require_operator(actor)
    table = _find(session, name)
    if not table_turns.end(session, table, CLOSED, now=now):
        raise Conflict("this game is over already")
    audit.note(session, actor, "table.close", f"table:{table.id}", now=now)
    return table


def end_idle(session: Session, *, settings: Settings, now: int) -> int:
    """Ends the tables that nobody has touched for long; returns how many.

    One that was touched while a clock was ahead has its time from now on. One with the bots to move
    ends only if nobody could play their turn in all this time.
    """
    length = settings.play_idle_minutes * MINUTE_MS
    ahead = (PlayTable.state.in_(UNSETTLED), PlayTable.deadline > now + length + CLOCKS_MS)
    session.execute(update(PlayTable).where(*ahead).values(deadline=now + length))
    table_turns.put_off(session, length, now=now)
    late = select(PlayTable).where(PlayTable.state.in_(UNSETTLED), PlayTable.deadline < now)
    rows = session.scalars(late.order_by(PlayTable.id)).all()
    return sum(
        table_turns.end(session, table, _idle_why(session, table, settings, now), now=now)
        for table in rows
    )


def _idle_why(session: Session, table: PlayTable, settings: Settings, now: int) -> str:
    """The reason for the end of a table that nobody has touched for long."""
    length = f"for {settings.play_idle_minutes} minutes"
    if table.state != PlayState.BOTS:
        return f"Nobody moved {length}."
    trouble = table_turns.trouble_of(session, table, now=now)
    return f"The platform could not play the bots' moves {length}: {trouble}"


def old_tables(before: int) -> Select[str]:
    """Selects the ids of tables that were over before that time, UTC in ms; the oldest first."""
    over = (PlayTable.state.not_in(UNSETTLED), PlayTable.finished_at < before)
    late = select(PlayTable.id).where(PlayTable.created_at < before, *over)
    return late.order_by(PlayTable.created_at)


def delete_tables(session: Session, tables: Sequence[str], days: int) -> int:
    """Deletes the tables with these ids, which were kept for `days` days; returns how many."""
    session.execute(delete(Turn).where(Turn.table_id.in_(tables)))
    session.execute(delete(PlaySeat).where(PlaySeat.table_id.in_(tables)))
    return rows_changed(session, delete(PlayTable).where(PlayTable.id.in_(tables)))


def join_secret(table: PlayTable, settings: Settings) -> str:
    """Returns the secret of the table's link, 32 hex digits. It is derived, and never stored."""
    key = settings.secret_key.encode()
    return hmac.new(key, f"join:{table.id}".encode(), sha256).hexdigest()[:32]


def _find(session: Session, name: str) -> PlayTable:
    table = session.get(PlayTable, name)
    if table is None:
        raise NotFound(f"there is no table {name}")
    return table


def _seat_of(table: PlayTable, actor: User) -> int:
    """The seat that the person has. Raises Forbidden."""
    for seat in table.seats:
        if seat.user_id == actor.id:
            return seat.seat
    raise Forbidden("you have no seat at this table")


def _begin_if_full(session: Session, table: PlayTable, settings: Settings, now: int) -> None:
    if all(seat.user_id is not None or seat.version_id is not None for seat in table.seats):
        table_turns.advance(session, table, [], settings=settings, now=now)


def _named_seat(session: Session, actor: User, game: str, at: int, name: str, now: int) -> PlaySeat:
    """Like `_seat`; its errors name the seat."""
    try:
        return _seat(session, actor, game, at, name, now)
    except CallerFault as error:
        raise error.of(f"seat-{at}") from None


def _seat(session: Session, actor: User, game: str, at: int, name: str, now: int) -> PlaySeat:
    """The seat with that name's player. Raises NotFound, Conflict."""
    if name == ME:
        return PlaySeat(seat=at, user_id=actor.id, user=actor, created_at=now)
    if name == FRIEND:
        return PlaySeat(seat=at, created_at=now)
    bot = find_bot(session, name, actor)
    version = active_version(session, bot.id)
    if bot.game != game or version is None or bot.owner.closed_at is not None:
        raise Conflict(f"{bot.full_name} has no active version for {game}; choose another bot")
    if not bot.owner.trusted and not (walls := wall(session)).walled:
        raise Conflict(f"{bot.full_name} cannot play now: {walls.why}; choose a bot of the house")
    return PlaySeat(seat=at, version_id=version.id, version=version, created_at=now)


def _check_room(session: Session, actor: User, settings: Settings, now: int) -> None:
    """Raises Forbidden if play is switched off, and TooMany if no more tables may be open, in all
    or for this person, or if the person has opened too many within an hour."""
    if not settings.play_tables:
        raise Forbidden("the operator has switched off play against bots").to_everybody()
    if count_rows(session, PlayTable, PlayTable.state.in_(UNSETTLED)) >= settings.play_tables:
        raise TooMany(
            f"{settings.play_tables} tables are open, and no more are allowed at a time; try "
            "again in some minutes",
            60,
        )
    _check_own(session, actor, settings)
    recent = (PlaySeat.user_id == actor.id, lately(PlaySeat.created_at, HOUR_MS, now))
    times = select(PlaySeat.created_at).where(*recent).order_by(PlaySeat.created_at.desc())
    check_hour(session, times, TABLES, f"played at {TABLES} tables", now=now)


def _check_own(session: Session, actor: User, settings: Settings) -> None:
    mine = (PlaySeat.user_id == actor.id, PlayTable.state.in_(UNSETTLED))
    count = select(func.count()).select_from(PlayTable).join(PlayTable.seats).where(*mine)
    if (session.scalar(count) or 0) >= settings.play_tables_each:
        raise TooMany(
            f"you sit at {settings.play_tables_each} open tables, and no more are allowed at a "
            "time; finish a game or leave one"
        )
