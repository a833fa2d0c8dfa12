"""The page of a match: one of its bouts, step by step, and the strip of all its bouts.

Knows addresses and templates, like dashboard.pages. The steps come from the source after the
embargo only; then all hands may be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from flask import jsonify, render_template, request

from dashboard import drawings, game_pages, playback, reports, wording
from dashboard.playback import DrawnStep
from dashboard.responses import PageResponse, view_of
from dashboard.source import Source
from matchbox.answers.matches import Bout, Match
from matchbox.errors import BadRecord, NotFound, UnknownGame
from matchbox.match.transcript import Transcript
from matchbox.registry import game, package_of

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Mark(NamedTuple):
    """A bout in the strip. `result` is that of the subject: won, lost, shared, or team."""

    letter: str
    title: str
    result: str
    fault: bool
    excluded: bool


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def verification(match: str) -> PageResponse:
        found = source.verification(match)
        if found is None:
            raise NotFound(f"match {match} has not been verified yet")
        return render_template("_verification.html", match_id=match, verification=found)

    def bout_json(match: str, bout: int) -> PageResponse:
        found = source.match(match)
        if not 0 <= bout < len(found.bouts or ()):
            raise NotFound(f"match {match} has no bout {bout} to show")
        steps = drawn(found, bout, playback.seat_of_view(len(found.entrants)), source)
        return jsonify({"bout": bout, **playback.packed(steps)})

    yield "/matches/<match>", view_of("match", match_page, source)
    yield "/matches/<match>/verification", verification
    yield "/matches/<match>/bouts/<int(max=999999999):bout>.json", bout_json


def match_page(
    source: Source, match: str, values: Mapping[str, str] | None = None, error: str = ""
) -> str:
    """Returns the page of a match; `error` is the reason why it cannot be verified now."""
    found = source.match(match)
    if found.embargo or not found.bouts:
        return render_template("match_wait.html", match=found, error=error)
    try:
        package_of(found.game)
        return _played_page(source, found, error)
    except (BadRecord, UnknownGame) as fault:
        gone = isinstance(fault, UnknownGame)
        closed = f"the game {found.game} is not installed here any more" if gone else str(fault)
        logs = source.match_log(found.id) if found.mine else []
        return render_template(
            "match_wait.html", match=found, closed=closed, logs=logs, error=error
        )


def _played_page(source: Source, found: Match, error: str) -> str:
    """Returns the page of a match with one of its bouts. Raises BadRecord if that cannot be
    replayed."""
    assert found.bouts is not None
    subject, chosen, named_for = _subject(found, source)
    number = request.args.get("bout", type=int)
    if number is None:
        number = first_shown(found, subject if chosen else None)
    number = min(max(number, 0), len(found.bouts) - 1)
    seat = playback.seat_of_view(len(found.entrants))
    steps = drawn(found, number, seat, source)
    bout = found.bouts[number]
    step, next_event = playback.requested_step(steps, _opened_at(steps))
    logs = source.match_log(found.id) if found.mine else []
    movers = [one.seat for one in steps]
    return render_template(
        "match.html",
        match=found,
        bout=bout,
        number=number,
        letters=LETTERS,
        strip=[mark(found, one, subject) for one in found.bouts],
        subject=found.entrants[subject].bot,
        named_for=named_for,
        tints=drawings.tints_of(found),
        why=game_pages.ending(found.game, bout.why),
        names=drawings.names_of(found, bout),
        players=[found.entrants[entrant].bot for entrant in bout.seats],
        steps=steps,
        step=step,
        next_event=next_event,
        seen_by=playback.word(seat),
        logs=logs,
        reported=reports.reported(bout, movers, logs),
        said=reports.printed(bout, movers, logs),
        missing=reports.missing(bout, movers, logs),
        match_id=found.id,
        verification=source.verification(found.id),
        error=error,
        goes_on=not source.play_closed() and found.rules == game(found.game).spec.rules,
    )


def _opened_at(steps: Sequence[DrawnStep]) -> int:
    """Returns the step with the move, counted from 1, or the seat's fault that the address names.

    Returns the last step if there are fewer moves, and the first one if the address names neither.
    """
    move = request.args.get("move", type=int)
    if move is not None:
        moves = [at for at, one in enumerate(steps) if one.seat is not None and not one.fault]
        return next(iter(moves[max(move - 1, 0) :]), len(steps) - 1)
    seat = request.args.get("fault", type=int)
    return next((at for at, one in enumerate(steps) if one.fault and one.seat == seat), 0)


def first_shown(match: Match, own: int | None) -> int:
    """Returns the bout that the page opens with: the first that the entrant `own` has lost.

    If there is none, the closest one: the least distance between the first two scores, then the
    most moves. Teams have one score, so theirs is the bout with the highest. Excluded bouts count
    only if there are no others.
    """
    bouts = match.bouts or []
    open_bouts = [at for at, one in enumerate(bouts) if not _excluded(one)] or [*range(len(bouts))]
    if own is not None:
        for at in open_bouts:
            if result_of(match, bouts[at], own) == "lost":
                return at
    return min(open_bouts, key=lambda at: _distance(match, bouts[at]))


def mark(match: Match, bout: Bout, subject: int) -> Mark:
    """Returns the bout's place in the strip, as the entrant `subject` sees its result."""
    result = result_of(match, bout, subject)
    first = [bout.seats[seat] for seat, place in enumerate(bout.places) if place == 1]
    if result == "team":
        letter, text = str(bout.scores[0]), wording.plural(bout.scores[0], "point")
    elif len(first) == 1:
        letter = LETTERS[first[0] % len(LETTERS)]
        text = f"{wording.bot(match.entrants[first[0]].bot)} won"
    else:
        letter, text = "=", "shared"
    kinds = {fault.kind for fault in bout.faults}
    what = ", excluded" if kinds == {"excluded"} else ", a fault" if kinds else ""
    title = f"Deal {bout.deal + 1}, rotation {bout.rotation + 1}: {text}{what}"
    return Mark(letter, title, result, bool(kinds), _excluded(bout))


def result_of(match: Match, bout: Bout, entrant: int) -> str:
    """Returns won, lost or shared, as the entrant sees the bout; team in a cooperative game."""
    if match.score is not None:
        return "team"
    first = [bout.seats[seat] for seat, place in enumerate(bout.places) if place == 1]
    if entrant not in first:
        return "lost"
    return "won" if len(first) == 1 else "shared"


def drawn(match: Match, number: int, seat: int | None, source: Source) -> list[DrawnStep]:
    """Returns the bout's steps as `playback.drawn` does, as `seat` or everybody sees them."""
    assert match.bouts is not None
    found = source.steps(match.id, number, seat)
    bout = match.bouts[number]
    names, tints = drawings.names_of(match, bout), drawings.tints_of(match)
    return playback.drawn(
        match.game,
        found.steps,
        names,
        [tints[match.entrants[entrant].bot] for entrant in bout.seats],
        viewer=playback.eyes(seat),
        ending=_ending(match, bout, names),
    )


def _ending(match: Match, bout: Bout, names: Sequence[str]) -> str:
    """Returns a line with the winner and the reason."""
    transcript = Transcript(names)
    if match.score is not None:
        return transcript.scored(bout.scores[0], game_pages.ending(match.game, bout.why))[0]
    faults = "; ".join(f"{names[one.seat]}: {one.kind}" for one in bout.faults)
    why = faults or game_pages.ending(match.game, bout.why)
    return f"{transcript.ended(bout.places)[0].removesuffix('.')}: {why}"


def _excluded(bout: Bout) -> bool:
    """Whether the bout was lost by exclusion alone, after faults in other bouts."""
    return bool(bout.faults) and all(fault.kind == "excluded" for fault in bout.faults)


def _distance(match: Match, bout: Bout) -> tuple[int, int]:
    """Returns a key that is lower for closer bouts."""
    if match.score is not None:
        return (-bout.scores[0], -bout.moves)
    first, *others = sorted(bout.scores, reverse=True)
    return (first - (others or [first])[0] + 10**6 * bool(bout.faults), -bout.moves)


def _subject(match: Match, source: Source) -> tuple[int, bool, str | None]:
    """Returns the entrant whose results the strip shows; whether it was chosen, because it is the
    viewer's own or the address names it; and its name."""
    requested = request.args.get("for")
    for at, entrant in enumerate(match.entrants):
        if requested == entrant.bot:
            return at, True, requested
    viewer = source.viewer()
    for at, entrant in enumerate(match.entrants):
        if viewer is not None and entrant.owner == viewer.name:
            return at, True, None
    return 0, False, None
