"""The form for a new league, in three steps: the game and the format, their settings, a summary.

Every step is a page of its own that carries the values typed before, so the form works without
scripts. The form route makes the league.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from flask import g, render_template, request
from msgspec.structs import replace

from dashboard import formats, wording
from dashboard.responses import PageResponse, login_first
from matchbox.bundle import check_name
from matchbox.errors import BadName, BadOption, Conflict, Forbidden, quoted
from matchbox.league.format import (
    CHOICES,
    FIELDS_OF_KIND,
    PARTS,
    Admission,
    Format,
    Schedule,
    SettingField,
    excluded_by,
    fields_of,
    read,
    write,
)
from matchbox.settings_of_play import MAX_DEALS
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
    CONTINUOUS: "No seasons: a leaderboard that never ends, and takes new versions immediately.",
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
    games = source.games()
    game = next((one for one in games if one.name == typed.get("game")), None)
    cooperative = game is not None and game.cooperative
    of_seasons = _OF_SEASONS if typed["kind"] == CONTINUOUS else ()
    for name in (*unasked(typed), *of_seasons, "placement" if cooperative else "mixed"):
        typed.pop(name, None)
    sections: list[tuple[str, list[str]]] = []
    if game is None or step < 2:
        step = 1
    elif step >= 3:
        try:
            sections, step = summary(source, game, typed), 3
        except (BadName, BadOption, Conflict) as wrong:
            error, step = str(wrong), 2
            g.wrong_fields = wrong.fields
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
        fields=fields_for(typed["kind"], cooperative=cooperative),
        summary=sections,
        most_deals=MAX_DEALS,
    )


def unasked(typed: Mapping[str, str]) -> list[str]:
    """Returns the names of the fields that have no meaning beside the other typed values.

    The form hides them, but a browser sends them nevertheless.
    """
    divisions = 1 if typed.get("divisions", "1") == "1" else None
    beside = {"question": typed.get("question", "order"), "divisions": divisions}
    return sorted(excluded_by({"kind": typed.get("kind"), **beside}))


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
    return FIELDS_OF_KIND.get(kind, ())


def _chosen_from(field: SettingField) -> SettingField:
    """Returns a field that has only a few whole numbers as a choice, so that the form can hide
    other fields by it."""
    assert field.least is not None
    assert field.most is not None
    numbers = range(field.least, field.most + 1)
    return replace(field, choices={number: str(number) for number in numbers})


def summary(source: Source, game: Game, typed: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Returns the league in sentences, under headings. Raises BadName, BadOption or Conflict for a
    mistake."""
    if not typed.get("name", "").strip():
        raise BadOption("the league has no name yet; give it one").of("name")
    check_name(typed["name"])
    seats = _seats(game, typed)
    options = {name: typed[key] for name in game.options if typed.get(key := _option(game, name))}
    when = Schedule()
    if typed["kind"] != CONTINUOUS:
        when = read(Schedule, _read("schedule", typed))
    source.check_new_league(typed["name"], game.name, seats, options, when)
    chosen = [f"{name}: {text}" for name, text in options.items()]
    sections = [("Game", [f"{game.title}, {seats} at a table, {_deals(typed)}.", *chosen])]
    if typed["kind"] == CONTINUOUS:
        sections.append(("Played", [KINDS[CONTINUOUS]]))
    else:
        form = read(Format, _read("format", typed))
        sections.append(("Seasons", formats.format(form, game.name, seats)))
        sections.append(("Start", [_start(when)]))
    admitted = read(Admission, _read("admission", typed))
    entry = formats.admission(admitted, continuous=typed["kind"] == CONTINUOUS)
    return [*sections, ("Entry", entry)]


def _start(when: Schedule) -> str:
    """Returns a sentence on what starts the seasons."""
    told = formats.schedule(when)
    if when.once is not None:
        return f"{told}. An operator starts all others."
    if when.cron:
        return f"They start by the schedule {when.cron}: {told}."
    return "An operator starts each one."


def _seats(game: Game, typed: Mapping[str, str]) -> int:
    """The typed number of seats at a table. Raises BadOption if the game has no such tables."""
    text = typed.get("seats") or str(min(game.seats))
    sizes = [*map(str, game.seats)]
    if text not in sizes:
        why = f"{game.title} is played by {', '.join(sizes)} players, not {quoted(text)}"
        raise BadOption(why).of("seats")
    return int(text)


def _deals(typed: Mapping[str, str]) -> str:
    """The typed number of deals of a match, in words. Raises BadOption for one that cannot be."""
    text = typed.get("deals", "").strip()
    if not text:
        return "as many deals a match as its bots' speed allows"
    number = whole_number(text) or 0
    if not 1 <= number <= MAX_DEALS:
        raise BadOption(f"a match has 1 to {MAX_DEALS} deals, not {quoted(text)}").of("deals")
    return f"{wording.plural(number, 'deal')} a match"


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
