"""The parts of a season's page: the next steps, the bracket and the rounds.

Computes them from a season's answers; knows no clock and no database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from dashboard.formats import STAGES, go_on
from dashboard.tabs import page_numbers, page_of
from dashboard.wording import plural
from matchbox.league.seating import rounds_at
from matchbox.league.swiss import points_of, result_of, rounds_of
from matchbox.registry import is_cooperative

if TYPE_CHECKING:
    from dashboard.source import Source
    from matchbox.answers.courses import Course, Fixture
    from matchbox.answers.leagues import Season
    from matchbox.league.format import Format

LISTED: Final = 60
"""The number of matches of a round that a page lists."""
DRAWN: Final = 32
"""A level of the knock-out with more ties than this is not drawn, but listed among the rounds."""
LEVELS: Final = {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}
DONE: Final = ("finished", "void")


class TieLine(NamedTuple):
    """A bot's line in a tie; `bot` is "" while nobody has won the place."""

    bot: str
    points: float | None
    won: bool


class Level(NamedTuple):
    """A round of ties: each is two places, or one if its bot goes on without a match."""

    name: str
    ties: list[list[TieLine]]
    rounds: Sequence[int] = ()
    """The numbers of its rounds, from 1: several if ties were played again; none before it."""


class RoundTab(NamedTuple):
    """A round in the row of tabs; `number` counts from 1, and 0 stands for rounds left out."""

    number: int
    done: bool


class RoundShown(NamedTuple):
    """The chosen round with a page of its matches."""

    number: int
    name: str
    matches: int
    finished: int
    rests: list[str]
    fixtures: list[Fixture]
    page: int
    """From 1."""
    pages: int


def values(source: Source, season: Season, chosen: int | None, page: int) -> dict[str, object]:
    """Returns the template's values for a season's parts; `chosen` is a round, from 1."""
    course = source.season_course(season.id)
    number = chosen_round(season, course.left, chosen)
    knock_out = {at for at, one in enumerate(season.rounds) if one.stage == "knock-out"}
    scored = _swiss_rounds(season)
    wanted = knock_out | scored | ({number - 1} if number else set())
    fixtures = source.season_fixtures(season.id, wanted) if wanted else []
    levels = bracket(season, course, fixtures)
    return {
        "course": course,
        "bracket": [one for one in levels if len(one.ties) <= DRAWN],
        "undrawn": [one for one in levels if len(one.ties) > DRAWN],
        "swiss_points": swiss_points(season, course, fixtures) if scored else None,
        "tabs": tabs(season, course.left, number) if number else [],
        "shown": shown_round(season, number, fixtures, page) if number else None,
        "next_steps": [
            *_lessons(season, course),
            *next_steps(season, course.left),
            *_waits_for(source, season),
        ],
        "following": source.following(season.id),
    }


def bracket(season: Season, course: Course, fixtures: Sequence[Fixture]) -> list[Level]:
    """Returns the knock-out up to its final. Places that are not decided yet are empty."""
    numbers: list[list[int]] = []
    levels: list[list[list[str]]] = []
    for number, one in enumerate(season.rounds):
        if one.stage != "knock-out":
            continue
        if levels and levels[-1] == one.ties:
            numbers[-1].append(number)
        else:
            levels.append(one.ties)
            numbers.append([number])
    if not levels:
        return []
    while len(levels[-1]) > 1:
        levels.append([[] for _ in range((len(levels[-1]) + 1) // 2)])
        numbers.append([])
    champion = season.trophy.champion if season.trophy else None
    winners = [{bot for tie in level for bot in tie} for level in levels[1:]]
    winners.append({champion} if champion else set())
    return [
        Level(
            LEVELS.get(len(ties), f"Last {2 * len(ties)}"),
            [list(_tie(tie, at, won, _legs(course, fixtures, where, tie))) for tie in ties],
            [1 + number for number in where],
        )
        for at, (ties, won, where) in enumerate(zip(levels, winners, numbers, strict=True))
    ]


def swiss_points(season: Season, course: Course, fixtures: Sequence[Fixture]) -> dict[str, float]:
    """Returns each entrant's points in the Swiss rounds, as far as their results can be read."""
    rounds = _swiss_rounds(season)
    out = {one.bot for one in season.entrants if one.out}
    disqualified = {one.bot for one in season.entrants if one.out == "disqualified"}
    results = []
    for one in fixtures:
        void, shares = one.state == "void", _shares(course, one)
        taken = {bot: share for bot, share in shares.items() if share is not None}
        if one.round in rounds and (void or taken):
            found = None if void else taken
            results.append(result_of(list(shares), found, out=out, disqualified=disqualified))
    byes = [bot for number in rounds for bot in season.rounds[number].rests]
    return dict.fromkeys(course.bots, 0.0) | points_of(results, byes)


def _swiss_rounds(season: Season) -> set[int]:
    """Returns the numbers of the rounds, from 0, that give points; none if no points are shown."""
    if season.format.kind != "swiss":
        return set()
    return {number for number, one in enumerate(season.rounds) if one.stage == "swiss"}


def _tie(
    tie: Sequence[str], level: int, winners: set[str], legs: Sequence[Mapping[str, float | None]]
) -> Iterator[TieLine]:
    """Yields the places of a tie. One bot alone has a bye, on the first level."""
    for bot in tie:
        taken = [share for leg in legs if (share := leg[bot]) is not None]
        yield TieLine(bot, mean(taken) if taken else None, bot in winners)
    if level or not tie:
        for _ in range(2 - len(tie)):
            yield TieLine("", None, won=False)


def _legs(
    course: Course, fixtures: Sequence[Fixture], numbers: Iterable[int], tie: Sequence[str]
) -> list[dict[str, float | None]]:
    """Returns each bot's share in every match of a tie."""
    wanted = set(numbers)
    return [
        shares
        for one in fixtures
        if one.round in wanted and set(shares := _shares(course, one)) == set(tie)
    ]


def _shares(course: Course, one: Fixture) -> dict[str, float | None]:
    return {course.bots[seat]: share for seat, share in zip(one.seats, one.points, strict=True)}


def chosen_round(season: Season, left: Mapping[int, int], chosen: int | None) -> int:
    """Returns the number of the chosen round, from 1; 0 if there is none yet.

    Without a choice it is the first that is not over, or else the last. `left` is the course's,
    here and below.
    """
    if not season.rounds:
        return 0
    known = chosen is not None and 1 <= chosen <= len(season.rounds)
    return chosen if chosen is not None and known else _present(season, left)


def shown_round(season: Season, number: int, fixtures: Sequence[Fixture], page: int) -> RoundShown:
    """Returns the round with this page of its matches, from 1."""
    found = [one for one in fixtures if one.round == number - 1]
    round_ = season.rounds[number - 1]
    page, pages = page_of(page, len(found), LISTED)
    return RoundShown(
        number=number,
        name=STAGES[round_.stage][0],
        matches=len(found),
        finished=sum(one.state in DONE for one in found),
        rests=round_.rests,
        fixtures=found[(page - 1) * LISTED : page * LISTED],
        page=page,
        pages=pages,
    )


def _present(season: Season, left: Mapping[int, int]) -> int:
    """Returns the number of the first round that is not over, from 1; else that of the last."""
    return min([*left, len(season.rounds)])


def tabs(season: Season, left: Mapping[int, int], chosen: int) -> list[RoundTab]:
    """Returns the tabs: the first round, those around the chosen one, and the last."""
    row = page_numbers(chosen, len(season.rounds))
    return [RoundTab(number, number not in left) for number in row]


def next_steps(season: Season, left: Mapping[int, int]) -> Iterator[str]:
    """Yields sentences on the next steps, without the time of a start."""
    if season.state == "draft":
        yield "Only operators see this season. It takes bots once an operator opens it."
        if season.starts_at:
            yield "Until then it does not start, and its league opens no other season."
    elif season.state == "open":
        yield "Bots may enter, and authors may still upload: versions are fixed at the start."
        if not season.starts_at or season.paused:
            yield "An operator starts it."
        else:
            yield "The start waits up to ten minutes for the verdicts on earlier uploads."
    elif season.state == "frozen":
        yield "Versions are fixed."
        if not season.starts_at or season.paused:
            yield "An operator starts the season."
    elif season.state == "paused":
        yield "It is paused: no further match begins until an operator resumes it."
    elif season.state == "running":
        yield from _under_way(season, left)
    elif season.state == "cancelled":
        yield "It was cancelled: no further match is played, and nobody wins."


def _lessons(season: Season, course: Course) -> Iterator[str]:
    """Yields sentences on the lessons for which a running season waits."""
    if season.state != "running" or not course.lessons:
        return
    have = "has" if course.lessons == 1 else "have"
    yield f"Its bots learn: it goes on once {plural(course.lessons, 'lesson')} {have} ended."
    if course.parked_lessons:
        failed = plural(course.parked_lessons, "lesson")
        yield f"The platform failed at {failed} too often; an operator has been told."


def _waits_for(source: Source, season: Season) -> Iterator[str]:
    """Yields a sentence if another season of the league must be over before the schedule can start
    this one."""
    if season.state not in ("open", "frozen") or not season.starts_at or season.paused:
        return
    others = source.league(season.league).seasons
    other = next((one for one in others if one.state in ("running", "paused")), None)
    if other is not None:
        why = "is paused" if other.state == "paused" else "is still being played"
        yield f"{other.name} {why}: until it is over, the schedule does not start this season."


def _under_way(season: Season, left: Mapping[int, int]) -> Iterator[str]:
    present = _present(season, left)
    kind, opened = season.format.kind, [one.stage for one in season.rounds]
    if matches := left.get(present):
        yield f"{plural(matches, 'match', 'matches')} of round {present} still to play."
    after = len(opened) - present
    if after > 0:
        come = "comes" if after == 1 else "come"
        yield f"Then {come} {plural(after, 'round')} whose pairings are known."
        return
    stage = opened[-1] if opened else ""
    if _swiss_goes_on(season, opened):
        yield "The next round is paired by score as soon as this one is over."
    elif stage in ("cycle", "mixed") and _one_by_one(season.format):
        yield "Each round begins as soon as the one before it is over."
    elif stage == "cycle" and _more_seatings(season, opened):
        yield "Further rounds are drawn as soon as these are over."
    elif kind == "knock-out" and stage == "group":
        yield f"When the groups are over, {go_on(season.format)}."
    elif kind == "knock-out":
        final = stage == "knock-out" and len(season.rounds[-1].ties) == 1
        goes_on = "Its winner is the champion" if final else "Winners go on"
        yield f"{goes_on}; a tie that ends level is played again."
    elif kind == "adaptive":
        yield "Then the bots whose order is least certain meet until the question is answered."
    elif kind == "round-robin" or kind == "swiss":
        yield "After it the season is over."
    else:
        assert_never(kind)


def _swiss_goes_on(season: Season, opened: Sequence[str]) -> bool:
    """Whether a Swiss round follows the rounds of the stages `opened`."""
    is_swiss = season.format.kind == "swiss"
    if not is_swiss and opened[-1:] != ["swiss"]:
        return False
    rounds = season.format.rounds if is_swiss else None
    return opened.count("swiss") < (rounds or rounds_of(season.entries))


def _more_seatings(season: Season, opened: Sequence[str]) -> bool:
    """Whether rounds at larger tables follow, of which only some are opened at a time."""
    if season.seats == 2 or is_cooperative(season.game):
        return False
    return opened.count("cycle") < season.format.cycles * rounds_at(season.entries, season.seats)


def _one_by_one(form: Format) -> bool:
    """Whether the rounds are not opened together even if their pairings are known."""
    return form.learning != "off" or form.hours is not None
