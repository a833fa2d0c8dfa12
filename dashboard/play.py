"""The pages where persons play against bots: choose a game, choose opponents, the table.

Knows addresses and templates, like dashboard.pages; form routes take the moves. A board is drawn
from the view of the viewer's own seat; what is clicked on it comes from the table's choices.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from flask import Response, jsonify, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from dashboard import game_pages
from dashboard.source import Row, Source
from matchbox.answers.games import Game
from matchbox.answers.matches import Step
from matchbox.answers.play import Choice, Opponent, Table
from matchbox.errors import NotFound
from matchbox.match.transcript import named

Answer = str | AnyResponse
MOST_BUTTONS: Final = 16
"""With more choices than this, they are the lines of one list instead of buttons."""


def rules(source: Source) -> Iterator[tuple[str, Callable[..., Answer]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def play() -> Answer:
        known = source.viewer() is not None
        tables = source.tables() if known else None
        return render_template("play.html", games=source.games(), tables=tables)

    def play_game(game: str) -> Answer:
        return game_page(source, game)

    def play_table(game: str, table: str) -> Answer:
        return table_page(source, game, table)

    def play_table_json(game: str, table: str) -> Answer:
        return _table_json(source, game, table)

    yield "/play", play
    yield "/play/<game>", play_game
    yield "/play/<game>/<table>", play_table
    yield "/play/<game>/<table>.json", play_table_json


def game_page(
    source: Source, game: str, values: Mapping[str, str] | None = None, error: str = ""
) -> str:
    """Returns the form that opens a table; the number of seats is the field `seats`."""
    found = _game(source, game)
    given = values or {}
    wanted = given.get("seats") or request.args.get("seats", "")
    usual = 2 if 2 in found.seats else found.seats[0]
    count = int(wanted) if wanted in map(str, found.seats) else usual
    bots = source.opponents(game)
    return render_template(
        "play_game.html",
        game=found,
        count=count,
        bots=bots,
        chosen=[given.get(f"seat-{at}") or _usual_player(at, bots) for at in range(count)],
        values=given,
        error=error,
    )


def table_page(
    source: Source,
    game: str,
    table: str,
    values: Mapping[str, str] | None = None,
    error: str = "",
) -> str:
    """Returns a table's page; `error` says why the last move was refused."""
    found = _table(source, game, table)
    seat = _seen_by(found)
    steps = _drawn(game, _steps(source, found, seat), names(found))
    return render_template(
        "play_table.html",
        table=found,
        groups=groups(found.choices),
        many=len(found.choices) > MOST_BUTTONS,
        steps=steps,
        seen_by=seat,
        names=names(found),
        result=result(found) if found.state == "finished" else "",
        secret=request.args.get("join", ""),
        error=error,
    )


def names(table: Table) -> list[str]:
    """Returns the name of each seat's player; one that sits twice gets the seat's number."""
    own = [seat.name or "a free seat" for seat in table.seats]
    twice = {name for name in own if own.count(name) > 1}
    return [f"{name} ({seat})" if name in twice else name for seat, name in enumerate(own)]


def result(table: Table) -> str:
    """Returns how a finished table ended, in words."""
    places, scores = table.places or [], table.scores or []
    why = f"{table.why[:1].upper()}{table.why[1:]}."
    winners = [name for name, place in zip(names(table), places, strict=True) if place == 1]
    if len(winners) == len(places):
        common = f"{scores[0]} points together" if len(set(scores)) == 1 else "A draw"
        return f"{common}. {why}"
    if table.me is not None and places[table.me] == 1:
        return f"You {'won' if len(winners) == 1 else 'share the first place'}. {why}"
    lost = "You lost. " if table.me is not None else ""
    return f"{lost}{' and '.join(winners)} won. {why}"


def groups(choices: Sequence[Choice]) -> list[tuple[str, list[Row]]]:
    """Returns the choices under their headings, each with its move and picks as JSON."""
    rows = [
        (one.group, {"words": one.words, "move": _text(one.move), "picks": _text(one.picks)})
        for one in choices
    ]
    order = {group: at for at, (group, _) in reversed(list(enumerate(rows)))}
    ordered = sorted(rows, key=lambda row: order[row[0]])
    return [(group, [row for _, row in part]) for group, part in groupby(ordered, lambda r: r[0])]


def _table_json(source: Source, game: str, table: str) -> Response:
    """Returns the steps from `since` on and the parts of the page that change, or 204 if nothing
    has happened since `revision`."""
    revision = request.args.get("revision", "")
    if revision and source.table_revision(table) == revision:
        return Response(status=204)
    since = max(0, request.args.get("since", 0, int))
    found = _table(source, game, table, since)
    seat = _seen_by(found)
    steps = found.steps if seat == found.me else _steps(source, found, seat)[since:]
    parts = render_template(
        "_play_parts.html",
        table=found,
        groups=groups(found.choices),
        many=len(found.choices) > MOST_BUTTONS,
        names=names(found),
        result=result(found) if found.state == "finished" else "",
        secret="",
        error="",
    )
    return jsonify(
        {
            "revision": found.revision,
            "state": found.state,
            "mine": bool(found.choices),
            "since": since,
            "steps": _drawn(game, steps, names(found)),
            "parts": parts,
        }
    )


def _steps(source: Source, table: Table, seat: int | None) -> list[Step]:
    if table.state == "finished" and seat != table.me and table.steps:
        return source.table_steps(table.id, seat).steps
    return list(table.steps)


def _seen_by(table: Table) -> int | None:
    """The seat whose view is shown: after the end any seat, or None for a spectator."""
    if table.state != "finished":
        return table.me
    text = request.args.get("seat", "")
    if text == "table":
        return None
    return int(text) if text in {str(one.seat) for one in table.seats} else table.me


def _line(step: Step, who: Sequence[str]) -> str:
    """What the step's line says, with names; capitalized if no name stands before it."""
    text = named(step.text or "the start", who)
    return text if step.seat is not None and step.seat >= 0 else text[:1].upper() + text[1:]


def _drawn(game: str, steps: Sequence[Step], who: Sequence[str]) -> list[Row]:
    """The steps with a drawing in place of each view."""
    return [
        {
            "seat": step.seat if step.seat is None or step.seat >= 0 else None,
            "text": _line(step, who),
            "board": game_pages.drawing(game, step.view),
        }
        for step in steps
    ]


def _table(source: Source, game: str, table: str, since: int = 0) -> Table:
    found = source.table(table, since=since, secret=request.args.get("join", ""))
    if found.game != game:
        raise NotFound(f"table {table} is not one of {game}")
    return found


def _game(source: Source, name: str) -> Game:
    found = next((game for game in source.games() if game.name == name), None)
    if found is None:
        raise NotFound(f"there is no game {name!r}")
    return found


def _usual_player(seat: int, bots: Sequence[Opponent]) -> str:
    if seat == 0:
        return "me"
    return bots[0].bot if bots else "friend"


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
