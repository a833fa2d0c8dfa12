"""Checks the result of a match against its job, and makes the row that is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from matchbox import registry
from matchbox.errors import BadMessage, BadRecord
from matchbox.league.rows import half_points, rows_of
from matchbox.match import record as records
from matchbox.match.frames import REPORT_LENGTH
from matchbox.match.output import Room
from matchbox.match.wire import LeftOut, Printed
from matchbox.registry import is_cooperative
from server.db.models import Result
from server.services.events import longest_log, storable
from server.services.samples import BOUTS

if TYPE_CHECKING:
    from matchbox.match.record import Bout, Record
    from matchbox.match.wire import Diagnostic, MatchPlayed, Note
    from matchbox.settings import Settings
    from server.db.models import Match

LEFT_OUT: Final = 2 * Room.PARTS + 3
"""The most rows, for each entrant, that say where its output had no room."""
_HEAD_BYTES: Final = 512 << 10
_BOUT_BYTES: Final = 2 << 10
_MOST_HEAD: Final = 4 << 20
"""Room in the head of a record: in all, and for each bout, and at most. The heads of the games here
take up to 900 bytes for a single bout, and 100 for each of many."""
_MOVE_BYTES: Final = 4
"""The most bytes of a move, and of each of a bout's other characters, in a record."""
_NAMES: Final = 4000
"""The most characters of the versions of Python and libraries in a record."""


def unpack(match: Match, data: bytes) -> Record:
    """Returns the packed record, which an arena has sent as that of this match.

    Raises BadRecord also if it is too long for the match: a few KB can hold millions of bouts, or
    of lists in a move, which would fill the memory. Raises UnknownGame.
    """
    bouts = match.deal_count * len(match.seats)
    steps = registry.game(match.league.game).spec.max_steps
    head = min(_HEAD_BYTES + bouts * _BOUT_BYTES, _MOST_HEAD)
    return records.unpack(
        data,
        most_bytes=head + bouts * (steps + 4) * _MOVE_BYTES,
        most_head=head,
        most_bouts=bouts,
    )


def check(match: Match, played: Record) -> None:
    """Raises BadRecord unless the record is complete, and of this match as it was scheduled.

    Its rules must be installed here. After an upgrade a record by older rules may still arrive; its
    moves cannot be replayed.
    """
    scheduled = {
        "match": match.id,
        "game": match.league.game,
        "rules": match.rules,
        "options": match.league.options,
        "deals": match.deals,
        "seats": [seat.version.digest for seat in match.seats],
        "width": match.width,
        "memories": records.memories_of([seat.memory for seat in match.seats]),
    }
    for name, wanted in scheduled.items():
        if getattr(played, name) != wanted:
            raise BadRecord(f"the record's {name} is not what match {match.id} was scheduled with")
    ours = registry.game(played.game).spec.rules
    if played.rules != ours:
        raise BadRecord(f"match {match.id} was played by rules {played.rules}; these are {ours}")
    if not _names_are_short(played):
        raise BadRecord(f"the record of match {match.id} has too long names of Python or libraries")
    seats = len(match.seats)
    turns = records.rotations(played.seats, cooperative=is_cooperative(played.game))
    order = [(deal, rotation) for deal in range(match.deal_count) for rotation in turns]
    if [(bout.deal, bout.rotation) for bout in played.bouts] != order:
        raise BadRecord(f"the record of match {match.id} does not hold every bout once, in order")
    for bout in played.bouts:
        if not _seated(bout, seats):
            raise BadRecord(f"a bout of match {match.id} does not have {seats} seats")


def _names_are_short(played: Record) -> bool:
    """Whether the texts of a record that do not follow from the match are no longer than a page."""
    texts = [played.python, *played.libraries.keys(), *played.libraries.values()]
    return sum(map(len, texts)) <= _NAMES


def _seated(bout: Bout, seats: int) -> bool:
    """Whether the bout's outcome and faults fit this number of seats."""
    return (
        len(bout.places) == len(bout.scores) == seats
        and all(1 <= place <= seats for place in bout.places)
        and all(-(2**53) < score < 2**53 for score in bout.scores)
        and all(0 <= one.seat < seats and 0 <= one.step <= len(bout.moves) for one in bout.faults)
    )


def check_beside(match: Match, played: Record, message: MatchPlayed) -> None:
    """Raises BadMessage unless the message beside the record fits the record's entrants and bouts.

    The number of bouts that the job asked to sample is not stored; it is `samples.BOUTS` at most.
    """
    seats = len(match.seats)
    if not len(message.cpu_ms) == len(message.logs) == seats:
        raise BadMessage(
            f"the result of match {match.id} must have one time and one log for each seat"
        )
    bouts = {(bout.deal, bout.rotation) for bout in played.bouts}
    reports: list[Note | Diagnostic | Printed | LeftOut] = [
        *message.notes,
        *message.diagnostics,
        *message.printed,
        *message.left_out,
    ]
    for one in reports:
        if one.entrant >= seats or (one.deal, one.rotation) not in bouts:
            raise BadMessage(
                f"the result of match {match.id} reports on a bout that it does not hold"
            )
    if message.sampled > BOUTS:
        raise BadMessage(
            f"match {match.id} comes with a sample of {message.sampled} bouts; the most is {BOUTS}"
        )
    for named in (message.stateful, message.unrepeatable):
        if named != sorted(set(named)) or not set(named) <= set(range(seats)):
            raise BadMessage(f"the sample of match {match.id} names {named} of {seats} entrants")
    if len(message.stateful) + len(message.unrepeatable) > message.sampled:
        raise BadMessage(f"the sample of match {match.id} names more entrants than it has bouts")


def result_of(message: MatchPlayed, played: Record, settings: Settings, now: int) -> Result:
    """Returns the row to store, with all texts and lists cut to their limits."""
    longest = longest_log(settings)
    bouts: list[list[Any]] = [
        [bout.deal, bout.rotation, bout.places, bout.scores, bout.forfeit] for bout in played.bouts
    ]
    return Result(
        match_id=message.match,
        digest=records.digest(played),
        record=message.record,
        bouts=bouts,
        moves=[len(bout.moves) for bout in played.bouts],
        notes=[
            [one.entrant, one.deal, one.rotation, one.kind, storable(one.detail, 2000)]
            for one in message.notes[:1000]
        ],
        diagnostics=_diagnostics(message, len(played.seats), longest),
        printed=_printed(message, len(played.seats), longest),
        logs=[storable(one, longest) for one in message.logs[: len(played.seats)]],
        cpu_ms=message.cpu_ms[: len(played.seats)],
        box=storable(message.box, 32),
        seconds=message.seconds,
        finished_at=now,
    )


def _diagnostics(message: MatchPlayed, seats: int, longest: int) -> list[list[Any]]:
    """The rows of the reports, up to `longest` characters for each entrant."""
    left, rows = dict.fromkeys(range(seats), longest), list[list[Any]]()
    for one in message.diagnostics[: 1000 * seats]:
        text = storable(one.text, REPORT_LENGTH)
        left[one.entrant] -= len(text)
        if left[one.entrant] >= 0:
            rows.append([one.entrant, one.deal, one.rotation, one.decision, text])
    return rows


def _printed(message: MatchPlayed, seats: int, longest: int) -> list[Any]:
    """The rows of the printed text, up to `longest` characters for each entrant."""
    left, rows = dict.fromkeys(range(seats), longest), []
    for one in message.printed[: Room.PARTS * seats]:
        text = storable(one.text, left[one.entrant])
        left[one.entrant] -= len(text)
        if text:
            place = [one.entrant, one.deal, one.rotation, one.decision]
            rows.append([*place, one.traceback, text, one.left_out + len(one.text) - len(text)])
    return rows + [
        [one.entrant, one.deal, one.rotation, one.decision, one.kind, one.left_out, one.rest]
        for one in message.left_out[: LEFT_OUT * seats]
    ]


def printed_of(result: Result) -> tuple[list[Printed], list[LeftOut]]:
    """Returns what the entrants printed, and where there was no room for more of it."""
    kept, cut = [], []
    for entrant, deal, rotation, decision, *rest in result.printed:
        place = {"entrant": entrant, "deal": deal, "rotation": rotation, "decision": decision}
        if isinstance(rest[0], bool):
            traceback, text, left_out = rest
            kept.append(Printed(**place, traceback=traceback, text=text, left_out=left_out))
        else:
            kind, left_out, later = rest
            cut.append(LeftOut(**place, kind=kind, left_out=left_out, rest=later))
    return kept, cut


def score_of(played: Record) -> float | None:
    """Returns the match's own score: the mean at seat 0 over its bouts."""
    scores = [bout.scores[0] for bout in played.bouts]
    return sum(scores) / len(scores) if scores else None


def book_points(match: Match) -> None:
    """Stores the points that each entrant of a match that was just recorded took, and its number of
    forfeits."""
    assert match.result is not None
    bouts = match.result.bouts
    names = [str(seat.seat) for seat in match.seats]
    halves, forfeits = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for row in rows_of(match.id, match.deals, names, bouts):
        for name, half in zip(row.seats, half_points(row), strict=True):
            halves[name] += half
        if row.forfeit is not None:
            forfeits[row.seats[row.forfeit]] += 1
    most = 2 * (len(names) - 1) * len(bouts)
    for seat, name in zip(match.seats, names, strict=True):
        seat.points = round(halves[name] / most, 9) if most else 0.5
        seat.forfeits = forfeits[name]
