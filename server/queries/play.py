"""Tables with people, as each viewer may see them.

While a table is played, a person sees only the views of their own seat. Others see nothing of the
game: not the seed, not the waiting answers, no seat's view. After the end everybody may watch it.
If it ended early, only the people at it and operators may.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict

from msgspec import to_builtins
from sqlalchemy import select, tuple_
from sqlalchemy.orm import joinedload, load_only, selectinload

from matchbox import registry
from matchbox.answers import matches as shown
from matchbox.answers import play as answers
from matchbox.choices import choices_of, question_of
from matchbox.errors import BadGame, Conflict, Forbidden, MatchboxError, NotFound, UnknownGame
from matchbox.match import hosted_bout, replay
from matchbox.match import record as records
from matchbox.registry import is_cooperative
from server.db.models import (
    UNSETTLED,
    Bot,
    PlaySeat,
    PlayState,
    PlayTable,
    User,
    Version,
    VersionState,
)
from server.queries.matches import steps_of
from server.queries.pagination import numbers, page_size, split, title_of
from server.queries.standings import leaderboard, names_of
from server.services import play, table_turns
from server.times import iso

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from matchbox.match.bout import LiveBout
    from matchbox.match.record import Record
    from matchbox.settings import Settings

_SEATED = selectinload(PlayTable.seats).options(
    joinedload(PlaySeat.user),
    joinedload(PlaySeat.version).joinedload(Version.bot).joinedload(Bot.owner),
)
_SHORT = load_only(
    *(PlayTable.game, PlayTable.state, PlayTable.created_at, PlayTable.deadline),
    *(PlayTable.finished_at, PlayTable.why),
)
MAX_TABLES: Final = 100
"""The default number of tables on a page."""


def table(
    session: Session,
    viewer: User | None,
    name: str,
    *,
    settings: Settings,
    since: int = 0,
    secret: str = "",
) -> answers.Table:
    """Returns the table as the viewer may see it, with its steps from number `since` on.

    Raises NotFound, BadGame if its game cannot show it, and Forbidden while it is played for those
    who have neither a seat nor the secret of its link, and are not operators.
    """
    row = _find(session, name)
    me = _seat_of(row, viewer)
    if not _may_see(row, viewer, settings, secret):
        raise _closed(row, invited=play.is_invited(row, secret, settings))
    progress = _running(row, me, since) if row.record is None else _over(row, me, since)
    owner = me is not None and row.state == PlayState.OPEN
    return answers.Table(
        **vars(_line(row)),
        cooperative=is_cooperative(row.game),
        rules=row.rules,
        options=row.options,
        place=None if row.place is None else answers.Place.model_validate(row.place),
        revision=_revision(row),
        me=me,
        turn=None if me is None else play.turn_of(row, me),
        join=play.join_secret(row, settings) if owner else None,
        since=since,
        **progress,
    )


def revision(
    session: Session, viewer: User | None, name: str, *, settings: Settings, secret: str = ""
) -> str | None:
    """Returns the table's revision to viewers who may see the table; None to others.

    Raises NotFound.
    """
    row = _find(session, name)
    return _revision(row) if _may_see(row, viewer, settings, secret) else None


def _may_see(row: PlayTable, viewer: User | None, settings: Settings, secret: str) -> bool:
    """Whether the viewer sits there, operates, or has the link, or the game is finished."""
    if row.state == PlayState.FINISHED or _seat_of(row, viewer) is not None:
        return True
    invited = play.is_invited(row, secret, settings)
    operates = viewer is not None and viewer.operator
    return operates or (invited and row.state == PlayState.OPEN)


def steps(session: Session, viewer: User | None, name: str, seat: int | None) -> shown.Steps:
    """Returns the bout of a table that is over, step by step, as `seat` saw it.

    None is a spectator; EVERYBODY sees all hands. Raises NotFound, Forbidden before the end and for
    strangers to a table that ended early, Conflict if nothing was played, and BadRecord if the
    rules have changed since.
    """
    row = _find(session, name)
    _check_reader(row, viewer)
    if row.record is None:
        raise Conflict("this table has no record: it ended before the first move")
    record = records.unpack(row.record)
    if seat is not None and not shown.EVERYBODY <= seat < len(record.seats):
        raise NotFound(
            f"table {name} has no seat {seat}; its seats are 0 to {len(record.seats) - 1}"
        )
    return _replayed(row, record, seat)


def plain_record(session: Session, viewer: User | None, name: str) -> dict[str, Any] | None:
    """Returns the record of a table that is over as JSON-ready data; None if it has none.

    Until the end, and for strangers to a table that ended early, it has none. Raises NotFound.
    """
    return record_for(_find(session, name), viewer)


def record_for(row: PlayTable, viewer: User | None) -> dict[str, Any] | None:
    """Returns what `plain_record` does, for a table that was read already."""
    with suppress(Forbidden):
        _check_reader(row, viewer)
        return None if row.record is None else to_builtins(records.unpack(row.record))
    return None


def tables(
    session: Session,
    viewer: User,
    settings: Settings,
    *,
    cursor: str | None = None,
    limit: int = MAX_TABLES,
) -> answers.Tables:
    """Returns a page of the viewer's tables, newest first; to an operator also all that are open.

    Raises BadOption for a wrong cursor or limit.
    """
    most = page_size(limit)
    seats = select(PlaySeat.created_at, PlaySeat.table_id).where(PlaySeat.user_id == viewer.id)
    listed = [(seats, PlaySeat.created_at, PlaySeat.table_id)]
    if viewer.operator:
        unsettled = select(PlayTable.created_at, PlayTable.id)
        unsettled = unsettled.where(PlayTable.state.in_(UNSETTLED))
        listed.append((unsettled, PlayTable.created_at, PlayTable.id))
    found: set[tuple[int, str]] = set()
    for query, *order in listed:
        if cursor is not None:
            front, _, name = cursor.rpartition(".")
            query = query.where(tuple_(*order) < tuple_(*numbers(front, 1), name))
        newest = query.distinct().order_by(*(column.desc() for column in order)).limit(most + 1)
        found |= {(at, name) for at, name in session.execute(newest)}
    shown, following = split(sorted(found, reverse=True), most, lambda one: f"{one[0]}.{one[1]}")
    rows = select(PlayTable).where(PlayTable.id.in_([name for _, name in shown]))
    known = {row.id: row for row in session.scalars(rows.options(_SHORT, _SEATED))}
    return answers.Tables(
        items=[_line(known[name]) for _, name in shown],
        allowed=settings.play_tables,
        each=settings.play_tables_each,
        next=following,
    )


def opponents(session: Session, game: str, limit: int) -> list[answers.Opponent]:
    """Returns up to `limit` of the game's active bots, the best first. Raises UnknownGame.

    Those that are not on the board come last; if there are too many of them, the newest.
    """
    registry.package_of(game)
    try:
        lines = leaderboard(session, game).lines
    except NotFound:
        lines = []
    best = lines[:limit]
    found = names_of(session, _playing(session, [line.version_id for line in best]))
    if room := limit - len(found):
        best = lines
        active = (Bot.game == game, Version.state == VersionState.ACTIVE, Bot.retired_at.is_(None))
        query = select(Version.id).join(Version.bot).join(Bot.owner).where(*active)
        others = query.where(User.closed_at.is_(None), Version.id.not_in(found))
        found |= names_of(session, others.order_by(Version.id.desc()).limit(room))
    ranked = {line.version_id: line for line in best if line.version_id in found}
    last = len(ranked) + 1
    places = {number: place for place, number in enumerate(ranked, 1)}
    ordered = sorted(found.items(), key=lambda one: (places.get(one[0], last), one[1].bot))
    return [
        answers.Opponent(
            bot=one.bot,
            version=one.version,
            elo=ranked[number].elo if number in ranked else None,
            rank=ranked[number].rank if number in ranked else None,
        )
        for number, one in ordered
    ]


def _playing(session: Session, versions: Collection[int]) -> list[int]:
    """Returns the versions that may be played against."""
    query = select(Version.id, Version.state, Bot.retired_at, User.closed_at)
    named = query.join(Version.bot).join(Bot.owner).where(Version.id.in_(versions))
    # The state is compared here: in the query, it would make SQLite read every active version.
    return [
        number
        for number, state, retired_at, closed_at in session.execute(named)
        if state == VersionState.ACTIVE and retired_at is None and closed_at is None
    ]


def _find(session: Session, name: str) -> PlayTable:
    row = session.scalar(select(PlayTable).where(PlayTable.id == name).options(_SEATED))
    if row is None:
        raise NotFound(f"there is no table {name}")
    return row


def _seat_of(row: PlayTable, viewer: User | None) -> int | None:
    if viewer is None:
        return None
    return next((seat.seat for seat in row.seats if seat.user_id == viewer.id), None)


def _revision(row: PlayTable) -> str:
    """A text that changes with every answer and every state. It counts only answers of finished
    turns."""
    taken = sum(seat.user_id is not None for seat in row.seats)
    return f"{row.state}-{len(row.said)}-{taken}"


def _line(row: PlayTable) -> answers.TableLine:
    return answers.TableLine(
        id=row.id,
        game=row.game,
        title=title_of(row.game),
        state=PlayState(row.state).value,
        seats=[_seat(seat) for seat in row.seats],
        created_at=iso(row.created_at),
        deadline=iso(row.deadline),
        finished_at=iso(row.finished_at),
        why=row.why,
    )


def _seat(row: PlaySeat) -> answers.TableSeat:
    if row.version is not None:
        name, number = row.version.bot.full_name, row.version.number
        return answers.TableSeat(seat=row.seat, kind="bot", name=name, version=number)
    if row.user is not None:
        return answers.TableSeat(seat=row.seat, kind="person", name=row.user.name, version=None)
    return answers.TableSeat(seat=row.seat, kind="free", name="", version=None)


def _check_reader(row: PlayTable, viewer: User | None) -> None:
    """Raises Forbidden if the viewer may not read the bout of the table."""
    operates = viewer is not None and viewer.operator
    sat = row.state == PlayState.ENDED and (operates or _seat_of(row, viewer) is not None)
    if row.state != PlayState.FINISHED and not sat:
        raise _closed(row)


def _closed(row: PlayTable, *, invited: bool = False) -> Forbidden:
    """The refusal of somebody who may not see the table; `invited` if they have its link."""
    if row.state == PlayState.ENDED:
        return Forbidden(
            "this game was ended early, so only those who sat at its table can see it; open a "
            "table of your own"
        )
    taken = "no seat is free at this table any more, so it" if invited else "this table"
    return Forbidden(f"{taken} is closed to others until its game is over")


def _replayed(row: PlayTable, record: Record, seat: int | None) -> shown.Steps:
    return steps_of(record, 0, seat, unfinished=row.state == PlayState.ENDED)


class _Game(TypedDict):
    """The fields of a Table that tell of its game; the last four come with its end."""

    to_move: list[int]
    choices: list[answers.Choice]
    question: str
    view: Any
    steps: list[shown.Step]
    places: NotRequired[list[int] | None]
    scores: NotRequired[list[int] | None]
    deal: NotRequired[str]
    digest: NotRequired[str]


def _quiet() -> _Game:
    """A game of which nothing is shown."""
    return {"to_move": [], "choices": [], "question": "", "view": None, "steps": []}


def _over(row: PlayTable, me: int | None, since: int) -> _Game:
    """A game that is over."""
    assert row.record is not None
    record = records.unpack(row.record)
    bout = record.bouts[0]
    game: _Game = {
        **_quiet(),
        "places": bout.places or None,
        "scores": bout.scores or None,
        "deal": row.deal,
        "digest": records.digest(record),
    }
    try:
        found = _replayed(row, record, me).steps
    except MatchboxError:  # It was played by other rules, or the game is no longer installed.
        return game
    return {**game, "view": found[-1].view, "steps": found[since:]}


def _running(row: PlayTable, me: int | None, since: int) -> _Game:
    """The steps and the view that the viewer's seat may see, and its legal moves on its turn."""
    if me is None or row.state == PlayState.OPEN:
        return _quiet()
    try:
        with registry.raising_bad_game():
            return _sight(row, me, since)
    except (Conflict, UnknownGame):  # Its rules have changed, or it is no longer installed.
        return _quiet()
    except BadGame:
        if row.state in UNSETTLED:
            raise
        return _quiet()


def _sight(row: PlayTable, me: int, since: int) -> _Game:
    """What the seat sees. Raises as `live_bout` does."""
    live = table_turns.live_bout(row)
    owing = hosted_bout.owing(live) if row.state == PlayState.PERSONS else []
    game = registry.game(row.game)
    view = game.view(live.state, me)
    moves = game.legal(live.state, me) if me in owing else []
    steps = _steps(row, live, me)
    return {
        "to_move": owing,
        "view": view,
        "choices": [
            answers.Choice(move=move, words=one.words, group=one.group, picks=list(one.picks))
            for move, one in choices_of(row.game, moves, view)
        ],
        "question": question_of(row.game, moves, view),
        "steps": steps[since:],
    }


def _steps(row: PlayTable, live: LiveBout, me: int) -> list[shown.Step]:
    """The steps that have been made, each with the seat's view after it.

    The moves of others and the steps of chance are given in words only: as data they could hold
    hidden information.
    """
    game, bout = registry.game(row.game), hosted_bout.bout_so_far(live)
    seats = [""] * len(row.seats)
    record = hosted_bout.record_of(game, row.id, row.options, row.deal, seats, bout)
    made: list[shown.Step] = []
    seat, text, move = None, "", None
    for step in replay.steps(game, record, bout, unfinished=not live.over):
        made.append(shown.Step(seat=seat, text=text, move=move, view=step.views[me]))
        seat, text, move = step.seat, step.line, step.move if step.seat == me else None
    return made
