"""The pages where people play against bots: choose a game, choose opponents, the table.

Knows addresses and templates, like dashboard.pages; form routes take the moves. A board is drawn
from the view of the viewer's own seat; the table's choices say which parts of it can be clicked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import groupby
from typing import Any, Final, NamedTuple

from flask import Response, jsonify, render_template, request
from markupsafe import Markup

from dashboard import drawings, game_pages, playback
from dashboard.playback import DrawnStep
from dashboard.responses import PageResponse, view_of
from dashboard.source import Source
from dashboard.wording import author, capital, plural, told
from matchbox import registry
from matchbox.answers.games import Game
from matchbox.answers.play import Choice, Opponent, Table, TableSeat
from matchbox.errors import BadOption, Forbidden, NotFound, UnknownGame
from matchbox.game import fill_options
from matchbox.match.hosted_bout import check_decisions
from matchbox.match.replay import FAULT_LINES
from matchbox.match.transcript import Transcript
from matchbox.whole_numbers import whole_number

MAX_BUTTONS: Final = 16
"""If there are more choices than this, one list shows them instead of buttons."""
PAGE_SIZE: Final = 20
"""The number of the viewer's tables that are listed at a time."""
LISTED: Final = 50
"""The number of bots in each seat's list; any other bot can be found by its name."""


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def play() -> PageResponse:
        known = source.viewer() is not None
        before = request.args.get("before") or None
        tables = source.tables(cursor=before, limit=PAGE_SIZE) if known else None
        games = [(game, game_pages.summary(game.name)) for game in source.games()]
        return render_template("play.html", games=games, tables=tables, before=before)

    def play_steps_json(game: str, table: str) -> PageResponse:
        found = _table(source, game, table)
        seat = playback.seat_of_view(len(found.seats))
        return jsonify(playback.packed(_played(source, found, seat)))

    yield "/play", play
    yield "/play/<game>", view_of("play_game", game_page, source)
    yield "/play/<game>/<table>", view_of("play_table", table_page, source)
    yield "/play/<game>/<table>.json", view_of("play_table_json", _table_json, source)
    yield "/play/<game>/<table>/steps.json", play_steps_json


def game_page(
    source: Source, game: str, values: Mapping[str, str] | None = None, error: str = ""
) -> str:
    """Returns the form that opens a table; the number of seats is the field `seats`."""
    found = game_pages.find(source, game)
    given = values or {}
    place = _place(source, game, values or request.args)
    count = len(place.players) if place else _wanted_seats(found, given)
    bots = source.opponents(game, LISTED + 1)
    stand_ins = _stand_ins(source, place.players, bots) if place else {}
    usual = place.players if place else [_usual_player(at, bots) for at in range(count)]
    usual = [stand_ins.get(player, player) for player in usual]
    return render_template(
        "play_game.html",
        game=found if place else _with_decisions(found, count),
        count=count,
        place=place,
        stand_ins=stand_ins,
        bots=bots[:LISTED],
        more=len(bots) > LISTED,
        chosen=[given.get(f"seat-{at}") or usual[at] for at in range(count)],
        values=given,
        error=error,
    )


def _stand_ins(source: Source, players: Sequence[str], bots: Sequence[Opponent]) -> dict[str, str]:
    """Returns the bots among the players that no longer play, each with the player in its place:
    another bot of its author, or else the best bot of all."""
    found: dict[str, str] = {}
    for player in {*players} - {"me", *(one.bot for one in bots)}:
        owner, _, name = player.partition("/")
        with suppress(NotFound):
            if source.bot(owner, name).active is not None:
                continue
        own = [one for one in bots if one.bot.partition("/")[0] == owner]
        found[player] = _usual_player(1, own or bots)
    return found


def _wanted_seats(game: Game, given: Mapping[str, str]) -> int:
    wanted = given.get("seats") or request.args.get("seats", "")
    usual = 2 if 2 in game.seats else game.seats[0]
    return int(wanted) if wanted in map(str, game.seats) else usual


class Beginning(NamedTuple):
    """A position of a match from which a new table goes on."""

    match: str
    bout: int
    """Counted from 0."""
    moves: int
    players: list[str]
    """By seat: "me" or a bot as owner/name."""


def _place(source: Source, game: str, given: Mapping[str, str]) -> Beginning | None:
    """Returns the position that the form or the address names; None if it names none.

    Raises NotFound if there is no such bout of the game, or if it is not readable now.
    """
    if not given.get("match"):
        return None
    match = source.match(given["match"])
    bout, moves = (whole_number(given.get(name, "")) for name in ("bout", "moves"))
    if match.game != game or bout is None or moves is None:
        raise NotFound(f"match {match.id} has no such position of {game}")
    if match.embargo or bout >= len(match.bouts or ()):
        raise NotFound(match.embargo or f"match {match.id} has no bout {bout + 1}")
    assert match.bouts is not None
    if moves > match.bouts[bout].moves and given is request.args:  # A refused form is shown again.
        raise NotFound(f"bout {bout + 1} of match {match.id} has no move {moves}")
    players = [match.entrants[entrant].bot for entrant in match.bouts[bout].seats]
    players[max(playback.seat_of_view(len(players)) or 0, 0)] = "me"
    return Beginning(match.id, bout, moves, players)


def table_page(
    source: Source, game: str, table: str, values: Mapping[str, str] | None = None, error: str = ""
) -> str:
    """Returns a table's page; `error` is the reason why the last move was refused."""
    try:
        found = _table(source, game, table)
    except Forbidden as closed:
        raise Forbidden(error or str(closed)) from None
    if found.digest and found.steps:
        return _over_page(source, found, error)
    return render_template(
        "play_table.html", **_parts(found, error), rules=_rules(game), steps=_drawn(found)
    )


def _rules(game: str) -> Markup | None:
    """Returns the game's rules; None if it has none, or is no longer installed."""
    try:
        return game_pages.rules(game)
    except UnknownGame:
        return None


def names(table: Table) -> list[str]:
    """Returns a short name for each seat's player."""
    return drawings.distinct_names([_seated(seat) for seat in table.seats])


def _seated(seat: TableSeat) -> str:
    return author(seat.name) if seat.kind == "person" else seat.name or "a free seat"


def result(table: Table) -> str:
    """Returns the result of a finished table, in words.

    Of a game that is no longer installed, only the reason for the end.
    """
    if table.game not in registry.packages():
        return f"{capital(table.why)}."
    places, scores = table.places or [], table.scores or []
    why = _why(table)
    winners = [name for name, place in zip(names(table), places, strict=True) if place == 1]
    if table.cooperative:
        return f"{plural(scores[0], 'point')} for the team. {why}"
    if len(winners) == len(places):
        return f"A draw. {why}"
    if table.me is not None and places[table.me] == 1:
        return f"You {'won' if len(winners) == 1 else 'share the first place'}. {why}"
    lost = "You lost. " if table.me is not None else ""
    return f"{lost}{' and '.join(winners)} won. {why}"


def _why(table: Table) -> str:
    """Returns the reason for the end of a finished table, as a sentence."""
    who = names(table)
    faults = [
        f"{who[step.seat]} {FAULT_LINES[step.fault]}"
        for step in table.steps
        if step.fault is not None and step.seat is not None
    ]
    if faults and table.why in FAULT_LINES:
        return f"{'; '.join(faults)}."
    return f"{capital(game_pages.ending(table.game, table.why))}."


class ChoiceShown(NamedTuple):
    """A choice as the page shows it; `move` and `picks` are JSON."""

    words: str
    move: str
    picks: str


def groups(choices: Sequence[Choice], who: Sequence[str]) -> list[tuple[str, list[ChoiceShown]]]:
    """Returns the choices under their headings.

    `who` are the seats' names, which stand in place of "seat 1".
    """
    rows = [
        (one.group, ChoiceShown(drawings.named(one.words, who), _text(one.move), _text(one.picks)))
        for one in choices
    ]
    order = {group: at for at, (group, _) in reversed(list(enumerate(rows)))}
    ordered = sorted(rows, key=lambda row: order[row[0]])
    return [(group, [row for _, row in part]) for group, part in groupby(ordered, lambda r: r[0])]


def _table_json(source: Source, game: str, table: str) -> Response:
    """Returns the steps from `since` on and the parts of the page that change, or 204 if nothing
    has happened since `revision`."""
    revision = request.args.get("revision", "")
    if revision and source.table_revision(table, secret=_secret()) == revision:
        return Response(status=204)
    since = max(0, request.args.get("since", 0, int))
    found = _table(source, game, table, since)
    parts = render_template("_play_parts.html", **_parts(found))
    return jsonify(
        {
            "revision": found.revision,
            "state": found.state,
            "mine": bool(found.choices),
            "since": since,
            "steps": [step._asdict() for step in _drawn(found)],
            "parts": parts,
        }
    )


def _parts(table: Table, error: str = "") -> dict[str, object]:
    """Returns the parts of a table's page that change."""
    who = names(table)
    return {
        "table": table,
        "groups": groups(table.choices, who),
        "many": len(table.choices) > MAX_BUTTONS,
        "names": who,
        "question": drawings.named(table.question, who),
        "result": result(table) if table.state == "finished" else "",
        "secret": _secret(),
        "error": error,
    }


def _drawn(table: Table) -> list[DrawnStep]:
    """Returns the steps that the viewer's seat may see so far, with drawings."""
    return playback.drawn(table.game, table.steps, names(table), _tints(table), viewer=table.me)


def _over_page(source: Source, table: Table, error: str) -> str:
    """The page of a table that is over. It plays the bout back, as a match's page does."""
    seat = playback.seat_of_view(len(table.seats))
    steps = _played(source, table, seat)
    step, next_event = playback.requested_step(steps, usual=len(steps) - 1)
    return render_template(
        "play_over.html",
        error=error,
        table=table,
        team=game_pages.find(source, table.game).cooperative,
        rules=game_pages.rules(table.game),
        names=names(table),
        players=[one.name for one in table.seats],
        tints=drawings.tints([one.name for one in table.seats]),
        result=result(table) if table.state == "finished" else "",
        steps=steps,
        step=step,
        next_event=next_event,
        seen_by=playback.word(seat),
    )


def _played(source: Source, table: Table, seat: int | None) -> list[DrawnStep]:
    """The steps of a table that is over, as `seat` or everybody sees them."""
    found = source.table_steps(table.id, seat).steps
    return playback.drawn(
        table.game,
        found,
        names(table),
        _tints(table),
        viewer=playback.eyes(seat),
        ending=_ending(source, table, found[-1].text),
    )


def _ending(source: Source, table: Table, why: str) -> str:
    """The line of the last step: the winner and the reason, or the reason why the game ended
    early."""
    if table.places is None or table.scores is None:
        return f"The game ended here. {told(table.why)}"
    transcript = Transcript(names(table))
    if game_pages.find(source, table.game).cooperative:
        return transcript.scored(table.scores[0], game_pages.ending(table.game, table.why))[0]
    won = transcript.ended(table.places)[0].removesuffix(".")
    text = game_pages.ending(table.game, why)
    return f"{won}: {drawings.named(text, names(table))}"


def _tints(table: Table) -> list[str]:
    players = [seat.name for seat in table.seats]
    given = drawings.tints(players)
    return [given[player] for player in players]


def _table(source: Source, game: str, table: str, since: int = 0) -> Table:
    found = source.table(table, since=since, secret=_secret())
    if found.game != game:
        raise NotFound(f"table {table} is not one of {game}")
    return found


def _secret() -> str:
    """The secret of the link by which a free seat is taken, from the address or the form."""
    return request.args.get("join") or request.form.get("secret", "")


def _with_decisions(game: Game, seats: int) -> Game:
    """The game without the choices at which nobody decides anything.

    An option with a single choice left is left out, if that is its default.
    """
    undecided, options = _undecided(game.name, seats), {}
    for name, option in game.options.items():
        choices = [one for one in option.choices if (name, one) not in undecided]
        if choices != [option.default]:
            options[name] = option.model_copy(update={"choices": choices})
    return game.model_copy(update={"options": options})


@cache
def _undecided(game: str, seats: int) -> frozenset[tuple[str, str | int | bool]]:
    """The options of the game, each with a value with which players decide nothing."""
    rules, found = registry.game(game), set()
    for name, option in rules.spec.options.items():
        for value in option.choices:
            try:
                check_decisions(rules, seats, fill_options(rules.spec, {name: value}))
            except BadOption:
                found.add((name, value))
    return frozenset(found)


def _usual_player(seat: int, bots: Sequence[Opponent]) -> str:
    if seat == 0:
        return "me"
    return bots[0].bot if bots else "friend"


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
