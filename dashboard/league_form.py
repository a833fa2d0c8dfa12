"""The form for a new league, in three steps: the game and the format, their settings, a summary.

Every step is a page of its own that carries the values typed before, so the form works without
scripts. The form route makes the league.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from flask import render_template, request
from msgspec.structs import replace

from dashboard import formats
from dashboard.responses import PageResponse, login_first
from matchbox.bundle import check_name
from matchbox.errors import BadName, BadOption, Forbidden, quoted
from matchbox.league.format import (
    CHOICES,
    OWN,
    PARTS,
    UNASKED,
    Admission,
    Format,
    Schedule,
    SettingField,
    fields_of,
    read,
    write,
)
from matchbox.settings import MAX_DEALS
from matchbox.whole_numbers import WHOLE, whole_number

if TYPE_CHECKING:
    from dashboard.source import Source
    from matchbox.answers.games import Game

CONTINUOUS: Final = "continuous"
KINDS: Final = {
    "round-robin": "Every bot meets every other one in both orders. The fairest and the longest.",
    "swiss": "A few rounds, in which bots of about the same score meet.",
    "adaptive": "A round robin first; then bots whose order is unclear meet until it is clear.",
    "knock-out": "Groups first; the best of each go on to ties, up to a final with a champion.",
    CONTINUOUS: "No seasons: a leaderboard that never ends, and takes new versions at once.",
}
"""The ways to play, each with a sentence."""
_OF_SEASONS: Final = ("by", "everybody", "bots")
"""The fields of the admission that apply to seasons only: a continuous league plays every active
bot."""
_MORE: Final = ("divisions", "moving", "matches", "hours", "placement", "learning")
"""The settings of every format, which few leagues need."""
_OPTION: Final = "option."
"""The beginning of the names of the game's options among the typed values."""
_ASKED: Final = {
    *("name", "game", "kind", CONTINUOUS, "deals", "seats", "separation"),
    *(field.alias for kind in PARTS.values() for field in fields_of(kind)),
}
"""The names of the other values that the form asks for. The address of a step has no others."""
_DEFAULTS: Final = {
    field.name: value
    for part, kind in PARTS.items()
    for field in fields_of(kind)
    if (value := write(PARTS[part]())[field.name]) is not None
}


def rules(source: Source) -> Iterator[tuple[str, Callable[..., PageResponse]]]:
    """Yields every address with its view; the view's name is the endpoint."""

    def new_league() -> PageResponse:
        if source.viewer() is None:
            return login_first()
        return page(source, request.args, step=request.args.get("step", 1, int))

    yield "/admin/leagues/new", new_league


def page(
    source: Source, values: Mapping[str, str] | None = None, error: str = "", step: int = 2
) -> str:
    """Returns the page of a step with the typed values; after a mistake, the page of the second
    step. Raises Forbidden unless the viewer is an operator."""
    viewer = source.viewer()
    if viewer is None or viewer.role != "operator":
        raise Forbidden("only operators make leagues")
    typed = {
        name: text
        for name, text in (values or {}).items()
        if name in _ASKED or name.startswith(_OPTION)
    }
    typed.setdefault("kind", CONTINUOUS if typed.get("continuous") else "round-robin")
    for name in (*unasked(typed), *(_OF_SEASONS if typed["kind"] == CONTINUOUS else ())):
        typed.pop(name, None)
    games = source.games()
    game = next((one for one in games if one.name == typed.get("game")), None)
    sections: list[tuple[str, list[str]]] = []
    if game is None or step < 2:
        step = 1
    elif step >= 3:
        try:
            sections, step = summary(game, typed), 3
        except (BadName, BadOption) as wrong:
            error, step = str(wrong), 2
    return render_template(
        "league_new.html",
        step=step,
        values={**_DEFAULTS, **typed},
        typed=typed,
        error=error,
        games=games,
        game=game,
        kinds=KINDS,
        titles={**CHOICES["kind"], CONTINUOUS: "continuous"},
        fields=fields_for(typed["kind"], cooperative=game is not None and game.cooperative),
        summary=sections,
        most_deals=MAX_DEALS,
    )


def unasked(typed: Mapping[str, str]) -> list[str]:
    """Returns the names of the fields that have no meaning beside the other typed values.

    The form hides them, but a browser sends them nevertheless.
    """
    alone = typed.get("divisions", "1") == "1"
    return [*UNASKED.get(typed.get("question", "order"), ()), *["moving"] * alone]


def fields_for(
    kind: str, *, cooperative: bool, continuous: bool = False
) -> dict[str, list[SettingField]]:
    """Returns the fields that a league with seasons of this kind needs, by their part of the form.

    Leagues of a cooperative game also have rounds of mixed teams, but no placement matches, which
    pair rivals. The seasons of a `continuous` league have no schedule.
    """
    known = {field.name: field for field in fields_of(Format)}
    known["divisions"] = _chosen_from(known["divisions"])
    entry, seasons = fields_of(PARTS["admission"]), kind != CONTINUOUS
    more = [name for name in _MORE if not (cooperative and name == "placement")]
    return {
        "own": [known[name] for name in own_fields(kind)],
        "entry": [field for field in entry if seasons or field.name not in _OF_SEASONS],
        "start": fields_of(PARTS["schedule"]) if seasons and not continuous else [],
        "more": [known[name] for name in (*more, *["mixed"] * cooperative)] if seasons else [],
    }


def own_fields(kind: str) -> tuple[str, ...]:
    """Returns the names of the settings that only this kind of season has."""
    return OWN.get(kind, ())


def _chosen_from(field: SettingField) -> SettingField:
    """Returns a field that has only a few whole numbers as a choice, so that the form can hide
    other fields by it."""
    assert field.least is not None
    assert field.most is not None
    numbers = range(field.least, field.most + 1)
    return replace(field, choices={number: str(number) for number in numbers})


def summary(game: Game, typed: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Returns the league in sentences, under headings. Raises BadName or BadOption for a
    mistake."""
    if not typed.get("name", "").strip():
        raise BadOption("the league has no name yet; give it one")
    check_name(typed["name"])
    seats = _seats(game, typed)
    deals = typed.get("deals")
    match = "as many deals a match as its bots' speed allows"
    if deals:
        match = f"{deals} {'deal' if deals == '1' else 'deals'} a match"
    options = [
        f"{name}: {typed[key]}" for name in game.options if typed.get(key := _option(game, name))
    ]
    sections = [("Game", [f"{game.title}, {seats} at a table, {match}.", *options])]
    if typed["kind"] == CONTINUOUS:
        sections.append(("Played", [KINDS[CONTINUOUS]]))
    else:
        form = read(Format, _read("format", typed))
        sections.append(("Seasons", formats.format(form, game.name, seats)))
        when = formats.schedule(read(Schedule, _read("schedule", typed)))
        start = f"They start by the schedule {when}." if when else "An operator starts each one."
        sections.append(("Start", [start]))
    admitted = read(Admission, _read("admission", typed))
    entry = formats.admission(admitted, continuous=typed["kind"] == CONTINUOUS)
    return [*sections, ("Entry", entry)]


def _seats(game: Game, typed: Mapping[str, str]) -> int:
    """The typed number of seats at a table. Raises BadOption if the game has no such tables."""
    text = typed.get("seats") or str(min(game.seats))
    sizes = [*map(str, game.seats)]
    if text not in sizes:
        raise BadOption(f"{game.title} is played by {', '.join(sizes)} players, not {quoted(text)}")
    return int(text)


def _option(game: Game, name: str) -> str:
    return f"{_OPTION}{game.name}.{name}"


def _read(part: str, typed: Mapping[str, str]) -> dict[str, object]:
    """Returns the typed settings of a part by name. Raises BadOption for a text that must be a
    number and is not."""
    found: dict[str, object] = {}
    for field in fields_of(PARTS[part]):
        if field.alias not in typed:
            continue
        text = typed[field.alias].strip()
        choices = {str(value): value for value in field.choices}
        number = whole_number(text)
        if field.whole and text and number is None:
            why = f"{field.about.label} is {quoted(text)}; {WHOLE}"
            raise BadOption(why).of(field.alias)
        if text or field.optional:
            found[field.name] = number if field.whole else choices.get(text, text or None)
    return found
